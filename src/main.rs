//! Dispatches `hook` before anything else, then parses, runs, prints the error and exits.

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(70)
}
