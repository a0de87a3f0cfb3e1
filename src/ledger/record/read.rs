//! How records are read: every field by its name, in one pass. May not be lenient: what a kind needs and hasn't is an
//! error.
//!
//! `#[serde(flatten)]`, which writes them, would read each record three times over: into a buffer, from there into
//! the part, and each value in it once more (2.0 of the 2.8 million instructions that eleven agents' records cost).

use super::{Adapter, Body, Hang, Launcher, Merge, Origin, Owner, Print, State, VersionKey};
use crate::doc::Container;
use crate::doc::layout::Layout;
use crate::spec::{Format, Scope};
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Merge,
    Tree,
}

/// The fields of both kinds.
#[derive(Deserialize)]
pub(super) struct Record {
    schema: u32,
    path: PathBuf,
    real: PathBuf,
    #[serde(default)]
    dirs: Vec<PathBuf>,
    gitvow: String,
    kind: Kind,
    format: Option<Format>,
    origin: Option<Origin>,
    after: Option<Print>,
    inserted: Option<Vec<(u64, u64)>>,
    owners: Option<Vec<super::OwnerState>>,
    entries: Option<Vec<super::Entry>>,
    containers: Option<Vec<Container>>,
    version: Option<VersionKey>,
    layout: Option<Layout>,
    print: Option<Print>,
    mode: Option<u32>,
    owner: Option<Owner>,
    json: Option<String>,
    adapter: Option<Adapter>,
    #[serde(default)]
    block: bool,
    launcher: Option<Launcher>,
    #[serde(default)]
    state: State,
}

impl TryFrom<Record> for super::Record {
    type Error = String;

    fn try_from(r: Record) -> Result<Self, String> {
        fn need<T>(field: Option<T>, name: &str) -> Result<T, String> {
            field.ok_or_else(|| format!("missing field `{name}`"))
        }
        let body = match r.kind {
            Kind::Merge => Body::Merge(Merge {
                format: need(r.format, "format")?,
                origin: need(r.origin, "origin")?,
                after: need(r.after, "after")?,
                inserted: need(r.inserted, "inserted")?,
                owners: need(r.owners, "owners")?,
                entries: need(r.entries, "entries")?,
                containers: need(r.containers, "containers")?,
                version: r.version,
                layout: r.layout,
            }),
            Kind::Tree => Body::Tree(super::TreeFile {
                print: need(r.print, "print")?,
                mode: need(r.mode, "mode")?,
                owner: r.owner,
                json: r.json,
                adapter: r.adapter,
                block: r.block,
                launcher: r.launcher,
                state: r.state,
            }),
        };
        Ok(Self {
            schema: r.schema,
            path: r.path,
            real: r.real,
            dirs: r.dirs,
            gitvow: r.gitvow,
            body,
        })
    }
}

#[derive(Deserialize)]
pub(super) struct OwnerState {
    agent: String,
    scope: Scope,
    root: Vec<String>,
    #[serde(default)]
    list: bool,
    #[serde(default)]
    block: bool,
    adapter: Option<Adapter>,
}

impl From<OwnerState> for super::OwnerState {
    fn from(o: OwnerState) -> Self {
        Self {
            owner: Owner {
                agent: o.agent,
                scope: o.scope,
            },
            root: o.root,
            list: o.list,
            block: o.block,
            adapter: o.adapter,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Entry {
    agent: String,
    scope: Scope,
    path: Vec<String>,
    value: Value,
    text: String,
    hang: Hang,
    #[serde(default)]
    state: State,
}

impl From<Entry> for super::Entry {
    fn from(e: Entry) -> Self {
        Self {
            owner: Owner {
                agent: e.agent,
                scope: e.scope,
            },
            path: e.path,
            value: e.value,
            text: e.text,
            hang: e.hang,
            state: e.state,
        }
    }
}
