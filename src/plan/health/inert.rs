//! Would the agent read and run the entries? What install refuses for, told by doctor. Pure.

use super::codes::{HOOKS_DISABLED, VENDOR_CANNOT_READ};
use super::{Found, Sight};
use crate::doc::Doc;
use crate::plan::inert;
use std::path::Path;

/// Install's way out, which is none here: the entries are written already.
const FORCE: &str = ", or write all the same with `--force`";

/// Reasons in the text of one file, as `doc` read it.
pub(super) fn text(
    sight: &Sight<'_>,
    path: &Path,
    text: &str,
    doc: &Doc<'_>,
    out: &mut Vec<Found>,
) {
    let Some(install) = sight.install() else {
        return;
    };
    let title = sight.title();
    let mut reasons = inert::in_text(title, path, text, doc, &install.reader(), false);
    reasons.extend(inert::entry_keys(title, path, install, text));
    out.extend(reasons.iter().map(found));
}

/// The agent's own switches.
pub(super) fn switches(sight: &Sight<'_>, out: &mut Vec<Found>) {
    let Some(targets) = &sight.of.targets else {
        return;
    };
    let file = targets
        .merge
        .as_ref()
        .map(|m| &m.path)
        .or_else(|| targets.trees.first().map(|t| &t.path))
        .or_else(|| sight.of.records.first().map(|r| &r.path));
    if let Some(file) = file {
        let reasons = inert::switches(sight.title(), file, &targets.switches, sight.world);
        out.extend(reasons.iter().map(found));
    }
}

fn found(reason: &inert::Inert) -> Found {
    let code = if reason.code == "hooks-disabled" {
        HOOKS_DISABLED
    } else {
        VENDOR_CANNOT_READ
    };
    let e = &reason.error;
    let help = e.help.as_deref().unwrap_or_default().replace(FORCE, "");
    let mut out = Found::new(code, e.sentence(), help);
    if let Some(place) = &e.place {
        out.path = Some(place.path.clone());
        out.position = place.position;
    }
    out
}
