//! Which indices of a dimension are drawn, where it is too long for all of them.
//!
//! What a picture has to show of a long axis is where something happens: its ends, the places where
//! tiles meet, and where the data ends and padding begins. These are the *seeds*. Around them as much
//! is drawn as there is room for, on all sides alike, whole innermost blocks at a time so that no pair
//! is torn. What lies between is a gap, which says how many indices it stands for and whether it hides
//! the border of a tile.
//!
//! ```text
//! 384 columns, 300 of them data, tiles of 128, room for 20:
//! 0 1 ⋯ 126 127 │ 128 129 ⋯ 254 255 │ 256 257 ⋯ 298 299 ╎ 300 301 ⋯ 382 383
//! ```

use crate::blocks::Cut;

/// Blocks of at most so many indices are drawn whole or not at all.
const MAX_GRAIN: i64 = 4;

/// A dimension as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// What stands side by side.
    pub slots: Vec<Slot>,
    /// How many indices of data there are.
    pub data: i64,
    /// How many with padding.
    pub padded: i64,
}

/// One step along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// An index.
    Place {
        /// The index.
        index: i64,
        /// The level of the block that begins here: 0 is the outermost tile; `None` in the middle.
        border: Option<usize>,
    },
    /// Indices that are not drawn.
    Gap {
        /// How many they are.
        hidden: i64,
        /// Whether an outermost tile begins among them.
        hides_border: bool,
    },
}

impl Slot {
    /// The index that is drawn here.
    pub fn index(self) -> Option<i64> {
        match self {
            Slot::Place { index, .. } => Some(index),
            Slot::Gap { .. } => None,
        }
    }
}

impl Slot {
    /// The level of the block that begins here.
    pub(crate) fn level(self) -> Option<usize> {
        match self {
            Slot::Place { border, .. } => border,
            Slot::Gap { .. } => None,
        }
    }
}

impl Axis {
    /// An axis of at most about `room` slots, cut so.
    pub(crate) fn new(data: i64, padded: i64, cuts: &[Cut], room: usize) -> Self {
        Self::with(None, data, padded, cuts, room)
    }

    /// The same with an index that is drawn whatever is elided.
    pub(crate) fn with(at: Option<i64>, data: i64, padded: i64, cuts: &[Cut], room: usize) -> Self {
        let room = i64::try_from(room).unwrap_or(i64::MAX).max(3);
        let tile = cuts.iter().find(|cut| cut.level == 0).map(|cut| cut.size);
        // What is hardly too long is drawn as a whole: a gap that saves a few places says less.
        let ranges = if padded <= room.saturating_add(room / 4) {
            vec![(0, padded)]
        } else {
            let innermost = cuts.iter().map(|cut| cut.size).min();
            let grain = innermost.filter(|&size| size <= MAX_GRAIN).unwrap_or(1);
            let ends = [Some(0), Some(padded - 1), at.filter(|at| (0..padded).contains(at))];
            let always: Vec<i64> = ends.into_iter().flatten().collect();
            grown(&always, &seeds(data, padded, tile), padded, grain, room)
        };
        let mut slots = Vec::new();
        let mut end = 0;
        for (start, stop) in ranges {
            if start > end {
                slots.push(gap(end, start, tile));
            }
            slots.extend((start..stop).map(|index| place(index, cuts)));
            end = stop;
        }
        if end < padded {
            slots.push(gap(end, padded, tile));
        }
        Axis { slots, data, padded }
    }

    /// The indices that are drawn.
    pub fn indices(&self) -> impl Iterator<Item = i64> {
        self.slots.iter().filter_map(|slot| slot.index())
    }

    /// The number of the slot before which data ends, where padding follows it. Where the first index
    /// of padding is in a gap, the gap.
    pub fn data_edge(&self) -> Option<usize> {
        if self.data >= self.padded {
            return None;
        }
        let mut next = 0;
        for (number, slot) in self.slots.iter().enumerate() {
            let end = match slot {
                Slot::Place { index, .. } => index + 1,
                Slot::Gap { hidden, .. } => next + hidden,
            };
            if end > self.data {
                return Some(number);
            }
            next = end;
        }
        None
    }
}

fn place(index: i64, cuts: &[Cut]) -> Slot {
    let here = cuts.iter().filter(|cut| index > 0 && index % cut.size == 0);
    Slot::Place { index, border: here.map(|cut| cut.level).min() }
}

fn gap(start: i64, end: i64, tile: Option<i64>) -> Slot {
    let hides_border = tile.is_some_and(|tile| (end - 1) / tile > (start - 1).max(0) / tile);
    Slot::Gap { hidden: end - start, hides_border }
}

/// Where something happens but for the ends, the most important first: the end of the data, and the
/// first, the second and the last border of a tile, both sides of each.
fn seeds(data: i64, padded: i64, tile: Option<i64>) -> Vec<i64> {
    let mut seeds = Vec::new();
    if 0 < data && data < padded {
        seeds.extend([data - 1, data]);
    }
    if let Some(tile) = tile {
        let last = (padded - 1) / tile * tile;
        for border in [tile, last, tile.saturating_mul(2)] {
            seeds.extend([border - 1, border]);
        }
    }
    seeds.retain(|seed| (0..padded).contains(seed));
    seeds
}

/// Ranges around what is drawn whatever room there is, and around the seeds, that together, with a gap
/// between any two, take no more than `room`.
fn grown(always: &[i64], seeds: &[i64], padded: i64, grain: i64, room: i64) -> Vec<(i64, i64)> {
    let block = |seed: i64| {
        let start = seed / grain * grain;
        (start, start.saturating_add(grain).min(padded))
    };
    let mut ranges: Vec<(i64, i64)> =
        always.iter().fold(Vec::new(), |ranges, &seed| joined(&ranges, block(seed)));
    for &seed in seeds {
        let with = joined(&ranges, block(seed));
        if taken(&with, padded) <= room {
            ranges = with;
        }
    }
    // One block more at each end of each range in turn, as long as there is room.
    let mut grows = true;
    while grows {
        grows = false;
        for number in 0..ranges.len() {
            for (before, after) in [(0, grain), (grain, 0)] {
                let Some(&(start, end)) = ranges.get(number) else { continue };
                let wider = ((start - before).max(0), end.saturating_add(after).min(padded));
                let with = joined(&ranges, wider);
                if with != ranges && taken(&with, padded) <= room {
                    (ranges, grows) = (with, true);
                }
            }
        }
    }
    ranges
}

/// The ranges and one more, those that touch or leave out a single index made one.
fn joined(ranges: &[(i64, i64)], more: (i64, i64)) -> Vec<(i64, i64)> {
    let mut all = ranges.to_vec();
    all.push(more);
    all.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::new();
    for (start, end) in all {
        match joined.last_mut() {
            Some(last) if start - 1 <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// The slots that ranges and the gaps between them take.
fn taken(ranges: &[(i64, i64)], padded: i64) -> i64 {
    let mut end = 0;
    let mut taken = 0;
    for &(start, stop) in ranges {
        taken += i64::from(start > end) + (stop - start);
        end = stop;
    }
    taken + i64::from(end < padded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(blocks: &[i64]) -> Vec<Cut> {
        blocks.iter().enumerate().map(|(level, &size)| Cut { size, level }).collect()
    }

    /// The axis in words: `│` before a tile, `╎` where the data ends.
    fn words(data: i64, padded: i64, blocks: &[i64], room: usize) -> String {
        let axis = Axis::new(data, padded, &cuts(blocks), room);
        let edge = axis.data_edge();
        let slots = axis.slots.iter().enumerate().map(|(number, slot)| {
            let data_ends = if edge == Some(number) { "╎ " } else { "" };
            match slot {
                Slot::Place { index, border: Some(0) } => format!("{data_ends}│ {index}"),
                Slot::Place { index, .. } => format!("{data_ends}{index}"),
                Slot::Gap { hides_border: true, .. } => format!("{data_ends}⋮"),
                Slot::Gap { .. } => format!("{data_ends}⋯"),
            }
        });
        slots.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn short_axes_are_whole() {
        assert_eq!(words(5, 6, &[2], 24), "0 1 │ 2 3 │ 4 ╎ 5");
        assert_eq!(words(3, 3, &[], 3), "0 1 2");
        assert_eq!(words(0, 0, &[], 3), "");
    }

    #[test]
    fn long_axes_show_where_something_happens() {
        let found = words(300, 384, &[128], 20);
        assert_eq!(
            found,
            "0 1 ⋯ 126 127 │ 128 129 ⋯ 254 255 │ 256 257 ⋯ 298 299 ╎ 300 301 ⋯ 382 383"
        );
        assert_eq!(words(1_000_000, 1_000_000, &[], 7), "0 1 2 ⋯ 999997 999998 999999");
    }

    #[test]
    fn pairs_stay_together() {
        for room in 6..31 {
            let axis = Axis::new(30, 32, &cuts(&[8, 2]), room);
            let shown: Vec<i64> = axis.indices().collect();
            for index in &shown {
                assert!(shown.contains(&(index ^ 1)), "{room}: {shown:?}");
            }
        }
    }

    #[test]
    fn what_was_pointed_at_is_drawn() {
        for at in [0, 2, 137, 299, 300, 383] {
            for room in [3, 8, 20] {
                let axis = Axis::with(Some(at), 300, 384, &cuts(&[128]), room);
                assert!(axis.indices().any(|index| index == at), "{at} in {room}");
            }
        }
        assert_eq!(Axis::with(Some(384), 300, 384, &[], 8), Axis::new(300, 384, &[], 8));
    }

    /// Whatever the axis, it fits, in order, and every index is drawn or in a gap.
    #[test]
    fn nothing_is_lost() {
        for padded in [1i64, 2, 3, 7, 24, 25, 100, 1 << 40, i64::MAX] {
            for data in [0, 1, padded / 3, padded - 1, padded] {
                for blocks in [&[][..], &[2], &[128], &[128, 2], &[1 << 39, 64, 4]] {
                    for room in [3, 8, 24] {
                        let axis = Axis::new(data, padded, &cuts(blocks), room);
                        let mut next = 0;
                        for slot in &axis.slots {
                            match *slot {
                                Slot::Place { index, .. } => {
                                    assert_eq!(index, next);
                                    next += 1;
                                }
                                Slot::Gap { hidden, .. } => {
                                    assert!(hidden > 1);
                                    next += hidden;
                                }
                            }
                        }
                        assert_eq!(next, padded);
                        assert!(
                            axis.slots.len() <= room.max(8) * 5 / 4,
                            "{padded} {data} {blocks:?} {room}"
                        );
                    }
                }
            }
        }
    }
}
