//! Memory that one instruction takes over from another: what a fusion writes over what it reads last, and what
//! a donated parameter would save.

use hashbrown::HashMap;

use super::Buffer;
use super::values::Values;
use crate::module::Instruction;
use crate::report::Donation;
use crate::shapes::Array;
use crate::source;

/// The donations that save something, and those that do not. The first are those where the parameter is read for the last time before its memory is
/// written, or by what writes it in place. Else the compiler copies the parameter first, and nothing is gained.
pub(super) fn saving(
    values: &mut Values<'_, '_>,
    ends: &[u32],
    donations: Vec<Donation>,
) -> [Vec<Donation>; 2] {
    if donations.is_empty() {
        return [donations, Vec::new()];
    }
    // Of the memory of each parameter and result in question: when it is written first, and read last.
    let pieces = donations.iter().filter_map(|donation| values.donated(&donation.alias));
    let pieces: Vec<[usize; 2]> = pieces.collect();
    let mut used: HashMap<usize, Option<(u32, u32)>> =
        pieces.into_iter().flatten().map(|piece| (piece, None)).collect();
    for time in 0..values.n_times() {
        for value in values.all(time) {
            if let Some(used) = used.get_mut(&values.find(value)) {
                let (_, last) = used.get_or_insert((time as u32, 0));
                *last = ends[value].max(*last);
            }
        }
    }
    let used = |piece: usize| used.get(&piece).copied().flatten();
    let (saving, useless) = donations.into_iter().partition(|donation| {
        let Some([given, taken]) = values.donated(&donation.alias) else { return true };
        let (Some((_, last)), Some((first, _))) = (used(given), used(taken)) else {
            return true;
        };
        let writes_over = |time: u32| {
            let writer = values.instruction(time as usize);
            let is_loop = writer.opcode() == "fusion" && writer.attribute("kind") == Some("kLoop");
            is_loop || ELEMENTWISE.contains(&writer.opcode())
        };
        given == taken || last < first || (last == first && writes_over(first))
    });
    [saving, useless]
}

/// Operations that can write over an operand, whatever they compute: each element comes of the one in its place.
const ELEMENTWISE: &[&str] = &[
    "copy",
    "add",
    "subtract",
    "multiply",
    "divide",
    "negate",
    "exponential",
    "maximum",
    "minimum",
    "tanh",
    "select",
    "convert",
    "abs",
    "log",
    "rsqrt",
    "sqrt",
    "and",
    "or",
    "not",
    "xor",
    "power",
    "remainder",
    "sign",
    "floor",
    "ceil",
    "cosine",
    "sine",
    "logistic",
    "clamp",
    "compare",
];

/// When each ends where an instruction writes its result over an operand that it reads last: as the compiler says
/// that it does, or where an element-wise fusion may.
pub(super) fn shared_ends(values: &mut Values<'_, '_>, buffers: &[Buffer]) -> Vec<u32> {
    let mut ends: Vec<u32> = buffers.iter().map(|buffer| buffer.end).collect();
    // The buffer of a value that lives at a time.
    let at = |value: u32, time: u32| {
        let after = buffers.partition_point(|b| (b.value, b.start) <= (value, time));
        let found = after.checked_sub(1).filter(|&n| buffers[n].value == value);
        found.filter(|&n| time <= buffers[n].end)
    };
    for time in 0..values.n_times() {
        let instruction = values.instruction(time);
        let now = time as u32;
        for (operand, result) in lent(values, time, instruction) {
            let [from, to] = [operand, result].map(|value| values.find(value) as u32);
            let (Some(from), Some(to)) = (at(from, now), at(to, now)) else { continue };
            let (lender, taker) = (buffers[from], buffers[to]);
            // Both are there now, the one for the last and the other for the first time.
            let takes_over = from != to && lender.end == now && taker.start == now;
            if takes_over && lender.space == taker.space && ends[from] == now {
                ends[from] = now.saturating_sub(1);
            }
        }
    }
    ends
}

/// The values that an instruction may write over others: of its operands, and of its result.
fn lent(
    values: &Values<'_, '_>,
    time: usize,
    instruction: &Instruction<'_>,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let all = values.all(time);
    let operands = || values.operands(time);
    let is_fusion = instruction.opcode() == "fusion";
    if instruction.opcode() == "custom-call"
        && instruction.attribute("custom_call_target") == Some("\"ConcatBitcast\"")
    {
        // The parts are where the whole is.
        let parts = operands().flat_map(|operand| values.all(operand));
        pairs.extend(parts.map(|part| (part, all.start)));
    }
    if is_fusion && instruction.attribute("kind") == Some("kLoop") {
        let flat = values.arrays(time);
        for (value, array) in all.clone().zip(&flat.arrays) {
            let Some(array) = array else { continue };
            for operand in operands() {
                let other = values.arrays(operand).arrays.first().and_then(Option::as_ref);
                if other.is_some_and(|other| other.bytes == array.bytes && is_alike(array, other)) {
                    pairs.push((values.all(operand).start, value));
                }
            }
        }
    }
    if is_fusion || instruction.opcode() == "custom-call" {
        let given: Vec<usize> = operands().collect();
        for (operand, result) in source::aliased_operands(instruction, given.len()) {
            let operand = given.get(operand).map(|&operand| values.all(operand).start);
            if let Some(operand) = operand.filter(|_| result < all.len()) {
                pairs.push((operand, all.start + result));
            }
        }
    }
    pairs
}

/// Whether the elements of two arrays lie alike.
fn is_alike(a: &Array, b: &Array) -> bool {
    let order = |array: &Array| array.shape.layout().map(|l| l.minor_to_major().clone());
    a.shape.dims() == b.shape.dims() && order(a) == order(b)
}
