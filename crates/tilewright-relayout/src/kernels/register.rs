//! What kernels need of a vector register, and a register of plain bytes.

/// A vector register: some bytes that are loaded, stored and interleaved at once.
///
/// All but the plain one exist only on processors that have them. Nothing here may be called
/// elsewhere than under [`Level::run`](super::level::Level::run) of their level.
pub(super) trait Register: Copy {
    /// The bytes of a register, 16, 32 or 64.
    const BYTES: usize;

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

    /// 16 bytes, again and again.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn repeat(bytes: &[u8; 16]) -> Self;
}

/// Sixteen bytes, moved by whatever instructions the compiler finds.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(super) struct Plain([u8; 16]);

// Soundness: loads and stores are of 16 bytes, as promised; the rest is arithmetic.
impl Register for Plain {
    const BYTES: usize = 16;
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

    #[inline(always)]
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

    #[inline(always)]
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
}

// Soundness: the bytes that are written are those promised.
