//! Layouts as functions, and the laws that answers of the algebra have to keep: those of
//! `xtask/oracle/algebra_laws.py`, looked at coordinate by coordinate.

use std::collections::BTreeSet;

use tilewright::algebra::{self, Tiler};
use tilewright::tla::{Int, IntTuple, Layout, Nested};

// Operands.

#[track_caller]
pub(crate) fn layout(text: &str) -> Layout {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[track_caller]
pub(crate) fn tiler(text: &str) -> Tiler {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub(crate) fn at(layout: &Layout, index: i64) -> i64 {
    layout.offset(&Nested::Leaf(Int::dynamic(index))).unwrap()
}

pub(crate) fn size(layout: &Layout) -> i64 {
    layout.size().unwrap().value()
}

pub(crate) fn offsets(layout: &Layout) -> Vec<i64> {
    (0..size(layout)).map(|index| at(layout, index)).collect()
}

/// Extent and stride of every integer of the shape.
pub(crate) fn flat(layout: &Layout) -> Vec<(i64, i64)> {
    let strides = layout.stride().leaves().map(|stride| stride.elements().unwrap().value());
    layout.shape().values().into_iter().zip(strides).collect()
}

pub(crate) fn of_flat(modes: &[(i64, i64)]) -> Layout {
    let list = |numbers: Vec<String>| format!("({})", numbers.join(","));
    let shape = list(modes.iter().map(|(extent, _)| extent.to_string()).collect());
    layout(&format!(
        "{shape}:{}",
        list(modes.iter().map(|(_, stride)| stride.to_string()).collect())
    ))
}

/// The modes that lead somewhere.
fn without_zeros(layout: &Layout) -> Layout {
    let mut modes = flat(layout);
    modes.retain(|&(extent, stride)| extent != 1 && stride != 0);
    of_flat(&modes)
}

fn are_distinct(numbers: &[i64]) -> bool {
    numbers.iter().collect::<BTreeSet<_>>().len() == numbers.len()
}

/// Whether coordinates of the one shape are coordinates of the other, `(4)` being as good as `4`.
fn is_compatible(coarse: &IntTuple, fine: &IntTuple) -> bool {
    match (unwrapped(coarse), unwrapped(fine)) {
        (Nested::Leaf(extent), fine) => extent.value() == fine.product().unwrap().value(),
        (Nested::Tuple(a), Nested::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_compatible(a, b))
        }
        (Nested::Tuple(_), Nested::Leaf(_)) => false,
    }
}

fn unwrapped(shape: &IntTuple) -> &IntTuple {
    match shape {
        Nested::Tuple(only) if only.len() == 1 => unwrapped(&only[0]),
        _ => shape,
    }
}

// Answers, and the laws.

#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Layout(Layout),
    Number(i64),
    Numbers(Vec<i64>),
    Slice(i64, Layout),
}

impl Answer {
    pub(crate) fn read(operation: &str, text: &str) -> Answer {
        match operation {
            "cosize" | "max_common_vector" => Answer::Number(text.parse().unwrap()),
            "swizzle" => {
                let inside = text.trim_matches(['(', ')']);
                Answer::Numbers(inside.split(',').map(|number| number.parse().unwrap()).collect())
            }
            "slice" => {
                let (offset, rest) = text.split_once(' ').unwrap();
                Answer::Slice(offset.parse().unwrap(), layout(rest))
            }
            _ => Answer::Layout(layout(text)),
        }
    }

    /// Its value at every coordinate.
    pub(crate) fn values(&self) -> Vec<i64> {
        match self {
            Answer::Layout(layout) => offsets(layout),
            Answer::Number(number) => vec![*number],
            Answer::Numbers(numbers) => numbers.clone(),
            Answer::Slice(offset, rest) => offsets(rest).iter().map(|at| at + offset).collect(),
        }
    }

    /// Without the marks of static integers, which the oracles don't have.
    pub(crate) fn text(&self) -> String {
        match self {
            Answer::Layout(layout) => layout.to_string().replace('_', ""),
            Answer::Slice(offset, rest) => format!("{offset} {rest}").replace('_', ""),
            Answer::Number(_) | Answer::Numbers(_) => format!("{:?}", self.values()),
        }
    }
}

/// Whether an answer keeps the law of its operation; `None` where only the oracle knows.
pub(crate) fn keeps_law(operation: &str, left: &str, right: &str, answer: &Answer) -> Option<bool> {
    let r = match answer {
        Answer::Layout(r) => r,
        Answer::Number(n) if operation == "max_common_vector" => {
            return Some(is_common(&layout(left), &layout(right), *n));
        }
        Answer::Number(n) if operation == "cosize" => {
            let spans = flat(&layout(left)).into_iter().map(|(s, d)| (s - 1) * d.abs());
            return Some(*n == 1 + spans.sum::<i64>());
        }
        Answer::Numbers(numbers) => return Some(is_swizzled(left, right, numbers)),
        Answer::Number(_) | Answer::Slice(..) => return None,
    };
    let l = layout(left);
    Some(match operation {
        "coalesce" => r.depth() <= 1 && offsets(r) == offsets(&l),
        "filter" => r.depth() <= 1 && offsets(r) == offsets(&without_zeros(&l)),
        "composition" => is_composition(&l, &tiler(right), r),
        "complement" => is_complement(&l, right.parse().unwrap(), r),
        "right_inverse" => is_right_inverse(&l, r),
        "left_inverse" => is_left_inverse(&l, r),
        "nullspace" => offsets(r).iter().all(|&index| at(&l, index) == 0),
        "upcast" => is_upcast(&l, right.parse().unwrap(), r),
        "downcast" => is_downcast(&l, right.parse().unwrap(), r),
        "blocked_product" => is_woven(&l, &layout(right), r, false),
        "raked_product" => is_woven(&l, &layout(right), r, true),
        _ => return is_split(operation, &l, &tiler(right), r),
    })
}

fn is_common(a: &Layout, b: &Layout, n: i64) -> bool {
    let both = offsets(a).into_iter().zip(offsets(b));
    let fixed: BTreeSet<i64> = both.filter(|(a, b)| a == b).map(|(a, _)| a).collect();
    (0..n).all(|index| fixed.contains(&index))
}

fn is_composition(a: &Layout, b: &Tiler, r: &Layout) -> bool {
    match b {
        Tiler::Keep => offsets(a) == offsets(r),
        Tiler::Modes(tilers) => {
            let kept = tilers.iter().chain(std::iter::repeat(&Tiler::Keep));
            let modes = a.modes().into_iter().zip(kept).zip(r.modes());
            a.rank() == r.rank() && modes.into_iter().all(|((a, b), r)| is_composition(&a, b, &r))
        }
        Tiler::Layout(b) => {
            let places = offsets(b).into_iter().map(|place| at(a, place));
            is_compatible(b.shape(), r.shape()) && places.eq(offsets(r))
        }
    }
}

fn is_complement(l: &Layout, bound: i64, r: &Layout) -> bool {
    let found = offsets(r);
    let l = without_zeros(l);
    let sums = Wanted::Modes(vec![Wanted::mode(&l), Wanted::mode(r)]).sums();
    let spans = flat(&l).into_iter().chain(flat(r)).map(|(extent, stride)| extent * stride);
    found.first() == Some(&0)
        && found.is_sorted_by(|a, b| a < b)
        && are_distinct(&sums)
        && spans.chain([1]).max() >= Some(bound)
}

fn is_right_inverse(l: &Layout, r: &Layout) -> bool {
    let mut chain = flat(&algebra::coalesce(l).unwrap());
    chain.sort_by_key(|&(extent, stride)| (stride, extent));
    let follow = |reach, (extent, stride)| if stride == reach { extent * stride } else { reach };
    let longest = chain.into_iter().fold(1, follow);
    size(r) >= longest && offsets(r).into_iter().map(|place| at(l, place)).eq(0..size(r))
}

fn is_left_inverse(l: &Layout, r: &Layout) -> bool {
    let found = offsets(l);
    let back: Vec<i64> = found.iter().map(|&place| at(r, place)).collect();
    let returns = back.iter().map(|&index| at(l, index)).eq(found.iter().copied());
    returns && (!are_distinct(&found) || back.into_iter().eq(0..size(l)))
}

fn is_upcast(l: &Layout, n: i64, r: &Layout) -> bool {
    let (mut smaller, mut larger) = (vec![0], vec![0]);
    for ((s, d), (new_s, new_d)) in flat(l).into_iter().zip(flat(r)) {
        let step = if d == 0 { 1 } else { (n / d.abs()).max(1) };
        if new_s != s.div_euclid(step) + i64::from(s % step != 0) {
            return false;
        }
        let along = |stride: i64, step: i64, below: &[i64]| -> Vec<i64> {
            (0..s).flat_map(|j| below.iter().map(move |low| j / step * stride + low)).collect()
        };
        (smaller, larger) = (along(d, 1, &smaller), along(new_d, step, &larger));
    }
    l.shape().is_congruent(r.shape())
        && smaller.into_iter().map(|offset| offset.div_euclid(n)).eq(larger)
}

fn is_downcast(l: &Layout, n: i64, r: &Layout) -> bool {
    let mut pieces: Vec<i64> =
        offsets(l).into_iter().flat_map(|offset| (0..n).map(move |r| n * offset + r)).collect();
    let mut found = offsets(r);
    pieces.sort_unstable();
    found.sort_unstable();
    pieces == found
}

/// The bits YYY, moved by the shift, exclusive-or the bits ZZZ.
fn is_swizzled(swizzle: &str, right: &str, numbers: &[i64]) -> bool {
    let [bits, base, shift] = swizzle_parts(swizzle);
    let moved = |number: i64| match shift {
        0.. => number >> shift & ((1 << bits) - 1) << base,
        _ => (number & ((1 << bits) - 1) << base) << -shift,
    };
    let swizzled = |number: &i64| number ^ moved(*number);
    swizzle_inputs(right).iter().map(swizzled).eq(numbers.iter().copied())
}

/// `Sw<bits,base,shift>`.
pub(crate) fn swizzle_parts(text: &str) -> [i32; 3] {
    let inside = text.trim_start_matches("Sw<").trim_end_matches('>');
    let parts: Vec<i32> = inside.split(',').map(|part| part.parse().unwrap()).collect();
    parts.try_into().unwrap()
}

/// Numbers, or the offsets of a layout.
pub(crate) fn swizzle_inputs(right: &str) -> Vec<i64> {
    match right.contains(':') {
        true => offsets(&layout(right)),
        false => right.parse::<IntTuple>().unwrap().values(),
    }
}

/// The modes an answer has to have, each by its offsets and the shape it refines.
pub(crate) enum Wanted {
    Mode(Option<IntTuple>, Vec<i64>),
    Modes(Vec<Wanted>),
}

impl Wanted {
    pub(crate) fn mode(layout: &Layout) -> Wanted {
        Wanted::Mode(None, offsets(layout))
    }

    /// The offsets of `a` where `b` leads.
    fn walk(a: &Layout, b: &Layout, shape: Option<&IntTuple>) -> Wanted {
        Wanted::Mode(shape.cloned(), offsets(b).into_iter().map(|place| at(a, place)).collect())
    }

    /// All offsets, the first mode varying fastest.
    pub(crate) fn sums(&self) -> Vec<i64> {
        let modes = match self {
            Wanted::Mode(_, offsets) => return offsets.clone(),
            Wanted::Modes(modes) => modes,
        };
        modes.iter().fold(vec![0], |low, mode| {
            let high = mode.sums();
            high.iter().flat_map(|high| low.iter().map(move |low| low + high)).collect()
        })
    }

    fn is(&self, r: &Layout) -> bool {
        match self {
            Wanted::Mode(shape, wanted) => {
                let shape = shape.as_ref();
                *wanted == offsets(r) && shape.is_none_or(|shape| is_compatible(shape, r.shape()))
            }
            Wanted::Modes(modes) if modes.len() == 1 && r.shape().elements().len() != 1 => {
                modes[0].is(r)
            }
            Wanted::Modes(modes) => {
                modes.len() == r.rank() && modes.iter().zip(r.modes()).all(|(mode, r)| mode.is(&r))
            }
        }
    }
}

/// How one layout is divided or multiplied by another: the tile, and the rest or the copies.
type Split = fn(&Layout, &Layout) -> Option<[Wanted; 2]>;

fn divided(a: &Layout, tile: &Layout) -> Option<[Wanted; 2]> {
    let rest = kept_complement(tile, size(a))?;
    let sums =
        offsets(&rest).into_iter().flat_map(|j| offsets(tile).into_iter().map(move |i| (i, j)));
    let carries = sums.into_iter().any(|(i, j)| at(a, i + j) != at(a, i) + at(a, j));
    (!carries).then_some(())?;
    Some([Wanted::walk(a, tile, Some(tile.shape())), Wanted::walk(a, &rest, None)])
}

fn multiplied(a: &Layout, b: &Layout) -> Option<[Wanted; 2]> {
    let copies = complement_for(a, b)?;
    let tile = Wanted::Mode(Some(a.shape().clone()), offsets(a));
    Some([tile, Wanted::walk(&copies, b, Some(b.shape()))])
}

/// The complement of `a`, long enough that `b` does not lead beyond it.
fn complement_for(a: &Layout, b: &Layout) -> Option<Layout> {
    let reach = flat(a).into_iter().map(|(extent, stride)| extent * stride).max();
    kept_complement(a, reach.unwrap_or(1).max(1) * b.cosize().unwrap().value())
}

/// Tilewright's complement, its law checked.
fn kept_complement(l: &Layout, bound: i64) -> Option<Layout> {
    let r = algebra::complement(l, Int::dynamic(bound)).ok()?;
    assert!(is_complement(l, bound, &r), "the complement of {l} in {bound} is {r}");
    Some(r)
}

/// The tiles and the rests by mode, one after the other (`logical`) or gathered. A mode kept has
/// no tile; `pycute` gives it one of `1:0`, which goes nowhere.
fn wanted(split: Split, a: &Layout, tiler: &Tiler, gathered: bool) -> Option<Wanted> {
    let tilers = match tiler {
        Tiler::Keep => return Some(Wanted::mode(a)),
        Tiler::Layout(tile) => return split(a, tile).map(|pair| Wanted::Modes(pair.into())),
        Tiler::Modes(tilers) => tilers,
    };
    let kept = tilers.iter().chain(std::iter::repeat(&Tiler::Keep));
    let (mut tiles, mut rests) = (Vec::new(), Vec::new());
    for (mode, part) in a.modes().iter().zip(kept) {
        match wanted(split, mode, part, gathered)? {
            Wanted::Modes(pair) if gathered && *part != Tiler::Keep => {
                let [tile, rest] = pair.try_into().unwrap_or_else(|_| panic!("a pair"));
                tiles.push(tile);
                rests.push(rest);
            }
            whole => rests.push(whole),
        }
    }
    if !gathered {
        return Some(Wanted::Modes(rests));
    }
    Some(Wanted::Modes(vec![Wanted::Modes(tiles), Wanted::Modes(rests)]))
}

/// Logical, zipped, tiled and flat divides and products.
fn is_split(operation: &str, a: &Layout, tiler: &Tiler, r: &Layout) -> Option<bool> {
    let (form, kind) = operation.split_once('_')?;
    let split = match kind {
        "divide" => divided,
        "product" => multiplied,
        _ => return None,
    };
    let Some(wanted) = wanted(split, a, tiler, form != "logical") else { return Some(false) };
    let reached: BTreeSet<i64> = offsets(r).into_iter().collect();
    if kind == "divide" && !offsets(a).iter().all(|offset| reached.contains(offset)) {
        return Some(false);
    }
    let (Wanted::Modes(parts), all) = (&wanted, wanted.sums()) else { return Some(wanted.is(r)) };
    Some(match form {
        "tiled" => offsets(r) == all && parts[0].is(&r.modes()[0]),
        "flat" => offsets(r) == all,
        _ => wanted.is(r),
    })
}

/// Blocked products, mode by mode (tile, copy), and raked ones, (copy, tile).
fn is_woven(a: &Layout, b: &Layout, r: &Layout, is_raked: bool) -> bool {
    let rank = a.rank().max(b.rank());
    let padded = |layout: &Layout| {
        let mut modes = layout.modes();
        modes.resize_with(rank, || self::layout("1:0"));
        Layout::from_modes(&modes)
    };
    let (a, b) = (padded(a), padded(b));
    let Some(copies) = complement_for(&a, &b) else { return false };
    let modes = a.modes().into_iter().zip(b.modes()).zip(r.modes());
    r.rank() == rank
        && modes.into_iter().all(|((a, b), r)| {
            let mut pair = vec![Wanted::mode(&a), Wanted::walk(&copies, &b, None)];
            if is_raked {
                pair.reverse();
            }
            Wanted::Modes(pair).sums() == offsets(&r)
        })
}
