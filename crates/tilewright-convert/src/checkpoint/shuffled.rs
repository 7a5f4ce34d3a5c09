//! Weights of 8 and 4 bits as AITER's kernels take them: what they otherwise make of them each time a model is loaded.

use std::collections::HashMap;

use anyhow::bail;
use tilewright::{ElementClass, ElementType};
use tilewright_files::{ArrayFile, ArrayInfo};

use crate::targets::Targets;

/// What a scale stands beside.
const SCALES: [&str; 2] = [".weight_scale", ".weight_scale_inv"];

/// For each quantised weight of a file, a matrix of a byte an element with scales beside it, AITER's order; of scales that
/// are powers of two and have a block of a row each, theirs. All else stays.
///
/// # Errors
///
/// There is no such weight.
pub(crate) fn shuffled(file: &ArrayFile) -> anyhow::Result<Targets> {
    let arrays = file.arrays();
    let numbers: HashMap<&str, usize> =
        arrays.iter().enumerate().map(|(number, info)| (info.name(), number)).collect();
    let mut targets: HashMap<String, &'static str> = HashMap::new();
    for info in arrays.iter().filter(|info| is_weight(info)) {
        let Some(layer) = info.name().strip_suffix(".weight") else { continue };
        let scale = SCALES.iter().find_map(|end| numbers.get(format!("{layer}{end}").as_str()));
        let Some(scale) = scale.map(|&number| &arrays[number]) else { continue };
        targets.insert(info.name().to_owned(), "@aiter");
        if is_of_blocks(scale, info) {
            targets.insert(scale.name().to_owned(), "@aiter.scales");
        }
    }
    if targets.is_empty() {
        bail!(
            "no array is a quantised weight: `*.weight` of 8 bits, with a `*.weight_scale` beside it"
        );
    }
    Targets::exact(targets)
}

fn is_weight(info: &ArrayInfo) -> bool {
    let kind = info.element_type();
    let is_packed = matches!(kind, ElementType::U8 | ElementType::S8);
    info.layout().is_none()
        && info.dims().len() == 2
        && (is_packed || kind.class() == ElementClass::Float && kind.bits() == 8)
}

/// Whether a scale is a byte for each block of a row.
fn is_of_blocks(scale: &ArrayInfo, weight: &ArrayInfo) -> bool {
    let kind = scale.element_type();
    matches!(kind, ElementType::U8 | ElementType::F8E8M0Fnu)
        && scale.dims().len() == 2
        && scale.dims().first() == weight.dims().first()
}
