//! Cases that have a name: the layouts that hardware uses, and the corners of the notation.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not there")]

mod support;

use std::num::NonZeroUsize;
use support::{
    check, check_round_trip, check_threads, composed, definition, noise, placement, streamed,
};
use tilewright_relayout::{Pad, Placement, Plan, Route, RunOptions, Threads, relayout};

/// Checks a pair of layouts both ways, at a width of its own on either side.
fn both_ways(a: (&str, u32), b: (&str, u32)) {
    let (a, b) = (placement(a.0, a.1), placement(b.0, b.1));
    for pad in [0, u128::MAX / 7] {
        check(&a, &b, 128, pad);
        check(&b, &a, 128, pad);
    }
    check_threads(&a, &b, 5);
    if a.element_bits() == b.element_bits() {
        check_round_trip(&a, &b);
    }
}

/// Rows of an odd number that are packed by two or by four, and become columns: the last of them have padding beside them.
#[test]
fn odd_rows_that_are_packed() {
    for (n, bits, packed) in [(1, 16, 2), (3, 16, 2), (1, 8, 4), (2, 8, 4), (5, 8, 4)] {
        let tiles = format!("f32[150,{n},70]{{0,1,2:T(8,128)({packed},1)}}");
        both_ways((&format!("f32[150,{n},70]"), bits), (&tiles, bits));
    }
}

#[test]
fn tpu_tiles() {
    both_ways(("f32[20,300]", 32), ("f32[20,300]{1,0:T(8,128)}", 32));
    both_ways(("f32[20,300]{1,0:T(8,128)}", 32), ("f32[20,300]{0,1:T(8,128)}", 32));
    both_ways(("f32[30,300]", 16), ("f32[30,300]{1,0:T(8,128)(2,1)}", 16));
    let transposed = "f32[150,270]{0,1:T(8,128)(2,1)}";
    both_ways(("f32[150,270]{1,0:T(8,128)(2,1)}", 16), (transposed, 16));
    both_ways(("f32[150,270]{1,0:T(8,128)(4,1)}", 8), ("f32[150,270]{0,1:T(8,128)(4,1)}", 8));
    both_ways(("f32[150,270]{1,0:T(8,128)(4,1)}", 8), ("f32[150,270]{0,1:T(32,128)(2,1)}", 8));
    both_ways(("f32[33,257]", 8), ("f32[33,257]{1,0:T(8,128)(4,1)}", 8));
    both_ways(("f32[16,256]", 8), ("f32[16,256]{1,0:T(16,128)(8,1)}", 8));
    both_ways(("f32[64,256]", 8), ("f32[64,256]{1,0:T(32,128)(32,1)}", 1));
    both_ways(("f32[40,130]", 8), ("f32[40,130]{1,0:T(64,128)(8,1)}", 4));
    let bits = "f32[3,5,300]{2,1,0:T(32,128)(32,1)}";
    both_ways((bits, 1), ("f32[3,5,300]{2,1,0:T(8,128)(4,1)}", 8));
    both_ways(("f32[64,256]", 4), ("f32[64,256]{1,0:T(8,128)}", 4));
}

#[test]
fn transposes_and_permutations() {
    both_ways(("f32[37,53]{1,0}", 32), ("f32[37,53]{0,1}", 32));
    both_ways(("f32[64,48]{1,0}", 8), ("f32[64,48]{0,1}", 8));
    both_ways(("f32[4,6,10,12]{3,2,1,0}", 32), ("f32[4,6,10,12]{1,3,2,0}", 32));
    both_ways(("f32[3,4,5,6,7]{4,3,2,1,0}", 16), ("f32[3,4,5,6,7]{1,4,0,2,3}", 16));
    both_ways(("f32[64,64]", 16), ("f32[64,64]{1,0:T(64,16)(16,16)}", 16));
    both_ways(("f32[90,70]{1,0}", 4), ("f32[90,70]{0,1}", 4));
    both_ways(("f32[90,70]{1,0}", 1), ("f32[90,70]{0,1}", 1));
}

/// Rows that begin at addresses that end alike go by way of a stage in the caches, those of either side; parts that do not divide
/// a loop share elements with the part before.
#[test]
fn rows_in_the_way_of_each_other() {
    for (dims, bits) in [("72,1024", 32), ("70,2048", 16), ("131,4096", 8), ("24,512", 64)] {
        let [rows, columns] =
            ["1,0", "0,1"].map(|order| placement(&format!("f32[{dims}]{{{order}}}"), bits));
        for (from, to) in [(&rows, &columns), (&columns, &rows)] {
            let (src, mut dst) = (noise(from.bytes()), vec![0; to.bytes()]);
            let plan = Plan::new(from, to).unwrap();
            plan.run(&src, &mut dst, &RunOptions::default()).unwrap();
            assert!(dst == definition(&src, from, to, 128, 0), "{dims} of {bits} bits");
        }
    }
}

/// Both sides packed, along different dimensions: words of 64 bits, of 32, and of 8.
#[test]
fn packed_to_packed() {
    for bits in [4, 2, 1] {
        both_ways(("f32[128,192]{1,0}", bits), ("f32[128,192]{0,1}", bits));
        both_ways(("f32[3,96,40]{2,1,0}", bits), ("f32[3,96,40]{1,0,2}", bits));
        both_ways(("f32[24,3,136]{2,1,0}", bits), ("f32[24,3,136]{0,1,2}", bits));
    }
    let nibbles = ("f32[150,270]{1,0:T(64,128)(8,1)}", 4);
    both_ways(nibbles, ("f32[150,270]{0,1:T(64,128)(8,1)}", 4));
    both_ways(nibbles, ("f32[150,270]{0,1}", 4));
    let single = ("f32[150,270]{1,0:T(32,128)(32,1)}", 1);
    both_ways(single, ("f32[150,270]{0,1:T(32,128)(32,1)}", 1));
    both_ways(("f32[64,256]{1,0}", 1), ("f32[64,256]{0,1:T(32,64)(32,1)}", 1));
}

/// Weights of 4 bits as quantised models carry them: GPTQ puts eight rows into a word, AWQ eight
/// columns in an order of its own.
#[test]
fn weights_of_four_bits() {
    let rows = |bits| composed("(32,128):(128,1)", bits);
    let gptq = composed("((8,4),128):((1,1024),8)", 4);
    let awq = composed("(32,(2,2,2,16)):(128,(4,1,2,8))", 4);
    let pairs = [(&gptq, &awq), (&rows(4), &gptq), (&rows(4), &awq), (&rows(8), &awq)];
    for (a, b) in pairs {
        check(a, b, 4, 3);
        check(b, a, 4, 3);
        check_threads(a, b, 5);
    }
}

/// Rows of an odd length to tiles of columns, and short pieces that lie anywhere.
#[test]
fn few_neighbours() {
    for columns in [129, 130, 257] {
        let rows = format!("f32[40,{columns}]{{1,0}}");
        both_ways((&rows, 16), (&format!("f32[40,{columns}]{{0,1:T(8,128)(2,1)}}"), 16));
        both_ways((&rows, 8), (&format!("f32[40,{columns}]{{0,1:T(8,128)(4,1)}}"), 8));
        both_ways((&rows, 16), (&format!("f32[40,{columns}]{{1,0:T(16,16)}}"), 16));
    }
    let tiles = |order: &str| format!("f32[6,18,40]{{{order}:T(8,128)(2,1)}}");
    both_ways((&tiles("2,1,0"), 16), (&tiles("1,0,2"), 16));
    let tiles = |order: &str| format!("f32[6,18,40]{{{order}:T(8,128)(4,1)}}");
    both_ways((&tiles("2,1,0"), 8), (&tiles("1,0,2"), 8));
}

#[test]
fn scalars_and_single_elements() {
    both_ways(("f32[]", 32), ("f32[]{:T(128)}", 32));
    both_ways(("f32[]", 1), ("f32[]{:T(256)(8)}", 1));
    both_ways(("f32[1,1]", 3), ("f32[1,1]{0,1:T(2,2)}", 3));
    both_ways(("f32[1,7,1]", 32), ("f32[1,7,1]{0,2,1:T(4,2)}", 32));
}

#[test]
fn tails_and_padding() {
    both_ways(("f32[5]", 32), ("f32[5]{0:L(8)}", 32));
    both_ways(("f32[5]", 3), ("f32[5]{0:L(7)}", 3));
    both_ways(("f32[2,3]{0,1:PAD(3,5)}", 16), ("f32[2,3]{1,0:T(2,2)L(32)}", 16));
    both_ways(("f32[3,5]{1,0:T(2,2)}", 8), ("f32[3,5]{1,0:T(2,2)}", 8));
}

#[test]
fn nothing_at_all() {
    both_ways(("f32[0]", 32), ("f32[0]{0:T(128)}", 32));
    both_ways(("f32[3,0,5]", 4), ("f32[3,0,5]{0,1,2:T(2,2)}", 4));
    // No elements, but an allocation that is all padding.
    both_ways(("f32[0,5]{1,0:PAD(2,5)}", 12), ("f32[0,5]{1,0:PAD(3,6)}", 12));
}

#[test]
fn maps_that_do_not_come_apart() {
    both_ways(("f32[24,30]{1,0:T(4,2)}", 32), ("f32[24,30]{1,0:T(6,2)}", 32));
    both_ways(("f32[7,9]{1,0:T(*,8)(2,1)}", 16), ("f32[7,9]", 16));
    both_ways(("f32[7,9]{1,0:T(*,8)(2,1)}", 5), ("f32[7,9]{0,1}", 7));
}

/// A plan's route and its number of boxes.
fn route(from: &Placement, to: &Placement) -> (Route, usize) {
    let description = Plan::new(from, to).unwrap().describe();
    (description.route, description.boxes.len())
}

/// 12 steps are 4 boxes: of 4, 2, 2 and 4 elements.
#[test]
fn divisors_that_do_not_divide_each_other() {
    let (fours, sixes) = ("f32[24,32]{1,0:T(4,8)}", "f32[24,32]{1,0:T(6,8)}");
    assert_eq!(route(&placement(fours, 32), &placement(sixes, 32)), (Route::Boxes, 4));
    for bits in [4, 8, 32] {
        both_ways((fours, bits), (sixes, bits));
    }
}

/// Dimensions that a tile merges are one to rows, which are one box then.
#[test]
fn tiles_across_dimensions() {
    let (tiled, rows) = ("f32[16,10]{1,0:T(*,8)(2,1)}", "f32[16,10]");
    assert_eq!(route(&placement(rows, 32), &placement(tiled, 32)), (Route::Boxes, 1));
    both_ways((rows, 32), (tiled, 32));
    both_ways(("f32[3,12,10]{2,1,0:T(*,16)}", 8), ("f32[3,12,10]{0,1,2}", 8));
}

/// What was swizzled is one box; of what is not seen to be whole pieces, both values of each of the three bits that flip
/// others are one.
#[test]
fn swizzles() {
    let rows = |bits| composed("(32,64):(64,1)", bits);
    let swizzled = |bits| composed("Sw<3,3,3> o 0 o (32,64):(64,1)", bits);
    assert_eq!(route(&rows(16), &swizzled(16)), (Route::Swizzled, 1));
    assert_eq!(route(&swizzled(16), &rows(16)), (Route::Swizzled, 1));
    assert_eq!(route(&swizzled(8), &rows(8)), (Route::Boxes, 8));
    let columns = composed("Sw<2,4,3> o 0 o (32,64):(1,32)", 16);
    for (a, b) in [(rows(16), swizzled(16)), (swizzled(16), columns), (rows(4), swizzled(4))] {
        check(&a, &b, 128, 3);
        check(&b, &a, 128, 3);
        check_threads(&a, &b, 5);
    }
}

/// Elements that go to one slot are a single chunk, whose outcome is the same every time.
#[test]
fn several_elements_in_a_slot() {
    let rows = composed("(64,64):(64,1)", 128);
    let swizzled_rows_of_one = composed("Sw<2,0,3> o 0 o (64,64):(0,1)", 128).holding_copies();
    let plan = Plan::new(&rows, &swizzled_rows_of_one).unwrap().with_chunks_of(1).unwrap();
    assert_eq!((plan.describe().route, plan.n_chunks()), (Route::Boxes, 1));
    let swizzled = composed("Sw<2,0,3> o 0 o (64,64):(64,1)", 128);
    let plan_of_own_slots = Plan::new(&rows, &swizzled).unwrap().with_chunks_of(1).unwrap();
    assert!(plan_of_own_slots.n_chunks() > 1);
    check_threads(&rows, &swizzled_rows_of_one, 5);
    let (src, mut dst) = (noise(rows.bytes()), vec![0; swizzled_rows_of_one.bytes()]);
    plan.run(&src, &mut dst, &RunOptions::default()).unwrap();
    for (slot, found) in dst.as_chunks::<16>().0.iter().enumerate() {
        // The swizzle undoes itself: column 8 a + b goes where b and the low bits of a differ.
        let column = slot ^ (slot >> 3 & 3);
        let mut elements = (0..64).map(|row| &src.as_chunks::<16>().0[row * 64 + column]);
        assert!(elements.any(|element| element == found), "slot {slot}");
    }
}

/// As many slots as elements, although two elements share each slot and every other one is padding.
#[test]
fn copies_are_not_counted_as_elements() {
    let pairs = composed("(2,2):(2,1)", 8);
    let shared = composed("(2,2):(0,3)", 8).holding_copies();
    let mut dst = [9; 4];
    let options = RunOptions { pad: Pad::Bits(5), ..RunOptions::default() };
    Plan::new(&pairs, &shared).unwrap().run(&[7, 8, 7, 8], &mut dst, &options).unwrap();
    assert_eq!(dst, [7, 5, 5, 8]);
}

/// Of an array of very many dimensions those of a single index are left out; copies stay copies.
#[test]
fn copies_in_many_dimensions() {
    let list = |last: &str| ["1"; 70].join(",") + "," + last;
    let rows = composed(&format!("({},2):({},1)", list("2"), list("2")), 8);
    let shared = composed(&format!("({},2):({},1)", list("2"), list("0")), 8);
    assert!(Plan::new(&rows, &shared).unwrap_err().is_sharing());
    let mut dst = [9; 2];
    let plan = Plan::new(&rows, &shared.holding_copies()).unwrap();
    plan.run(&[7, 8, 7, 8], &mut dst, &RunOptions::default()).unwrap();
    assert_eq!(dst, [7, 8]);
}

/// 3 elements in tiles of 2 are two boxes, and 14 such dimensions more than are planned at first.
#[test]
fn very_many_boxes() {
    let text = |order: &str| format!("u8[{}]{{{order}}}", ["3"; 14].join(","));
    let tiled = text(&format!("13,12,11,10,9,8,7,6,5,4,3,2,1,0:T({})", ["2"; 14].join(",")));
    let tiled = placement(&tiled, 1);
    let rows = placement(&text("13,12,11,10,9,8,7,6,5,4,3,2,1,0"), 1);
    assert_eq!(route(&tiled, &rows), (Route::Boxes, 16384));
    assert_eq!(route(&rows, &tiled), (Route::Boxes, 16384));
}

/// Tiles across rows come to tiles across columns in hardly more than an element at a time; so few
/// are moved one by one, more of them go through rows.
#[test]
fn more_boxes_than_are_planned() {
    let (tiled, columns) = ("f32[17,13]{1,0:T(*,7)(3,2)}", "f32[17,13]{0,1:T(*,5)(3,2)}");
    assert_eq!(route(&placement(tiled, 32), &placement(columns, 32)), (Route::Elements, 0));
    both_ways((tiled, 32), (columns, 32));
    both_ways((tiled, 5), (columns, 7));
    let (tiled, columns) = ("f32[61,11]{1,0:T(*,7)(3,2)}", "f32[61,11]{0,1:T(*,5)(3,2)}");
    assert_eq!(route(&placement(tiled, 32), &placement(columns, 32)), (Route::Through, 0));
    both_ways((tiled, 32), (columns, 32));
}

/// Arrays that fill few places of tiles whose columns are neighbours go through rows of those tiles, each chunk by itself, and
/// padding with the elements.
#[test]
fn tiles_that_are_filled_in_part() {
    let check = |from: (&str, u32), to: (&str, u32), value: u32, pad: u128| {
        let texts = [from.0, to.0];
        let (from, to) = (placement(from.0, from.1), placement(to.0, to.1));
        let plan = Plan::with_value_bits(&from, &to, value).unwrap();
        let description = plan.describe();
        assert_eq!((description.route, plan.n_chunks() > 1), (Route::Through, true), "{texts:?}");
        let src = noise(from.bytes());
        let wanted = definition(&src, &from, &to, value, pad);
        assert!(streamed(&plan, &src, 3, pad) == wanted, "{texts:?}");
        let flipping = plan.clone().flipping(5);
        let mut flipped = wanted.clone();
        let bits = to.element_bits() as usize;
        for offset in to.map().offsets().unwrap() {
            for at in (0..bits).filter(|at| 5u128 >> at & 1 == 1) {
                let bit = offset as usize * bits + at;
                flipped[bit / 8] ^= 1 << (bit % 8);
            }
        }
        for threads in [Threads::Current, Threads::Count(NonZeroUsize::MIN.saturating_add(1))] {
            for (plan, wanted) in [(&plan, &wanted), (&flipping, &flipped)] {
                let mut dst = vec![0xa5; to.bytes()];
                plan.run(&src, &mut dst, &RunOptions { pad: Pad::Bits(pad), threads }).unwrap();
                assert!(dst == *wanted, "{texts:?}, {threads:?}");
            }
        }
    };
    let tiles = "f32[40,7,256]{2,1,0:T(16,16)(16,1)}";
    check(("f32[40,7,256]", 16), (tiles, 16), 16, 0x1234);
    check(("f32[40,7,256]{2,0,1}", 8), ("f32[40,7,256]{2,1,0:T(32,16)(32,1)}", 8), 8, 3);
    check(("f32[5,70001]", 4), ("f32[5,70001]{1,0:T(8,128)(8,1)}", 4), 4, 9);
    check(("f32[5,40001]", 4), ("f32[5,40001]{1,0:T(8,128)(8,1)}", 8), 4, 0xff);
    check(("f32[23,9000]", 16), ("f32[23,9000]{1,0:T(16,16)(16,1)}", 16), 16, 0);
    let columns = "f32[4,2,4,16384]{2,3,1,0:T(32,128)(32,1)}";
    check((columns, 1), ("f32[4,2,4,16384]{3,2,1,0:T(32,128)(32,1)}", 1), 1, 1);
    // Of any size.
    let (rows, tiles) = ("f32[5,90000000001]", "f32[5,90000000001]{1,0:T(8,128)(8,1)}");
    assert_eq!(route(&placement(rows, 4), &placement(tiles, 4)), (Route::Through, 0));
}

#[test]
fn values_narrower_than_their_slots() {
    for value in 1..=8 {
        check(&placement("f32[9,9]", 8), &placement("f32[9,9]{0,1}", 8), value, 0xff);
        check(&placement("f32[9,9]", 8), &placement("f32[9,9]{0,1}", 4), value, 0xff);
        check(&placement("f32[9,9]", 8), &placement("f32[9,9]", 32), value, u128::MAX);
    }
}

#[test]
fn larger_than_a_chunk() {
    let check = |from: (&str, u32), to: (&str, u32)| {
        let texts = [from.0, to.0];
        let (from, to) = (placement(from.0, from.1), placement(to.0, to.1));
        let plan = Plan::new(&from, &to).unwrap();
        assert!(plan.n_chunks() > 1, "{texts:?}: {} chunk", plan.n_chunks());
        let src = noise(from.bytes());
        let mut dst = vec![0xa5; to.bytes()];
        relayout(&src, &from, &mut dst, &to, Pad::Bits(3)).unwrap();
        let wanted = definition(&src, &from, &to, 128, 3);
        let wrong = dst.iter().zip(&wanted).position(|(is, wanted)| is != wanted);
        assert_eq!(wrong, None, "{texts:?}");
    };
    check(("f32[513,1030]", 32), ("f32[513,1030]{1,0:T(8,128)}", 32));
    check(("f32[8800,1030]", 8), ("f32[8800,1030]{1,0:T(32,128)(32,1)}", 1));
    check(("f32[4000,1100]{0,1}", 16), ("f32[4000,1100]", 16));
}

#[test]
fn streaming_needs_little_of_the_source() {
    let (rows, tiles) = ("f32[1024,1024]", "f32[1024,1024]{1,0:T(8,128)}");
    for (from, to) in [(rows, tiles), (tiles, rows)] {
        let plan = Plan::new(&placement(from, 32), &placement(to, 32)).unwrap();
        assert!(plan.n_chunks() >= 8);
        for chunk in 0..plan.n_chunks() {
            assert_eq!(plan.source_span(chunk..chunk + 1), plan.chunk_bytes(chunk));
        }
    }
}

#[test]
fn a_copy_is_known_as_one() {
    let is_copy = |a: (&str, u32), b: (&str, u32)| {
        Plan::new(&placement(a.0, a.1), &placement(b.0, b.1)).unwrap().is_copy()
    };
    assert!(is_copy(("f32[24,128]", 32), ("f32[24,128]{1,0:T(8,128)}", 32)));
    assert!(is_copy(("f32[4,1,6]", 4), ("f32[4,1,6]{2,0,1}", 4)));
    assert!(!is_copy(("f32[24,256]", 32), ("f32[24,256]{1,0:T(8,128)}", 32)));
    assert!(!is_copy(("f32[24,128]", 32), ("f32[24,128]", 16)));
    // Padding is written, not copied.
    let tiled = "f32[3,5]{1,0:T(2,2)}";
    assert!(!is_copy((tiled, 32), (tiled, 32)));
}

#[test]
fn plans_can_be_shared() {
    fn shared<T: Send + Sync + Clone + std::fmt::Debug>() {}
    shared::<Plan>();
    shared::<Placement>();
}

/// A dense destination of ragged tiles is cut into chunks like any other, each reading its own part
/// of the source.
#[test]
fn ragged_tiles_to_rows_stream() {
    let tiled = placement("s32[3000,1000]{1,0:T(8,128)}", 32);
    let rows = placement("s32[3000,1000]", 32);
    for (from, to) in [(&tiled, &rows), (&rows, &tiled)] {
        let plan = Plan::new(from, to).unwrap().with_chunks_of(1 << 20).unwrap();
        assert!(plan.n_chunks() >= 8, "{} chunks", plan.n_chunks());
        for chunk in 0..plan.n_chunks() {
            let span = plan.source_span(chunk..chunk + 1).len();
            assert!(span < 2 << 20, "chunk {chunk} reads {span} bytes");
        }
    }
}

/// Slots of an odd number of bytes, of which a few bits go to slots of no whole bytes.
#[test]
fn slots_of_odd_bytes() {
    for (bits, stride) in [(120, 2), (120, 1), (24, 1), (88, 3), (56, 1), (40, 2)] {
        for n in [1, 2, 3, 5, 9, 40, 333] {
            let from = composed(&format!("({n}):({stride})"), bits);
            for (to_bits, value) in [(42, 27), (64, 27), (33, 33), (20, 19), (7, 5)] {
                let to = composed(&format!("({n}):(1)"), to_bits);
                check(&from, &to, value, 0xff);
                check(&to, &from, value, 0xff);
            }
        }
    }
}
