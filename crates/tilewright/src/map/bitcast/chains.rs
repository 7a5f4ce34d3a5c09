//! Two maps' dimensions in the orders in which one is the other reshaped.
//!
//! Cut both maps' digits where either has a stride, and memory falls into *pieces* that both walk.
//! Each dimension, of either map, is then a sequence of pieces, most major first:
//!
//! | `f32[2,3,8,128]{3,2,0,1:T(8,128)}` | `f32[3,16,128]{2,1,0:T(8,128)}` |
//! |---|---|
//! | dimension 0: `1024..2048` | dimension 0: `2048..6144` |
//! | dimension 1: `2048..6144` | dimension 1: `1024..2048`, `128..1024` |
//! | dimension 2: `128..1024` | dimension 2: `1..128` |
//! | dimension 3: `1..128` | |
//!
//! One array in some order of its dimensions is the other in some order of its own exactly if both
//! orders put the same pieces one after the other. So each piece is followed by the one that
//! follows it in a dimension of either map. Where the two do not contradict each other and do not
//! run in circles, that links the pieces to *chains*: here `1024..2048`, `128..1024`, which are
//! dimensions 0 and 2 of the one and dimension 1 of the other, and two chains of one piece.
//!
//! # Why it is complete
//! Read as a row-major array, a map is a function of one number, and its digits can be read off:
//! where offsets stop to go on evenly a digit ends, and nowhere else does it matter where a
//! dimension is cut. So the function fixes the pieces and their order, but for cuts within a run,
//! which the two maps share by construction. A dimension that is ragged, which ends where none of
//! its digits do, ends in the other map too: if a digit went on there, offsets would go on evenly
//! on both sides of the end, and then inside the dimension, too, where they do not.
//!
//! # Why one order is enough
//! What pieces and chains leave open, the sizes of ragged dimensions, [`Sequences::agrees`] decides,
//! and for every order of the chains alike. If a chain has fewer elements on one side, the first one
//! past its end leads to another piece there than it does on the other side, whatever chains are
//! around it; and if no chain does, the maps agree if they do along each chain.

use std::collections::BTreeMap;

use super::sequence::{Piece, Sequences};
use crate::Permutation;

/// The dimensions of either map, most major first, that walk the same pieces in the same order.
type Chain = [Vec<usize>; 2];

/// An order of the dimensions of each map in which both put the same pieces one after the other,
/// or `None` if there are none. One of them stays as it is, if it can.
pub(super) fn orders(a: &Sequences<'_>, b: &Sequences<'_>) -> Option<[Permutation; 2]> {
    let maps = [a, b];
    let starts = a.strides().union(&b.strides()).copied().collect();
    let pieces = maps.map(|map| map.pieces(&starts));
    let numbers = numbers(&pieces)?;
    let dims = pieces.each_ref().map(|dims| numbered(dims, &numbers));
    let next = links(numbers.len(), &dims)?;
    let chains = chains(&next, &dims)?;
    let [by_a, by_b] = [0, 1].map(|side| by_side(&chains, side, maps));
    let n_moved = |orders: &[Permutation; 2]| {
        orders.iter().filter(|permutation| !permutation.is_identity()).count()
    };
    Some(if n_moved(&by_b) < n_moved(&by_a) { by_b } else { by_a })
}

/// A number for each piece, if both maps have the same.
fn numbers(dims: &[Vec<Vec<Piece>>; 2]) -> Option<BTreeMap<Piece, usize>> {
    let [a, b] = dims.each_ref().map(|dims| {
        let mut pieces: Vec<Piece> = dims.iter().flatten().copied().collect();
        pieces.sort_unstable();
        pieces
    });
    (a == b).then(|| a.into_iter().zip(0..).collect())
}

fn numbered(dims: &[Vec<Piece>], numbers: &BTreeMap<Piece, usize>) -> Vec<Vec<usize>> {
    let number = |piece: &Piece| numbers.get(piece).copied();
    dims.iter().map(|pieces| pieces.iter().filter_map(number).collect()).collect()
}

/// The piece after each piece, or `None` if two maps say differently.
fn links(n_pieces: usize, dims: &[Vec<Vec<usize>>; 2]) -> Option<Vec<Option<usize>>> {
    let (mut next, mut previous) = (vec![None; n_pieces], vec![None; n_pieces]);
    for pair in dims.iter().flatten().flat_map(|pieces| pieces.windows(2)) {
        let [piece, follower] = *pair else { continue };
        if next[piece].replace(follower).is_some_and(|other| other != follower)
            || previous[follower].replace(piece).is_some_and(|other| other != piece)
        {
            return None;
        }
    }
    Some(next)
}

/// The chains, or `None` if pieces run in circles.
fn chains(next: &[Option<usize>], dims: &[Vec<Vec<usize>>; 2]) -> Option<Vec<Chain>> {
    let tops = dims.each_ref().map(|dims| tops(dims));
    let mut is_follower = vec![false; next.len()];
    next.iter().flatten().for_each(|&follower| is_follower[follower] = true);
    let mut n_linked = 0;
    let mut chains = Vec::new();
    for head in (0..next.len()).filter(|&piece| !is_follower[piece]) {
        let pieces: Vec<usize> = std::iter::successors(Some(head), |&piece| next[piece]).collect();
        n_linked += pieces.len();
        let dims = |tops: &BTreeMap<usize, usize>| {
            pieces.iter().filter_map(|piece| tops.get(piece).copied()).collect()
        };
        chains.push(tops.each_ref().map(dims));
    }
    (n_linked == next.len()).then_some(chains)
}

/// The dimension that begins with each piece that one begins with.
fn tops(dims: &[Vec<usize>]) -> BTreeMap<usize, usize> {
    let top = |(dim, pieces): (usize, &Vec<usize>)| Some((*pieces.first()?, dim));
    dims.iter().enumerate().filter_map(top).collect()
}

/// Both maps' dimensions, the chains in the order in which one map has the first dimension of each.
fn by_side(chains: &[Chain], side: usize, maps: [&Sequences<'_>; 2]) -> [Permutation; 2] {
    let mut chains: Vec<&Chain> = chains.iter().collect();
    chains.sort_by_key(|chain| chain[side].first());
    [0, 1].map(|side| {
        let order = chains.iter().flat_map(|chain| chain[side].iter().copied());
        with_units(order, maps[side].dims())
    })
}

/// The order with the dimensions of size 1, each after the one that has the number before it.
pub(super) fn with_units(order: impl IntoIterator<Item = usize>, dims: &[i64]) -> Permutation {
    let units = |from: usize| (from..dims.len()).take_while(|&dim| dims[dim] == 1);
    let others = order.into_iter().flat_map(|dim| [dim].into_iter().chain(units(dim + 1)));
    Permutation::new(units(0).chain(others).collect::<Vec<_>>()).unwrap_or_default()
}
