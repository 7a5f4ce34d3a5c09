//! The equations on all small layouts and on random ones.

use proptest::prelude::*;
use tilewright::algebra as alg;
use tilewright::tla::{Int, Layout};

use super::truth::*;
use super::{layout, offsets, size};

#[test]
fn laws_on_all_small_layouts() {
    let strides = [0, 1, 2, 3, 4, 6, 7, 12, -1, -4];
    let one: Vec<Layout> =
        (1..=6).flat_map(|s| strides.map(|d| alg::make_flat_layout(&[s], &[d]).unwrap())).collect();
    let flat = |a: &Layout, b: &Layout| Layout::from_modes(&[a.clone(), b.clone()]);
    let right: Vec<Layout> = (1..=8)
        .flat_map(|s| (-3..=9).map(move |d| alg::make_flat_layout(&[s], &[d]).unwrap()))
        .collect();
    for a in one.iter().flat_map(|a| one.iter().map(move |b| flat(a, b))) {
        check_coalesce(&a);
        check_inverses(&a);
        for m in [1, 12, 24] {
            check_complement(&a, m);
        }
        for n in [2, 3, 4, 6] {
            check_casts(&a, n);
        }
        for b in &right {
            check_composition(&a, b);
        }
    }
}

#[test]
fn laws_on_small_layouts_of_three_modes() {
    let strides = [0, 1, 6, -3];
    let extents = [2, 3, 4];
    let one: Vec<(i64, i64)> = extents.iter().flat_map(|&s| strides.map(|d| (s, d))).collect();
    let lefts =
        ["(4,3):(1,4)", "(4,3):(5,1)", "(2,(3,2)):(3,(1,7))", "(6,2,5):(2,1,20)"].map(layout);
    for &(s0, d0) in &one {
        for &(s1, d1) in &one {
            for &(s2, d2) in &one {
                let b = alg::make_flat_layout(&[s0, s1, s2], &[d0, d1, d2]).unwrap();
                check_coalesce(&b);
                check_inverses(&b);
                for a in &lefts {
                    check_composition(a, &b);
                    check_divide_and_product(a, &b);
                    check_common(a, &b);
                    check_sum(a, &b);
                }
            }
        }
    }
}

/// Layouts of any nesting with strides 0, negative and not dividing.
fn layouts(max_extent: i64, deepest: u32) -> impl Strategy<Value = Layout> {
    let stride =
        prop_oneof![Just(0i64), Just(1), Just(2), 3..24i64, -6..0i64, Just(32), Just(48), Just(96)];
    let leaf =
        (1..=max_extent, stride).prop_map(|(s, d)| alg::make_flat_layout(&[s], &[d]).unwrap());
    leaf.prop_recursive(deepest, 5, 3, |inner| {
        prop::collection::vec(inner, 1..=3).prop_map(|modes| Layout::from_modes(&modes))
    })
}

/// Layouts with the strides of a dense one, in some order, with gaps.
fn chains() -> impl Strategy<Value = Layout> {
    let link = (prop_oneof![Just(1i64), 2..=6i64], prop_oneof![4 => Just(1i64), 1 => 2..=3i64]);
    (prop::collection::vec(link, 1..=4), any::<prop::sample::Index>(), any::<bool>()).prop_map(
        |(links, turn, is_nested)| {
            let mut stride = 1;
            let mut modes: Vec<Layout> = links
                .iter()
                .map(|&(extent, gap)| {
                    stride *= gap;
                    let mode = alg::make_flat_layout(&[extent], &[stride]).unwrap();
                    stride *= extent;
                    mode
                })
                .collect();
            let turn = turn.index(modes.len());
            modes.rotate_left(turn);
            if is_nested && modes.len() > 2 {
                let inner = Layout::from_modes(&modes.split_off(1));
                modes.push(inner);
            }
            Layout::from_modes(&modes)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn laws_on_random_layouts(a in layouts(9, 4), b in layouts(6, 2), n in 1..9i64) {
        prop_assume!(size(&a) <= 4096 && size(&b) <= 512);
        check_coalesce(&a);
        check_inverses(&a);
        check_composition(&a, &b);
        check_complement(&a, 96);
        check_casts(&a, n);
        check_common(&a, &b);
        check_divide_and_product(&b, &a);
    }

    #[test]
    fn laws_on_random_chains(a in chains(), b in chains(), n in 1..7i64) {
        prop_assume!(size(&a) <= 1024 && size(&b) <= 256);
        check_coalesce(&a);
        check_inverses(&a);
        prop_assert!(alg::left_inverse(&a).is_ok(), "{a}");
        check_composition(&a, &b);
        check_complement(&a, size(&a));
        check_casts(&a, n);
        check_common(&a, &b);
        check_divide_and_product(&a, &b);
        check_sum(&a, &alg::right_inverse(&a).unwrap());
        let like = alg::make_layout_like(&a).unwrap();
        prop_assert_eq!(like.cosize().unwrap().value(), size(&a));
        let reach = alg::max_alignment(&a).unwrap().value();
        let exact = |n: i64| alg::upcast(&a, Int::dynamic(n)).is_ok_and(|u| size(&u) * n == size(&a));
        prop_assert_eq!((1..=size(&a)).filter(|&n| exact(n)).max(), Some(reach), "{}", a);
    }

    #[test]
    fn refinements_and_common_domains(a in layouts(6, 2), b in layouts(6, 2), n in 1..40i64) {
        prop_assume!(size(&a) <= 4096 && size(&b) <= 4096);
        let common = alg::greatest_common_domain(a.shape(), b.shape()).unwrap();
        prop_assert!(offsets(&common).windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(size(&a) % size(&common) == 0 && size(&b) % size(&common) == 0);
        check_composition(&a, &common);
        prop_assert!(alg::composition(&a, &common).is_ok() && alg::composition(&b, &common).is_ok());
        let again = alg::greatest_common_domain(b.shape(), a.shape()).unwrap();
        prop_assert_eq!(common, again);
        let dist = alg::domain_distribute(a.shape(), Int::dynamic(n)).unwrap();
        prop_assert!(n % size(&dist) == 0 && alg::composition(&a, &dist).is_ok());
    }
}
