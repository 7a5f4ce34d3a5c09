//! Rearranging elements that are at hand: squares transposed, rows zipped and unzipped.
//!
//! Elements below a word are moved several at a time, as lanes of a number. This is plain integer
//! arithmetic, of a form that compilers turn into vector instructions.

/// The columns of a block as rows.
pub(crate) fn transposed<const N: usize, const B: usize>(
    rows: &[[[u8; N]; B]; B],
) -> [[[u8; N]; B]; B] {
    let mut columns = [[[0u8; N]; B]; B];
    match N {
        1 if B >= 8 => transpose_words::<N, B, 8>(rows, &mut columns),
        2 => transpose_words::<N, B, 4>(rows, &mut columns),
        _ => {
            for (place, column) in columns.iter_mut().enumerate() {
                column.iter_mut().zip(rows).for_each(|(to, row)| *to = row[place]);
            }
        }
    }
    columns
}

/// Transposes a block in squares of `L` by `L` elements, each row of which is one 64-bit word.
fn transpose_words<const N: usize, const B: usize, const L: usize>(
    rows: &[[[u8; N]; B]; B],
    columns: &mut [[[u8; N]; B]; B],
) {
    for (i, rows) in rows.as_chunks::<L>().0.iter().enumerate() {
        for (j, columns) in columns.as_chunks_mut::<L>().0.iter_mut().enumerate() {
            let words = swap_lanes(rows.each_ref().map(|row| word::<N, B>(row, j)));
            for (column, word) in columns.iter_mut().zip(words) {
                let place = column.as_flattened_mut().as_chunks_mut::<8>().0.get_mut(i);
                place.into_iter().for_each(|place| *place = word.to_le_bytes());
            }
        }
    }
}

fn word<const N: usize, const B: usize>(row: &[[u8; N]; B], number: usize) -> u64 {
    let words = row.as_flattened().as_chunks::<8>().0;
    words.get(number).map_or(0, |word| u64::from_le_bytes(*word))
}

/// Transposes `L` words of `L` lanes: swaps the off-diagonal quarters of ever smaller squares.
#[inline(always)]
fn swap_lanes<const L: usize>(mut words: [u64; L]) -> [u64; L] {
    let lane = 64 / L;
    let mut half = L / 2;
    while half > 0 {
        let shift = half * lane;
        // Every other run of `half` lanes, the lowest among them.
        let low = u64::MAX / ((1 << shift) + 1);
        for first in (0..L).filter(|place| place & half == 0) {
            let (a, b) = (words[first], words[first + half]);
            let swapped = (a >> shift ^ b) & low;
            words[first] = a ^ swapped << shift;
            words[first + half] = b ^ swapped;
        }
        half /= 2;
    }
    words
}

/// Element `j` of row `k` becomes element `k` of group `j`. Blocks of 16 columns at a time, whose
/// fixed size lets the compiler use whole registers.
pub(crate) fn zip_rows<const N: usize, const K: usize>(
    rows: [&[[u8; N]]; K],
    groups: &mut [[[u8; N]; K]],
) {
    const B: usize = 16;
    let blocks = rows.map(|row| row.as_chunks::<B>().0);
    let (to_blocks, rest) = groups.as_chunks_mut::<B>();
    for (number, to) in to_blocks.iter_mut().enumerate() {
        let mut from = [&[[0; N]; B]; K];
        for (from, blocks) in from.iter_mut().zip(blocks) {
            let Some(block) = blocks.get(number) else { return };
            *from = block;
        }
        zip_block(from, to);
    }
    let done = to_blocks.len() * B;
    for (place, row) in rows.iter().enumerate() {
        let row = row.get(done..).unwrap_or_default();
        rest.iter_mut().zip(row).for_each(|(group, element)| group[place] = *element);
    }
}

/// Zips `K` times `B` elements. A group that makes a word is put together as one, which the
/// compiler does for several groups at a time.
#[inline(always)]
fn zip_block<const N: usize, const K: usize, const B: usize>(
    rows: [&[[u8; N]; B]; K],
    groups: &mut [[[u8; N]; K]; B],
) {
    for (j, group) in groups.iter_mut().enumerate() {
        match N * K {
            4 => {
                let word =
                    (0..K).fold(0, |word, k| word | (number(rows[k][j]) as u32) << (8 * N * k));
                set_bytes(group.as_flattened_mut(), word.to_le_bytes());
            }
            8 => {
                let word = (0..K).fold(0, |word, k| word | number(rows[k][j]) << (8 * N * k));
                set_bytes(group.as_flattened_mut(), word.to_le_bytes());
            }
            _ => group.iter_mut().zip(rows).for_each(|(to, row)| *to = row[j]),
        }
    }
}

/// Element `place` of every group. As [`zip_block`], by words where groups make one.
#[inline(always)]
pub(crate) fn unzip_row<const N: usize, const K: usize>(
    groups: &[[[u8; N]; K]],
    place: usize,
    row: &mut [[u8; N]],
) {
    let shift = 8 * N * place;
    match N * K {
        4 => row.iter_mut().zip(groups).for_each(|(to, group)| {
            set_bytes(to, (u32::from_le_bytes(first_bytes(group)) >> shift).to_le_bytes());
        }),
        8 => row.iter_mut().zip(groups).for_each(|(to, group)| {
            set_bytes(to, (u64::from_le_bytes(first_bytes(group)) >> shift).to_le_bytes());
        }),
        _ => row.iter_mut().zip(groups).for_each(|(to, group)| *to = group[place]),
    }
}

#[inline(always)]
fn first_bytes<const N: usize, const K: usize, const W: usize>(group: &[[u8; N]; K]) -> [u8; W] {
    group.as_flattened().first_chunk().copied().unwrap_or([0; W])
}

/// The element as a little-endian number, as far as 64 bits go.
#[inline(always)]
fn number<const N: usize>(element: [u8; N]) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(element).for_each(|(to, from)| *to = from);
    u64::from_le_bytes(bytes)
}

#[inline(always)]
fn set_bytes<const W: usize>(place: &mut [u8], bytes: [u8; W]) {
    place.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered<const N: usize>(n: usize) -> [u8; N] {
        (n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()[8 - N..].try_into().unwrap()
    }

    fn check_square<const N: usize, const B: usize>() {
        let rows: [[[u8; N]; B]; B] =
            std::array::from_fn(|i| std::array::from_fn(|j| numbered(i * B + j)));
        let columns = transposed(&rows);
        for (i, j) in (0..B * B).map(|n| (n / B, n % B)) {
            assert_eq!(columns[i][j], rows[j][i], "({i},{j}) of {B} x {B}, {N} bytes each");
        }
    }

    #[test]
    fn squares_are_transposed() {
        check_square::<1, 4>();
        check_square::<1, 8>();
        check_square::<1, 64>();
        check_square::<2, 4>();
        check_square::<2, 32>();
        check_square::<4, 16>();
        check_square::<8, 8>();
    }

    fn check_zip<const N: usize, const K: usize>() {
        for length in [0, 1, 15, 16, 50] {
            let row = |k| (0..length).map(|j| numbered(k * length + j)).collect::<Vec<[u8; N]>>();
            let rows: [Vec<[u8; N]>; K] = std::array::from_fn(row);
            let mut groups = vec![[[0; N]; K]; length];
            zip_rows(rows.each_ref().map(|row| &row[..]), &mut groups);
            for (k, row) in rows.iter().enumerate() {
                assert!(row.iter().zip(&groups).all(|(element, group)| group[k] == *element));
                let mut back = vec![[0; N]; length];
                unzip_row(&groups, k, &mut back);
                assert_eq!(back, *row, "row {k} of {K}, {N} bytes each");
            }
        }
    }

    #[test]
    fn rows_are_zipped_and_unzipped() {
        check_zip::<1, 2>();
        check_zip::<1, 4>();
        check_zip::<1, 8>();
        check_zip::<2, 2>();
        check_zip::<2, 4>();
        check_zip::<4, 2>();
        check_zip::<8, 4>();
    }
}
