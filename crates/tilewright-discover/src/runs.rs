//! Where each code is, in data that repeats single codes but not runs of them.
//!
//! A dimension's digit longer than a run leads a run along the dimension to places in even steps.
//! A run of `r` codes is told from all others where `r * bits` is well beyond the bits of a pair of
//! an element and a place. So runs along every dimension are looked for in memory at every step
//! that is a power of two, and each that is once on either side says where its codes are. With the
//! tile of 128 × 4 of scale factors, whose rows are 16 bytes apart, runs of 7 scales down the rows
//! say where all of them are, whatever is padded.
//!
//! A run that leaves its digit is found too where the one code beyond happens to be alike, once in
//! `2^bits`. That code's own run says otherwise, and the place it was led to is some other code's:
//! so of several places an element has the one that no other element needs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::merging::row_major_steps;
use crate::probe::scrambled;

/// Bits that a run has beyond those of a pair of places: by chance, one pair in 2²⁴ arrays is alike.
const MARGIN: u32 = 24;

/// Where each code is, if runs say it of all of them.
pub(crate) fn places(logical: &[u32], dims: &[i64], slots: &[u32], bits: u32) -> Option<Vec<i64>> {
    let pair_bits = 2 * (usize::BITS - slots.len().max(logical.len()).leading_zeros());
    let length = usize::try_from((pair_bits + MARGIN).div_ceil(bits.max(1))).ok()?.max(2);
    let mut claims: Vec<Vec<usize>> = vec![Vec::new(); logical.len()];
    let steps = (0..usize::BITS).map(|bit| 1usize << bit);
    for step in steps.take_while(|step| step.saturating_mul(length - 1) < slots.len()) {
        let last = slots.len() - step * (length - 1);
        let in_memory = starts(slots, 0..last, step, length);
        for (size, logical_step) in dims.iter().zip(row_major_steps(dims)) {
            let (size, apart) = (usize::try_from(*size).ok()?, usize::try_from(logical_step).ok()?);
            let is_whole = |id: &usize| id / apart % size + length <= size;
            let runs = starts(logical, (0..logical.len()).filter(is_whole), apart, length);
            for (hash, id) in runs {
                if let (Some(id), Some(Some(place))) = (id, in_memory.get(&hash)) {
                    note(&mut claims, [id, apart], [*place, step], length);
                }
            }
        }
        if claims.iter().all(|places| !places.is_empty()) {
            return settled(&claims, slots.len());
        }
    }
    None
}

/// Where the run with each hash begins, if there is one only.
fn starts(
    values: &[u32],
    firsts: impl Iterator<Item = usize>,
    step: usize,
    length: usize,
) -> HashMap<u64, Option<usize>> {
    let mut starts = HashMap::new();
    for first in firsts {
        let run = values.get(first..).unwrap_or_default().iter().step_by(step).take(length);
        let hash = run.fold(0, |hash, value| scrambled(hash ^ u64::from(*value)));
        match starts.entry(hash) {
            Entry::Vacant(entry) => drop(entry.insert(Some(first))),
            Entry::Occupied(mut entry) => drop(entry.insert(None)),
        }
    }
    starts
}

/// Notes where the codes of a run are: of elements from `id` on and places from `place` on.
fn note(
    claims: &mut [Vec<usize>],
    [id, apart]: [usize; 2],
    [place, step]: [usize; 2],
    length: usize,
) {
    let elements = claims.iter_mut().skip(id).step_by(apart).take(length);
    for (number, places) in elements.enumerate() {
        let place = place + number * step;
        if !places.contains(&place) {
            places.push(place);
        }
    }
}

/// One place for each element: where there are several, one that no element with a single place has.
fn settled(claims: &[Vec<usize>], n_slots: usize) -> Option<Vec<i64>> {
    let mut is_taken = vec![false; n_slots];
    for places in claims {
        if let [place] = places[..]
            && let Some(taken) = is_taken.get_mut(place)
        {
            *taken = true;
        }
    }
    let is_free = |place: &&usize| is_taken.get(**place) == Some(&false);
    let place_of = |places: &Vec<usize>| match places[..] {
        [place] => Some(place),
        _ => places.iter().find(is_free).copied(),
    };
    claims.iter().map(|places| i64::try_from(place_of(places)?).ok()).collect()
}
