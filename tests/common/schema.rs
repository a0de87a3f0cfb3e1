//! Validates what gitvow prints with `--json` against `docs/schema/output.json`.

use serde_json::Value;

/// The schema as it stands in the tree.
pub fn schema() -> Value {
    let text = include_str!("../../docs/schema/output.json");
    serde_json::from_str(text).expect("docs/schema/output.json is JSON")
}

/// Parses `text` as exactly one document of `kind` (a name under `$defs`: `changes`, `doctor`, `agents`,
/// `check`, `selftest`, `failure`) and validates it. The document, or every reason why not.
pub fn validate(kind: &str, text: &str) -> Result<Value, String> {
    let document: Value =
        serde_json::from_str(text).map_err(|e| format!("not one JSON document: {e}\n{text}"))?;
    let mut schema = schema();
    let object = schema.as_object_mut().expect("an object");
    assert!(
        object["$defs"].get(kind).is_some(),
        "no schema for `{kind}`"
    );
    object.remove("anyOf");
    object.insert("$ref".into(), format!("#/$defs/{kind}").into());
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let faults: Vec<String> = validator
        .iter_errors(&document)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    if faults.is_empty() {
        Ok(document)
    } else {
        Err(format!(
            "not a `{kind}` document:\n{}\n{text}",
            faults.join("\n")
        ))
    }
}

/// [`validate`] or a panic that says why.
pub fn valid(kind: &str, text: &str) -> Value {
    validate(kind, text).unwrap_or_else(|e| panic!("{e}"))
}
