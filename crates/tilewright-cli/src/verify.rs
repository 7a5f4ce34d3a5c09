//! `tilewright verify`: do two files hold the same arrays, whatever their layouts?

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;
use tilewright::ArrayShape;
use tilewright::xla::Layout;
use tilewright_files::Buffer;
use tilewright_relayout::{Placement, Plan, RunOptions};

use crate::Answer;
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::memory;

/// How much is compared at a time, where the layouts allow it.
const PIECE: usize = 64 << 20;

#[derive(Serialize)]
struct Report {
    equal: bool,
    arrays: usize,
    differences: Vec<Difference>,
}

#[derive(Serialize)]
struct Difference {
    name: String,
    reason: String,
    /// The first index whose elements differ, where it is the elements that do.
    index: Option<Vec<i64>>,
}

pub(crate) fn run(
    args: &VerifyArgs,
    strict: bool,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let a = input::open(&args.a, args.from_a.as_deref(), strict)?;
    let b = input::open(&args.b, args.from_b.as_deref(), strict)?;
    let report = compare(&a, &b)?;
    console.answer(&report, || described(&report))?;
    Ok(if report.equal { Answer::Yes } else { Answer::No })
}

fn compare(a: &Input, b: &Input) -> anyhow::Result<Report> {
    let pairs = pairs(a, b);
    let arrays = pairs.len();
    let mut differences = Vec::new();
    for (name, pair) in pairs {
        let difference = match pair {
            (Some(in_a), Some(in_b)) => difference((a, in_a), (b, in_b))?,
            (None, _) => Some(("is only in the second file".to_owned(), None)),
            (_, None) => Some(("is only in the first file".to_owned(), None)),
        };
        let found = |(reason, index)| Difference { name: name.to_owned(), reason, index };
        differences.extend(difference.map(found));
    }
    Ok(Report { equal: differences.is_empty(), arrays, differences })
}

type Pair = (Option<usize>, Option<usize>);

/// Arrays of the same name; the only arrays of two files whatever their names, since a .npy or
/// raw file's array has no name but the file's.
fn pairs<'a>(a: &'a Input, b: &'a Input) -> BTreeMap<&'a str, Pair> {
    let (in_a, in_b) = (a.file.arrays(), b.file.arrays());
    if let ([only], [_]) = (in_a, in_b) {
        return [(only.name(), (Some(0), Some(0)))].into();
    }
    let mut pairs: BTreeMap<&str, Pair> = BTreeMap::new();
    for (array, info) in in_a.iter().enumerate() {
        pairs.entry(info.name()).or_default().0 = Some(array);
    }
    for (array, info) in in_b.iter().enumerate() {
        pairs.entry(info.name()).or_default().1 = Some(array);
    }
    pairs
}

/// Why two arrays differ, if they do, and the first index at which they do.
fn difference(
    (a, in_a): (&Input, usize),
    (b, in_b): (&Input, usize),
) -> anyhow::Result<Option<(String, Option<Vec<i64>>)>> {
    let (shape_a, shape_b) = (a.shape(in_a)?, b.shape(in_b)?);
    let bare = |shape: &ArrayShape| shape.clone().without_layout();
    if bare(&shape_a) != bare(&shape_b) {
        let reason = format!("is {} in one and {} in the other", bare(&shape_a), bare(&shape_b));
        return Ok(Some((reason, None)));
    }
    let value_bits = match shape_a.element_bits() == shape_b.element_bits() {
        true => shape_a.element_bits(),
        false => shape_a.element_type().bits(),
    };
    let mut dense_a = Dense::new(a, in_a, &shape_a, value_bits)?;
    let mut dense_b = Dense::new(b, in_b, &shape_b, value_bits)?;
    let Some(byte) = dense_a.first_difference(&mut dense_b)? else { return Ok(None) };
    let width = usize::try_from(shape_a.element_type().storage_bits() / 8)?;
    let index = bare(&shape_a).multi_index(i64::try_from(byte / width)?)?.unwrap_or_default();
    Ok(Some((format!("differs at index {index:?}"), Some(index))))
}

/// An array's elements, row-major, each in whole bytes, of which `value_bits` are looked at: piece
/// by piece, as they are asked for.
struct Dense<'a> {
    input: &'a Input,
    array: usize,
    plan: Plan,
    source: Buffer,
    /// The bytes that are there now, and where they begin.
    piece: Buffer,
    start: usize,
}

impl<'a> Dense<'a> {
    fn new(
        input: &'a Input,
        array: usize,
        shape: &ArrayShape,
        value_bits: u32,
    ) -> anyhow::Result<Self> {
        let dense = shape.clone().with_layout(Layout::descending(shape.rank()))?;
        let [from, to] = [Placement::from_shape(shape)?, Placement::from_shape(&dense)?];
        let plan = Plan::with_value_bits(&from, &to, value_bits)?;
        Ok(Dense { input, array, plan, source: Buffer::new(), piece: Buffer::new(), start: 0 })
    }

    /// The first byte that differs from the other's.
    fn first_difference(&mut self, other: &mut Dense<'_>) -> anyhow::Result<Option<usize>> {
        let mut chunk = 0;
        while chunk < self.plan.n_chunks() {
            let end = self.piece_end(chunk);
            self.fetch(chunk..end)?;
            let mut at = self.start;
            while at < self.start + self.piece.len() {
                let theirs = other.from(at)?;
                let ours = &self.piece[at - self.start..];
                let len = ours.len().min(theirs.len());
                if let Some(place) = (0..len).find(|&i| ours[i] != theirs[i]) {
                    return Ok(Some(at + place));
                }
                at += len.max(1);
            }
            chunk = end;
        }
        Ok(None)
    }

    /// What is there from this byte on, fetched if it has to be.
    fn from(&mut self, byte: usize) -> anyhow::Result<&[u8]> {
        if !(self.start..self.start + self.piece.len()).contains(&byte) {
            let first = byte / self.plan.chunk_bytes(0).len().max(1);
            self.fetch(first..self.piece_end(first))?;
        }
        Ok(&self.piece[byte - self.start..])
    }

    /// One past the last chunk that is fetched together with this one.
    fn piece_end(&self, first: usize) -> usize {
        let chunks = PIECE / self.plan.chunk_bytes(first).len().max(1);
        (first + chunks.max(1)).min(self.plan.n_chunks())
    }

    fn fetch(&mut self, chunks: Range<usize>) -> anyhow::Result<()> {
        let span = self.plan.source_span(chunks.clone());
        memory::reset(&mut self.source, span.len())?;
        self.input.file.read_at(self.array, span.start as u64, &mut self.source)?;
        self.start = self.plan.chunk_bytes(chunks.start).start;
        let end = self.plan.chunk_bytes(chunks.end - 1).end;
        memory::reset(&mut self.piece, end - self.start)?;
        let options = RunOptions::default();
        Ok(self.plan.run_chunks(chunks, &self.source, span.start, &mut self.piece, &options)?)
    }
}

fn described(report: &Report) -> String {
    if report.equal {
        let arrays = if report.arrays == 1 { "array" } else { "arrays" };
        return format!("equal: {} {arrays}", report.arrays);
    }
    let lines: Vec<String> = report
        .differences
        .iter()
        .map(|difference| format!("`{}` {}", difference.name, difference.reason))
        .collect();
    lines.join("\n")
}
