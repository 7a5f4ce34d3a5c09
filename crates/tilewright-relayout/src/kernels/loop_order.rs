//! In what order loops are walked around what is moved at a time.

use super::place::LINE;
use super::tile::Around;

/// Runs of the destination that are longer need not be gone on with at once.
pub(super) const LONG_RUN: i64 = 256 * 8;

/// The most places of the source that are read in turn before the next line of any.
pub(super) const MOST_SOURCES: i64 = 128;

/// The sets of a first cache, the lines after each other in turn, and for how many lines each has room at least.
const N_SETS: usize = 64;
const WAYS: u8 = 8;

/// The logarithm of the bits of a line.
const LINE_SHIFT: u32 = (8 * LINE).ilog2();

/// The bits of such runs of elements of so many bits, or of whole lines that are moved `as_they_are` in the caches.
///
/// Of elements of 1, 8 and 16 bytes they are half as long. Longer ones of single bytes would be from more than
/// [`MOST_SOURCES`] rows of the source, and of 8 bytes a tile reads whole lines, those of several tiles of rows that lie alike
/// in a cache. Lines that are moved as they are take less in runs of eight.
pub(super) fn long_run(element: i64, as_they_are: bool) -> i64 {
    match element {
        _ if as_they_are => 2 * LONG_RUN,
        8 | 64 | 128 => LONG_RUN / 2,
        _ => LONG_RUN,
    }
}

/// Puts loops in an order, from the outermost to the innermost, where `src_len` bits of the source
/// and `dst_len` of the destination are moved within them.
///
/// Either side had better go on where it has been. What goes on in the destination comes first, until
/// that makes runs of `long_run` bits, and as long as no more places of the source are read in turn than can be
/// asked for ahead; then what goes on in the source, whatever the places of the destination.
pub(super) fn order(around: &mut Vec<Around>, mut src_len: i64, mut dst_len: i64, long_run: i64) {
    let mut n_sources = 1;
    around.sort_by_key(|l| std::cmp::Reverse(l.src.abs()));
    let mut inner = Vec::with_capacity(around.len() + 1);
    loop {
        let find = |fits: &dyn Fn(&Around) -> bool| around.iter().position(fits);
        let both = find(&|l| l.src == src_len && l.dst == dst_len);
        let next = find(&|l| l.dst == dst_len);
        let part = next.filter(|_| both.is_none()).map_or(0, |number| {
            let Around { count, src, .. } = around[number];
            let wanted = count.min(long_run / dst_len);
            wanted.min(most_sources(src, wanted.saturating_mul(n_sources)) / n_sources)
        });
        let along_dst = || if part > 1 { next } else { None };
        let along_src = || find(&|l| l.src == src_len);
        let Some(number) = both.or_else(along_dst).or_else(along_src) else { break };
        let l = match part > 1 && around[number].dst == dst_len {
            true => part_of(around, number, part),
            false => around.remove(number),
        };
        inner.push(l);
        if l.src == src_len {
            src_len = src_len.saturating_mul(l.count);
        } else {
            n_sources = n_sources.saturating_mul(l.count);
        }
        if l.dst == dst_len {
            dst_len = dst_len.saturating_mul(l.count);
        }
    }
    let places = |around: &[Around], stride: fn(&Around) -> i64, len: i64| {
        let inner = around.iter().rev().take_while(|l| stride(l) != len);
        inner.fold(1i64, |places, l| places.saturating_mul(l.count))
    };
    around.sort_by_key(|l| std::cmp::Reverse(l.dst.abs()));
    let in_dst_order = places(around, |l| l.src, src_len);
    around.sort_by_key(|l| std::cmp::Reverse(l.src.abs()));
    let in_src_order = places(around, |l| l.dst, dst_len);
    if in_dst_order < in_src_order {
        around.sort_by_key(|l| std::cmp::Reverse(l.dst.abs()));
    }
    around.extend(inner.into_iter().rev());
}

/// How many places of the source so many bits apart are read in turn, of so many: no more than the first cache has room for,
/// where their lines are those of a few sets.
pub(super) fn most_sources(step: i64, of: i64) -> i64 {
    let of = of.min(MOST_SOURCES);
    if of <= i64::from(WAYS) {
        return of;
    }
    let mut lines = [0u8; N_SETS];
    let (mut place, mut last) = (0i64, -1);
    for n in 0..of {
        let line = place >> LINE_SHIFT;
        let in_set = &mut lines[line as usize % N_SETS];
        if line != last {
            if *in_set == WAYS {
                return n;
            }
            *in_set += 1;
        }
        (place, last) = (place.wrapping_add(step), line);
    }
    of
}

/// Takes up to `part` steps out of loop `number`, as equal parts as can be; what is left of the loop
/// goes on in parts, the last of which shares elements with the one before.
pub(super) fn part_of(loops: &mut Vec<Around>, number: usize, part: i64) -> Around {
    let l = loops[number];
    let part = part.clamp(1, l.count);
    let count = (l.count + part - 1) / part;
    if count == 1 {
        return loops.remove(number);
    }
    let part = (l.count + count - 1) / count;
    let beyond = count * part - l.count;
    loops[number] = Around {
        count,
        src: l.src * part,
        dst: l.dst * part,
        src_back: l.src_back + beyond * l.src,
        dst_back: l.dst_back + beyond * l.dst,
    };
    Around { count: part, src_back: 0, dst_back: 0, ..l }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sets of 4 KiB have room for eight lines each.
    #[test]
    fn sources_have_room_in_the_first_cache() {
        let bytes = [4096, -8192, 4096 + 7, 2048, 1024, 5 * 4096 + 512, 4096 + 64, 64, 4, 0];
        let most = bytes.map(|step| most_sources(8 * step, 1000));
        // Seven bytes more than 4 KiB are ten rows that begin in the same set; 512 bytes are an eighth of the sets.
        assert_eq!(most, [8, 8, 8, 16, 32, 64, 128, 128, 128, 128]);
    }
}
