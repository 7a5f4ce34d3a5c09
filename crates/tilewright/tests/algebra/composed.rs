//! Swizzles, composed layouts, matrices of bits, explanations.

use tilewright::algebra::{self as alg, Composed, Composition, F2Matrix, Swizzle, Tiler, explain};
use tilewright::tla::{Int, IntTuple, Nested};

use super::{layout, tiler};

#[test]
fn texts_of_composed_layouts() {
    for text in [
        "Sw<3,0,3> o _0 o (_8,_8):(_8,_1)",
        "Sw<2,4,-3> o 16 o ((_8,2),_8):((_8,512),_1)",
        "(4,8):(8,1) o _2 o 4:2",
        "4:1",
        "(4):(1)",
    ] {
        let read: Composition = text.parse().unwrap();
        assert_eq!(read.to_string(), text);
    }
    let spaced: Composed = "Sw < 3 , 0 , 3 > o 0 o ( 8 , 8 ) : ( 8 , 1 )".parse().unwrap();
    assert_eq!(spaced.to_string(), "Sw<3,0,3> o 0 o (8,8):(8,1)");
    for (wrong, message) in [
        ("Sw<3,0,2> o 0 o 8:1", "the shift must be at least 3"),
        ("Sw<3,0,3", "unexpected the end"),
        ("Sw<3,0,3> o 8:1", "unexpected `:`"),
        ("Sw<3,0,99999999999> o 0 o 8:1", "between -63 and 63"),
        ("Sw<60,60,60> o 0 o 8:1", "reaches bit 179"),
        ("Sw<-1,0,3> o 0 o 8:1", "between 0 and 63"),
        ("Sw<1,0,3> o 0 o 8:1@0", "counts no elements"),
        ("4:1 o 0 o 4:1 o", "extra content"),
    ] {
        let error = wrong.parse::<Composition>().unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    for wrong in ["", "(4", "(4,", "4:", "(4:1,8", "(4:1,8):(1,2)", "((((", "4:1:4", "_-", ")"] {
        assert!(wrong.parse::<Tiler>().is_err(), "{wrong}");
    }
    let deep = format!("{}4{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(deep.parse::<Tiler>().is_err() && deep.parse::<Composition>().is_err());
}

#[test]
fn swizzles_undo_themselves_and_are_matrices() {
    for (bits, base, shift) in [(0, 0, 0), (1, 0, 1), (2, 1, 3), (3, 4, 3), (2, 0, -2), (3, 3, -4)]
    {
        let swizzle = Swizzle::new(bits, base, shift).unwrap();
        let mut images: Vec<i64> = (0..2048).map(|x| swizzle.apply(x)).collect();
        assert!((0..2048).all(|x| swizzle.apply(swizzle.apply(x)) == x), "{swizzle}");
        images.sort_unstable();
        assert_eq!(images, (0..2048).collect::<Vec<_>>(), "{swizzle}");
        for n in [2, 4, 8, 32] {
            let smaller = swizzle.downcast(n).unwrap();
            assert!((0..2048).all(|x| smaller.apply(x) == swizzle.apply(x / n) * n + x % n));
            if let Ok(larger) = swizzle.upcast(n) {
                assert!(
                    (0..2048).all(|x| larger.apply(x / n) == swizzle.apply(x) / n),
                    "{swizzle}"
                );
            }
        }
    }
    assert!(Swizzle::new(2, 0, -2).unwrap().upcast(2).is_err());
}

fn composed(text: &str) -> Composed {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn offsets_of(composed: &Composed) -> Vec<i64> {
    let at = |i| composed.offset_at(&Nested::Leaf(Int::dynamic(i))).unwrap();
    (0..composed.size().unwrap().value()).map(at).collect()
}

#[test]
fn composed_layouts_act_on_the_inner_one() {
    let tile = composed("Sw<3,0,3> o _0 o (_8,_8):(_8,_1)");
    let row = tile.slice(&"(3,_)".parse().unwrap()).unwrap();
    let column = tile.slice(&"(_,5)".parse().unwrap()).unwrap();
    for i in 0..8 {
        let whole = |r: i64, c: i64| tile.offset_at(&IntTuple::dynamic(&[r, c])).unwrap();
        assert_eq!(offsets_of(&row)[i as usize], whole(3, i));
        assert_eq!(offsets_of(&column)[i as usize], whole(i, 5));
    }
    let transposed = tile.composition(layout("(8,8):(8,1)")).unwrap();
    let all = offsets_of(&tile);
    let expected: Vec<i64> = (0..64).map(|i| all[i / 8 + i % 8 * 8]).collect();
    assert_eq!(offsets_of(&transposed), expected);
    let repeated = tile.on_inner(|l| alg::tile_to_shape(l, &"(16,32)".parse().unwrap(), None));
    let mut all = offsets_of(&repeated.unwrap());
    all.sort_unstable();
    assert_eq!(all, (0..512).collect::<Vec<_>>());
    let bytes = tile.downcast(Int::fixed(2)).unwrap();
    assert_eq!(bytes.to_string(), "Sw<3,1,3> o _0 o (_8,_16):(_16,_1)");
    assert_eq!(bytes.upcast(Int::fixed(2)).unwrap(), tile);
    let refused = alg::compose(&layout("(4,6,8):(2,3,5)"), &layout("6:3")).unwrap();
    let Composition::Composed(refused) = refused else { panic!("{refused}") };
    assert_eq!(offsets_of(&refused), [0, 6, 7, 8, 9, 15]);
}

#[test]
fn matrices_there_and_back() {
    for text in [
        "Sw<3,0,3> o 0 o (8,8):(8,1)",
        "Sw<2,1,3> o 0 o ((2,4),(4,2)):((1,8),(2,64))",
        "Sw<1,2,2> o 64 o (8,4):(4,1)",
        "Sw<0,0,0> o 16 o (2,4):(1,4)",
        "(8,8):(8,1) o 0 o (2,4):(1,16)",
    ] {
        let layout = composed(text);
        let matrix = F2Matrix::of_composed(&layout).unwrap();
        let offsets = offsets_of(&layout);
        for (index, &offset) in offsets.iter().enumerate() {
            assert_eq!(matrix.apply(index as u64), offset as u64, "{text}");
            assert_eq!(matrix.inverse().unwrap().apply(offset as u64), index as u64, "{text}");
        }
        let back = matrix.to_composition().unwrap();
        for (index, &offset) in offsets.iter().enumerate() {
            let place = back.at(&Nested::Leaf(Int::dynamic(index as i64))).unwrap();
            assert_eq!(place.elements().unwrap().value(), offset, "{text} to {back}");
        }
    }
    let repeated = F2Matrix::of_layout(&layout("(4,2):(1,0)")).unwrap();
    assert_eq!((repeated.rank(), repeated.is_injective()), (2, false));
    assert!(repeated.inverse().is_err());
    for refused in ["6:1", "(2,2):(1,1)", "(4,4):(1,3)", "4:-1", "(2,2):(1@0,1@1)"] {
        assert!(F2Matrix::of_layout(&layout(refused)).is_err(), "{refused}");
    }
    assert_eq!(F2Matrix::of_layout(&layout("(2,4):(4,1)")).unwrap().to_string(), "001\n100\n010");
}

#[test]
fn explanations_have_the_numbers() {
    let told = explain::left_inverse(&layout("(4,8):(1,5)")).to_string();
    assert!(told.contains("8:5 begins at 5, 5 steps of 1: 5:"), "{told}");
    let told = explain::composition(&layout("(4,6,8):(2,3,5)"), tiler("6:3")).to_string();
    assert!(told.ends_with("are a multiple of them") && told.contains("\nrefused: "), "{told}");
    for told in [
        explain::coalesce(&layout("(2,(1,6)):(1,(6,2))")),
        explain::complement(&layout("(2,2):(1,6)"), Int::dynamic(24)),
        explain::right_inverse(&layout("(4,8):(8,1)")),
        explain::logical_divide(&layout("24:1"), tiler("4:2")),
        explain::logical_product(&layout("(2,2):(4,1)"), tiler("6")),
    ] {
        let outcome = told.outcome().clone().unwrap();
        assert!(told.steps().len() >= 2 && told.to_string().ends_with(&format!("= {outcome}")));
    }
}
