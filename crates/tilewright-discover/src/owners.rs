//! Which bit of which code each packed bit holds.
//!
//! Invariant of all calls after the first: a packed bit differs from what it is for codes of 0
//! exactly if the code bit that it holds is 1. Whatever breaks that is a [`Refusal`].

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
    /// Asks the function, `bits * (1 + ceil(log2 n)) + 2` times.
    pub(crate) fn ask<F, E>(probe: &mut Probe<'_, F>) -> Result<Self, Error<E>>
    where
        F: FnMut(&[u32], &[i64]) -> Result<Vec<u8>, E>,
    {
        let zeros = probe.ask(|_| 0)?;
        let n_elements = probe.n_elements();
        let mut owners = Owners {
            places: Vec::new(),
            n_elements,
            copies: Vec::new(),
            owned: vec![0; zeros.len()],
            zeros,
        };
        for code_bit in 0..probe.bits() {
            let held = owners.held(probe, code_bit)?;
            owners.place(code_bit, &held)?;
        }
        owners.prove(probe)?;
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

    /// The packed bits that hold bit `code_bit` of some code, and of which: the code's number is
    /// put together from one call for each of its bits.
    fn held<F, E>(
        &self,
        probe: &mut Probe<'_, F>,
        code_bit: u32,
    ) -> Result<Vec<(u64, u64)>, Error<E>>
    where
        F: FnMut(&[u32], &[i64]) -> Result<Vec<u8>, E>,
    {
        let all = probe.ask(|_| 1 << code_bit)?;
        let mut held: Vec<(u64, u64)> =
            differences(&all, &self.zeros).map(|place| (place, 0)).collect();
        for id_bit in 0..probe.id_bits() {
            let some = probe.ask(|id| u32::from(id >> id_bit & 1 == 1) << code_bit)?;
            let mut rest = held.iter_mut();
            for place in differences(&some, &self.zeros) {
                // Both lists are in order, so what is passed over has a 0 at this bit.
                match rest.find(|(known, _)| *known >= place) {
                    Some((known, id)) if *known == place => *id |= 1 << id_bit,
                    _ => return Err(Refusal::Computed { place, code_bit }.into()),
                }
            }
        }
        Ok(held)
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

    /// One call with codes without a pattern, held to what the places say.
    fn prove<F, E>(&self, probe: &mut Probe<'_, F>) -> Result<(), Error<E>>
    where
        F: FnMut(&[u32], &[i64]) -> Result<Vec<u8>, E>,
    {
        let bits = probe.bits();
        let packed = probe.ask(|id| random_code(id, bits))?;
        let expected = self.packed(bits, |id| random_code(id, bits));
        match differences(&packed, &expected).next() {
            None => Ok(()),
            Some(place) => Err(Refusal::Values { place, holds: self.holds(place) }.into()),
        }
    }

    /// The bytes that hold these codes.
    fn packed(&self, bits: u32, code: impl Fn(u64) -> u32) -> Vec<u8> {
        let mut bytes = self.zeros.clone();
        for code_bit in 0..bits {
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

    /// The element and the code bit that a place holds, if it holds one.
    fn holds(&self, place: u64) -> Option<(u64, u32)> {
        let number = self.places.iter().position(|at| *at == place);
        let first = number.and_then(|number| {
            let bit = u32::try_from(number / self.n_elements.max(1)).ok()?;
            Some((u64::try_from(number % self.n_elements.max(1)).ok()?, bit))
        });
        let copy = self.copies.iter().find(|(at, _, _)| *at == place);
        first.or(copy.map(|&(_, id, bit)| (id, bit)))
    }
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
        assert_eq!(probe.n_calls(), 2 * (1 + 1) + 2);
    }
}
