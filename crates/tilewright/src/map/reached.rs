//! The different sums that a map's elements come to, where those are fewer than the elements.
//!
//! What dimensions add to the offset and to each merged coordinate is added up dimension by dimension, and so is every
//! part of a dimension whose digits are not tied to its others. Sums that are the same are taken once.

use super::digit::Merged;
use super::{Digit, IndexMap, Source};

/// The most different sums, and the most indices of a dimension that are gone through.
const MOST: usize = 1 << 18;

/// What elements add to each of the lists that take something of dimensions, in its place; the last is the offset's.
type Sum = Vec<i64>;

/// A part of a dimension: every so many of its indices there is another step, so many times.
struct Part<'m> {
    step: i64,
    count: i64,
    /// The digits, with the number of their list.
    digits: Vec<(usize, &'m Digit)>,
}

impl Part<'_> {
    /// What one of its steps adds.
    fn sum(&self, number: i64, n_lists: usize) -> Sum {
        let mut sum = vec![0; n_lists];
        for (list, digit) in &self.digits {
            sum[*list] += digit.value(number * self.step) * digit.stride;
        }
        sum
    }

    /// Whether all its steps add the same.
    fn is_even(&self) -> bool {
        matches!(self.digits.as_slice(), [(_, digit)] if digit.divisor == self.step)
    }
}

impl IndexMap {
    /// The largest offset of any element, of which there are some. `None` where there are too many different sums.
    pub(super) fn max_of_sums(&self) -> Option<i64> {
        let n_lists = self.merged.len() + 1;
        let mut sums: Vec<Sum> = vec![vec![0; n_lists]];
        for dim in 0..self.dims.len() {
            for part in self.steps_along(dim) {
                sums = with_part(sums, &part, n_lists)?;
            }
        }
        let offset = |sum: &Sum| {
            let mut values = vec![0; self.merged.len()];
            for (number, merged) in self.merged.iter().enumerate() {
                values[number] = merged.base + sum[number] + sum_of(&merged.digits, &values);
            }
            self.base + sum[n_lists - 1] + sum_of(&self.digits, &values)
        };
        sums.iter().map(offset).max()
    }

    /// The parts of a dimension, each of which has all its steps with every step of the others. Where there is no
    /// telling, that is all of it.
    fn steps_along(&self, dim: usize) -> Vec<Part<'_>> {
        let size = self.dims[dim];
        let lists = self.merged.iter().map(Merged::digits).chain([&*self.digits]);
        let mut digits: Vec<(usize, &Digit)> = lists
            .enumerate()
            .flat_map(|(list, digits)| digits.iter().map(move |digit| (list, digit)))
            .filter(|(_, digit)| digit.source == Source::Dim(dim) && digit.stride != 0)
            .collect();
        digits.sort_by_key(|(_, digit)| digit.divisor);
        let end = |digit: &Digit| digit.end().map_or(size, |end| end.min(size));
        let mut parts: Vec<Part<'_>> = Vec::new();
        let mut last = 1;
        let mut are_apart = true;
        for &(list, digit) in &digits {
            match parts.last_mut().filter(|_| digit.divisor < last) {
                Some(part) => part.digits.push((list, digit)),
                None => {
                    are_apart &= digit.divisor % last == 0;
                    parts.push(Part { step: digit.divisor, count: 1, digits: vec![(list, digit)] });
                }
            }
            last = last.max(end(digit));
            if let Some(part) = parts.last_mut() {
                are_apart &= last % part.step == 0;
                part.count = last / part.step;
            }
        }
        match are_apart && size % last == 0 {
            true => parts,
            false => vec![Part { step: 1, count: size, digits }],
        }
    }
}

/// Sums with each step of a part.
fn with_part(sums: Vec<Sum>, part: &Part<'_>, n_lists: usize) -> Option<Vec<Sum>> {
    let mut sums = sums;
    if part.is_even() {
        // Twice as many steps at a time.
        let mut done = 1;
        while done < part.count {
            let more = done.min(part.count - done);
            let beyond = part.sum(more, n_lists);
            sums = merged(&sums, &[vec![0; n_lists], beyond])?;
            done += more;
        }
        return Some(sums);
    }
    if part.count > MOST as i64 {
        return None;
    }
    let mut steps: Vec<Sum> = (0..part.count).map(|number| part.sum(number, n_lists)).collect();
    steps.sort_unstable();
    steps.dedup();
    merged(&sums, &steps)
}

/// The different sums of one of these and one of those.
fn merged(sums: &[Sum], steps: &[Sum]) -> Option<Vec<Sum>> {
    let mut all = Vec::new();
    for step in steps {
        let plus = |sum: &Sum| sum.iter().zip(step).map(|(a, b)| a + b).collect::<Sum>();
        all.extend(sums.iter().map(plus));
        if all.len() > 2 * MOST {
            all.sort_unstable();
            all.dedup();
        }
        if all.len() > MOST && steps.len() > 2 {
            return None;
        }
    }
    all.sort_unstable();
    all.dedup();
    (all.len() <= MOST).then_some(all)
}

/// What digits of merged coordinates come to where these have such values.
fn sum_of(digits: &[Digit], merged: &[i64]) -> i64 {
    let term = |digit: &Digit| match digit.source {
        Source::Merged(number) => digit.value(merged[number]) * digit.stride,
        Source::Dim(_) => 0,
    };
    digits.iter().map(term).sum()
}

#[cfg(test)]
mod tests {
    use crate::notation::Described;

    /// The largest sum is the largest offset, with tiles that straddle dimensions and ends that are not full.
    #[test]
    fn the_largest_sum_is_the_last_element() {
        let tiles = ["(2,*,3)", "(*,4)(3)", "(5,2)(*,3)", "(*,*,4)", "(3,2)(2,*,1)", "(4)(*,3)(2)"];
        let swizzled =
            ["Sw<2,0,2> o 3 o (5,(3,4)):(7,(0,2))", "Sw<1,1,2> o 0 o ((2,7),3):((1,3),5)"];
        let shapes = ["3,5,4", "7,2,6", "1,9,5", "4,4,4"].iter().flat_map(|dims| {
            tiles.iter().map(move |tiles| format!("u8[{dims}]{{2,1,0:T(2,2,3){tiles}}}"))
        });
        let mut n_merged = 0;
        for text in shapes.chain(swizzled.map(str::to_owned)) {
            let map = text.parse::<Described>().unwrap().index_map().unwrap();
            let last = map.offsets().unwrap().into_iter().max();
            assert_eq!(map.max_of_sums(), last, "{text}");
            n_merged += usize::from(!map.merged.is_empty());
        }
        assert!(n_merged > 10, "{n_merged}");
    }

    #[test]
    fn too_many_sums_are_none() {
        let map = "Sw<2,3,3> o 0 o (1048576,16):(16,1)".parse::<Described>().unwrap();
        assert_eq!(map.index_map().unwrap().max_of_sums(), None);
    }
}
