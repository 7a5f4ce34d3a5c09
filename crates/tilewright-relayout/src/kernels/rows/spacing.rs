//! How the bits of a row lie in memory, packed, and in a stage, where every index has room for a power of two.
//!
//! A row of three nibbles each for five indices, `packed` in 60 bits, is `staged` in 80: nibble `j` of index `i` is
//! bit `12 i + 4 j` in memory and bit `16 i + 4 j` in the stage. A register of the stage is made of a window of the row,
//! the same number of bytes from the register's first bit on:
//!
//! 1. each byte of the register is taken from a byte of the window, by a table of orders;
//! 2. if bits move within bytes, each 64 bits are shifted down to where their first bit belongs, and then apart: of an index
//!    whose steps are 12 bits apart in memory and 16 in the stage, each bit `k` that leaves it within 64 bits moves what
//!    it has by `(16 - 12) << k`, the uppermost first: one shift under a mask. So the nibbles of index 2 and 3 move by 8,
//!    then those of 1 and 3 by 4. What is whole bytes apart on both sides is moved by the orders instead.
//!
//! Back it is the same in reverse: shifts together, one upwards that puts the first bit to its place in a byte, and
//! bytes that are taken in their order, a byte that up to four of the 64 bits share from all of them.
//!
//! Up to 64 bits that begin within a byte lie in nine. The ninth of each 64 bits has an order of its own, from where its bits
//! are shifted in, or to where they are shifted out.

use super::super::lookup::Table;
use super::super::place::LINE;

/// Steps of an index: so many, so many bits apart in memory and in the stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) count: i64,
    pub(super) packed: i64,
    pub(super) staged: i64,
}

/// A row's way between memory and a stage.
#[derive(Clone, Debug)]
pub(super) struct Spacing {
    /// The bits of the row from the first to the last, where it comes from and where it goes.
    pub(super) from: usize,
    pub(super) to: usize,
    /// The bytes from a row's first byte on that are read of it at most, by registers of up to 64 bytes.
    pub(super) reach: usize,
    /// The bits below a byte of where registers are read from, of a row that begins at one.
    pub(super) bits: i64,
    /// The registers of the stage, if it differs from memory.
    pub(super) groups: Vec<Group>,
    pub(super) vectors: Vec<Vector>,
    /// By how many bits bits are shifted, one after the other.
    pub(super) shifts: Vec<u64>,
    pub(super) tables: Tables,
}

/// What there is of a register, in this order: into the stage an order of bytes, how far each 64 bits are shifted as a
/// whole, what each shift leaves, and a mask; out of it what each shift leaves, how far each 64 bits are shifted, and one
/// to four orders, each with its mask. The order of ninth bytes comes after the first one into the stage, with its mask last out of it.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// Whether it is out of the stage.
    pub(super) is_together: bool,
    /// Whether there are any of how far 64 bits are shifted as a whole.
    pub(super) has_turns: bool,
    pub(super) has_masks: bool,
    /// Whether any 64 bits lie in nine bytes.
    pub(super) has_ninths: bool,
    /// How many orders are joined: one for each of the 64 bits that a byte is made of.
    pub(super) n_orders: usize,
    /// One after the other.
    pub(super) bytes: Vec<Table>,
}

/// Some registers of the stage, again and again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Where those of the first tables are listed, and behind the last.
    pub(super) vectors: (usize, usize),
    pub(super) count: i64,
    /// From one time to the next in bits, where they come from and where they go.
    pub(super) steps: (i64, i64),
}

/// Registers of the stage that have the same tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector {
    /// The first bit of the first, where it comes from and where it goes.
    pub(super) from: i64,
    pub(super) to: i64,
    /// How many there are, and the bits from one to the next on either side, where they go whole bytes.
    pub(super) count: i64,
    pub(super) steps: (i64, i64),
    /// The byte of the tables that its own begin at.
    pub(super) table: usize,
}

impl Tables {
    /// Whether nothing is done but that bytes are taken from one order.
    pub(super) fn are_plain(&self) -> bool {
        !self.has_turns && !self.has_masks && !self.has_ninths && self.n_orders == 1
    }
}

impl Vector {
    /// Takes another register in, if it has the same tables and lies as far behind the last of these as that behind the one before.
    /// Says whether it does.
    fn take(&mut self, next: &Vector) -> bool {
        let reach = (next.from - self.from, next.to - self.to);
        let steps = if self.count == 1 { reach } else { self.steps };
        let follows = reach == (self.count * steps.0, self.count * steps.1);
        let is_next = self.table == next.table && follows && steps.1 % 8 == 0;
        if is_next {
            (self.count, self.steps) = (self.count + 1, steps);
        }
        is_next
    }

    /// Takes all the same registers in that lie by these steps further on, so many times in all, if they go on with those it has.
    /// Says whether they do.
    fn take_again(&mut self, steps: (i64, i64), times: i64) -> bool {
        let one = if self.count == 1 { steps } else { self.steps };
        let goes_on = steps == (self.count * one.0, self.count * one.1) && one.1 % 8 == 0;
        if goes_on {
            (self.count, self.steps) = (self.count * times, one);
        }
        goes_on
    }
}

/// Bits that follow each other on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    packed: i64,
    staged: i64,
    len: i64,
    /// The shifts that move them, as bits.
    shifts: u16,
}

/// Which way rows go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Toward {
    Apart,
    Together,
}

/// The bits that are shifted as one number.
const WORD: i64 = 64;

/// The most that a register has of them.
const MOST_WORDS: usize = LINE / 8;

/// The most orders that are joined.
pub(super) const MOST_ORDERS: usize = 4;

/// The most shifts: one for each bit of an index within as many bits.
const MOST_SHIFTS: usize = WORD.trailing_zeros() as usize;

impl Spacing {
    /// The way of rows of these steps, the innermost first, of values of so many bits, by registers of `window` bytes.
    /// `zeros` bits above each value are zero where they go; if there are none, what is between values may be anything.
    /// `None` where 64 bits of the stage begin at several bits of a byte of memory, or a register is of more than one of memory,
    /// or 64 bits are of more than 64 and are shifted too.
    pub(super) fn of(
        steps: &[Step],
        value: i64,
        zeros: i64,
        toward: Toward,
        window: usize,
    ) -> Option<Spacing> {
        let (is_together, is_zeroed) = (toward == Toward::Together, zeros > 0);
        let reach = |of: fn(&Step) -> i64| {
            let steps = steps.iter().map(|step| (step.count - 1) * of(step));
            (steps.sum::<i64>() + value) as usize
        };
        let (packed, staged) = (reach(|step| step.packed), reach(|step| step.staged));
        let (from, to) = if is_together { (staged, packed) } else { (packed, staged) };
        let mut spacing = Spacing { to, ..Spacing::same(from) };
        (spacing.tables.is_together, spacing.tables.has_masks) = (is_together, is_zeroed);
        if !is_zeroed && steps.iter().all(|step| step.packed == step.staged) {
            return Some(spacing);
        }
        let digits = digits(steps);
        if digits.len() > MOST_SHIFTS {
            return None;
        }
        let moves = digits.iter().filter(|(packed, staged)| packed != staged);
        spacing.shifts = moves.map(|(packed, staged)| (staged - packed) as u64).collect();
        let mut making = Making {
            toward,
            zeros,
            window,
            patterns: Vec::new(),
            drafts: Vec::new(),
            known: Vec::new(),
        };
        // The outermost steps are the same again and again, as many at a time as fill registers.
        let bits = window as i64 * 8;
        let once = [Step { count: 1, packed: value, staged: value }];
        let (last, inner) = steps.split_last().unwrap_or((&once[0], &[]));
        let at_once = match bits % last.staged == 0 {
            true => (bits / last.staged).min(last.count),
            false if last.staged % bits == 0 => 1,
            false => last.count,
        };
        let (times, rest) = (last.count / at_once, last.count % at_once);
        let mut first = (0, 0);
        for (count, times) in [(at_once, times), (rest, 1)] {
            if count == 0 {
                continue;
            }
            let steps: Vec<Step> = inner.iter().copied().chain([Step { count, ..*last }]).collect();
            let again = (at_once * last.packed, at_once * last.staged);
            making.add(&mut spacing, &Runs::of(&steps, value, &digits), first, times, again)?;
            first = (first.0 + times * again.0, first.1 + times * again.1);
        }
        spacing.write(&making.drafts);
        (spacing.reach, spacing.bits) = (spacing.reached(), spacing.bits_within_bytes());
        Some(spacing)
    }

    /// Rows of so many bits that are the same on both sides.
    pub(super) fn same(len: usize) -> Self {
        let bytes = Vec::new();
        let [is_together, has_turns, has_masks, has_ninths] = [false; 4];
        let tables = Tables { is_together, has_turns, has_masks, has_ninths, n_orders: 1, bytes };
        Spacing {
            from: len,
            to: len,
            reach: reach(len),
            bits: 0,
            groups: Vec::new(),
            vectors: Vec::new(),
            shifts: Vec::new(),
            tables,
        }
    }

    /// Writes the tables of the registers, which have the numbers of theirs.
    fn write(&mut self, drafts: &[Draft]) {
        let tables = &mut self.tables;
        let joins = |order: usize| drafts.iter().any(|draft| draft.orders[order].taken != 0);
        tables.n_orders = 1 + (1..MOST_ORDERS).take_while(|&order| joins(order)).count();
        tables.has_turns = drafts.iter().any(|draft| draft.turns.iter().any(|turn| *turn != 0));
        tables.has_ninths = drafts.iter().any(|draft| draft.ninths.taken != 0);
        let are_cut = |draft: &Draft| {
            let Order { taken, mask, .. } = &draft.orders[0];
            mask.iter().enumerate().any(|(byte, mask)| taken >> byte & 1 == 1 && *mask != u8::MAX)
        };
        tables.has_masks |= tables.is_together
            && (tables.n_orders > 1 || tables.has_ninths || drafts.iter().any(are_cut));
        let mut bytes = Vec::new();
        let mut begins = Vec::with_capacity(drafts.len());
        for draft in drafts {
            begins.push(bytes.len());
            draft.write(tables, &self.shifts, &mut bytes);
        }
        for vector in &mut self.vectors {
            vector.table = begins[vector.table];
        }
        let table = |bytes: &[u8]| {
            let mut table = Table([0; 64]);
            table.0[..bytes.len()].copy_from_slice(bytes);
            table
        };
        tables.bytes = bytes.chunks(64).map(table).collect();
        // Apart, the uppermost bits of an index move first.
        if !tables.is_together {
            self.shifts.reverse();
        }
    }

    /// Whether rows are the same in memory and in the stage.
    pub(super) fn is_same(&self) -> bool {
        self.groups.is_empty()
    }

    /// The bytes from a row's first byte on that its registers read at most.
    fn reached(&self) -> usize {
        let of_group = |group: &Group| {
            let (first, end) = group.vectors;
            let last = |vector: &Vector| vector.from + (vector.count - 1) * vector.steps.0;
            let last = self.vectors[first..end].iter().map(last).max();
            reach((last.unwrap_or(0) + (group.count - 1) * group.steps.0) as usize)
        };
        self.groups.iter().map(of_group).fold(reach(self.from), usize::max)
    }

    /// The bits below a byte of where registers are read from, of a row that begins at one.
    fn bits_within_bytes(&self) -> i64 {
        let vectors = self.vectors.iter().map(|vector| vector.from | vector.steps.0);
        let groups = self.groups.iter().map(|group| group.steps.0);
        vectors.chain(groups).fold(0, |bits, begin| bits | begin) % 8
    }

    /// The bytes that it has allocated.
    pub(super) fn held_bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Group>()
            + self.vectors.capacity() * size_of::<Vector>()
            + self.tables.bytes.capacity() * size_of::<Table>()
            + self.shifts.capacity() * size_of::<u64>()
    }
}

/// The bytes from a row's first byte on that registers reach whose last begins at such a bit: a byte more than it has, and
/// those of a load further on.
fn reach(bit: usize) -> usize {
    bit / 8 + 1 + LINE + 9
}

/// Tables of registers as they are made.
struct Making {
    toward: Toward,
    zeros: i64,
    window: usize,
    patterns: Vec<Pattern>,
    drafts: Vec<Draft>,
    /// Of each draft, within which bit of a byte its registers begin, and the number of their pattern.
    known: Vec<(i64, usize)>,
}

impl Making {
    /// Adds the registers of some runs from these bits on, in memory and in the stage, so many times.
    fn add(
        &mut self,
        spacing: &mut Spacing,
        runs: &Runs,
        first: (i64, i64),
        times: i64,
        again: (i64, i64),
    ) -> Option<()> {
        let is_together = self.toward == Toward::Together;
        let begin = spacing.vectors.len();
        let steps = if is_together { (again.1, again.0) } else { again };
        // Where registers begin within a byte of memory, their tables differ.
        let times_at_once = if is_together && again.0 % 8 != 0 { 1 } else { times };
        for time in 0..times / times_at_once {
            let places = match self.toward {
                Toward::Apart => {
                    places(runs.clone(), self.zeros, self.window as i64 * 8, &mut self.patterns)
                }
                Toward::Together => self.places_together(runs.clone()),
            };
            // What is beyond a register's own bits may be anything where the next one begins at a byte, and writes over it.
            let at_bytes = |bit: i64| bit % 8 == 0;
            let begin_at_bytes = at_bytes(first.0) && at_bytes(again.0);
            let may_be_more = self.zeros == 0
                && (!is_together
                    || begin_at_bytes && places.iter().all(|place| at_bytes(place.packed)));
            for place in places {
                let (packed, staged) = (first.0 + time * again.0, first.1 + time * again.1);
                let (packed, staged) = (packed + place.packed, staged + place.staged);
                let table = self.table(spacing, packed, place.pattern, may_be_more)?;
                let (from, to) = if is_together { (staged, packed) } else { (packed, staged) };
                let vector = Vector { from, to, count: 1, steps: (0, 0), table };
                let last = spacing.vectors[begin..].last_mut();
                if !last.is_some_and(|last| last.take(&vector)) {
                    spacing.vectors.push(vector);
                }
            }
        }
        let is_taken = match &mut spacing.vectors[begin..] {
            [only] => only.take_again(steps, times_at_once),
            _ => false,
        };
        let count = if is_taken { 1 } else { times_at_once };
        let vectors = (begin, spacing.vectors.len());
        spacing.groups.push(Group { vectors, count, steps });
        Some(())
    }

    /// The registers of the stage that some runs are put together from. Where zeros above the last run of one are more than it
    /// writes, another writes them.
    fn places_together(&mut self, runs: Runs) -> Vec<Place> {
        let bits = self.window as i64 * 8;
        let places = places(runs, 0, bits, &mut self.patterns);
        let mut all = Vec::with_capacity(places.len());
        let mut places = places.into_iter().peekable();
        while let Some(place) = places.next() {
            let Place { packed, staged, pattern } = place;
            let end = self.patterns[pattern].last().map_or(0, |last| last.packed + last.len);
            all.push(place);
            let goes_on = places.peek().is_some_and(|next| next.packed <= packed + bits);
            if end + self.zeros > bits && !goes_on {
                let pattern = number_of(&Pattern::new(), &mut self.patterns);
                all.push(Place { packed: packed + bits, staged, pattern });
            }
        }
        all
    }

    /// The number of the tables of a register of this pattern, or if it may of one that goes on, from this bit of memory on.
    fn table(
        &mut self,
        spacing: &mut Spacing,
        packed: i64,
        pattern: usize,
        may_be_more: bool,
    ) -> Option<usize> {
        let is_together = self.toward == Toward::Together;
        let first = if is_together { packed % 8 } else { 0 };
        let does = |&(known_first, known): &(i64, usize)| {
            known_first == first && (known == pattern || may_be_more && self.begins(pattern, known))
        };
        if let Some(number) = self.known.iter().position(does) {
            return Some(number);
        }
        let runs = &self.patterns[pattern];
        self.drafts.push(Draft::of(runs, first, &spacing.shifts, self.toward, self.window)?);
        self.known.push((first, pattern));
        Some(self.drafts.len() - 1)
    }

    /// Whether a pattern is the beginning of another one.
    fn begins(&self, pattern: usize, longer: usize) -> bool {
        let (pattern, longer) = (&self.patterns[pattern], &self.patterns[longer]);
        let Some((last, others)) = pattern.split_last() else { return false };
        let goes_on = |run: &Run| Run { len: last.len, ..*run } == *last && run.len >= last.len;
        longer.starts_with(others) && longer.get(others.len()).is_some_and(goes_on)
    }
}

/// The bits of the indices within 64 bits of the stage, how far apart the values of each are on either side, from the
/// innermost on; without the outermost of them that are whole bytes apart on both sides, and are moved by the orders.
fn digits(steps: &[Step]) -> Vec<(i64, i64)> {
    let mut digits = Vec::new();
    for step in steps {
        let weights = (0..n_bits(step)).map(|bit| (step.packed << bit, step.staged << bit));
        digits.extend(weights.take_while(|weight| weight.1 < WORD));
    }
    while digits.last().is_some_and(|&(packed, staged)| packed % 8 == 0 && staged % 8 == 0) {
        digits.pop();
    }
    digits
}

/// How many bits an index has.
fn n_bits(step: &Step) -> u32 {
    64 - (step.count - 1).leading_zeros()
}

/// The runs of a row, from its first on.
#[derive(Clone)]
struct Runs {
    /// The indices that are not within a run.
    indices: Vec<RunIndex>,
    next: Option<Run>,
}

/// One index of runs, and where it is.
#[derive(Clone)]
struct RunIndex {
    step: Step,
    at: i64,
    /// The bits that are shifted apart on their own, and the number of the first one's shift.
    shifted: u16,
    first: u32,
}

impl Runs {
    /// The runs of a row whose indices have these bits.
    fn of(steps: &[Step], value: i64, digits: &[(i64, i64)]) -> Self {
        let (mut len, mut indices) = (value, Vec::new());
        let (mut n_digits, mut first) = (digits.len(), 0);
        for &step in steps {
            let n_within = (0..n_bits(&step)).filter(|bit| step.staged << bit < WORD).count();
            let n_here = n_within.min(n_digits);
            n_digits -= n_here;
            let n_shifts = if step.packed == step.staged { 0 } else { n_here as u32 };
            if indices.is_empty() && step.packed == len && step.staged == len {
                len *= step.count;
            } else if step.count > 1 {
                indices.push(RunIndex { step, at: 0, shifted: (1 << n_shifts) - 1, first });
            }
            first += n_shifts;
        }
        Runs { indices, next: Some(Run { packed: 0, staged: 0, len, shifts: 0 }) }
    }
}

impl Iterator for Runs {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let run = self.next.take()?;
        let mut next = run;
        for RunIndex { step, at, shifted, first } in &mut self.indices {
            next.shifts &= !(*shifted << *first);
            if *at + 1 < step.count {
                *at += 1;
                next.packed += step.packed;
                next.staged += step.staged;
                next.shifts |= (*at as u16 & *shifted) << *first;
                self.next = Some(next);
                break;
            }
            next.packed -= *at * step.packed;
            next.staged -= *at * step.staged;
            *at = 0;
        }
        Some(run)
    }
}

/// Runs from the first bit of a register on, on either side.
type Pattern = Vec<Run>;

/// Where a register of the stage begins, in memory and in the stage, and the number of its pattern.
struct Place {
    packed: i64,
    staged: i64,
    pattern: usize,
}

/// The registers of so many bits that some runs take in the stage, with as many zeros above each of them.
fn places(runs: Runs, zeros: i64, bits: i64, patterns: &mut Vec<Pattern>) -> Vec<Place> {
    let mut places = Vec::new();
    let (mut runs, mut begin, mut end, mut packed) = (runs.peekable(), 0, 0, 0);
    let mut pattern = Pattern::new();
    while runs.peek().is_some() || begin < end {
        if begin >= end
            && let Some(next) = runs.peek()
        {
            begin = begin.max(next.staged / bits * bits);
        }
        pattern.clear();
        while let Some(run) = runs.peek_mut() {
            let room = begin + bits - run.staged;
            if room <= 0 {
                break;
            }
            let len = run.len.min(room);
            end = run.staged + run.len + zeros;
            pattern.push(Run { staged: run.staged - begin, len, ..*run });
            if len < run.len {
                run.packed += len;
                run.staged += len;
                run.len -= len;
                break;
            }
            runs.next();
        }
        // What is beyond the last run is made of none, wherever it is read from.
        packed = pattern.first().map_or(packed, |first| first.packed);
        pattern.iter_mut().for_each(|run| run.packed -= packed);
        let number = number_of(&pattern, patterns);
        places.push(Place { packed, staged: begin, pattern: number });
        begin += bits;
    }
    places
}

/// The number of a pattern among those that there are, of which it is one then.
fn number_of(pattern: &Pattern, patterns: &mut Vec<Pattern>) -> usize {
    patterns.iter().position(|known| known == pattern).unwrap_or_else(|| {
        patterns.push(pattern.clone());
        patterns.len() - 1
    })
}

/// The tables of a register as they are made.
struct Draft {
    orders: [Order; MOST_ORDERS],
    /// Of the ninth byte of each 64 bits.
    ninths: Order,
    /// The bytes of a register.
    window: usize,
    /// Of each 64 bits, by how much they are shifted as a whole.
    turns: [u64; MOST_WORDS],
    /// Of each shift and each 64 bits, which have been shifted apart.
    shifted: Vec<u64>,
}

/// Of each byte, which one it is taken from, of those that are `taken`, and the bits that are kept.
#[derive(Clone, Copy)]
struct Order {
    from: [u8; LINE],
    taken: u64,
    mask: [u8; LINE],
}

impl Order {
    /// Takes a byte from another, if it is taken from none or from that.
    fn take(&mut self, byte: usize, from: u8) -> Option<()> {
        let is_free = self.taken >> byte & 1 == 0;
        if !is_free && self.from[byte] != from {
            return None;
        }
        (self.taken, self.from[byte]) = (self.taken | 1 << byte, from);
        Some(())
    }
}

impl Draft {
    fn new(window: usize, n_shifts: usize) -> Self {
        let none = Order { from: [0; LINE], taken: 0, mask: [0; LINE] };
        Draft {
            orders: [none; MOST_ORDERS],
            ninths: none,
            window,
            turns: [0; MOST_WORDS],
            shifted: vec![0; n_shifts * window / 8],
        }
    }

    /// How many 64 bits there are.
    fn n_words(&self) -> usize {
        self.window / 8
    }

    /// Of these runs, from bit `first` of a byte of memory on.
    fn of(
        runs: &[Run],
        first: i64,
        shifts: &[u64],
        toward: Toward,
        window: usize,
    ) -> Option<Draft> {
        let mut draft = Draft::new(window, shifts.len());
        let mut turned = None;
        for (number, run) in words(runs) {
            let (place, packed) =
                (run.staged - draft.shift(number, &run, shifts)?, run.packed + first);
            let turn = (packed - place).rem_euclid(8);
            let is_turned_twice =
                turned.is_some_and(|(known, turned)| known == number && turned != turn);
            let has_ninth = place + turn + run.len > WORD;
            if is_turned_twice || has_ninth && !shifts.is_empty() {
                return None;
            }
            turned = Some((number, turn));
            draft.turns[number] = turn as u64;
            let mut bit = 0;
            while bit < run.len {
                // Bits of one byte wherever they are.
                let staged = number as i64 * WORD + run.staged + bit;
                let left = |bit: i64| 8 - bit % 8;
                let n = left(packed + bit).min(left(staged)).min(run.len - bit);
                let byte = ((place + turn + bit) / 8) as usize;
                match toward {
                    Toward::Apart => draft.give(number, byte, packed + bit, staged, n)?,
                    Toward::Together => draft.take(number, byte, packed + bit, n)?,
                }
                bit += n;
            }
        }
        Some(draft)
    }

    /// Gives this byte of 64 bits, their ninth too, `n` bits of memory, which go to others of the stage.
    fn give(&mut self, number: usize, byte: usize, bit: i64, staged: i64, n: i64) -> Option<()> {
        let from = u8::try_from(bit / 8).ok()?;
        if usize::from(from) >= self.window {
            return None;
        }
        match byte {
            8 => self.ninths.take(number * 8, from)?,
            _ => self.orders[0].take(number * 8 + byte, from)?,
        }
        self.orders[0].mask[(staged / 8) as usize] |= ones(n) << (staged % 8);
        Some(())
    }

    /// Notes that a run of 64 bits is shifted by its shifts; how far that is in all.
    fn shift(&mut self, number: usize, run: &Run, shifts: &[u64]) -> Option<i64> {
        let n_words = self.n_words();
        let ones = if run.len >= WORD { u64::MAX } else { (1 << run.len) - 1 };
        let is_of = |shift: &usize| run.shifts >> shift & 1 == 1;
        let all: u64 = (0..shifts.len()).filter(is_of).map(|shift| shifts[shift]).sum();
        // Where they are, going apart, after each.
        let mut place = u64::try_from(run.staged).ok()?.checked_sub(all)?;
        for shift in (0..shifts.len()).rev().filter(is_of) {
            place += shifts[shift];
            self.shifted[shift * n_words + number] |= ones << place;
        }
        Some(all as i64)
    }

    /// Takes `n` bits of memory from this byte of 64 bits, their ninth too.
    fn take(&mut self, number: usize, byte: usize, bit: i64, n: i64) -> Option<()> {
        let place = usize::try_from(bit / 8).ok()?;
        if place >= self.window {
            return None;
        }
        let (orders, from) = match byte {
            8 => (std::slice::from_mut(&mut self.ninths), number * 8),
            _ => (&mut self.orders[..], number * 8 + byte),
        };
        let from = u8::try_from(from).ok()?;
        let order = orders.iter_mut().find_map(|order| {
            order.take(place, from)?;
            Some(order)
        })?;
        order.mask[place] |= ones(n) << (bit % 8);
        Some(())
    }

    /// Adds its tables in the order in which they are used, those of so many shifts.
    fn write(&self, tables: &Tables, shifts: &[u64], bytes: &mut Vec<u8>) {
        let orders = |number: usize| &self.orders[number].from[..self.window];
        let masks = |number: usize| &self.orders[number].mask[..self.window];
        let turns = || self.turns[..self.n_words()].iter().flat_map(|turn| turn.to_le_bytes());
        let n_words = self.n_words();
        let shifted = |shift: usize, by: u64| {
            let words = &self.shifted[shift * n_words..(shift + 1) * n_words];
            // Together, a bit is moved from there to where it was before.
            let by = if tables.is_together { by } else { 0 };
            words.iter().flat_map(move |word| (word >> by).to_le_bytes())
        };
        let ninths = &self.ninths;
        if !tables.is_together {
            bytes.extend(orders(0));
            if tables.has_ninths {
                bytes.extend(&ninths.from[..self.window]);
            }
            if tables.has_turns {
                bytes.extend(turns());
            }
            for (shift, &by) in shifts.iter().enumerate().rev() {
                bytes.extend(shifted(shift, by));
            }
            if tables.has_masks {
                bytes.extend(masks(0));
            }
            return;
        }
        for (shift, &by) in shifts.iter().enumerate() {
            bytes.extend(shifted(shift, by));
        }
        if tables.has_turns {
            bytes.extend(turns());
        }
        for pick in 0..tables.n_orders {
            bytes.extend(orders(pick));
            if tables.has_masks {
                bytes.extend(masks(pick));
            }
        }
        if tables.has_ninths {
            bytes.extend(ninths.from[..self.window].iter().chain(&ninths.mask[..self.window]));
        }
    }
}

/// A byte whose lowest `n` bits are set.
fn ones(n: i64) -> u8 {
    ((1u32 << n) - 1) as u8
}

/// The parts of runs that lie in 64 bits of a register, with the number of those; places in the stage are counted from
/// there on.
fn words(runs: &[Run]) -> impl Iterator<Item = (usize, Run)> {
    runs.iter().flat_map(|&run| {
        let (first, last) = (run.staged / WORD, (run.staged + run.len - 1) / WORD);
        (first..=last).map(move |number| {
            let begin = run.staged.max(number * WORD);
            let len = (run.staged + run.len).min((number + 1) * WORD) - begin;
            let packed = run.packed + begin - run.staged;
            (number as usize, Run { packed, staged: begin - number * WORD, len, ..run })
        })
    })
}
