//! What is refused, and in which words.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use support::{composed, map, placement};
use tilewright::IndexMap;
use tilewright_relayout::{Error, InPlace, Pad, Placement, Plan, RunOptions, relayout};

fn message<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}

fn plan() -> Plan {
    let (from, to) = (placement("f32[3,5]", 32), placement("f32[3,5]{1,0:T(2,2)}", 32));
    Plan::new(&from, &to).unwrap().with_chunks_of(32).unwrap()
}

#[test]
fn widths_out_of_range() {
    for bits in [0, 129, u32::MAX] {
        let error = Placement::new(map("f32[3]"), bits).unwrap_err();
        assert!(error.is_width());
        let expected = format!("an element of {bits} bits is not supported, expected 1 to 128");
        assert_eq!(error.to_string(), expected);
        let (a, b) = (placement("f32[3]", 8), placement("f32[3]", 4));
        assert!(Plan::with_value_bits(&a, &b, bits).unwrap_err().is_width());
    }
}

#[test]
fn different_dimensions() {
    let error = Plan::new(&placement("f32[3,5]", 32), &placement("f32[5,3]", 32)).unwrap_err();
    assert!(error.is_dims_mismatch());
    let expected = "the source has dimensions [3, 5] and the destination [5, 3], expected the same";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn wrong_lengths() {
    let options = RunOptions::default();
    let long = plan().run(&[0; 61], &mut [0; 96], &options);
    assert_eq!(message(long), "the source has 61 bytes, expected 60");
    let short = plan().run(&[0; 60], &mut [0; 95], &options);
    assert_eq!(message(short), "the destination has 95 bytes, expected 96");
    let (from, to) = (placement("f32[3]", 32), placement("f32[3]{0:T(2)}", 32));
    assert!(relayout(&[], &from, &mut [0; 16], &to, Pad::Zero).unwrap_err().is_length_mismatch());
}

#[test]
fn chunks_and_parts_that_do_not_fit() {
    let plan = plan();
    let options = RunOptions::default();
    assert_eq!(plan.n_chunks(), 3);
    assert_eq!((plan.chunk_bytes(2), plan.chunk_bytes(3)), (64..96, 96..96));
    assert_eq!(plan.source_span(3..9), 0..0);
    let mut dst = [7; 32];
    let beyond = plan.run_chunks(2..4, &[0; 60], 0, &mut dst, &options).unwrap_err();
    assert!(beyond.is_chunk_out_of_range());
    assert_eq!(beyond.to_string(), "chunks 2..4 do not exist in a plan of 3 chunks");
    let length = plan.run_chunks(0..2, &[0; 60], 0, &mut dst, &options);
    assert_eq!(message(length), "the part of the destination has 32 bytes, expected 64");
    let span = plan.source_span(1..2);
    let late = plan.run_chunks(1..2, &[0; 60], span.start + 1, &mut dst, &options).unwrap_err();
    assert!(late.is_length_mismatch());
    let given = (span.start + 1, span.start + 61);
    let expected = format!(
        "the part of the source holds bytes {}..{}, but bytes {}..{} are read",
        given.0, given.1, span.start, span.end
    );
    assert_eq!(late.to_string(), expected);
    assert_eq!(dst, [7; 32]);
    #[expect(clippy::reversed_empty_ranges, reason = "that is the mistake")]
    let backwards = plan.run_chunks(2..1, &[0; 60], 0, &mut [], &options);
    assert!(backwards.unwrap_err().is_chunk_out_of_range());
}

#[test]
fn sizes_beyond_the_machine() {
    let wide = IndexMap::from_layout(&[1 << 60], &tilewright::xla::Layout::descending(1)).unwrap();
    assert!(Placement::new(wide.clone(), 8).unwrap_err().is_overflow());
}

/// As far as numbers go, a plan can be made without any data.
#[cfg(target_pointer_width = "64")]
#[test]
fn a_plan_of_more_than_there_is() {
    let huge = placement("f32[67108864,67108864]{1,0:T(8,128)}", 1);
    let rows = placement("f32[67108864,67108864]", 8);
    let plan = Plan::new(&rows, &huge).unwrap();
    assert_eq!(plan.chunk_bytes(plan.n_chunks() - 1).end, 1 << 49);
}

#[test]
fn offsets_before_the_buffer() {
    let map = tilewright::IndexMap::from_tla(&"(4):(-1)".parse().unwrap()).unwrap();
    let error = Placement::new(map, 8).unwrap_err();
    assert!(error.is_below_buffer());
    assert_eq!(error.to_string(), "the map has elements at offset -3, before the buffer begins");
}

/// What would keep one of several elements is refused, by name, whatever notation it came from; a
/// source in which elements share a slot is read.
#[test]
fn elements_that_share_a_slot() {
    let rows = composed("(4,4):(4,1)", 8);
    let shared = [
        ("(4,4):(1,1)", "(0,1) and (1,0) share offset 1"),
        ("(4,4):(0,1)", "(0,0) and (1,0) share offset 0"),
        ("(4,4):(4,0)", "(0,0) and (0,1) share offset 0"),
        ("Sw<1,0,2> o 0 o (4,4):(0,1)", "(0,0) and (1,0) share offset 0"),
        ("((2,2),4):((4,4),1)", "(1,0) and (2,0) share offset 4"),
    ];
    let few = if cfg!(miri) { 1 } else { shared.len() };
    for &(text, alias) in &shared[..few] {
        let to = composed(text, 8);
        let errors = [
            Plan::new(&rows, &to).unwrap_err(),
            Plan::with_value_bits(&rows, &to, 4).unwrap_err(),
            Plan::new(&to, &to).unwrap_err(),
            InPlace::new(&to, &to).unwrap_err(),
        ];
        for error in errors {
            assert!(error.is_sharing(), "{text}: {error}");
            assert!(error.to_string().ends_with(alias), "{text}: {error}");
        }
        Plan::new(&to, &rows).unwrap();
        Plan::new(&rows, &to.holding_copies()).unwrap();
    }
    for text in ["(4,4):(1,4)", "(4,4):(1,5)", "Sw<2,0,2> o 0 o (4,4):(4,1)"] {
        Plan::new(&rows, &composed(text, 8)).unwrap();
    }
    // A stride of 0 along one element is no sharing.
    Plan::new(&composed("(4,1):(1,1)", 8), &composed("(4,1):(1,0)", 8)).unwrap();
}

/// The same of more elements than are looked at one by one.
#[test]
#[cfg_attr(miri, ignore = "no memory is read or written, and it takes minutes")]
fn many_elements_that_share_a_slot() {
    let rows = composed("(131072,640):(640,1)", 8);
    for (text, alias) in [
        ("Sw<3,4,3> o 0 o (131072,640):(640,0)", "(0,0) and (0,1) share offset 0"),
        ("Sw<3,4,3> o 1 o (131072,640):(0,1)", "(0,0) and (1,0) share offset 1"),
        ("Sw<1,0,2> o 0 o (131072,640):(600,1)", "(0,600) and (1,0) share offset 600"),
    ] {
        let error = Plan::new(&rows, &composed(text, 8)).unwrap_err();
        assert!(error.is_sharing() && error.to_string().ends_with(alias), "{text}: {error}");
    }
    for text in ["Sw<3,4,3> o 0 o (131072,640):(640,1)", "Sw<3,4,-3> o 32 o (131072,640):(648,1)"] {
        Plan::new(&rows, &composed(text, 8)).unwrap();
    }
}
