//! The cases: code in every language, and the tables that it must agree with.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Deserialize;

/// So many offsets below and above the allocation are asked for too.
const OUTSIDE: i32 = 2;

/// A layout, or a relayout where `to` says what it becomes.
#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) layout: String,
    pub(crate) to: Option<String>,
    pub(crate) dims: Vec<i32>,
    pub(crate) lowest: i32,
    pub(crate) allocation: i32,
    /// Of all elements, in row-major order of their indexes.
    pub(crate) offsets: Vec<i32>,
    /// The extent that is an argument of the code, where one is.
    pub(crate) argument: Option<i32>,
    src: Option<String>,
    dst: Option<String>,
    /// A text by language.
    pub(crate) code: HashMap<String, String>,
}

impl Case {
    /// The indexes of all elements, in row-major order.
    pub(crate) fn indexes(&self) -> Vec<Vec<i32>> {
        let index = |number: usize| {
            let mut rest = number as i32;
            let mut index = vec![0; self.dims.len()];
            for (along, extent) in index.iter_mut().zip(&self.dims).rev() {
                (*along, rest) = (rest % extent, rest / extent);
            }
            index
        };
        (0..self.offsets.len()).map(index).collect()
    }

    /// The index at each offset of the allocation and a little outside; `None` is padding.
    pub(crate) fn places(&self) -> Vec<(i32, Option<Vec<i32>>)> {
        let index_of: HashMap<i32, Vec<i32>> =
            self.offsets.iter().copied().zip(self.indexes()).collect();
        let all = self.lowest - OUTSIDE..self.lowest + self.allocation + OUTSIDE;
        all.map(|offset| (offset, index_of.get(&offset).cloned())).collect()
    }

    /// Whether no two elements share an offset.
    pub(crate) fn is_injective(&self) -> bool {
        self.offsets.iter().collect::<HashSet<_>>().len() == self.offsets.len()
    }

    /// What is behind the other arguments of a function.
    pub(crate) fn last(&self) -> String {
        self.argument.map_or(String::new(), |extent| format!(", {extent}"))
    }

    pub(crate) fn bytes_before_and_after(&self) -> Result<(Vec<u8>, Vec<u8>), String> {
        let bytes = |text: &Option<String>| {
            let text = text.as_deref().ok_or_else(|| format!("{self}: no bytes"))?;
            bytes_of(text).ok_or_else(|| format!("{self}: no hexadecimal bytes"))
        };
        Ok((bytes(&self.src)?, bytes(&self.dst)?))
    }
}

fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let digit = |c: &u8| char::from(*c).to_digit(16);
    let byte = |pair: &[u8]| Some((digit(pair.first()?)? * 16 + digit(pair.get(1)?)?) as u8);
    text.as_bytes().chunks(2).map(byte).collect()
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.layout)?;
        match &self.to {
            Some(to) => write!(f, " to {to}"),
            None => Ok(()),
        }
    }
}
