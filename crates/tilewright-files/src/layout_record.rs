//! The record of layouts that travels with the arrays.
//!
//! One JSON object, the same wherever it is kept:
//!
//! ```json
//! {"version":1,"layouts":{"w":{"layout":"bf16[30,300]{1,0:T(8,128)(2,1)}","pad":"0"}}}
//! ```
//!
//! A safetensors file holds it as the text of `__metadata__["tilewright"]`; a .npy or raw file has
//! it beside it, with a little more. `layout` and `pad` are kept as
//! they are; only the version is understood. Every key is required and said once, and there are no
//! others: a record with more to say has another version.

use std::collections::BTreeMap;

use crate::error::Fault;
use crate::info::{ArrayInfo, StoredLayout};
use crate::json::{Members, UniqueMap, object, quoted, shortened};

/// The key of the record in a safetensors file's `__metadata__`.
pub(crate) const KEY: &str = "tilewright";

/// The version that is read and written.
const VERSION: u64 = 1;

/// Layouts by the name of their array.
pub(crate) type Layouts = BTreeMap<String, StoredLayout>;

/// Reads a record.
pub(crate) fn parse(text: &[u8]) -> Result<Layouts, Fault> {
    let mut members = members(text)?;
    let layouts = take_layouts(&mut members)?;
    members.finish()?;
    Ok(layouts)
}

/// The members of a record but its version, which is the one that is known: a record of another
/// version is named as one, whatever else it says.
pub(crate) fn members(text: &[u8]) -> Result<Members, Fault> {
    let mut members = Members::parse("the layout record", text)?;
    let version: u64 = members.take("version")?;
    if version != VERSION {
        return Err(Fault::unsupported(format!(
            "the layout record has version {version}, and only version {VERSION} is known"
        ))
        .help("a newer release may read it; without its layouts the file can still be opened"));
    }
    Ok(members)
}

/// The member `layouts`.
pub(crate) fn take_layouts(members: &mut Members) -> Result<Layouts, Fault> {
    let UniqueMap(layouts): UniqueMap<UniqueMap<String>> = members.take("layouts")?;
    let stored = |(name, UniqueMap(members))| Ok((name, stored_layout(members)?));
    layouts.into_iter().map(stored).collect()
}

fn stored_layout(mut members: BTreeMap<String, String>) -> Result<StoredLayout, Fault> {
    let mut take = |key| members.remove(key).ok_or_else(|| missing(key));
    let layout = StoredLayout { layout: take("layout")?, pad: take("pad")? };
    members.into_keys().next().map_or(Ok(layout), |key| Err(unknown(&key)))
}

/// Writes the record of these arrays, or nothing where none has a layout.
pub(crate) fn write<'a>(arrays: impl IntoIterator<Item = &'a ArrayInfo>) -> Option<String> {
    let layouts: BTreeMap<&str, &StoredLayout> =
        arrays.into_iter().filter_map(|array| Some((array.name(), array.layout()?))).collect();
    (!layouts.is_empty()).then(|| versioned([("layouts", write_layouts(layouts))]))
}

/// A record of these members.
pub(crate) fn versioned<const N: usize>(members: [(&str, String); N]) -> String {
    object([("version", VERSION.to_string())].into_iter().chain(members))
}

/// The member `layouts`.
pub(crate) fn write_layouts<'a>(
    layouts: impl IntoIterator<Item = (&'a str, &'a StoredLayout)>,
) -> String {
    object(layouts.into_iter().map(|(name, layout)| (name, write_layout(layout))))
}

fn write_layout(layout: &StoredLayout) -> String {
    object([("layout", quoted(&layout.layout)), ("pad", quoted(&layout.pad))])
}

fn missing(key: &str) -> Fault {
    Fault::malformed(format!("the layout record: missing field `{key}`"))
}

fn unknown(key: &str) -> Fault {
    Fault::malformed(format!("the layout record: unknown field `{}`", shortened(key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How deep what nests does; Miri takes its time.
    const DEEP: usize = if cfg!(miri) { 1000 } else { 1_000_000 };

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
        rejects(&"[".repeat(DEEP), "expected an object");
        rejects(&format!(r#"{{"x":{}"#, "[".repeat(DEEP)), "EOF while parsing a list");
    }
}
