//! Properties over generated text. `GITVOW_CASES` sets the number of cases a property (256); `docs/reliability.md` says 20000.

use super::toml_text::{Gen, Lists, Sample, tree};
use super::*;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

/// Seeds that failed once.
const REGRESSIONS: [u64; 1] = [14278872360271026111];

#[allow(clippy::disallowed_methods)]
fn cases() -> u32 {
    let given = std::env::var_os("GITVOW_CASES").and_then(|n| n.to_str()?.parse().ok());
    given.unwrap_or(256)
}

/// Runs a property for both kinds of root on many seeds; a failure names its seed.
fn holds(property: impl Fn(&mut Gen, &World) -> Result<(), String>) {
    let run = |seed: u64| {
        let world = World::of(seed.is_multiple_of(2));
        property(&mut Gen::new(seed), &world)
            .map_err(|e| TestCaseError::fail(format!("seed {seed}: {e}")))
    };
    for seed in REGRESSIONS {
        run(seed).unwrap();
    }
    let config = Config {
        cases: cases(),
        max_shrink_iters: 0,
        failure_persistence: None,
        ..Config::default()
    };
    let done = TestRunner::new(config).run(&any::<u64>(), run);
    done.unwrap();
}

/// A root, its list, and entries for three owners.
struct World {
    roots: Vec<Root>,
    path: Vec<&'static str>,
    event: Option<&'static str>,
}

impl World {
    fn of(list: bool) -> Self {
        if list {
            Self {
                roots: kimi(),
                path: vec!["hooks"],
                event: None,
            }
        } else {
            Self {
                roots: events(),
                path: vec!["hooks", "PreToolUse"],
                event: Some("PreToolUse"),
            }
        }
    }

    fn additions(&self, owner: usize, count: usize) -> Vec<Addition> {
        let value = |n: usize| match self.event {
            None => entry(&format!("E{owner}{n}")),
            Some(_) => group(&format!("g{owner}{n}")),
        };
        (0..count).map(|n| add(&self.path, value(n))).collect()
    }
}

/// One owner's installation.
struct Owned {
    pairs: Vec<(Addition, Hang)>,
    containers: Vec<Container>,
}

fn put(
    world: &World,
    text: &str,
    owner: usize,
    count: usize,
) -> Result<(String, Owned, Insertion), String> {
    let additions = world.additions(owner, count);
    let doc =
        Doc::open(Format::Toml, text, &world.roots).map_err(|f| format!("{f:?} in {text:?}"))?;
    let done = doc
        .insert(&additions, None)
        .map_err(|f| format!("{f:?} in {text:?}"))?;
    let owned = Owned {
        pairs: pairs(&additions, &done),
        containers: done.containers.clone(),
    };
    Ok((apply(text, &done.splices), owned, done))
}

fn take(
    world: &World,
    text: &str,
    owned: &Owned,
    containers: &[Container],
) -> Result<(String, Cut), String> {
    uninstall(text, &world.roots, &owned.pairs, containers).map_err(|e| format!("{e} in {text:?}"))
}

fn equal(found: &str, due: &str) -> Result<(), String> {
    if found == due {
        Ok(())
    } else {
        Err(format!("\n found {found:?}\n   due {due:?}"))
    }
}

fn ensure(right: bool, what: &str) -> Result<(), String> {
    if right { Ok(()) } else { Err(what.to_owned()) }
}

#[test]
fn cutting_undoes_inserting() {
    holds(|g, world| {
        let origin = g.document(world.event).text;
        let count = 1 + g.below(3);
        let (text, owned, done) = put(world, &origin, 0, count)?;
        let doc = open(&text, &world.roots);
        for (addition, bytes) in owned.pairs.iter().zip(&done.texts) {
            let found = doc
                .elements()
                .into_iter()
                .rfind(|e| e.value == addition.0.value);
            ensure(
                found.is_some_and(|e| text[e.span] == *bytes),
                "bytes not as told",
            )?;
        }
        let (back, cut) = take(world, &text, &owned, &owned.containers)?;
        equal(&back, &origin)?;
        ensure(cut.exact, "not exact")?;
        ensure(
            cut.gone.len() == owned.containers.len(),
            "container not gone",
        )
    });
}

#[test]
fn owners_come_and_go_in_any_order() {
    holds(|g, world| {
        let origin = g.document(world.event).text;
        let mut text = origin.clone();
        let mut owners: Vec<(usize, Owned)> = Vec::new();
        let mut containers: Vec<Container> = Vec::new();
        for owner in 0..6 {
            if g.one_in(3) && !owners.is_empty() {
                let at = g.below(owners.len());
                let (_, owned) = owners.swap_remove(at);
                let cut = take(world, &text, &owned, &containers)?;
                containers.retain(|c| !cut.1.gone.contains(&c.path));
                text = cut.0;
            }
            let count = 1 + g.below(2);
            let (next, owned, _) = put(world, &text, owner, count)?;
            containers.extend(owned.containers.iter().cloned());
            owners.push((owner, owned));
            text = next;
        }
        while !owners.is_empty() {
            let at = g.below(owners.len());
            let (_, owned) = owners.swap_remove(at);
            let cut = take(world, &text, &owned, &containers)?;
            containers.retain(|c| !cut.1.gone.contains(&c.path));
            text = cut.0;
        }
        equal(&text, &origin)
    });
}

#[test]
fn an_edit_elsewhere_stays_to_the_byte() {
    holds(|g, world| {
        let sample = g.document(world.event);
        let origin = &sample.text;
        let (text, owned, done) = put(world, origin, 0, 1)?;
        let nl = sample.newline;
        let typed = match g.below(3) {
            0 => format!("# typed [[hooks]]{nl}"),
            1 => format!("typed = '[[hooks]]' # typed{nl}"),
            _ => format!("{nl}\t{nl}"),
        };
        if sample.gaps.is_empty() {
            return Ok(());
        }
        let at = g.pick(&sample.gaps);
        let shift: usize = done
            .splices
            .iter()
            .filter(|s| s.range.start < at)
            .map(|s| s.text.len())
            .sum();
        let edit = |text: &str, at: usize| format!("{}{typed}{}", &text[..at], &text[at..]);
        let due = edit(origin, at);
        if tree(&due).is_err() {
            return Ok(());
        }
        let (back, cut) = take(world, &edit(&text, at + shift), &owned, &owned.containers)?;
        equal(&back, &due)?;
        ensure(cut.exact, "not exact")
    });
}

/// Where the original ends without a newline, the one that ours put there stays in front of what is typed behind.
fn ended(sample: &Sample) -> String {
    let text = &sample.text;
    let body = text.trim_start_matches('\u{feff}');
    let whole = body.is_empty() || body.ends_with('\n') || sample.lists == Lists::Array;
    format!("{text}{}", if whole { "" } else { sample_newline(sample) })
}

fn sample_newline(sample: &Sample) -> &'static str {
    gitvow::doc::text::newline(&sample.text)
}

#[test]
fn what_is_appended_stays_to_the_byte() {
    holds(|g, world| {
        let sample = g.document(world.event);
        let (text, owned, _) = put(world, &sample.text, 0, 1)?;
        let nl = sample.newline;
        let appended = match g.below(4) {
            0 => format!("[zz]{nl}q = 1"),
            1 => format!("# typed{nl}"),
            2 => format!("[[zz.y]]{nl}# typed{nl}"),
            _ if sample.lists != Lists::Array => {
                format!("[[{}]]{nl}event = 'mine'{nl}", world.path.join("."))
            }
            _ => nl.to_owned(),
        };
        if sample.lists == Lists::Array && !sample.text.ends_with('\n') {
            return Ok(());
        }
        let (back, _) = take(
            world,
            &format!("{text}{appended}"),
            &owned,
            &owned.containers,
        )?;
        equal(&back, &format!("{}{appended}", ended(&sample)))?;
        let blank_line = format!("{text}{nl}{appended}");
        let (back, cut) = take(world, &blank_line, &owned, &owned.containers)?;
        equal(&back, &format!("{}{nl}{appended}", sample.text))?;
        ensure(cut.exact, "not exact")
    });
}

#[test]
fn converting_newlines_commutes() {
    let lf = |text: &str| text.replace("\r\n", "\n");
    let crlf = |text: &str| lf(text).replace('\n', "\r\n");
    holds(|g, world| {
        let origin = g.document(world.event).text;
        let (text, owned, _) = put(world, &origin, 0, 2)?;
        for convert in [&lf as &dyn Fn(&str) -> String, &crlf] {
            let (back, cut) = take(world, &convert(&text), &owned, &owned.containers)?;
            equal(&back, &convert(&origin))?;
            ensure(cut.exact, "not exact")?;
        }
        Ok(())
    });
}

#[test]
fn nothing_of_ours_is_left_after_a_reprint() {
    holds(|g, world| {
        let origin = g.document(world.event).text;
        let (text, owned, _) = put(world, &origin, 0, 2)?;
        let mut printed: toml_edit::DocumentMut = text.parse().map_err(|e| format!("{e}"))?;
        if g.one_in(2) {
            // A vendor's rewrite: from data, comments and layout lost.
            for (_, item) in printed.as_table_mut().iter_mut() {
                if let Some(value) = item.as_value_mut() {
                    strip(value);
                }
            }
        }
        let printed = printed.to_string();
        let (back, _) = take(world, &printed, &owned, &owned.containers)?;
        ensure(tree(&back)? == tree(&origin)?, "another tree")?;
        ensure(!back.contains("gitvow"), "something of ours is left")
    });
}

fn strip(value: &mut toml_edit::Value) {
    if let toml_edit::Value::Array(items) = value {
        items.set_trailing("");
        items.set_trailing_comma(false);
        items.fmt();
        items.iter_mut().for_each(strip);
    }
    if let toml_edit::Value::InlineTable(table) = value {
        table.fmt();
    }
}

/// Everything a reader can be asked; nothing may panic, and what is done must be sound.
fn prod(text: &str, world: &World) -> Result<(), String> {
    let whole = lookup(Format::Toml, text, &[]);
    let strict = tree(text);
    let doc = match Doc::open(Format::Toml, text, &world.roots) {
        Ok(doc) => doc,
        Err(fault) => {
            ensure(
                fault.code != "unproven",
                &format!("the readers disagree: {text:?}"),
            )?;
            let known = fault.message.contains("TOML 1.1");
            return ensure(known || strict.is_err(), &format!("{fault:?} for {text:?}"));
        }
    };
    ensure(
        strict.is_ok() && whole.is_some(),
        &format!("toml_edit refuses {text:?}: {strict:?}"),
    )?;
    doc.member("k-1");
    let elements = doc.elements();
    for element in &elements {
        doc.handlers(element, "hooks");
        let request = CutRequest {
            span: element.span.clone(),
            hang: None,
        };
        if let Ok(cut) = doc.cut(&[request], &[]) {
            ensure(tree(&less(text, &cut)).is_ok(), "a cut broke it")?;
        }
        if let Ok(splice) = doc.replace(element, &entry("New")) {
            ensure(
                tree(&apply(text, &[splice])).is_ok(),
                "a replacement broke it",
            )?;
        }
    }
    if let Ok(done) = doc.insert(&world.additions(0, 2), Some("version")) {
        ensure(
            tree(&apply(text, &done.splices)).is_ok(),
            "an insertion broke it",
        )?;
    }
    Ok(())
}

#[test]
fn damaged_text_is_refused_or_read_as_toml_edit_reads_it() {
    holds(|g, world| {
        let mut text: Vec<char> = g.document(world.event).text.chars().collect();
        for _ in 0..=g.below(3) {
            let at = g.below(text.len() + 1);
            let c = g.pick(&[
                '[', ']', '{', '}', '"', '\'', '\\', '#', ',', '=', '.', '\n', '\r', ' ', 'h', '1',
                '\u{feff}', 'é', '\0',
            ]);
            match g.below(3) {
                0 => text.insert(at, c),
                1 if at < text.len() => text[at] = c,
                _ if at < text.len() => {
                    text.remove(at);
                }
                _ => {}
            }
        }
        prod(&text.into_iter().collect::<String>(), world)
    });
}

#[test]
fn arbitrary_text_never_panics() {
    const PIECES: [&str; 24] = [
        "hooks",
        ".",
        "PreToolUse",
        "[",
        "]",
        "[[",
        "]]",
        "=",
        "{",
        "}",
        ",",
        "\n",
        "\r\n",
        "\r",
        "#",
        "\"",
        "'",
        "\"\"\"",
        "'''",
        "1",
        " ",
        "\\",
        "a",
        "\u{feff}",
    ];
    holds(|g, world| {
        let text: String = (0..g.below(40)).map(|_| g.pick(&PIECES)).collect();
        prod(&text, world)
    });
    let mut runner = TestRunner::new(Config {
        cases: cases(),
        failure_persistence: None,
        ..Config::default()
    });
    let done = runner.run(&any::<String>(), |text| {
        prod(&text, &World::of(true)).map_err(TestCaseError::fail)
    });
    done.unwrap();
}
