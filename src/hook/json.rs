//! A JSON value that borrows from its text. May not read anything; nesting is bounded by the parser (128).
//!
//! The payload and the policy are both read into it: strings without escapes are not copied (spec 4.6).

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// A JSON value; strings point into the text where they can.
#[derive(Debug, Clone, PartialEq)]
pub enum Json<'a> {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// Any number; its value as text isn't needed here.
    Number(f64),
    /// A string.
    String(Cow<'a, str>),
    /// A list.
    Array(Vec<Json<'a>>),
    /// Members in their order, duplicates included.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'a> Json<'a> {
    /// Parses exactly one value; the error is the parser's own sentence (line and column).
    pub fn parse(text: &'a [u8]) -> Result<Self, String> {
        serde_json::from_slice(text).map_err(|e| e.to_string())
    }

    /// A member of an object. Of duplicates the last one counts, as in the vendors' `JSON.parse`.
    pub fn get(&self, key: &str) -> Option<&Json<'a>> {
        match self {
            Self::Object(members) => members
                .iter()
                .rev()
                .find_map(|(k, v)| (k == key).then_some(v)),
            _ => None,
        }
    }

    /// A value at a dotted path; a number names a list's item (`workspace_roots.0`).
    pub fn at(&self, path: &str) -> Option<&Json<'a>> {
        path.split('.').try_fold(self, |at, part| match at {
            Self::Array(items) => items.get(part.parse::<usize>().ok()?),
            _ => at.get(part),
        })
    }

    /// The text of a string.
    pub fn str(&self) -> Option<&str> {
        match self {
            Self::String(s) => Some(s),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn items(&self) -> Option<&[Json<'a>]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Is it an object?
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// What kind of value it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Json<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }
            fn visit_unit<E>(self) -> Result<Json<'de>, E> {
                Ok(Json::Null)
            }
            fn visit_bool<E>(self, v: bool) -> Result<Json<'de>, E> {
                Ok(Json::Bool(v))
            }
            #[allow(
                clippy::cast_precision_loss,
                reason = "only its being a number matters"
            )]
            fn visit_u64<E>(self, v: u64) -> Result<Json<'de>, E> {
                Ok(Json::Number(v as f64))
            }
            #[allow(
                clippy::cast_precision_loss,
                reason = "only its being a number matters"
            )]
            fn visit_i64<E>(self, v: i64) -> Result<Json<'de>, E> {
                Ok(Json::Number(v as f64))
            }
            fn visit_f64<E>(self, v: f64) -> Result<Json<'de>, E> {
                Ok(Json::Number(v))
            }
            fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Json<'de>, E> {
                Ok(Json::String(Cow::Borrowed(v)))
            }
            fn visit_str<E>(self, v: &str) -> Result<Json<'de>, E> {
                Ok(Json::String(Cow::Owned(v.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json<'de>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Json::Array(items))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Key(key), value)) = map.next_entry()? {
                    members.push((key, value));
                }
                Ok(Json::Object(members))
            }
        }
        deserializer.deserialize_any(Read)
    }
}

/// Keys, and values that haven't been read.
pub type Members<'a> = Vec<(Cow<'a, str>, &'a RawValue)>;

/// The members of an object with their values unread, duplicates included; `None` for any other value.
pub fn members(text: &[u8]) -> Result<Option<Members<'_>>, String> {
    struct Read;
    impl<'de> Visitor<'de> for Read {
        type Value = Members<'de>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some((Key(key), value)) = map.next_entry()? {
                members.push((key, value));
            }
            Ok(members)
        }
    }
    let mut from = serde_json::Deserializer::from_slice(text);
    let read = from
        .deserialize_map(Read)
        .and_then(|m| from.end().map(|()| m));
    match read {
        Ok(members) => Ok(Some(members)),
        // Another kind of value is no fault of the text.
        Err(e) => Json::parse(text).map_or(Err(e.to_string()), |_| Ok(None)),
    }
}

/// An object's key, borrowed where it can be.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(v)))
            }
            fn visit_str<E>(self, v: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(v.to_owned())))
            }
        }
        deserializer.deserialize_str(Read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_duplicate_counts_and_paths_walk_lists() {
        let json = Json::parse(br#"{"a":"1","b":[{"c":"x"}],"a":"2"}"#).unwrap();
        assert_eq!(json.get("a").and_then(Json::str), Some("2"));
        assert_eq!(json.at("b.0.c").and_then(Json::str), Some("x"));
        assert!(json.at("b.1.c").is_none());
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_a_crash() {
        assert!(Json::parse("[".repeat(100_000).as_bytes()).is_err());
    }
}
