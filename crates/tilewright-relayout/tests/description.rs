//! What plans say of themselves.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use std::collections::BTreeSet;

use support::placement;
use tilewright_relayout::{KernelKind, Plan};

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
