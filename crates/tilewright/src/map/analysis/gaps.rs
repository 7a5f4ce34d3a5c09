//! Offsets that no element has.

use std::fmt;
use std::ops::Range;

use super::super::IndexMap;
use super::MAX_ENUMERATED;
use super::sharing::counted;
use crate::error::Error;

/// The offsets of an allocation that no element has, from [`IndexMap::gaps`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gaps {
    /// How many offsets no element has.
    pub total: i64,
    /// The first runs of such offsets, rising, each as long as it can be.
    pub runs: Vec<Range<i64>>,
}

impl Gaps {
    /// Whether the runs are all there are.
    pub fn is_complete(&self) -> bool {
        self.runs.iter().map(|run| run.end - run.start).sum::<i64>() == self.total
    }
}

impl IndexMap {
    /// The offsets of the [`allocation`](Self::allocation) that no element has: how many, and the
    /// first `max_runs` runs of them.
    ///
    /// ```
    /// use tilewright::Shape;
    /// let gaps = "f32[3,5]{1,0:T(2,2)}".parse::<Shape>()?.index_map()?.gaps(3)?;
    /// assert_eq!((gaps.total, &gaps.runs[..]), (9, &[9..10, 11..12, 14..16][..]));
    /// assert_eq!(gaps.to_string(), "9 offsets without an element: 9, 11, 14-15, …");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The total takes no look at elements where [`sharing`](Self::sharing) takes none.
    ///
    /// # Errors
    /// As [`sharing`](Self::sharing), and if the runs are not found within 2²⁴ elements or
    /// offsets.
    pub fn gaps(&self, max_runs: usize) -> Result<Gaps, Error> {
        let total = self.allocation - self.distinct_offsets()?;
        let mut list = List { total, left: total, runs: Vec::new(), max_runs };
        if list.is_full() {
            return Ok(list.gaps());
        }
        if self.elements > MAX_ENUMERATED && self.is_ordered {
            self.walk(&mut list)?;
            return Ok(list.gaps());
        }
        let mut offsets = self.enumerated()?;
        offsets.sort_unstable();
        let mut next = self.lowest_offset;
        for offset in offsets {
            list.push(next..offset);
            next = offset + 1;
        }
        list.push(next..self.lowest_offset + self.allocation);
        Ok(list.gaps())
    }

    /// Looks at one offset after the other.
    fn walk(&self, list: &mut List) -> Result<(), Error> {
        let start = self.lowest_offset;
        let end = start + self.allocation;
        let mut next = start;
        for offset in start..end.min(start.saturating_add(MAX_ENUMERATED)) {
            if list.is_full() {
                return Ok(());
            }
            if self.index(offset)?.is_some() {
                list.push(next..offset);
                next = offset + 1;
            }
        }
        if self.allocation <= MAX_ENUMERATED {
            list.push(next..end);
        }
        if list.is_full() { Ok(()) } else { Err(self.too_large()) }
    }
}

/// Gaps being listed.
struct List {
    total: i64,
    left: i64,
    runs: Vec<Range<i64>>,
    max_runs: usize,
}

impl List {
    fn is_full(&self) -> bool {
        self.left == 0 || self.runs.len() >= self.max_runs
    }

    fn push(&mut self, run: Range<i64>) {
        if !self.is_full() && run.start < run.end {
            self.left -= run.end - run.start;
            self.runs.push(run);
        }
    }

    fn gaps(self) -> Gaps {
        Gaps { total: self.total, runs: self.runs }
    }
}

impl fmt::Display for Gaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} without an element", counted(self.total, "offset"))?;
        for (place, run) in self.runs.iter().enumerate() {
            f.write_str(if place == 0 { ": " } else { ", " })?;
            match run.end - run.start {
                1 => write!(f, "{}", run.start)?,
                _ => write!(f, "{}-{}", run.start, run.end - 1)?,
            }
        }
        f.write_str(if self.is_complete() || self.runs.is_empty() { "" } else { ", …" })
    }
}
