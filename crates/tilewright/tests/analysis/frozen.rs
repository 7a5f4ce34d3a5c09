//! Against the analysis module of Meta's `tensor-layouts` 0.3.2, frozen as data by
//! `cargo xtask oracle analysis-tensor-layouts`.
//!
//! Where it asks another question, the answers are held to what both mean:
//!
//! * *Surjective* and *bijective* are onto the least to the largest offset there is, here onto the
//!   allocation. For layouts that is the same; a swizzled layout's allocation also holds what the
//!   integers between the layout's own offsets are swizzled to.
//! * *Contiguity* is how many elements from the first on lie one after the other; here that holds
//!   of all aligned groups, and so of a divisor of that number.
//! * *Bank conflicts* take all values of 32 threads as one access of any size, and only the first
//!   4 bytes of an element. Here the banks serve 128 bytes at a time, so wider accesses come in
//!   phases. The ways there are no fewer than those of a phase, and no more than all phases have
//!   together; where there is one phase, they are the same.
//! * *Segments* are counted from the lowest element, as if that were aligned; here from offset 0.

use std::collections::BTreeMap;

use tilewright::IndexMap;
use tilewright::map::{Access, Banks};

use super::{map, support};

/// Layout, bytes of an element, and answers of the rows of one question.
fn rows(question: &str, least: usize) -> Vec<Vec<String>> {
    let rows = support::rows("analysis-tensor-layouts.tsv");
    let rows: Vec<_> = rows.into_iter().filter(|row| row[0] == question).collect();
    assert!(rows.len() >= least, "{} rows of {question}", rows.len());
    rows
}

/// The layout as one mode, which an integer runs through as it does through the whole.
fn as_one_mode(text: &str) -> IndexMap {
    let (outer, layout) = match text.split_once(" o 0 o ") {
        Some((swizzle, layout)) => (format!("{swizzle} o 0 o "), layout),
        None => (String::new(), text),
    };
    let (shape, stride) = layout.split_once(':').unwrap();
    map(&format!("{outer}({shape}):({stride})"))
}

/// `1x4,2x3`: pairs of numbers.
fn pairs(text: &str) -> BTreeMap<i64, i64> {
    let pair = |pair: &str| {
        let (a, b) = pair.split_once('x').unwrap();
        (a.parse().unwrap(), b.parse().unwrap())
    };
    text.split(',').map(pair).collect()
}

fn numbers(text: &str) -> Vec<i64> {
    text.split(',').map(|number| number.parse().unwrap()).collect()
}

#[test]
fn images() {
    let mut n_other_memory = 0;
    for row in rows("image", 600) {
        let [_, layout, _, size, distinct, holes, runs, ways, flags] = &row[..] else { panic!() };
        let map = map(layout);
        let sharing = map.sharing().unwrap();
        assert_eq!(map.elements().to_string(), *size, "{layout}");
        assert_eq!(map.distinct_offsets().unwrap().to_string(), *distinct, "{layout}");
        assert_eq!(sharing.counts().collect::<BTreeMap<_, _>>(), pairs(ways), "{layout}");
        assert_eq!(map.is_injective().unwrap(), flags.contains('i'), "{layout}");
        let offsets = map.offsets().unwrap();
        let (least, most) = (*offsets.iter().min().unwrap(), *offsets.iter().max().unwrap());
        let gaps = map.gaps(usize::MAX).unwrap();
        let inside = gaps.runs.iter().filter(|run| run.start > least && run.end <= most);
        assert_eq!((inside.clone().count() + 1).to_string(), *runs, "{layout}");
        assert_eq!(inside.cloned().flatten().count().to_string(), *holes, "{layout}");
        if (least, most - least + 1) == (map.lowest_offset(), map.allocation()) {
            assert_eq!(map.is_surjective().unwrap(), flags.contains('s'), "{layout}");
            assert_eq!(map.is_bijective().unwrap(), flags.contains('b'), "{layout}");
        } else {
            assert!(layout.starts_with("Sw") && !map.is_surjective().unwrap(), "{layout}");
            n_other_memory += 1;
        }
    }
    assert!(n_other_memory < 100, "{n_other_memory} of another allocation");
}

#[test]
fn runs() {
    /// Holds the run of all aligned groups to that of the elements from the first on.
    #[track_caller]
    fn check(map: &IndexMap, dim: usize, prefix: i64) {
        let size = map.dims()[dim];
        let run = map.contiguity(dim).unwrap();
        match prefix == size {
            true => assert_eq!(run, size),
            false => assert!(prefix % run == 0, "{run} and {prefix}"),
        }
    }
    for row in rows("runs", 300) {
        let [_, layout, _, prefix, of_modes] = &row[..] else { panic!() };
        check(&as_one_mode(layout), 0, prefix.parse().unwrap());
        let map = map(layout);
        let of_modes = numbers(of_modes);
        assert_eq!(of_modes.len(), map.dims().len(), "{layout}");
        for (dim, prefix) in of_modes.into_iter().enumerate() {
            check(&map, dim, prefix);
        }
    }
}

#[test]
fn permutations() {
    let mut n_none = 0;
    for row in rows("cycles", 350) {
        let layout = &row[1];
        let map = as_one_mode(layout);
        let cycles = map.cycles().unwrap();
        let [_, _, _, lengths, order, parity, fixed_points] = &row[..] else {
            assert_eq!((&row[3][..], cycles), ("ValueError", None), "{layout}");
            n_none += 1;
            continue;
        };
        let cycles = cycles.unwrap_or_else(|| panic!("{layout} is a permutation"));
        assert_eq!(cycles.lengths().collect::<BTreeMap<_, _>>(), pairs(lengths), "{layout}");
        assert_eq!(cycles.order().unwrap().to_string(), *order, "{layout}");
        assert_eq!(if cycles.is_even() { "1" } else { "-1" }, parity, "{layout}");
        // Its fixed points are not counted from the lowest offset.
        if map.lowest_offset() == 0 {
            assert_eq!(cycles.fixed_points().to_string(), *fixed_points, "{layout}");
        }
    }
    assert!((10..150).contains(&n_none), "{n_none} are no permutations");
}

/// The offsets of all values of some threads.
fn offsets_of(map: &IndexMap, threads: std::ops::Range<i64>) -> Vec<i64> {
    let offset = |thread| move |value: &[i64]| map.offset(&[&[thread], value].concat()).unwrap();
    match *map.dims() {
        [_] => threads.map(|thread| offset(thread)(&[])).collect(),
        [_, values] => {
            threads.flat_map(|t| (0..values).map(move |value| offset(t)(&[value]))).collect()
        }
        _ => panic!("threads and values"),
    }
}

#[test]
fn bank_conflicts() {
    let (mut n_equal, mut n_several_phases) = (0, 0);
    for row in rows("banks", 500) {
        let [_, layout, bytes, ways] = &row[..] else { panic!() };
        let map = map(layout);
        let element_bits = 8 * bytes.parse::<u32>().unwrap();
        let ways = numbers(ways);
        assert_eq!(ways.len() as i64, (map.dims()[0] + 31) / 32, "{layout}");
        for (group, ways) in (0..).zip(ways) {
            let threads = 32 * group..map.dims()[0].min(32 * group + 32);
            let access = Access::new(offsets_of(&map, threads), element_bits, 1).unwrap();
            let together = Banks { threads: u32::MAX, ..Banks::default() };
            let found = access.bank_conflicts(&together).unwrap();
            assert!((found.ways() as i64..=found.wavefronts).contains(&ways), "{layout} {bytes}");
            n_equal += usize::from(found.ways() as i64 == ways);
            n_several_phases += usize::from(found.phases > 1);
        }
    }
    assert!(n_equal > 400 && n_several_phases > 100, "{n_equal} {n_several_phases}");
}

#[test]
fn segments() {
    for row in rows("segments", 250) {
        let [_, layout, bytes, segments, lines, used] = &row[..] else { panic!() };
        let map = map(layout);
        let mut offsets = offsets_of(&map, 0..map.dims()[0].min(32));
        let lowest = *offsets.iter().min().unwrap();
        offsets.iter_mut().for_each(|offset| *offset -= lowest);
        let access = Access::new(offsets, 8 * bytes.parse::<u32>().unwrap(), 1).unwrap();
        let [of_32, of_128] = [32, 128].map(|bytes| access.segments(8 * bytes).unwrap());
        assert_eq!([of_32.touched, of_128.touched].map(|n| n.to_string()), [&segments[..], lines]);
        assert_eq!((of_32.used_bits / 8).to_string(), *used, "{layout}");
    }
}
