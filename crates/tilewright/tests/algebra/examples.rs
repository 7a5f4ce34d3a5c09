//! Figures of the documents, and the cases that implementations disagree on.

use tilewright::algebra as alg;
use tilewright::tla::Int;

use super::{check, layout, size, tiler};

#[test]
fn compositions_that_references_disagree_on() {
    let compose = |a: &str, b: &str| alg::composition(&layout(a), tiler(b));
    check(compose("(4,2,8):(3,12,97)", "3:3"), "3:9");
    check(compose("(10,2):(16,4)", "(3,4):(1,5)"), "(3,(2,2)):(16,(80,4))");
    check(compose("(32,128):(128,1)", "(30,128):(1,32)"), "(30,128):(128,1)");
    let refused = compose("(4,6,8):(2,3,5)", "6:3").unwrap_err();
    assert!(refused.to_string().contains("its steps of 3 neither divide the 4"), "{refused}");
    let carried = compose("(4,2):(1,100)", "(4,2):(1,2)").unwrap_err();
    assert!(carried.to_string().contains("add up to 5 in 4:1"), "{carried}");
    let refused = alg::logical_divide(&layout("(_12,(4,8)):(59,(13,1))"), tiler("_128"));
    assert!(refused.is_err());
}

/// CUTLASS, *CuTe Layout Algebra*; NVlabs PyCuTe.
#[test]
fn compositions_of_the_documents() {
    let compose = |a: &str, b: &str| alg::composition(&layout(a), tiler(b));
    check(compose("(6,2):(8,2)", "(4,3):(3,1)"), "((2,2),3):((24,2),8)");
    check(compose("20:2", "(5,4):(4,1)"), "(5,4):(8,2)");
    check(compose("(10,2):(16,4)", "(5,4):(1,5)"), "(5,(2,2)):(16,(80,4))");
    check(compose("(12,(4,8)):(59,(13,1))", "(3:4,8:2)"), "(3,(2,4)):(236,(26,1))");
    check(compose("(12,(4,8)):(59,(13,1))", "(3,8)"), "(3,(4,2)):(59,(13,1))");
    check(compose("(8,6,5):(1,8,48)", "(_,3)"), "(8,3,5):(1,8,48)");
    check(compose("(4,8):(1@0,1@1)", "(2,8):(2,4)"), "(2,8):(2@0,1@1)");
    check(compose("(4,8):(8,1)", "(8,4):(1@1,1@0)"), "(8,4):(1,8)");
    check(compose("7:3", "1:5"), "1:15");
    check(compose("7:3", "4:0"), "4:0");
    check(compose("(4,1):(1,0)", "8:1"), "(4,2):(1,0)");
    check(compose("8:2", "4:-1"), "4:-2");
    check(compose("(4,2):(1,100)", "(2,2):(-2,-4)"), "(2,2):(-2,-100)");
    check(compose("(4,2):(1,100)", "2:3"), "2:3");
    check(compose("(4,6,8):(2,3,5)", "2:6"), "2:7");
    check(compose("(3,0):(1,2)", "0:1"), "0:1");
    assert!(compose("(0,3):(1,2)", "2:1").is_err());
}

#[test]
fn static_marks_go_through() {
    let divided = alg::logical_divide(&layout("(_8,_6):(_6,_1)"), tiler("(_4,_2)")).unwrap();
    assert_eq!(divided.to_string(), "((_4,_2),(_2,_3)):((_6,_24),(_1,_2))");
    let mixed = alg::composition(&layout("(_8,6):(_1,_16)"), tiler("_4:_4")).unwrap();
    assert_eq!(mixed.to_string(), "(_2,_2):(_4,_16)");
    assert_eq!(alg::coalesce(&layout("(_4,2):(_1,_4)")).unwrap().to_string(), "8:_1");
}

#[test]
fn complements() {
    let complement = |a: &str, m: i64| alg::complement(&layout(a), Int::dynamic(m));
    check(complement("4:1", 24), "6:4");
    check(complement("6:4", 24), "4:1");
    check(complement("(4,6):(1,4)", 24), "1:0");
    check(complement("4:2", 24), "(2,3):(1,8)");
    check(complement("4:2", 20), "(2,3):(1,8)");
    check(complement("(2,4):(1,6)", 24), "3:2");
    check(complement("(2,2):(1,6)", 24), "(3,2):(2,12)");
    check(complement("(2,5,3):(0,1,5)", 30), "2:15");
    check(alg::complement_within(&layout("4:2")), "2:1");
    // Nothing to cover: no copies, whatever fits into the gaps.
    check(complement("4:2", 0), "(2,0):(1,8)");
    check(complement("4:1", 0), "0:4");
    check(complement("1:0", 0), "0:1");
    check(alg::logical_divide(&layout("0:1"), tiler("4:2")), "(4,(2,0)):(2,(1,8))");
    for refused in ["(3,3):(1,2)", "4:-1", "(0,2):(1,3)", "(2,2):(1,1)", "(2,2):(1@0,1@1)"] {
        assert!(complement(refused, 24).is_err(), "{refused}");
    }
}

#[test]
fn inverses() {
    check(alg::right_inverse(&layout("(4,8):(1,4)")), "32:1");
    check(alg::right_inverse(&layout("(4,8):(8,1)")), "(8,4):(4,1)");
    check(alg::right_inverse(&layout("(4,8):(1,5)")), "4:1");
    check(alg::right_inverse(&layout("(2,4,8):(1,1,2)")), "(2,8):(1,8)");
    check(alg::right_inverse(&layout("4:2")), "1:0");
    check(alg::left_inverse(&layout("(4,8):(1,4)")), "32:1");
    check(alg::left_inverse(&layout("(4,8):(1,5)")), "(5,8):(1,4)");
    check(alg::left_inverse(&layout("4:2")), "(2,4):(0,1)");
    check(alg::left_inverse(&layout("(2,4,8):(2,0,32)")), "(2,16,8):(0,1,8)");
    for refused in ["(2,2):(2,3)", "(2,2):(1,1)", "(63,2):(1,1)", "4:-1", "(2,3):(2,1)"] {
        assert!(alg::left_inverse(&layout(refused)).is_err(), "{refused}");
    }
    check(alg::max_common_layout(&layout("(8,8):(1,8)"), &layout("(8,8):(1,8)")), "64:1");
    check(alg::max_common_layout(&layout("(8,8):(8,1)"), &layout("(8,8):(1,8)")), "1:0");
    check(alg::max_common_layout(&layout("12:1"), &layout("(8,8):(1,9)")), "8:1");
    check(alg::max_common_layout(&layout("(6,9):(1,7)"), &layout("(8,8):(1,8)")), "6:1");
}

/// CUTLASS, *CuTe Layout Algebra*, "Division" and "Product".
#[test]
fn divisions_and_products() {
    let a = layout("(9,(4,8)):(59,(13,1))");
    let by = tiler("(3:3,(2,4):(1,8))");
    check(alg::logical_divide(&a, &by), "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))");
    check(alg::zipped_divide(&a, &by), "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))");
    check(alg::tiled_divide(&a, &by), "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))");
    check(alg::flat_divide(&a, &by), "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))");
    check(alg::logical_divide(&layout("6:1"), tiler("4")), "(4,2):(1,4)");
    check(alg::logical_divide(&layout("24:1"), tiler("4:2")), "(4,(2,3)):(2,(1,8))");
    check(
        alg::logical_divide(&layout("(8,6,5):(1,8,48)"), tiler("(4)")),
        "((4,2),6,5):((1,4),8,48)",
    );
    check(
        alg::zipped_divide(&layout("(8,6,5):(1,8,48)"), tiler("(4,_,5)")),
        "((4,5),(2,6,1)):((1,48),(4,8,0))",
    );
    assert!(alg::logical_divide(&layout("20:1"), tiler("(2,2):(1,5)")).is_err());
    check(
        alg::logical_product(&layout("(2,2):(4,1)"), tiler("(4,2):(2,1)")),
        "((2,2),(4,2)):((4,1),(8,2))",
    );
    check(alg::tile_to_shape(&layout("8:1"), &"24".parse().unwrap(), None), "((8,3)):((1,8))");
    let tiled = alg::tile_to_shape(&layout("(8,64):(64,1)"), &"(128,64,3)".parse().unwrap(), None);
    check(tiled, "((8,16),(64,1),(1,3)):((64,512),(1,8192),(0,8192))");
    assert!(alg::tile_to_shape(&layout("8:1"), &"(30)".parse().unwrap(), None).is_err());
}

#[test]
fn casts() {
    let upcast = |a: &str, n| alg::upcast(&layout(a), Int::dynamic(n));
    check(upcast("(8,4):(1,8)", 4), "(2,4):(1,2)");
    check(upcast("(2,4):(1,2)", 4), "(1,2):(1,1)");
    check(upcast("(4,3):(2,0)", 2), "(4,3):(1,0)");
    for (refused, n) in [("(3,4):(1,3)", 2), ("(4,4):(1,1)", 4), ("4:-1", 2), ("4:3", 2)] {
        assert!(upcast(refused, n).is_err(), "{refused}");
    }
    check(alg::downcast(&layout("(1,4):(1,1)"), Int::dynamic(2)), "(1,8):(2,1)");
    assert!(alg::downcast(&layout("4:2"), Int::dynamic(2)).is_err());
    for same in ["4:2", "(_3,(4,2)):(0,(_5,-1))", "(2,3):(1@0,1@1)"] {
        let casts = [alg::downcast, alg::upcast].map(|cast| cast(&layout(same), Int::dynamic(1)));
        assert_eq!(casts, [Ok(layout(same)), Ok(layout(same))]);
    }
}

/// An integer is a mode, which a profile of one mode meets.
#[test]
fn coalescing_by_mode() {
    let by = |a: &str, profile: &str| {
        alg::coalesce_by(&layout(a), &profile.parse::<tilewright::tla::IntTuple>().unwrap())
    };
    check(by("(2,(1,6)):(1,(6,2))", "1"), "12:1");
    check(by("(2,(1,6)):(1,(6,2))", "(1)"), "(2,(1,6)):(1,(6,2))");
    check(by("12:2", "(1)"), "(12):(2)");
    check(by("12:2", "((1))"), "((12)):((2))");
    check(by("((2,6),4):((1,2),9)", "(1,(1))"), "(12,(4)):(1,(9))");
    for (refused, profile) in [("12:2", "(1,1)"), ("(2,3):(1,2)", "((1,1))"), ("2:1", "((1,1))")] {
        assert!(by(refused, profile).is_err(), "{refused} by {profile}");
    }
}

#[test]
fn distributions() {
    let common =
        |a: &str, b: &str| alg::greatest_common_domain(&a.parse().unwrap(), &b.parse().unwrap());
    check(common("(10)", "(10)"), "(10):(1)");
    check(common("(16,3)", "(16,3)"), "(16,3):(1,16)");
    check(common("(5,3,4)", "(10,6)"), "(5,2):(1,30)");
    check(common("(6,35)", "(15,14)"), "(3,7):(1,30)");
    check(common("(5,3)", "(3,5)"), "(1):(0)");
    check(alg::layout_add(&layout("(5,3,4):(1,5,15)"), &layout("(10,6):(1,10)")), "60:2");
    check(alg::layout_add(&layout("5:0"), &layout("5:1")), "5:1");
}

/// Nothing looks at 2⁴⁰ elements.
#[test]
fn large_layouts_answer_at_once() {
    let large = layout("(1048576,(1024,1024)):(1048576,(1,1024))");
    let turned = alg::composition(&large, layout("(1048576,1048576):(1048576,1)"));
    check(turned, "(1048576,1048576):(1,1048576)");
    check(alg::complement(&large, Int::dynamic(1 << 50)), "1024:1099511627776");
    check(alg::right_inverse(&large), "(1048576,1048576):(1048576,1)");
    check(alg::left_inverse(&large), "(1048576,1048576):(1048576,1)");
    let divided = alg::logical_divide(&large, tiler("(4096,(256,2):(1,512))")).unwrap();
    assert_eq!(size(&divided), 1 << 40);
    let odd = layout("(1048576,1048575):(1,1048577)");
    assert!(alg::composition(&odd, layout("1099511627776:3")).is_err());
    assert!(alg::composition(&odd, layout("(1048576,1048576):(1,1048575)")).is_err());
}
