//! Arrays that are large enough to be streamed, or to be more panels than one, against the maps' own offsets.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use std::num::NonZeroUsize;

use support::{composed, noise, placement, streamed};
use tilewright::notation::DescribedArray;
use tilewright_relayout::{KernelKind, Pad, Placement, Plan, Route, RunOptions, Threads};

/// Moves an array of elements of `bits` bits, whole bytes, on as many threads as there are ways to
/// ask for, in chunks as planned and in chunks of about `chunk` bytes.
fn check(from: &str, to: &str, bits: u32, chunk: usize) {
    check_move(&placement(from, bits), &placement(to, bits), chunk, &format!("{from} to {to}"));
}

/// The same of what is called so.
fn check_move(source: &Placement, target: &Placement, chunk: usize, name: &str) {
    let src = noise(source.bytes());
    let pad = 0x0807_0605_0403_0201_u128;
    let unit = source.element_bits() as usize / 8;
    let slot = &pad.to_le_bytes()[..unit];
    let mut expected: Vec<u8> = slot.iter().copied().cycle().take(target.bytes()).collect();
    let offsets = [source, target].map(|side| side.map().offsets().unwrap());
    for (from, to) in offsets[0].iter().zip(&offsets[1]) {
        let [from, to] = [*from as usize * unit, *to as usize * unit];
        expected[to..to + unit].copy_from_slice(&src[from..from + unit]);
    }
    let plan = Plan::new(source, target).unwrap();
    let mut buffer = vec![0xee; expected.len() + LINE + OFF_A_LINE + 20];
    let line = buffer.as_ptr().align_offset(LINE);
    for plan in [plan.clone(), plan.with_chunks_of(chunk).unwrap()] {
        for threads in [Threads::Current, Threads::Global, Threads::Count(two())] {
            // On a line or off one, as a caller's buffer may be.
            for start in [line, line + OFF_A_LINE] {
                buffer.fill(0xee);
                let dst = &mut buffer[start..start + expected.len()];
                plan.run(&src, dst, &RunOptions { pad: Pad::Bits(pad), threads }).unwrap();
                assert!(dst == expected, "{name}");
                let (before, behind) = (&buffer[..start], &buffer[start + expected.len()..]);
                assert!(before.iter().chain(behind).all(|b| *b == 0xee), "{name}");
            }
        }
    }
}

/// Transposes matrices of packed elements in the same ways and compares every bit with where its row and column say that it goes. What
/// moves them.
fn check_matrices(
    [batch, rows, columns]: [usize; 3],
    bits: usize,
    chunk: usize,
) -> Vec<KernelKind> {
    let name = format!("f32[{batch},{rows},{columns}]");
    let [from, to] =
        ["2,1,0", "1,2,0"].map(|order| placement(&format!("{name}{{{order}}}"), bits as u32));
    let plan = Plan::new(&from, &to).unwrap();
    let src = noise(plan.src_bytes());
    let mut expected = vec![0u8; plan.dst_bytes()];
    for matrix in 0..batch {
        let first = matrix * rows * columns;
        for row in 0..rows {
            for column in 0..columns {
                let from = (first + row * columns + column) * bits;
                let to = (first + column * rows + row) * bits;
                let value = src[from / 8] >> (from % 8) & ((1 << bits) - 1);
                expected[to / 8] |= value << (to % 8);
            }
        }
    }
    let mut buffer = vec![0xee; expected.len() + LINE + OFF_A_LINE + 20];
    let line = buffer.as_ptr().align_offset(LINE);
    for plan in [plan.clone(), plan.clone().with_chunks_of(chunk).unwrap()] {
        for threads in [Threads::Current, Threads::Count(two())] {
            for start in [line, line + OFF_A_LINE] {
                buffer.fill(0xee);
                let dst = &mut buffer[start..start + expected.len()];
                plan.run(&src, dst, &RunOptions { pad: Pad::Bits(0), threads }).unwrap();
                assert!(dst == expected, "{name} of {bits} bits, {threads:?}");
                let (before, behind) = (&buffer[..start], &buffer[start + expected.len()..]);
                assert!(before.iter().chain(behind).all(|b| *b == 0xee), "{name} of {bits} bits");
            }
        }
        // From just the bytes of the source that are read.
        assert!(streamed(&plan, &src, 2, 0) == expected, "parts of {name} of {bits} bits");
    }
    plan.describe().boxes.iter().map(|b| b.kernel).collect()
}

/// Matrices whose rows and columns begin within bytes, into the caches and past them; chunks begin within columns.
#[test]
fn matrices_of_bits() {
    for (shape, bits, chunk) in [
        ([1, 1021, 1017], 1, 30_000),
        ([1, 2305, 333], 1, 20_000),
        ([1, 701, 999], 2, 50_000),
        ([3, 333, 665], 4, 70_000),
        ([1, 8209, 8219], 1, 1_000_000),
        ([2, 4099, 2053], 4, 3_000_000),
        ([1, 200_003, 171], 2, 500_000),
    ] {
        let kernels = check_matrices(shape, bits, chunk);
        assert_eq!(kernels, [KernelKind::BitTranspose], "{shape:?} of {bits} bits");
    }
}

/// Small ones of odd rows, some of whole bytes each and some that begin within bytes.
#[test]
fn small_matrices_of_nibbles() {
    check_matrices([4201, 64, 63], 4, 300_000);
    check_matrices([17_601, 31, 31], 4, 300_000);
}

/// The bytes of a cache line, and some that are none.
const LINE: usize = 64;
const OFF_A_LINE: usize = 12;

fn two() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(1)
}

#[test]
fn sides_that_are_no_lines() {
    check("f32[1531,1429]{1,0}", "f32[1531,1429]{0,1}", 32, 100_000);
    check("f32[2900,1530]{1,0}", "f32[2900,1530]{0,1}", 16, 50_000);
    check("f32[3,1717,1700]{2,1,0}", "f32[3,1717,1700]{0,2,1}", 8, 1 << 20);
}

/// What a chunk reads goes on in a chunk far away, where the walk goes next.
#[test]
fn chunks_in_the_order_of_the_source() {
    let from = "f32[8,5,6,66,9,15]{5,4,3,2,1,0}";
    check(from, "f32[8,5,6,66,9,15]{4,1,5,0,2,3}", 32, 22_000);
    check(from, "f32[8,5,6,66,9,15]{5,4,1,0,2,3}", 32, 22_000);
}

/// Rows that are zipped whose columns are odd, matrices of odd sides, and runs of less than a line or of several, that leave the
/// middle of an array.
#[test]
fn odd_extents() {
    check("f32[8500,4,63]{2,1,0}", "f32[8500,4,63]{1,2,0}", 32, 90_000);
    check("f32[4200,7,72]{2,1,0}", "f32[4200,7,72]{1,2,0}", 32, 90_000);
    check("f32[2055,1024]{1,0}", "f32[2055,1024]{0,1}", 32, 70_000);
    check("f32[2200,64,15]{2,1,0}", "f32[2200,64,15]{2,0,1}", 32, 500_000);
    check("f32[1400,31,50]{2,1,0}", "f32[1400,31,50]{2,0,1}", 32, 600_000);
    check("f32[2100,16,64]{2,1,0}", "f32[2100,16,64]{2,0,1}", 32, 500_000);
}

/// Points of filters, which follow each other on one side and are matrices on the other: into whole lines, from rows that share
/// sets of a cache and from others, and out of them.
#[test]
fn filters() {
    let [by_points, by_matrices] = ["{3,2,1,0}", "{0,1,3,2}"];
    for (extents, bits) in [("512,512", 32), ("640,800", 16), ("1024,256", 32)] {
        let filters = format!("f32[{extents},3,3]");
        let [points, matrices] = [by_points, by_matrices].map(|order| format!("{filters}{order}"));
        check(&matrices, &points, bits, 300_000);
        check(&points, &matrices, bits, 300_000);
    }
}

/// Tiles that a dimension does not fill, which boxes go beyond: channels of images, columns, and lanes; of arrays in the caches and of
/// such that are streamed.
#[test]
fn beyond_the_end_of_a_dimension() {
    let described =
        |text: &str| Placement::from_described(&text.parse::<DescribedArray>().unwrap()).unwrap();
    for [from, to] in [
        ["s8[1,61,400,1] nhwc", "s8[1,61,400,1] nChw8c"],
        ["bf16[5,61,70,2] nchw", "bf16[5,61,70,2] nChw8c"],
        ["s8[380,127]", "s8[380,127]{0,1:T(8,128)(4,1)}"],
        ["bf16[40,1023]", "bf16[40,1023]{1,0:T(8,128)(2,1)}"],
        ["bf16[3,61,25001,1] nhwc", "bf16[3,61,25001,1] nChw16c"],
        ["s8[5,61,30001,1] nchw", "s8[5,61,30001,1] nChw16c"],
        // Half the lines are filled.
        ["s8[3,13,200003,1] nhwc", "s8[3,13,200003,1] nChw8c"],
        ["s8[70908,127]", "s8[70908,127]{0,1:T(8,128)(4,1)}"],
        ["bf16[35580,127]", "bf16[35580,127]{0,1:T(8,128)(2,1)}"],
        ["f32[2200,1023]", "f32[2200,1023]{1,0:T(8,128)}"],
    ] {
        let (source, target, name) = (described(from), described(to), format!("{from} to {to}"));
        assert!(Plan::new(&source, &target).unwrap().describe().refilled_slots > 0, "{name}");
        check_move(&source, &target, target.bytes() / 5, &name);
    }
}

/// Channels and columns that do not fill the last tile of the source: whole tiles are moved, and what is beyond a row is written over.
#[test]
fn beyond_the_ends_of_rows() {
    let described =
        |text: &str| Placement::from_described(&text.parse::<DescribedArray>().unwrap()).unwrap();
    for [from, to] in [
        ["s8[3,61,50003,1] nChw8c", "s8[3,61,50003,1] nhwc"],
        ["bf16[3,61,25001,1] nChw16c", "bf16[3,61,25001,1] nhwc"],
        ["f32[2,93,12007,1] nChw16c", "f32[2,93,12007,1] nhwc"],
        ["s8[70908,127]{0,1:T(8,128)(4,1)}", "s8[70908,127]"],
        ["bf16[35580,127]{0,1:T(8,128)(2,1)}", "bf16[35580,127]"],
        ["f32[17701,125]{0,1:T(8,128)}", "f32[17701,125]"],
        ["f32[2203,1023]{1,0:T(8,128)}", "f32[2203,1023]"],
        ["s8[9003,1023]{1,0:T(8,128)(4,1)}", "s8[9003,1023]"],
        ["bf16[5,1003,1023]{2,1,0:T(8,128)(2,1)}", "bf16[5,1003,1023]"],
    ] {
        let (source, target, name) = (described(from), described(to), format!("{from} to {to}"));
        assert!(Plan::new(&source, &target).unwrap().describe().overwritten_slots > 0, "{name}");
        check_move(&source, &target, target.bytes() / 5, &name);
    }
}

/// Rows of an odd number that lie far apart: at addresses that are alike in the caches, where tiles that share rows are moved from
/// a stage, and at others.
#[test]
fn odd_numbers_of_rows_far_apart() {
    check("u8[79,131072]{1,0}", "u8[79,131072]{0,1}", 8, 90_000);
    check("u8[79,131136]{1,0}", "u8[79,131136]{0,1}", 8, 90_000);
    check("f32[13,262144]{1,0}", "f32[13,262144]{0,1}", 32, 90_000);
    // So many are one row of the destination.
    check("f32[153,14001]{1,0}", "f32[153,14001]{0,1}", 32, 90_000);
    check("f32[300,14001]{1,0}", "f32[300,14001]{0,1}", 16, 90_000);
    // Rows of the destination that are in each other's way.
    check("f32[24,64,1401]{2,1,0}", "f32[24,64,1401]{0,1,2}", 32, 90_000);
}

/// Tiles of shared memory, and swizzled rows, from and to rows, columns and each other; of those whose rows are copied, such that
/// are streamed and not, and whose panels begin at one place of a period of the flips or several.
#[test]
fn swizzles() {
    let tiles = "o 0 o ((8,8192),(64,1)):((64,512),(1,0))";
    let rows = "o 0 o (65536,64):(64,1)";
    let columns = "o 0 o ((64,1024),(8,8)):((1,512),(64,524288))";
    let plain = "Sw<0,3,3>";
    let atoms = |(rows, width, across)| {
        let step = 8 * width;
        format!("o 0 o ((8,{rows}),({width},{across})):(({width},{step}),(1,{}))", rows * step)
    };
    for (bits, from, to) in [
        (16, format!("Sw<3,3,3> {tiles}"), format!("{plain} {columns}")),
        (16, format!("{plain} {rows}"), format!("Sw<3,3,3> {columns}")),
        (16, format!("Sw<2,3,3> {rows}"), format!("Sw<3,3,3> {columns}")),
        (16, format!("Sw<3,3,3> {columns}"), format!("Sw<1,3,3> {rows}")),
        (16, format!("Sw<3,3,3> {columns}"), format!("{plain} o 0 o (65536,64):(1,65536)")),
        (
            16,
            format!("Sw<1,3,3> {}", atoms((128, 16, 32))),
            format!("Sw<3,3,3> {}", atoms((128, 64, 8))),
        ),
        (
            16,
            format!("Sw<1,3,3> {}", atoms((512, 16, 64))),
            format!("Sw<3,3,3> {}", atoms((512, 64, 16))),
        ),
        (
            16,
            format!("Sw<1,3,3> {}", atoms((128, 16, 32))),
            format!("{plain} o 0 o (1024,512):(512,1)"),
        ),
        (
            32,
            format!("Sw<3,2,3> {}", atoms((128, 32, 16))),
            "Sw<3,2,3> o 0 o (1024,512):(512,1)".into(),
        ),
        (
            32,
            format!("Sw<3,2,3> {}", atoms((128, 32, 16))),
            "Sw<3,2,8> o 0 o (1024,512):(512,1)".into(),
        ),
    ] {
        for (from, to) in [(&from, &to), (&to, &from)] {
            let (source, target) = (composed(from, bits), composed(to, bits));
            assert_eq!(Plan::new(&source, &target).unwrap().describe().route, Route::Swizzled);
            check_move(&source, &target, 300_000, &format!("{from} to {to}"));
        }
    }
}
