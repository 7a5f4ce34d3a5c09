//! What only the elements of a quantised model say, and its headers do not.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use serde_json::{Value, json};

use crate::error::Error;

/// What is found of layers, by their names. Those of a model are what is found in all of its shards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Those with a zero point that is not the middle.
    pub(crate) with_zeros: BTreeSet<String>,
    /// Those whose rows are grouped otherwise than one after the other.
    pub(crate) reordered: BTreeSet<String>,
    /// The inputs of those whose rows of codes are padded.
    pub(crate) inputs: BTreeMap<String, i64>,
}

impl Facts {
    /// What is found in several shards, together.
    pub fn and(mut self, other: Facts) -> Self {
        self.with_zeros.extend(other.with_zeros);
        self.reordered.extend(other.reordered);
        self.inputs.extend(other.inputs);
        self
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        let Facts { with_zeros, reordered, inputs } = self;
        json!({"with_zeros": with_zeros, "reordered": reordered, "inputs": inputs}).to_string()
    }

    /// Of that.
    ///
    /// # Errors
    ///
    /// It is none.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        Self::read(text).map_err(Error::new)
    }

    fn read(text: &str) -> anyhow::Result<Self> {
        let said: Value = serde_json::from_str(text)?;
        let names = |key: &str| -> anyhow::Result<BTreeSet<String>> {
            let names =
                said.get(key).and_then(Value::as_array).with_context(|| format!("`{key}`"))?;
            Ok(names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
        };
        let inputs = said.get("inputs").and_then(Value::as_object).context("`inputs`")?;
        let inputs = inputs.iter().filter_map(|(name, k)| Some((name.clone(), k.as_i64()?)));
        Ok(Facts {
            with_zeros: names("with_zeros")?,
            reordered: names("reordered")?,
            inputs: inputs.collect(),
        })
    }
}

/// What is looked at of a model.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Look<'a> {
    /// All that there is.
    All,
    /// The elements of one shard; of others nothing is known but their headers.
    Shard(usize),
    /// The headers: what elements say is told.
    Told(&'a Facts),
}
