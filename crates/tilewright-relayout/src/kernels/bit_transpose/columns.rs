//! The lines of columns: from where they are made to memory, where they begin within lines and bytes.

use super::super::bit_copy::{self, put_bytes, put_ends, window};
use super::super::level::Task;
use super::super::place::{self, CACHED, LINE, LINE_BITS, STREAMED};
use super::super::register::Register;
use super::squares::LANE;

/// Lines of columns that are written.
pub(super) struct Columns<'c> {
    pub(super) dst: *mut u8,
    /// The bits of that which columns begin at.
    pub(super) places: &'c [i64],
    /// The bits of a column.
    pub(super) len: i64,
    /// How many lines have been made before.
    pub(super) first: i64,
    /// How many are made at a time.
    pub(super) n_lines: i64,
    /// The last line of each column, and those that were made now, and from one column to the next there. If more come after,
    /// or have come before, there is room for a line before them.
    pub(super) stage: *mut u8,
    pub(super) pitch: usize,
    /// Whether none come after.
    pub(super) is_last: bool,
    pub(super) streams: bool,
}

impl Task for Columns<'_> {
    #[inline(always)]
    unsafe fn with<R: Register>(self) {
        // SAFETY: the caller's promise.
        unsafe {
            match (self.first == 0 && self.is_last, self.streams) {
                (false, true) => self.written::<R, STREAMED>(),
                (false, false) => self.written::<R, CACHED>(),
                (true, true) => self.written_whole::<R, STREAMED>(),
                (true, false) => self.written_whole::<R, CACHED>(),
            }
        }
    }
}

impl Columns<'_> {
    /// Writes the lines of memory that are made of what there is, of columns that have more lines than are made at a time: so a column
    /// that ends within a line has begun before that.
    ///
    /// # Safety
    /// All bits of the columns can be written. The processor has the registers.
    #[inline(always)]
    unsafe fn written<R: Register, const S: u8>(self) {
        let Columns { dst, places, len, first, n_lines, stage, pitch, is_last, .. } = self;
        debug_assert!(len > n_lines * LINE_BITS, "columns of {len} bits in parts");
        let line = (dst as usize % LINE) as i64 * 8;
        // A line of memory begins so many bits before the line that is made with it, which comes after the last one's.
        let within = |bit: i64| (bit + line) & (LINE_BITS - 1);
        let memory = |bit: i64| dst.wrapping_offset(((bit - within(bit)) >> 3) as isize);
        for (number, &bit) in places.iter().enumerate() {
            let made = stage.wrapping_add(number * pitch);
            let (memory, within) = (memory(bit), within(bit));
            let from = LINE_BITS - within;
            // SAFETY: the caller's promise.
            unsafe {
                if first > 0 && !is_last {
                    let to = memory.wrapping_add(first as usize * LINE);
                    lines::<R, S>(made, from, to, n_lines as usize);
                    last_to_first::<R>(made, n_lines as usize);
                    continue;
                }
                let all = within + len;
                let mut line = first;
                if first == 0 && within > 0 {
                    let follows = number > 0 && places[number - 1] + len == bit;
                    let mut head = Joined::<R>::new();
                    head.begin(made, from);
                    match follows {
                        true => head.put::<CACHED>(made.wrapping_sub(LINE)),
                        false => head.part(memory, within, LINE_BITS),
                    }
                    line = 1;
                }
                let end = if is_last { i64::MAX } else { first + n_lines };
                let whole = end.min(all / LINE_BITS);
                if line < whole {
                    let made = made.wrapping_add((line - first) as usize * LINE);
                    let to = memory.wrapping_add(line as usize * LINE);
                    lines::<R, S>(made, from, to, (whole - line) as usize);
                    line = whole;
                }
                let rest = all - line * LINE_BITS;
                if is_last && rest > 0 {
                    let to = memory.wrapping_add(line as usize * LINE);
                    let mut tail = Joined::<R>::new();
                    tail.begin(made, from + (line - first) * LINE_BITS);
                    match places.get(number + 1) {
                        Some(&next) if next == bit + len => {
                            tail.go_on(made.wrapping_add(pitch - LINE), 0, rest);
                            tail.put::<S>(to);
                        }
                        _ => tail.part(to, 0, rest),
                    }
                }
                if !is_last {
                    last_to_first::<R>(made, n_lines as usize);
                }
            }
        }
    }

    /// Writes columns that have been made as a whole. A line in which one ends and the next one begins is put together first.
    ///
    /// # Safety
    /// As [`written`](Self::written).
    #[inline(always)]
    unsafe fn written_whole<R: Register, const S: u8>(self) {
        let Columns { dst, places, len, stage, pitch, .. } = self;
        let on_line = (dst as usize % LINE) as i64 * 8;
        // SAFETY: the processor has the registers.
        let mut joined = unsafe { Joined::<R>::new() };
        // The bit where what is put together ends, and how many bits of its line are before what there is of it.
        let (mut end, mut missing) = (i64::MIN, 0);
        for (number, &bit) in places.iter().enumerate() {
            let made = stage.wrapping_add(number * pitch);
            let within = (bit + on_line) & (LINE_BITS - 1);
            let memory = dst.wrapping_offset(((bit - within) >> 3) as isize);
            let (from, all) = (LINE_BITS - within, within + len);
            // SAFETY: the caller's promise; what is put together are bits of columns, from where the first of them begins in the line.
            unsafe {
                if bit != end {
                    joined.rest(dst, end, on_line, missing);
                    missing = within;
                }
                joined.go_on(made, from, within);
                end = bit + len;
                if all < LINE_BITS {
                    continue;
                }
                match missing {
                    0 => joined.put::<S>(memory),
                    bits => joined.part(memory, bits, LINE_BITS),
                }
                missing = 0;
                let whole = all / LINE_BITS;
                lines::<R, S>(
                    made.wrapping_add(LINE),
                    from,
                    memory.wrapping_add(LINE),
                    whole as usize - 1,
                );
                joined.begin(made.wrapping_add(whole as usize * LINE), from);
            }
        }
        // SAFETY: as above.
        unsafe { joined.rest(dst, end, on_line, missing) };
    }
}

/// The most registers that a line has.
const REGISTERS: usize = LINE / LANE;

/// A line that is put together: its first registers.
struct Joined<R: Register>([R; REGISTERS]);

/// For each number of bits of a byte: bytes of ones, one of as many ones, and bytes of zeros.
static ONES: [[u8; 2 * LINE + 1]; 8] = steps(u8::MAX);

/// The same of what is no one there.
static OTHERS: [[u8; 2 * LINE + 1]; 8] = steps(0);

const fn steps(first: u8) -> [[u8; 2 * LINE + 1]; 8] {
    let mut steps = [[!first; 2 * LINE + 1]; 8];
    let mut bits = 0;
    while bits < 8 {
        let mut byte = 0;
        while byte < LINE {
            steps[bits][byte] = first;
            byte += 1;
        }
        steps[bits][LINE] = ((1 << bits) - 1) ^ !first;
        bits += 1;
    }
    steps
}

impl<R: Register> Joined<R> {
    const N: usize = LINE / R::BYTES;

    /// # Safety
    /// The processor has the registers.
    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller's promise.
        Joined([unsafe { R::zero() }; REGISTERS])
    }

    /// Has the line what there is from a bit of those that were made on.
    ///
    /// # Safety
    /// It can be read, and the processor has the registers.
    #[inline(always)]
    unsafe fn begin(&mut self, made: *const u8, from: i64) {
        for (number, register) in self.0.iter_mut().enumerate().take(Self::N) {
            // SAFETY: the caller's promise.
            *register = unsafe { window::<R>(made.wrapping_add(number * R::BYTES), from) };
        }
    }

    /// Has it keep its first bits alone.
    ///
    /// # Safety
    /// As [`begin`](Self::begin).
    #[inline(always)]
    unsafe fn go_on(&mut self, made: *const u8, from: i64, kept: i64) {
        let (bits, byte) = ((kept & 7) as usize, LINE - (kept >> 3) as usize);
        for (number, register) in self.0.iter_mut().enumerate().take(Self::N) {
            let at = byte + number * R::BYTES;
            // SAFETY: the caller's promise; a line of ones and of others begins there.
            unsafe {
                let next = window::<R>(made.wrapping_add(number * R::BYTES), from);
                let ones = R::load(ONES[bits].as_ptr().wrapping_add(at));
                let others = R::load(OTHERS[bits].as_ptr().wrapping_add(at));
                *register = register.and(ones).or(next.and(others));
            }
        }
    }

    /// Writes it.
    ///
    /// # Safety
    /// It can be written, and the processor has the registers.
    #[inline(always)]
    unsafe fn put<const S: u8>(&self, line: *mut u8) {
        for (number, register) in self.0.iter().enumerate().take(Self::N) {
            // SAFETY: the caller's promise.
            unsafe { place::put::<R, S>(*register, line.wrapping_add(number * R::BYTES)) };
        }
    }

    /// Writes its bits from one to another.
    ///
    /// # Safety
    /// As [`put`](Self::put), of these bits.
    #[inline(always)]
    unsafe fn part(&self, line: *mut u8, bit: i64, end: i64) {
        let mut copy = Copied([0; 3 * LINE]);
        let copy = copy.0.as_mut_ptr();
        // SAFETY: the caller's promise; what is read beyond the line is there.
        unsafe {
            self.put::<CACHED>(copy);
            part::<R>(copy, bit, line, bit, (end - bit) as usize);
        }
    }

    /// Writes it up to a bit of the destination, but for what is missing before.
    ///
    /// # Safety
    /// As [`part`](Self::part).
    #[inline(always)]
    unsafe fn rest(&self, dst: *mut u8, end: i64, on_line: i64, missing: i64) {
        let within = end.wrapping_add(on_line) & (LINE_BITS - 1);
        if end != i64::MIN && within > missing {
            let memory = dst.wrapping_offset(((end - within) >> 3) as isize);
            // SAFETY: the caller's promise.
            unsafe { self.part(memory, missing, within) };
        }
    }
}

/// A copy of a line, and what is read beyond it.
#[repr(align(64))]
struct Copied([u8; 3 * LINE]);

/// Writes whole lines from a bit on of those that were made.
///
/// # Safety
/// They can be written, and the processor has the registers.
#[inline(always)]
unsafe fn lines<R: Register, const S: u8>(made: *const u8, from: i64, to: *mut u8, n: usize) {
    let mut done = 0;
    while done < n * LINE {
        // SAFETY: the caller's promise.
        unsafe {
            let bits = window::<R>(made.wrapping_add(done), from);
            place::put::<R, S>(bits, to.wrapping_add(done));
        }
        done += R::BYTES;
    }
}

/// Has the last line of a column come before those that are made next.
///
/// # Safety
/// There are so many lines and one before. The processor has the registers.
#[inline(always)]
unsafe fn last_to_first<R: Register>(made: *mut u8, n: usize) {
    let mut done = 0;
    while done < LINE {
        // SAFETY: the caller's promise.
        unsafe { R::load(made.wrapping_add(n * LINE + done)).store(made.wrapping_add(done)) };
        done += R::BYTES;
    }
}

/// Writes so many bits from a bit on of a line.
///
/// # Safety
/// They can be written, and the processor has the registers.
#[inline(always)]
unsafe fn part<R: Register>(made: *const u8, from: i64, line: *mut u8, bit: i64, len: usize) {
    let (byte, shift) = bit_copy::place(bit);
    let to = line.wrapping_offset(byte);
    // SAFETY: the caller's promise.
    unsafe {
        put_bytes::<R, true>(made, from, to, shift, len);
        put_ends(made, from, to, shift, len);
    }
}
