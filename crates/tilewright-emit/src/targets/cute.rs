//! CuTe: the layout as a C++ type, every number of it in the type.
//!
//! A CuTe layout is a function on all of its domain: it has no sizes that its modes pad. So layouts with padding
//! within their modes are refused, and there is nothing for a relayout, which `cute::copy` is.

use super::Source;
use crate::array::Array;
use crate::code::Code;
use crate::error::Error;
use crate::words::{about, in_comment};
use tilewright::IndexMap;
use tilewright::map::Notation;

pub(super) fn emit(source: &Source<'_>) -> Result<String, Error> {
    let mut code = Code::default();
    code.line("// CuTe layouts of:");
    let arrays = [
        Some((source.array, "layout")),
        source.other.as_ref().map(|(other, _)| (*other, "to_layout")),
    ];
    for line in arrays.iter().flatten().flat_map(|(array, _)| about(array)) {
        code.line(format!("//   {line}"));
    }
    code.line("#pragma once");
    code.line("#include <cute/layout.hpp>");
    code.line("");
    for (array, what) in arrays.into_iter().flatten() {
        code.line(format!("using {}_{what} = {};", source.name, layout_type(array)?));
    }
    if source.other.is_some() {
        code.line(format!(
            "// The relayout is `cute::copy` of a tensor of {0}_layout to one of {0}_to_layout.",
            source.name
        ));
    }
    Ok(code.into_text())
}

fn layout_type(array: &Array) -> Result<String, Error> {
    let refused = |reason: String| {
        Error::message(format!("CuTe has no type for `{}`: {reason}", in_comment(array.text())))
    };
    let map = array.map();
    let text = map
        .to_notation(Notation::Cute, array.element_bits())
        .map_err(|reason| refused(reason.to_string()))?;
    let Some((shape, stride)) = text.split_once(':') else {
        return Err(refused("it is no shape and stride".to_owned()));
    };
    if map.base() != 0 {
        return Err(refused("its first element is not at offset 0".to_owned()));
    }
    if let Some(dim) = padded_mode(map, shape) {
        return Err(refused(format!(
            "the modes of dimension {dim} are larger than its extent, and CuTe has no padding"
        )));
    }
    Ok(format!("cute::Layout<{}, {}>", type_of(shape, "Shape"), type_of(stride, "Stride")))
}

/// The first dimension whose modes have a larger product than its extent.
fn padded_mode(map: &IndexMap, shape: &str) -> Option<usize> {
    let product = |mode: &str| {
        let numbers = mode.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
        numbers.fold(1i128, |product, number| product * number.parse::<i128>().unwrap_or(0))
    };
    modes(shape).iter().zip(map.dims()).position(|(mode, &extent)| product(mode) != extent.into())
}

/// The outermost modes of a tuple; of a single number, that.
fn modes(text: &str) -> Vec<&str> {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
        return vec![text];
    };
    let (mut depth, mut start, mut modes) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if c == ',' && depth == 0 {
            modes.push(&inner[start..at]);
            start = at + 1;
        }
    }
    if start < inner.len() {
        modes.push(&inner[start..]);
    }
    modes
}

/// `((2,4),8)` as nested types of integral constants.
fn type_of(text: &str, tuple: &str) -> String {
    if !text.starts_with('(') {
        return format!("cute::Int<{text}>");
    }
    let inner: Vec<String> = modes(text).into_iter().map(|mode| type_of(mode, tuple)).collect();
    format!("cute::{tuple}<{}>", inner.join(", "))
}
