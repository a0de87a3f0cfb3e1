//! Capability evidence: the rules of resolution as a table, and the built-ins' own rows against the captures.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "helpers of tests are tests too"
)]

use gitvow::spec::builtin;
use gitvow::spec::evidence::{
    CAPABILITIES, Evidence, NEEDED, Outcome, Row, TEXTS, resolve, triple,
};

/// Number, declared, rows (`client version platform result`, the client left out for `agent`), the client and what it
/// said its version is, platform, verdict, deciding version. Made by an independent implementation of the rules.
const VECTORS: [(&str, bool, &str, &str, &str, &str, &str); 28] = [
    (
        "C01",
        true,
        "1.2.3 darwin-arm64 pass",
        "1.2.3",
        "darwin-arm64",
        "on",
        "1.2.3",
    ),
    (
        "C02",
        true,
        "1.2.3 darwin-arm64 pass",
        "1.9.0",
        "darwin-arm64",
        "on",
        "1.2.3",
    ),
    (
        "C03",
        true,
        "1.2.3 darwin-arm64 pass",
        "1.2.2",
        "darwin-arm64",
        "older-than-evidence",
        "1.2.3",
    ),
    (
        "C04",
        true,
        "1.2.3 darwin-arm64 pass",
        "1.2.3",
        "linux-x64",
        "on",
        "1.2.3",
    ),
    (
        "C05",
        true,
        "1.2.3 darwin-arm64 pass; 1.4.0 darwin-arm64 fail",
        "1.3.9",
        "darwin-arm64",
        "on",
        "1.2.3",
    ),
    (
        "C06",
        true,
        "1.2.3 darwin-arm64 pass; 1.4.0 darwin-arm64 fail",
        "1.4.0",
        "darwin-arm64",
        "recorded-failure",
        "1.4.0",
    ),
    (
        "C07",
        true,
        "1.2.3 darwin-arm64 pass; 1.4.0 darwin-arm64 fail; 1.5.0 darwin-arm64 pass",
        "1.6.0",
        "darwin-arm64",
        "on",
        "1.5.0",
    ),
    (
        "C08",
        true,
        "1.2.3 darwin-arm64 pass; 1.3.0 linux-x64 fail",
        "1.3.0",
        "linux-x64",
        "recorded-failure",
        "1.3.0",
    ),
    (
        "C09",
        true,
        "1.2.3 darwin-arm64 pass; 1.3.0 linux-x64 fail",
        "1.2.3",
        "linux-x64",
        "on",
        "1.2.3",
    ),
    (
        "C10",
        true,
        "1.2.3 darwin-arm64 pass; 1.3.0 linux-x64 fail",
        "1.3.0",
        "darwin-arm64",
        "on",
        "1.2.3",
    ),
    (
        "C11",
        true,
        "1.2.3 darwin-arm64 pass; 1.3.0 linux-x64 fail",
        "1.3.0",
        "win32-x64",
        "recorded-failure",
        "1.3.0",
    ),
    (
        "C12",
        true,
        "1.3.0 darwin-arm64 pass; 1.3.0 linux-x64 fail",
        "1.3.0",
        "win32-x64",
        "recorded-failure",
        "1.3.0",
    ),
    (
        "C13",
        true,
        "1.3.0 darwin-arm64 pass; 1.3.0 linux-x64 fail",
        "1.3.0",
        "darwin-arm64",
        "on",
        "1.3.0",
    ),
    (
        "C14",
        true,
        "1.3.0 darwin-arm64 pass",
        "1.3.0-rc.1",
        "darwin-arm64",
        "on",
        "1.3.0",
    ),
    (
        "C15",
        true,
        "1.3.0-rc.1 darwin-arm64 fail; 1.3.0 darwin-arm64 pass",
        "1.3.0",
        "darwin-arm64",
        "recorded-failure",
        "1.3.0-rc.1",
    ),
    (
        "C16",
        true,
        "1.2.3 darwin-arm64 pass; 1.4.0 darwin-arm64 fail",
        "",
        "darwin-arm64",
        "recorded-failure",
        "1.4.0",
    ),
    (
        "C17",
        true,
        "1.2.3 darwin-arm64 pass",
        "unknown",
        "linux-x64",
        "on",
        "1.2.3",
    ),
    ("C18", true, "", "2.0.0", "darwin-arm64", "unobserved", ""),
    (
        "C19",
        false,
        "1.2.3 darwin-arm64 pass",
        "2.0.0",
        "darwin-arm64",
        "undeclared",
        "",
    ),
    (
        "C20",
        true,
        "1.2.3 darwin-arm64 pass",
        "agent-desktop 2.19.1",
        "darwin-arm64",
        "unobserved",
        "",
    ),
    (
        "C21",
        true,
        "1.2.0 darwin-arm64 pass; agent-desktop 2.19.1 darwin-arm64 pass",
        "agent-desktop 2.5.0",
        "darwin-arm64",
        "older-than-evidence",
        "2.19.1",
    ),
    (
        "C22",
        true,
        "1.2.0 darwin-arm64 pass; agent-desktop 2.19.1 darwin-arm64 pass",
        "2.5.0",
        "darwin-arm64",
        "on",
        "1.2.0",
    ),
    (
        "C23",
        true,
        "0.1.9 darwin-arm64 pass; 0.1.10 darwin-arm64 fail",
        "0.1.10",
        "darwin-arm64",
        "recorded-failure",
        "0.1.10",
    ),
    (
        "C24",
        true,
        "1.2.3 linux-x64 fail; 1.4.0 darwin-arm64 pass",
        "1.5.0",
        "linux-x64",
        "recorded-failure",
        "1.2.3",
    ),
    (
        "C25",
        true,
        "1.2.3 darwin-arm64 pass",
        "1.2",
        "darwin-arm64",
        "on",
        "1.2.3",
    ),
    (
        "C26",
        true,
        "1.2.3 darwin-arm64 pass; 1.3.0 linux-x64 fail",
        "1.2.0",
        "linux-x64",
        "older-than-evidence",
        "1.2.3",
    ),
    (
        "C27",
        true,
        "1.2.3 darwin-arm64 fail",
        "1.2.4",
        "linux-x64",
        "recorded-failure",
        "1.2.3",
    ),
    (
        "C28",
        true,
        "1.2.3 darwin-arm64 pass",
        "1.2.3+build.5",
        "darwin-arm64",
        "on",
        "1.2.3",
    ),
];

fn row(text: &str) -> Row {
    let mut words: Vec<&str> = text.split(' ').collect();
    if words.len() == 3 {
        words.insert(0, "agent");
    }
    Row {
        client: words[0].into(),
        version: words[1].into(),
        platform: words[2].into(),
        observed_at: "2026-11-30".into(),
        capability: "guards.beforeShell".into(),
        fixture: String::new(),
        answer: None,
        limitations: Vec::new(),
        result: if words[3] == "pass" {
            Outcome::Pass
        } else {
            Outcome::Fail
        },
        idle_behavior: None,
        busy_behavior: None,
        authority_level: None,
    }
}

#[test]
fn the_vectors() {
    for (name, declared, rows, said, platform, verdict, version) in VECTORS {
        let rows: Vec<Row> = rows
            .split("; ")
            .filter(|r| !r.is_empty())
            .map(row)
            .collect();
        let (client, said) = said.split_once(' ').unwrap_or(("agent", said));
        let said = Some(said).filter(|s| !s.is_empty());
        for reversed in [false, true] {
            let mut rows = rows.clone();
            if reversed {
                rows.reverse();
            }
            let found = resolve(
                declared,
                &rows,
                client,
                "guards.beforeShell",
                said,
                platform,
            );
            assert_eq!(found.on, verdict == "on", "{name}");
            assert_eq!(found.reason.map_or("on", |r| r.name()), verdict, "{name}");
            assert_eq!(found.version.as_deref().unwrap_or(""), version, "{name}");
        }
        // Rows of another capability say nothing.
        let other = resolve(declared, &rows, client, "guards.beforeRead", said, platform);
        assert!(!other.on, "{name}");
    }
}

#[test]
fn no_capability_is_on_without_a_capture_that_passes() {
    let mut on = 0;
    for (agent, text) in TEXTS {
        let evidence = Evidence::parse(agent, text).unwrap();
        let spec = builtin::by_name(agent).unwrap().spec().unwrap();
        for (capability, event) in &evidence.methods {
            assert!(
                spec.events.contains(event),
                "{agent}: {capability} is backed by no entry for {event}"
            );
            let guard = capability.starts_with("guards.");
            assert_eq!(
                guard,
                spec.before_tool.as_ref().unwrap().contains(event),
                "{agent}: {capability}"
            );
        }
        for capability in CAPABILITIES {
            for version in [None, Some("999.0.0")] {
                let verdict = evidence.verdict(capability, version, "linux-x64");
                if !verdict.on {
                    continue;
                }
                on += 1;
                let at = verdict.version.unwrap();
                let proof = evidence.evidence.iter().find(|r| {
                    r.capability == capability && r.version == at && r.result == Outcome::Pass
                });
                let capture = std::fs::read_to_string(&proof.unwrap().fixture).unwrap();
                assert!(capture.len() > 20, "{agent}: {capability}");
            }
        }
    }
    assert!(on > 20, "only {on} on: this test sees nothing");
}

#[test]
fn every_row_is_a_real_observation() {
    for (agent, text) in TEXTS {
        let evidence = Evidence::parse(agent, text).unwrap();
        for row in evidence.evidence.iter().chain(&evidence.answers) {
            assert_eq!(row.client, *agent);
            assert!(
                row.fixture
                    .starts_with(&format!("fixtures/{agent}/captures/{}", row.version)),
                "{row:?}"
            );
            assert!(std::path::Path::new(&row.fixture).exists(), "{row:?}");
            assert!(triple(&row.version).is_some());
            let parts: Vec<u32> = row
                .observed_at
                .split('-')
                .map(|p| p.parse().unwrap())
                .collect();
            assert!(
                matches!(parts[..], [2026..=2099, 1..=12, 1..=31]),
                "{row:?}"
            );
        }
    }
    assert!(NEEDED.iter().all(|n| CAPABILITIES.contains(n)));
}

#[test]
fn what_cannot_be_evidence_is_refused() {
    let row = |change: (&str, &str)| {
        let row = r#"{"client": "a", "version": "1.2.3", "platform": "linux-x64", "observedAt": "2026-11-30", "capability": "guards.beforeShell", "fixture": "f", "limitations": [], "result": "pass"}"#;
        format!(
            "{{\"methods\": {{}}, \"evidence\": [{}]}}",
            row.replace(change.0, change.1)
        )
    };
    assert!(Evidence::parse("a", &row(("", ""))).is_ok());
    for change in [
        ("1.2.3", "1.2"),
        ("guards.beforeShell", "guards.everything"),
        ("\"pass\"", "\"maybe\""),
        ("\"fixture\"", "\"fixtures\""),
        ("\"limitations\": [],", "\"limits\": [],"),
    ] {
        assert!(Evidence::parse("a", &row(change)).is_err(), "{change:?}");
    }
    // An answer that gitvow doesn't give decides nothing, so it may not stand among the rows that do.
    let tried = row(("\"limitations\"", "\"answer\": \"exit 1\", \"limitations\""));
    assert!(Evidence::parse("a", &tried).is_err());
    let apart = tried.replace("\"evidence\"", "\"answers\"");
    let apart = Evidence::parse("a", &apart.replace("pass", "fail")).unwrap();
    let shell = apart.verdict("guards.beforeShell", None, "linux-x64");
    assert!(apart.answers.len() == 1 && !shell.on);
    let unnamed = row(("", "")).replace("\"evidence\"", "\"answers\"");
    assert!(Evidence::parse("a", &unnamed).is_err());
    let twice = row(("", "")).replace("[{", "[{\"client\": \"a\", \"version\": \"1.2.3\", \"platform\": \"linux-x64\", \"observedAt\": \"2026-11-30\", \"capability\": \"guards.beforeShell\", \"fixture\": \"g\", \"result\": \"fail\"}, {");
    assert!(Evidence::parse("a", &twice).is_err());
    assert!(
        Evidence::parse(
            "a",
            "{\"methods\": {\"nonsense\": \"Stop\"}, \"evidence\": []}"
        )
        .is_err()
    );
}
