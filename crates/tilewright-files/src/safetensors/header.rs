//! The JSON header of one file: read strictly, written deterministically.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use tilewright::ElementType;

use crate::error::Fault;
use crate::info::{ArrayInfo, Metadata, Order, byte_len, check_name, check_rank};
use crate::json::{UniqueMap, check_count, duplicate, object, quoted, shortened};
use crate::layout_record;
use crate::limits::MAX_SAFETENSORS_HEADER_BYTES;

/// The key that is not an array's name.
const METADATA: &str = "__metadata__";

/// What the data must begin at a multiple of, in bytes.
const ALIGNMENT: usize = 8;

/// A checked header: the arrays in the order of their data.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) metadata: Metadata,
    pub(crate) arrays: Vec<ArrayInfo>,
}

/// Reads the header of a file whose data is `data_len` bytes from `data_start`.
pub(crate) fn parse(text: &[u8], data_start: u64, data_len: u64) -> Result<Header, Fault> {
    if text.first() != Some(&b'{') {
        return Err(Fault::malformed("the header does not begin with `{`"));
    }
    let RawHeader { metadata, mut entries } = serde_json::from_slice(text)
        .map_err(|error| Fault::malformed(format!("the header: {error}")))?;
    check_distinct(&entries)?;
    entries.sort_by_key(|entry| entry.offsets);
    check_cover(&entries, data_len)?;
    let arrays = entries.into_iter().map(|entry| entry.into_info(data_start));
    Ok(Header { metadata, arrays: arrays.collect::<Result<_, _>>()? })
}

/// The length, the header and its padding. `file_offset` counts from the start of the data here.
pub(crate) fn write(arrays: &[&mut ArrayInfo], metadata: &Metadata) -> Result<Vec<u8>, Fault> {
    let metadata = write_metadata(arrays, metadata).map(|object| (METADATA, object));
    let entries = arrays.iter().map(|array| (array.name.as_str(), write_entry(array)));
    let mut text = object(metadata.into_iter().chain(entries));
    text.extend(std::iter::repeat_n(
        ' ',
        text.len().next_multiple_of(ALIGNMENT).saturating_sub(text.len()),
    ));
    let length = text.len() as u64;
    if length > MAX_SAFETENSORS_HEADER_BYTES {
        return Err(Fault::limit("the header length", length.into(), MAX_SAFETENSORS_HEADER_BYTES));
    }
    Ok([&length.to_le_bytes()[..], text.as_bytes()].concat())
}

fn write_metadata(arrays: &[&mut ArrayInfo], metadata: &Metadata) -> Option<String> {
    let record = layout_record::write(arrays.iter().map(|array| &**array));
    let record = record.map(|record| (layout_record::KEY, quoted(&record)));
    let users = metadata.iter().map(|(key, value)| (key.as_str(), quoted(value)));
    let entries: Vec<_> = users.chain(record).collect();
    (!entries.is_empty()).then(|| object(entries))
}

fn write_entry(array: &ArrayInfo) -> String {
    let (begin, end) = (array.file_offset, array.file_offset.saturating_add(array.byte_len));
    object([
        ("dtype", quoted(array.element_type.safetensors_name().unwrap_or_default())),
        (
            "shape",
            format!("[{}]", array.dims.iter().map(i64::to_string).collect::<Vec<_>>().join(",")),
        ),
        ("data_offsets", format!("[{begin},{end}]")),
    ])
}

/// Sorts by reference rather than hashing: no memory per name but a pointer.
fn check_distinct(entries: &[RawEntry]) -> Result<(), Fault> {
    let mut names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair.first() == pair.last()) {
        Some(pair) => {
            let name = shortened(pair.first().copied().unwrap_or_default());
            Err(Fault::malformed(format!("the header: `{name}` appears twice")))
        }
        None => Ok(()),
    }
}

/// Each array begins where the one before it ends, and the last ends with the file.
fn check_cover(entries: &[RawEntry], data_len: u64) -> Result<(), Fault> {
    let mut covered = 0;
    for entry in entries {
        let (begin, end) = entry.offsets;
        let name = || shortened(&entry.name);
        if begin > end || end > data_len {
            return Err(Fault::malformed(format!(
                "array `{}` has the data_offsets [{begin},{end}], and the file has {data_len} bytes of data",
                name()
            )));
        }
        if begin != covered {
            let what = if begin < covered {
                "overlaps the one before it"
            } else {
                "leaves a hole before it"
            };
            return Err(Fault::malformed(format!(
                "array `{}` begins at byte {begin} of the data and {what}, which ends at {covered}",
                name()
            )));
        }
        covered = end;
    }
    if covered != data_len {
        return Err(Fault::malformed(format!(
            "the arrays end at byte {covered} of the data, and the file has {data_len} bytes of it"
        )));
    }
    Ok(())
}

struct RawHeader {
    metadata: Metadata,
    entries: Vec<RawEntry>,
}

/// An entry as it stands, its name filled in by the header.
struct RawEntry {
    name: String,
    element_type: ElementType,
    dims: Vec<i64>,
    offsets: (u64, u64),
}

impl RawEntry {
    fn into_info(self, data_start: u64) -> Result<ArrayInfo, Fault> {
        let (begin, end) = self.offsets;
        let offered = end.saturating_sub(begin);
        let stored_bits = stored_bits(self.element_type);
        let name = || shortened(&self.name);
        let byte_len = byte_len(&self.dims, stored_bits)
            .map_err(|fault| Fault::malformed(format!("array `{}`: {fault}", name())))?;
        if byte_len != offered {
            return Err(Fault::malformed(format!(
                "array `{}` has {offered} bytes by its data_offsets, and {byte_len} by its dtype and shape",
                name()
            )));
        }
        Ok(ArrayInfo {
            name: self.name,
            element_type: self.element_type,
            dims: self.dims,
            order: Order::RowMajor,
            stored_bits,
            byte_len,
            file_offset: data_start.saturating_add(begin),
            shard: 0,
            layout: None,
        })
    }
}

impl<'de> Deserialize<'de> for RawHeader {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(HeaderVisitor)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = RawHeader;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of arrays")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawHeader, A::Error> {
        let mut metadata = None;
        let mut entries = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == METADATA {
                let UniqueMap(found) = map.next_value()?;
                if metadata.replace(found).is_some() {
                    return Err(duplicate(METADATA));
                }
                continue;
            }
            check_name(&name).map_err(A::Error::custom)?;
            check_count(entries.len())?;
            entries.push(RawEntry { name, ..map.next_value()? });
        }
        Ok(RawHeader { metadata: metadata.unwrap_or_default(), entries })
    }
}

impl<'de> Deserialize<'de> for RawEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = RawEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with dtype, shape and data_offsets")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawEntry, A::Error> {
        let (mut dtype, mut shape, mut offsets) = (None, None, None);
        while let Some(key) = map.next_key::<String>()? {
            let again = match key.as_str() {
                "dtype" => dtype.replace(map.next_value::<Dtype>()?).is_some(),
                "shape" => shape.replace(map.next_value::<Dims>()?).is_some(),
                "data_offsets" => offsets.replace(map.next_value::<(u64, u64)>()?).is_some(),
                _ => return Err(A::Error::unknown_field(&shortened(&key), ENTRY_KEYS)),
            };
            if again {
                return Err(duplicate(&key));
            }
        }
        let Dtype(element_type) = dtype.ok_or_else(|| A::Error::missing_field("dtype"))?;
        let Dims(dims) = shape.ok_or_else(|| A::Error::missing_field("shape"))?;
        let offsets = offsets.ok_or_else(|| A::Error::missing_field("data_offsets"))?;
        Ok(RawEntry { name: String::new(), element_type, dims, offsets })
    }
}

const ENTRY_KEYS: &[&str] = &["dtype", "shape", "data_offsets"];

struct Dtype(ElementType);

impl<'de> Deserialize<'de> for Dtype {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        ElementType::from_safetensors_name(&name)
            .map(Dtype)
            .ok_or_else(|| D::Error::custom(format_args!("unknown dtype `{}`", shortened(&name))))
    }
}

struct Dims(Vec<i64>);

impl<'de> Deserialize<'de> for Dims {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(DimsVisitor)
    }
}

struct DimsVisitor;

impl<'de> Visitor<'de> for DimsVisitor {
    type Value = Dims;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of sizes")
    }

    /// Stops at the limit on the rank, so that a long list takes no memory.
    fn visit_seq<A: SeqAccess<'de>>(self, mut sizes: A) -> Result<Dims, A::Error> {
        let mut dims = Vec::new();
        while let Some(size) = sizes.next_element::<u64>()? {
            check_rank(dims.len().saturating_add(1)).map_err(A::Error::custom)?;
            let size = i64::try_from(size).map_err(|_| {
                A::Error::custom(format_args!("the size {size} does not fit in 63 bits"))
            })?;
            dims.push(size);
        }
        Ok(Dims(dims))
    }
}

/// The format packs the 4- and 6-bit floats; everything else is whole bytes.
pub(crate) fn stored_bits(element_type: ElementType) -> u32 {
    match element_type {
        ElementType::F4E2M1Fn | ElementType::F6E2M3Fn | ElementType::F6E3M2Fn => {
            element_type.bits()
        }
        _ => element_type.storage_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How deep what nests does; Miri takes its time.
    const DEEP: usize = if cfg!(miri) { 1000 } else { 1_000_000 };

    #[track_caller]
    fn rejects(text: &str, data_len: u64, fragment: &str) {
        let message = parse(text.as_bytes(), 0, data_len).unwrap_err().to_string();
        assert!(message.contains(fragment), "{text}: {message}");
    }

    /// An entry of two bytes under the name `a`.
    const A: &str = r#""a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}"#;

    #[track_caller]
    fn rejects_entry(entry: &str, fragment: &str) {
        rejects(&format!(r#"{{"a":{entry}}}"#), 2, fragment);
    }

    #[test]
    fn the_outer_object() {
        assert!(parse(b"{}", 0, 0).unwrap().arrays.is_empty());
        assert_eq!(parse(format!("{{{A}}}   ").as_bytes(), 8, 2).unwrap().arrays[0].file_offset, 8);
        rejects("", 0, "does not begin with `{`");
        rejects(" {}", 0, "does not begin with `{`");
        rejects("[]", 0, "does not begin with `{`");
        rejects("{} x", 0, "trailing characters");
        rejects("{}\0", 0, "trailing characters");
        rejects(&format!("{{{A}"), 2, "EOF");
        rejects(&format!("{{{A},}}"), 2, "trailing comma");
        rejects(&format!("{{{A},{A}}}"), 2, "`a` appears twice");
        rejects(&format!("{{{A},{}}}", A.replace("\"a\"", "\"\\u0061\"")), 2, "`a` appears twice");
        rejects(r#"{"a":1}"#, 0, "expected an object with dtype");
        rejects(r#"{"a":["U8",[2],[0,2]]}"#, 2, "expected an object with dtype");
        rejects(
            &format!(r#"{{"{}":{{}}}}"#, "n".repeat(4097)),
            0,
            "is 4097, over the limit of 4096",
        );
    }

    #[test]
    fn entries() {
        rejects_entry(r#"{"shape":[2],"data_offsets":[0,2]}"#, "missing field `dtype`");
        rejects_entry(r#"{"dtype":"U8","data_offsets":[0,2]}"#, "missing field `shape`");
        rejects_entry(r#"{"dtype":"U8","shape":[2]}"#, "missing field `data_offsets`");
        rejects_entry(
            r#"{"dtype":"U8","shape":[2],"data_offsets":[0,2],"x":0}"#,
            "unknown field `x`",
        );
        rejects_entry(
            r#"{"dtype":"U8","dtype":"U8","shape":[2],"data_offsets":[0,2]}"#,
            "`dtype` appears twice",
        );
        rejects_entry(r#"{"dtype":"U7","shape":[2],"data_offsets":[0,2]}"#, "unknown dtype `U7`");
        rejects_entry(r#"{"dtype":8,"shape":[2],"data_offsets":[0,2]}"#, "expected a string");
        rejects_entry(
            r#"{"dtype":"U8","shape":2,"data_offsets":[0,2]}"#,
            "expected an array of sizes",
        );
        rejects_entry(r#"{"dtype":"U8","shape":[-2],"data_offsets":[0,2]}"#, "integer `-2`");
        rejects_entry(
            r#"{"dtype":"U8","shape":[2.0],"data_offsets":[0,2]}"#,
            "floating point `2.0`",
        );
        rejects_entry(r#"{"dtype":"U8","shape":[2e0],"data_offsets":[0,2]}"#, "floating point");
        rejects_entry(
            r#"{"dtype":"U8","shape":[-0],"data_offsets":[0,2]}"#,
            "floating point `-0.0`",
        );
        rejects_entry(r#"{"dtype":"U8","shape":[02],"data_offsets":[0,2]}"#, "invalid number");
        rejects_entry(r#"{"dtype":"U8","shape":["2"],"data_offsets":[0,2]}"#, "string \"2\"");
        rejects_entry(
            r#"{"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,2]}"#,
            "63 bits",
        );
        rejects_entry(r#"{"dtype":"U8","shape":[2],"data_offsets":[0]}"#, "invalid length 1");
        rejects_entry(
            r#"{"dtype":"U8","shape":[2],"data_offsets":[0,1,2]}"#,
            "trailing characters",
        );
        let long =
            format!(r#"{{"dtype":"U8","shape":[{}1],"data_offsets":[0,2]}}"#, "1,".repeat(64));
        rejects_entry(&long, "is 65, over the limit of 64");
        let bomb = format!(r#"{{"dtype":"U8","shape":{}"#, "[".repeat(DEEP));
        rejects_entry(&bomb, "invalid type: sequence");
    }

    #[test]
    fn offsets() {
        rejects_entry(
            r#"{"dtype":"U8","shape":[2],"data_offsets":[2,0]}"#,
            "[2,0], and the file has 2",
        );
        rejects_entry(
            r#"{"dtype":"U8","shape":[3],"data_offsets":[0,3]}"#,
            "[0,3], and the file has 2",
        );
        rejects_entry(
            r#"{"dtype":"U8","shape":[3],"data_offsets":[0,2]}"#,
            "has 2 bytes by its data_offsets, and 3",
        );
        rejects_entry(
            r#"{"dtype":"U8","shape":[1],"data_offsets":[0,1]}"#,
            "end at byte 1 of the data",
        );
        rejects_entry(
            r#"{"dtype":"U8","shape":[1],"data_offsets":[1,2]}"#,
            "leaves a hole before it",
        );
        rejects_entry(
            r#"{"dtype":"F4","shape":[3],"data_offsets":[0,2]}"#,
            "12 bits are not a whole number",
        );
        rejects_entry(
            r#"{"dtype":"U8","shape":[9223372036854775807,9223372036854775807,16],"data_offsets":[0,2]}"#,
            "the product of the dims is over the limit",
        );
        let overlap = A.replace("\"a\"", "\"b\"").replace("[2]", "[1]").replace("[0,2]", "[1,2]");
        rejects(&format!("{{{A},{overlap}}}"), 2, "overlaps the one before it");
        let inside = overlap.replace("[1]", "[0]").replace("[1,2]", "[1,1]");
        rejects(&format!("{{{A},{inside}}}"), 2, "overlaps the one before it");
        rejects("{}", 1, "the arrays end at byte 0 of the data, and the file has 1");
    }

    #[test]
    fn arrays_of_no_bytes_share_an_offset() {
        let empty = |name: &str, at: u32| {
            format!(r#""{name}":{{"dtype":"F32","shape":[0,5],"data_offsets":[{at},{at}]}}"#)
        };
        let text = format!("{{{A},{},{},{}}}", empty("x", 2), empty("y", 2), empty("z", 0));
        let header = parse(text.as_bytes(), 0, 2).unwrap();
        let names: Vec<&str> = header.arrays.iter().map(ArrayInfo::name).collect();
        assert_eq!(names, ["z", "a", "x", "y"]);
    }

    #[test]
    fn metadata() {
        let parsed = parse(br#"{"__metadata__":{"k":"v","l":""}}"#, 0, 0).unwrap();
        assert_eq!(parsed.metadata.len(), 2);
        rejects(r#"{"__metadata__":{"k":1}}"#, 0, "expected a string");
        rejects(r#"{"__metadata__":{"k":{}}}"#, 0, "expected a string");
        rejects(r#"{"__metadata__":{"k":null}}"#, 0, "expected a string");
        rejects(r#"{"__metadata__":[]}"#, 0, "expected an object");
        rejects(r#"{"__metadata__":{"k":"v","k":"v"}}"#, 0, "`k` appears twice");
        rejects(r#"{"__metadata__":{},"__metadata__":{}}"#, 0, "`__metadata__` appears twice");
    }
}
