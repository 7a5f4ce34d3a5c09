//! Layouts as functions of the shape, held to a shape that they were not made from.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod packers;

use std::convert::Infallible;

use packers::Pack;
use tilewright_discover::{Form, discover, discover_over};

/// The formula from two shapes, or three, and what it says at the last one, which it has not seen.
fn check(pack: Pack, bits: u32, shapes: &[[i64; 2]], unseen: [i64; 2], text: &str) {
    let shapes: Vec<&[i64]> = shapes.iter().map(|shape| &shape[..]).collect();
    let over = discover_over(pack, &shapes, bits).unwrap();
    let formula = over.formula.as_ref().unwrap();
    assert_eq!(formula.to_string(), text, "{over}");
    let found = discover(pack, &unseen, bits).unwrap();
    let (Form::Layout(fitted) | Form::Merged { fitted, .. }) = found.form() else {
        panic!("{found}")
    };
    assert_eq!(&formula.at(&unseen).unwrap(), fitted, "{text}");
    let unit = if formula.groups().len() == 2 && bits != 3 { i64::from(bits) } else { 1 };
    assert_eq!(formula.allocation(&unseen), Some(found.allocation_bits() / unit), "{text}");
}

#[test]
fn formats_are_functions_of_the_shape() {
    let named = packers::named;
    let two = |a, b| vec![a, b];
    check(
        named("marlin-4"),
        4,
        &two([128, 128], [64, 192]),
        [96, 256],
        "((2,4,2,ceil(d0/16)),(8,2,4,ceil(d1/64))):((4,32,1,1024*ceil(d1/64)),(128,2,8,1024))",
    );
    check(
        named("marlin-8"),
        8,
        &two([128, 128], [64, 192]),
        [96, 256],
        "((2,4,2,ceil(d0/16)),(8,8,ceil(d1/64))):((2,32,1,1024*ceil(d1/64)),(128,4,1024))",
    );
    check(
        named("gptq-4"),
        4,
        &two([64, 24], [40, 17]),
        [128, 33],
        "((8,ceil(d0/8)),d1):((1,8*d1),8)",
    );
    check(
        named("gptq-3"),
        3,
        &two([64, 24], [96, 17]),
        [128, 33],
        "((32,ceil(d0*3/32)),d1):((1,32*d1),32)",
    );
    check(
        named("awq-4"),
        4,
        &two([7, 64], [19, 24]),
        [11, 80],
        "(d0,(2,4,ceil(d1/8))):(8*ceil(d1/8),(4,1,8))",
    );
    check(
        named("awq-v2-4"),
        4,
        &two([8, 128], [20, 192]),
        [12, 256],
        "((4,ceil(d0/4)),(8,4,2,ceil(d1/64))):((64,256*ceil(d1/64)),(4,1,32,256))",
    );
    check(
        named("aiter-16x16-8bit"),
        8,
        &two([32, 64], [64, 96]),
        [48, 160],
        "((16,ceil(d0/16)),(16,ceil(d1/16))):((16,256*ceil(d1/16)),(1,256))",
    );
    check(
        named("cublaslt-col32"),
        8,
        &two([9, 64], [14, 80]),
        [11, 100],
        "(d0,(32,ceil(d1/32))):(32,(1,32*d0))",
    );
    check(
        named("sf-128x4"),
        8,
        &two([300, 13], [200, 30]),
        [400, 21],
        "((32,4,ceil(d0/128)),(4,ceil(d1/4))):((16,4,512*ceil(d1/4)),(1,512))",
    );
    check(
        named("sf-8x4"),
        8,
        &two([30, 13], [20, 21]),
        [100, 9],
        "((8,ceil(d0/8)),(4,ceil(d1/4))):((4,32*ceil(d1/4)),(1,32))",
    );
    check(
        packers::trtllm::w4a16_sm80,
        4,
        &two([128, 8], [192, 20]),
        [256, 12],
        "((8,4,2,ceil(d0/64)),(4,ceil(d1/4))):((4,1,32,256),(64,256*ceil(d0/64)))",
    );
    check(
        named("marlin-4-a8"),
        4,
        &two([128, 128], [64, 96]),
        [96, 160],
        "((4,4,2,ceil(d0/32)),(8,4,ceil(d1/32))):((2,32,1,1024*ceil(d1/32)),(128,8,1024))",
    );
    check(
        named("marlin-8-a8"),
        8,
        &two([128, 128], [64, 96]),
        [96, 160],
        "((4,4,2,ceil(d0/32)),(8,4,ceil(d1/32))):((1,32,4,1024*ceil(d1/32)),(128,8,1024))",
    );
    check(
        named("gptq-2"),
        2,
        &two([64, 24], [48, 17]),
        [128, 33],
        "((16,ceil(d0/16)),d1):((1,16*d1),16)",
    );
    check(
        named("gptq-8"),
        8,
        &two([64, 24], [40, 17]),
        [128, 33],
        "((4,ceil(d0/4)),d1):((1,4*d1),4)",
    );
    check(
        named("aiter-16x16-16bit"),
        16,
        &two([32, 64], [64, 96]),
        [48, 160],
        "((16,ceil(d0/16)),(8,ceil(d1/8))):((8,128*ceil(d1/8)),(1,128))",
    );
    check(
        named("cublaslt-col4_4r2_8c"),
        8,
        &two([24, 64], [40, 80]),
        [32, 128],
        "((2,4,ceil(d0/8)),(4,8,ceil(d1/32))):((128,4,256),(1,16,256*ceil(d0/8)))",
    );
    check(
        named("cublaslt-col32_2r_4r4"),
        8,
        &two([64, 64], [96, 144]),
        [128, 96],
        "((2,4,4,ceil(d0/32)),(32,ceil(d1/32))):((32,256,64,1024),(1,1024*ceil(d0/32)))",
    );
    check(
        named("trtllm-gen-shuffle-a16"),
        8,
        &two([32, 24], [48, 17]),
        [64, 33],
        "((2,8,ceil(d0/16)),d1):((8*d1,d1,16*d1),1)",
    );
    check(
        named("trtllm-gen-shuffle-a32"),
        8,
        &two([64, 24], [96, 17]),
        [128, 33],
        "((4,8,ceil(d0/32)),d1):((8*d1,d1,32*d1),1)",
    );
    // Padded to 8 columns and 256 rows, in tiles of 8 and 32.
    check(
        packers::amd::shuffle_scale,
        8,
        &two([70, 13], [300, 20]),
        [100, 50],
        "((16,2,ceil(d0/32)),(4,2,ceil(d1/8))):((4,1,256*ceil(d1/8)),(64,2,256))",
    );
    check(
        named("block-major-k-128"),
        8,
        &two([5, 256], [7, 384]),
        [9, 512],
        "(d0,(128,ceil(d1/128))):(128,(1,128*d0))",
    );
}

/// Groups of four rows: nibbles, then twelve bytes for each row.
#[test]
fn a_constant_beside_a_product_takes_three_shapes() {
    let pack: Pack = |codes, dims| {
        let [rows, columns] = [dims[0], dims[1]].map(|size| usize::try_from(size).unwrap());
        let group = 4 * (columns / 2 + 12);
        let mut bytes = vec![0u8; rows / 4 * group];
        for (place, code) in codes.iter().enumerate() {
            let (row, column) = (place / columns, place % columns);
            let byte = row / 4 * group + column / 2 * 4 + row % 4;
            bytes[byte] |= u8::try_from(*code).unwrap() << (column % 2 * 4);
        }
        Ok(bytes)
    };
    let shapes: [&[i64]; 3] = [&[8, 32], &[12, 80], &[20, 48]];
    let over = discover_over(pack, &shapes, 4).unwrap();
    assert_eq!(over.found[0].text(), "((4,2),(2,16)):((2,224),(1,8))");
    let formula = over.formula.unwrap();
    assert_eq!(formula.to_string(), "((4,ceil(d0/4)),(2,ceil(d1/2))):((2,96+8*ceil(d1/2)),(1,8))");
    let found = discover(pack, &[16, 24], 4).unwrap();
    let Form::Layout(fitted) = found.form() else { panic!("{found}") };
    assert_eq!(&formula.at(&[16, 24]).unwrap(), fitted);
    assert_eq!(formula.allocation(&[16, 24]), Some(found.allocation_bits() / 4));
    let two = discover_over(pack, &shapes[..2], 4).unwrap();
    assert_eq!(two.formula.unwrap_err(), "the strides or the size are no product of padded sizes");
}

#[test]
fn what_shapes_do_not_show_is_said() {
    let reason = |shapes: &[&[i64]]| {
        discover_over(packers::named("sf-8x4"), shapes, 8).unwrap().formula.unwrap_err()
    };
    assert_eq!(reason(&[&[30, 13], &[20, 13]]), "dimension 1 has the same size in all shapes");
    assert_eq!(
        reason(&[&[30, 13], &[4, 21]]),
        "at [4, 21] the layout has other parts than at [30, 13]: a shape may be too small to show \
         them"
    );
    let shapes: [&[i64]; 2] = [&[32, 64], &[48, 96]];
    let alike = discover_over(packers::named("aiter-16x16-8bit"), &shapes, 8).unwrap();
    assert_eq!(
        alike.formula.unwrap_err(),
        "1024 at [32, 64] has several formulas that are right at these shapes: a shape of other \
         proportions settles it"
    );
    // 4 x 3 tiles and 2 x 6: the size is the same, and has a formula all the same.
    let over = discover_over(packers::named("sf-8x4"), &[&[30, 12], &[16, 24]], 8).unwrap();
    assert_eq!(over.formula.unwrap().allocation(&[80, 40]), Some(3200));
    let one = discover_over(packers::named("sf-8x4"), &[&[30, 13]], 8).unwrap_err();
    assert_eq!(one.to_string(), "two shapes or more are needed, of one rank");
    let gather = |codes: &[u32], _: &[i64]| -> Result<Vec<u8>, Infallible> {
        Ok((0..codes.len()).map(|i| codes[i * i * 5 % codes.len()].to_le_bytes()[0]).collect())
    };
    assert!(discover_over(gather, &[&[7], &[11]], 8).is_err());
}
