//! More formats, what is refused and why, and layouts made at random.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod packers;

use std::convert::Infallible;

use tilewright_discover::{Discovery, Error, Form, Grain, PadValue, Refusal, discover};

type Packed = Result<Vec<u8>, Infallible>;

fn refusal(pack: impl FnMut(&[u32], &[i64]) -> Packed, dims: &[i64], bits: u32) -> Refusal {
    match discover(pack, dims, bits) {
        Err(Error::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

/// Neighbours packed into bytes, the first one lowest.
fn bytes_of_nibbles(codes: impl IntoIterator<Item = u32>) -> Vec<u8> {
    let codes: Vec<u32> = codes.into_iter().collect();
    codes.chunks(2).map(|pair| u8::try_from(pair[0] | pair[1] << 4).unwrap()).collect()
}

#[test]
fn signed_codes_that_are_biased_are_flipped() {
    let found = discover(packers::trtllm::w4a16_sm80, &[128, 16], 4).unwrap();
    assert_eq!(found.text(), "((8,4,2,2),(4,4)):((4,1,32,256),(64,512))");
    assert_eq!(found.xor_mask(), 8);
}

#[test]
fn padding_has_a_value() {
    let found = discover(packers::amd::shuffle_scale, &[64, 16], 8).unwrap();
    assert_eq!(found.text(), "((16,2,2),(4,2,2)):((4,1,512),(64,2,256))");
    assert_eq!(found.padding().value, Some(PadValue { value: 0x7F, bits: 8 }));
    assert_eq!(found.padding().bits, (256 - 64) * 16 * 8);
    assert_eq!(found.map().unwrap().allocation(), 256 * 16);
    assert_eq!(
        found.to_string(),
        "codes         u8[64,16]\n\
         layout        ((16,2,2),(4,2,2)):((4,1,512),(64,2,256))\n\
         offsets in    elements\n\
         as XLA's      {0,1:T(4,16)(2,2,1,1)(2,1,4,16,2,2,1,1)}\n\
         padding       24576 bits, all 0x7f of 8 bits each\n\
         packed        4096 bytes, seen in 89 calls"
    );
}

/// llama.cpp's blocks of four rows: eight bytes of scales, then 32 codes of each row, four at a time.
#[test]
fn a_header_is_a_base() {
    let pack = |codes: &[u32], _: &[i64]| -> Packed {
        let mut block = vec![0u8; 8 + 64];
        for (place, code) in codes.iter().enumerate() {
            let (row, i) = (place / 32, place % 32);
            let byte = i % 16 / 4 * 16 + row * 4 + i % 4;
            block[8 + byte] |= u8::try_from(*code).unwrap() << (i / 16 * 4);
        }
        block[8..].iter_mut().for_each(|byte| *byte ^= 0x88);
        Ok(block)
    };
    let found = discover(pack, &[4, 32], 4).unwrap();
    let Form::Layout(fitted) = found.form() else { panic!("{found}") };
    assert_eq!((fitted.base, fitted.layout.to_string().as_str()), (16, "(4,(4,4,2)):(8,(2,32,1))"));
    assert_eq!(found.xor_mask(), 8);
    assert_eq!(found.text(), "144:1 o 16 o (4,(4,4,2)):(8,(2,32,1))");
    let map = found.map().unwrap();
    assert_eq!((map.allocation(), map.offset(&[1, 2]).unwrap()), (144, 16 + 8 + 4));
}

/// Bytes in big-endian order are a layout of bits.
#[test]
fn bytes_may_be_swapped() {
    let pack = |codes: &[u32], _: &[i64]| -> Packed {
        Ok(codes.iter().flat_map(|code| u16::try_from(*code).unwrap().to_be_bytes()).collect())
    };
    let found = discover(pack, &[3, 5], 16).unwrap();
    assert_eq!(found.grain(), Grain::Bits);
    assert_eq!(found.text(), "240:1 o 8 o (3,5,(8,2)):(80,16,(1,-8))");
}

#[test]
fn swizzles_are_found() {
    let pack = |codes: &[u32], _: &[i64]| -> Packed {
        let mut bytes = vec![0u8; 128];
        for (place, code) in codes.iter().enumerate() {
            let (row, column) = (place / 8, place % 8);
            bytes[row * 8 + (column ^ (row % 8))] = u8::try_from(*code).unwrap();
        }
        Ok(bytes)
    };
    let found = discover(pack, &[16, 8], 8).unwrap();
    assert_eq!(found.text(), "Sw<3,0,3> o 0 o (16,8):(8,1)");
    assert_eq!(found.map().unwrap().offsets().unwrap(), found.offsets());
}

/// Rows whose number has a bit flipped are a layout with a negative stride.
#[test]
fn a_flipped_index_is_a_negative_stride() {
    let pack = |codes: &[u32], _: &[i64]| -> Packed {
        let row = |row: usize| codes[(row ^ 8) * 4..][..4].iter().map(|code| code.to_le_bytes()[0]);
        Ok((0..32).flat_map(row).collect())
    };
    let found = discover(pack, &[32, 4], 8).unwrap();
    assert_eq!(found.text(), "128:1 o 32 o ((8,2,2),4):((4,-32,64),1)");
}

/// Two bits flipped by one are no swizzle, and linear all the same.
#[test]
fn other_exclusive_ors_are_linear() {
    let pack = |codes: &[u32], _: &[i64]| -> Packed {
        let mut bytes = vec![0u8; 64];
        for (place, code) in codes.iter().enumerate() {
            let gray = place ^ place >> 1 ^ (place >> 3 & 4);
            bytes[gray] = u8::try_from(*code).unwrap();
        }
        Ok(bytes)
    };
    let found = discover(pack, &[8, 8], 8).unwrap();
    let Form::Linear(matrix) = found.form() else { panic!("{found}") };
    assert_eq!((matrix.constant(), matrix.columns().len()), (0, 6));
    assert!(found.layout().is_none() && found.map().is_none());
}

#[test]
fn copies_are_counted() {
    let twice = |codes: &[u32], _: &[i64]| -> Packed {
        Ok([bytes_of_nibbles(codes.iter().copied()), bytes_of_nibbles(codes.iter().copied())]
            .concat())
    };
    let found = discover(twice, &[4, 8], 4).unwrap();
    assert_eq!((found.text().as_str(), found.copies()), ("(4,8):(8,1)", 4 * 8 * 4));
}

/// Rows that are sorted by a list are where a table says.
#[test]
fn a_gather_is_a_table() {
    let order = [3usize, 0, 7, 1, 6, 2, 4, 5];
    let pack = |codes: &[u32], _: &[i64]| -> Packed {
        Ok(bytes_of_nibbles(order.iter().flat_map(|row| codes[row * 4..][..4].to_vec())))
    };
    let found = discover(pack, &[8, 4], 4).unwrap();
    assert!(matches!(found.form(), Form::Table(_)));
    assert_eq!(found.text(), "a table: along dimension 0 the offsets fall out of step at index 4");
    assert_eq!(found.offsets()[4..8], [12, 13, 14, 15]);
}

#[test]
fn a_codebook_is_refused() {
    // FP4 as twice its value: powers of two are what they were.
    let values = [0, 1, 2, 3, 4, 6, 8, 12, 0, 1, 2, 3, 4, 6, 8, 12];
    let pack = |codes: &[u32], _: &[i64]| -> Packed {
        Ok(codes.iter().map(|code| values[*code as usize & 7]).collect())
    };
    let mixed = |refusal| matches!(refusal, Refusal::Mixed { .. } | Refusal::Lost { .. });
    assert!(mixed(refusal(pack, &[4, 8], 3)));
    let gray = |codes: &[u32], _: &[i64]| -> Packed {
        Ok(bytes_of_nibbles(codes.iter().map(|code| code ^ code >> 1)))
    };
    assert!(mixed(refusal(gray, &[4, 8], 4)));
}

/// Sums beside the codes, as KleidiAI writes them.
#[test]
fn sums_of_rows_are_refused() {
    let pack = |codes: &[u32], dims: &[i64]| -> Packed {
        let width = usize::try_from(dims[1]).unwrap();
        let row = |row: &[u32]| {
            let mut bytes = bytes_of_nibbles(row.iter().copied());
            bytes.extend(row.iter().sum::<u32>().to_le_bytes());
            bytes
        };
        Ok(codes.chunks(width).flat_map(row).collect())
    };
    // The sum of the first row begins at bit 64.
    match refusal(pack, &[4, 16], 4) {
        Refusal::Computed { place, .. } | Refusal::Mixed { place, .. } => assert!(place >= 64),
        other => panic!("{other}"),
    }
}

#[test]
fn an_order_that_depends_on_the_data_is_refused() {
    let sorted = |codes: &[u32], dims: &[i64]| -> Packed {
        let mut rows: Vec<&[u32]> = codes.chunks(usize::try_from(dims[1]).unwrap()).collect();
        rows.sort();
        Ok(bytes_of_nibbles(rows.concat()))
    };
    assert!(matches!(
        refusal(sorted, &[8, 8], 4),
        Refusal::Computed { .. } | Refusal::Lost { .. } | Refusal::Mixed { .. }
    ));
    let compressed = |codes: &[u32], _: &[i64]| -> Packed {
        Ok(codes.iter().filter(|code| **code != 0).map(|code| code.to_le_bytes()[0]).collect())
    };
    assert!(matches!(refusal(compressed, &[8, 8], 4), Refusal::Size { .. }));
}

#[test]
fn what_is_flipped_for_some_elements_is_refused() {
    let pack = |codes: &[u32], _: &[i64]| -> Packed {
        let flip = |(place, code): (usize, &u32)| code ^ if place % 4 == 3 { 8 } else { 0 };
        Ok(bytes_of_nibbles(codes.iter().enumerate().map(flip)))
    };
    let expected = Refusal::UnevenFlip { element: 3, code_bit: 3, place: 15 };
    assert_eq!(refusal(pack, &[4, 8], 4), expected);
}

#[test]
fn codes_that_are_cut_are_refused() {
    let pack = |codes: &[u32], _: &[i64]| -> Packed {
        Ok(bytes_of_nibbles(codes.iter().map(|code| code & 7)))
    };
    assert_eq!(refusal(pack, &[4, 8], 4), Refusal::Lost { element: 0, code_bit: 3 });
}

#[test]
fn what_cannot_be_asked_is_said() {
    let none = |_: &[u32], _: &[i64]| -> Packed { Ok(Vec::new()) };
    let check = |dims: &[i64], bits, text: &str| {
        assert_eq!(discover(none, dims, bits).unwrap_err().to_string(), text);
    };
    check(&[4], 0, "codes have 1 to 32 bits, not 0");
    check(&[4, 0], 4, "an array of [4, 0] has no elements to look for");
    check(&[-4], 4, "an array of [-4] has no elements to look for");
    check(
        &[i64::MAX, 3],
        4,
        "an array of [9223372036854775807, 3] with 4 bits each has more than the 268435456 bits that \
         are looked for one by one: a smaller shape has the same layout",
    );
    let failing = |_: &[u32], _: &[i64]| Err("K must be a multiple of 16");
    assert_eq!(
        discover(failing, &[4], 4).unwrap_err().to_string(),
        "the packing function failed: K must be a multiple of 16"
    );
}

/// Numbers without a pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap()
    }
}

/// A random layout: digits of each dimension, in any order in memory, gaps between them, a header,
/// bits that are flipped, and ends of dimensions that no tile divides.
struct Made {
    dims: Vec<i64>,
    digits: Vec<(usize, usize, usize, usize)>,
    slots: usize,
    base: usize,
    bits: u32,
    mask: u32,
    pad: u32,
}

impl Made {
    fn new(random: &mut Random) -> Made {
        let bits = [1, 2, 4, 8, 16][random.below(5)];
        let mut digits = Vec::new();
        let mut dims = Vec::new();
        for dim in 0..1 + random.below(3) {
            let mut divisor = 1;
            for _ in 0..1 + random.below(3) {
                let extent = 2 + random.below(3);
                digits.push((dim, divisor, extent, 0));
                divisor *= extent;
            }
            dims.push(i64::try_from(divisor - random.below(2)).unwrap());
        }
        for last in (1..digits.len()).rev() {
            digits.swap(last, random.below(last + 1));
        }
        let mut stride = 1;
        for digit in &mut digits {
            digit.3 = stride;
            stride *= digit.2 + usize::from(random.below(4) == 0);
        }
        let base = random.below(2) * 16;
        let mask = random.0 as u32 & ((1u32 << bits) - 1);
        let pad = (random.0 >> 32) as u32 & ((1u32 << bits) - 1);
        Made { dims, digits, slots: (base + stride).next_multiple_of(8), base, bits, mask, pad }
    }

    fn offset(&self, place: usize) -> usize {
        let mut rest = place;
        let mut index = vec![0; self.dims.len()];
        for (i, size) in index.iter_mut().zip(&self.dims).rev() {
            *i = rest % usize::try_from(*size).unwrap();
            rest /= usize::try_from(*size).unwrap();
        }
        let digit = |&(dim, divisor, extent, stride): &(usize, usize, usize, usize)| {
            index[dim] / divisor % extent * stride
        };
        self.base + self.digits.iter().map(digit).sum::<usize>()
    }

    fn pack(&self, codes: &[u32]) -> Vec<u8> {
        let mut slots = vec![self.pad; self.slots];
        for (place, code) in codes.iter().enumerate() {
            slots[self.offset(place)] = code ^ self.mask;
        }
        let width = usize::try_from(self.bits).unwrap();
        let mut bytes = vec![0u8; self.slots * width / 8];
        for (bit, slot) in (0..self.slots * width).map(|bit| (bit, slots[bit / width])) {
            bytes[bit / 8] |= u8::from(slot >> (bit % width) & 1 == 1) << (bit % 8);
        }
        bytes
    }

    fn found(&self) -> Discovery {
        discover(|codes, _| -> Packed { Ok(self.pack(codes)) }, &self.dims, self.bits).unwrap()
    }
}

#[test]
fn random_layouts_are_found() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    for _ in 0..200 {
        let made = Made::new(&mut random);
        let found = made.found();
        let n = usize::try_from(made.dims.iter().product::<i64>()).unwrap();
        let offsets: Vec<i64> = (0..n).map(|id| made.offset(id) as i64).collect();
        assert_eq!(found.offsets(), offsets, "{:?}", made.dims);
        assert!(matches!(found.form(), Form::Layout(_)), "{}", found.text());
        let map = found.map().unwrap();
        assert_eq!(map.offsets().unwrap(), offsets);
        assert_eq!(map.allocation(), i64::try_from(made.slots).unwrap());
        assert_eq!(found.xor_mask(), made.mask);
        assert_eq!(found.padding().bits, (made.slots - n) as u64 * u64::from(made.bits));
        let pads = found.padding().value.map(|pad| (pad.value, pad.bits));
        let expected = (made.slots > n).then_some((u64::from(made.pad), made.bits));
        assert_eq!(pads, expected);
    }
}

/// The last dimension of a layout of bits as the bits of codes.
#[test]
fn random_orders_of_bits_are_found() {
    let mut random = Random(0xFEDC_BA98_7654_3211);
    let mut n_found = 0;
    while n_found < 100 {
        let made = Made { bits: 1, mask: 0, pad: 0, ..Made::new(&mut random) };
        let (dims, width) = (&made.dims[..made.dims.len() - 1], *made.dims.last().unwrap());
        if dims.is_empty() || width > 16 {
            continue;
        }
        let mask = random.0 as u32 & ((1 << width) - 1);
        let pack = |codes: &[u32], _: &[i64]| -> Packed {
            let bits = |code: &u32| {
                let code = code ^ mask;
                (0..width).map(move |bit| code >> bit & 1)
            };
            Ok(made.pack(&codes.iter().flat_map(bits).collect::<Vec<_>>()))
        };
        let width = u32::try_from(width).unwrap();
        let found = discover(pack, dims, width).unwrap();
        let n = usize::try_from(made.dims.iter().product::<i64>()).unwrap();
        let offsets: Vec<i64> = (0..n).map(|id| made.offset(id) as i64).collect();
        match found.grain() {
            Grain::Bits => assert_eq!(found.offsets(), offsets),
            Grain::Elements => {
                let first = offsets.iter().step_by(width as usize);
                assert!(found.offsets().iter().map(|at| at * i64::from(width)).eq(first.copied()));
            }
        }
        assert!(matches!(found.form(), Form::Layout(_)), "{}", found.text());
        assert_eq!(found.xor_mask(), mask);
        n_found += 1;
    }
}

/// Under a swizzle these places are `(3,2,2)` of 8 elements, which beyond the eighth would be read below 0: no swizzled layout.
/// Found by the fuzz target `discovered`.
#[test]
fn a_swizzle_that_cannot_be_read_beyond_the_array_is_none() {
    let places = [7usize, 6, 5, 0, 3, 2, 1, 4];
    let pack = |codes: &[u32], _: &[i64]| -> Packed {
        let bits = places.iter().zip(codes).fold(0, |bits, (place, code)| bits | code << place);
        Ok(vec![u8::try_from(bits).unwrap()])
    };
    let found = discover(pack, &[8], 1).unwrap();
    assert_eq!(found.offsets(), places.map(|place| i64::try_from(place).unwrap()));
    assert!(!matches!(found.form(), Form::Swizzled(_)), "{:?}", found.form());
}

/// From 2 on this is `(2,2):(-2,-1)` of 3 elements, whose fourth would lie at -1. Found by the fuzz target `discovered`.
#[test]
fn a_layout_that_goes_below_its_base_beyond_the_array_has_no_map() {
    let pack = |codes: &[u32], _: &[i64]| -> Packed {
        Ok(vec![u8::try_from(codes[0] << 2 | codes[1] | codes[2] << 1).unwrap()])
    };
    let found = discover(pack, &[3], 1).unwrap();
    assert_eq!((found.offsets(), found.map()), (&[2, 0, 1][..], None));
    assert!(found.text().starts_with("2 + "), "{}", found.text());
}
