//! Comparing the arrays of two files, one pair after the other.

use std::collections::HashMap;
use std::rc::Rc;

use anyhow::Context;
use tilewright::ArrayShape;
use tilewright::notation::DescribedArray;
use tilewright::text::abridged;

use super::difference::Difference;
use super::passage::Passage;
use super::way::Way;
use super::window::Window;
use crate::crew::Crew;
use crate::input::{Input, Shapes};
use crate::lying::Lying;
use crate::memory::{Budget, Buffers};
use crate::progress::Progress;

/// Ways that are kept for further arrays of the same shapes: a file has few, and one that has many
/// would otherwise take memory for all of them.
const MOST_WAYS: usize = 256;

/// How many offsets are brought back to indices at a time.
const BATCH: usize = 4096;

/// How much is compared at a time while nothing differs.
const BLOCK: usize = 4096;

/// Two files, what is found to differ, and what is used again for every array.
pub(super) struct Comparing<'a> {
    files: [&'a Input; 2],
    shapes: [Shapes<'a>; 2],
    windows: [Window; 2],
    crew: &'a Crew,
    budget: Budget,
    progress: &'a dyn Progress,
    ways: HashMap<[String; 2], Rc<Way>>,
    /// The way of the last arrays. Those alike mostly follow each other.
    last: Option<([Rc<DescribedArray>; 2], Rc<Way>)>,
    buffers: [Buffers; 2],
    pub(super) differences: Vec<Difference>,
}

/// Why two arrays differ, and the first index at which they do.
type Reason = (String, Option<Vec<i64>>);

impl<'a> Comparing<'a> {
    pub(super) fn new(
        files: [&'a Input; 2],
        crew: &'a Crew,
        budget: Budget,
        progress: &'a dyn Progress,
    ) -> Self {
        let (shapes, windows) = (files.map(Shapes::new), Default::default());
        let (ways, buffers, differences) = Default::default();
        let last = None;
        Comparing {
            files,
            shapes,
            windows,
            crew,
            budget,
            progress,
            ways,
            last,
            buffers,
            differences,
        }
    }

    /// Compares the arrays of the same names, in the order of the first file, so that it is read from
    /// front to back: those that are `meant`, by their numbers in either file. How many names there are.
    pub(super) fn named(
        &mut self,
        meant: impl Fn([Option<usize>; 2]) -> bool,
    ) -> anyhow::Result<usize> {
        let [in_a, in_b] = self.files.map(|input| input.file().arrays());
        let mut others: HashMap<&str, usize> =
            (0..in_b.len()).map(|b| (in_b[b].name(), b)).collect();
        let mut count = 0;
        for (a, info) in in_a.iter().enumerate() {
            let b = others.remove(info.name());
            if !meant([Some(a), b]) {
                continue;
            }
            count += 1;
            match b {
                Some(b) => self.arrays(info.name(), [a, b])?,
                None => self.differs(info.name(), "is only in the first file", None),
            }
        }
        let mut others: Vec<usize> =
            others.into_values().filter(|&b| meant([None, Some(b)])).collect();
        others.sort_unstable();
        for &b in &others {
            self.differs(in_b[b].name(), "is only in the second file", None);
        }
        Ok(count + others.len())
    }

    /// That something differs.
    pub(super) fn differs(&mut self, name: &str, reason: &str, index: Option<Vec<i64>>) {
        let (name, reason) = (name.to_owned(), reason.to_owned());
        self.differences.push(Difference { name, reason, index });
    }

    /// The first index at which two arrays differ, looked at as these have them.
    pub(super) fn first_index(
        &mut self,
        arrays: [usize; 2],
        lying: [Lying; 2],
    ) -> anyhow::Result<Option<Vec<i64>>> {
        let dims = lying[0].map().dims().to_vec();
        let element_type = lying[0].element_type();
        // An array of another look at the same text would have the same elements in another order.
        let texts = lying.each_ref().map(|lying| format!("as codes: {}", lying.array()));
        let way = self.way_of(texts, || Ok(lying))?;
        let number = self.first_difference(&way, arrays)?;
        let bare = ArrayShape::new(element_type, &dims)?;
        Ok(number.map(|number| bare.multi_index(number)).transpose()?.flatten())
    }

    /// Compares two arrays, by their numbers, which together are called `name`.
    pub(super) fn arrays(&mut self, name: &str, arrays: [usize; 2]) -> anyhow::Result<()> {
        let reason = self.difference(arrays);
        let reason = reason.with_context(|| format!("tensor `{}`", abridged(name)))?;
        let found = |(reason, index)| Difference { name: name.to_owned(), reason, index };
        self.differences.extend(reason.map(found));
        Ok(())
    }

    fn difference(&mut self, arrays: [usize; 2]) -> anyhow::Result<Option<Reason>> {
        let [a, b] = &mut self.shapes;
        let shapes = [a.of(arrays[0])?, b.of(arrays[1])?];
        let way = match &self.last {
            Some((last, way)) if are_same(last, &shapes) => Rc::clone(way),
            _ => {
                let [bare_a, bare_b] = [shapes[0].bare()?, shapes[1].bare()?];
                if bare_a != bare_b {
                    let reason = format!("is {bare_a} in one and {bare_b} in the other");
                    return Ok(Some((reason, None)));
                }
                self.way(&shapes)?
            }
        };
        let number = self.first_difference(&way, arrays)?;
        let bare = shapes[0].bare()?;
        self.last = Some((shapes, way));
        let Some(number) = number else { return Ok(None) };
        let index = bare.multi_index(number)?.unwrap_or_default();
        Ok(Some((format!("differs at index {index:?}"), Some(index))))
    }

    fn way(&mut self, shapes: &[Rc<DescribedArray>; 2]) -> anyhow::Result<Rc<Way>> {
        let texts = shapes.each_ref().map(ToString::to_string);
        let lie = || Ok([Lying::of((*shapes[0]).clone())?, Lying::of((*shapes[1]).clone())?]);
        self.way_of(texts, lie)
    }

    /// The way of two arrays as they are looked at, which is the same for the same texts.
    fn way_of(
        &mut self,
        texts: [String; 2],
        lie: impl FnOnce() -> anyhow::Result<[Lying; 2]>,
    ) -> anyhow::Result<Rc<Way>> {
        if let Some(way) = self.ways.get(&texts) {
            return Ok(Rc::clone(way));
        }
        let [a, b] = lie()?;
        let bits = [&a, &b].map(|lying| lying.array().element_bits());
        let value_bits = if bits[0] == bits[1] { bits[0] } else { a.element_type().bits() };
        let way = Rc::new(Way::new([&a, &b], value_bits, self.budget)?);
        if self.ways.len() == MOST_WAYS {
            self.ways.clear();
        }
        self.ways.insert(texts, Rc::clone(&way));
        Ok(way)
    }

    /// The first element in row-major order that differs, by its number.
    fn first_difference(&mut self, way: &Way, arrays: [usize; 2]) -> anyhow::Result<Option<i64>> {
        self.make_room(way)?;
        let [buffers_a, buffers_b] = &mut self.buffers;
        let [window_a, window_b] = &mut self.windows;
        let [in_a, in_b] = [0, 1].map(|side| (self.files[side], arrays[side]));
        let mut a = Passage::new(in_a, &way.sides[0], self.crew, (buffers_a, window_a));
        let mut b = Passage::new(in_b, &way.sides[1], self.crew, (buffers_b, window_b));
        let mut first = First { way, number: None, offsets: Vec::new() };
        let mut told =
            Told::of(way, [in_a, in_b].map(|(input, n)| input.file().arrays()[n].byte_len()));
        loop {
            let place = a.place();
            let (ours, theirs) = (a.next_bytes()?, b.next_bytes()?);
            let len = ours.len().min(theirs.len());
            if len == 0 {
                self.progress.advance(told.rest())?;
                return first.finish();
            }
            first.look_at(place, &ours[..len], &theirs[..len])?;
            self.progress.advance(told.until(place + len))?;
            if way.is_row_major && first.number.is_some() {
                return first.finish();
            }
            a.advance(len);
            b.advance(len);
        }
    }

    /// Makes the buffers long enough for both arrays. If with what they have been long for they would
    /// take more than there is, that is given back first.
    fn make_room(&mut self, way: &Way) -> anyhow::Result<()> {
        let needs = way.sides.each_ref().map(|side| {
            (side.most_read, if side.plan.is_copy() { 0 } else { side.most_written() })
        });
        let grown =
            self.buffers.iter().zip(needs).map(|(held, (read, made))| held.with(read, made));
        let scratch = way.sides.iter().map(|side| side.workers * side.plan.scratch_bytes());
        let room = self.budget.bytes.saturating_sub(scratch.max().unwrap_or(0));
        if grown.fold(0, usize::saturating_add) > room {
            self.buffers = Default::default();
        }
        for (buffers, (read, made)) in self.buffers.iter_mut().zip(needs) {
            buffers.reset(read, made, usize::MAX)?;
        }
        Ok(())
    }
}

fn are_same(some: &[Rc<DescribedArray>; 2], others: &[Rc<DescribedArray>; 2]) -> bool {
    some.iter().zip(others).all(|(one, other)| Rc::ptr_eq(one, other))
}

/// How much of two arrays is told to be done: of both files' bytes as much as of the order's.
struct Told {
    bytes: u64,
    of_order: u128,
    told: u64,
}

impl Told {
    fn of(way: &Way, bytes: [u64; 2]) -> Self {
        let slots = u128::from(way.order.allocation().unsigned_abs());
        let of_order = (slots * way.width as u128).max(1);
        Told { bytes: bytes[0].saturating_add(bytes[1]), of_order, told: 0 }
    }

    /// How many bytes more are done when so many of the order are.
    fn until(&mut self, place: usize) -> u64 {
        let done = u128::from(self.bytes) * place as u128 / self.of_order;
        let done = u64::try_from(done).map_or(self.bytes, |done| done.clamp(self.told, self.bytes));
        done - std::mem::replace(&mut self.told, done)
    }

    fn rest(&mut self) -> u64 {
        self.bytes - std::mem::replace(&mut self.told, self.bytes)
    }
}

/// The first element that differs, as far as elements have been looked at.
struct First<'w> {
    way: &'w Way,
    /// Its number in row-major order.
    number: Option<i64>,
    /// Where elements that differ are, of those whose indices have not been asked for.
    offsets: Vec<i64>,
}

impl First<'_> {
    /// Looks at so many bytes from byte `place` of the order on.
    fn look_at(&mut self, place: usize, ours: &[u8], theirs: &[u8]) -> anyhow::Result<()> {
        let width = self.way.width.max(1);
        let block = BLOCK.next_multiple_of(width);
        if ours == theirs {
            return Ok(());
        }
        let blocks = ours.chunks(block).zip(theirs.chunks(block)).enumerate();
        for (number, (ours, theirs)) in blocks.filter(|(_, (ours, theirs))| ours != theirs) {
            let first = (place + number * block) / width;
            let pairs = ours.chunks(width).zip(theirs.chunks(width)).enumerate();
            for (slot, _) in pairs.filter(|(_, (ours, theirs))| ours != theirs) {
                self.offsets.push(i64::try_from(first + slot)?);
                if self.way.is_row_major {
                    return self.look_up();
                }
            }
            if self.offsets.len() >= BATCH {
                self.look_up()?;
            }
        }
        Ok(())
    }

    /// Asks for the indices of the offsets, and remembers the first.
    fn look_up(&mut self) -> anyhow::Result<()> {
        if self.offsets.is_empty() {
            return Ok(());
        }
        let dims = self.way.order.dims();
        let mut indices = vec![0; self.offsets.len() * dims.len()];
        self.way.order.indices_at(&self.offsets, &mut indices)?;
        let number = |index: &[i64]| {
            index.iter().zip(dims).fold(0i64, |number, (index, size)| number * size + index)
        };
        // Padding, whose indices are below 0, is the same on both sides.
        let numbers = indices.chunks(dims.len().max(1)).map(number).filter(|number| *number >= 0);
        // An array of rank 0 has no indices, but one element.
        let only = dims.is_empty().then_some(0);
        self.number = numbers.chain(only).chain(self.number).min();
        self.offsets.clear();
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<Option<i64>> {
        self.look_up()?;
        Ok(self.number)
    }
}
