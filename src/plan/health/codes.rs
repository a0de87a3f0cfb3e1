//! Every finding that doctor knows. Data only; `docs/doctor.md` is made from it.

use std::fmt::Write as _;

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Entries in a user's file, and that file.
    Entries,
    /// Files of gitvow's own.
    Trees,
    /// The command that the entries run.
    Command,
    /// Would the agent read and run them?
    Inert,
    /// What stands around them.
    Around,
    /// gitvow's own state.
    State,
}

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Worth doing something about.
    Warning,
    /// Has to be repaired.
    Error,
}

/// What a finding makes of an agent's state; the later one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing.
    None,
    /// `unknown`: it can't be judged.
    Unknown,
    /// `drifted`.
    Drifted,
    /// `broken`: the gate would not work.
    Broken,
}

/// One code.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The word in `findings[].code`; never changes.
    pub name: &'static str,
    /// What it is about.
    pub group: Group,
    /// How grave it is.
    pub severity: Severity,
    /// What it makes of the state.
    pub effect: Effect,
    /// When it is found.
    pub meaning: &'static str,
    /// What helps.
    pub remedy: &'static str,
}

macro_rules! codes {
    ($($id:ident $name:literal $group:ident $severity:ident $effect:ident $meaning:literal $remedy:literal)*) => {
        $(
            #[doc = $meaning]
            pub const $id: &Code = &Code {
                name: $name,
                group: Group::$group,
                severity: Severity::$severity,
                effect: Effect::$effect,
                meaning: $meaning,
                remedy: $remedy,
            };
        )*
        /// All of them, in the order of the documents.
        pub const ALL: &[&Code] = &[$($id),*];
    };
}

codes! {
    ENTRY_MISSING "entry-missing" Entries Error Drifted
        "an entry of ours is no longer in the file" "`gitvow install` adds it again"
    ENTRY_EDITED "entry-edited" Entries Error Drifted
        "an entry of ours says something else; the message says what" "`gitvow install --force` puts ours back; a copy of the file is kept"
    ENTRY_DUPLICATED "entry-duplicated" Entries Error Drifted
        "an entry of ours stands in its list more than once: the hook runs twice" "take one of the two out by hand"
    ENTRY_MOVED "entry-moved" Entries Error Drifted
        "an entry of ours stands in another list now (an event was renamed)" "uninstall, then install"
    ENTRY_OUTDATED "entry-outdated" Entries Note None
        "this gitvow would write another text than the one that wrote the entry" "`gitvow install` replaces it in its place"
    CONTAINER_EMPTIED "container-emptied" Entries Error Drifted
        "the list or object that held our entries is there, and empty" "`gitvow install` adds them again"
    FILE_MISSING "file-missing" Entries Error Drifted
        "the file that held our entries is gone" "`gitvow install` creates it, or `gitvow uninstall` drops the record"
    FILE_UNPARSEABLE "file-unparseable" Entries Error Broken
        "the file can't be read: its text is not in its format (with line and column), not UTF-8, or access is denied" "mend it at the place named"
    FILE_REFORMATTED "file-reformatted" Entries Note None
        "every entry is as recorded, but somebody laid the file out anew (line ends, indentation or spaces, order of keys, comments gone; in a repository line ends don't count): an uninstall gives it back equal in meaning, no longer in bytes. Values that were changed, added or taken away are no other layout" "nothing has to be done; `gitvow uninstall --dry-run` shows what would be left"
    FILE_REPLACED "file-replaced" Entries Error Drifted
        "a directory, a device or a link stands where the file was, or the link leads elsewhere now" "look at it with `ls -l`, put the file back or install again"

    TREE_FILE_EDITED "tree-file-edited" Trees Error Drifted
        "a file of ours says something else" "`gitvow install --force` writes it anew; a copy is kept"
    TREE_FILE_MISSING "tree-file-missing" Trees Error Drifted
        "a file of ours is gone" "`gitvow install` writes it again"
    TREE_FILE_FOREIGN "tree-file-foreign" Trees Warning None
        "a file that is not ours stands in a directory that gitvow made: an uninstall leaves both" "look at it; nothing has to be done if it is yours"
    MODE_CHANGED "mode-changed" Trees Error Drifted
        "a file of ours has other permission bits than gitvow left it with; in a repository, where git keeps no others, the owner's x bit alone counts. A file that only holds entries of ours is the user's, and so are its bits" "the `chmod` that is named"

    COMMAND_NOT_FOUND "command-not-found" Command Error Broken
        "the program that an entry runs is not there: most agents then run every tool unguarded" "`gitvow install` puts the launcher back"
    COMMAND_NOT_EXECUTABLE "command-not-executable" Command Error Broken
        "the program that an entry runs can't be run, or stands where the launcher was and is no gitvow (empty, cut off, another program)" "the `chmod` that is named, or `gitvow install`"
    LAUNCHER_DANGLING "launcher-dangling" Command Error Broken
        "the program that an entry runs is a link to nothing" "`rm` the link, then `gitvow install`"
    LAUNCHER_OTHER_BUILD "launcher-other-build" Command Note None
        "the launcher is not the copy that was recorded, or an older version than the gitvow that is asked" "`gitvow install` refreshes it"
    COMMAND_STALE "command-stale" Command Error Drifted
        "an entry runs a gitvow at another place than this one's launcher: another policy may judge there" "`gitvow install` names this launcher again (`--adopt` where somebody edited the entry)"

    VENDOR_CANNOT_READ "vendor-cannot-read" Inert Error Broken
        "the agent's own reader would not take the file as it stands (a comment, a byte order mark, a forbidden or missing key), with position" "take out what is named"
    HOOKS_DISABLED "hooks-disabled" Inert Error Broken
        "a setting of the agent switches hooks off; the message names file and key" "change that setting"
    UNTRUSTED "untrusted" Inert Error Broken
        "the agent has not approved our hooks and skips them without a word (Codex; only `--probe` also compares the hash)" "approve them in the agent"
    SHADOWED "shadowed" Inert Error Broken
        "another file of the agent has the same event and switches ours off (Droid: hooks.json over settings.json), or a key on the way to our entry stands again further down in its own file, and agents read the last one" "uninstall, then install: the entry goes to the file that counts; of two keys keep one"
    TIMEOUT_UNIT "timeout-unit" Inert Error Broken
        "an entry's timeout is in the wrong unit for this agent: the hook would be killed at once, or wait for hours" "`gitvow install --force` puts ours back"

    DOUBLE_LOAD "double-load" Around Note None
        "another agent on this machine also loads this file: a call may reach gitvow twice" "nothing has to be done: each call is judged each time"
    TWO_SCOPES "two-scopes" Around Note None
        "the agent has our entries in two scopes, and both run" "uninstall one of the two"
    UNRECORDED_ENTRY "unrecorded-entry" Around Warning None
        "a command of gitvow's own form, or a file where gitvow has its own, that nobody recorded (a teammate's install, a lost ledger, another gitvow)" "`gitvow install --adopt` takes it in"
    ADAPTER_CHANGED "adapter-changed" Around Error Broken
        "the external adapter is not the executable that was installed, or is gone" "look at it, then install again"
    CLIENT_MISSING "client-missing" Around Note None
        "the agent's own program is not on PATH, or can't be asked under `--probe`" "nothing has to be done where the agent is only an editor"
    CLIENT_TOO_OLD "client-too-old" Around Error Unknown
        "the agent is older than every version whose denials were observed (`--probe` only)" "upgrade the agent"
    AGENT_BRICKED "agent-bricked-if-removed" Around Note None
        "this agent blocks every tool call when the hook's program is gone" "run `gitvow uninstall` before you remove gitvow"

    LEDGER_CORRUPT "ledger-corrupt" State Error Unknown
        "a record or the journal can't be read, or comes from a newer gitvow" "the command that is named"
    JOURNAL_PENDING "journal-pending" State Error Unknown
        "an interrupted run waits to be settled" "run `gitvow install` or `gitvow uninstall` again"
    STATE_PERMISSIONS "state-permissions" State Error Unknown
        "others can read or change gitvow's own state" "the `chmod` that is named"
    POLICY_INVALID "policy-invalid" State Error Unknown
        "the user's policy or settings can't be used" "mend the file at the place named"
}

/// The code of that name.
pub fn by_name(name: &str) -> Option<&'static Code> {
    ALL.iter().find(|c| c.name == name).copied()
}

impl Group {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Entries, "Entries"),
        (Self::Trees, "Files of gitvow's own"),
        (Self::Command, "The command"),
        (Self::Inert, "Would the agent run it?"),
        (Self::Around, "Around it"),
        (Self::State, "gitvow's own state"),
    ];
}

/// The tables of `docs/doctor.md`.
pub fn tables() -> String {
    let mut out = String::new();
    for (group, title) in Group::ALL {
        let _ = writeln!(
            out,
            "\n## {title}\n\n| code | severity | state | when | what helps |\n|---|---|---|---|---|"
        );
        for code in ALL.iter().filter(|c| c.group == group) {
            let severity = match code.severity {
                Severity::Note => "note",
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            let state = match (code.group, code.effect) {
                (Group::State, _) => "(`ok` is false)",
                (_, Effect::None) => "",
                (_, Effect::Unknown) => "`unknown`",
                (_, Effect::Drifted) => "`drifted`",
                (_, Effect::Broken) => "`broken`",
            };
            let _ = writeln!(
                out,
                "| `{}` | {severity} | {state} | {} | {} |",
                code.name, code.meaning, code.remedy
            );
        }
    }
    out
}
