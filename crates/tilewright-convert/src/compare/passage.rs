//! One of two arrays on its way to be compared.

use std::ops::Range;

use tilewright_relayout::RunOptions;

use crate::crew::Crew;
use crate::cut::{Together, bytes_of};
use crate::input::Input;
use crate::memory::Buffers;

use super::window::Window;

/// An array that is read and moved part by part, as the parts are asked for.
pub(super) struct Passage<'a> {
    input: &'a Input,
    array: usize,
    way: &'a Together<'static>,
    options: RunOptions<'a>,
    buffers: &'a mut Buffers,
    window: &'a mut Window,
    groups: Box<dyn Iterator<Item = Range<usize>> + 'a>,
    parts: Box<dyn Iterator<Item = Range<usize>> + 'a>,
    /// The bytes of the source that are there.
    source: Range<usize>,
    /// The bytes of the order that are there.
    part: Range<usize>,
    /// How many of these have been looked at.
    done: usize,
}

impl<'a> Passage<'a> {
    /// The buffers hold what a group reads and what a part makes of it.
    pub(super) fn new(
        (input, array): (&'a Input, usize),
        way: &'a Together<'static>,
        crew: &'a Crew,
        (buffers, window): (&'a mut Buffers, &'a mut Window),
    ) -> Self {
        Passage {
            input,
            array,
            way,
            options: RunOptions { threads: crew.threads(way.workers), ..RunOptions::default() },
            buffers,
            window,
            groups: Box::new(way.groups()),
            parts: Box::new(std::iter::empty()),
            source: 0..0,
            part: 0..0,
            done: 0,
        }
    }

    /// Where in the order the bytes are that come next.
    pub(super) fn place(&self) -> usize {
        self.part.start + self.done
    }

    /// The bytes that come next, as many as are there. None are the end.
    pub(super) fn next_bytes(&mut self) -> anyhow::Result<&[u8]> {
        while self.done == self.part.len() {
            match self.parts.next() {
                Some(part) => self.make(part)?,
                None => match self.groups.next() {
                    Some(group) => self.read(group)?,
                    None => return Ok(&[]),
                },
            }
        }
        let (bytes, from) = match self.way.plan.is_copy() {
            true => (&self.buffers.source, self.part.start - self.source.start),
            false => (&self.buffers.target, 0),
        };
        let bytes = bytes.get(from + self.done..from + self.part.len());
        Ok(bytes.unwrap_or_default())
    }

    /// So many bytes have been looked at.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.done += bytes;
    }

    fn read(&mut self, group: Range<usize>) -> anyhow::Result<()> {
        let span = self.way.plan.source_span(group.clone());
        let room = self.buffers.source.get_mut(..span.len()).unwrap_or_default();
        self.window.read(self.input.file(), self.array, span.start as u64, room)?;
        self.source = span;
        self.parts = Box::new(self.way.parts(group));
        Ok(())
    }

    /// Moves the chunks of a part, unless they are the source's bytes already.
    fn make(&mut self, part: Range<usize>) -> anyhow::Result<()> {
        let plan = &*self.way.plan;
        (self.part, self.done) = (bytes_of(plan, &part), 0);
        if plan.is_copy() {
            return Ok(());
        }
        let source = self.buffers.source.get(..self.source.len()).unwrap_or_default();
        let target = self.buffers.target.get_mut(..self.part.len()).unwrap_or_default();
        Ok(plan.run_chunks(part, source, self.source.start, target, &self.options)?)
    }
}
