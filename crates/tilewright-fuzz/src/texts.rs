//! Texts and bytes in the notations of layouts.

use tilewright::algebra::{Composition, Tiler};
use tilewright::formats::Target;
use tilewright::formats::catalogue::{NamedArray, NamedLayout};
use tilewright::notation::{Described, DescribedArray};
use tilewright::onednn::{self, TaggedArray};
use tilewright::strided::StridedArray;
use tilewright::text::Diagnostic;
use tilewright::tla::{self, IntTuple};
use tilewright::xla::{self, ParseOptions, parse_layout, parse_shape};
use tilewright::{ArrayShape, ElementType, IndexMap, Shape, literal};
use tilewright_calc::Expression;

use crate::is_one_in;

/// Maps of more elements or slots than this are asked nothing that goes over all of them.
const MOST: i64 = 4096;

/// Larger maps, padding included, are not asked for their last element where that is looked for place by place.
const MOST_TRIED: i64 = 1 << 16;

fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

fn options(strict: bool) -> ParseOptions {
    ParseOptions { strict, ..ParseOptions::default() }
}

/// A diagnostic points into its text, at whole characters, and can be shown.
fn check_diagnostic(diagnostic: &Diagnostic) {
    let (text, span) = (diagnostic.source_text(), diagnostic.span());
    assert!(text.get(span.start..span.end).is_some(), "{span:?} of {text:?}");
    assert!(!diagnostic.message().is_empty());
    assert!(!diagnostic.to_string().is_empty());
}

/// XLA's shapes and layouts, strict and not: what is printed is read as the same value in either mode, and what is
/// strict is read alike by both.
pub(crate) fn xla_text(data: &[u8]) -> bool {
    let Some(text) = text(data) else { return false };
    let [strict, lenient] = [true, false].map(|strict| parse_shape(text, options(strict)));
    match &lenient {
        Ok(parsed) => check_shape(&parsed.value, data),
        Err(diagnostic) => check_diagnostic(diagnostic),
    }
    match &strict {
        Err(diagnostic) if lenient.as_ref() != Err(diagnostic) => check_diagnostic(diagnostic),
        _ => {}
    }
    if let Ok(strict) = strict {
        assert_eq!(Ok(strict.value), lenient.clone().map(|parsed| parsed.value), "{text}");
    }
    let mut is_read = lenient.is_ok();
    for strict in [true, false] {
        match parse_layout(text, options(strict)) {
            Ok(parsed) => {
                check_layout(&parsed.value);
                is_read = true;
            }
            Err(diagnostic) => check_diagnostic(&diagnostic),
        }
    }
    is_read
}

fn check_layout(layout: &xla::Layout) {
    let printed = layout.to_string();
    let again = parse_layout(&printed, options(false)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(&again.value, layout, "{printed}");
    assert_eq!(xla::Layout::from_proto_bytes(&layout.to_proto_bytes()).as_ref(), Ok(layout));
}

fn check_shape(shape: &Shape, data: &[u8]) {
    let printed = shape.to_string();
    match parse_shape(&printed, options(false)) {
        Ok(again) => {
            // Not strictly: `PAD` is printed too, which XLA does not know. A proto may have no layout, where a text has the default one.
            assert_eq!(again.value.drop_layouts(), shape.drop_layouts(), "{printed}");
            if shape.has_layouts() {
                assert_eq!(&again.value, shape, "{printed}");
            }
        }
        // A proto may say it of a dense array. XLA prints that too, and its parser refuses it.
        Err(error) => assert!(error.message().ends_with("but the array is not sparse"), "{error}"),
    }
    assert_eq!(Shape::from_proto_bytes(&shape.to_proto_bytes()).as_ref(), Ok(shape), "{printed}");
    for array in shape.arrays().take(4) {
        let _ = (array.bytes(), array.padding_bytes(), array.xla_bytes(), array.is_untiled());
        let _ = (array.byte_strides(), array.in_physical_order(), array.elements());
        if let Ok(map) = array.index_map() {
            check_map(&map, data);
        }
    }
}

/// An index has one offset, which leads back to it; and the map can be asked everything: one input in 8, since that takes
/// ten times as long as to read it.
fn check_map(map: &IndexMap, data: &[u8]) {
    let _ = (map.index_expression(), map.bytes(16));
    // Where dimensions are merged or swizzled, the padding or every element is tried place by place, up to 2²⁸ of them.
    if map.is_separable() || map.allocation() <= MOST_TRIED {
        let _ = map.max_offset();
    }
    if !is_one_in(8, data) || map.elements() > MOST || map.allocation() > 4 * MOST {
        return;
    }
    let offsets = map.offsets().expect("a small map has a table");
    assert_eq!(offsets.len() as i64, map.elements());
    let lowest = map.lowest_offset();
    let within = lowest..lowest + map.allocation();
    assert!(offsets.iter().all(|offset| within.contains(offset)), "{}", map.index_expression());
    let mut sorted = offsets.clone();
    sorted.sort_unstable();
    let is_injective = sorted.windows(2).all(|pair| pair[0] != pair[1]);
    assert_eq!(map.is_injective(), Ok(is_injective), "{}", map.index_expression());
    for (number, &offset) in offsets.iter().enumerate().step_by(1 + offsets.len() / 16) {
        let index = row_major(map.dims(), number as i64);
        assert_eq!(map.offset(&index), Ok(offset));
        match map.index(offset) {
            Ok(Some(found)) if is_injective => assert_eq!(found, index),
            Ok(Some(found)) => assert_eq!(map.offset(&found), Ok(offset)),
            // Of maps whose elements share offsets not every index can be worked out.
            Err(_) if !is_injective => {}
            other => panic!("{offset} of {}: {other:?}", map.index_expression()),
        }
    }
    check_lists(map, &offsets, is_injective);
    if let Ok(lifted) = map.to_xla_layout() {
        let again = IndexMap::from_layout(map.dims(), &lifted).expect("a lifted layout lowers");
        assert_eq!(again.offsets().as_ref(), Ok(&offsets), "{lifted}");
    }
}

/// Lists of indices and of offsets are answered as one at a time.
fn check_lists(map: &IndexMap, offsets: &[i64], is_injective: bool) {
    let indices: Vec<i64> =
        (0..map.elements()).flat_map(|number| row_major(map.dims(), number)).collect();
    let mut found = vec![-2; offsets.len()];
    map.offsets_at(&indices, &mut found).expect("indices of the array");
    assert_eq!(found, offsets, "{}", map.index_expression());
    let mut found = vec![-2; indices.len()];
    match map.indices_at(offsets, &mut found) {
        Ok(()) if is_injective => assert_eq!(found, indices, "{}", map.index_expression()),
        Ok(()) => {}
        Err(error) => assert!(!is_injective, "{error} of {}", map.index_expression()),
    }
}

pub(crate) fn row_major(dims: &[i64], number: i64) -> Vec<i64> {
    let mut rest = number;
    let mut index = vec![0; dims.len()];
    for (value, extent) in index.iter_mut().zip(dims).rev() {
        *value = rest % extent;
        rest /= extent;
    }
    index
}

/// TLA's and CuTe's layouts, tuples, tags, tilers, and compositions with swizzles.
pub(crate) fn tla_text(data: &[u8]) -> bool {
    let Some(text) = text(data) else { return false };
    let mut is_read = false;
    match text.parse::<tla::Layout>() {
        Ok(layout) => {
            is_read = true;
            assert_eq!(layout.to_string().parse().as_ref(), Ok(&layout), "{text}");
            let _ = (layout.size(), layout.cosize(), layout.org_shape());
            if let Ok(map) = IndexMap::from_tla(&layout) {
                check_map(&map, data);
            }
        }
        Err(diagnostic) => check_diagnostic(&diagnostic),
    }
    match text.parse::<Composition>() {
        Ok(composition) => {
            is_read = true;
            assert_eq!(composition.to_string().parse().as_ref(), Ok(&composition), "{text}");
            if let Ok(map) = IndexMap::from_composition(&composition) {
                check_map(&map, data);
            }
        }
        Err(diagnostic) => check_diagnostic(&diagnostic),
    }
    if let Ok(tuple) = text.parse::<IntTuple>() {
        assert_eq!(tuple.to_string().parse().as_ref(), Ok(&tuple), "{text}");
    }
    if let Ok(tiler) = text.parse::<Tiler>() {
        assert_eq!(tiler.to_string().parse().as_ref(), Ok(&tiler), "{text}");
    }
    if let Ok(tag) = text.parse::<tla::Tag>() {
        assert_eq!(tag.to_string().parse().as_ref(), Ok(&tag), "{text}");
    }
    is_read
}

/// Expressions of the algebra: worked out, told step by step, and a layout that comes out is one that can be read.
pub(crate) fn algebra(data: &[u8]) -> bool {
    let Some(text) = text(data) else { return false };
    let Ok(expression) = Expression::parse(text) else { return false };
    let value = expression.value();
    let explained = expression.explained();
    if let Err(error) = &value {
        assert!(!error.to_string().is_empty());
        error.diagnostic().into_iter().for_each(check_diagnostic);
    }
    if let Ok(tilewright_calc::Value::Layout(layout)) = &value {
        assert_eq!(layout.to_string().parse().as_ref(), Ok(layout), "{text}");
    }
    if let (Ok(tilewright_calc::Value::Layout(Composition::Layout(layout))), Ok(told)) =
        (&value, &explained)
    {
        assert_eq!(told.outcome().as_ref(), Ok(layout), "{text}");
    }
    value.is_ok()
}

/// oneDNN's tags, and arrays in its words.
pub(crate) fn onednn_tag(data: &[u8]) -> bool {
    let Some(text) = text(data) else { return false };
    let mut is_read = false;
    match text.parse::<onednn::Tag>() {
        Ok(tag) => {
            is_read = true;
            assert_eq!(tag.to_string().parse().as_ref(), Ok(&tag), "{text}");
            let dims: Vec<i64> = (0..tag.rank() as i64).map(|dim| 2 + dim % 3).collect();
            if let Ok(map) = tag.index_map(&dims) {
                check_map(&map, data);
            }
        }
        Err(diagnostic) => check_diagnostic(&diagnostic),
    }
    if let Ok(array) = text.parse::<TaggedArray>() {
        is_read = true;
        assert_eq!(array.to_string().parse().as_ref(), Ok(&array), "{text}");
        if let Ok(map) = array.index_map() {
            check_map(&map, data);
        }
    }
    is_read
}

/// Arrays with strides in bytes.
pub(crate) fn numpy_strides(data: &[u8]) -> bool {
    let Some(text) = text(data) else { return false };
    match text.parse::<StridedArray>() {
        Ok(array) => {
            assert_eq!(array.to_string().parse().as_ref(), Ok(&array), "{text}");
            let _ = array.bytes();
            if let Ok(map) = array.index_map() {
                check_map(&map, data);
            }
            true
        }
        Err(diagnostic) => {
            check_diagnostic(&diagnostic);
            false
        }
    }
}

/// Layouts with names, arrays in any notation, and what an array may be asked to become.
pub(crate) fn named_layout(data: &[u8]) -> bool {
    let Some(text) = text(data) else { return false };
    let mut is_read = false;
    match Described::parse(text, options(false)) {
        Ok(parsed) => {
            check_described(&parsed.value, text, data);
            is_read = true;
        }
        Err(diagnostic) => check_diagnostic(&diagnostic),
    }
    if let Ok(layout) = text.parse::<NamedLayout>() {
        assert_eq!(layout.to_string().parse().as_ref(), Ok(&layout), "{text}");
    }
    if let Ok(named) = text.parse::<NamedArray>() {
        assert_eq!(named.to_string().parse().as_ref(), Ok(&named), "{text}");
        check_map(named.index_map(), data);
    }
    match Target::parse(text, options(false)) {
        Ok(target) => {
            is_read = true;
            let array: Shape = "bf16[16,64]".parse().expect("a shape");
            let _ = target.value.applied_to(array.as_array().expect("an array"));
        }
        Err(diagnostic) => check_diagnostic(&diagnostic),
    }
    is_read
}

fn check_described(said: &Described, text: &str, data: &[u8]) {
    let again = Described::parse(&said.to_string(), options(false));
    let again = again.unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(&again.value, said, "{text}");
    let _ = (said.element_bits(), said.to_array(), said.spelled_out());
    if let Ok(array) = DescribedArray::new(said.clone()) {
        let _ = (array.bytes(), array.dims(), array.padding(None), array.xor_mask());
    }
    if let Ok(map) = said.index_map() {
        check_map(&map, data);
    }
}

/// A type and a value of it: the bits that it has are no more than the type's, and padding of that value is the same.
pub(crate) fn literal(data: &[u8]) -> bool {
    let parts = text(data).and_then(|text| text.split_once(' '));
    let Some((name, value)) = parts else { return false };
    let Ok(element_type) = name.parse::<ElementType>() else { return false };
    let bits = literal::bits(value, element_type);
    match &bits {
        Ok(bits) => {
            let beyond = bits.checked_shr(element_type.bits()).unwrap_or(0);
            assert_eq!(beyond, 0, "{name} {value}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let array: ArrayShape = format!("{name}[3]").parse().expect("an array of any type");
    let padding = literal::padding(&array, Some(value));
    assert_eq!(padding.ok().map(|(bits, _)| bits), bits.clone().ok(), "{name} {value}");
    bits.is_ok()
}

/// Protobuf bytes of shapes and layouts: what is read is written as bytes that are read as the same.
pub(crate) fn xla_proto(data: &[u8]) -> bool {
    let shape = Shape::from_proto_bytes(data);
    if let Ok(shape) = &shape {
        check_shape(shape, data);
    }
    if let Ok(layout) = xla::Layout::from_proto_bytes(data) {
        let bytes = layout.to_proto_bytes();
        assert_eq!(xla::Layout::from_proto_bytes(&bytes).as_ref(), Ok(&layout));
    }
    shape.is_ok()
}

/// Questions in JSON: whatever comes in, JSON with an answer or with an error comes out.
pub(crate) fn questions(data: &[u8]) -> bool {
    let reply = tilewright_ask::ask_bytes(data);
    let reply: serde_json::Value = serde_json::from_str(&reply).expect("a reply is JSON");
    let is_reply =
        |reply: &serde_json::Value| reply.get("answer").is_some() != reply.get("error").is_some();
    match &reply {
        serde_json::Value::Array(replies) => assert!(replies.iter().all(is_reply), "{reply}"),
        one => assert!(is_reply(one), "{reply}"),
    }
    reply.is_array() || reply.get("answer").is_some()
}
