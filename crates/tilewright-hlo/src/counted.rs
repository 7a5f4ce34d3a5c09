//! What the compiler itself counted: the reports that it writes beside a dumped module, and where the text's
//! count differs from them.
//!
//! ```text
//! Memory Space: default (color=0)                           *-memory-usage-report.txt
//! Total bytes: 11032064 (10.52MiB)
//!
//! allocation 6: size 4194304, page 0, maybe-live-out:       *-buffer-assignment.txt
//!  value: <95 all-reduce.3 @0> (size=4194304,offset=0): bf16[1024,2048]{1,0:T(8,128)(2,1)}
//! allocation 17: size 11534336, color 1, page 0, preallocated-temp:
//!
//!   InstructionSequence:                                    *-live-range.txt
//!     0:param.2
//!   BufferLiveRange:
//!     copy-start.1{0}:4-14
//! ```

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::live::{Alive, space_name};
use crate::report::Report;

/// The texts of the compiler's own reports, those that there are.
#[derive(Clone, Debug, Default)]
pub struct CompilerReports {
    /// Of `*-memory-usage-report.txt`.
    pub usage: Option<String>,
    /// Of `*-buffer-assignment.txt`.
    pub assignment: Option<String>,
    /// Of `*-live-range.txt`.
    pub live_ranges: Option<String>,
}

/// What a memory space is needed for by the text, and as the compiler counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// The memory space: `hbm`, `vmem`, `host`, or `S(n)`.
    pub space: String,
    /// All its bytes by the text: parameters, results, and temporaries at their peak.
    pub bytes: i64,
    /// All its bytes as the compiler counted, what lies between them included.
    pub compiler: i64,
    /// Parts of that, as far as the compiler says them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<CountedPart>,
    /// What is alive at the compiler's peak and not at that of the text, the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only_compiler: Vec<CountedBuffer>,
    /// What is alive at the text's peak and not at the compiler's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only_text: Vec<CountedBuffer>,
}

/// A part of what a memory space is needed for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CountedPart {
    /// `parameters`, `outputs`, `aliases`, `live` temporaries at their peak, or `temporaries` as they are packed.
    pub part: &'static str,
    /// The bytes by the text.
    pub bytes: i64,
    /// The bytes as the compiler counted.
    pub compiler: i64,
}

/// Something that only one of them counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CountedBuffer {
    /// Its name; in a tuple with the position, `name{1,0}`.
    pub name: String,
    /// Its bytes.
    pub bytes: i64,
}

/// So many buffers are named that only one of them counts.
const MAX_NAMED: usize = 8;

/// One part in this many is no difference.
const LEAST_SHARE: u64 = 1000;

impl CompilerReports {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.usage.is_none() && self.assignment.is_none() && self.live_ranges.is_none()
    }

    /// What the compiler counted for a module, beside what its text says: each memory space that it counted.
    ///
    /// ```
    /// use tilewright_hlo::{CompilerReports, Dump, Report};
    /// let text = "HloModule m, is_scheduled=true\nENTRY e {\n  ROOT p = f32[9,129]{1,0:T(8,128)} parameter(0)\n}\n";
    /// let usage = "Memory Space: default (color=0)\nTotal bytes: 32768 (32.0KiB)\n".to_owned();
    /// let reports = CompilerReports { usage: Some(usage), ..CompilerReports::default() };
    /// let counted = reports.beside(&Report::of(&Dump::read(text)));
    /// assert_eq!((&*counted[0].space, counted[0].bytes, counted[0].compiler), ("hbm", 32_768, 32_768));
    /// ```
    pub fn beside(&self, report: &Report) -> Vec<Counted> {
        let usage = self.usage.as_deref().map_or_else(BTreeMap::new, totals);
        let assigned = self.assignment.as_deref().map_or_else(Assigned::default, Assigned::read);
        let peaks = self.live_ranges.as_deref().map(|text| assigned.peaks(text));
        let mut spaces: BTreeMap<i64, i64> =
            assigned.spaces.iter().map(|(space, sums)| (*space, sums.all)).collect();
        spaces.extend(usage);
        let spaces = spaces.into_iter().map(|(number, compiler)| {
            let space = space_name(number);
            let need = report.need_of(&space, 0);
            let mut counted = Counted {
                bytes: need.bytes,
                compiler,
                parts: Vec::new(),
                only_compiler: Vec::new(),
                only_text: Vec::new(),
                space,
            };
            let mut parts = Vec::new();
            if let Some(sums) = assigned.spaces.get(&number) {
                parts.extend([
                    ("parameters", need.parameters, sums.parameters),
                    ("outputs", need.outputs, sums.outputs),
                    ("aliases", need.aliases, sums.aliases),
                    ("temporaries", need.temporaries, sums.temporaries),
                ]);
            }
            let none = CompilerPeak::default();
            if let Some(peaks) = &peaks {
                let peak = peaks.get(&number).unwrap_or(&none);
                parts.push(("live", need.temporaries, peak.bytes));
                // Without memory lent within fusions the text says this much.
                let mut own = report.peak.iter().flatten().filter(|own| own.space == counted.space);
                let most = own.next().map_or(0, |own| own.bytes).max(need.temporaries);
                let nearest = peak.bytes.clamp(need.temporaries, most);
                if nearest.abs_diff(peak.bytes) > peak.bytes.unsigned_abs() / LEAST_SHARE {
                    counted.differ(report, peak);
                }
            }
            let part = |(part, bytes, compiler)| CountedPart { part, bytes, compiler };
            let some =
                parts.into_iter().filter(|(_, bytes, compiler)| (*bytes, *compiler) != (0, 0));
            counted.parts = some.map(part).collect();
            counted
        });
        spaces.collect()
    }
}

impl Counted {
    /// Names what is only in one of the peaks. Both name a buffer after one of the values in it, not always the
    /// same, so what is of one size is one.
    fn differ(&mut self, report: &Report, peak: &CompilerPeak) {
        let own = report.peak.iter().flatten().find(|own| own.space == self.space);
        let own: &[Alive] = own.map_or(&[], |own| &own.alive);
        let own: Vec<(&str, i64)> = own.iter().map(|alive| (&*alive.name, alive.bytes)).collect();
        let theirs: Vec<(&str, i64)> =
            peak.alive.iter().map(|(name, bytes)| (&**name, *bytes)).collect();
        self.only_compiler = only(&theirs, &own);
        self.only_text = only(&own, &theirs);
    }
}

/// Those of these buffers for which there is none of the same size among the others.
fn only(these: &[(&str, i64)], others: &[(&str, i64)]) -> Vec<CountedBuffer> {
    let mut left: HashMap<i64, usize> = HashMap::new();
    for (_, bytes) in others {
        *left.entry(*bytes).or_default() += 1;
    }
    let alone = these.iter().filter(|(_, bytes)| match left.get_mut(bytes) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    });
    let named =
        |(name, bytes): &(&str, i64)| CountedBuffer { name: (*name).to_owned(), bytes: *bytes };
    alone.take(MAX_NAMED).map(named).collect()
}

/// The totals in the text of a memory usage report, by the number of the space.
fn totals(text: &str) -> BTreeMap<i64, i64> {
    let mut usage = BTreeMap::new();
    let mut space: Option<i64> = None;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("Memory Space:") {
            let color = line.rsplit_once("color=").map(|(_, rest)| rest.trim_end_matches(')'));
            space = color.and_then(|color| color.parse().ok());
        } else if let Some(total) = line.strip_prefix("Total bytes:") {
            let bytes = total.trim().split(' ').next().and_then(|bytes| bytes.parse().ok());
            usage.extend(space.take().zip(bytes));
        }
    }
    usage
}

/// The sums of a memory space in a buffer assignment.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    all: i64,
    parameters: i64,
    /// Results, those that take the memory of parameters included.
    outputs: i64,
    aliases: i64,
    temporaries: i64,
}

/// Where a value is.
#[derive(Clone, Copy, Debug)]
struct Place {
    allocation: u32,
    offset: i64,
    bytes: i64,
    space: i64,
}

/// A buffer assignment.
#[derive(Debug, Default)]
struct Assigned<'a> {
    spaces: BTreeMap<i64, Sums>,
    /// The values that are neither given nor results, by name.
    temporaries: HashMap<&'a str, Place>,
}

/// The most of a memory space that is alive at once, by the compiler's live ranges.
#[derive(Debug, Default)]
struct CompilerPeak {
    bytes: i64,
    alive: Vec<(String, i64)>,
}

impl<'a> Assigned<'a> {
    fn read(text: &'a str) -> Self {
        let mut assigned = Assigned::default();
        // The open allocation: its number and space, if it holds temporaries.
        let mut open = None;
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("allocation ") {
                open = assigned.allocation(rest);
            } else if let (Some(rest), Some((allocation, space))) =
                (line.trim_start().strip_prefix("value: <"), open)
            {
                let value = value(rest).map(|(name, bytes, offset)| {
                    (name, Place { allocation, offset, bytes, space })
                });
                assigned.temporaries.extend(value);
            }
        }
        assigned
    }

    /// `17: size 11534336, color 1, page 0, preallocated-temp:`. What memory of its own a thread has is in none.
    fn allocation(&mut self, text: &str) -> Option<(u32, i64)> {
        let (number, rest) = text.split_once(": size ")?;
        let (size, rest) = rest.split_once(',')?;
        let size: i64 = size.parse().ok()?;
        let has =
            |word: &str| rest.split(',').any(|part| part.trim().trim_end_matches(':') == word);
        if has("thread-local") {
            return None;
        }
        let color = rest.split(',').find_map(|part| part.trim().strip_prefix("color "));
        let space = color.and_then(|color| color.parse().ok()).unwrap_or(0);
        let is_parameter = rest.split(',').any(|part| part.trim().starts_with("parameter "));
        // The table of pointers that a tuple is is no array.
        let is_table = rest.contains("output shape is |(");
        let is_output = has("maybe-live-out") && !is_table;
        let sums = self.spaces.entry(space).or_default();
        let mut add = |sum: fn(&mut Sums) -> &mut i64, is: bool| {
            let sum = sum(sums);
            *sum = sum.saturating_add(if is { size } else { 0 });
        };
        add(|sums| &mut sums.all, true);
        add(|sums| &mut sums.parameters, is_parameter);
        add(|sums| &mut sums.outputs, is_output);
        add(|sums| &mut sums.aliases, is_output && is_parameter);
        let is_temporary = !is_parameter && !is_output && !is_table && !has("constant");
        add(|sums| &mut sums.temporaries, is_temporary);
        is_temporary.then(|| Some((number.parse().ok()?, space)))?
    }

    /// The peaks of all memory spaces by the text of live ranges.
    fn peaks(&self, text: &'a str) -> BTreeMap<i64, CompilerPeak> {
        let lines = text.lines().skip_while(|line| line.trim() != "BufferLiveRange:").skip(1);
        let ranges = lines.map_while(|line| {
            let (name, range) = line.trim().rsplit_once(':')?;
            let (from, to) = range.split_once('-')?;
            Some((name.strip_suffix("{}").unwrap_or(name), from.parse().ok()?, to.parse().ok()?))
        });
        let ranges = ranges
            .filter_map(|(name, from, to)| Some((name, from, to, *self.temporaries.get(name)?)));
        let ranges: Vec<(&str, u32, u32, Place)> = ranges.collect();
        let mut ends: Vec<(u32, bool, usize)> = Vec::new();
        for (number, (_, from, to, _)) in ranges.iter().enumerate() {
            // What ends at a time is there then.
            ends.extend([(*from, false, number), (*to, true, number)]);
        }
        ends.sort_unstable();
        // What is alive at each place: values that are one buffer are at one place.
        let mut places: HashMap<(u32, i64), BTreeMap<i64, usize>> = HashMap::new();
        let mut sums: BTreeMap<i64, (i64, i64, u32)> = BTreeMap::new();
        for (time, is_end, number) in ends {
            let place = ranges[number].3;
            let alive = places.entry((place.allocation, place.offset)).or_default();
            let before = alive.last_key_value().map_or(0, |(bytes, _)| *bytes);
            let n = alive.entry(place.bytes).or_default();
            *n = if is_end { n.saturating_sub(1) } else { *n + 1 };
            if *n == 0 {
                alive.remove(&place.bytes);
            }
            let after = alive.last_key_value().map_or(0, |(bytes, _)| *bytes);
            let (now, most, at) = sums.entry(place.space).or_default();
            *now = now.saturating_add(after).saturating_sub(before);
            if *now > *most {
                (*most, *at) = (*now, time);
            }
        }
        let peak = |(space, (_, bytes, at)): (i64, (i64, i64, u32))| {
            let alive = ranges
                .iter()
                .filter(|(_, from, to, place)| place.space == space && (*from..=*to).contains(&at));
            let mut alive: Vec<(String, i64)> =
                alive.map(|(name, .., place)| ((*name).to_owned(), place.bytes)).collect();
            alive.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            // Values at places that overlap without being the same are counted twice.
            let packed = self.spaces.get(&space).map_or(bytes, |sums| sums.temporaries);
            (space, CompilerPeak { bytes: bytes.min(packed), alive })
        };
        sums.into_iter().map(peak).collect()
    }
}

/// `95 copy-start.1{0} @1> (size=524288,offset=11010048): bf16[…]`: its name, bytes and offset.
fn value(text: &str) -> Option<(&str, i64, i64)> {
    let (name, rest) = text.split_once(" @")?;
    // Of one that a loop goes on with, ` (phi)` follows.
    let name = name.split(' ').nth(1)?;
    let (_, rest) = rest.split_once("(size=")?;
    let (size, rest) = rest.split_once(",offset=")?;
    let (offset, _) = rest.split_once(')')?;
    Some((name.strip_suffix("{}").unwrap_or(name), size.parse().ok()?, offset.parse().ok()?))
}
