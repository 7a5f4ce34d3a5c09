//! Making the tables of [lookups](super::lookup): which part of a box is a block, and what its registers are
//! made of.
//!
//! A block is as much of every loop as fills a register of the destination, holes and all, and as much as
//! has the next block begin whole bytes further on; of packed elements also all that follows itself in the destination, as the
//! elements of a matrix, where that is from as near in the source. Its elements are listed; each piece of one within a
//! byte of both sides is an entry: from which byte, by how many bits, to which. Entries of the same window and turn are
//! one pick, unless two of them want the same byte of the register. A turn is of up to 7 bits to the left: bits that
//! go to the right within a byte come from the byte before, of the same eight.

use super::level::Level;
use super::lookup::{Lookup, Out, Part, Pick, Table, Written, window};
use super::loop_order::{LONG_RUN, order};
use super::place::LINE;
use super::places::MAX_LOOPS;
use super::tile::{Around, ONCE, Slots};
use crate::nest::{Loop, side_by_side};

/// The most bytes of a block's elements.
const MOST_MOVED: i64 = 2048;

/// The most bytes of what follows itself in the destination and is one block: a matrix of a batch, or rows that are woven.
/// Its ends are registers that are written in part, or whose elements are moved twice, and parts of it had more of those.
const MOST_CHAIN: i64 = 1024;

/// The most pieces of elements of a block, and parts of bytes beside them that are zeros. Matrices of a batch of bits were found to
/// need 7,560.
const MOST_ENTRIES: usize = 8192;

/// The most picks of a block.
const MOST_PICKS: usize = 192;

/// The most bytes of tables and lists.
const MOST_BYTES: usize = 96 << 10;

/// The most bits that a box spans on either side: places, and some times as far, are numbers.
const MOST_SPANNED: i64 = i64::MAX / 64;

/// The most parts: of every loop what fills blocks, and what is left.
const MOST_PARTS: usize = 8;

/// Blocks are made of so many registers, so that they are worth beginning, and most of each is filled; if each has surely no more than
/// so many picks.
const FEW_PICKS: f64 = 2.0;
const MANY_REGISTERS: i64 = 8;

/// What a pick, a register, and a block take, in about the processor's cycles.
const PICK: f64 = 2.4;
const OUT: f64 = 2.0;
const BLOCK: f64 = 5.0;

/// To wait for bits that have just been stored in part, and are read again.
const WAIT: f64 = 6.0;

/// The same of picks whose tables stay in registers, of a window that is of another row than the one before or of the
/// same, and of a row of such blocks.
const FAR_PICK: f64 = 2.8;
const NEAR_PICK: f64 = 2.0;
const ROW: f64 = 2.0;

/// Why there is no block of so many steps; of what is both, whichever was found first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    /// It is too much for tables.
    TooLarge,
    /// It takes too many cycles.
    TooSlow,
}

/// How far a block reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// As far as it takes to fill so many registers of the destination.
    Registers(i64),
    /// No farther than one.
    Register,
    /// Nor, in the source, than one window.
    Window,
    /// As many whole loops of those that follow themselves in the destination as are of no more than [`MOST_CHAIN`] bytes.
    Chain,
}

/// The longest blocks that are tried: what fills a register, [`MANY_REGISTERS`], or chains too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Longest {
    Register,
    Many,
    Chain,
}

/// A piece of an element: within a byte on both sides.
struct Entry {
    dst: i64,
    src: i64,
    /// By how many bits to the left, from the byte itself or from the one before.
    turn: u8,
    is_from_before: bool,
    mask: u8,
}

/// What an order has at places that nothing goes to.
const NOWHERE: u8 = 128;

/// What a pick does for a register.
struct Draft {
    turn: u8,
    /// Which byte goes to each place, of the places that are taken, as bits.
    order: [u8; 64],
    taken: u64,
    mask: [u8; 64],
}

/// Which loops a block has, and what comes of them.
struct Block {
    part: Part,
    /// Of every loop, how many steps.
    steps: Vec<i64>,
}

impl Lookup {
    /// Of a box whose loops count slots and that begins at a byte of the destination and a bit of one of the source: if not at the
    /// first, all steps are whole bytes. `None` where that is too much for tables, or surely takes more cycles than `most`.
    pub(super) fn of(
        loops: &[Loop],
        slots: Slots,
        bit: u8,
        level: Level,
        most: f64,
    ) -> Option<Lookup> {
        let mut in_bits = Vec::with_capacity(loops.len());
        let (mut src_left, mut dst_left) = (MOST_SPANNED, MOST_SPANNED);
        for l in loops.iter().filter(|l| l.extent != 1) {
            let (src, dst) = (l.src.checked_mul(slots.src)?, l.dst.checked_mul(slots.dst)?);
            if src < 0 || dst < 1 || l.extent < 1 {
                return None;
            }
            src_left = src_left.checked_sub(src.checked_mul(l.extent)?)?;
            dst_left = dst_left.checked_sub(dst.checked_mul(l.extent)?)?;
            if src_left < 0 || dst_left < 0 {
                return None;
            }
            in_bits.push(Loop { extent: l.extent, src, dst });
        }
        if in_bits.len() > MAX_LOOPS {
            return None;
        }
        in_bits.sort_by_key(|l| l.dst);
        if least_cycles(&in_bits, window(level) as i64) > most {
            return None;
        }
        // Of whole bytes, chains took no less than parts of them did.
        let has_chains = slots.value < 8 && slots.src == slots.dst;
        let mut longest = if has_chains { Longest::Chain } else { Longest::Many };
        loop {
            let mut parts = Vec::new();
            let window = window(level) as i64;
            split(&in_bits, slots, (bit.into(), 0), window, &mut parts, most, longest)?;
            let lookup = Lookup { parts, bit, level };
            if lookup.held_bytes() <= MOST_BYTES {
                return Some(lookup);
            }
            // Tables of longer blocks are longer: those of one register will do.
            (longest != Longest::Register).then_some(())?;
            longest = Longest::Register;
        }
    }

    /// About how many of the processor's cycles it takes.
    pub(super) fn cost(&self) -> f64 {
        let of = |part: &Part| {
            let blocks: f64 = part.around.iter().map(|l| l.count as f64).product();
            blocks * part.cycles(part.around.last().map_or(1, |l| l.count))
        };
        self.parts.iter().map(of).sum()
    }
}

/// Windows so many bytes apart are of rows that a processor does not foresee to go on, and those so near to each other
/// are soon gone on with.
const FAR: i64 = 8 * LINE as i64;
const NEAR: i64 = 2 * LINE as i64;

/// Sources of fewer bytes are in the caches. Of others, windows are asked for so many blocks ahead.
const NEAR_SOURCE: i64 = 1 << 20;
const BLOCKS_AHEAD: i64 = 16;

/// Runs of the destination of so many bits, where such rows are gone on with: they begin and end within lines, which had
/// better not be many.
const SCATTERED_RUN: i64 = 2048 * 8;

/// The cycles that lookups surely take: as many blocks as fit, each of a register.
fn least_cycles(loops: &[Loop], window: i64) -> f64 {
    let steps = |l: &Loop| ((8 * window + l.dst - 1) / l.dst).min(l.extent);
    let blocks: f64 = loops.iter().map(|l| l.extent as f64 / steps(l) as f64).product();
    blocks * least_cycles_of_block(loops.iter().map(|l| (l, steps(l))), window, false)
}

/// The cycles that a block of so many steps of each loop surely takes, since a pick is of one register, one window and one turn: all
/// again for each step of a loop whose steps share no register or no window; and as many as a loop has windows, as bits have turns,
/// or as the steps of each turn have windows. If it is not this block that `is_meant`, but those that have a part or a multiple of its
/// steps, windows are counted in parts.
fn least_cycles_of_block<'l>(
    steps: impl Iterator<Item = (&'l Loop, i64)>,
    window: i64,
    is_meant: bool,
) -> f64 {
    let mut loops = [(0, 0, 1); MAX_LOOPS];
    let mut n_loops = 0;
    for ((l, steps), place) in steps.zip(&mut loops) {
        *place = (l.src, l.dst, steps);
        n_loops += 1;
    }
    let loops = &mut loops[..n_loops];
    let bits = 8 * window;
    // Steps of the outermost loops in the destination share no register, if each reaches beyond all within it.
    loops.sort_unstable_by_key(|l| l.1);
    let (mut apart, mut span) = (0, 0);
    for (number, (_, dst, steps)) in loops.iter().enumerate() {
        apart = if *dst < span + bits { number + 1 } else { apart };
        span += (steps - 1) * dst;
    }
    let mut registers = 1f64;
    for (_, _, steps) in &mut loops[apart..] {
        registers *= std::mem::replace(steps, 1) as f64;
    }
    loops.sort_unstable_by_key(|l| l.0);
    // Bit `k` is set where anything is turned by `k`.
    let (mut turns, mut picks, mut span) = (1u8, 1f64, 0);
    for &mut (src, dst, steps) in loops {
        let turn = ((dst - src) & 7) as u32;
        let once = turns;
        turns = (1..steps.min(8) as u32).fold(once, |turns, n| turns | once.rotate_left(n * turn));
        // What is read again and again is in one window.
        let step = |reach: i64| if src == 0 { i64::MAX } else { (reach + src - 1) / src };
        let windows = steps as f64 / step(bits) as f64;
        let (apart, of_turns) = match is_meant {
            true => {
                // Every so many steps share no window. Steps of one turn are every one, second, fourth or eighth.
                let apart = (steps - 1) / step(span + bits) + 1;
                let n_turns = steps.min(8 >> turn.trailing_zeros().min(3));
                let of_a_window = bits / (n_turns * src).max(1) + 1;
                let windows_of_each = (steps / n_turns) as f64 / of_a_window as f64;
                (apart, n_turns as f64 * windows_of_each.max(1.0))
            }
            false => (if src >= span + bits { steps } else { 1 }, 1.0),
        };
        picks = (picks * apart as f64).max(turns.count_ones().into()).max(of_turns).max(windows);
        span += (steps - 1) * src;
    }
    registers * picks * NEAR_PICK
}

/// The parts of a box: what fills blocks, and what is left of every loop whose blocks would not begin at
/// whole bytes if the last shared elements with the one before. `None` where what fills blocks is too much, or surely takes
/// more cycles than `most`. Blocks are no longer than the `longest`; chains of what is left are too few to be worth the tables.
/// The box begins at these bits.
fn split(
    loops: &[Loop],
    slots: Slots,
    start: (i64, i64),
    window: i64,
    parts: &mut Vec<Part>,
    most: f64,
    longest: Longest,
) -> Option<()> {
    let mut block = Block::best(loops, slots, start.0 % 8, window, most, longest)?;
    let mut whole = loops.to_vec();
    for number in 0..loops.len() {
        let (l, steps) = (whole[number], block.steps[number]);
        if may_share(&l, steps) {
            continue;
        }
        let rest = l.extent % steps;
        let done = l.extent - rest;
        let mut left = whole.clone();
        left[number].extent = rest;
        whole[number].extent = done;
        let start = (start.0 + done * l.src, start.1 + done * l.dst);
        split(&left, slots, start, window, parts, f64::INFINITY, longest.min(Longest::Many))?;
    }
    let value_len = |stride: fn(&Loop) -> i64, slot: i64| {
        let steps = || block.steps.iter().zip(&whole).map(|(&steps, l)| (steps, stride(l), 0));
        side_by_side(slot, steps)
    };
    let (src_len, dst_len) = (value_len(|l| l.src, slots.src), value_len(|l| l.dst, slots.dst));
    let mut around = Vec::with_capacity(whole.len());
    for (l, &steps) in whole.iter().zip(&block.steps) {
        let count = (l.extent + steps - 1) / steps;
        let back = count * steps - l.extent;
        around.push(Around {
            count,
            src: steps * l.src,
            dst: steps * l.dst,
            src_back: back * l.src,
            dst_back: back * l.dst,
        });
    }
    around.retain(|l| l.count > 1);
    // Rows of the source that are gone on with later, while others are read.
    let goes_on = around.iter().any(|l| l.src.abs() < 8 * NEAR);
    let far = FAR.max(2 * block.part.reach);
    let are_far = block.part.n_far() > 0;
    let is_scattered = goes_on && (are_far || around.iter().any(|l| l.src.abs() >= 8 * far));
    order(&mut around, src_len, dst_len, if is_scattered { SCATTERED_RUN } else { LONG_RUN });
    join(&mut around);
    let leads_far = around.last().is_some_and(|l| l.src.abs() >= 8 * far);
    let asks = goes_on && (are_far || leads_far);
    let in_bytes: Option<Vec<Around>> = around.iter().map(Around::in_bytes).collect();
    let around = in_bytes?;
    // What is read next are the same windows of other blocks, if those do not go on with them.
    let inner = around.last().copied().unwrap_or(ONCE);
    let are_many = inner.count >= 2 * BLOCKS_AHEAD && inner.src.abs() >= LINE as i64;
    let reach = around.iter().map(|l| (l.count - 1).saturating_mul(l.src.abs())).max();
    let is_far = reach.unwrap_or(0) >= NEAR_SOURCE;
    // The same rows are gone on with by the loop around the inner one, within their lines.
    let along = around.len().checked_sub(2).and_then(|number| around.get(number));
    let goes_along = along.is_some_and(|l| {
        (1..LINE as i64).contains(&l.src) && l.count.saturating_mul(l.src) >= 3 * NEAR
    });
    block.part.ahead = match are_many && is_far {
        true if goes_along => NEAR,
        true => BLOCKS_AHEAD * inner.src,
        false if asks => NEAR,
        false => 0,
    };
    block.part.start = (start.0 / 8, start.1 / 8);
    block.part.around = around;
    parts.push(block.part);
    (parts.len() <= MOST_PARTS).then_some(())
}

/// Whether blocks of so many steps of a loop fill it, or the last may share some with the one before: it begins at bytes.
fn may_share(l: &Loop, steps: i64) -> bool {
    let shared = l.extent - steps;
    l.extent % steps == 0 || shared * l.src % 8 == 0 && shared * l.dst % 8 == 0
}

/// Joins loops of which one goes on where the next one within it ends: the longest rows of blocks.
fn join(around: &mut Vec<Around>) {
    let mut joined: Vec<Around> = Vec::with_capacity(around.len());
    for inner in around.drain(..) {
        let Some(outer) = joined.last_mut() else {
            joined.push(inner);
            continue;
        };
        let goes_on = outer.src == inner.src * inner.count && outer.dst == inner.dst * inner.count;
        let is_plain = inner.src_back == 0 && inner.dst_back == 0 && inner.dst != 0;
        // What the last step of the outer loop shares with the one before, in steps of the inner one and what is left.
        let shared = if is_plain { outer.dst_back / inner.dst } else { 0 };
        let rest = (outer.src_back - shared * inner.src, outer.dst_back - shared * inner.dst);
        let is_shared = i128::from(rest.0) * i128::from(inner.dst)
            == i128::from(rest.1) * i128::from(inner.src);
        if goes_on && is_plain && is_shared {
            let count = outer.count * inner.count - shared;
            *outer = Around { count, src_back: rest.0, dst_back: rest.1, ..inner };
        } else {
            joined.push(inner);
        }
    }
    *around = joined;
}

impl Part {
    /// How many of its windows are of another row than the one before.
    fn n_far(&self) -> usize {
        let steps = self.picks.windows(2).map(|pair| pair[1].src - pair[0].src);
        steps.filter(|step| step.abs() >= FAR).count()
    }

    /// About how many of the processor's cycles a block takes, of `count` in a row.
    fn cycles(&self, count: i64) -> f64 {
        let (picks, outs) = (self.picks.len() as f64, self.outs.len() as f64);
        let waits =
            self.outs.iter().filter(|out| out.written == Written::Bits).count() as f64 * WAIT;
        if !self.is_of_registers() {
            return PICK * picks + OUT * outs + BLOCK + waits;
        }
        let n_far = self.n_far() as f64;
        NEAR_PICK * (picks - n_far) + FAR_PICK * n_far + OUT / 2.0 + ROW / count as f64 + waits
    }
}

impl Block {
    /// About how many of the processor's cycles an element of the box takes: the last block of a loop may share some with the one before.
    fn cycles(&self, loops: &[Loop]) -> f64 {
        let (mut blocks, mut elements, mut most) = (1.0, 1.0, 1);
        for (l, &steps) in loops.iter().zip(&self.steps) {
            let (count, extent) = ((l.extent + steps - 1) / steps, l.extent as f64);
            let n = if may_share(l, steps) { count as f64 } else { extent / steps as f64 };
            (blocks, elements) = (blocks * n, elements * extent);
            most = most.max(count);
        }
        self.part.cycles(most) * blocks / elements
    }

    /// The block of a box that takes least, of those that one register or a few are filled by. Loops are in the order of
    /// their strides in the destination. It is no longer than the `longest`. `None` if there is none, or the box surely takes more
    /// cycles than `most`. The box begins at a bit of a byte of the source.
    fn best(
        loops: &[Loop],
        slots: Slots,
        bit: i64,
        window: i64,
        most: f64,
        longest: Longest,
    ) -> Option<Block> {
        let steps = |reach| steps(loops, window, reach);
        // No more than the box may take, of which there are so many blocks at least, or than the best does so far.
        let of = |steps: &[i64], best: Option<&Block>| {
            let blocks: f64 = loops.iter().zip(steps).map(|(l, n)| (l.extent / n) as f64).product();
            let elements: f64 = steps.iter().map(|&steps| steps as f64).product();
            let most_of_best = best.map_or(f64::INFINITY, |best| best.cycles(loops) * elements);
            Block::of(loops, slots, bit, window, steps, most_of_best.min(most / blocks))
        };
        let mut tried = vec![steps(Reach::Registers(1))];
        let mut best = match of(&tried[0], None) {
            Err(Refused::TooLarge) => return None,
            block => block.ok(),
        };
        for reach in [Reach::Register, Reach::Window, Reach::Chain] {
            let one_is_least =
                |best: &Block| best.part.outs.len() == 1 && best.part.picks.len() == 1;
            let steps = steps(reach);
            if best.as_ref().is_some_and(one_is_least) || tried.contains(&steps) {
                continue;
            }
            let may_be_chain = longest == Longest::Chain;
            if reach == Reach::Chain && !(may_be_chain && stays_near(loops, &steps)) {
                continue;
            }
            if let Ok(other) = of(&steps, best.as_ref())
                && (reach == Reach::Chain || other.part.is_of_registers())
                && best.as_ref().is_none_or(|best| other.cycles(loops) < best.cycles(loops))
            {
                best = Some(other);
            }
            tried.push(steps);
        }
        // One whose tables stay in registers takes more only where much of each register is left, or moved again.
        let n_of_a_register = (8 * window / slots.dst) as f64;
        let is_enough = |best: &Block| {
            let of_a_register = best.cycles(loops) * n_of_a_register;
            best.part.is_of_registers() && of_a_register < PICK * best.part.picks.len() as f64 + OUT
        };
        if longest == Longest::Register || best.as_ref().is_some_and(is_enough) {
            return best;
        }
        let many = steps(Reach::Registers(MANY_REGISTERS));
        let least = least_cycles_of_block(loops.iter().zip(many.iter().copied()), window, true);
        if least > MANY_REGISTERS as f64 * FEW_PICKS * NEAR_PICK {
            return best;
        }
        let larger = of(&many, best.as_ref()).ok();
        let is_better = |larger: &Block| {
            best.as_ref().is_none_or(|best| larger.cycles(loops) < best.cycles(loops))
        };
        larger.filter(is_better).or(best)
    }

    /// The block of so many steps of each loop, from a bit of a byte of the source on.
    fn of(
        loops: &[Loop],
        slots: Slots,
        bit: i64,
        window: i64,
        steps: &[i64],
        most: f64,
    ) -> Result<Block, Refused> {
        let elements = steps.iter().fold(1i64, |all, steps| all.saturating_mul(*steps));
        if elements.saturating_mul(slots.value) > 8 * MOST_MOVED {
            return Err(Refused::TooLarge);
        }
        if least_cycles_of_block(loops.iter().zip(steps.iter().copied()), window, true) > most {
            return Err(Refused::TooSlow);
        }
        // What stays together is one value.
        let is_run = |l: &Loop| [slots.src, slots.dst, l.src, l.dst] == [slots.value; 4];
        let run = loops.iter().position(is_run);
        let run_steps = run.map_or(1, |number| steps[number]);
        let slots = if run.is_some() { Slots::same(slots.value * run_steps) } else { slots };
        let (mut entries, mut owned) = (Vec::new(), Vec::new());
        entries.reserve_exact(((elements / run_steps) as usize).min(MOST_ENTRIES));
        let (mut at, mut src, mut dst) = ([0; MAX_LOOPS], bit, 0);
        loop {
            if entries.len() + owned.len() > MOST_ENTRIES {
                return Err(Refused::TooLarge);
            }
            let mut done = 0;
            while done < slots.value {
                let (s, d) = (src + done, dst + done);
                let (s_bit, d_bit) = (s & 7, d & 7);
                let bits = (slots.value - done).min(8 - s_bit).min(8 - d_bit);
                let mask = (((1u32 << bits) - 1) << d_bit) as u8;
                let turn = ((d_bit - s_bit) & 7) as u8;
                let is_from_before = d_bit < s_bit;
                entries.push(Entry { dst: d >> 3, src: s >> 3, turn, is_from_before, mask });
                done += bits;
            }
            while done < slots.dst {
                let d = dst + done;
                let bits = (slots.dst - done).min(8 - d % 8);
                owned.push((d / 8, (((1u32 << bits) - 1) << (d % 8)) as u8));
                done += bits;
            }
            // The next step of the first loop that has one; those before begin again.
            let numbers = (0..loops.len()).filter(|&number| run != Some(number));
            let mut next = numbers.map(|number| (&loops[number], steps[number], number));
            let goes_on = next.any(|(l, steps, number)| {
                let step = at[number];
                let goes_on = step + 1 < steps;
                at[number] = if goes_on { step + 1 } else { 0 };
                (src, dst) = (src + (at[number] - step) * l.src, dst + (at[number] - step) * l.dst);
                goes_on
            });
            if !goes_on {
                break;
            }
        }
        let part = tabulated(entries, owned, window, most)?;
        Ok(Block { part, steps: steps.to_vec() })
    }
}

/// How many steps of each loop a block has that reaches so far: as many as lead to whole bytes.
fn steps(loops: &[Loop], window: i64, reach: Reach) -> Vec<i64> {
    let bits = 8 * window * if let Reach::Registers(n) = reach { n } else { 1 };
    let fills = matches!(reach, Reach::Registers(_) | Reach::Chain);
    let more = |unit: i64| if fills { unit - 1 } else { 0 };
    // The bits of the loops before, if they are all of a chain.
    let mut chain = loops.first().map(|l| l.dst).filter(|_| reach == Reach::Chain);
    let of = |l: &Loop| {
        chain = chain.filter(|&bits| bits == l.dst).map(|bits| bits * l.extent);
        chain = chain.filter(|&bits| bits <= 8 * MOST_CHAIN);
        if chain.is_some() {
            return l.extent;
        }
        let step = |bits: i64| 8 >> bits.trailing_zeros().min(3);
        let least = step(l.src).max(step(l.dst));
        let wanted = (bits + more(l.dst)) / l.dst;
        // What goes on within half a window.
        let is_near = (1..4 * window).contains(&l.src);
        let most = if reach == Reach::Window && is_near { bits / l.src } else { wanted };
        (((wanted.min(most) + more(least)) / least).max(1) * least).min(l.extent)
    };
    loops.iter().map(of).collect()
}

/// Whether a block of so many steps of each loop reaches about as far in the source as in the destination, so that its windows
/// are few.
fn stays_near(loops: &[Loop], steps: &[i64]) -> bool {
    let span = |stride: fn(&Loop) -> i64| -> i64 {
        loops.iter().zip(steps).map(|(l, steps)| (steps - 1) * stride(l)).sum()
    };
    span(|l| l.src) <= 2 * span(|l| l.dst)
}

/// The registers that some entries make, and zeros at what else is owned, in no more cycles than `most`.
fn tabulated(
    mut entries: Vec<Entry>,
    mut zeros: Vec<(i64, u8)>,
    window: i64,
    most: f64,
) -> Result<Part, Refused> {
    zeros.sort_unstable_by_key(|(byte, _)| *byte);
    entries.sort_unstable_by_key(|entry| (entry.dst, entry.src));
    let mut part = Part {
        start: (0, 0),
        around: Vec::new(),
        outs: Vec::new(),
        picks: Vec::new(),
        tables: Vec::new(),
        ahead: 0,
        reach: 0,
        has_bits: entries.iter().any(|entry| entry.turn != 0 || entry.mask != u8::MAX),
    };
    let (mut orders, mut masks, mut keeps) = (Vec::new(), Vec::new(), Vec::new());
    let (mut zeros, mut entries) = (zeros.as_slice(), entries.as_mut_slice());
    loop {
        let first = [entries.first().map(|entry| entry.dst), zeros.first().map(|zeros| zeros.0)];
        let Some(dst) = first.into_iter().flatten().min() else { break };
        let n = entries.partition_point(|entry| entry.dst < dst + window);
        let (mine, rest) = std::mem::take(&mut entries).split_at_mut(n);
        entries = rest;
        let n = zeros.partition_point(|(byte, _)| *byte < dst + window);
        let (cleared, rest) = zeros.split_at(n);
        zeros = rest;
        // The bits of each byte that are kept, of the bytes that are written, as bits.
        let (mut kept, mut owned) = ([u8::MAX; 64], 0u64);
        let bytes = mine.iter().map(|entry| (entry.dst, entry.mask));
        for (byte, mask) in bytes.chain(cleared.iter().copied()) {
            owned |= 1 << (byte - dst);
            kept[(byte - dst) as usize] &= !mask;
        }
        let first = part.picks.len();
        pick(mine, dst, window, most, &mut part, (&mut orders, &mut masks))?;
        let len = i64::from(64 - owned.leading_zeros());
        let n_owned = i64::from(owned.count_ones());
        let n_whole = kept.iter().filter(|kept| **kept == 0).count() as i64;
        part.has_bits |= n_whole < n_owned;
        let written = match n_whole {
            n if n == window => Written::Whole,
            n if n == len => Written::First,
            n if n == n_owned => Written::Bytes,
            _ => Written::Bits,
        };
        if written.is_in_part() {
            keeps.extend_from_slice(&kept[..window as usize]);
        }
        let picks = part.picks.len() - first;
        part.outs.push(Out { dst, picks, len: len as usize, owned, written });
    }
    if part.has_bits || part.is_of_registers() {
        orders.append(&mut masks);
    }
    orders.append(&mut keeps);
    part.tables = orders
        .chunks(64)
        .map(|bytes| {
            let mut table = Table([0; 64]);
            table.0[..bytes.len()].copy_from_slice(bytes);
            table
        })
        .collect();
    Ok(part)
}

/// The picks of a register that begins at `dst`, if those of all so far take no more cycles than `most`.
fn pick(
    entries: &mut [Entry],
    dst: i64,
    window: i64,
    most: f64,
    part: &mut Part,
    (orders, masks): (&mut Vec<u8>, &mut Vec<u8>),
) -> Result<(), Refused> {
    entries.sort_unstable_by_key(|entry| entry.src);
    let mut rest: &[Entry] = entries;
    while let Some(first) = rest.first() {
        let src = first.src;
        let n = rest.partition_point(|entry| entry.src < src + window);
        let (here, others) = rest.split_at(n);
        rest = others;
        // An order and a mask for each turn, or more where two bytes are wanted at one place.
        let mut drafts: Vec<Draft> = Vec::new();
        let mut len = 0;
        for entry in here {
            let (from, to) = ((entry.src - src) as u8, (entry.dst - dst) as usize);
            len = len.max(usize::from(from) + 1);
            // Eight bytes are turned as one number: what leaves it at one end comes back at the other.
            let place = match entry.is_from_before {
                true => to & !7 | to.wrapping_sub(1) & 7,
                false => to,
            };
            let fits = |draft: &Draft| {
                let is_free = draft.taken >> place & 1 == 0;
                draft.turn == entry.turn && (is_free || draft.order[place] == from)
            };
            let number = drafts.iter().position(fits).unwrap_or(drafts.len());
            if number == drafts.len() {
                let n_picks = part.picks.len() + drafts.len() + 1;
                if n_picks > MOST_PICKS {
                    return Err(Refused::TooLarge);
                }
                if n_picks as f64 * NEAR_PICK > most {
                    return Err(Refused::TooSlow);
                }
                drafts.push(Draft {
                    turn: entry.turn,
                    order: [NOWHERE; 64],
                    taken: 0,
                    mask: [0; 64],
                });
            }
            let draft = &mut drafts[number];
            draft.order[place] = from;
            draft.taken |= 1 << place;
            draft.mask[to] |= entry.mask;
        }
        part.reach = part.reach.max(src + window);
        for Draft { turn, order, mask, .. } in &drafts {
            let given = mask.iter().enumerate().filter(|(_, mask)| **mask != 0);
            let bytes = given.fold(0, |bytes, (byte, _)| bytes | 1 << byte);
            part.picks.push(Pick { src, len, turn: (*turn).into(), bytes });
            orders.extend_from_slice(&order[..window as usize]);
            masks.extend_from_slice(&mask[..window as usize]);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::loop_order::part_of;
    use super::*;

    /// Where blocks of a box lie, from the outermost loop to the innermost.
    fn places(around: &[Around]) -> Vec<(i64, i64)> {
        let [l, inner @ ..] = around else { return vec![(0, 0)] };
        let of = |step: i64| {
            let is_last = step > 0 && step == l.count - 1;
            let back = if is_last { (l.src_back, l.dst_back) } else { (0, 0) };
            let at = (step * l.src - back.0, step * l.dst - back.1);
            places(inner).into_iter().map(move |(src, dst)| (at.0 + src, at.1 + dst))
        };
        (0..l.count).flat_map(of).collect()
    }

    /// What was one loop and has been cut into parts is one loop again, of as many blocks as cover it.
    #[test]
    fn parts_of_a_loop_are_joined() {
        let block = 3;
        for extent in 3..40 {
            let count = (extent + block - 1) / block;
            let back = count * block - extent;
            let whole = Around {
                count,
                src: 16 * block,
                dst: 8 * block,
                src_back: 16 * back,
                dst_back: 8 * back,
            };
            for part in 1..=count {
                let mut around = vec![whole];
                let inner = part_of(&mut around, 0, part);
                around.push(inner);
                join(&mut around);
                assert_eq!(around.len(), 1, "{extent} in parts of {part}: {around:?}");
                let places = places(&around);
                assert_eq!(places.len() as i64, count, "{extent} in parts of {part}: {around:?}");
                let mut covered = 0;
                for (src, dst) in places {
                    assert_eq!(src, 2 * dst);
                    assert!(dst <= 8 * covered, "{extent} in parts of {part}: {around:?}");
                    covered = dst / 8 + block;
                }
                assert_eq!(covered, extent, "{extent} in parts of {part}: {around:?}");
            }
        }
    }
}
