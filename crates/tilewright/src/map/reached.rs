//! The different sums that a map's elements come to, where those are fewer than the elements.
//!
//! What dimensions add to the offset and to each merged coordinate is added up dimension by dimension, and so is every
//! part of a dimension whose digits are not tied to its others. Sums that are the same are taken once: where all of it goes to
//! one coordinate, as bits of a set, and else as a list.

use super::digit::Merged;
use super::{Digit, IndexMap, Source};

/// The most numbers that a set has room for.
const MOST_NUMBERS: i64 = 1 << 28;

/// The most words that are joined to make a set.
const MOST_WORDS: usize = 1 << 28;

/// The most sums that are put in order to make a list.
const MOST_LISTED: usize = 1 << 20;

/// What elements add to the merged coordinates and, last, to the offset.
type Sum = Vec<i64>;

/// A part of a dimension: every so many of its indices there is another step, so many times.
struct Part<'m> {
    step: i64,
    count: i64,
    /// The digits, with the number of what they add to.
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

    /// Sums of which one each, added to each other, are all that its steps add; no more than `most` of them.
    fn choices(&self, n_lists: usize, most: usize) -> Option<Vec<Vec<Sum>>> {
        let is_even = matches!(self.digits.as_slice(), [(_, digit)] if digit.divisor == self.step);
        if !is_even {
            let count = usize::try_from(self.count).ok().filter(|&count| count <= most)?;
            let mut steps: Vec<Sum> =
                (0..count as i64).map(|number| self.sum(number, n_lists)).collect();
            steps.sort_unstable();
            steps.dedup();
            return Some(vec![steps]);
        }
        // Twice as many steps with each choice.
        let (mut choices, mut done) = (Vec::new(), 1);
        while done < self.count {
            let more = done.min(self.count - done);
            choices.push(vec![vec![0; n_lists], self.sum(more, n_lists)]);
            done += more;
        }
        Some(choices)
    }
}

impl IndexMap {
    /// The largest offset of any element, of which there are some. `None` where there are too many different sums.
    pub(super) fn max_of_sums(&self) -> Option<i64> {
        let n_lists = self.merged.len() + 1;
        let parts: Vec<Part<'_>> =
            (0..self.dims.len()).flat_map(|dim| self.steps_along(dim)).collect();
        let mut choices = Vec::new();
        for part in &parts {
            choices.extend(part.choices(n_lists, MOST_LISTED)?);
        }
        let mut lists = parts.iter().flat_map(|part| &part.digits).map(|(list, _)| *list);
        let first = lists.next().unwrap_or(n_lists - 1);
        if !lists.all(|list| list == first) {
            let sums = listed(&choices, n_lists)?;
            let mut values = vec![0; self.merged.len()];
            return sums.iter().map(|sum| self.offset_of_sum(sum, &mut values)).max();
        }
        let of_list = |sums: &Vec<Sum>| sums.iter().map(|sum| sum[first]).collect();
        let numbers = Numbers::of(&choices.iter().map(of_list).collect::<Vec<Vec<i64>>>())?;
        let (mut sum, mut values) = (vec![0; n_lists], vec![0; self.merged.len()]);
        let offset = |number| {
            sum[first] = number;
            self.offset_of_sum(&sum, &mut values)
        };
        numbers.iter().map(offset).max()
    }

    /// The offset of the elements that add so much. `values` is room for those of the merged coordinates.
    fn offset_of_sum(&self, sum: &Sum, values: &mut [i64]) -> i64 {
        for (number, merged) in self.merged.iter().enumerate() {
            values[number] = merged.base + sum[number] + sum_of(&merged.digits, values);
        }
        self.base + sum[self.merged.len()] + sum_of(&self.digits, values)
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

/// The different sums of one of each of these choices.
fn listed(choices: &[Vec<Sum>], n_lists: usize) -> Option<Vec<Sum>> {
    let mut left = MOST_LISTED;
    let mut sums = vec![vec![0; n_lists]];
    for steps in choices {
        left = left.checked_sub(sums.len().checked_mul(steps.len())?)?;
        let plus = |step: &Sum| {
            let step = step.clone();
            move |sum: &Sum| sum.iter().zip(&step).map(|(a, b)| a + b).collect::<Sum>()
        };
        sums = steps.iter().flat_map(|step| sums.iter().map(plus(step))).collect();
        sums.sort_unstable();
        sums.dedup();
    }
    Some(sums)
}

/// A set of numbers from `lowest` on, as bits.
struct Numbers {
    lowest: i64,
    words: Vec<u64>,
}

impl Numbers {
    /// The different sums of one of each of these choices, none of which is empty.
    fn of(choices: &[Vec<i64>]) -> Option<Self> {
        let sum = |of: fn(&Vec<i64>) -> Option<i64>| {
            choices.iter().try_fold(0i64, |sum, steps| sum.checked_add(of(steps)?))
        };
        let lowest = sum(|steps| steps.iter().copied().min())?;
        let highest = sum(|steps| steps.iter().copied().max())?;
        let span = highest.checked_sub(lowest).filter(|&span| span < MOST_NUMBERS)?;
        let n_words = span as usize / 64 + 1;
        let n_steps: usize = choices.iter().map(Vec::len).sum();
        if n_words.checked_mul(n_steps)? > MOST_WORDS {
            return None;
        }
        let mut words = vec![0; n_words];
        words[0] = 1;
        for steps in choices {
            let least = steps.iter().copied().min()?;
            let mut joined = vec![0; n_words];
            for step in steps {
                add_shifted(&mut joined, &words, (step - least) as usize);
            }
            words = joined;
        }
        Some(Numbers { lowest, words })
    }

    fn iter(&self) -> impl Iterator<Item = i64> {
        let of_word = |(number, &word): (usize, &u64)| {
            let first = self.lowest + 64 * number as i64;
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| first + bit)
        };
        self.words.iter().enumerate().filter(|(_, word)| **word != 0).flat_map(of_word)
    }
}

/// Adds the numbers of a set, each so much greater, to one as long; what is beyond its end is left out.
fn add_shifted(to: &mut [u64], from: &[u64], by: usize) {
    let (words, bits) = (by / 64, by % 64);
    for (place, &word) in from.iter().enumerate() {
        if let Some(to) = to.get_mut(place + words) {
            *to |= word << bits;
        }
        if let Some(to) = to.get_mut(place + words + 1) {
            *to |= word >> 1 >> (63 - bits);
        }
    }
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

    /// 2²¹ - 1 sums of 2⁴⁰ elements: every number below that. Bit 4 flips bit 1.
    #[test]
    #[cfg_attr(miri, ignore = "two million numbers, one by one")]
    fn many_sums_to_one_coordinate() {
        let map = "Sw<1,1,3> o 0 o (1048576,1048576):(1,1)".parse::<Described>().unwrap();
        let last = (0..(1 << 21) - 1).map(|sum: i64| sum ^ (sum >> 3 & 2)).max();
        assert_eq!(map.index_map().unwrap().max_of_sums(), last);
    }

    #[test]
    fn too_many_sums_are_none() {
        let map = "Sw<2,3,3> o 0 o (1048576,1048576):(1048576,1)".parse::<Described>().unwrap();
        assert_eq!(map.index_map().unwrap().max_of_sums(), None);
    }
}
