//! Keys that stand twice. Pure.

/// The keys of an object that mean something: of two, one would be dropped without a word, and a rule with it.
#[derive(Debug, Default)]
pub struct Once(u32);

impl Once {
    /// Notes a key; an error names the place of one that was there before.
    pub fn seen(&mut self, key: &str, place: impl Fn() -> String) -> Result<(), String> {
        let Some(at) = KEYS.iter().position(|k| *k == key) else {
            return Ok(());
        };
        let bit = 1 << at;
        if self.0 & bit != 0 {
            return Err(format!("`{}` stands twice", place()));
        }
        self.0 |= bit;
        Ok(())
    }
}

/// Every key that is read, of policies, rules and providers.
const KEYS: [&str; 17] = [
    "bash_deny",
    "bash_confirm",
    "path_deny",
    "path_confirm",
    "mcp_deny",
    "mcp_allow",
    "providers",
    "pattern",
    "reason",
    "when",
    "line",
    "program",
    "verbs",
    "flags",
    "operands",
    "pipes_to",
    "command",
];
