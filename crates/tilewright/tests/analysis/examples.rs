//! Worked examples, arrays of nothing, very large arrays and limits.

use super::map;

#[test]
fn of_strides() {
    #[track_caller]
    fn check(text: &str, injective: bool, surjective: bool) {
        let map = map(text);
        assert_eq!(map.is_injective().unwrap(), injective, "{text}");
        assert_eq!(map.is_surjective().unwrap(), surjective, "{text}");
        assert_eq!(map.is_bijective().unwrap(), injective && surjective, "{text}");
    }
    check("(4,8):(1,4)", true, true);
    check("(4,8):(8,1)", true, true);
    check("(4,8):(1,5)", true, false);
    check("(4,8):(1,3)", false, true);
    check("(4,8):(1,0)", false, true);
    check("(4,8):(2,0)", false, false);
    check("(4,8):(-1,4)", true, true);
    check("(4,8):(-1,3)", false, true);
    check("(2,3):(3,2)", true, false); // 0 2 4 3 5 7: strides that reach into one another
    check("(2,4):(3,2)", true, false); // 0 2 4 6 3 5 7 9
    check("(3,4):(4,3)", true, false);
    check("(4,4):(4,3)", true, false);
    check("(4,5):(4,3)", false, false); // (3,0) and (0,4) share 12, nothing lies at 1
    check("((2,2)):((1,0))", false, true);
    check("((2,2)):((1,0)):(2)", true, true); // the repeated half is cropped
    check("((4,3)):((1,4)):(9)", true, false);
    check("f32[3,5]{1,0:T(2,2)}", true, false);
    check("f32[4,6]{1,0:T(2,2)}", true, true);
    check("f32[10,10]{1,0:T(5,10)(2,1)}", true, false); // 5 rows in pairs: padding
    check("f32[10,10]{1,0:T(*,4)(2,1)}", true, false);
    check("f32[]", true, true);
    check("f32[]{:T(128)}", true, false);
    check("f32[100]{0:L(64)}", true, false);
}

/// 3 × 5 in tiles of 2 × 2, as the README draws it.
#[test]
fn tiles_of_two_by_two() {
    let map = map("f32[3,5]{1,0:T(2,2)}");
    assert_eq!(map.distinct_offsets().unwrap(), 15);
    let gaps = map.gaps(100).unwrap();
    assert_eq!(gaps.runs, [9..10, 11..12, 14..16, 18..20, 21..24]);
    assert_eq!((gaps.total, gaps.is_complete()), (9, true));
    assert_eq!(gaps.to_string(), "9 offsets without an element: 9, 11, 14-15, 18-19, 21-23");
    assert_eq!(map.gaps(0).unwrap().to_string(), "9 offsets without an element");
    assert!(!map.gaps(4).unwrap().is_complete());
    assert_eq!((map.contiguity(0).unwrap(), map.contiguity(1).unwrap()), (1, 2));
    assert_eq!((map.vector_width(0).unwrap(), map.vector_width(1).unwrap()), (1, 2));
    assert_eq!(map.sharing().unwrap().to_string(), "15 offsets with 1 element");
}

#[test]
fn first_aliases() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let alias = map(text).first_alias().unwrap();
        assert_eq!(alias.map_or("none".to_owned(), |alias| alias.to_string()), expected, "{text}");
    }
    check("(4,8):(1,4)", "none");
    check("(4,8):(1,0)", "(0,0) and (0,1) share offset 0");
    check("(4,8):(0,1)", "(0,0) and (1,0) share offset 0");
    check("(4,8):(1,3)", "(0,1) and (3,0) share offset 3");
    check("(4,8):(-1,1)", "(0,0) and (1,1) share offset 0");
    check("((2,3)):((0,1))", "(0) and (1) share offset 0");
    check("((2,3)):((1,0))", "(0) and (2) share offset 0");
    check("((2,3,2)):((1,0,2))", "(0) and (2) share offset 0");
    check("(5,(2,3),4):(100,(1,0),10)", "(0,0,0) and (0,2,0) share offset 0");
}

#[test]
fn offsets_that_are_shared() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(map(text).aliases(2, 3).unwrap().to_string(), expected, "{text}");
    }
    check("(4,8):(1,4)", "32 offsets with 1 element");
    check(
        "(4,3):(1,0)",
        "4 offsets with 3 elements\n0: (0,0) (0,1) (0,2)\n1: (1,0) (1,1) (1,2)\n…",
    );
    check(
        "(2,5):(1,0)",
        "2 offsets with 5 elements\n\
        0: (0,0) (0,1) (0,2) … (5 elements in all)\n1: (1,0) (1,1) (1,2) … (5 elements in all)",
    );
    // 0 1 2 and 2 3 4.
    check("(3,2):(1,2)", "4 offsets with 1 element, 1 with 2\n2: (0,1) (2,0)");
    // A number of three digits whose middle one is dropped, cut off at 20 of 24:
    // 0 2 4 6, 1 3 5 7, 8 10 12 14, 9 11 13 15, 16 18, 17 19.
    let sharing = map("((2,4,3)):((1,0,2)):(20)").sharing().unwrap();
    assert_eq!(sharing.to_string(), "2 offsets with 2 elements, 4 with 4");
    assert_eq!((sharing.most(), sharing.uniform(), sharing.shared_offsets()), (4, None, 6));
    let broadcast = map("(4,3):(1,0)").sharing().unwrap();
    assert_eq!(broadcast.uniform(), Some(3));
}

#[test]
fn runs_and_vectors() {
    #[track_caller]
    fn check(text: &str, runs: &[i64], widths: &[i64]) {
        let map = map(text);
        let dims = 0..runs.len();
        let found: Vec<i64> = dims.clone().map(|dim| map.contiguity(dim).unwrap()).collect();
        assert_eq!(found, runs, "{text}");
        let found: Vec<i64> = dims.map(|dim| map.vector_width(dim).unwrap()).collect();
        assert_eq!(found, widths, "{text}");
    }
    check("f32[8,12]", &[1, 12], &[1, 4]); // 8 does not divide the rows' 12
    check("f32[8,16]", &[1, 16], &[1, 16]);
    check("f32[8,13]", &[1, 13], &[1, 1]);
    check("f32[1,13]", &[1, 13], &[1, 8]); // one row: the last vector stands out
    check("f32[20,300]{1,0:T(8,128)}", &[1, 128], &[1, 128]);
    check("s8[40,300]{1,0:T(8,128)(4,1)}", &[4, 1], &[4, 1]);
    check("f32[12,12]{1,0:T(6,6)}", &[1, 6], &[1, 2]);
    check("((4,8)):((1,8))", &[4], &[4]);
    check("((4,8)):((1,6))", &[4], &[2]); // starts at 0, 6, 12
    check("((4,8)):((1,0))", &[4], &[4]);
    check("(8):(-1)", &[1], &[1]);
    check("(8):(2)", &[1], &[1]);
    check("(8,2):(1,-8)", &[8, 1], &[8, 1]);
    check("(8,2):(1,-7)", &[8, 1], &[1, 1]);
    check("f32[4,0]", &[1, 1], &[1, 1]);
    check("Sw<3,3,3> o 0 o (64,64):(64,1)", &[1, 8], &[1, 8]);
    check("Sw<2,0,2> o 0 o (4,4):(4,1)", &[1, 1], &[1, 1]);
    // As one row of 12 in tiles of 4, three of which go side by side in columns of 2:
    // 0 1 6 7, 2 3 8 9, 4 5 10 11. With rows of 5, the second one begins between 2 and 3.
    check("f32[2,6]{1,0:T(*,4)(3,2)}", &[1, 2], &[1, 2]);
    check("f32[2,5]{1,0:T(*,4)(3,2)}", &[1, 1], &[1, 1]);
}

#[test]
fn vectors_of_so_many_bits() {
    let map = map("bf16[64,64]");
    for (element_bits, max_bits, expected) in
        [(16, 128, 8), (16, 512, 32), (16, 4096, 64), (16, 16, 1), (16, 8, 0), (4, 128, 32)]
    {
        assert_eq!(map.vector_width_within(1, element_bits, max_bits).unwrap(), expected);
    }
    for element_bits in [0, 3, 24] {
        assert!(map.vector_width_within(1, element_bits, 128).is_err());
    }
    assert!(map.vector_width_within(2, 16, 128).unwrap_err().is_out_of_bounds());
    assert!(map.contiguity(2).unwrap_err().is_out_of_bounds());
    assert!(map.vector_width(usize::MAX).unwrap_err().is_out_of_bounds());
}

#[test]
fn orders() {
    #[track_caller]
    fn check(text: &str, expected: &[usize]) {
        assert_eq!(map(text).dims_by_stride(), expected, "{text}");
    }
    check("f32[2,3,4]{2,1,0}", &[2, 1, 0]);
    check("f32[2,3,4]{0,2,1}", &[0, 2, 1]);
    check("f32[2,3,4]{0,2,1:T(2,2)}", &[0, 2, 1]);
    check("f32[2,1,4]{2,1,0}", &[2, 1, 0]);
    check("f32[2,4,1]{1,0,2}", &[2, 1, 0]);
    check("f32[1,1]", &[1, 0]);
    check("f32[]", &[]);
    check("f32[0,4]", &[1, 0]);
    check("(4,4):(-1,4)", &[0, 1]);
    check("(4,4):(4,-1)", &[1, 0]);
    check("(4,4,4):(1,0,4)", &[0, 2, 1]); // a repeated one stays above the one after it
    check("(4,4):(1,1)", &[1, 0]);
    check("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", &[4, 2, 3, 1, 0]);
}

#[test]
fn permutations() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let cycles = map(text).cycles().unwrap();
        assert_eq!(cycles.map_or("none".to_owned(), |cycles| cycles.to_string()), expected);
    }
    check("f32[3,4]", "12 cycles, the longest of 1; order 1; even");
    check("f32[2,2]{0,1}", "3 cycles, the longest of 2; order 2; odd");
    check("(4):(-1)", "2 cycles, the longest of 2; order 2; even");
    check("(5):(-1)", "3 cycles, the longest of 2; order 2; even"); // two swaps about the middle
    check("(6):(-1)", "3 cycles, the longest of 2; order 2; odd");
    check("f32[0]", "0 cycles, the longest of 0; order 1; even");
    check("f32[]", "1 cycle, the longest of 1; order 1; even");
    check("f32[3,5]{1,0:T(2,2)}", "none");
    check("(4,2):(1,0)", "none");
    // A transposition of a × b is multiplication by b modulo ab - 1, 0 and the last one fixed:
    // the powers of 8 modulo 31 are 8 2 16 4 1, so 30 numbers in six cycles of 5.
    check("f32[4,8]{0,1}", "8 cycles, the longest of 5; order 5; even");
    let transposed = map("f32[4,8]{0,1}").cycles().unwrap().unwrap();
    assert_eq!((transposed.fixed_points(), transposed.count()), (2, 8));
}

#[test]
fn arrays_of_nothing() {
    for text in ["f32[0]", "f32[0,4]{1,0:T(8,128)}", "f32[3,0,2]{0,1,2}"] {
        let map = map(text);
        assert!(map.is_injective().unwrap() && map.is_bijective().unwrap(), "{text}");
        assert_eq!(map.first_alias().unwrap(), None);
        assert_eq!(map.sharing().unwrap().to_string(), "no elements");
        assert_eq!((map.sharing().unwrap().most(), map.distinct_offsets().unwrap()), (0, 0));
        assert_eq!(map.gaps(9).unwrap().to_string(), "0 offsets without an element");
        assert!(map.aliases(9, 9).unwrap().groups.is_empty());
    }
}

/// Arrays far too large to look at, where the digits know.
#[test]
fn very_large_arrays() {
    let tiled = map("f32[1000000,10000]{1,0:T(8,128)}");
    assert!(tiled.is_injective().unwrap() && !tiled.is_surjective().unwrap());
    assert_eq!(tiled.distinct_offsets().unwrap(), 10_000_000_000);
    // 10000 = 78 * 128 + 16: the last tile column has 16 of its 128 columns.
    let gaps = tiled.gaps(2).unwrap();
    assert_eq!(gaps.total, 112 * 1_000_000);
    let last_tile = 78 * 8 * 128;
    assert_eq!(gaps.runs, [last_tile + 16..last_tile + 128, last_tile + 144..last_tile + 256]);
    assert_eq!((tiled.contiguity(1).unwrap(), tiled.vector_width(1).unwrap()), (128, 128));
    assert!(map("f32[1000000,1000000]{1,0:T(*,100)(2,1)}").is_bijective().unwrap());
    assert!(map("f32[1000000,1000001]{1,0:T(3,7)(2,1)}").is_injective().unwrap());
    assert!(map("(1000000,1000000):(-1,1000000)").is_bijective().unwrap());
    assert!(map("Sw<3,3,3> o 0 o (65536,65536):(65536,1)").is_bijective().unwrap());
    let broadcast = map("(1000000,1000000):(0,1)");
    assert_eq!(broadcast.sharing().unwrap().uniform(), Some(1_000_000));
    assert_eq!(
        broadcast.first_alias().unwrap().unwrap().to_string(),
        "(0,0) and (1,0) share offset 0"
    );
    assert!(broadcast.is_surjective().unwrap());
    // Rows that begin inside the row before: found after a row.
    let overlapping = map("(100000000,4000):(3999,1)");
    let alias = overlapping.first_alias().unwrap().unwrap();
    assert_eq!(alias.to_string(), "(0,3999) and (1,0) share offset 3999");
    assert_eq!(map("s8[9223372036854775807]").vector_width(0).unwrap(), 1 << 62);
}

/// Offsets, sizes and strides at the edge of 64 bits.
#[test]
fn the_largest_numbers() {
    #[track_caller]
    fn check(text: &str, distinct: i64, most: i64, gaps: &[(i64, i64)]) {
        let map = map(text);
        assert_eq!(map.distinct_offsets().unwrap(), distinct, "{text}");
        assert_eq!(map.sharing().unwrap().most(), most, "{text}");
        assert_eq!(map.first_alias().unwrap().is_none(), most == 1, "{text}");
        let found = map.gaps(usize::MAX).unwrap().runs.into_iter().map(|run| (run.start, run.end));
        assert!(found.eq(gaps.iter().copied()), "{text}");
        assert_eq!(map.dims_by_stride(), [0], "{text}");
        assert!(map.contiguity(0).unwrap() >= map.vector_width(0).unwrap(), "{text}");
    }
    const MAX: i64 = i64::MAX;
    check("s8[9223372036854775807]", MAX, 1, &[]);
    check("(9223372036854775807):(0)", 1, MAX, &[]);
    check("(2):(9223372036854775806)", 2, 1, &[(1, MAX - 1)]);
    check("(2):(-9223372036854775806)", 2, 1, &[(2 - MAX, 0)]);
    check("(9223372036854775807):(-1)", MAX, 1, &[]);
    check("((2,4611686018427387903)):((0,1))", MAX / 2, 2, &[]);
    check("((4611686018427387903,2)):((1,0))", MAX / 2, 2, &[]);
    check(
        "((2,2)):((4611686018427387903,-4611686018427387903))",
        3,
        2,
        &[(1 - MAX / 2, 0), (1, MAX / 2)],
    );
}

#[test]
fn limits() {
    const TOO_MANY: &str =
        "25000000 elements would have to be compared one by one, more than the limit of 16777216";
    let transposed = map("f32[5000,5000]{0,1}");
    assert_eq!(transposed.cycles().unwrap_err().to_string(), TOO_MANY);
    let overlapping = map("(5000,5000):(1,1)");
    assert_eq!(overlapping.distinct_offsets().unwrap_err().to_string(), TOO_MANY);
    assert_eq!(overlapping.sharing().unwrap_err().to_string(), TOO_MANY);
    assert_eq!(overlapping.aliases(1, 1).unwrap_err().to_string(), TOO_MANY);
    assert_eq!(overlapping.gaps(1).unwrap_err().to_string(), TOO_MANY);
    assert!(!overlapping.is_injective().unwrap());
    assert_eq!(map("(5000,5000):(1,0)").aliases(1, 1).unwrap_err().to_string(), TOO_MANY);
    let straddling = map("f32[5000,5000]{1,0:T(*,3)(2,1)}");
    assert_eq!(straddling.contiguity(0).unwrap_err().to_string(), TOO_MANY);
    assert!(straddling.is_injective().unwrap());
}
