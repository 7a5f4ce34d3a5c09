//! What plans say of themselves.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use std::collections::BTreeSet;

use support::placement;
use tilewright::notation::DescribedArray;
use tilewright_relayout::{KernelKind, Pad, Placement, Plan, Route, RunOptions};

/// A layout and the bits of its slots.
type Side = (&'static str, u32);

/// A move for each kernel, its widths and what it is: rows to tiles, colours, transposes, filters of
/// convolutions, rows in tiles of more, and elements below a byte.
const CASES: [(KernelKind, Side, Side); 13] = [
    (KernelKind::Runs, ("f32[64,512]", 32), ("f32[64,512]{1,0:T(8,128)}", 32)),
    (KernelKind::JoinedRuns, ("f32[4097,4099]{1,0:T(8,128)}", 32), ("f32[4097,4099]", 32)),
    (KernelKind::Zip, ("f32[3,64,512]", 16), ("f32[3,64,512]{0,2,1}", 16)),
    (KernelKind::Unzip, ("f32[3,64,512]{0,2,1}", 16), ("f32[3,64,512]", 16)),
    (KernelKind::Tile, ("f32[64,512]", 32), ("f32[64,512]{0,1}", 32)),
    (KernelKind::ListedTile, ("f32[32,512,3,3]", 16), ("f32[32,512,3,3]{0,1,3,2}", 16)),
    (KernelKind::Single, ("f32[6,1]{1,0:PAD(6,30)}", 32), ("f32[6,1]{1,0:PAD(6,50)}", 32)),
    (KernelKind::Pack, ("f32[64,512]", 8), ("f32[64,512]", 4)),
    (KernelKind::Unpack, ("f32[64,512]", 4), ("f32[64,512]", 8)),
    (KernelKind::Rows, ("f32[333,35]{1,0}", 4), ("f32[333,35]{0,1}", 4)),
    (KernelKind::BitTranspose, ("f32[333,665]{1,0}", 4), ("f32[333,665]{0,1}", 4)),
    (KernelKind::Lookup, ("f32[3,256]", 8), ("f32[3,256]{1,0:T(4,1)}", 8)),
    (KernelKind::Bits, ("f32[2,3]", 3), ("f32[2,3]{1,0:T(2,2)}", 5)),
];

/// Fails where a kernel is added and no plan here is described by it.
#[test]
fn every_kernel_is_described() {
    let mut found = BTreeSet::new();
    for (kernel, (from, from_bits), (to, to_bits)) in CASES {
        let plan = Plan::new(&placement(from, from_bits), &placement(to, to_bits)).unwrap();
        let boxes = plan.describe().boxes;
        let names: Vec<&str> = boxes.iter().map(|described| described.kernel.name()).collect();
        assert!(names.contains(&kernel.name()), "{from} to {to}: {names:?}, not `{kernel}`");
        found.insert(kernel.name());
    }
    let all: BTreeSet<&str> = KernelKind::ALL.iter().map(|kernel| kernel.name()).collect();
    assert_eq!(found, all);
    assert_eq!(all.len(), KernelKind::ALL.len(), "two kernels have one name");
}

/// Large boxes of few bits are matrices, or where those are too small find room in the stages: nothing goes bit by bit.
#[test]
fn large_boxes_of_few_bits() {
    let (matrix, rows) = (KernelKind::BitTranspose, KernelKind::Rows);
    let cases = [
        ("4096,129116", 1, matrix),
        ("702,382373", 2, matrix),
        ("47,2855617", 4, rows),
        ("129116,77", 1, rows),
    ];
    for (dims, bits, kernel) in cases {
        let [from, to] = ["1,0", "0,1"].map(|order| format!("f32[{dims}]{{{order}}}"));
        let plan = Plan::new(&placement(&from, bits), &placement(&to, bits)).unwrap();
        let kernels: Vec<_> = plan.describe().boxes.iter().map(|b| b.kernel.name()).collect();
        assert_eq!(kernels, [kernel.name()], "{dims}, {bits} bits");
    }
}

/// Short odd runs from memory go by way of stages where the rows that they go to are in each other's way, a multiple of 4 KiB apart,
/// and of 3 bytes wherever they go.
#[test]
fn pixels_that_change_places_in_memory() {
    for (dims, kernel) in [
        ("4096,2049,5", KernelKind::Rows),
        ("4110,2048,5", KernelKind::Runs),
        ("4110,2048,3", KernelKind::Rows),
        ("4096,2049,15", KernelKind::Runs),
    ] {
        let [from, to] = ["2,1,0", "2,0,1"].map(|order| format!("u8[{dims}]{{{order}}}"));
        let boxes = Plan::new(&placement(&from, 8), &placement(&to, 8)).unwrap().describe().boxes;
        let kernels: Vec<_> = boxes.iter().map(|of| of.kernel.name()).collect();
        assert_eq!(kernels, [kernel.name()], "{dims}");
    }
}

/// Of five rows in tiles of 32 bits, the last begins within a byte, as all that it has does: it is looked up from there, not moved bit by
/// bit.
#[test]
fn rows_of_tiles_that_begin_within_bytes() {
    let from = placement("f32[3,5,1216]{2,1,0:T(32,128)(32,1)}", 1);
    let to = placement("f32[3,5,1216]{2,1,0:T(8,128)(4,1)}", 8);
    let boxes = Plan::new(&from, &to).unwrap().describe().boxes;
    assert!(boxes.iter().any(|of| of.kernel == KernelKind::Lookup));
    assert!(boxes.iter().all(|of| of.kernel != KernelKind::Bits));
}

/// Runs of an odd number of bytes are copied where each is of another line of the source, and looked up where several
/// are of one.
#[test]
fn odd_runs_of_the_caches() {
    let kernels = |from: &str, to: &str| {
        let plan = Plan::new(&placement(from, 16), &placement(to, 16)).unwrap();
        plan.describe().boxes.iter().map(|described| described.kernel.name()).collect::<Vec<_>>()
    };
    let (far, near) = (KernelKind::Runs.name(), KernelKind::Lookup.name());
    for n in [3, 5, 9, 13] {
        let rows = format!("f32[400,400,{n}]");
        assert_eq!(kernels(&rows, &format!("{rows}{{2,0,1}}")), [far]);
        let rows = format!("f32[400,{n}]");
        assert_eq!(kernels(&rows, &format!("{rows}{{1,0:T(16)}}")), [near]);
    }
}

/// Blocks of channels that are not full are moved with what follows in the source, but for the last pixel; not so in boxes from which
/// loops are made. Chunks have all channels of an image, which begins within a line.
#[test]
fn blocks_of_channels() {
    let placement =
        |text: &str| Placement::from_described(&text.parse::<DescribedArray>().unwrap()).unwrap();
    let (from, to) = (placement("s8[1,61,400,1] nhwc"), placement("s8[1,61,400,1] nChw8c"));
    assert_eq!(Plan::new(&from, &to).unwrap().describe().refilled_slots, 3 * 399);
    let exact = Plan::in_linear_boxes(&from, &to, 8).unwrap().describe();
    let elements: i64 = exact.boxes.iter().map(|of| of.elements).sum();
    assert_eq!((exact.refilled_slots, elements), (0, 61 * 400));
    let images = ["s8[16,96,20833,1] nhwc", "s8[16,96,20833,1] nChw8c"].map(placement);
    assert_eq!(Plan::new(&images[0], &images[1]).unwrap().chunk_bytes(0).len(), 96 * 20_833);
}

/// Swizzled rows lie alone in each of eight boxes when they become columns: they are moved as what was swizzled, or, where
/// pieces do not stay whole, through rows.
#[test]
fn swizzled_rows_become_columns() {
    let placement = |text: &str| {
        let array: DescribedArray = text.parse().unwrap();
        Placement::from_described(&array).unwrap()
    };
    let swizzled = placement("u16 Sw<3,3,3> o 0 o (1024,64):(64,1)");
    let finer = placement("u16 Sw<3,2,3> o 0 o (1024,64):(64,1)");
    let columns = placement("u16[1024,64]{0,1}");
    let source: Vec<u8> = (0..1024 * 64u32).flat_map(|n| (n as u16).to_le_bytes()).collect();
    for (from, to, route) in [
        (&swizzled, &columns, Route::Swizzled),
        (&columns, &swizzled, Route::Swizzled),
        (&finer, &columns, Route::Through),
        (&columns, &finer, Route::Through),
    ] {
        let plan = Plan::new(from, to).unwrap();
        assert_eq!(plan.describe().route, route);
        let flipping = plan.clone().flipping(0x8001);
        let [mut moved, mut flipped] = [0, 0].map(|byte| vec![byte; source.len()]);
        plan.run(&source, &mut moved, &RunOptions::default()).unwrap();
        flipping.run(&source, &mut flipped, &RunOptions::default()).unwrap();
        for (row, column) in (0..1024).flat_map(|row| (0..64).map(move |column| (row, column))) {
            let at = |side: &Placement| side.map().offset(&[row, column]).unwrap() as usize;
            let number =
                |bytes: &[u8], at: usize| u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]);
            let expected = number(&source, at(from));
            assert_eq!(number(&moved, at(to)), expected, "[{row},{column}]");
            assert_eq!(number(&flipped, at(to)), expected ^ 0x8001, "[{row},{column}]");
        }
    }
    // Chunks read whole groups of the source, of 64 columns, unless those are too large.
    let n_chunks = |rows: i64, columns: i64| {
        let from = placement(&format!("u16 Sw<3,3,3> o 0 o ({rows},{columns}):({columns},1)"));
        let to = placement(&format!("u16[{rows},{columns}]{{0,1}}"));
        Plan::new(&from, &to).unwrap().n_chunks()
    };
    assert_eq!((n_chunks(524_320, 64), n_chunks(524_320, 320)), (1, 5));
    assert!(n_chunks(40_000_000, 64) > 64);
}

/// Where rows come from near each other and go near each other, each chunk makes those that it needs, of its own part
/// of the source, and fills its own padding.
#[test]
fn rows_that_an_array_goes_through_are_made_for_each_chunk() {
    let placement = |text: &str| {
        let array: DescribedArray = text.parse().unwrap();
        Placement::from_described(&array).unwrap()
    };
    for (from, to, is_cut) in [
        ("u16[1024,64]{0,1}", "u16 Sw<3,2,3> o 0 o (1024,64):(64,1)", true),
        ("u16 Sw<3,2,3> o 0 o (1024,64):(64,1)", "u16[1024,64]{0,1}", false),
        ("u16[2000,1500]{1,0:T(31,31)}", "u16[2000,1500]{1,0:T(32,32)}", true),
    ] {
        let whole = Plan::new(&placement(from), &placement(to)).unwrap();
        let plan = whole.clone().with_chunks_of(16 << 10).unwrap();
        assert_eq!(
            (plan.describe().route, plan.n_chunks() > 1),
            (Route::Through, is_cut),
            "{from} to {to}"
        );
        let source: Vec<u8> = (0..plan.src_bytes()).map(|at| (at * 31 + at / 251) as u8).collect();
        let options = RunOptions { pad: Pad::Bits(0x5a5a_5a5a), ..RunOptions::default() };
        let mut expected = vec![0; plan.dst_bytes()];
        let map = [from, to].map(|text| placement(text).map().offsets().unwrap());
        let width = placement(to).element_bits() as usize / 8;
        expected.fill(0x5a);
        for (&from, &to) in map[0].iter().zip(&map[1]) {
            let [from, to] = [from, to].map(|offset| offset as usize * width);
            expected[to..to + width].copy_from_slice(&source[from..from + width]);
        }
        for plan in [&whole, &plan] {
            let mut moved = vec![1; plan.dst_bytes()];
            plan.run(&source, &mut moved, &options).unwrap();
            assert!(moved == expected, "{from} to {to}");
            let mut read = 0;
            for chunk in 0..plan.n_chunks() {
                let span = plan.source_span(chunk..chunk + 1);
                read += span.len();
                let part = &mut moved[plan.chunk_bytes(chunk)];
                part.fill(2);
                let chunks = chunk..chunk + 1;
                plan.run_chunks(chunks, &source[span.clone()], span.start, part, &options).unwrap();
            }
            assert!(moved == expected, "{from} to {to}, chunk by chunk");
            // Rows of tiles come from the tiles beside them; rows of columns from all over them.
            let is_near = from.contains("T(31,31)") && plan.n_chunks() > 1;
            assert!(!is_near || read <= 3 * plan.src_bytes(), "{from} to {to}: {read} bytes");
        }
    }
}
