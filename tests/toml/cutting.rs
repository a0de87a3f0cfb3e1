//! Taking entries out of edited texts: the counterexamples of facts/engine.md 2.1 by number, and what never goes.

use super::*;

/// Installs one Kimi entry into `origin`, edits the text, cuts.
fn edited(origin: &str, edit: impl Fn(&str) -> String) -> Result<(String, Cut), String> {
    let a = [add(&["hooks"], json!({"event": "Stop", "timeout": 5}))];
    let (text, done) = install(origin, &kimi(), &a, None);
    uninstall(&edit(&text), &kimi(), &pairs(&a, &done), &done.containers)
}

#[test]
fn counterexample_1_newline_conversion() {
    for origin in [
        "a = 1\n",
        "a = 1",
        "hooks = []\n",
        "hooks = [\n  {event='x'}, # c\n]\n",
    ] {
        let (text, _) = edited(origin, |t| t.replace('\n', "\r\n")).unwrap();
        assert_eq!(text, origin.replace('\n', "\r\n"));
        let (text, _) = edited(&origin.replace('\n', "\r\n"), |t| t.replace("\r\n", "\n")).unwrap();
        assert_eq!(text, origin.replace("\r\n", "\n"));
    }
}

#[test]
fn counterexample_3_and_6_separators_of_a_reflowed_line() {
    let (text, cut) = edited("hooks = [{event='x'}]\n", |t| {
        t.replace(", { event = \"Stop\"", ",\n   { event = \"Stop\"")
    })
    .unwrap();
    assert_eq!(text, "hooks = [{event='x'}]\n");
    assert!(!cut.exact);
    let (text, cut) = edited("hooks = [1,2]\n", |t| {
        t.replace(",{ event = \"Stop\"", ",  { event = \"Stop\"")
    })
    .unwrap();
    assert_eq!(text, "hooks = [1,2]\n");
    assert!(!cut.exact);
}

#[test]
fn counterexample_4_a_reflowed_filled_array_is_left_empty() {
    let (text, cut) = edited("hooks = [   ]\n", |_| {
        "hooks = [{ event = \"Stop\", timeout = 5 }]\n".into()
    })
    .unwrap();
    assert_eq!(text, "hooks = []\n");
    assert!(!cut.exact);
    assert_eq!(cut.gone, vec![keys(&["hooks"])]);
}

#[test]
fn counterexample_5_a_comment_between_comma_and_entry() {
    let (text, _) = edited("hooks = [\n  {event='x'} # c\n]\n", |t| {
        t.replace("5 }", "5 },\n  {event='user'}")
    })
    .unwrap();
    assert_eq!(text, "hooks = [\n  {event='x'}, # c\n  {event='user'}\n]\n");
    let (text, _) = edited("hooks = [\n  {event='x'}\n]\n", |t| {
        t.replace("'x'},", "'x'}, # typed")
    })
    .unwrap();
    assert_eq!(text, "hooks = [\n  {event='x'} # typed\n]\n");
}

#[test]
fn counterexample_7_a_section_right_behind_a_block_at_a_missing_newline() {
    let (text, cut) = edited("a = 1", |t| format!("{t}[z]\n")).unwrap();
    assert_eq!(text, "a = 1\n[z]\n");
    assert!(!cut.exact);
    let (text, _) = edited("a = 1 # c", |t| format!("{t}# d\n")).unwrap();
    assert_eq!(text, "a = 1 # c\n# d\n");
    let (text, cut) = edited("a = 1\n", |t| format!("{t}[z]\n")).unwrap();
    assert_eq!(text, "a = 1\n[z]\n");
    assert!(cut.exact);
}

#[test]
fn counterexample_8_a_container_emptied_by_the_user_is_not_ours_to_restore() {
    let a = [add(&["hooks"], entry("Stop"))];
    let (_, done) = install("hooks = [ ]\n", &kimi(), &a, None);
    let text = "hooks = [\n]\n[x]\ny = [1]\n";
    let doc = open(text, &kimi());
    let cut = doc.cut(&[], &done.containers).unwrap();
    assert!(cut.ranges.is_empty() && cut.gone.is_empty() && cut.kept.is_empty());
}

#[test]
fn a_users_comment_behind_a_block_stays() {
    let (text, cut) = edited("a = 1\n", |t| format!("{t}# mine\n\n[z] # z\n")).unwrap();
    assert_eq!(text, "a = 1\n# mine\n\n[z] # z\n");
    assert!(cut.exact);
    let (text, _) = edited("a = 1\n", |t| format!("{t}\n[[hooks]]\nevent = 'user'\n")).unwrap();
    assert_eq!(text, "a = 1\n\n[[hooks]]\nevent = 'user'\n");
}

#[test]
fn a_comment_inside_an_entry_is_seen_and_goes_only_with_it() {
    for typed in ["event = \"Stop\" # why\n", "event = \"Stop\"\n# why\n"] {
        let text = format!("a = 1\n\n{}", BLOCK.replace("event = \"Stop\"\n", typed));
        let doc = open(&text, &kimi());
        let element = &doc.elements()[0];
        assert!(element.comments);
        let request = CutRequest {
            span: element.span.clone(),
            hang: None,
        };
        assert_eq!(less(&text, &doc.cut(&[request], &[]).unwrap()), "a = 1\n");
        let splice = doc.replace(element, &json!({"event": "x"})).unwrap();
        assert_eq!(
            apply(&text, &[splice]),
            "a = 1\n\n[[hooks]]\nevent = \"x\"\n"
        );
    }
    let text = "[[hooks]] # head\nevent = 'x' # end\n# not inside\n";
    let element = &open(text, &kimi()).elements()[0];
    assert_eq!(
        &text[element.span.clone()],
        "[[hooks]] # head\nevent = 'x' # end"
    );
    assert!(element.comments);
    let plain = "[[hooks]]\nevent = 'x'\n# not inside\n";
    assert!(!open(plain, &kimi()).elements()[0].comments);
}

#[test]
fn a_block_with_sub_tables_is_one_element() {
    let text = "[[hooks]]\nevent = 'x'\n[hooks.env]\nA = 1\n[[hooks.list]]\nb = 2\n\n[z]\nk = 1\n[[hooks]]\nevent = 'y'\n";
    let doc = open(text, &kimi());
    let elements = doc.elements();
    assert_eq!(
        elements[0].value,
        json!({"event": "x", "env": {"A": 1}, "list": [{"b": 2}]})
    );
    assert!(text[elements[0].span.clone()].ends_with("b = 2"));
    assert_eq!(
        (elements[0].behind, elements[1].behind, elements[1].index),
        (1, 0, 1)
    );
    let cut = doc
        .cut(
            &[CutRequest {
                span: elements[0].span.clone(),
                hang: None,
            }],
            &[],
        )
        .unwrap();
    assert_eq!(less(text, &cut), "\n[z]\nk = 1\n[[hooks]]\nevent = 'y'\n");
    let handler = &doc.handlers(&elements[0], "list")[0];
    let cut = doc
        .cut(
            &[CutRequest {
                span: handler.span.clone(),
                hang: None,
            }],
            &[],
        )
        .unwrap();
    assert!(!less(text, &cut).contains("hooks.list"));
}

#[test]
fn an_element_in_two_pieces_is_not_cut() {
    let text = "[[hooks]]\nevent = 'x'\n[z]\n[hooks.env]\nA = 1\n";
    // Above 1 MiB no trees are compared; it must be seen there too.
    let large = format!("[[hooks]]\n{}{text}", "# padding\n".repeat(110_000));
    for text in [text, &large] {
        let doc = open(text, &kimi());
        let element = doc.elements().pop().unwrap();
        assert_eq!(element.value, json!({"event": "x", "env": {"A": 1}}));
        let request = CutRequest {
            span: element.span,
            hang: None,
        };
        let fault = doc.cut(&[request], &[]).unwrap_err();
        assert_eq!(fault.code, "unproven");
    }
}

#[test]
fn one_handler_leaves_a_group() {
    for (text, left) in [
        (
            "[[hooks.Pre]]\nhooks = [{ c = 1 }, { c = 2 }] # k\n",
            "[[hooks.Pre]]\nhooks = [{ c = 1 }] # k\n",
        ),
        (
            "[hooks]\nPre = [{ hooks = [{ c = 1 }, { c = 2 }] }]\n",
            "[hooks]\nPre = [{ hooks = [{ c = 1 }] }]\n",
        ),
        (
            "[[hooks.Pre]]\n[[hooks.Pre.hooks]]\nc = 1\n\n[[hooks.Pre.hooks]]\nc = 2\n",
            "[[hooks.Pre]]\n[[hooks.Pre.hooks]]\nc = 1\n",
        ),
    ] {
        let doc = open(text, &events());
        let handlers = doc.handlers(&doc.elements()[0], "hooks");
        assert_eq!(handlers.len(), 2, "{text}");
        assert_eq!(handlers[1].value, json!({"c": 2}));
        let cut = doc
            .cut(
                &[CutRequest {
                    span: handlers[1].span.clone(),
                    hang: None,
                }],
                &[],
            )
            .unwrap();
        assert_eq!(less(text, &cut), left);
    }
}

#[test]
fn replaced_in_its_place() {
    for (text, after) in [
        (
            "[[ hooks ]]\nevent = 'a'\nx = 1\n\n[z]\n",
            "[[ hooks ]]\nevent = \"new\"\n\n[z]\n",
        ),
        (
            "[[hooks]]\r\nevent = 'a'\r\n[hooks.env]\r\nx = 1\r\n",
            "[[hooks]]\r\nevent = \"new\"\r\n",
        ),
        (
            "hooks = [ {event = 'a'} , {event='b'}]\n",
            "hooks = [ { event = \"new\" } , {event='b'}]\n",
        ),
    ] {
        let doc = open(text, &kimi());
        let splice = doc
            .replace(&doc.elements()[0], &json!({"event": "new"}))
            .unwrap();
        assert_eq!(apply(text, &[splice]), after);
    }
}
