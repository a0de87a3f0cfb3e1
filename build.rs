//! Takes the comments out of the planners while building, so that no run has to: `<name>.hook.json` is the part of a
//! planner that a hook call needs, `<name>.json` the rest, `<name>.evidence.json` the evidence less the rows that decide
//! nothing, all compact. Nothing else is decided here.

#![allow(
    clippy::disallowed_methods,
    reason = "a build writes into its own directory; gitvow's rules are for what it does on a user's machine"
)]

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::Value;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=planners");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for entry in fs::read_dir("planners")? {
        let dir = entry?.path();
        let name = dir.file_name().unwrap_or_default().display().to_string();
        let write = |kind: &str, part: Value| {
            fs::write(out.join(format!("{name}{kind}.json")), part.to_string())
        };
        let (planner, hook) = without("hook", &dir.join("planner.jsonc"))?;
        write("", planner)?;
        write(".hook", hook)?;
        write(
            ".evidence",
            without("answers", &dir.join("evidence.jsonc"))?.0,
        )?;
    }
    Ok(())
}

/// A file less one key, and that key's value.
fn without(key: &str, file: &Path) -> Result<(Value, Value), Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let mut value: Value = parse_to_serde_value(&text, &ParseOptions::default())
        .map_err(|e| format!("{}: {e}", file.display()))?;
    let part = value.as_object_mut().and_then(|map| map.shift_remove(key));
    Ok((value, part.unwrap_or_default()))
}
