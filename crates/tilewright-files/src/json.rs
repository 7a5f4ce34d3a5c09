//! The one piece of JSON that every record here is made of: an object whose keys are distinct.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use tilewright::text::abridged;

use crate::error::Fault;
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

/// The members of a JSON object that says each key once, to be taken one by one.
pub(crate) struct Members {
    what: &'static str,
    left: BTreeMap<String, Box<RawValue>>,
}

impl Members {
    /// Of an object that errors call by the name of `what`.
    pub(crate) fn parse(what: &'static str, text: &[u8]) -> Result<Self, Fault> {
        let parsed = serde_json::from_slice(text);
        let UniqueMap(left) = parsed.map_err(|error| malformed(what, &error))?;
        Ok(Members { what, left })
    }

    /// The value of a key that has to be there.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<T, Fault> {
        let value = self.take_if_there(key)?;
        let missing = || Fault::malformed(format!("{}: missing field `{key}`", self.what));
        value.ok_or_else(missing)
    }

    /// The value of a key that may be there.
    pub(crate) fn take_if_there<T: DeserializeOwned>(
        &mut self,
        key: &str,
    ) -> Result<Option<T>, Fault> {
        let Some(value) = self.left.remove(key) else { return Ok(None) };
        let parsed = serde_json::from_str(value.get());
        parsed.map(Some).map_err(|error| malformed(self.what, &error))
    }

    /// That no key is left.
    pub(crate) fn finish(self) -> Result<(), Fault> {
        let unknown = |key: &String| {
            Fault::malformed(format!("{}: unknown field `{}`", self.what, shortened(key)))
        };
        self.left.keys().next().map_or(Ok(()), |key| Err(unknown(key)))
    }
}

/// The words of the JSON reader, which may hold whatever it met. They end with the place.
fn malformed(what: &str, error: &serde_json::Error) -> Fault {
    Fault::malformed(format!("{what}: {}", shortened(&error.to_string())))
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

/// A text from a file as an error shows it: on one line, and not longer than one.
pub(crate) fn shortened(text: &str) -> String {
    abridged(text).to_string()
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
