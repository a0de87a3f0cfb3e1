//! Where entries go, and what is refused.

use super::*;

/// Installs one Kimi entry, compares, cuts it, compares with the text before.
fn there_and_back(before: &str, after: &str) {
    let additions = [add(&["hooks"], json!({"event": "Stop", "timeout": 5}))];
    let (text, done) = install(before, &kimi(), &additions, None);
    assert_eq!(text, after, "\n--- before\n{before}");
    let element = open(&text, &kimi()).elements().pop().unwrap();
    assert_eq!(done.texts, [text[element.span].to_owned()]);
    let (back, cut) =
        uninstall(&text, &kimi(), &pairs(&additions, &done), &done.containers).unwrap();
    assert_eq!(back, before);
    assert!(cut.exact, "not exact: {before:?}");
    assert_eq!(cut.gone.len(), done.containers.len());
}

#[test]
fn block_at_the_end_of_the_file() {
    for before in ["", "\u{feff}"] {
        there_and_back(before, &format!("{before}{BLOCK}"));
    }
    for before in [
        "a = 1\n",
        "# only a comment\n",
        "[x]\ny = 1 # c\n",
        "[[hooks]]\nevent = \"Stop\"\n",
        "hooks-x = []\n",
        "x = \"\"\"\n[[hooks]]\n# no comment\n\"\"\"\n",
        "x = '''\nhooks = [\n'''\n",
        "[[ hooks ]]\nevent = 'a'\n",
        "\u{feff}a = 1\n",
        "a = 1\n# [[hooks]]\n",
        "[hooks-2]\n[other]\n",
    ] {
        there_and_back(before, &format!("{before}\n{BLOCK}"));
    }
    for before in ["a = 1", "# c", "  ", "a = 1 # c", "a = 1\n\t"] {
        there_and_back(before, &format!("{before}\n\n{BLOCK}"));
    }
    for before in ["a = 1\n\n", "\n", "# c\n\n\n"] {
        there_and_back(before, &format!("{before}{BLOCK}"));
    }
}

#[test]
fn newlines_are_the_documents() {
    there_and_back(
        "a = 1\r\n",
        &format!("a = 1\r\n\r\n{}", BLOCK.replace('\n', "\r\n")),
    );
    there_and_back(
        "a = 1\r\nb = 2",
        &format!("a = 1\r\nb = 2\r\n\r\n{}", BLOCK.replace('\n', "\r\n")),
    );
    there_and_back(
        "hooks = [\r\n]\r\n",
        "hooks = [\r\n  { event = \"Stop\", timeout = 5 }\r\n]\r\n",
    );
}

#[test]
fn value_array_is_extended_in_its_own_style() {
    let ours = "{ event = \"Stop\", timeout = 5 }";
    for (before, after) in [
        ("hooks = []\n", "hooks = [\n  OURS\n]\n"),
        ("hooks = [ ]\n", "hooks = [\n  OURS\n ]\n"),
        ("hooks = [\n]\n", "hooks = [\n  OURS\n]\n"),
        (
            "hooks = [\n  # none yet\n]\n",
            "hooks = [\n  # none yet\n  OURS\n]\n",
        ),
        ("hooks = [ # none yet\n]", "hooks = [ # none yet\n  OURS\n]"),
        (
            "hooks = [{ event = \"A\" }]\n",
            "hooks = [{ event = \"A\" }, OURS]\n",
        ),
        (
            "hooks = [{ event = \"A\" },{event='B'}]\n",
            "hooks = [{ event = \"A\" },{event='B'},OURS]\n",
        ),
        (
            "hooks = [{ event = \"A\" },]\n",
            "hooks = [{ event = \"A\" }, OURS,]\n",
        ),
        (
            "hooks = [\n\t{ event = \"A\" }\n]\n",
            "hooks = [\n\t{ event = \"A\" },\n\tOURS\n]\n",
        ),
        (
            "hooks = [\n  { event = \"A\" }, # why\n]\n",
            "hooks = [\n  { event = \"A\" }, # why\n  OURS,\n]\n",
        ),
        (
            "hooks = [\n  { event = \"A\" } # why\n]\n",
            "hooks = [\n  { event = \"A\" }, # why\n  OURS\n]\n",
        ),
        (
            "hooks = [\n  { event = \"A\" }\n  # end\n]\n",
            "hooks = [\n  { event = \"A\" },\n  OURS\n  # end\n]\n",
        ),
        (
            "hooks = [{ event = \"A\" } # why\n]\n",
            "hooks = [{ event = \"A\" }, # why\n  OURS\n]\n",
        ),
        (
            "hooks = [\n  { event = \"A\" } # why\n  , # comma\n]\n",
            "hooks = [\n  { event = \"A\" } # why\n  , # comma\n  OURS,\n]\n",
        ),
        (
            "hooks = [{ event = \"]#\" }]",
            "hooks = [{ event = \"]#\" }, OURS]",
        ),
        (
            "\"hooks\" = []\n[[tail]]\n",
            "\"hooks\" = [\n  OURS\n]\n[[tail]]\n",
        ),
    ] {
        there_and_back(before, &after.replace("OURS", ours));
    }
}

#[test]
fn events_in_every_spelling() {
    let ours = "{ matcher = \"Bash\", hooks = [{ type = \"command\", command = \"gitvow hook x\", timeout = 30 }] }";
    let block = "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\nhooks = [{ type = \"command\", command = \"gitvow hook x\", timeout = 30 }]\n";
    for (before, after) in [
        (
            "[[hooks.PreToolUse]]\nmatcher = 'a'\n",
            "[[hooks.PreToolUse]]\nmatcher = 'a'\n\nBLOCK",
        ),
        (
            "[[ hooks . \"PreToolUse\" ]]\nmatcher = 'a'\n[z]\n",
            "[[ hooks . \"PreToolUse\" ]]\nmatcher = 'a'\n[z]\n\nBLOCK",
        ),
        ("[hooks]\nStop = []\n", "[hooks]\nStop = []\n\nBLOCK"),
        ("[hooks.state]\nx = 1\n", "[hooks.state]\nx = 1\n\nBLOCK"),
        ("hooks.Stop = []\n", "hooks.Stop = []\n\nBLOCK"),
        (
            "hooks.PreToolUse = [{}]\n",
            "hooks.PreToolUse = [{}, OURS]\n",
        ),
        (
            "[hooks]\nPreToolUse = [\n  {},\n]\n",
            "[hooks]\nPreToolUse = [\n  {},\n  OURS,\n]\n",
        ),
        (
            "[hooks]\n'PreToolUse' = []\n[z]\n",
            "[hooks]\n'PreToolUse' = [\n  OURS\n]\n[z]\n",
        ),
    ] {
        let additions = [add(&["hooks", "PreToolUse"], group("x"))];
        let (text, done) = install(before, &events(), &additions, None);
        assert_eq!(text, after.replace("OURS", ours).replace("BLOCK", block));
        let doc = open(&text, &events());
        let mine = doc
            .elements()
            .into_iter()
            .rfind(|e| e.value == group("x"))
            .unwrap();
        let handlers = doc.handlers(&mine, "hooks");
        assert_eq!(handlers.len(), 1);
        assert_eq!(handlers[0].value, group("x")["hooks"][0]);
        let (back, cut) = uninstall(
            &text,
            &events(),
            &pairs(&additions, &done),
            &done.containers,
        )
        .unwrap();
        assert_eq!(back, before);
        assert!(cut.exact);
    }
}

#[test]
fn what_stands_in_the_way_is_refused() {
    let one = [add(&["hooks"], entry("Stop"))];
    for (text, code) in [
        ("hooks = {}\n", "wrong-kind"),
        ("hooks = 1\n", "wrong-kind"),
        ("[hooks]\n", "wrong-kind"),
        ("hooks.x = 1\n", "wrong-kind"),
        ("[hooks.x]\n", "wrong-kind"),
        ("hooks = []\n[[hooks]]\n", "duplicate-key"),
        ("[[hooks]]\n[[hooks.x]]\n[hooks.x]\n", "duplicate-key"),
        ("a = 1\na = 2\n", "duplicate-key"),
        ("[a]\n[a]\n", "duplicate-key"),
        ("a = {b=1, b=2}\n", "duplicate-key"),
        ("a = 1\rb = 2\n", "unparseable"),
        ("a = \n", "unparseable"),
        ("a = [1 2]\n", "unparseable"),
        ("a = {b = 1,}\n", "unparseable"),
        ("a = {\nb = 1}\n", "unparseable"),
        ("a = \"\\e\"\n", "unparseable"),
        ("a = 1979-13-41\n", "unparseable"),
        ("a = 99999999999999999999\n", "unparseable"),
    ] {
        assert_eq!(refusal(text, &kimi(), &one), code, "{text:?}");
    }
    let event = [add(&["hooks", "PreToolUse"], group("x"))];
    for (text, code) in [
        ("hooks = { Stop = [] }\n", "conflict"),
        ("hooks = { PreToolUse = [] }\n", "conflict"),
        ("hooks = []\n", "wrong-kind"),
        ("[[hooks]]\n", "wrong-kind"),
        ("[hooks]\nPreToolUse = 1\n", "wrong-kind"),
        ("[hooks.PreToolUse]\n", "wrong-kind"),
        ("[hooks]\nPreToolUse = {}\n", "wrong-kind"),
        ("hooks.PreToolUse.x = 1\n", "wrong-kind"),
    ] {
        assert_eq!(refusal(text, &events(), &event), code, "{text:?}");
    }
    let null = [add(&["hooks"], json!({"event": null}))];
    assert_eq!(refusal("", &kimi(), &null), "wrong-kind");
}

#[test]
fn sixteen_mebibytes_are_the_limit_and_named() {
    let text = "#".repeat((16 << 20) + 1);
    let fault = Doc::open(Format::Toml, &text, &[]).unwrap_err();
    assert!(fault.message.contains("16777217"), "{}", fault.message);
}

#[test]
fn deep_nesting_is_an_error() {
    for text in [
        format!("a = {}", "[".repeat(1_000_000)),
        format!("a = {}", "{a=".repeat(300_000)),
        format!("[{}a]", "a.".repeat(300_000)),
        format!("{}a = 1", "a.".repeat(300_000)),
    ] {
        assert!(Doc::open(Format::Toml, &text, &kimi()).is_err());
    }
}

#[test]
fn two_owners_and_a_created_file() {
    let a = [
        add(&["hooks"], entry("Stop")),
        add(&["hooks"], entry("PreToolUse")),
    ];
    let b = [add(&["hooks"], json!({"event": "Other"}))];
    for origin in [
        "",
        "a = 1",
        "hooks = []",
        "hooks = [ # c\n ]\n",
        "hooks = [\n  {event = 'x'} # y\n]\n",
        "hooks = [{event = 'x'},]",
    ] {
        let (one, first) = install(origin, &kimi(), &a, None);
        assert!(!origin.is_empty() || one.ends_with('\n'));
        let (two, second) = install(&one, &kimi(), &b, None);
        for a_first in [true, false] {
            let (x, y) = if a_first {
                (pairs(&a, &first), pairs(&b, &second))
            } else {
                (pairs(&b, &second), pairs(&a, &first))
            };
            let (text, cut) = uninstall(&two, &kimi(), &x, &first.containers).unwrap();
            assert_eq!(cut.kept.len(), first.containers.len());
            let (text, cut) = uninstall(&text, &kimi(), &y, &first.containers).unwrap();
            assert_eq!(text, origin, "a first: {a_first}");
            assert_eq!(cut.gone.len(), first.containers.len());
        }
        let all = [pairs(&a, &first), pairs(&b, &second)].concat();
        assert_eq!(
            uninstall(&two, &kimi(), &all, &first.containers).unwrap().0,
            origin
        );
    }
}

#[test]
fn version_key_is_the_first_line_and_leaves_again() {
    for origin in ["", "# c\n", "\u{feff}", "\n", "  "] {
        let a = [add(&["hooks"], entry("Stop"))];
        let (text, done) = install(origin, &kimi(), &a, Some("version"));
        assert!(
            text.trim_start_matches('\u{feff}')
                .starts_with("version = 1\n")
        );
        assert!(text.ends_with("timeout = 30\n"));
        let doc = open(&text, &kimi());
        let (span, value) = doc.member("version").unwrap();
        assert_eq!((&text[span.clone()], value), ("version = 1", json!(1)));
        let entry = doc.elements()[0].span.clone();
        let cut = doc
            .cut(
                &[
                    CutRequest {
                        span,
                        hang: done.version.clone(),
                    },
                    CutRequest {
                        span: entry,
                        hang: Some(done.hangs[0].clone()),
                    },
                ],
                &[],
            )
            .unwrap();
        assert_eq!(less(&text, &cut), origin);
        assert!(cut.exact);
        let (again, _) = install(&text, &kimi(), &a, Some("version"));
        assert_eq!(again.matches("version").count(), 1);
    }
}

#[test]
fn strings_are_written_so_that_they_read_back() {
    let values = json!({
        "plain": "a b", "quotes": "say \"x\"", "single": "'/home/x y'/gitvow hook", "both": "'\"\\", "lines": "a\nb\tc\r\u{1}\u{7f}é",
        "odd key": -5, "": 1.5, "big": 1e300, "yes": true, "nested": {"empty": {}, "list": [[], {"a.b": "c"}]}
    });
    let additions = [add(&["hooks", "odd event"], values.clone())];
    let (text, _) = install("", &events(), &additions, None);
    assert!(text.starts_with("[[hooks.\"odd event\"]]\n"));
    assert!(text.contains("quotes = 'say \"x\"'\n"));
    assert!(text.contains("single = \"'/home/x y'/gitvow hook\"\n"));
    assert_eq!(open(&text, &events()).elements()[0].value, values);
}

#[test]
fn looked_up_by_path() {
    let text =
        "[hooksConfig]\nenabled = false\ninner = { deep = { x = 1979-05-27 07:32:00Z } }\n[[l]]\n";
    let at = |path: &[&str]| lookup(Format::Toml, text, &keys(path));
    assert_eq!(
        at(&["hooksConfig", "enabled"]),
        Some((text.find("false").unwrap(), json!(false)))
    );
    assert_eq!(
        at(&["hooksConfig", "inner", "deep", "x"]).unwrap().1,
        json!("1979-05-27 07:32:00Z")
    );
    assert_eq!(at(&["l"]).unwrap().1, json!([{}]));
    assert_eq!(at(&["nothing"]), None);
    assert_eq!(lookup(Format::Toml, "a = ", &keys(&["a"])), None);
}

#[test]
fn comma_kinds_are_recorded() {
    for (text, comma) in [
        ("hooks = []", Comma::First),
        ("hooks = [1]", Comma::Before),
        ("hooks = [1 # c\n]", Comma::Apart),
        ("hooks = [1,]", Comma::After),
        ("", Comma::First),
    ] {
        let (_, done) = install(text, &kimi(), &[add(&["hooks"], entry("Stop"))], None);
        assert_eq!(done.hangs[0].comma, comma, "{text}");
    }
}

#[test]
fn a_large_file_is_proven_by_tokens() {
    let mut origin = String::new();
    for n in 0..70_000 {
        origin.push_str(&format!("[t{n}]\nkey = \"value # {n}\" # c\n"));
    }
    assert!(origin.len() > 2 << 20);
    let a = [add(&["hooks"], entry("Stop"))];
    let (text, done) = install(&origin, &kimi(), &a, None);
    let (back, cut) = uninstall(&text, &kimi(), &pairs(&a, &done), &[]).unwrap();
    assert!(back == origin && cut.exact);
}
