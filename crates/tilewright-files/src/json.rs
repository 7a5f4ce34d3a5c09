//! The one piece of JSON that every record here is made of: an object whose keys are distinct.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use crate::limits::MAX_ARRAYS;

/// A JSON object that says each key once.
pub(crate) struct UniqueMap<V>(pub(crate) BTreeMap<String, V>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for UniqueMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UniqueVisitor(PhantomData))
    }
}

struct UniqueVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for UniqueVisitor<V> {
    type Value = UniqueMap<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some(key) = access.next_key::<String>()? {
            check_count(map.len())?;
            match map.entry(key) {
                Entry::Occupied(taken) => return Err(duplicate(taken.key())),
                Entry::Vacant(free) => free.insert(access.next_value()?),
            };
        }
        Ok(UniqueMap(map))
    }
}

/// Stops before one more would be over the limit.
pub(crate) fn check_count<E: serde::de::Error>(so_far: usize) -> Result<(), E> {
    if so_far < MAX_ARRAYS {
        return Ok(());
    }
    Err(E::custom(format_args!("more entries than the limit of {MAX_ARRAYS}")))
}

/// The error of a key said twice.
pub(crate) fn duplicate<E: serde::de::Error>(key: &str) -> E {
    E::custom(format_args!("`{}` appears twice", shortened(key)))
}

/// A text from a file as an error shows it: long ones are cut.
pub(crate) fn shortened(text: &str) -> String {
    const SHOWN: usize = 80;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A text as JSON writes it, quotes included.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A text-to-text object, keys in the order of the map.
pub(crate) fn object<'a>(entries: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let members: Vec<String> =
        entries.into_iter().map(|(key, value)| format!("{}:{value}", quoted(key))).collect();
    format!("{{{}}}", members.join(","))
}
