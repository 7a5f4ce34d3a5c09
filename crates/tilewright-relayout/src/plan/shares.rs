//! How threads share an array: chunk by chunk of its plan; where chunks are too few, or would read the same lines of the source,
//! in [slabs](InSlabs) or in other chunks; or not at all, where what each of them had to do is more than what they save.

use super::Plan;
use crate::boxes::{BoxMoves, InSlabs};

/// What threads share is cut into so many pieces for each of them, so that one that is late does not
/// keep the others waiting.
const SHARES_A_THREAD: usize = 4;

/// What is streamed is in larger chunks to read more at a time: it has so many pieces for each thread where some would have
/// nothing to do for a fifth of the time.
const STREAMED_SHARES_A_THREAD: usize = 2;

/// The bytes of such a piece; of what is streamed the most of these, and more.
const LEAST_SHARE: usize = 32 << 10;
pub(super) const MOST_SHARE: usize = 512 << 10;

/// What is shared out takes no more than so many times the cycles that one thread takes alone, for each thread that there is.
const WORTH: f64 = 0.8;

/// Finding out how an array is shared that takes fewer of the processor's cycles takes longer than it is worth for one run.
const WORTH_SHARES: f64 = 128_000.0;

/// Fewer threads do not share chunks that each read lines of most of the source.
const READERS: usize = 4;

/// How threads share an array.
#[derive(Clone, Debug)]
pub(super) enum Shares {
    /// Chunk by chunk of the plan.
    AsPlanned,
    /// Where chunks are too few, or each would read lines of most of the source.
    Slabs(Box<InSlabs>),
    /// In chunks that are more, or fewer.
    Chunks(Box<BoxMoves>),
    /// Not at all: whoever called is quicker alone.
    Alone,
}

impl Plan {
    /// The moves of the whole array in one chunk, where a thread alone had better have that.
    pub(super) fn in_one_chunk(&self, moves: &BoxMoves) -> Option<&BoxMoves> {
        let bytes = self.bytes_of_other_chunks(moves, 1)?;
        self.whole.get_or_init(|| self.cut_into(moves, bytes).map(Box::new)).as_deref()
    }

    /// How so many threads share the whole array.
    pub(super) fn shares(&self, moves: &BoxMoves, threads: usize) -> &Shares {
        if let Some(known) = self.shares.get() {
            return known;
        }
        // A pool may say that it has any number.
        let threads = threads.min(self.dst_bytes.div_ceil(LEAST_SHARE)).max(1);
        let bytes = self.bytes_of_other_chunks(moves, threads);
        let is_spread = moves.is_streamed() && moves.is_spread();
        if bytes.is_none() && !is_spread {
            return &Shares::AsPlanned;
        }
        let alone = self.in_one_chunk(moves).unwrap_or(moves).cycles();
        // Many plans are run once.
        if alone < WORTH_SHARES && self.was_run.set(()).is_ok() {
            return &Shares::Alone;
        }
        self.shares.get_or_init(|| {
            let n = match bytes {
                Some(bytes) if !is_spread => self.dst_bytes.div_ceil(bytes).max(threads),
                _ => threads * STREAMED_SHARES_A_THREAD,
            };
            let most_bytes = moves.most_bytes_in_other_chunks();
            let most_cycles = alone * WORTH * threads as f64;
            let slabs = moves.in_slabs(threads, n, most_cycles);
            let fits = |slabs: &InSlabs| slabs.held_bytes() + size_of::<InSlabs>() <= most_bytes;
            if let Some(slabs) = slabs.filter(fits) {
                return Shares::Slabs(Box::new(slabs));
            }
            let is_read_again = is_spread && moves.are_spread_over(self.dst_bytes / threads);
            if is_read_again && threads < READERS {
                return Shares::Alone;
            }
            let is_shared =
                |moves: &BoxMoves| moves.n_chunks() > 1 && moves.cycles() <= most_cycles;
            match bytes.and_then(|bytes| self.cut_into(moves, bytes)).filter(is_shared) {
                Some(other) => Shares::Chunks(Box::new(other)),
                None if is_shared(moves) => Shares::AsPlanned,
                None => Shares::Alone,
            }
        })
    }

    /// The moves in chunks of about so many bytes; `None` if they had to hold too much: pieces of other forms may need tables that are
    /// much more.
    fn cut_into(&self, moves: &BoxMoves, bytes: usize) -> Option<BoxMoves> {
        let other = moves.in_other_chunks_of(bytes as i64 * 8 / i64::from(self.widths.to))?;
        let held = other.held_bytes().saturating_add(size_of::<BoxMoves>());
        (held <= moves.most_bytes_in_other_chunks()).then_some(other)
    }

    /// About how large those chunks are: smaller where those of the plan are too few for the threads to share, and larger where
    /// each reads lines of most of the source, so that there had better be no more than threads. `None` if those of the
    /// plan are right.
    fn bytes_of_other_chunks(&self, moves: &BoxMoves, threads: usize) -> Option<usize> {
        let is_streamed = moves.is_streamed();
        if is_streamed && moves.is_spread() {
            // Less than half for two: of half, all would be one chunk.
            let bytes = (self.dst_bytes - usize::from(threads > 1)) / threads;
            return (bytes > self.chunk_bytes).then_some(bytes);
        }
        let are_busy = || {
            let turns = self.n_chunks.div_ceil(threads).saturating_mul(threads);
            self.n_chunks >= turns - turns / 5
        };
        if threads == 1 || is_streamed && are_busy() {
            return None;
        }
        let (pieces, least, most) = match is_streamed {
            false => (SHARES_A_THREAD, LEAST_SHARE, MOST_SHARE),
            true => (STREAMED_SHARES_A_THREAD, MOST_SHARE, usize::MAX),
        };
        let bytes = (self.dst_bytes / threads.saturating_mul(pieces)).clamp(least, most);
        (self.chunk_bytes > bytes + bytes / 4).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Pad, RunOptions};
    use crate::placement::Placement;
    use crate::plan::way::Way;
    use crate::run::Crew;
    use crate::work::SourcePart;
    use tilewright::notation::Described;

    fn placement(text: &str) -> Placement {
        let described = text.parse::<Described>().unwrap();
        let bits = described.element_bits().unwrap();
        Placement::new(described.index_map().unwrap(), bits).unwrap()
    }

    fn moves(plan: &Plan) -> &BoxMoves {
        match &plan.route {
            Way::Boxes(moves) => moves,
            _ => panic!("{plan:?}"),
        }
    }

    /// How so many threads share an array that is moved again and again.
    fn shared(from: &str, to: &str, threads: usize) -> &'static str {
        let plan = Plan::new(&placement(from), &placement(to)).unwrap();
        let name = |shares: &Shares| match shares {
            Shares::AsPlanned => "as planned",
            Shares::Slabs(_) => "slabs",
            Shares::Chunks(_) => "chunks",
            Shares::Alone => "alone",
        };
        plan.shares(moves(&plan), threads);
        name(plan.shares(moves(&plan), threads))
    }

    #[test]
    fn arrays_are_shared_such_that_threads_do_not_do_it_again() {
        // Of filters whose rows and columns come first, every chunk reads all of the source.
        assert_eq!(shared("s8[512,512,3,3]{3,2,1,0}", "s8[512,512,3,3]{0,1,3,2}", 2), "slabs");
        assert_eq!(shared("s8[512,512,3,3]{3,2,1,0}", "s8[512,512,3,3]{0,1,3,2}", 16), "slabs");
        assert_eq!(shared("f32[50257,768]", "f32[50257,768]{0,1}", 2), "slabs");
        // Chunks would begin within bytes of the source, which takes a hundred times as long.
        assert_eq!(
            shared("u4[11,7,3840,7]{3,2,1,0:E(4)}", "u4[11,7,3840,7]{1,2,0,3:E(4)}", 2),
            "slabs"
        );
        // As do those of this one, whose rows in the destination do; and slabs of columns would be few bytes of every line.
        assert_eq!(shared("s2[128,32505]{0,1:E(2)}", "s2[128,32505]{1,0:E(2)}", 2), "alone");
        // Several boxes. Chunks of the first read lines of their own, and two threads had to read all of the second twice.
        assert_eq!(shared("bf16[4096,50257]{0,1:T(8,128)(2,1)}", "bf16[4096,50257]", 2), "chunks");
        assert_eq!(shared("f16[356173,89]", "f16[356173,89]{0,1:T(8,128)}", 2), "alone");
        assert_ne!(shared("f16[356173,89]", "f16[356173,89]{0,1:T(8,128)}", 8), "alone");
        // Enough chunks, each of which reads lines of its own.
        assert_eq!(shared("f32[4096,4096]", "f32[4096,4096]{1,0:T(8,128)}", 2), "as planned");
    }

    /// What is moved in less time than it takes to find out how it is shared is not, the first time.
    #[test]
    fn small_arrays_are_shared_when_they_are_moved_again() {
        for (text, is_first) in [("f32[256,256]", false), ("f32[1024,1024]", true)] {
            let to = format!("{text}{{0,1}}");
            let plan = Plan::new(&placement(text), &placement(&to)).unwrap();
            let is_shared = || !matches!(plan.shares(moves(&plan), 2), Shares::Alone);
            assert_eq!((is_shared(), is_shared()), (is_first, true), "{text}");
        }
    }

    /// Of two matrices, slabs of rows are enough for all threads, and matrices are not.
    #[test]
    fn there_are_slabs_for_all_threads() {
        let (from, to) = ("f32[2,2048,2048]", "f32[2,2048,2048]{1,2,0}");
        let plan = Plan::new(&placement(from), &placement(to)).unwrap();
        for (threads, n) in [(2, 4), (8, 16), (16, 32)] {
            let slabs = moves(&plan).in_slabs(threads, n, f64::INFINITY).unwrap();
            assert!(slabs.n() >= threads, "{} for {threads}", slabs.n());
        }
    }

    /// By threads, in slabs, to any place, and whatever loop is cut.
    #[test]
    fn slabs_are_all_of_an_array() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let arrays = [
            ("f32[48,96]", "f32[48,96]{0,1}"),
            ("bf16[128,192]", "bf16[128,192]{0,1}"),
            ("s8[256,256,3,3]{3,2,1,0}", "s8[256,256,3,3]{0,1,3,2}"),
            ("f32[96,80]", "f32[96,80]{0,1}"),
            ("u4[11,4,384,7]{3,2,1,0:E(4)}", "u4[11,4,384,7]{1,2,0,3:E(4)}"),
            ("pred[4096,32]{1,0:E(1)}", "pred[4096,32]{0,1:E(1)}"),
            ("u4[512,64]{1,0:E(4)}", "u4[512,64]{0,1}"),
            // Rows of tiles that are not full: what is beside them is filled first.
            ("f32[2,5,1024]", "f32[2,5,1024]{2,1,0:T(8,128)}"),
            ("f32[17,127,113]{2,0,1}", "f32[17,127,113]{1,0,2}"),
            // Blocks of channels that are not full: what slabs go over is filled last.
            ("s8[4096,61]{1,0:PAD(4096,64)}", "s8[4096,61]{0,1:T(8,1)}"),
        ];
        // Enough for who looks at every access.
        for (from, to) in arrays.into_iter().take(if cfg!(miri) { 1 } else { usize::MAX }) {
            let plan = Plan::new(&placement(from), &placement(to)).unwrap();
            let moves = moves(&plan);
            let src: Vec<u8> =
                (0..plan.src_bytes()).map(|n| (n % 251 * 7 + n / 251) as u8).collect();
            let source = SourcePart { bytes: &src, start: 0 };
            let mut expected = vec![0; plan.dst_bytes()];
            let alone = RunOptions { pad: Pad::Bits(5), threads: crate::Threads::Current };
            plan.run(&src, &mut expected, &alone).unwrap();
            let cuts = [(2, 4), (3, 3), (2, 9)];
            for (threads, n) in cuts.into_iter().take(if cfg!(miri) { 1 } else { usize::MAX }) {
                let slabs = moves.in_slabs(threads, n, f64::INFINITY);
                let slabs = slabs.unwrap_or_else(|| panic!("{from} to {to} by {threads}"));
                for (crew, off) in [(Crew::Rayon, 0), (Crew::Caller, 5)] {
                    let mut room = vec![0xa5; plan.dst_bytes() + 80];
                    let begin = (64 - room.as_ptr().addr() % 64) % 64 + off;
                    let dst = &mut room[begin..][..plan.dst_bytes()];
                    let pad = alone.pad.pattern(plan.widths.to);
                    assert!(pool.install(|| moves.write_slabs(&slabs, &crew, source, dst, pad)));
                    assert!(*dst == expected, "{from} to {to} by {threads} in {n}, {off} off");
                    assert!(
                        room[..begin]
                            .iter()
                            .chain(&room[begin + plan.dst_bytes()..])
                            .all(|&b| b == 0xa5)
                    );
                }
                // Of a source that is shorter nothing is written.
                let mut dst = vec![0xa5; plan.dst_bytes()];
                let short = SourcePart { bytes: &src[..src.len() - 1], start: 0 };
                assert!(!moves.write_slabs(&slabs, &Crew::Caller, short, &mut dst, 0));
                assert!(dst.iter().all(|&byte| byte == 0xa5));
            }
        }
    }

    /// What is made for threads is among what a plan says it may hold.
    #[test]
    fn other_chunks_are_held_too() {
        let mut n_cut = 0;
        for (from, to) in [
            ("f32[512,512]", "f32[512,512]{0,1}"),
            ("f32[1100,3001]", "f32[1100,3001]{0,1}"),
            ("u8[5,4000001]{0,1}", "u8[5,4000001]"),
            ("u4[2048,2048]{1,0:E(4)}", "u4[2048,2048]"),
            // Rows that overhang.
            ("u8[3,61,50003,1] nChw8c", "u8[3,61,50003,1] nhwc"),
            // Whose tables are of hundreds of KiB where they are cut.
            ("pred[593,73,23]{2,1,0}", "pred[593,73,23]{1,0,2:E(1)}"),
            ("u4[16384,37,3]{2,1,0:E(4)}", "u4[16384,37,3]{0,1,2:E(4)}"),
        ] {
            for threads in [1, 2, 5, 16] {
                let plan = Plan::new(&placement(from), &placement(to)).unwrap();
                let moves = moves(&plan);
                let whole = plan.in_one_chunk(moves).map_or(0, BoxMoves::held_bytes);
                plan.shares(moves, threads);
                let shared = match plan.shares(moves, threads) {
                    Shares::Slabs(slabs) => slabs.held_bytes() + size_of::<InSlabs>(),
                    Shares::Chunks(moves) => moves.held_bytes() + size_of::<BoxMoves>(),
                    Shares::AsPlanned | Shares::Alone => 0,
                };
                n_cut += usize::from(whole > 0) + usize::from(shared > 0);
                let held = size_of::<Plan>() + moves.held_bytes() + whole + shared;
                assert!(held <= plan.held_bytes(), "{from} to {to} by {threads}: {held}");
            }
        }
        assert!(n_cut >= 10, "{n_cut}");
    }
}
