//! Each operation's equation, looked at element by element.

use tilewright::algebra as alg;
use tilewright::tla::{Int, IntTuple, Layout, Nested, Stride, idx2crd};

use super::{at, layout, offsets, size};

/// Whether these values are those of a layout, by taking the longest even run again and again.
fn is_a_layout(values: &[i64]) -> bool {
    let mut rest = values.to_vec();
    while rest.len() > 1 {
        let step = rest[1] - rest[0];
        let run = (1..rest.len()).find(|&i| rest[i] != rest[0] + step * i as i64);
        let run = run.unwrap_or(rest.len());
        let even = rest.len().is_multiple_of(run)
            && (0..rest.len()).all(|i| rest[i] == rest[i % run] - rest[0] + rest[i / run * run]);
        if !even {
            return false;
        }
        rest = rest.into_iter().step_by(run).collect();
    }
    true
}

/// The flat coordinates of a shape, leftmost fastest.
fn coordinates(extents: &[i64]) -> Vec<Vec<i64>> {
    let size: i64 = extents.iter().product();
    (0..size)
        .map(|mut index| {
            let mut digit = |extent: &i64| {
                let digit = index % extent;
                index /= extent;
                digit
            };
            extents.iter().map(&mut digit).collect()
        })
        .collect()
}

/// Whether `A(B(c))` is a sum of one layout for each integer of `B`.
fn composition_exists(a: &Layout, b: &Layout) -> bool {
    let extents = b.shape().values();
    let strides: Vec<i64> = b.stride().leaves().map(|d| d.elements().unwrap().value()).collect();
    let through =
        |coordinate: &[i64]| at(a, coordinate.iter().zip(&strides).map(|(c, d)| c * d).sum());
    let alone = |mode: usize, value: i64| {
        let mut coordinate = vec![0; extents.len()];
        coordinate[mode] = value;
        through(&coordinate)
    };
    let separable = coordinates(&extents).iter().all(|c| {
        through(c) == c.iter().enumerate().map(|(mode, &value)| alone(mode, value)).sum::<i64>()
    });
    separable
        && (0..extents.len()).all(|mode| {
            is_a_layout(&(0..extents[mode]).map(|value| alone(mode, value)).collect::<Vec<_>>())
        })
}

#[track_caller]
pub(super) fn check_composition(a: &Layout, b: &Layout) {
    match alg::composition(a, b) {
        Ok(r) => {
            assert!(b.shape().is_compatible(r.shape()).unwrap(), "{a} ∘ {b} = {r}");
            for index in 0..size(b) {
                let c = idx2crd(Int::dynamic(index), b.shape()).unwrap();
                let expected = at(a, b.offset(&c).unwrap());
                assert_eq!(r.offset(&c).unwrap(), expected, "{a} ∘ {b} = {r} at {c}");
            }
        }
        Err(error) => assert!(!composition_exists(a, b), "{error}"),
    }
}

#[track_caller]
pub(super) fn check_coalesce(a: &Layout) {
    let r = alg::coalesce(a).unwrap();
    assert!(r.depth() <= 1);
    assert_eq!(offsets(&r), offsets(a), "{a} coalesced to {r}");
}

#[track_caller]
pub(super) fn check_complement(a: &Layout, m: i64) {
    let Ok(r) = alg::complement(a, Int::dynamic(m)) else { return };
    let (own, rest) = (offsets(&alg::filter_zeros(a).unwrap()), offsets(&r));
    assert!(rest.windows(2).all(|pair| pair[0] < pair[1]), "{r} is not ordered");
    let mut sums: Vec<i64> = own.iter().flat_map(|a| rest.iter().map(move |r| a + r)).collect();
    sums.sort_unstable();
    assert!(sums.windows(2).all(|pair| pair[0] < pair[1]), "{a} and {r} meet");
    if alg::logical_divide(&layout(&format!("{m}:1")), a).is_ok() {
        let whole: Vec<i64> = (0..sums.len() as i64).collect();
        assert_eq!(sums, whole, "{a} and {r} leave gaps");
        let span = span(a);
        let rounded = (m + span - 1) / span * span;
        assert_eq!(sums.len() as i64, rounded, "{a} and {r}");
    }
}

/// Where the mode of the largest stride would begin again.
fn span(a: &Layout) -> i64 {
    let strides = a.stride().leaves().map(|d| d.elements().unwrap().value());
    let ends = a.shape().values().into_iter().zip(strides).filter(|&(s, d)| s > 1 && d > 0);
    ends.map(|(s, d)| s * d).max().unwrap_or(1)
}

#[track_caller]
pub(super) fn check_inverses(a: &Layout) {
    let right = alg::right_inverse(a).unwrap();
    for k in 0..size(&right) {
        assert_eq!(at(a, at(&right, k)), k, "{a} with right inverse {right}");
    }
    let common = alg::max_common_layout(a, a).unwrap();
    assert_eq!(size(&common), size(&right), "{common} {right}");
    if let Ok(left) = alg::left_inverse(a) {
        let has_zero = a.stride().leaves().any(Stride::is_zero);
        for i in 0..size(a) {
            let back = at(&left, at(a, i));
            assert_eq!(at(a, back), at(a, i), "{a} with left inverse {left}");
            assert!(has_zero || back == i, "{a} with left inverse {left}: {i} to {back}");
        }
    }
    let null = alg::nullspace(a).unwrap();
    assert!(offsets(&null).iter().all(|&i| at(a, i) == 0));
    assert_eq!(size(&null) * size(&alg::filter(a).unwrap()), size(a));
}

#[track_caller]
pub(super) fn check_casts(a: &Layout, n: i64) {
    if let Ok(larger) = alg::upcast(a, Int::dynamic(n)) {
        let strides: Vec<i64> =
            a.stride().leaves().map(|d| d.elements().unwrap().value()).collect();
        for c in coordinates(&a.shape().values()) {
            let pieces = |(&c, &d): (&i64, &i64)| if d % n == 0 { c } else { c / (n / d).max(1) };
            let gathered: Vec<i64> = c.iter().zip(&strides).map(pieces).collect();
            let flat = alg::flatten(&larger).unwrap();
            let old: i64 = c.iter().zip(&strides).map(|(c, d)| c * d).sum();
            let new = flat.offset(&coordinate(&flat, &gathered)).unwrap();
            assert_eq!(new, old.div_euclid(n), "{a} by {n} is {larger}");
        }
    }
    if let Ok(smaller) = alg::downcast(a, Int::dynamic(n)) {
        assert_eq!(size(&smaller), size(a) * n);
        let again = alg::upcast(&smaller, Int::dynamic(n));
        if let Ok(again) = again {
            assert_eq!(offsets(&again), offsets(a));
        }
    }
}

fn coordinate(flat: &Layout, values: &[i64]) -> IntTuple {
    if flat.shape().is_leaf() {
        return Nested::Leaf(Int::dynamic(values[0]));
    }
    IntTuple::dynamic(values)
}

#[track_caller]
pub(super) fn check_divide_and_product(a: &Layout, b: &Layout) {
    if let Ok(r) = alg::logical_divide(a, b) {
        let span = span(b);
        assert!(size(&r) >= size(a), "{a} / {b} = {r}");
        let rest = alg::complement(b, a.size().unwrap()).unwrap();
        let both = Layout::from_modes(&[b.clone(), rest]);
        let expected: Vec<i64> = offsets(&both).iter().map(|&i| at(a, i)).collect();
        assert_eq!(offsets(&r), expected, "{a} / {b} = {r}");
        if size(a) % span == 0 && !b.stride().leaves().any(Stride::is_zero) {
            let (mut all, mut own) = (offsets(&r), offsets(a));
            all.sort_unstable();
            own.sort_unstable();
            assert_eq!(all, own, "{a} / {b} = {r} is not the same elements");
        }
    }
    if let Ok(r) = alg::logical_product(a, b) {
        assert_eq!(r.mode(&[0]).unwrap(), *a);
        assert!(b.shape().is_compatible(r.mode(&[1]).unwrap().shape()).unwrap());
        assert_eq!(size(&r), size(a) * size(b));
        let mut all = offsets(&alg::filter_zeros(&r).unwrap());
        all.sort_unstable();
        let is_injective = |l: &Layout| {
            let mut o = offsets(&alg::filter_zeros(l).unwrap());
            o.sort_unstable();
            o.windows(2).all(|pair| pair[0] < pair[1])
        };
        if is_injective(b) && b.stride().leaves().all(|d| d.elements().unwrap().value() >= 0) {
            assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{a} × {b} = {r}: copies meet");
        }
    }
}

#[track_caller]
pub(super) fn check_sum(a: &Layout, b: &Layout) {
    let values: Vec<i64> = offsets(a).iter().zip(offsets(b)).map(|(a, b)| a + b).collect();
    match alg::layout_add(a, b) {
        Ok(r) => assert_eq!(offsets(&r), values, "{a} + {b} = {r}"),
        Err(error) => assert!(size(a) != size(b) || !is_a_layout(&values), "{error}"),
    }
}

#[track_caller]
pub(super) fn check_common(a: &Layout, b: &Layout) {
    let r = alg::max_common_layout(a, b).unwrap();
    for k in 0..size(&r) {
        assert_eq!((at(a, at(&r, k)), at(b, at(&r, k))), (k, k), "{a} and {b} share {r}");
    }
}
