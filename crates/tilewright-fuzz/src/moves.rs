//! What moves bytes: relayouts, and the code that is emitted for them, against the maps at every bit.

use std::num::NonZeroUsize;

use tilewright::IndexMap;
use tilewright_emit::{Array, Relayout, index_formula, offset_formula};
use tilewright_relayout::{InPlace, Pad, Placement, Plan, RunOptions, Threads};

use crate::drawn::Draw;
use crate::texts::row_major;

const WIDTHS: [u32; 14] = [8, 4, 16, 32, 1, 2, 3, 5, 6, 24, 64, 42, 127, 128];

/// Bytes without a pattern, the same every time.
fn noise(n: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..n).map(|_| next()).collect()
}

fn bit(bytes: &[u8], at: usize) -> bool {
    bytes[at / 8] >> (at % 8) & 1 == 1
}

fn set_bit(bytes: &mut [u8], at: usize, value: bool) {
    bytes[at / 8] = bytes[at / 8] & !(1 << (at % 8)) | u8::from(value) << (at % 8);
}

/// A map, and the bits of a slot.
type Side<'a> = (&'a IndexMap, u32);

/// What a relayout is: padding everywhere, then each element's bits, some of them flipped, zeros above them.
fn definition(
    src: &[u8],
    from: Side<'_>,
    to: Side<'_>,
    move_of: (u32, u128),
    pad: u128,
) -> Vec<u8> {
    let ((from, from_bits), (to, to_bits)) = (from, to);
    let (value, flip) = move_of;
    let (from_bits, to_bits) = (from_bits as usize, to_bits as usize);
    let value = (value as usize).min(from_bits).min(to_bits);
    let slots = to.allocation() as usize;
    let mut dst = vec![0; (slots * to_bits).div_ceil(8)];
    for slot in 0..slots {
        (0..to_bits).for_each(|b| set_bit(&mut dst, slot * to_bits + b, pad >> b & 1 == 1));
    }
    for number in 0..from.elements() {
        let index = row_major(from.dims(), number);
        let [s, d] = [from, to].map(|map| map.offset(&index).expect("an index of the array"));
        let (s, d) = (s as usize * from_bits, d as usize * to_bits);
        for b in 0..to_bits {
            let element = b < value && bit(src, s + b);
            set_bit(&mut dst, d + b, element != (flip >> b & 1 == 1));
        }
    }
    dst
}

/// Any layout to any other, elements of any width: as a whole, by chunks from just the bytes that are read, by threads,
/// and within one buffer. Where elements share slots of the destination it is refused, and only there.
pub(crate) fn relayout(data: &[u8]) -> bool {
    let mut draw = Draw::new(data);
    let dims = draw.dims(draw.size(700, 80));
    let (Some(from), Some(to)) = (draw.layout(&dims), draw.layout(&dims)) else { return false };
    let bits = draw.of(&WIDTHS);
    let to_bits = if draw.below(4) == 3 { draw.of(&WIDTHS) } else { bits };
    let value = if draw.below(8) == 7 { 1 + draw.below(128) as u32 } else { 128 };
    let flip = if draw.below(4) == 3 { draw.wide() } else { 0 };
    let pad = draw.wide();
    let what = format!("{} of {bits} bits to {} of {to_bits}, {value} of them", from.0, to.0);
    let placement = |map: &IndexMap, bits| Placement::new(map.clone(), bits).ok();
    let (Some(source), Some(target)) = (placement(&from.1, bits), placement(&to.1, to_bits)) else {
        return false;
    };
    let plan = match Plan::with_value_bits(&source, &target, value) {
        Ok(plan) => plan.flipping(flip),
        Err(error) => {
            assert!(error.is_sharing(), "{what}: {error}");
            assert_eq!(to.1.is_injective(), Ok(false), "{what}");
            return true;
        }
    };
    let flip = if to_bits == 128 { flip } else { flip & ((1 << to_bits) - 1) };
    let src = noise(plan.src_bytes());
    let expected = definition(&src, (&from.1, bits), (&to.1, to_bits), (value, flip), pad);
    let threads = if draw.below(64) == 63 { Threads::Count(TWO) } else { Threads::Current };
    let options = RunOptions { pad: Pad::Bits(pad), threads };
    let mut dst = vec![0xa5; plan.dst_bytes()];
    plan.run(&src, &mut dst, &options).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(dst, expected, "{what}");
    assert!(!plan.is_copy() || src == expected, "{what}: no copy");
    let chunked = plan.clone().with_chunks_of(draw.of(&[64, 1, 100, 256])).expect("chunks");
    let at_a_time = 1 + draw.below(3) as usize;
    assert_eq!(streamed(&chunked, &src, at_a_time, &options), expected, "{what}, by chunks");
    if flip == 0
        && value == 128
        && let Ok(plan) = InPlace::new(&source, &target)
    {
        let mut bytes = src;
        plan.run(&mut bytes, &options).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(bytes, expected, "{what}, in place");
    }
    true
}

const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// The destination written `n` chunks at a time from just the bytes that are read.
fn streamed(plan: &Plan, src: &[u8], n: usize, options: &RunOptions<'_>) -> Vec<u8> {
    let mut dst = Vec::new();
    for first in (0..plan.n_chunks()).step_by(n) {
        let chunks = first..(first + n).min(plan.n_chunks());
        let span = plan.source_span(chunks.clone());
        let bytes = plan.chunk_bytes(first).start..plan.chunk_bytes(chunks.end - 1).end;
        assert_eq!(bytes.start, dst.len(), "chunks follow each other");
        let mut part = vec![0x5a; bytes.len()];
        plan.run_chunks(chunks, &src[span.clone()], span.start, &mut part, options)
            .unwrap_or_else(|error| panic!("{error}"));
        dst.extend(part);
    }
    dst
}

/// The formulas of an offset and of an index, and a relayout's loops, run by the interpreter of what is printed.
pub(crate) fn emitted(data: &[u8]) -> bool {
    let mut draw = Draw::new(data);
    let dims = draw.dims(draw.size(400, 50));
    let Some((text, map)) = draw.layout(&dims) else { return false };
    check_formulas(&text, &map);
    let Some((to_text, to_map)) = draw.layout(&dims) else { return false };
    let bits = draw.of(&WIDTHS);
    let to_bits = if draw.below(4) == 3 { draw.of(&WIDTHS) } else { bits };
    let array = |text, map, bits| Array::new(text, map, bits).expect("a small array");
    let from = array(text.clone(), map.clone(), bits);
    let to = array(to_text.clone(), to_map.clone(), to_bits);
    let Ok(relayout) = Relayout::of(&from, &to) else { return false };
    let src = noise(relayout.src_bytes as usize);
    let mut dst = vec![0xa5; relayout.dst_bytes as usize];
    relayout.run(&src, &mut dst);
    let expected = definition(&src, (&map, bits), (&to_map, to_bits), (128, 0), 0);
    assert_eq!(dst, expected, "{text} of {bits} bits to {to_text} of {to_bits}");
    true
}

fn check_formulas(text: &str, map: &IndexMap) {
    let offsets = map.offsets().expect("a small map");
    let formula = offset_formula(map);
    let mut places = std::collections::BTreeMap::new();
    for (number, &offset) in offsets.iter().enumerate() {
        let index = row_major(map.dims(), number as i64);
        let worked_out = formula.evaluate(&index).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(worked_out.as_deref(), Some(&[offset][..]), "{text} at {index:?}");
        places.insert(offset, index);
    }
    // Where elements share places a formula leads to one of them.
    if places.len() != offsets.len() {
        return;
    }
    let Some(formula) = index_formula(map) else { return };
    for offset in map.lowest_offset()..map.lowest_offset() + map.allocation() {
        let index = formula.evaluate(&[offset]);
        let index = index.unwrap_or_else(|error| panic!("{text} at offset {offset}: {error}"));
        assert_eq!(index.as_ref(), places.get(&offset), "{text} at offset {offset}");
    }
}
