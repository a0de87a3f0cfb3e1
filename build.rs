//! Takes the comments out of the planners while building, so that no run has to: `<name>.json` is the whole planner,
//! `<name>.hook.json` the part that a hook call needs, both compact. Nothing else is decided here.

#![allow(
    clippy::disallowed_methods,
    reason = "a build writes into its own directory; gitvow's rules are for what it does on a user's machine"
)]

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::Value;
use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=planners");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    for entry in fs::read_dir("planners")? {
        let dir = entry?.path();
        let file = dir.join("planner.jsonc");
        let text = fs::read_to_string(&file)?;
        let planner: Value = parse_to_serde_value(&text, &ParseOptions::default())
            .map_err(|e| format!("{}: {e}", file.display()))?;
        let name = dir.file_name().unwrap_or_default().display().to_string();
        let hook = planner.get("hook").unwrap_or(&Value::Null);
        fs::write(out.join(format!("{name}.hook.json")), hook.to_string())?;
        fs::write(out.join(format!("{name}.json")), planner.to_string())?;
    }
    Ok(())
}
