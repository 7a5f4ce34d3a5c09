//! The record of layouts that travels with the arrays.
//!
//! One JSON object, the same wherever it is kept:
//!
//! ```json
//! {"version":1,"layouts":{"w":{"layout":"bf16[30,300]{1,0:T(8,128)(2,1)}","pad":"0"}}}
//! ```
//!
//! A safetensors file holds it as the text of `__metadata__["tilewright"]`; a .npy or raw file has
//! it in a side file. `layout` and `pad` are kept as they are; only the version is understood. Every
//! key is required and said once, and there are no others: a record with more to say has another
//! version.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use crate::error::Fault;
use crate::info::{ArrayInfo, StoredLayout};
use crate::json::{UniqueMap, duplicate, object, quoted, shortened};

/// The key of the record in a safetensors file's `__metadata__`.
pub(crate) const KEY: &str = "tilewright";

/// The version that is read and written.
const VERSION: u64 = 1;

/// Layouts by the name of their array.
pub(crate) type Layouts = BTreeMap<String, StoredLayout>;

/// Reads a record.
pub(crate) fn parse(text: &[u8]) -> Result<Layouts, Fault> {
    let Versioned(version) = serde_json::from_slice(text).map_err(|error| malformed(&error))?;
    if version != VERSION {
        return Err(Fault::unsupported(format!(
            "the layout record has version {version}, and only version {VERSION} is known"
        ))
        .help("a newer release may read it; without its layouts the file can still be opened"));
    }
    let Record(layouts) = serde_json::from_slice(text).map_err(|error| malformed(&error))?;
    Ok(layouts)
}

/// Writes the record of these arrays, or nothing where none has a layout.
pub(crate) fn write<'a>(arrays: impl IntoIterator<Item = &'a ArrayInfo>) -> Option<String> {
    let layouts: BTreeMap<&str, &StoredLayout> =
        arrays.into_iter().filter_map(|array| Some((array.name(), array.layout()?))).collect();
    if layouts.is_empty() {
        return None;
    }
    let layouts = object(layouts.into_iter().map(|(name, layout)| (name, write_layout(layout))));
    Some(format!("{{\"version\":{VERSION},\"layouts\":{layouts}}}"))
}

fn write_layout(layout: &StoredLayout) -> String {
    object([("layout", quoted(&layout.layout)), ("pad", quoted(&layout.pad))])
}

fn malformed(error: &serde_json::Error) -> Fault {
    Fault::malformed(format!("the layout record: {error}"))
}

/// The version alone, so that a record of another version is named as one, whatever else it says.
struct Versioned(u64);

impl<'de> Deserialize<'de> for Versioned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(VersionVisitor)
    }
}

struct VersionVisitor;

impl<'de> Visitor<'de> for VersionVisitor {
    type Value = Versioned;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a version")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut version = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == "version" {
                version = Some(map.next_value::<u64>()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        version.map(Versioned).ok_or_else(|| A::Error::missing_field("version"))
    }
}

/// The whole of a record of version 1.
struct Record(Layouts);

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RecordVisitor)
    }
}

struct RecordVisitor;

impl<'de> Visitor<'de> for RecordVisitor {
    type Value = Record;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a layout record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut version, mut layouts) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            let again = match key.as_str() {
                "version" => version.replace(map.next_value::<u64>()?).is_some(),
                "layouts" => layouts.replace(map.next_value::<UniqueMap<Layout>>()?).is_some(),
                _ => {
                    return Err(A::Error::unknown_field(&shortened(&key), &["version", "layouts"]));
                }
            };
            if again {
                return Err(duplicate(&key));
            }
        }
        let UniqueMap(layouts) = layouts.ok_or_else(|| A::Error::missing_field("layouts"))?;
        Ok(Record(layouts.into_iter().map(|(name, Layout(layout))| (name, layout)).collect()))
    }
}

struct Layout(StoredLayout);

impl<'de> Deserialize<'de> for Layout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let UniqueMap::<String>(mut members) = UniqueMap::deserialize(deserializer)?;
        let mut take =
            |key: &'static str| members.remove(key).ok_or_else(|| D::Error::missing_field(key));
        let layout = StoredLayout { layout: take("layout")?, pad: take("pad")? };
        match members.into_keys().next() {
            Some(key) => Err(D::Error::unknown_field(&shortened(&key), &["layout", "pad"])),
            None => Ok(Layout(layout)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn rejects(text: &str, fragment: &str) {
        let message = parse(text.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(fragment), "{}: {message}", shortened(text));
    }

    #[test]
    fn reads_a_record() {
        let text = r#"{"version":1,"layouts":{"w":{"layout":"bf16[30,300]{1,0:T(8,128)(2,1)}","pad":"0"}}}"#;
        let layouts = parse(text.as_bytes()).unwrap();
        assert_eq!(layouts["w"], StoredLayout::new("bf16[30,300]{1,0:T(8,128)(2,1)}", "0"));
        let other_order = r#" {"layouts":{"w":{"pad":"0","layout":"x"}}, "version":1} "#;
        assert_eq!(parse(other_order.as_bytes()).unwrap()["w"], StoredLayout::new("x", "0"));
        assert!(parse(br#"{"version":1,"layouts":{}}"#).unwrap().is_empty());
    }

    #[test]
    fn rejects_what_is_not_a_record() {
        rejects("", "EOF");
        rejects("[]", "expected an object");
        rejects("{}", "missing field `version`");
        rejects(r#"{"version":1}"#, "missing field `layouts`");
        rejects(r#"{"version":2,"whatever":[{}]}"#, "has version 2, and only version 1");
        rejects(r#"{"version":0,"layouts":{}}"#, "has version 0");
        rejects(r#"{"version":1.0,"layouts":{}}"#, "expected u64");
        rejects(r#"{"version":"1","layouts":{}}"#, "expected u64");
        rejects(r#"{"version":1,"version":1,"layouts":{}}"#, "`version` appears twice");
        rejects(r#"{"version":1,"layouts":{},"layouts":{}}"#, "`layouts` appears twice");
        rejects(r#"{"version":1,"layouts":{},"more":0}"#, "unknown field `more`");
        rejects(r#"{"version":1,"layouts":{"w":{"layout":"x"}}}"#, "missing field `pad`");
        rejects(r#"{"version":1,"layouts":{"w":{"pad":"0"}}}"#, "missing field `layout`");
        rejects(r#"{"version":1,"layouts":{"w":{"layout":"x","pad":0}}}"#, "expected a string");
        rejects(
            r#"{"version":1,"layouts":{"w":{"layout":"x","pad":"0","n":"1"}}}"#,
            "unknown field `n`",
        );
        rejects(
            r#"{"version":1,"layouts":{"w":{"layout":"x","pad":"0"},"w":{"layout":"x","pad":"0"}}}"#,
            "`w` appears twice",
        );
        rejects(r#"{"version":1,"layouts":{}} x"#, "trailing characters");
        rejects(&"[".repeat(1_000_000), "expected an object");
        rejects(&format!(r#"{{"x":{}"#, "[".repeat(1_000_000)), "EOF while parsing a list");
    }
}
