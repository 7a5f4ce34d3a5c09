//! What a buffer comes from.

use crate::names::Names;
use crate::source;

/// Followed over so many instructions.
const MAX_STEPS: usize = 64;

/// The instruction that what a buffer holds comes from. Of a buffer that an update fills piece by piece, as
/// a loop does that keeps something of each step, what makes the pieces; else `number`, which writes it,
/// as the result at a place of its tuple.
pub(super) fn origin(names: &Names<'_, '_>, number: usize, place: Option<u32>) -> usize {
    let mut at = number;
    let mut part = place.map(|place| place as usize);
    // The fusions that it is looked at through, the innermost last.
    let mut fusions: Vec<usize> = Vec::new();
    let mut is_piece = false;
    for _ in 0..MAX_STEPS {
        let Some(instruction) = names.module.instructions.get(at) else { break };
        let next = match instruction.opcode() {
            "dynamic-update-slice" => {
                is_piece = true;
                names.operand(at, 1)
            }
            "bitcast" | "copy" | "reshape" | "transpose" | "copy-done" | "copy-start" => {
                names.operand(at, 0).filter(|_| is_piece || !fusions.is_empty())
            }
            "get-tuple-element" if is_piece => {
                part = instruction.attribute("index").and_then(|index| index.parse().ok());
                names.operand(at, 0)
            }
            "tuple" => part.take().and_then(|part| names.operand(at, part)),
            "fusion" if !is_piece || part.is_some() || !source::has_metadata(instruction) => {
                fusions.push(at);
                names.named(instruction, "calls").and_then(|called| names.root(called))
            }
            "parameter" => fusions
                .pop()
                .and_then(|fusion| names.operand(fusion, instruction.parameter_number()?)),
            _ => None,
        };
        let Some(next) = next else { break };
        at = next;
    }
    let is_named = names.module.instructions.get(at).is_some_and(source::has_metadata);
    if is_piece && is_named { at } else { number }
}
