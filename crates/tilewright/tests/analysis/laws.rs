//! Random maps: tiles that pad, repeat and straddle; strides of 0, below 0 and overlapping;
//! shapes cropped; swizzles.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tilewright::IndexMap;

use super::brute::Brute;
use super::map;

/// Extents and strides of the modes, and what is kept of each mode's elements, in percent.
type Modes = Vec<(Vec<(i64, i64)>, i64)>;

/// Up to four modes of up to three integers.
fn tla() -> impl Strategy<Value = Modes> {
    let stride = prop_oneof![
        3 => prop::sample::select(vec![0i64, 1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 48]),
        1 => -9i64..=9,
    ];
    let leaf = (prop::sample::select(vec![1i64, 2, 2, 3, 3, 4, 5, 6]), stride);
    let kept = prop_oneof![2 => Just(100i64), 1 => 1i64..=100];
    let mode = (prop::collection::vec(leaf, 1..=3), kept);
    let any = prop::collection::vec(mode, 1..=4);
    let nearly_compact = (compact(), -1i64..3).prop_map(|(mut modes, more)| {
        modes[0].0[0].1 += more;
        modes
    });
    prop_oneof![2 => any, 1 => compact(), 1 => nearly_compact]
        .prop_filter("few elements", |modes| map(&tla_text(modes)).elements() <= 400)
}

/// Modes that fill memory in some order, some of them backwards.
fn compact() -> impl Strategy<Value = Modes> {
    let sizes = prop::collection::vec(prop::sample::select(vec![1i64, 2, 2, 3, 4, 5]), 1..=5);
    let order = sizes.prop_flat_map(|sizes| {
        let places: Vec<usize> = (0..sizes.len()).collect();
        let signs = prop::collection::vec(prop_oneof![4 => Just(1i64), 1 => Just(-1)], sizes.len());
        (Just(sizes), Just(places).prop_shuffle(), signs, 1usize..=3)
    });
    order.prop_map(|(sizes, order, signs, per_mode)| {
        let mut leaves: Vec<(i64, i64)> = sizes.iter().map(|&size| (size, 0)).collect();
        let mut stride = 1;
        for place in order {
            leaves[place].1 = stride * signs[place];
            stride *= sizes[place];
        }
        leaves.chunks(per_mode).map(|mode| (mode.to_vec(), 100)).collect()
    })
}

fn tla_text(modes: &Modes) -> String {
    let list = |part: &dyn Fn(&(i64, i64)) -> i64| {
        let modes = modes.iter().map(|(leaves, _)| {
            let numbers: Vec<String> = leaves.iter().map(|leaf| part(leaf).to_string()).collect();
            format!("({})", numbers.join(","))
        });
        format!("({})", modes.collect::<Vec<_>>().join(","))
    };
    let kept = modes.iter().map(|(leaves, kept)| {
        let size: i64 = leaves.iter().map(|leaf| leaf.0).product();
        (size * kept / 100).max(1).to_string()
    });
    let kept = kept.collect::<Vec<_>>().join(",");
    format!("{}:{}:({kept})", list(&|leaf| leaf.0), list(&|leaf| leaf.1))
}

/// Bits flipped by others, of a layout that begins somewhere.
fn swizzled() -> impl Strategy<Value = String> {
    let swizzle = (1i64..=3, 0i64..=3, 0i64..=2, any::<bool>());
    let modes = prop_oneof![3 => compact(), 1 => tla()];
    (swizzle, 0i64..3, modes).prop_map(|((bits, base, more, is_left), start, mut modes)| {
        let shift = if is_left { -bits - more } else { bits + more };
        for (leaves, kept) in &mut modes {
            leaves.iter_mut().for_each(|(_, stride)| *stride = stride.abs());
            *kept = 100;
        }
        let text = tla_text(&modes);
        let (layout, _) = text.rsplit_once(':').unwrap_or((&text, ""));
        format!("Sw<{bits},{base},{shift}> o {start} o {layout}")
    })
}

/// Up to four dimensions under up to two tiles.
fn xla() -> impl Strategy<Value = String> {
    (0usize..=4)
        .prop_flat_map(|rank| {
            let order = Just((0..rank).collect::<Vec<_>>()).prop_shuffle();
            (prop::collection::vec(0i64..=6, rank), order, prop::collection::vec(tile(), 0..=2))
        })
        .prop_map(|(dims, order, tiles)| {
            let joined = |numbers: Vec<String>| numbers.join(",");
            let dims = joined(dims.iter().map(i64::to_string).collect());
            let order = joined(order.iter().map(usize::to_string).collect());
            let tiles =
                if tiles.is_empty() { String::new() } else { format!("T{}", tiles.concat()) };
            format!("f32[{dims}]{{{order}:{tiles}}}").replace(":}", "}")
        })
        .prop_filter("little memory", |text| map(text).allocation() <= 1000)
}

fn tile() -> impl Strategy<Value = String> {
    let size = prop_oneof![1 => Just("*".to_owned()), 5 => (1i64..=6).prop_map(|n| n.to_string())];
    (prop::collection::vec(size, 0..3), 1i64..=8).prop_map(|(mut sizes, last)| {
        sizes.push(last.to_string());
        format!("({})", sizes.join(","))
    })
}

fn check(map: &IndexMap) -> Result<(), TestCaseError> {
    let brute = Brute::of(map);
    check_image(map, &brute)?;
    check_lists(map, &brute)?;
    for dim in 0..map.dims().len() {
        if map.elements() > 0 {
            prop_assert_eq!(map.contiguity(dim).unwrap(), brute.contiguity(dim), "dim {}", dim);
            prop_assert_eq!(map.vector_width(dim).unwrap(), brute.vector_width(dim), "dim {}", dim);
        } else {
            prop_assert_eq!([map.contiguity(dim).unwrap(), map.vector_width(dim).unwrap()], [1, 1]);
        }
    }
    check_cycles(map, &brute)
}

fn check_image(map: &IndexMap, brute: &Brute) -> Result<(), TestCaseError> {
    let at = brute.at_offsets();
    let is_injective = at.len() == brute.offsets.len();
    let is_surjective = brute.gaps().is_empty();
    prop_assert_eq!(map.is_injective().unwrap(), is_injective);
    prop_assert_eq!(map.is_surjective().unwrap(), is_surjective);
    prop_assert_eq!(map.is_bijective().unwrap(), is_injective && is_surjective);
    prop_assert_eq!(map.distinct_offsets().unwrap(), at.len() as i64);
    let alias = map.first_alias().unwrap();
    prop_assert_eq!(alias.as_ref().map(|alias| alias.indices.clone()), brute.first_alias());
    if let Some(alias) = alias {
        prop_assert!(alias.indices.iter().all(|index| map.offset(index).unwrap() == alias.offset));
    }
    let mut counts = BTreeMap::new();
    at.values().for_each(|numbers| *counts.entry(numbers.len() as i64).or_insert(0) += 1);
    let sharing = map.sharing().unwrap();
    prop_assert_eq!(sharing.counts().collect::<BTreeMap<i64, i64>>(), counts.clone());
    prop_assert_eq!(sharing.distinct_offsets(), at.len() as i64);
    prop_assert_eq!(sharing.most(), counts.keys().copied().max().unwrap_or(0));
    prop_assert_eq!(sharing.uniform().is_some(), counts.len() == 1);
    Ok(())
}

fn check_lists(map: &IndexMap, brute: &Brute) -> Result<(), TestCaseError> {
    let gaps = map.gaps(usize::MAX).unwrap();
    let listed: Vec<i64> = gaps.runs.iter().cloned().flatten().collect();
    prop_assert_eq!(&listed, &brute.gaps());
    prop_assert_eq!(gaps.total, listed.len() as i64);
    prop_assert!(gaps.is_complete() && gaps.runs.windows(2).all(|two| two[0].end < two[1].start));
    let shared: Vec<(i64, Vec<usize>)> =
        brute.at_offsets().into_iter().filter(|(_, numbers)| numbers.len() > 1).collect();
    let aliases = map.aliases(usize::MAX, usize::MAX).unwrap();
    prop_assert_eq!(aliases.sharing.shared_offsets(), shared.len() as i64);
    prop_assert_eq!(aliases.groups.len(), shared.len());
    for (group, (offset, numbers)) in aliases.groups.iter().zip(&shared) {
        let indices: Vec<_> = numbers.iter().map(|&number| brute.indices[number].clone()).collect();
        prop_assert_eq!((group.offset, group.elements), (*offset, numbers.len() as i64));
        prop_assert_eq!(&group.indices, &indices);
    }
    Ok(())
}

/// A number without all factors of this kind.
fn without(mut number: i128, factor: i128) -> i128 {
    while number % factor == 0 {
        number /= factor;
    }
    number
}

fn check_cycles(map: &IndexMap, brute: &Brute) -> Result<(), TestCaseError> {
    let Some(cycles) = map.cycles().unwrap() else {
        prop_assert!(!map.is_bijective().unwrap());
        return Ok(());
    };
    let lengths = brute.cycle_lengths();
    let mut counts = BTreeMap::new();
    lengths.iter().for_each(|&length| *counts.entry(length).or_insert(0) += 1);
    let found: BTreeMap<i64, i64> =
        cycles.lengths().map(|(length, count)| (length, length * count)).collect();
    prop_assert_eq!(found, counts);
    prop_assert_eq!(cycles.elements(), lengths.len() as i64);
    prop_assert_eq!(cycles.longest(), lengths.iter().copied().max().unwrap_or(0));
    prop_assert_eq!(cycles.is_even(), brute.is_even());
    // The least common multiple: a multiple of all, and no longer one without any of its primes.
    let order = cycles.order().unwrap();
    let is_multiple = |n: i128| lengths.iter().all(|&length| n % i128::from(length) == 0);
    let primes = (2..=i128::from(cycles.longest())).filter(|prime| order % prime == 0);
    prop_assert!(is_multiple(order) && primes.clone().all(|prime| !is_multiple(order / prime)));
    prop_assert_eq!(primes.fold(order, without), 1);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 400 }))]

    #[test]
    fn of_shapes_and_strides(modes in tla()) {
        check(&map(&tla_text(&modes)))?;
    }

    #[test]
    fn of_tiles(text in xla()) {
        check(&map(&text))?;
    }

    #[test]
    fn of_swizzles(text in swizzled()) {
        check(&map(&text))?;
    }

    /// The smallest stride of each mode, as the text says it.
    #[test]
    fn dims_are_ordered_by_stride(modes in tla()) {
        let map = map(&tla_text(&modes));
        let smallest = |dim: usize| {
            let mut unit = 1;
            let used = modes[dim].0.iter().filter(|(extent, _)| {
                let is_used = *extent > 1 && unit < map.dims()[dim];
                unit *= extent;
                is_used
            });
            used.map(|(_, stride)| stride.abs()).filter(|&stride| stride > 0).min().unwrap_or(0)
        };
        let smallest: Vec<i64> = (0..modes.len()).map(smallest).collect();
        let mut order = map.dims_by_stride();
        let moving: Vec<usize> = order.iter().copied().filter(|&dim| smallest[dim] > 0).collect();
        prop_assert!(moving.is_sorted_by(|&a, &b| (smallest[a], b) < (smallest[b], a)));
        order.sort_unstable();
        prop_assert!(order.into_iter().eq(0..modes.len()));
    }
}
