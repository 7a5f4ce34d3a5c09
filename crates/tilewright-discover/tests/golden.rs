//! Formats of hardware, packed by code of their kind, are found: at every element of the frozen
//! tables.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod packers;

use tilewright::map::fit;
use tilewright_discover::{Form, Grain, discover};

/// A row of the table.
struct Golden {
    name: String,
    dims: Vec<i64>,
    bits: u32,
    carrier: String,
    offsets: Vec<i64>,
}

/// The offset of each element: the sum of what each axis says.
fn offsets(dims: &[i64], axes: &[(Vec<usize>, Vec<i64>)]) -> Vec<i64> {
    let index = |place: i64| {
        let mut rest = place;
        let mut index: Vec<i64> =
            dims.iter().rev().map(|size| (rest % size, rest /= size).0).collect();
        index.reverse();
        index
    };
    let along = |index: &[i64], (dims_of_axis, along): &(Vec<usize>, Vec<i64>)| {
        let place = dims_of_axis.iter().fold(0, |place, dim| place * dims[*dim] + index[*dim]);
        along[usize::try_from(place).unwrap()]
    };
    let at = |place| axes.iter().map(|axis| along(&index(place), axis)).sum();
    (0..dims.iter().product()).map(at).collect()
}

/// `0 1 2 8..20/4`: numbers, and runs of them from the first to the last.
fn numbers(text: &str) -> Vec<i64> {
    let run = |token: &str| match token.split_once("..") {
        None => vec![token.parse().unwrap()],
        Some((first, rest)) => {
            let (last, count) = rest.split_once('/').unwrap();
            let [first, last, count] = [first, last, count].map(|n| n.parse::<i64>().unwrap());
            (0..count).map(|i| first + (last - first) / (count - 1) * i).collect()
        }
    };
    text.split_whitespace().flat_map(run).collect()
}

fn golden() -> Vec<Golden> {
    let text = include_str!("data/hardware-golden.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let list = |text: &str| text.split(',').map(|n| n.parse::<i64>().unwrap()).collect::<Vec<_>>();
    let mut rows: Vec<Golden> = Vec::new();
    let mut axes = Vec::new();
    for line in lines.chain([""]) {
        if let Some((dims, along)) = line.trim().split_once(": ") {
            let dims = list(dims).iter().map(|dim| usize::try_from(*dim).unwrap()).collect();
            axes.push((dims, numbers(along)));
        } else if let [name, dims, bits, carrier] = line.split(" | ").collect::<Vec<_>>()[..] {
            let (dims, bits) = (list(dims), bits.parse().unwrap());
            let (name, carrier) = (name.to_owned(), carrier.to_owned());
            rows.push(Golden { name, dims, bits, carrier, offsets: Vec::new() });
        } else if let Some(row) = rows.last_mut().filter(|_| !axes.is_empty()) {
            row.offsets = offsets(&row.dims, &std::mem::take(&mut axes));
        }
    }
    rows
}

/// The bytes of `I32[8,128]`.
fn carrier_bytes(carrier: &str) -> i64 {
    let (kind, dims) = carrier.trim_end_matches(']').split_once('[').unwrap();
    let bits: i64 = kind[1..].parse().unwrap();
    dims.split(',').map(|size| size.parse::<i64>().unwrap()).product::<i64>() * bits / 8
}

#[test]
fn every_format_is_found_at_every_element() {
    let rows = golden();
    assert_eq!(rows.len(), 24);
    for Golden { name, dims, bits, carrier, offsets } in rows {
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
