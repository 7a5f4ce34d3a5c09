//! Formats of hardware, packed by code of their kind, are found: at every element of the frozen
//! tables.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../tilewright/tests/support/golden.rs"]
#[allow(unreachable_pub, reason = "shared with the tests of another crate")]
mod golden;
mod packers;

use golden::Golden;
use tilewright::map::fit;
use tilewright_discover::{Form, Grain, discover};

/// The bytes of `I32[8,128]`.
fn carrier_bytes(carrier: &str) -> i64 {
    let (kind, dims) = carrier.trim_end_matches(']').split_once('[').unwrap();
    let bits: i64 = kind[1..].parse().unwrap();
    dims.split(',').map(|size| size.parse::<i64>().unwrap()).product::<i64>() * bits / 8
}

#[test]
fn every_format_is_found_at_every_element() {
    for Golden { name, dims, bits, carrier, offsets } in golden::rows() {
        // The table has the bits of 3-bit codes as a dimension.
        let (codes, width) = if bits == 1 { (&dims[..2], 3) } else { (&dims[..], bits) };
        let found = discover(packers::named(&name), codes, width).unwrap();
        assert_eq!(found.offsets(), offsets, "{name}");
        assert_eq!(found.allocation_bits(), carrier_bytes(&carrier) * 8, "{name}");
        assert_eq!(found.map().unwrap().offsets().unwrap(), offsets, "{name}");
        assert_eq!(found.xor_mask(), 0);
        let n = codes.iter().product::<i64>();
        let id_bits = usize::try_from((n as u64).next_power_of_two().trailing_zeros()).unwrap();
        let width = usize::try_from(width).unwrap();
        assert_eq!(found.n_calls(), width * (1 + id_bits) + 1, "{name}");
        if name == "gptq-3" {
            assert!(matches!(found.form(), Form::Merged { .. }));
            assert_eq!(found.grain(), Grain::Bits);
        } else {
            let fitted = fit(&dims, &offsets).unwrap().unwrap();
            let Form::Layout(layout) = found.form() else { panic!("{name} is {}", found.text()) };
            let bare = |layout: &tilewright::tla::Layout| layout.clone().without_org_shape();
            assert_eq!(bare(&layout.layout), bare(&fitted.layout), "{name}");
        }
    }
}

/// The texts of formats at a shape: shape and stride, and XLA's.
#[test]
fn formats_are_told_in_both_notations() {
    let check = |name: &str, dims: [i64; 2], bits: u32, text: &str, xla: &str| {
        let found = discover(packers::named(name), &dims, bits).unwrap();
        assert_eq!(found.text(), text, "{name}");
        assert_eq!(found.xla().map(ToString::to_string).unwrap_or_default(), xla, "{name}");
    };
    check("gptq-4", [128, 64], 4, "((8,16),64):((1,512),8)", "{1,0:T(8,1)E(4)}");
    check("awq-4", [128, 64], 4, "(128,(2,4,8)):(64,(4,1,8))", "{1,0:T(2)(4,1)E(4)}");
    check(
        "aiter-16x16-16bit",
        [64, 128],
        16,
        "((16,4),(8,16)):((8,2048),(1,128))",
        "{1,0:T(16,8)}",
    );
    check("cublaslt-col32", [64, 128], 8, "(64,(32,4)):(32,(1,2048))", "{0,1:T(32,1)}");
    check(
        "sf-128x4",
        [300, 13],
        8,
        "((32,4,3),(4,4)):((16,4,2048),(1,512)):(300,13)",
        "{1,0:T(128,4)(32,1)(4,4,1,1)}",
    );
    check(
        "gptq-3",
        [128, 64],
        3,
        "((32,12),64):((1,2048),32) of (d0*bit,d1)",
        "{1,2,0:T(*,32,1)E(1)}",
    );
}
