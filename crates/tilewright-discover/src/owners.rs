//! Which bit of which code each packed bit holds.
//!
//! The first call is with codes without a pattern, and every other one with the same codes, of which some have one bit
//! flipped. Invariant: a packed bit differs from what it was in the first call exactly if the code bit that it holds was
//! flipped. Whatever breaks that is a [`Refusal`]. From codes of 0 instead, a codebook would look like a layout that
//! leads 0 and each single bit to itself, as that of FP4 does.

use crate::bits::{bit, differences, flip};
use crate::error::{Error, Refusal};
use crate::probe::{Probe, random_code};

/// Marks the bit of a code that has not been found.
const NOWHERE: u64 = u64::MAX;

/// Where every bit of every code is stored, and what is stored for codes of 0.
pub(crate) struct Owners {
    /// The place of bit `b` of element `id`, at `b * n_elements + id`: the first, of copies.
    places: Vec<u64>,
    n_elements: usize,
    /// Further places, with the element and the code bit that they repeat.
    pub(crate) copies: Vec<(u64, u64, u32)>,
    /// The packed bytes for codes of 0.
    pub(crate) zeros: Vec<u8>,
    /// Which packed bits hold a code's bit, as bits.
    pub(crate) owned: Vec<u8>,
}

impl Owners {
    /// Asks the function, `bits * (1 + ceil(log2 n)) + 1` times.
    pub(crate) fn ask<F, E>(probe: &mut Probe<'_, F>) -> Result<Self, Error<E>>
    where
        F: FnMut(&[u32], &[i64]) -> Result<Vec<u8>, E>,
    {
        let bits = probe.bits();
        let first = probe.ask(|id| random_code(id, bits))?;
        let n_elements = probe.n_elements();
        let mut owners = Owners {
            places: Vec::new(),
            n_elements,
            copies: Vec::new(),
            owned: vec![0; first.len()],
            zeros: Vec::new(),
        };
        for code_bit in 0..bits {
            let held = held(probe, &first, code_bit)?;
            owners.place(code_bit, &held)?;
        }
        owners.zeros = owners.without(first, |id| random_code(id, bits));
        Ok(owners)
    }

    /// The place of a bit of a code.
    pub(crate) fn place_of(&self, id: usize, code_bit: u32) -> u64 {
        let row = usize::try_from(code_bit).unwrap_or(usize::MAX).saturating_mul(self.n_elements);
        self.places.get(row.saturating_add(id)).copied().unwrap_or(NOWHERE)
    }

    /// The places of one bit of all codes.
    pub(crate) fn places_of(&self, code_bit: u32) -> &[u64] {
        let row = usize::try_from(code_bit).unwrap_or(usize::MAX);
        self.places.chunks(self.n_elements.max(1)).nth(row).unwrap_or_default()
    }

    /// Notes who holds what, if each packed bit holds one bit of one code that there is.
    fn place(&mut self, code_bit: u32, held: &[(u64, u64)]) -> Result<(), Refusal> {
        let mut places = vec![NOWHERE; self.n_elements];
        for &(place, id) in held {
            if bit(&self.owned, place) {
                let other = self.bit_at(place).unwrap_or(code_bit);
                return Err(Refusal::Mixed { place, code_bits: [other, code_bit] });
            }
            flip(&mut self.owned, place);
            let slot = usize::try_from(id).ok().and_then(|id| places.get_mut(id));
            match slot {
                Some(slot) if *slot == NOWHERE => *slot = place,
                Some(_) => self.copies.push((place, id, code_bit)),
                None => return Err(Refusal::Computed { place, code_bit }),
            }
        }
        if let Some(element) = (0u64..).zip(&places).find(|(_, place)| **place == NOWHERE) {
            return Err(Refusal::Lost { element: element.0, code_bit });
        }
        self.places.append(&mut places);
        Ok(())
    }

    /// The code bit that a place holds already.
    fn bit_at(&self, place: u64) -> Option<u32> {
        let copy = self.copies.iter().find(|(at, _, _)| *at == place).map(|(_, _, bit)| *bit);
        let bits = (0u32..).zip(self.places.chunks(self.n_elements.max(1)));
        let first = bits.into_iter().find(|(_, places)| places.contains(&place));
        first.map(|(bit, _)| bit).or(copy)
    }

    /// Packed bytes with these codes taken out: what they would be for codes of 0.
    fn without(&self, mut bytes: Vec<u8>, code: impl Fn(u64) -> u32) -> Vec<u8> {
        for code_bit in 0..u32::try_from(self.places.len() / self.n_elements.max(1)).unwrap_or(0) {
            for (id, place) in (0u64..).zip(self.places_of(code_bit)) {
                if code(id) >> code_bit & 1 == 1 {
                    flip(&mut bytes, *place);
                }
            }
        }
        for &(place, id, code_bit) in &self.copies {
            if code(id) >> code_bit & 1 == 1 {
                flip(&mut bytes, place);
            }
        }
        bytes
    }
}

/// The packed bits that hold bit `code_bit` of some code, and of which: the code's number is
/// put together from one call for each of its bits.
fn held<F, E>(
    probe: &mut Probe<'_, F>,
    first: &[u8],
    code_bit: u32,
) -> Result<Vec<(u64, u64)>, Error<E>>
where
    F: FnMut(&[u32], &[i64]) -> Result<Vec<u8>, E>,
{
    let bits = probe.bits();
    let all = probe.ask(|id| random_code(id, bits) ^ 1 << code_bit)?;
    let mut held: Vec<(u64, u64)> = differences(&all, first).map(|place| (place, 0)).collect();
    for id_bit in 0..probe.id_bits() {
        let flipped = |id: u64| u32::from(id >> id_bit & 1 == 1) << code_bit;
        let some = probe.ask(|id| random_code(id, bits) ^ flipped(id))?;
        let mut rest = held.iter_mut();
        for place in differences(&some, first) {
            // Both lists are in order, so what is passed over has a 0 at this bit.
            match rest.find(|(known, _)| *known >= place) {
                Some((known, id)) if *known == place => *id |= 1 << id_bit,
                _ => return Err(Refusal::Computed { place, code_bit }.into()),
            }
        }
    }
    Ok(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two codes of two bits: the first in bits 0 and 1, the second in bits 4 and 5.
    fn pack(codes: &[u32], _: &[i64]) -> Result<Vec<u8>, std::convert::Infallible> {
        let byte = codes.iter().rev().fold(0, |byte, code| byte << 4 | code);
        Ok(vec![u8::try_from(byte).unwrap()])
    }

    #[test]
    fn every_bit_has_a_place() {
        let mut probe = Probe::new::<std::convert::Infallible>(pack, &[2], 2).unwrap();
        let owners = Owners::ask(&mut probe).unwrap();
        assert_eq!(owners.places, [0, 4, 1, 5]);
        assert_eq!(owners.owned, [0b0011_0011]);
        assert_eq!(probe.n_calls(), 2 * (1 + 1) + 1);
        assert_eq!(owners.zeros, [0]);
    }
}
