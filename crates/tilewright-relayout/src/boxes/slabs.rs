//! One box in slabs, each some steps of one of its loops, for threads that share an array of which chunks would read the same lines
//! of the source, or be moved less well.
//!
//! ```text
//!        filters to {0,1,3,2}        chunks               slabs
//!  source   o × (i h w)          all read all of it    a part of o each
//!  destination   (h w) × i × o   a part of h w each    part of every row
//! ```

use super::BoxMoves;
use crate::kernels::{Begin, Cut, LINE_BITS, Slabs, Wanted};
use crate::nest::{Loop, Nest};
use crate::ready::{Fill, Ready};
use crate::run::{Crew, write_parts};
use crate::work::SourcePart;

/// The most lines that are touched again, because their slots are of several slabs, for each that there is.
const MOST_AGAIN: f64 = 0.3;

/// A line that two threads write to costs as much as so many that both read.
const WRITTEN: f64 = 2.0;

/// Lines that follow each other but are of several slabs, as this part of one that is touched again: memory is slow to begin.
const BEGUN: f64 = 0.25;

/// A part of the threads' time that is not used, if slabs do not come out even: one in so many.
const UNEVEN: i64 = 4;

/// How many of the loops that a box may be cut along are tried.
const TRIES: usize = 3;

/// The moves of an array that is one box, in slabs of it.
#[derive(Clone, Debug)]
pub(crate) struct InSlabs {
    /// What fills padding.
    first: Ready,
    slabs: Slabs,
    /// What fills padding that slabs go over.
    last: Ready,
}

impl InSlabs {
    #[cfg(test)]
    pub(crate) fn n(&self) -> usize {
        self.slabs.n()
    }

    /// The bytes that they have allocated.
    pub(crate) fn held_bytes(&self) -> usize {
        self.first.held_bytes() + self.slabs.held_bytes() + self.last.held_bytes()
    }
}

impl BoxMoves {
    /// The same moves in about so many slabs for so many threads; `None` if there is more than a box, or it has no loop along which
    /// slabs would share few lines and take no more than so many cycles together.
    pub(crate) fn in_slabs(&self, threads: usize, n: usize, most_cycles: f64) -> Option<InSlabs> {
        let [only] = self.boxes.as_slice() else { return None };
        if !self.is_injective || self.is_streamed() && self.is_staged {
            return None;
        }
        let (nest, all) = (only.nest(), 0..self.allocation);
        let mut pieces = Vec::new();
        self.cut(&self.within(&all), &mut pieces);
        let fill = self.fill_first(&all, &pieces).filter(|fill| !matches!(fill, Fill::All(_)))?;
        let wanted = Wanted {
            loops: &nest.loops,
            slots: self.slots,
            begin: Begin::Bytes,
            first: nest.src,
            target: self.target(),
            level: self.level,
        };
        let cuts = self.cuts(nest, threads as i64, n as i64);
        let slabs = cuts.into_iter().take(TRIES).find_map(|cut| {
            let slabs = Slabs::of(wanted, nest.dst, cut)?;
            (slabs.cycles() + self.written_cycles() <= most_cycles).then_some(slabs)
        });
        let first = Ready::new(fill, Vec::new(), Vec::new());
        let last = Ready::new(Fill::Nothing, Vec::new(), self.places_beyond(&all)?);
        Some(InSlabs { first, slabs: slabs?, last })
    }

    /// Writes all of a destination in slabs; nothing, if the sides are not as long as those that were planned for.
    pub(crate) fn write_slabs(
        &self,
        InSlabs { first, slabs, last }: &InSlabs,
        crew: &Crew<'_>,
        src: SourcePart<'_>,
        dst: &mut [u8],
        pad: u128,
    ) -> bool {
        let bytes = dst.len();
        let Some(mut over) = slabs.over(src.bytes, src.start, dst) else { return false };
        first.run(&self.movers, self.level, src, over.dst(), pad, self.widths.to);
        write_parts(over.each(), bytes, crew, |work, slab| slab.run(work.means, &mut work.loops));
        last.run(&self.movers, self.level, src, over.dst(), pad, self.widths.to);
        true
    }

    /// Where a nest had best be cut for so many slabs, or for fewer, the best first: where the fewest threads have
    /// nothing to do, and of these where the fewest lines are touched again.
    fn cuts(&self, nest: &Nest, threads: i64, n: i64) -> Vec<Cut> {
        let cut = |(along, l): (usize, &Loop)| {
            let src = Strides::of(nest, along, self.slots.src, |l| l.src);
            let dst = Strides::of(nest, along, self.slots.dst, |l| l.dst);
            let in_bytes = src.steps_to(8).max(dst.steps_to(8));
            let in_lines = dst.steps_to(LINE_BITS).max(in_bytes);
            let in_all_lines = src.steps_to(LINE_BITS).max(in_lines);
            let are_even = |steps: i64, n: i64| {
                let (slabs, threads) = (parts(l.extent, steps), threads.min(n));
                let used = (parts(slabs, threads) * threads).saturating_mul(steps);
                slabs >= threads && used <= l.extent + l.extent / UNEVEN
            };
            let of = |n: i64| {
                let rounded = |to: i64| parts(parts(l.extent, n), to) * to;
                let all = [in_all_lines, in_lines, in_bytes].map(rounded);
                let steps = all.into_iter().find(|&steps| are_even(steps, n))?;
                let again = src.again(steps) + WRITTEN * dst.again(steps);
                let idle = threads - parts(l.extent, steps).min(threads);
                (again <= MOST_AGAIN).then_some((idle, again, Cut { along, steps }))
            };
            std::iter::successors(Some(n), |n| Some(n / 2).filter(|&fewer| fewer > 1)).find_map(of)
        };
        let mut cuts: Vec<(i64, f64, Cut)> =
            nest.loops.iter().enumerate().filter_map(cut).collect();
        cuts.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        cuts.into_iter().map(|(_, _, cut)| cut).collect()
    }
}

/// How many parts of so many there are, the last of which may have fewer.
fn parts(all: i64, each: i64) -> i64 {
    all / each + i64::from(all % each != 0)
}

/// The stride of a loop on one side, and those of the loops around it there, in bits.
struct Strides {
    own: i64,
    around: Vec<i64>,
}

impl Strides {
    fn of(nest: &Nest, along: usize, slot: i64, stride: fn(&Loop) -> i64) -> Self {
        let in_bits = |l: &Loop| stride(l).saturating_abs().saturating_mul(slot);
        let own = nest.loops.get(along).map_or(0, in_bits);
        Strides { own, around: nest.loops.iter().map(in_bits).filter(|&bits| bits > own).collect() }
    }

    /// The fewest steps that are a multiple of so many bits, a power of two; of a loop that stands still, one.
    fn steps_to(&self, bits: i64) -> i64 {
        bits >> self.own.trailing_zeros().min(bits.trailing_zeros())
    }

    /// How many lines are touched again for each that there is, if the loop is cut into so many steps: at the end of what they have
    /// together in each step of the loops around.
    fn again(&self, steps: i64) -> f64 {
        let lines = LINE_BITS as f64 / (self.own as f64 * steps as f64);
        let are_on_lines = || self.around.iter().all(|stride| stride % LINE_BITS == 0);
        match self.around.is_empty() {
            true => 0.0,
            false if steps % self.steps_to(LINE_BITS) == 0 && are_on_lines() => lines * BEGUN,
            false => lines,
        }
    }
}
