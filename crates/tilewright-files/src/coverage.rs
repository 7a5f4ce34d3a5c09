//! Which bytes of an array have been written.

use std::collections::BTreeMap;

/// Disjoint ranges of bytes, those that touch merged: one entry for an array written in order.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    end_by_start: BTreeMap<u64, u64>,
}

impl Coverage {
    /// Adds `start..end`; false, and nothing added, if part of it is there already.
    pub(crate) fn add(&mut self, start: u64, end: u64) -> bool {
        if start >= end {
            return true;
        }
        let before = self.end_by_start.range(..=start).next_back().map(|(&s, &e)| (s, e));
        let after = self.end_by_start.range(start..).next().map(|(&s, &e)| (s, e));
        if before.is_some_and(|(_, e)| e > start) || after.is_some_and(|(s, _)| s < end) {
            return false;
        }
        let merged_start = before.filter(|&(_, e)| e == start).map_or(start, |(s, _)| s);
        let merged_end = match after.filter(|&(s, _)| s == end) {
            Some((s, e)) => {
                self.end_by_start.remove(&s);
                e
            }
            None => end,
        };
        self.end_by_start.insert(merged_start, merged_end);
        true
    }

    /// How many bytes are there.
    pub(crate) fn total(&self) -> u64 {
        self.end_by_start.iter().map(|(start, end)| end.saturating_sub(*start)).sum()
    }

    /// How many bytes are there from the beginning on, without a gap.
    pub(crate) fn prefix(&self) -> u64 {
        self.end_by_start.get(&0).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn touching_ranges_merge() {
        let mut coverage = Coverage::default();
        for (start, end) in [(0, 2), (6, 8), (2, 4), (4, 6), (3, 3)] {
            assert!(coverage.add(start, end));
        }
        assert_eq!((coverage.end_by_start.len(), coverage.total(), coverage.prefix()), (1, 8, 8));
        for (start, end) in [(0, 1), (7, 9), (0, 100)] {
            assert!(!coverage.add(start, end));
        }
        assert_eq!(coverage.total(), 8);
    }

    proptest! {
        #[test]
        fn agrees_with_a_byte_per_byte(ranges in prop::collection::vec((0u64..40, 0u64..10), 0..40)) {
            let mut coverage = Coverage::default();
            let mut bytes = [false; 64];
            for (start, len) in ranges {
                let range = start as usize..(start + len) as usize;
                let free = bytes[range.clone()].iter().all(|&taken| !taken);
                prop_assert_eq!(coverage.add(start, start + len), free);
                if free {
                    bytes[range].fill(true);
                }
                prop_assert_eq!(coverage.total(), bytes.iter().filter(|&&taken| taken).count() as u64);
                let prefix = bytes.iter().take_while(|&&taken| taken).count() as u64;
                prop_assert_eq!(coverage.prefix(), prefix);
            }
        }
    }
}
