//! In which order chunks are written.
//!
//! Chunks lie one after the other in the destination. What they read may be scattered over the
//! source, so that one chunk goes on where another, far away, has begun: the array is then walked
//! as the source lies.

use crate::nest::{Loop, Nest};

/// The order of a walk over chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// From the outermost loop to the innermost; `src` counts steps of the box, `dst` chunks.
    loops: Vec<Loop>,
}

impl Order {
    /// The order in which chunks of `chunk` steps read a box as it lies in the source, if all
    /// `n_chunks` of them are loops of the box, and if it is another than that of the destination.
    pub(crate) fn of(nest: &Nest, chunk: i64, n_chunks: i64) -> Option<Order> {
        let mut loops = chunk_loops(nest, chunk)?;
        let mut next = 1;
        for l in loops.iter().rev() {
            if l.dst != next {
                return None;
            }
            next = next.checked_mul(l.extent)?;
        }
        if next != n_chunks || nest.dst != 0 {
            return None;
        }
        loops.sort_by_key(|l| std::cmp::Reverse(l.src.abs()));
        let is_another = loops.windows(2).any(|pair| pair[0].dst < pair[1].dst);
        is_another.then_some(Order { loops })
    }

    /// How many chunks there are.
    pub(crate) fn n_chunks(&self) -> usize {
        self.loops.iter().map(|l| l.extent as usize).product()
    }

    /// The number of the chunk after this one.
    pub(crate) fn after(&self, number: usize) -> Option<usize> {
        let mut next = number;
        for l in self.loops.iter().rev() {
            let (n, step) = (l.extent as usize, l.dst as usize);
            let here = number / step % n;
            if here + 1 < n {
                return Some(next + step);
            }
            next -= here * step;
        }
        None
    }

    /// The numbers of the chunks. They are not listed: there may be any number of chunks.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = usize> {
        (0..self.n_chunks()).map(|nth| {
            let mut rest = nth;
            let of_loops = self.loops.iter().rev().map(|l| {
                let step = rest % l.extent as usize;
                rest /= l.extent as usize;
                step * l.dst as usize
            });
            of_loops.sum()
        })
    }
}

/// The loops of a box that go from chunk to chunk, largest destination stride first.
fn chunk_loops(nest: &Nest, chunk: i64) -> Option<Vec<Loop>> {
    let mut loops = Vec::new();
    for l in &nest.loops {
        let reach = l.dst.checked_mul(l.extent)?;
        if l.extent == 1 || reach <= chunk {
            continue;
        }
        if l.dst >= chunk {
            if l.dst % chunk != 0 {
                return None;
            }
            loops.push(Loop { dst: l.dst / chunk, ..*l });
            continue;
        }
        // Several steps of this loop make a chunk.
        if l.dst <= 0 || chunk % l.dst != 0 || reach % chunk != 0 {
            return None;
        }
        loops.push(Loop { extent: reach / chunk, src: l.src.checked_mul(chunk / l.dst)?, dst: 1 });
    }
    Some(loops)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nest(loops: &[(i64, i64, i64)]) -> Nest {
        let loops = loops.iter().map(|&(extent, src, dst)| Loop { extent, src, dst }).collect();
        Nest { src: 0, dst: 0, loops }
    }

    /// Checks that these are the numbers of the chunks, and that each is known to come after the one before.
    fn is_in_order(order: &Order, numbers: &[usize]) {
        assert!(order.numbers().eq(numbers.iter().copied()));
        for (place, &number) in numbers.iter().enumerate() {
            assert_eq!(order.after(number), numbers.get(place + 1).copied(), "after {number}");
        }
    }

    /// Two rows of three pieces of 10, which the source has column by column.
    #[test]
    fn chunks_are_walked_as_the_source_lies() {
        let columns = nest(&[(2, 10, 30), (3, 20, 10), (10, 1, 1)]);
        let order = Order::of(&columns, 10, 6).unwrap();
        is_in_order(&order, &[0, 3, 1, 4, 2, 5]);
    }

    #[test]
    fn a_loop_may_be_cut() {
        // Four steps of 5 make two chunks.
        let cut = nest(&[(3, 5, 20), (4, 15, 5), (5, 1, 1)]);
        let order = Order::of(&cut, 10, 6).unwrap();
        is_in_order(&order, &[0, 2, 4, 1, 3, 5]);
    }

    #[test]
    fn where_chunks_are_not_loops_there_is_no_order() {
        let columns = nest(&[(2, 10, 30), (3, 20, 10), (10, 1, 1)]);
        assert_eq!(Order::of(&columns, 20, 3), None, "three steps of 10");
        assert_eq!(Order::of(&columns, 10, 7), None, "a chunk of padding");
        let rows = nest(&[(6, 10, 10), (10, 1, 1)]);
        assert_eq!(Order::of(&rows, 10, 6), None, "the same order");
    }
}
