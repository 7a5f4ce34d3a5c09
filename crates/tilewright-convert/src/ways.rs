//! How arrays in one layout become arrays in another.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::bail;
use tilewright::ElementType;
use tilewright::formats::catalogue::NamedArray;
use tilewright::notation::DescribedArray;
use tilewright_relayout::{Pad, Plan};

use crate::lying::{Lying, plan};
use crate::narrow::Narrowed;

/// One way, which many arrays of a file may go.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) element_type: ElementType,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    /// Nothing where the bytes stay as they are.
    pub(crate) plan: Option<Plan>,
    pub(crate) pad: Pad,
    /// What padding holds, as it is recorded; `None` where it holds what it held.
    pub(crate) pad_text: Option<String>,
    /// What is to be checked, where elements go from whole bytes to fewer bits.
    pub(crate) narrowed: Option<Narrowed>,
}

/// The ways that are known, kept for the next array that needs one. A file often has thousands alike.
#[derive(Debug, Default)]
pub(crate) struct Ways(Mutex<HashMap<Wanted, Arc<Way>>>);

/// What the two arrays are, and what padding is to hold where that is said.
type Wanted = ([String; 2], Option<String>);

impl Ways {
    /// What turns the first of two arrays into the second, planned if it is not known. They are looked at as `lie` has
    /// them, which is the same for the same two.
    pub(crate) fn between(
        &self,
        arrays: &[DescribedArray; 2],
        pad: Option<&str>,
        lie: impl FnOnce() -> anyhow::Result<[Lying; 2]>,
    ) -> anyhow::Result<Arc<Way>> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pad = pad.map(str::to_owned).or_else(|| of_library(&arrays[1]));
        let wanted = (arrays.each_ref().map(ToString::to_string), pad);
        if let Some(way) = known().get(&wanted) {
            return Ok(Arc::clone(way));
        }
        let way = Arc::new(Way::plan(&lie()?, wanted.1.as_deref())?);
        known().insert(wanted, Arc::clone(&way));
        Ok(way)
    }
}

/// What the library whose layout it is fills padding with, where that is not zeros.
fn of_library(array: &DescribedArray) -> Option<String> {
    let byte = array.named().map_or(0, NamedArray::padding);
    (byte != 0).then(|| format!("{byte:#04x}"))
}

impl Way {
    fn plan([from, to]: &[Lying; 2], pad: Option<&str>) -> anyhow::Result<Self> {
        check_width(to.array())?;
        let has_padding = to.map().allocation() != to.map().elements();
        let (bits, pad_text) = to.array().padding(pad.filter(|_| has_padding))?;
        let (bytes_in, bytes_out) = (from.bytes()?, to.bytes()?);
        // Asked to hold something, padding is written where nothing else changes, too.
        let is_moved = !from.is_as(to) || (has_padding && pad.is_some());
        let plan = is_moved
            .then(|| plan(from, to))
            .transpose()?
            .filter(|plan| !(plan.is_copy() && bytes_in == bytes_out));
        let narrows = from.array().element_bits() == 8 && to.array().element_bits() < 8;
        Ok(Way {
            from: from.array().to_string(),
            to: to.array().to_string(),
            element_type: to.element_type(),
            bytes_in,
            bytes_out,
            pad_text: (is_moved || !has_padding).then_some(pad_text),
            plan,
            pad: if bits == 0 { Pad::Zero } else { Pad::Bits(bits) },
            narrowed: narrows.then(|| Narrowed::new(from.element_type(), from.map().clone())),
        })
    }
}

/// Elements that would lose bits are not moved.
fn check_width(to: &DescribedArray) -> anyhow::Result<()> {
    let (bits, element_type) = (to.element_bits(), to.element_type());
    if bits < element_type.bits() {
        bail!("E({bits}) does not hold the {} bits of {element_type}", element_type.bits());
    }
    Ok(())
}
