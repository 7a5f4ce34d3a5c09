//! Which layout takes this array to these bytes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tilewright::{Error as MapError, IndexMap};

use crate::bits::{field, mask};
use crate::error::Error;
use crate::form::Form;
use crate::marginals::BitOrder;
use crate::probe::n_elements;
use crate::runs;

/// A layout that may be the one.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its name.
    pub name: &'a str,
    /// The map of the array, counting elements; or of the array with a dimension for the bits of a
    /// code, counting bits.
    pub map: &'a IndexMap,
    /// The bits of a code that it stores flipped.
    pub xor_mask: u32,
}

/// A candidate that leads every element of the array to where the packed bytes have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The candidate's name.
    pub name: String,
    /// Its number among the candidates.
    pub candidate: usize,
}

/// A layout that is right at every element of this data, and no candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// What kind of function it is, of offsets in elements.
    pub form: Form,
    /// Its map, if it is a sum of digits.
    pub map: Option<IndexMap>,
    /// The bits of a code that are stored flipped.
    pub xor_mask: u32,
}

/// What an array and its packed bytes show.
#[derive(Clone, Debug, PartialEq)]
pub struct Identification {
    /// The candidates that are right at every element.
    pub matches: Vec<Match>,
    /// Where no candidate is: what the data alone shows.
    pub guess: Option<Guess>,
    /// What this data leaves open, and what would settle it.
    pub open: Option<String>,
}

/// Finds the layout that takes an array of codes, in row-major order, to packed bytes.
///
/// Candidates are checked at every element. Where none fits, the layout is looked for in the data.
/// Where all sizes are powers of two and nothing is padded, sums over half of the array say where
/// each bit of an index goes. Else codes that are all different say where each of them is, or runs
/// of codes do, where a dimension goes on in even steps for as long. What is found that way is
/// right at every element too.
///
/// ```
/// use tilewright::IndexMap;
/// use tilewright_discover::{Candidate, identify};
/// let columns = IndexMap::from_tla(&"(2,4):(1,2)".parse()?)?;
/// let candidates = [Candidate { name: "columns", map: &columns, xor_mask: 0 }];
/// let codes = [0, 1, 2, 3, 4, 5, 6, 7];
/// let found = identify(&codes, &[0x40, 0x51, 0x62, 0x73], &[2, 4], 4, &candidates)?;
/// assert_eq!(found.matches[0].name, "columns");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there is not one code for each element, a code has more bits, or the array is too large to
/// be looked at one by one.
pub fn identify(
    logical: &[u32],
    packed: &[u8],
    dims: &[i64],
    bits: u32,
    candidates: &[Candidate<'_>],
) -> Result<Identification, Error<std::convert::Infallible>> {
    if n_elements(dims, bits)? != logical.len() {
        let n = logical.len();
        return Err(Error::Question(format!("{n} codes are not an array of {dims:?}")));
    }
    if let Some(code) = logical.iter().find(|code| **code & !mask(bits) != 0) {
        return Err(Error::Question(format!("the code {code} has more than {bits} bits")));
    }
    let pair = Pair { logical, packed, dims, bits };
    let mut matches = Vec::new();
    for (number, candidate) in candidates.iter().enumerate() {
        if pair.is_packed_by(candidate.map, candidate.xor_mask)? {
            matches.push(Match { name: candidate.name.to_owned(), candidate: number });
        }
    }
    if !matches.is_empty() {
        let open = undecided(&matches, candidates)?;
        return Ok(Identification { matches, guess: None, open });
    }
    let (guess, open) = pair.guess()?;
    Ok(Identification { matches, guess, open })
}

/// Where two candidates that fit both part.
fn undecided(matches: &[Match], candidates: &[Candidate<'_>]) -> Result<Option<String>, MapError> {
    let mut fitting = matches.iter().filter_map(|m| candidates.get(m.candidate));
    let Some(first) = fitting.next() else { return Ok(None) };
    for other in fitting.filter(|other| other.map.dims() == first.map.dims()) {
        if let Some(difference) = first.map.first_difference(other.map)? {
            return Ok(Some(format!(
                "{} and {} both fit, and part at index {:?}: data without equal codes there settles it",
                first.name, other.name, difference.index
            )));
        }
    }
    Ok(None)
}

/// An array and its packed bytes.
struct Pair<'a> {
    logical: &'a [u32],
    packed: &'a [u8],
    dims: &'a [i64],
    bits: u32,
}

impl Pair<'_> {
    /// Whether this map leads every element to where it is.
    fn is_packed_by(&self, map: &IndexMap, xor_mask: u32) -> Result<bool, MapError> {
        let with_bit: Vec<i64> = self.dims.iter().copied().chain([i64::from(self.bits)]).collect();
        let width = match map.dims() {
            dims if dims == self.dims => self.bits,
            dims if dims == with_bit => 1,
            _ => return Ok(false),
        };
        if map.bytes(width)? > i64::try_from(self.packed.len()).unwrap_or(i64::MAX) {
            return Ok(false);
        }
        let per_code = u64::from(self.bits / width);
        let rows = map.rows()?;
        let is_right = |(number, offset): (u64, i64)| {
            let part = number % per_code * u64::from(width);
            let code = number / per_code;
            let code = usize::try_from(code).ok().and_then(|code| self.logical.get(code));
            let expected = code.map(|code| (code ^ xor_mask) >> part & mask(width));
            expected == self.stored(offset - map.lowest_offset(), width)
        };
        Ok((0..).zip(rows.iter()).all(is_right))
    }

    /// The value at an offset of elements of this width.
    fn stored(&self, offset: i64, width: u32) -> Option<u32> {
        let place = u64::try_from(offset).ok()?.checked_mul(u64::from(width))?;
        u32::try_from(field(self.packed, place, width)).ok()
    }

    fn guess(&self) -> Result<(Option<Guess>, Option<String>), MapError> {
        let slots = self.slots();
        for xor_mask in self.masks() {
            let flipped: Vec<u32> = slots.iter().map(|slot| slot ^ xor_mask).collect();
            let order = BitOrder::of(self.logical, &flipped);
            let by_bits = order.as_ref().map(|order| order.offsets(self.logical.len()));
            let tables =
                [by_bits, self.unique_places(&flipped), self.run_places(&flipped, xor_mask)];
            let mut right = tables.into_iter().flatten().filter(|it| self.are_at(it, &flipped));
            let Some(offsets) = right.next() else { continue };
            let form = Form::of(self.dims, None, &offsets)?;
            let map = form.map(self.dims, i64::try_from(slots.len()).unwrap_or(i64::MAX))?;
            let alike = order.map(|order| order.alike).unwrap_or_default();
            return Ok((Some(Guess { form, map, xor_mask }), ambiguity(&alike)));
        }
        Ok((None, Some(self.what_would_settle())))
    }

    /// The place of every code, if all of them are different and each is at one place only.
    fn unique_places(&self, slots: &[u32]) -> Option<Vec<i64>> {
        if u64::try_from(self.logical.len()).ok()? > 1u64 << self.bits {
            return None; // some codes are equal
        }
        let mut places: HashMap<u32, Option<i64>> = HashMap::new();
        for (place, slot) in (0i64..).zip(slots) {
            match places.entry(*slot) {
                Entry::Vacant(entry) => drop(entry.insert(Some(place))),
                Entry::Occupied(mut entry) => drop(entry.insert(None)),
            }
        }
        self.logical.iter().map(|code| places.get(code).copied().flatten()).collect()
    }

    /// The place of every code by runs of them; not for masks that are tried without a reason.
    fn run_places(&self, slots: &[u32], xor_mask: u32) -> Option<Vec<i64>> {
        let is_usual = self.usual_masks().contains(&xor_mask);
        is_usual.then(|| runs::places(self.logical, self.dims, slots, self.bits)).flatten()
    }

    /// Whether each code is at its offset.
    fn are_at(&self, offsets: &[i64], slots: &[u32]) -> bool {
        self.logical.iter().zip(offsets).all(|(code, offset)| {
            usize::try_from(*offset).ok().and_then(|offset| slots.get(offset)) == Some(code)
        })
    }

    /// The packed bytes as elements.
    fn slots(&self) -> Vec<u32> {
        let width = u64::from(self.bits.max(1));
        let n = u64::try_from(self.packed.len()).unwrap_or(0).saturating_mul(8) / width;
        (0..n)
            .map(|slot| u32::try_from(field(self.packed, slot * width, self.bits)).unwrap_or(0))
            .collect()
    }

    /// What may be flipped: nothing, the top bit, or, of short codes, anything.
    fn masks(&self) -> Vec<u32> {
        let usual = self.usual_masks();
        let all = if self.bits <= 8 { mask(self.bits) } else { 0 };
        usual.into_iter().chain((0..=all).filter(|mask| !usual.contains(mask))).collect()
    }

    /// Nothing, or the top bit, as of signed codes that get a bias.
    fn usual_masks(&self) -> [u32; 2] {
        [0, 1u32 << (self.bits.clamp(1, 32) - 1)]
    }

    fn what_would_settle(&self) -> String {
        "no layout of whole codes was found in this data: the packing function itself, codes that \
         are all different, or sizes that are powers of two without padding would show more"
            .to_owned()
    }
}

fn ambiguity(alike: &[(u32, u32)]) -> Option<String> {
    let (a, b) = alike.first()?;
    Some(format!(
        "the data is alike along bits {a} and {b} of an element's number in row-major order: codes \
         that differ there settle which is which"
    ))
}
