//! Asking the packing function: codes out, bytes in, calls counted.

use crate::bits::mask;
use crate::error::{Error, Refusal};

/// An array of more bits is not asked about: there is a number for each.
const MAX_CODE_BITS: u64 = 1 << 28;

/// A packing function, and the array that it is asked about.
pub(crate) struct Probe<'a, F> {
    pack: F,
    dims: &'a [i64],
    codes: Vec<u32>,
    bits: u32,
    n_calls: usize,
    n_bytes: Option<usize>,
}

impl<'a, F> Probe<'a, F> {
    /// Of an array with at least one element, of codes of 1 to 32 bits.
    pub(crate) fn new<E>(pack: F, dims: &'a [i64], bits: u32) -> Result<Self, Error<E>> {
        let codes = vec![0; n_elements(dims, bits)?];
        Ok(Probe { pack, dims, codes, bits, n_calls: 0, n_bytes: None })
    }

    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    pub(crate) fn n_elements(&self) -> usize {
        self.codes.len()
    }

    pub(crate) fn n_calls(&self) -> usize {
        self.n_calls
    }

    /// How many bits the number of an element has: `ceil(log2 n)`.
    pub(crate) fn id_bits(&self) -> u32 {
        usize::BITS - self.codes.len().saturating_sub(1).leading_zeros()
    }

    /// The bytes for these codes, as many as in every other call.
    pub(crate) fn ask<E>(&mut self, code: impl Fn(u64) -> u32) -> Result<Vec<u8>, Error<E>>
    where
        F: FnMut(&[u32], &[i64]) -> Result<Vec<u8>, E>,
    {
        for (slot, id) in self.codes.iter_mut().zip(0..) {
            *slot = code(id);
        }
        self.n_calls += 1;
        let bytes = (self.pack)(&self.codes, self.dims).map_err(Error::Pack)?;
        let first = *self.n_bytes.get_or_insert(bytes.len());
        if bytes.len() != first {
            return Err(Refusal::Size { first, later: bytes.len() }.into());
        }
        Ok(bytes)
    }
}

/// How many codes there are, if that many are asked about.
pub(crate) fn n_elements<E>(dims: &[i64], bits: u32) -> Result<usize, Error<E>> {
    if !(1..=32).contains(&bits) {
        return Err(Error::Question(format!("codes have 1 to 32 bits, not {bits}")));
    }
    let size = |size: &i64| u64::try_from(*size).ok().filter(|size| *size > 0);
    let Some(sizes) = dims.iter().map(size).collect::<Option<Vec<u64>>>() else {
        return Err(Error::Question(format!("an array of {dims:?} has no elements to look for")));
    };
    let product = sizes.iter().try_fold(1u64, |product, size| product.checked_mul(*size));
    let elements = product.filter(|n| n.saturating_mul(u64::from(bits)) <= MAX_CODE_BITS);
    elements.and_then(|elements| usize::try_from(elements).ok()).ok_or_else(|| {
        Error::Question(format!(
            "an array of {dims:?} with {bits} bits each has more than the {MAX_CODE_BITS} bits that \
             are looked for one by one: a smaller shape has the same layout"
        ))
    })
}

/// Codes without a pattern, the same in every run: splitmix64 of the element's number.
pub(crate) fn random_code(id: u64, bits: u32) -> u32 {
    let word = scrambled(id);
    u32::try_from(word >> 32).unwrap_or(0) & mask(bits)
}

/// splitmix64, a bijection of 64-bit words without a pattern that data would have.
pub(crate) fn scrambled(id: u64) -> u64 {
    let word = id.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}
