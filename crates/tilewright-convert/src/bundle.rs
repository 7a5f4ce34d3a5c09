//! Small arrays taken together.
//!
//! A file may hold thousands of arrays of some kilobytes, and a read and a write for each would cost
//! more than moving them. Those that lie one after another, before and after, are read and written
//! as one.

use tilewright_files::ArrayInfo;

use crate::passage::Passage;

/// How many of the first arrays make a bundle: at least one, if there is any. Neither their sources
/// nor their destinations have more than `limit` bytes.
///
/// `is_small` is whether an array is small enough to be taken with others.
pub(crate) fn length(
    passages: &[Passage<'_>],
    arrays: [&[ArrayInfo]; 2],
    limit: u64,
    is_small: impl Fn(&Passage<'_>) -> bool,
) -> usize {
    let (mut count, mut last) = (0, None);
    let mut room = [limit; 2];
    for passage in passages {
        let [source, target] = passage.arrays();
        let here = [arrays[0].get(source), arrays[1].get(target)];
        let follows = last.is_none_or(|(numbers, before)| {
            [source, target] == numbers && is_followed(before, here)
        });
        let left =
            room.into_iter().zip(here).map(|(room, info)| room.checked_sub(info?.byte_len()));
        let left: Option<Vec<u64>> = left.collect();
        let (Some(&[of_source, of_target]), true, true) =
            (left.as_deref(), follows, is_small(passage))
        else {
            break;
        };
        let room_left = [of_source, of_target];
        let next = [source + 1, target + 1];
        (room, last, count) = (room_left, Some((next, here)), count + 1);
    }
    count.max(1)
}

fn is_followed(before: [Option<&ArrayInfo>; 2], here: [Option<&ArrayInfo>; 2]) -> bool {
    before
        .into_iter()
        .zip(here)
        .all(|pair| matches!(pair, (Some(a), Some(b)) if a.is_followed_by(b)))
}
