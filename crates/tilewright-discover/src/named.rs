//! Which layout of the catalogue takes codes to packed bytes, or else what the data shows.

use std::convert::Infallible;

use tilewright::element::ElementClass;
use tilewright::formats::catalogue::{NamedArray, fitting};
use tilewright::map::{Fitted, Notation};
use tilewright::{ElementType, IndexMap};

use crate::error::Error;
use crate::form::Form;
use crate::identify::{Candidate, Guess, identify};

/// An array of codes in row-major order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codes {
    /// Its dimensions.
    pub dims: Vec<i64>,
    /// The codes, of `bits` bits; signed ones in two's complement.
    pub codes: Vec<u32>,
    /// The bits of a code, 1 to 32.
    pub bits: u32,
    /// Whether they are meant as signed numbers.
    pub is_signed: bool,
}

/// A layout that takes an array of codes to packed bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identified {
    /// Its name in the catalogue, if it has one: `marlin`.
    pub name: Option<String>,
    /// The array in it, `u4[128,64]@marlin`; or of a layout without a name its shape and stride, or what there is
    /// instead, in words.
    pub text: String,
    /// The bits of a code that it stores flipped.
    pub xor_mask: u32,
    /// Which others fit as well, or may, and what data would settle it.
    pub open: Option<String>,
}

impl Codes {
    /// The codes of numbers in elements of `width` bits: as narrow as every number fits in, of the widths that there
    /// are types of, if `bits` does not say. Then signed numbers of which none is below 0 are unsigned codes: who has
    /// nibbles in a type that has no unsigned ones of its size means those.
    ///
    /// ```
    /// use tilewright_discover::Codes;
    /// let codes = Codes::of_numbers(vec![4], &[0, 7, 0xFFFF_FFF8, 3], 32, true, None);
    /// assert_eq!((codes.bits, codes.codes), (4, vec![0, 7, 8, 3]));
    /// ```
    pub fn of_numbers(
        dims: Vec<i64>,
        numbers: &[u32],
        width: u32,
        is_signed: bool,
        bits: Option<u32>,
    ) -> Self {
        let width = width.clamp(1, 32);
        let is_below_0 = |number: &u32| number >> (width - 1) & 1 == 1;
        let is_signed = is_signed && (bits.is_some() || numbers.iter().any(is_below_0));
        let bits = bits.unwrap_or_else(|| narrowest(numbers, is_signed, width)).clamp(1, 32);
        let codes = numbers.iter().map(|number| number & (u32::MAX >> (32 - bits))).collect();
        Codes { dims, codes, bits, is_signed }
    }

    /// The types that codes of so many bits may be meant as: the array's own, then that of the other sign.
    fn types(&self) -> Vec<ElementType> {
        let is_one = |kind: &ElementType, class| kind.class() == class && kind.bits() == self.bits;
        let of = |class| ElementType::ALL.iter().copied().find(|kind| is_one(kind, class));
        let [signed, unsigned] = [of(ElementClass::Signed), of(ElementClass::Unsigned)];
        let order = if self.is_signed { [signed, unsigned] } else { [unsigned, signed] };
        order.into_iter().flatten().collect()
    }
}

/// As many bits as every number fits in, of the widths that there are types of.
fn narrowest(numbers: &[u32], is_signed: bool, width: u32) -> u32 {
    let fits = |bits: &u32| match is_signed {
        // Of two's complement, all bits from the sign on are alike.
        true => numbers.iter().all(|number| {
            let value = number << (32 - width);
            let again = ((value << (width - bits)) as i32 >> (width - bits)) as u32;
            again == value
        }),
        false => numbers.iter().all(|number| u64::from(*number) < 1 << bits),
    };
    [1, 2, 3, 4, 8, 16].into_iter().filter(|&bits| bits < width).find(fits).unwrap_or(width)
}

/// The layouts that take codes to packed bytes: those of the catalogue that do at every element, or else the one that
/// the data shows; none if there is none.
///
/// ```
/// use tilewright_discover::{Codes, identify_named};
/// let codes: Vec<u32> = (0..64).map(|i| (i * i + i / 8) % 16).collect();
/// let codes = Codes { dims: vec![8, 8], codes, bits: 4, is_signed: false };
/// // Rows of eight codes, of which 0, 2, 4, 6, 1, 3, 5, 7 are the nibbles of a word.
/// let word = |row: &[u32]| [0, 2, 4, 6, 1, 3, 5, 7].iter().rev().fold(0, |w, &i| w << 4 | row[i]);
/// let packed: Vec<u8> = codes.codes.chunks(8).flat_map(|row| word(row).to_le_bytes()).collect();
/// assert_eq!(identify_named(&codes, &packed)?[0].text, "u4[8,8]@awq");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`identify`].
pub fn identify_named(codes: &Codes, packed: &[u8]) -> Result<Vec<Identified>, Error<Infallible>> {
    let Codes { dims, bits, .. } = codes;
    let named = codes.types().into_iter().flat_map(|kind| fitting(kind, dims));
    let named: Vec<NamedArray> = named.collect();
    let texts: Vec<String> = named.iter().map(NamedArray::to_string).collect();
    let candidates: Vec<Candidate<'_>> =
        named.iter().zip(&texts).map(|(array, text)| candidate(array, text)).collect();
    let found = identify(&codes.codes, packed, dims, *bits, &candidates)?;
    let open = found.open;
    let mut all: Vec<Identified> = Vec::new();
    for one in &found.matches {
        let both = named.get(one.candidate).zip(candidates.get(one.candidate));
        let Some((array, &Candidate { xor_mask, .. })) = both else { continue };
        let name = Some(array.layout().to_string());
        // The same name for either sign is one layout, where nothing is flipped.
        if !all.iter().any(|other| other.name == name && other.xor_mask == xor_mask) {
            all.push(Identified { name, text: one.name.clone(), xor_mask, open: open.clone() });
        }
    }
    if let (true, Some(guess)) = (all.is_empty(), &found.guess) {
        let (text, xor_mask) = (guess.text(*bits), guess.xor_mask);
        all.push(Identified { name: None, text, xor_mask, open });
    }
    Ok(all)
}

fn candidate<'a>(array: &'a NamedArray, text: &'a str) -> Candidate<'a> {
    let xor_mask = u32::try_from(array.xor_mask()).unwrap_or(0);
    Candidate { name: text, map: array.index_map(), xor_mask }
}

impl Guess {
    /// As shape and stride, where it is that.
    fn text(&self, bits: u32) -> String {
        let allocation = self.map.as_ref().map_or(0, IndexMap::allocation);
        if let Ok(Some(composition)) = self.form.composition(allocation) {
            return composition.to_string();
        }
        let text = self.map.as_ref().and_then(|map| map.to_notation(Notation::Tla, bits).ok());
        match (text, &self.form) {
            (Some(text), _) => text,
            (None, Form::Merged { groups, fitted: Fitted { base, layout } }) => {
                format!("{base} + {layout} of the dimensions {groups:?} merged")
            }
            (None, Form::Linear(_)) => "each bit of the index flips bits of the offset".to_owned(),
            (None, Form::Table(reason)) => format!("a permutation and no layout: {reason}"),
            (None, _) => "a permutation".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nibbles one a byte: a layout with gaps, whose memory goes on behind the last.
    #[test]
    fn layouts_with_gaps_are_told() {
        let random = |i: u32| {
            let mixed = (i ^ i << 13).wrapping_mul(2_654_435_761);
            (mixed ^ mixed >> 15).wrapping_mul(2_246_822_507) >> 28
        };
        let numbers: Vec<u32> = (0..2048u32).map(random).collect();
        let codes = Codes::of_numbers(vec![64, 32], &numbers, 8, false, None);
        let code = |i: usize| numbers[i % 64 * 32 + i / 64].to_le_bytes()[0];
        let packed: Vec<u8> = (0..2048).map(code).collect();
        let found = identify_named(&codes, &packed).unwrap();
        assert_eq!((&found[0].name, found[0].text.as_str()), (&None, "(64,32):(2,128)"));
    }

    #[test]
    fn numbers_are_as_narrow_as_they_can_be() {
        let bits = |numbers: &[u32], width, is_signed| {
            Codes::of_numbers(vec![1], numbers, width, is_signed, None).bits
        };
        assert_eq!(
            [bits(&[0, 1], 8, false), bits(&[7], 8, false), bits(&[8], 8, false)],
            [1, 3, 4]
        );
        assert_eq!([bits(&[0xF8], 8, true), bits(&[8, 0xFF], 8, true)], [4, 8]);
        assert_eq!([bits(&[u32::MAX], 32, true), bits(&[u32::MAX], 32, false)], [1, 32]);
        // 8 to 15 are nibbles, in a signed type too.
        assert_eq!([bits(&[15], 32, true), bits(&[0x80], 8, true)], [4, 8]);
        assert!(!Codes::of_numbers(vec![1], &[15], 32, true, None).is_signed);
        assert!(Codes::of_numbers(vec![1], &[7], 8, true, Some(4)).is_signed);
        assert_eq!(Codes::of_numbers(vec![1], &[0xFD], 8, true, Some(4)).codes, [13]);
    }
}
