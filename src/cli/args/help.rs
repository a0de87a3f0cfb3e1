//! What `--help` says behind the options. Text only.

/// `gitvow`.
pub const GITVOW: &str = "\
Examples:
  gitvow install --dry-run              show what would be written, and write nothing
  gitvow install --agent claude         wire Claude Code's own settings file
  gitvow doctor                         is it still as gitvow left it, and does it work?
  gitvow uninstall --agent claude       give the file back, byte for byte
  gitvow uninstall --everywhere --purge leave nothing of gitvow behind

Exit codes:
  0   done, also when nothing had to change
  1   refused, failed, or drift was found
  2   wrong usage, or an agent that nobody knows
  70  a bug in gitvow";

/// `gitvow install`.
pub const INSTALL: &str = "\
Examples:
  gitvow install --dry-run                      the diff for every agent detected here
  gitvow install --agent claude --agent codex   two agents
  gitvow install --agent claude --scope repo    the file that the team commits
  gitvow install --all --json --dry-run         for a script: `changed` says what would change

Nothing is written unless every file of an agent can be read, planned and verified first.
--force never overrides a refusal that protects bytes.";

/// `gitvow uninstall`.
pub const UNINSTALL: &str = "\
Examples:
  gitvow uninstall --dry-run            the diff for everything recorded in your own files
  gitvow uninstall --agent claude       one agent
  gitvow uninstall --everywhere         every agent, scope and repository
  gitvow uninstall --everywhere --purge gitvow's own state too

What you edited after the install is kept, and named; exit code 1 then says that a command of
gitvow's is still live.";

/// `gitvow doctor`.
pub const DOCTOR: &str = "\
Examples:
  gitvow doctor            your own files and, inside a repository, its files
  gitvow doctor --json     for a script: `ok` is false when something has to be done
  gitvow doctor --probe    also ask the agents whether they have registered the hooks

Doctor writes nothing, ever.";

/// `gitvow selftest`.
pub const SELFTEST: &str = "\
Examples:
  gitvow selftest                   every agent detected here
  gitvow selftest --agent codex     one agent

Your own files are copied, never touched; nothing is left behind.";

/// `gitvow hook`.
pub const HOOK: &str = "\
Example:
  echo '{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}' | gitvow hook --agent claude PreToolUse

Exit code 2 means \"block\" to most agents, so `hook` never uses it by accident.";

/// `gitvow agents`.
pub const AGENTS: &str = "\
Examples:
  gitvow agents          a table
  gitvow agents --json   for a script";

/// `gitvow check`.
pub const CHECK: &str = "\
Examples:
  gitvow check -- 'git push --force'    one argument: a shell line as it stands
  gitvow check -- git push --force      several: a command and its arguments

Exit codes: 0 allow, 1 ask or deny.";

/// `gitvow generate`.
pub const GENERATE: &str = "\
Examples:
  gitvow generate man > gitvow.1
  gitvow generate bash > /etc/bash_completion.d/gitvow
  gitvow generate schema output";
