//! What kernels need of a vector register, and a register of plain bytes.

use super::place::{At, copy_few};

/// A vector register: some bytes that are loaded, stored and interleaved at once.
///
/// All but the plain one exist only on processors that have them. Nothing here may be called
/// elsewhere than under [`Level::run`](super::level::Level::run) of their level.
pub(super) trait Register: Copy {
    /// The bytes of a register, 16, 32 or 64.
    const BYTES: usize;

    /// Whether there are kernels that ask for lines, or store past the caches.
    const HAS_HINTS: bool = false;

    /// A register half as long; of 16 bytes itself.
    type Half: Register;

    /// A register of 16 bytes, of which this one is made.
    type Lane: Register;

    /// # Safety
    /// The processor has these registers, and [`BYTES`](Self::BYTES) bytes can be read at `from`.
    unsafe fn load(from: *const u8) -> Self;

    /// # Safety
    /// The processor has these registers, and `BYTES` bytes can be written at `to`.
    unsafe fn store(self, to: *mut u8);

    /// 16 bytes from each of as many places as make a register: from `at` on, so far as every
    /// `step`th of `distances`.
    ///
    /// # Safety
    /// The processor has these registers, and 16 bytes can be read at each of the places.
    #[inline(always)]
    unsafe fn load_lanes(at: *const u8, distances: &[i64], _step: usize) -> Self {
        const { assert!(Self::BYTES == 16, "longer registers have their own") };
        // SAFETY: the caller's promise, for the one place.
        unsafe { Self::load(at.wrapping_offset(distances[0] as isize)) }
    }

    /// Its lanes of 16 bytes in the order of their numbers XORed with `by`, which is less than there are.
    ///
    /// # Safety
    /// The processor has these registers.
    #[inline(always)]
    unsafe fn with_lanes_flipped(self, _by: usize) -> Self {
        const { assert!(Self::BYTES == 16, "longer registers have their own") };
        self
    }

    /// The 16 bytes of this number.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn lane(self, number: usize) -> Self::Lane;

    /// Stores past the caches.
    ///
    /// # Safety
    /// As [`store`](Self::store), and `to` is a multiple of `BYTES`.
    unsafe fn stream(self, to: *mut u8);

    /// The elements of the two registers in turn, each `N` bytes, as two registers, within each 16
    /// bytes; elements have fewer.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn zip_lanes<const N: usize>(self, other: Self) -> (Self, Self);

    /// The bytes of every 16 in another order: the first is the one whose number `order` has first,
    /// and so on. A number of 128 stands for a zero.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn shuffle(self, order: Self) -> Self;

    /// The bits of both.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn or(self, other: Self) -> Self;

    /// Exchanges bits: those that lie `shift` (below 64) bits above the bits of `lower` in this one
    /// for the bits of `lower` in the other. No two of them are in different 64 bits.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn exchange(self, other: Self, lower: Self, shift: usize) -> (Self, Self);

    /// The first that [`exchange`](Self::exchange) gives, if `lower` and the bits above its are all bits.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn merged(self, other: Self, lower: Self, shift: usize) -> Self;

    /// As [`exchange`](Self::exchange) with a register of zeros, if `lower` and the bits above its are
    /// all bits.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn spread(self, lower: Self, shift: usize) -> (Self, Self);

    /// Exchanges the odd lanes of this register for the even lanes of the other.
    ///
    /// # Safety
    /// The processor has these registers.
    #[inline(always)]
    unsafe fn swap_lanes(self, other: Self) -> (Self, Self) {
        (self, other)
    }

    /// Exchanges the upper half of this register for the lower half of the other, of registers of four lanes.
    ///
    /// # Safety
    /// The processor has these registers.
    #[inline(always)]
    unsafe fn swap_halves(self, other: Self) -> (Self, Self) {
        (self, other)
    }

    /// The bits of both where both have them.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn and(self, other: Self) -> Self;

    /// Exchanges the bits of `lower` for those that lie `shift` bits above them, in the same 64 bits.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn swap_bits(self, lower: Self, shift: usize) -> Self;

    /// Exchanges bit `i` of byte `j` for bit `j` of byte `i`, in each 64 bits.
    ///
    /// # Safety
    /// The processor has these registers.
    #[inline(always)]
    unsafe fn transpose_bits(self) -> Self {
        // Of squares of 1, 2 and 4 bits: those on one side of the diagonal, and how far from them the others are.
        let sides: [(u64, usize); 3] =
            [(0x00aa_00aa_00aa_00aa, 7), (0x0000_cccc_0000_cccc, 14), (0x0000_0000_f0f0_f0f0, 28)];
        let mut bits = self;
        for (lower, shift) in sides {
            let lower = u128::from(lower) << 64 | u128::from(lower);
            // SAFETY: the caller's promise.
            unsafe { bits = bits.swap_bits(Self::repeat(&lower.to_le_bytes()), shift) };
        }
        bits
    }

    /// 16 bytes, again and again.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn repeat(bytes: &[u8; 16]) -> Self;

    /// No bits.
    ///
    /// # Safety
    /// The processor has these registers.
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::repeat(&[0; 16]) }
    }

    /// The bytes in another order, wherever they are: the first is the one whose number `order` has first. Of
    /// registers of a window: of 16 bytes, or of 64.
    ///
    /// # Safety
    /// The processor has these registers.
    #[inline(always)]
    unsafe fn pick(self, order: Self) -> Self {
        const { assert!(Self::BYTES != 64, "these have their own") };
        // SAFETY: the caller's promise.
        unsafe { self.shuffle(order) }
    }

    /// Another register with bytes of this one, those whose numbers `order` has, at places whose bit `bytes` has. There the other has
    /// zeros, and `order` has 128 at the other places. Of registers of a window.
    ///
    /// # Safety
    /// The processor has these registers.
    #[inline(always)]
    unsafe fn pick_to(self, other: Self, order: Self, _bytes: u64) -> Self {
        // SAFETY: the caller's promise.
        unsafe { other.or(self.pick(order)) }
    }

    /// Every 64 bits turned to the left by so many, fewer than 64.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn turn(self, bits: u64) -> Self;

    /// Every 64 bits shifted down by so many (1 to 63), the lowest of `next` above them.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn funnel(self, next: Self, bits: u64) -> Self;

    /// Every 64 bits shifted down by the number (below 64) that `by` has there.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn down_each(self, by: Self) -> Self;

    /// The same upwards.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn up_each(self, by: Self) -> Self;

    /// Every 64 bits shifted down by the number (below 64) that `by` has there, the lowest of `next` above them.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn funnel_each(self, next: Self, by: Self) -> Self;

    /// What of every 64 bits is shifted out where they are shifted up by the number (below 64) that `by` has there.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn carried_each(self, by: Self) -> Self;

    /// The bits of `mask` from every 64 bits shifted up by so many, the others as they are.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn merge_up(self, mask: Self, bits: u64) -> Self;

    /// The same shifted down.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn merge_down(self, mask: Self, bits: u64) -> Self;

    /// The first `len` bytes from a place on, and zeros.
    ///
    /// # Safety
    /// The processor has these registers, and `len` bytes can be read at `from`, no more than a register.
    #[inline(always)]
    unsafe fn load_first(from: *const u8, len: usize) -> Self {
        let mut bytes = [0u8; 64];
        // SAFETY: the caller's promise; no register is longer.
        unsafe {
            copy_few(At { src: from, dst: bytes.as_mut_ptr() }, len.min(Self::BYTES));
            Self::load(bytes.as_ptr())
        }
    }

    /// The first `len` bytes from one place on, and behind them those that are there from another place on.
    ///
    /// # Safety
    /// The processor has these registers. `len` bytes, fewer than a register, can be read at `first`, and those from `len` on
    /// at `rest`.
    #[inline(always)]
    unsafe fn load_joined(first: *const u8, rest: *const u8, len: usize) -> Self {
        let mut bytes = [0u8; 64];
        let to = bytes.as_mut_ptr();
        // SAFETY: the caller's promise; no register is longer.
        unsafe {
            std::ptr::copy_nonoverlapping(first, to, len);
            let rest = rest.wrapping_add(len);
            std::ptr::copy_nonoverlapping(rest, to.wrapping_add(len), Self::BYTES - len);
            Self::load(to)
        }
    }

    /// Stores the first `len` bytes.
    ///
    /// # Safety
    /// The processor has these registers, and `len` bytes can be written at `to`.
    #[inline(always)]
    unsafe fn store_first(self, to: *mut u8, len: usize) {
        let mut bytes = [0u8; 64];
        // SAFETY: the caller's promise; no register is longer.
        unsafe {
            self.store(bytes.as_mut_ptr());
            copy_few(At { src: bytes.as_ptr(), dst: to }, len.min(Self::BYTES));
        }
    }

    /// Stores some of the first `len` bytes, those whose bit `owned` has. Of the others, `kept` has all bits,
    /// and this register none.
    ///
    /// # Safety
    /// The processor has these registers, and `len` bytes can be read and written at `to`.
    #[inline(always)]
    unsafe fn store_some(self, to: *mut u8, kept: Self, _owned: u64, len: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.or(Self::load_first(to, len).and(kept)).store_first(to, len) }
    }
}

/// Sixteen bytes, moved by whatever instructions the compiler finds.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(super) struct Plain([u8; 16]);

// Soundness: loads and stores are of 16 bytes, as promised; the rest is arithmetic. What goes over bytes one by one is not inlined:
// written out for each use it was a quarter of all code, for processors that hardly anyone has.
impl Register for Plain {
    const BYTES: usize = 16;
    // There all of what others do is looked at. Without, it is for processors that take no hints, or are older than SSE4.1.
    const HAS_HINTS: bool = cfg!(miri);
    type Half = Plain;
    type Lane = Plain;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller says that 16 bytes can be read there; the array needs no alignment.
        Plain(unsafe { from.cast::<[u8; 16]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn lane(self, _number: usize) -> Self {
        self
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller says that 16 bytes can be written there.
        unsafe { to.cast::<[u8; 16]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: what streaming requires includes what storing does.
        unsafe { self.store(to) }
    }

    #[inline(never)]
    unsafe fn zip_lanes<const N: usize>(self, other: Self) -> (Self, Self) {
        if N >= 16 {
            return (self, other);
        }
        let mut zipped = [[0; 16]; 2];
        for (place, byte) in zipped.as_flattened_mut().iter_mut().enumerate() {
            let from = if (place / N).is_multiple_of(2) { &self.0 } else { &other.0 };
            *byte = from[place / (2 * N) * N + place % N];
        }
        (Plain(zipped[0]), Plain(zipped[1]))
    }

    #[inline(never)]
    unsafe fn shuffle(self, order: Self) -> Self {
        Plain(order.0.map(|from| self.0.get(usize::from(from)).copied().unwrap_or(0)))
    }

    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        Plain((u128::from_ne_bytes(self.0) | u128::from_ne_bytes(other.0)).to_ne_bytes())
    }

    #[inline(always)]
    unsafe fn exchange(self, other: Self, lower: Self, shift: usize) -> (Self, Self) {
        let number = |register: Self| u128::from_le_bytes(register.0);
        let (first, last) = (number(self), number(other));
        let changed = (first >> shift ^ last) & number(lower);
        (Plain((first ^ changed << shift).to_le_bytes()), Plain((last ^ changed).to_le_bytes()))
    }

    #[inline(always)]
    unsafe fn merged(self, other: Self, lower: Self, shift: usize) -> Self {
        let number = |register: Self| u128::from_le_bytes(register.0);
        let (lower, upper) = (number(self) & number(lower), number(other) & number(lower));
        Plain((lower | upper << shift).to_le_bytes())
    }

    #[inline(always)]
    unsafe fn spread(self, lower: Self, shift: usize) -> (Self, Self) {
        let (bits, lower) = (u128::from_le_bytes(self.0), u128::from_le_bytes(lower.0));
        (Plain((bits & lower).to_le_bytes()), Plain((bits >> shift & lower).to_le_bytes()))
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        Plain((u128::from_ne_bytes(self.0) & u128::from_ne_bytes(other.0)).to_ne_bytes())
    }

    #[inline(always)]
    unsafe fn swap_bits(self, lower: Self, shift: usize) -> Self {
        let (bits, lower) = (u128::from_le_bytes(self.0), u128::from_le_bytes(lower.0));
        let changed = (bits >> shift ^ bits) & lower;
        Plain((bits ^ changed ^ changed << shift).to_le_bytes())
    }

    #[inline(always)]
    unsafe fn repeat(bytes: &[u8; 16]) -> Self {
        Plain(*bytes)
    }

    #[inline(always)]
    unsafe fn turn(self, bits: u64) -> Self {
        let both = u128::from_le_bytes(self.0);
        let [low, high] =
            [both as u64, (both >> 64) as u64].map(|half| half.rotate_left(bits as u32));
        Plain((u128::from(high) << 64 | u128::from(low)).to_le_bytes())
    }

    #[inline(always)]
    unsafe fn funnel(self, next: Self, bits: u64) -> Self {
        let (low, high) = (self.halves(), next.halves());
        Self::of_halves([0, 1].map(|half| low[half] >> bits | high[half] << (64 - bits)))
    }

    #[inline(always)]
    unsafe fn down_each(self, by: Self) -> Self {
        let (number, by) = (self.halves(), by.halves());
        Self::of_halves([0, 1].map(|half| number[half] >> by[half]))
    }

    #[inline(always)]
    unsafe fn up_each(self, by: Self) -> Self {
        let (number, by) = (self.halves(), by.halves());
        Self::of_halves([0, 1].map(|half| number[half] << by[half]))
    }

    #[inline(always)]
    unsafe fn funnel_each(self, next: Self, by: Self) -> Self {
        let (low, high, by) = (self.halves(), next.halves(), by.halves());
        let both = |half: usize| u128::from(high[half]) << 64 | u128::from(low[half]);
        Self::of_halves([0, 1].map(|half| (both(half) >> by[half]) as u64))
    }

    #[inline(always)]
    unsafe fn carried_each(self, by: Self) -> Self {
        let (number, by) = (self.halves(), by.halves());
        let shifted = |half: usize| u128::from(number[half]) << by[half];
        Self::of_halves([0, 1].map(|half| (shifted(half) >> 64) as u64))
    }

    #[inline(always)]
    unsafe fn merge_up(self, mask: Self, bits: u64) -> Self {
        let (number, mask) = (self.halves(), mask.halves());
        let merged = |half: usize| number[half] & !mask[half] | number[half] << bits & mask[half];
        Self::of_halves([0, 1].map(merged))
    }

    #[inline(always)]
    unsafe fn merge_down(self, mask: Self, bits: u64) -> Self {
        let (number, mask) = (self.halves(), mask.halves());
        let merged = |half: usize| number[half] & !mask[half] | number[half] >> bits & mask[half];
        Self::of_halves([0, 1].map(merged))
    }
}

impl Plain {
    /// Its two numbers of 64 bits, the lower one first.
    #[inline(always)]
    fn halves(self) -> [u64; 2] {
        let both = u128::from_le_bytes(self.0);
        [both as u64, (both >> 64) as u64]
    }

    #[inline(always)]
    fn of_halves([low, high]: [u64; 2]) -> Self {
        Plain((u128::from(high) << 64 | u128::from(low)).to_le_bytes())
    }
}

// Soundness: the bytes that are written are those promised.
