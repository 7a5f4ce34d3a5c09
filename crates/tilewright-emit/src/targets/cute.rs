//! CuTe: the layout as a C++ type, every number of it in the type.
//!
//! A CuTe layout is a function on all of its domain: it has no sizes that its modes pad. So layouts with padding
//! within their modes are refused, and there is nothing for a relayout, which `cute::copy` is. What is said as a
//! composition, `Sw<3,0,3> o 0 o (8,8):(8,1)` or a layout under a layout, is a `ComposedLayout`.

use super::Source;
use crate::array::Array;
use crate::code::Code;
use crate::error::Error;
use crate::words::{about, in_comment};
use tilewright::IndexMap;
use tilewright::algebra::{Composed, Outer};
use tilewright::map::Notation;
use tilewright::tla::Layout;

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
    let types = arrays.iter().flatten().map(|(array, _)| layout_type(array));
    let types = types.collect::<Result<Vec<_>, _>>()?;
    if types.iter().any(|name| name.contains("ComposedLayout")) {
        code.line("#include <cute/swizzle.hpp>");
        code.line("#include <cute/layout_composed.hpp>");
    }
    code.line("");
    for ((_, what), name) in arrays.iter().flatten().zip(types) {
        code.line(format!("using {}_{what} = {name};", source.name));
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
    if let Some(composed) = array.composed() {
        return composed_type(composed).ok_or_else(|| {
            refused(
                "the inner layout is larger than its original shape, and CuTe has no padding"
                    .to_owned(),
            )
        });
    }
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
    Ok(plain_type(shape, stride))
}

/// `shape:stride` as a type.
fn plain_type(shape: &str, stride: &str) -> String {
    format!("cute::Layout<{}, {}>", type_of(shape, "Shape"), type_of(stride, "Stride"))
}

/// `outer o offset o inner`; `None` where the inner layout has padding.
fn composed_type(composed: &Composed) -> Option<String> {
    let inner = composed.inner();
    let extents = inner.shape().product_each().ok()?;
    if inner.org_shape().ok()?.values() != extents.values() {
        return None;
    }
    let outer = match composed.outer() {
        Outer::Swizzle(swizzle) => {
            format!("cute::Swizzle<{}, {}, {}>", swizzle.bits(), swizzle.base(), swizzle.shift())
        }
        Outer::Layout(outer) => layout_of(outer),
    };
    let offset = composed.offset().value();
    Some(format!("cute::ComposedLayout<{outer}, cute::Int<{offset}>, {}>", layout_of(inner)))
}

fn layout_of(layout: &Layout) -> String {
    // Numbers known when compiled are said as `_8`; here all are.
    let [shape, stride] =
        [layout.shape().to_string(), layout.stride().to_string()].map(|text| text.replace('_', ""));
    plain_type(&shape, &stride)
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
