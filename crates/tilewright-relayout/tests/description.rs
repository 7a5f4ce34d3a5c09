//! What plans say of themselves.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use std::collections::BTreeSet;

use support::placement;
use tilewright_relayout::{KernelKind, Placement, Plan, Route, RunOptions};

/// A layout and the bits of its slots.
type Side = (&'static str, u32);

/// A move for each kernel, its widths and what it is: rows to tiles, colours, transposes, filters of
/// convolutions, and elements below a byte.
const CASES: [(KernelKind, Side, Side); 11] = [
    (KernelKind::Runs, ("f32[64,512]", 32), ("f32[64,512]{1,0:T(8,128)}", 32)),
    (KernelKind::JoinedRuns, ("f32[4097,4099]{1,0:T(8,128)}", 32), ("f32[4097,4099]", 32)),
    (KernelKind::Zip, ("f32[3,64,512]", 16), ("f32[3,64,512]{0,2,1}", 16)),
    (KernelKind::Unzip, ("f32[3,64,512]{0,2,1}", 16), ("f32[3,64,512]", 16)),
    (KernelKind::Tile, ("f32[64,512]", 32), ("f32[64,512]{0,1}", 32)),
    (KernelKind::ListedTile, ("f32[32,32,3,3]", 32), ("f32[32,32,3,3]{0,1,3,2}", 32)),
    (KernelKind::Single, ("f32[6,1]{1,0:PAD(6,3)}", 32), ("f32[6,1]{1,0:PAD(6,5)}", 32)),
    (KernelKind::Pack, ("f32[64,512]", 8), ("f32[64,512]", 4)),
    (KernelKind::Unpack, ("f32[64,512]", 4), ("f32[64,512]", 8)),
    (KernelKind::BitRows, ("f32[33,65]{1,0}", 4), ("f32[33,65]{0,1}", 4)),
    (KernelKind::Bits, ("f32[7,5]", 3), ("f32[7,5]{0,1}", 3)),
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

/// Swizzled rows lie alone in each of eight boxes when they become columns: they go through rows.
#[test]
fn swizzled_rows_become_columns_through_rows() {
    let placement = |text: &str| {
        let array: tilewright::notation::DescribedArray = text.parse().unwrap();
        Placement::from_described(&array).unwrap()
    };
    let swizzled = placement("u16 Sw<3,3,3> o 0 o (1024,64):(64,1)");
    let columns = placement("u16[1024,64]{0,1}");
    let source: Vec<u8> = (0..1024 * 64u32).flat_map(|n| (n as u16).to_le_bytes()).collect();
    for (from, to) in [(&swizzled, &columns), (&columns, &swizzled)] {
        let plan = Plan::new(from, to).unwrap();
        assert_eq!(plan.describe().route, Route::Through);
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
}
