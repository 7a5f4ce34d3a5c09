//! Whether a bitcast is found exactly where there is one: against every pair of orders, and where
//! there are too many of those, against how the arrays were made.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tilewright::map::Bitcast;
use tilewright::tla::{Int, IntTuple, Layout, Nested, Stride};
use tilewright::xla::{self, Tile};
use tilewright::{ArrayShape, ElementType, IndexMap, Permutation};

/// Small numbers that a case is made of, one after the other; 0 when they run out.
#[derive(Clone, Debug)]
struct Choices(std::vec::IntoIter<u16>);

impl Choices {
    fn below(&mut self, limit: usize) -> usize {
        usize::from(self.0.next().unwrap_or(0)) % limit.max(1)
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for place in (1..n).rev() {
            order.swap(place, self.below(place + 1));
        }
        order
    }

    /// Cuts a list into at most `n` parts, none of them empty.
    fn parts<T: Clone>(&mut self, list: &[T], n: usize) -> Vec<Vec<T>> {
        let mut parts: Vec<Vec<T>> = Vec::new();
        for value in list {
            let is_full = parts.len() == n;
            match parts.last_mut() {
                Some(part) if is_full || self.one_in(2) => part.push(value.clone()),
                _ => parts.push(vec![value.clone()]),
            }
        }
        parts
    }
}

fn choices() -> impl Strategy<Value = Choices> {
    proptest::collection::vec(any::<u16>(), 80).prop_map(|numbers| Choices(numbers.into_iter()))
}

/// The table of an array with its dimensions in this order.
fn in_order(dims: &[i64], offsets: &[i64], order: &[usize]) -> Vec<i64> {
    let step = |dim: usize| dims[dim + 1..].iter().product::<i64>();
    let mut places = vec![0i64];
    for &dim in order {
        let along = |&place: &i64| (0..dims[dim]).map(move |index| place + index * step(dim));
        places = places.iter().flat_map(along).collect();
    }
    places.into_iter().map(|place| offsets[usize::try_from(place).unwrap()]).collect()
}

fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for number in 0..n {
        let with = |order: &Vec<usize>| {
            let order = order.clone();
            (0..=order.len()).map(move |place| {
                let mut longer = order.clone();
                longer.insert(place, number);
                longer
            })
        };
        orders = orders.iter().flat_map(with).collect();
    }
    orders
}

/// Every table that the dimensions of a map give in some order.
fn tables(map: &IndexMap) -> HashSet<Vec<i64>> {
    let offsets = map.offsets().unwrap();
    let dims = map.dims();
    orders(dims.len()).iter().map(|order| in_order(dims, &offsets, order)).collect()
}

/// Whether there is a bitcast, by looking at every element in every order of both sides.
fn exists(a: &IndexMap, b: &IndexMap) -> bool {
    let memory = |map: &IndexMap| (map.elements(), map.lowest_offset(), map.allocation());
    memory(a) == memory(b) && !tables(a).is_disjoint(&tables(b))
}

/// The element of A that a bitcast says is the one of B at this index.
fn element(bitcast: &Bitcast, a: &[i64], b: &[i64], index: &[i64]) -> Vec<i64> {
    let (first, dims, second) = match bitcast {
        Bitcast::Identity => return index.to_vec(),
        Bitcast::Reshape => {
            (Permutation::identity(a.len()), b.to_vec(), Permutation::identity(b.len()))
        }
        Bitcast::Transpose(permutation) => return permutation.inverse().permute(index),
        Bitcast::TransposeReshapeTranspose { first, dims, second } => {
            (first.clone(), dims.clone(), second.clone())
        }
        Bitcast::No(no) => panic!("{no:?}"),
    };
    assert_eq!(second.permute(&dims), b);
    let middle = second.inverse().permute(index);
    let mut number = middle.iter().zip(&dims).fold(0, |number, (i, size)| number * size + i);
    let transposed = first.permute(a);
    let mut own: Vec<i64> = transposed
        .iter()
        .rev()
        .map(|size| {
            let digit = number % size;
            number /= size;
            digit
        })
        .collect();
    own.reverse();
    first.inverse().permute(&own)
}

/// Whether a bitcast holds at some elements: all of a small array, and those around the powers of
/// 2 and 3 of a large one.
fn holds(bitcast: &Bitcast, a: &IndexMap, b: &IndexMap) -> bool {
    let n = b.elements();
    let powers = (1..40).flat_map(|k| [1i64 << k, 3 << k, (1 << k) + (1 << (k / 2))]);
    let numbers: Vec<i64> = match n <= 4096 {
        true => (0..n).collect(),
        false => {
            powers.flat_map(|at| [at - 1, at, n - at]).filter(|at| (0..n).contains(at)).collect()
        }
    };
    numbers.into_iter().all(|mut number| {
        let mut index: Vec<i64> = Vec::new();
        for size in b.dims().iter().rev() {
            index.insert(0, number % size);
            number /= size;
        }
        let own = element(bitcast, a.dims(), b.dims(), &index);
        a.offset(&own).unwrap() == b.offset(&index).unwrap()
    })
}

/// What is found is there, and nothing is there where none is found.
fn check(a: &IndexMap, b: &IndexMap) -> std::result::Result<bool, TestCaseError> {
    let found = a.bitcast(b).unwrap();
    let is_found = !matches!(found, Bitcast::No(_));
    if is_found {
        prop_assert!(holds(&found, a, b), "{:?} {:?}: {:?}", a, b, found);
    }
    prop_assert_eq!(is_found, exists(a, b), "{:?} and {:?}", a, b);
    Ok(is_found)
}

/// A tiled array of at most 200 elements and rank 4.
fn tiled(choices: &mut Choices) -> IndexMap {
    let mut room = 200;
    let mut dims = Vec::new();
    for _ in 0..choices.below(5) {
        let size = choices.of(&[1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 12]).min(room);
        dims.push(size);
        room /= size;
    }
    let tiles: Vec<Tile> = (0..choices.below(3))
        .map(|_| {
            let sizes: Vec<i64> =
                (0..=choices.below(3)).map(|_| choices.of(&[1, 2, 2, 4, 4, 3])).collect();
            Tile::of(&sizes).unwrap()
        })
        .collect();
    let order = Permutation::new(choices.shuffled(dims.len())).unwrap();
    let layout = xla::Layout::new(order).with_tiles(tiles);
    let shape = ArrayShape::new(ElementType::F32, &dims).unwrap();
    shape.with_layout(layout).unwrap().index_map().unwrap()
}

/// Dimensions of as many elements: neighbours merged, or cut where they divide.
fn other_dims(choices: &mut Choices, dims: &[i64], max_rank: usize) -> Vec<i64> {
    let mut factors: Vec<i64> = Vec::new();
    for &size in dims {
        let divisors: Vec<i64> = (1..=size.min(64)).filter(|n| size % n == 0).collect();
        let inner = choices.of(&divisors);
        factors.extend([size / inner, inner]);
    }
    if choices.one_in(4) {
        factors.push(1);
    }
    factors.retain(|&size| size != 1 || choices.one_in(2));
    let parts = choices.parts(&factors, max_rank);
    parts.iter().map(|part| part.iter().product()).collect()
}

/// The same memory transposed, reshaped and transposed.
fn remade(choices: &mut Choices, map: &IndexMap, max_rank: usize) -> IndexMap {
    let first = Permutation::new(choices.shuffled(map.dims().len())).unwrap();
    let transposed = map.permuted(&first).unwrap();
    let dims = other_dims(choices, transposed.dims(), max_rank);
    let second = Permutation::new(choices.shuffled(dims.len())).unwrap();
    transposed.reshaped(&dims).unwrap().permuted(&second).unwrap()
}

/// A digit of an array of shape and stride.
type Digit = (i64, i64);

/// Digits of at most 200 elements, some with a gap below the next or overlapping it.
fn digits(choices: &mut Choices) -> Vec<Digit> {
    let (mut stride, mut room) = (1, 200);
    (0..1 + choices.below(5))
        .map(|_| {
            let extent = choices.of(&[2, 2, 3, 4, 4, 6]).min(room);
            let digit = (extent, stride);
            room /= extent;
            stride = match choices.below(8) {
                0 => stride * (extent + 1),
                1 => stride * (extent - 1) + 1.max(stride / 2 + 1),
                _ => stride * extent,
            };
            digit
        })
        .collect()
}

/// The digits, some cut in two.
fn cut(choices: &mut Choices, digits: &[Digit]) -> Vec<Digit> {
    let mut finer = Vec::new();
    for &(extent, stride) in digits {
        let divisors: Vec<i64> = (2..extent).filter(|n| extent % n == 0).collect();
        if divisors.is_empty() || choices.one_in(2) {
            finer.push((extent, stride));
        } else {
            let inner = choices.of(&divisors);
            finer.extend([(extent / inner, stride * inner), (inner, stride)]);
        }
    }
    finer
}

/// The map whose dimensions are these digits, most major first, some of them ragged.
fn of_digits(choices: &mut Choices, dims: &[Vec<Digit>]) -> IndexMap {
    let nested = |pick: fn(&Digit) -> i64| -> IntTuple {
        let mode = |digits: &Vec<Digit>| {
            Nested::Tuple(
                digits.iter().rev().map(|d| Nested::Leaf(Int::dynamic(pick(d)))).collect(),
            )
        };
        Nested::Tuple(dims.iter().map(mode).collect())
    };
    let sizes: Vec<i64> = dims
        .iter()
        .map(|digits| {
            let size: i64 = digits.iter().map(|d| d.0).product();
            match choices.one_in(4) {
                true => {
                    size - i64::try_from(choices.below(usize::try_from(size).unwrap())).unwrap()
                }
                false => size,
            }
        })
        .collect();
    let stride = nested(|digit| digit.1).map(|&stride| Stride::from(stride));
    let layout = Layout::new(nested(|digit| digit.0), stride).unwrap();
    let layout = layout.with_org_shape(IntTuple::dynamic(&sizes)).unwrap();
    IndexMap::from_tla(&layout).unwrap()
}

/// Two maps of the same digits, which may or may not be one array.
fn of_same_digits(choices: &mut Choices) -> [IndexMap; 2] {
    let digits = digits(choices);
    let order = choices.shuffled(digits.len());
    let mut sequence: Vec<Digit> = order.iter().map(|&place| digits[place]).collect();
    let mut side = |choices: &mut Choices| {
        if choices.one_in(4) && sequence.len() > 1 {
            let place = choices.below(sequence.len() - 1);
            sequence.swap(place, place + 1);
        }
        let finer = cut(choices, &sequence);
        let parts = choices.parts(&finer, 4);
        let order = choices.shuffled(parts.len());
        let dims: Vec<Vec<Digit>> = order.iter().map(|&place| parts[place].clone()).collect();
        of_digits(choices, &dims)
    };
    [side(choices), side(choices)]
}

/// How many of these cases come out true; a case that fails is told.
fn n_true(
    n_cases: u32,
    case: impl Fn(&mut Choices) -> std::result::Result<bool, TestCaseError>,
) -> u32 {
    let n_true = std::cell::Cell::new(0);
    let config = Config { failure_persistence: None, ..Config::with_cases(n_cases) };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let outcome = TestRunner::new_with_rng(config, rng).run(&choices(), |mut choices| {
        n_true.set(n_true.get() + u32::from(case(&mut choices)?));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    n_true.get()
}

#[test]
fn arrays_that_were_transposed_and_reshaped() {
    let n_found = n_true(3000, |choices| {
        let a = tiled(choices);
        let b = remade(choices, &a, 4);
        check(&a, &b)
    });
    assert_eq!(n_found, 3000);
}

#[test]
fn arrays_of_other_tiles() {
    let n_found = n_true(3000, |choices| {
        let (a, b) = (tiled(choices), tiled(choices));
        if a.elements() == b.elements() {
            check(&a, &b)
        } else {
            check(&a, &remade(choices, &a, 4))
        }
    });
    assert!((300..2900).contains(&n_found), "{n_found} of 3000");
}

#[test]
fn arrays_of_the_same_digits() {
    let n_found = n_true(6000, |choices| {
        let [a, b] = of_same_digits(choices);
        check(&a, &b)
    });
    assert!((600..5400).contains(&n_found), "{n_found} of 6000");
}

/// A tiled array of rank 5 to 8, or fewer dimensions of more elements.
fn large(choices: &mut Choices) -> IndexMap {
    let rank = 3 + choices.below(6);
    let sizes: &[i64] = if rank < 5 { &[96, 300, 1 << 12] } else { &[1, 2, 3, 4, 5, 8, 10, 24] };
    let dims: Vec<i64> = (0..rank).map(|_| choices.of(sizes)).collect();
    let tiles: Vec<Tile> = (0..choices.below(3))
        .map(|level| {
            let sizes: &[i64] = if level == 0 { &[1, 4, 8, 8, 128] } else { &[1, 1, 2, 4] };
            let tile: Vec<i64> = (0..2 + choices.below(2)).map(|_| choices.of(sizes)).collect();
            Tile::of(&tile).unwrap()
        })
        .collect();
    let order = Permutation::new(choices.shuffled(rank)).unwrap();
    let layout = xla::Layout::new(order).with_tiles(tiles);
    let shape = ArrayShape::new(ElementType::F32, &dims).unwrap();
    shape.with_layout(layout).unwrap().index_map().unwrap()
}

/// Beyond what every pair of orders could be tried of. Reshaping may leave an array of merged
/// coordinates, where the search is not complete.
#[test]
fn arrays_of_many_dimensions() {
    let n_found = n_true(3000, |choices| {
        let a = large(choices);
        let b = remade(choices, &a, 8);
        if !a.is_separable() || !b.is_separable() {
            return Ok(false);
        }
        let found = a.bitcast(&b).unwrap();
        prop_assert!(!matches!(found, Bitcast::No(_)), "{:?} {:?}: {:?}", a, b, found);
        prop_assert!(holds(&found, &a, &b), "{:?} {:?}: {:?}", a, b, found);
        Ok(true)
    });
    assert!(n_found > 1500, "{n_found} of 3000");
}

/// An untiled array of these dimensions.
fn untiled(choices: &mut Choices, dims: &[i64]) -> IndexMap {
    let order = Permutation::new(choices.shuffled(dims.len())).unwrap();
    let shape = ArrayShape::new(ElementType::F32, dims).unwrap();
    shape.with_layout(xla::Layout::new(order)).unwrap().index_map().unwrap()
}

/// XLA's `DecomposeBitcastToTrt` takes any two untiled arrays of as many elements: in the order of
/// memory both are dense row-major arrays. So every one is found here.
#[test]
fn untiled_arrays_are_as_in_xla() {
    let n_found = n_true(1000, |choices| {
        let sizes: Vec<i64> =
            (0..1 + choices.below(7)).map(|_| choices.of(&[1, 2, 3, 6, 7, 8, 10, 1024])).collect();
        let order = Permutation::new(choices.shuffled(sizes.len())).unwrap();
        let other = other_dims(choices, &order.permute(&sizes), 8);
        let (a, b) = (untiled(choices, &sizes), untiled(choices, &other));
        let found = a.bitcast(&b).unwrap();
        prop_assert!(holds(&found, &a, &b), "{:?} {:?}: {:?}", a, b, found);
        Ok(!matches!(found, Bitcast::No(_)))
    });
    assert_eq!(n_found, 1000);
}
