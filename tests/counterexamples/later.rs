//! What comes later: entries that were kept, files that went, containers that others use, older gitvows' entries.

use crate::common::engine::{File, owner};
use crate::own::{BASE, OURS, codes, installed, wishes, with};
use gitvow::spec::Format;

#[test]
fn a_container_we_made_stays_for_what_the_user_put_into_it() {
    let cases = [
        // Another event of theirs.
        (
            r#""hooks": {"#,
            r#""hooks": {"Mine": [1], "#,
            r#"{"a": 1,"hooks": {"Mine": [1]}}"#,
        ),
        // An element of theirs in our list, behind and before ours.
        (
            r#"}]}]}}"#,
            r#"}]}, 7]}}"#,
            r#"{"a": 1,"hooks": {"PreToolUse": [7]}}"#,
        ),
        (
            r#""PreToolUse": [{"#,
            r#""PreToolUse": [7, {"#,
            r#"{"a": 1,"hooks": {"PreToolUse": [7]}}"#,
        ),
    ];
    for (from, to, want) in cases {
        let mut file = File::new(Format::Jsonc, Some(r#"{"a": 1}"#));
        file.put(&wishes(), false, false).unwrap();
        assert!(file.str().contains(from), "{from}\n{}", file.str());
        file.text = Some(file.str().replacen(from, to, 1));
        file.take(&owner("claude"), None, false).unwrap();
        let squeezed = |s: &str| s.replace(", ", ",").replace("[ ", "[");
        assert_eq!(squeezed(file.str()), squeezed(want));
        assert!(file.record.is_none());
    }
}

#[test]
fn what_was_kept_comes_back_when_the_user_undoes_the_edit() {
    let wish = wishes();
    let mut file = installed();
    file.text = Some(with(&OURS.replace("30", "90")));
    file.take(&owner("claude"), Some(&wish), false).unwrap();
    file.text = Some(with(OURS));
    file.put(&wish, false, false).unwrap();
    file.take(&owner("claude"), Some(&wish), false).unwrap();
    assert_eq!(file.str(), BASE);
    assert!(file.record.is_none());
}

#[test]
fn what_was_kept_is_forgotten_once_the_user_deleted_it() {
    let wish = wishes();
    let mut file = installed();
    file.text = Some(with(&OURS.replace("30", "90")));
    file.take(&owner("claude"), Some(&wish), false).unwrap();
    file.text = Some(BASE.to_owned());
    let out = file.take(&owner("claude"), Some(&wish), false).unwrap();
    assert!(file.record.is_none() && !out.unfinished);
    assert_eq!(file.str(), BASE);
}

#[test]
fn another_owner_comes_and_goes_around_a_kept_entry() {
    let wish = wishes();
    let mut file = installed();
    let edited = with(&OURS.replace("30", "90"));
    file.text = Some(edited.clone());
    let other = crate::common::engine::wish("qwen", 0);
    file.put(&other, false, false).unwrap();
    file.take(&owner("claude"), Some(&wish), false).unwrap();
    file.take(&owner("qwen"), Some(&other), false).unwrap();
    assert_eq!(file.str(), edited);
    let out = file.take(&owner("claude"), Some(&wish), false).unwrap();
    assert!(out.unfinished, "named each time");
    file.take(&owner("claude"), Some(&wish), true).unwrap();
    assert_eq!(file.str(), BASE);
    assert!(file.record.is_none());
}

#[test]
fn adopt_takes_an_older_gitvows_handler_in_and_uninstall_leaves_the_file_without_it() {
    let old = r#"{"matcher":"*","hooks":[{"command":"/old/gitvow hook PreToolUse"}]}"#;
    let wish = wishes();
    let mut file = File::new(Format::Jsonc, Some(&with(old)));
    let out = file.put(&wish, false, true).unwrap();
    assert_eq!(codes(&out), ["adopted"]);
    assert_eq!(file.str(), with(OURS));
    file.take(&owner("claude"), Some(&wish), false).unwrap();
    assert_eq!(file.str(), BASE);
    // In a group with somebody's handler only the old handler goes.
    let mixed = r#"{"matcher":"*","hooks":[{"command":"/u/own.sh"},{"command":"/old/gitvow hook PreToolUse"}]}"#;
    let theirs = r#"{"matcher":"*","hooks":[{"command":"/u/own.sh"}]}"#;
    let mut file = File::new(Format::Jsonc, Some(&with(mixed)));
    file.put(&wish, false, true).unwrap();
    assert_eq!(file.str(), with(&format!("{theirs},{OURS}")));
    file.take(&owner("claude"), Some(&wish), false).unwrap();
    assert_eq!(file.str(), with(theirs));
    // Without --adopt it is named and left.
    let mut file = File::new(Format::Jsonc, Some(&with(old)));
    let out = file.put(&wish, false, false).unwrap();
    assert_eq!(codes(&out), ["unrecorded-entry"]);
    file.take(&owner("claude"), Some(&wish), false).unwrap();
    assert_eq!(file.str(), with(old));
}

#[test]
fn a_file_that_went_missing_is_made_anew_and_removed_again() {
    let wish = wishes();
    let mut file = installed();
    file.text = None;
    file.shadow = None;
    file.put(&wish, false, false).unwrap();
    assert!(file.str().contains("gitvow hook"));
    let out = file.take(&owner("claude"), Some(&wish), false).unwrap();
    assert!(out.remove && file.text.is_none());
    let mut file = installed();
    file.text = None;
    let out = file.take(&owner("claude"), Some(&wish), false).unwrap();
    assert_eq!(codes(&out), ["file-missing"]);
    assert!(file.record.is_none() && !out.remove && out.splices.is_empty());
}

#[test]
fn what_is_recorded_anew_after_a_lost_ledger_goes_at_uninstall() {
    let mut file = installed();
    let text = file.str().to_owned();
    file.record = None;
    file.shadow = Some(text.clone());
    file.put(&wishes(), false, false).unwrap();
    assert_eq!(file.str(), text, "recorded, not written");
    assert!(file.record.is_some());
    let out = file.take(&owner("claude"), Some(&wishes()), false).unwrap();
    assert_eq!(file.str(), BASE);
    assert!(file.record.is_none() && !out.unfinished);
}
