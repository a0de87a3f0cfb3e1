//! Toml (in work).

use super::{
    Addition, Container, Cut, CutRequest, Element, Extras, Fault, Insertion, Root, Splice,
};
use serde_json::Value;
use std::ops::Range;

/// A document.
#[derive(Debug)]
pub struct TomlDoc<'a> {
    text: &'a str,
}

#[allow(missing_docs, clippy::unused_self)]
impl<'a> TomlDoc<'a> {
    pub fn open(text: &'a str, _roots: &[Root]) -> Result<Self, Fault> {
        Err(Fault::whole(
            "unsupported",
            format!("not built yet ({} bytes)", Self { text }.text.len()),
        ))
    }
    pub fn elements(&self) -> Vec<Element> {
        Vec::new()
    }
    pub fn handlers(&self, _element: &Element, _key: &str) -> Vec<Element> {
        Vec::new()
    }
    pub fn member(&self, _key: &str) -> Option<(Range<usize>, Value)> {
        None
    }
    pub fn insert(&self, _a: &[Addition], _version: Option<&str>) -> Result<Insertion, Fault> {
        Err(Fault::whole("unsupported", "not built yet"))
    }
    pub fn cut(&self, _r: &[CutRequest], _c: &[Container]) -> Result<Cut, Fault> {
        Err(Fault::whole("unsupported", "not built yet"))
    }
    pub fn replace(&self, _e: &Element, _v: &Value) -> Result<Splice, Fault> {
        Err(Fault::whole("unsupported", "not built yet"))
    }
    pub fn extras(&self) -> Extras {
        Extras::default()
    }
}

#[allow(missing_docs)]
pub fn lookup(_text: &str, _path: &[String]) -> Option<(usize, Value)> {
    None
}
