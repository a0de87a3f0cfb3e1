//! `gitvow doctor`, code by code: each is provoked in every agent, scope and format in which it can occur, and is
//! then the only news. The real program in a scratch home; whatever is asked, nothing there changes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests too"
)]

#[path = "common/program.rs"]
mod program;
#[path = "common/schema.rs"]
mod schema;

#[path = "doctor"]
mod doctor {
    mod around;
    mod command;
    mod entries;
    mod files;
    mod home;
    mod inert;
    mod overruled;
    mod probe;
    mod state;
    mod trees;
}

use gitvow::plan::health::codes;

/// Every code is provoked somewhere above: a new one fails here until it has its test.
#[test]
fn every_code_has_a_test_that_provokes_it() {
    let mut texts = String::new();
    for entry in std::fs::read_dir("tests/doctor").unwrap() {
        texts.push_str(&std::fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    for code in codes::ALL {
        let packed = texts.replace(char::is_whitespace, "");
        let calls = ["only", "provoke"].map(|call| format!("{call}(\"{}\"", code.name));
        let at_home = format!("provoke(&home,\"{}\"", code.name);
        assert!(
            calls
                .iter()
                .chain([&at_home])
                .any(|call| packed.contains(call)),
            "no test provokes `{}`",
            code.name
        );
    }
}

/// `docs/doctor.md` is made from the code; `UPDATE=1` writes it anew.
#[test]
fn the_page_in_docs_is_what_the_code_says() {
    let mut page = String::from(
        "# What `gitvow doctor` finds\n\nMade from `src/plan/health/codes.rs` by \
         `UPDATE=1 cargo test --test doctor`; edit that file instead.\n\n\
         Doctor reads and never writes. It asks the ledger what should be there and looks whether it is: an edit of \
         your own beside gitvow's entries is no finding.\n\
         It exits with 0 exactly when every state is `ok` or `not-installed` and gitvow's own state has no error. \
         Notes and warnings change no state.\n\
         The state of an agent is the gravest that one of its findings makes: `broken` before `drifted` before \
         `unknown` before `ok`.\n\n\
         A fresh install of Codex is `broken` by `untrusted` until its hooks are approved in Codex: until then it \
         skips them without a word.\n",
    );
    page.push_str(&codes::tables());
    let path = "docs/doctor.md";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == page,
        "{path} differs from the code; run `UPDATE=1 cargo test --test doctor` and read the diff"
    );
}
