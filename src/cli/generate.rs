//! `gitvow generate`: man page, completions and schemas, all from the one definition of the command line.
//! Reads and writes nothing but standard output.

use super::Console;
use super::args::{Cli, Generate, SchemaOf, What};
use crate::error::{Error, Result};
use clap::CommandFactory;
use clap_complete::Shell;

/// The JSON Schema of everything that `--json` prints.
pub const OUTPUT_SCHEMA: &str = include_str!("../../docs/schema/output.json");

/// The JSON Schema of a planner and of an adapter's `info`.
pub const PLANNER_SCHEMA: &str = include_str!("../../docs/schema/planner.json");

/// Runs `gitvow generate`.
pub fn run(args: &Generate, console: &mut Console<'_>) -> Result<u8> {
    let text = match args.what {
        What::Man => man()?,
        What::Bash => completions(Shell::Bash),
        What::Zsh => completions(Shell::Zsh),
        What::Fish => completions(Shell::Fish),
        What::Powershell => completions(Shell::PowerShell),
        What::Schema {
            of: SchemaOf::Output,
        } => OUTPUT_SCHEMA.to_owned(),
        What::Schema {
            of: SchemaOf::Planner,
        } => PLANNER_SCHEMA.to_owned(),
    };
    console.print(&text)?;
    Ok(0)
}

/// One page: the program, then each command as a section of its own.
fn man() -> Result<String> {
    let mut root = Cli::command();
    root.build();
    let mut page = section(&root, |man, to| {
        man.render_title(to)?;
        man.render_name_section(to)?;
        man.render_description_section(to)?;
        man.render_options_section(to)
    })?;
    page.push_str(&examples(&root));
    for command in root.get_subcommands().filter(|c| c.get_name() != "help") {
        let name = command.get_name().to_uppercase();
        let body = section(command, |man, to| {
            man.render_synopsis_section(to)?;
            man.render_description_section(to)?;
            man.render_options_section(to)
        })?;
        page.push_str(&format!(".SH GITVOW {name}\n"));
        page.push_str(&format!("{body}{}", examples(command)).replace(".SH ", ".SS "));
    }
    Ok(page)
}

fn section(
    command: &clap::Command,
    render: impl Fn(&clap_mangen::Man, &mut Vec<u8>) -> std::io::Result<()>,
) -> Result<String> {
    let failed = |e: String| Error::bug("the man page cannot be made").because(e);
    let man = clap_mangen::Man::new(command.clone()).date("").source("");
    let mut text = Vec::new();
    render(&man, &mut text).map_err(|e| failed(e.to_string()))?;
    String::from_utf8(text).map_err(|e| failed(e.to_string()))
}

/// The text behind `--help`'s options, line by line: clap_mangen would fill it into paragraphs.
fn examples(command: &clap::Command) -> String {
    let Some(text) = command.get_after_long_help() else {
        return String::new();
    };
    let text = text.to_string().replace('\\', "\\e").replace('-', "\\-");
    let lines: Vec<String> = text
        .lines()
        .filter(|l| !l.starts_with("Example"))
        .map(|l| match l.strip_prefix(['.', '\'']) {
            Some(_) => format!("\\&{l}"),
            None => l.to_owned(),
        })
        .collect();
    format!(".SH EXAMPLES\n.nf\n{}\n.fi\n", lines.join("\n"))
}

fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "gitvow", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}
