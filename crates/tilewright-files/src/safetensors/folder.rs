//! A folder of safetensors files, and the index that says which array is in which.
//!
//! ```json
//! {"metadata":{"total_size":120},"weight_map":{"a":"model-00001-of-00002.safetensors"}}
//! ```
//!
//! The index and the files must agree: every array of the map is in the file it names, and every
//! array of those files is in the map. Files are named by a bare file name, so an index cannot
//! reach out of its folder. What the index's own `metadata` says is neither trusted nor kept.
//!
//! A model that is small enough is often one file, `model.safetensors`, in a folder without an
//! index. Such a folder is read too, and is written without an index.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::{infos, plan_file, read};
use crate::contents::{Contents, Reading};
use crate::error::{Error, Fault};
use crate::info::{ArrayInfo, ArraySpec, Shard};
use crate::json::{UniqueMap, duplicate, object, quoted, shortened};
use crate::limits::{MAX_SAFETENSORS_HEADER_BYTES, MAX_SHARDS};
use crate::plan::{Beside, Plan};
use crate::positional::{Source, is_file, is_folder, look};

/// The index of a folder that is opened or written by the folder's path.
pub(crate) const INDEX: &str = "model.safetensors.index.json";

/// The one file of a folder without an index.
pub(crate) const ONLY: &str = "model.safetensors";

/// Where everything goes when nothing else is said.
const DEFAULT_SHARD: &str = "model-00001-of-00001.safetensors";

/// Array name to file name.
type WeightMap = BTreeMap<String, String>;

/// Reads the index, and the header of every file it names.
pub(crate) fn open(path: &Path, reading: &Reading) -> Result<Contents, Error> {
    if has_one_file(path)? {
        return open_only(&path.join(ONLY), reading);
    }
    let index = index_path(path)?;
    let folder = index.parent().unwrap_or(Path::new(""));
    let map = read_index(&index)?;
    let names = shard_names(&map).map_err(|fault| fault.at(&index))?;
    let mut contents = Contents::default();
    for name in names {
        let source = Source::open(&folder.join(name))?;
        add_shard(&mut contents, &map, name, source, reading)?;
    }
    // Every array found is in the map, under its file, and names are distinct in each: the map has
    // more than was found exactly when a file lacks one.
    match map.iter().find(|_| map.len() != contents.arrays.len()) {
        None => Ok(contents),
        Some(_) => Err(missing(&map, &contents).at(&index)),
    }
}

/// Whether the path is that of a folder of one file, without an index.
fn has_one_file(path: &Path) -> Result<bool, Error> {
    Ok(is_folder(path)? && look(&path.join(INDEX))?.is_none() && is_file(&path.join(ONLY))?)
}

/// Reads the header of a folder's one file.
fn open_only(path: &Path, reading: &Reading) -> Result<Contents, Error> {
    let mut contents = super::open(path, reading)?;
    contents.shards = vec![Shard::new(ONLY, contents.metadata.clone())];
    Ok(contents)
}

/// The shards of an existing folder; an error where it has none, or no index that can be read.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, Error> {
    if has_one_file(folder)? {
        return Ok(vec![ONLY.to_owned()]);
    }
    let index = folder.join(INDEX);
    let map = read_index(&index)?;
    let names = shard_names(&map).map_err(|fault| fault.at(&index))?;
    Ok(names.into_iter().map(str::to_owned).collect())
}

/// Lays out the files of a folder, in the order of `shards`.
pub(crate) fn plan(specs: &[ArraySpec], shards: &[Shard]) -> Result<Plan, Fault> {
    check_shards(shards)?;
    let mut arrays = infos(specs)?;
    if let Some(array) = arrays.iter().find(|array| array.shard >= shards.len()) {
        return Err(Fault::request(format!(
            "array `{}` is to be in shard {}, but there are {}",
            shortened(&array.name),
            array.shard,
            shards.len()
        )));
    }
    let mut members: Vec<Vec<&mut ArrayInfo>> = shards.iter().map(|_| Vec::new()).collect();
    for array in &mut arrays {
        if let Some(members) = members.get_mut(array.shard) {
            members.push(array);
        }
    }
    let files = members.into_iter().zip(shards);
    let files = files.map(|(members, shard)| plan_file(members, &shard.metadata));
    let files = files.collect::<Result<_, _>>()?;
    Ok(Plan { files, arrays, beside: Beside::Nothing })
}

/// The shards asked for, or the one there is when none are.
pub(crate) fn shards_or_default(shards: &[Shard], metadata: &crate::Metadata) -> Vec<Shard> {
    match shards {
        [] => vec![Shard::new(DEFAULT_SHARD, metadata.clone())],
        _ => shards.to_vec(),
    }
}

/// Whether a folder of these shards has an index.
pub(crate) fn needs_index(shards: &[Shard]) -> bool {
    !matches!(shards, [only] if only.name == ONLY)
}

/// The index of these arrays.
pub(crate) fn write_index(arrays: &[ArrayInfo], shards: &[Shard]) -> String {
    let map: BTreeMap<&str, &str> = arrays
        .iter()
        .filter_map(|array| Some((array.name(), shards.get(array.shard)?.name())))
        .collect();
    let total: u128 = arrays.iter().map(|array| u128::from(array.byte_len)).sum();
    let metadata = object([("total_size", total.to_string())]);
    let map = object(map.into_iter().map(|(name, shard)| (name, quoted(shard))));
    object([("metadata", metadata), ("weight_map", map)]) + "\n"
}

/// The index itself, where the path is that of the folder.
pub(crate) fn index_path(path: &Path) -> Result<PathBuf, Error> {
    Ok(if is_folder(path)? { path.join(INDEX) } else { path.to_owned() })
}

fn read_index(path: &Path) -> Result<WeightMap, Error> {
    let source = Source::open(path)?;
    if source.len() > MAX_SAFETENSORS_HEADER_BYTES {
        let fault =
            Fault::limit("the index's length", source.len().into(), MAX_SAFETENSORS_HEADER_BYTES);
        return Err(source.fault(fault));
    }
    let text = source.read_vec("the index", 0, source.len())?;
    let Index(map) = serde_json::from_slice(&text)
        .map_err(|error| source.fault(Fault::malformed(format!("the index: {error}"))))?;
    Ok(map)
}

/// The distinct file names, sorted.
fn shard_names(map: &WeightMap) -> Result<Vec<&str>, Fault> {
    let mut names: Vec<&str> = map.values().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() > MAX_SHARDS {
        return Err(Fault::limit("the number of shards", names.len() as u128, MAX_SHARDS as u64));
    }
    match names.iter().find(|name| !is_bare(name)) {
        Some(name) => Err(Fault::malformed(not_bare(name))),
        None => Ok(names),
    }
}

fn add_shard(
    contents: &mut Contents,
    map: &WeightMap,
    name: &str,
    source: Source,
    reading: &Reading,
) -> Result<(), Error> {
    let (header, unused_layouts) = read(&source, reading)?;
    contents.unused_layouts.extend(unused_layouts);
    let shard = contents.shards.len();
    for mut array in header.arrays {
        if map.get(&array.name).map(String::as_str) != Some(name) {
            let says = map
                .get(&array.name)
                .map_or("nowhere".to_owned(), |other| format!("in `{}`", shortened(other)));
            return Err(source.fault(Fault::malformed(format!(
                "array `{}` is in this file, and {says} by the index",
                shortened(&array.name)
            ))));
        }
        array.shard = shard;
        contents.arrays.push(array);
    }
    for (key, value) in &header.metadata {
        contents.metadata.entry(key.clone()).or_insert_with(|| value.clone());
    }
    contents.shards.push(Shard::new(name, header.metadata));
    contents.sources.push(source);
    Ok(())
}

fn missing(map: &WeightMap, contents: &Contents) -> Fault {
    let found: std::collections::BTreeSet<&str> =
        contents.arrays.iter().map(ArrayInfo::name).collect();
    let Some((name, shard)) = map.iter().find(|(name, _)| !found.contains(name.as_str())) else {
        return Fault::malformed("the index and the files disagree");
    };
    let (name, shard) = (shortened(name), shortened(shard));
    Fault::malformed(format!("array `{name}` is in `{shard}` by the index, but not in the file"))
}

fn check_shards(shards: &[Shard]) -> Result<(), Fault> {
    if let Some(shard) = shards.iter().find(|shard| !is_bare(&shard.name) || shard.name == INDEX) {
        return Err(Fault::request(not_bare(&shard.name)));
    }
    let mut names: Vec<&str> = shards.iter().map(Shard::name).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(Fault::request("two shards have one name"));
    }
    Ok(())
}

/// A single plain component, on every system: neither slash, and neither `.` nor `..`.
fn is_bare(name: &str) -> bool {
    let mut components = Path::new(name).components();
    let plain =
        matches!((components.next(), components.next()), (Some(Component::Normal(_)), None));
    plain && !name.contains(['/', '\\', '\0'])
}

fn not_bare(name: &str) -> String {
    format!("the shard name `{}` is not a bare file name", shortened(name))
}

struct Index(WeightMap);

impl<'de> Deserialize<'de> for Index {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(IndexVisitor)
    }
}

struct IndexVisitor;

impl<'de> Visitor<'de> for IndexVisitor {
    type Value = Index;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a weight_map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Index, A::Error> {
        let mut weights = None;
        while let Some(key) = map.next_key::<String>()? {
            if key != "weight_map" {
                map.next_value::<IgnoredAny>()?;
            } else if weights.replace(map.next_value::<UniqueMap<String>>()?).is_some() {
                return Err(duplicate(&key));
            }
        }
        let UniqueMap(weights) = weights.ok_or_else(|| A::Error::missing_field("weight_map"))?;
        Ok(Index(weights))
    }
}
