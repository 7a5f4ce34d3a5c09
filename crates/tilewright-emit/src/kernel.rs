//! A relayout as a kernel: a thread for each word of the destination, which finds what belongs there.
//!
//! Neighbouring threads store neighbouring words, so that stores are coalesced whatever the layouts are; loads are as
//! the source lies (where it is transposed, see [`staged`](crate::staged)). A thread takes
//! the index of its slot in the destination, and from that the offset in the source: one formula. Where elements stay
//! what they are and lie together on both sides, a word is as many of them as are contiguous and aligned in all boxes,
//! up to 128 bits. Padding, and what lies behind the last slot, is what the formula finds no element for.

use crate::array::Array;
use crate::error::Error;
use crate::expression::{Arena, gcd};
use crate::formula::{Formula, Input};
use crate::index::index_at;
use crate::offset::offset_of;
use crate::range::Range;
use crate::relayout::{Body, Nest, Relayout, Transfer, Way};

/// What each thread of a relayout does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Kernel {
    /// From the number of a word of the destination, or of a slot where words are put together of elements, to the
    /// word or the slot of the source.
    pub formula: Formula,
    /// The bits of a word of the destination.
    pub word_bits: i64,
    /// How many words the destination has.
    pub words: i64,
    /// How a word is made.
    pub word: Word,
    /// What a word of padding is, from its first byte on.
    pub padding: Vec<u8>,
    /// How many slots the destination has.
    pub slots: i64,
}

/// How a thread makes its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// It is a word of the source.
    Whole,
    /// It is put together of so many elements.
    Elements(i64),
}

/// How wide words may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Widths {
    /// The fewest bits that are loaded or stored.
    pub(crate) least: i64,
    /// The most.
    pub(crate) most: i64,
    /// The most bits of an element that words are put together of.
    pub(crate) element: i64,
}

impl Kernel {
    /// The kernel of a relayout, whose threads load and store words of these widths.
    pub(crate) fn of(
        from: &Array,
        to: &Array,
        relayout: &Relayout,
        widths: Widths,
    ) -> Result<Self, Error> {
        let transfer = relayout.transfer;
        let slots = to.map().allocation();
        if let Some(grouping) = Grouping::of(relayout, slots, widths) {
            let word_bits = grouping.word_bits(transfer);
            let padding = padding(to, word_bits);
            let words = slots / grouping.elements * grouping.words;
            let formula = gather(from, to, words, grouping)?;
            return Ok(Kernel { formula, word_bits, words, word: Word::Whole, padding, slots });
        }
        check_widths(transfer, widths)?;
        // Bits of elements below a word are put together, of 32 bits where the destination is whole words.
        let word_bits = match transfer.dst_bits {
            bits if bits >= widths.least && bits >= 8 => bits,
            _ if relayout.dst_bytes % 4 == 0 => 32,
            _ => widths.least.max(8),
        };
        let elements = word_bits / transfer.dst_bits;
        let words = (slots + elements - 1) / elements;
        let (formula, padding) =
            (gather(from, to, slots, Grouping::SINGLE)?, padding(to, word_bits));
        Ok(Kernel { formula, word_bits, words, word: Word::Elements(elements), padding, slots })
    }

    /// The same with nothing but the test whether a word has elements.
    pub(crate) fn test_alone(mut self) -> Self {
        self.formula.outputs.clear();
        self
    }

    /// The padding of a word as a number.
    pub(crate) fn padding_number(&self) -> u128 {
        as_number(&self.padding)
    }
}

impl Relayout {
    /// Refuses slots of which a thread has none for itself: those that are no words of these widths.
    pub(crate) fn check_slots(&self, widths: &Widths) -> Result<(), Error> {
        let Transfer { src_bits, dst_bits, .. } = self.transfer;
        let most = if self.transfer.is_plain() { widths.most } else { widths.element };
        let is_word = |bits: i64| {
            (bits as u64).is_power_of_two() && bits >= widths.least.max(8) && bits <= most
        };
        if is_word(src_bits) && is_word(dst_bits) {
            return Ok(());
        }
        Err(Error::message(format!(
            "slots of {src_bits} bits become slots of {dst_bits}, and where an extent is an argument, a thread has a slot of its \
             own, of {} to {most} bits",
            widths.least.max(8)
        )))
    }
}

/// A slot of padding as a number.
pub(crate) fn padding_number(to: &Array, bits: i64) -> u128 {
    as_number(&padding(to, bits))
}

fn as_number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte))
}

fn check_widths(transfer: Transfer, widths: Widths) -> Result<(), Error> {
    for bits in [transfer.src_bits, transfer.dst_bits] {
        if !bits.is_positive() || !(bits as u64).is_power_of_two() || bits > widths.element {
            return Err(Error::message(format!(
                "a thread would have to put together elements of {bits} bits, and kernels take those of 1, 2, 4, 8, \
                 16, 32 and at most {} bits",
                widths.element
            )));
        }
    }
    Ok(())
}

/// So many elements are so many words; one of both is 1.
#[derive(Clone, Copy, Debug)]
struct Grouping {
    elements: i64,
    words: i64,
}

impl Grouping {
    const SINGLE: Self = Grouping { elements: 1, words: 1 };

    /// The widest words that are whole on both sides, if there are such of these widths.
    fn of(relayout: &Relayout, slots: i64, widths: Widths) -> Option<Self> {
        let dst_bits = relayout.transfer.dst_bits;
        let word_bits = power_of_two(grain(relayout)?).min(widths.most);
        let grouping = match word_bits % dst_bits {
            0 => Grouping { elements: word_bits / dst_bits, words: 1 },
            _ => Grouping { elements: 1, words: dst_bits / power_of_two(gcd(word_bits, dst_bits)) },
        };
        let is_wide = grouping.word_bits(relayout.transfer) >= widths.least;
        (is_wide && slots % grouping.elements == 0).then_some(grouping)
    }

    fn word_bits(self, transfer: Transfer) -> i64 {
        transfer.dst_bits * self.elements / self.words
    }
}

/// From the number of a word of the destination to that of the word in the source.
fn gather(from: &Array, to: &Array, words: i64, of: Grouping) -> Result<Formula, Error> {
    let mut arena = Arena::default();
    let range = Range::below(words);
    let word = arena.input(0, range, 1);
    let element = arena.divide(word, of.words);
    let slot = arena.scale(element, of.elements);
    let Some((valid, index)) = index_at(to.map(), &mut arena, slot) else {
        return Err(Error::message(format!(
            "digits of `{}` overlap: no formula takes an offset apart, which a thread for each slot needs",
            to.text()
        )));
    };
    let offset = offset_of(from.map(), &mut arena, &index);
    let source = arena.divide(offset, of.elements);
    let source = arena.scale(source, of.words);
    let part = arena.modulo(word, of.words);
    let source = arena.add(source, part);
    let inputs = vec![Input { name: "t".to_owned(), range }];
    Ok(Formula { arena, inputs, valid: Some(valid), outputs: vec![source] })
}

/// What a word of padding is: the library's byte, in each slot from its first bit on.
fn padding(to: &Array, word_bits: i64) -> Vec<u8> {
    let bits = i64::from(to.element_bits());
    let bit = |at: i64| to.padding() >> (at % bits % 8) & 1;
    (0..word_bits / 8)
        .map(|byte| (0..8).fold(0, |value, at| value | bit(byte * 8 + at) << at))
        .collect()
}

/// The number of bits that everything is a multiple of, where elements stay what they are.
fn grain(relayout: &Relayout) -> Option<i64> {
    if !relayout.transfer.is_plain() {
        return None;
    }
    let whole = gcd(relayout.dst_bytes, relayout.src_bytes);
    match &relayout.way {
        Way::Nests(nests) => {
            let grain =
                nests.iter().try_fold(whole, |grain, nest| Some(gcd(grain, grain_of(nest)?)));
            grain.map(|grain| grain * 8)
        }
        Way::Offsets { .. } => Some(relayout.transfer.dst_bits).filter(|bits| bits % 8 == 0),
    }
}

fn grain_of(nest: &Nest) -> Option<i64> {
    let of_body = match nest.body {
        Body::Run(bytes) => bytes,
        Body::Transpose { unit, src_pitch, dst_pitch, .. } => gcd(unit, gcd(src_pitch, dst_pitch)),
        Body::Element | Body::Bits | Body::Pack { .. } => return None,
    };
    let strides = nest.loops.iter().flat_map(|l| [l.src, l.dst]);
    Some(strides.chain([nest.src, nest.dst]).fold(of_body, gcd))
}

/// The largest power of two that divides a number.
fn power_of_two(number: i64) -> i64 {
    if number == 0 { 128 } else { 1 << number.trailing_zeros().min(10) }
}
