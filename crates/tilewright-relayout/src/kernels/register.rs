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
    type Lane: Lane;

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

    /// As [`zip`](Self::zip), within each 16 bytes; elements have fewer.
    ///
    /// # Safety
    /// The processor has these registers.
    #[inline(always)]
    unsafe fn zip_lanes<const N: usize>(self, other: Self) -> (Self, Self) {
        const { assert!(Self::BYTES == 16, "longer registers have their own") };
        // SAFETY: the caller's promise.
        unsafe { self.zip::<N>(other) }
    }

    /// Of four registers of four times 16 bytes, the first of each, the second of each, and so on.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn transpose_lanes(registers: [Self; 4]) -> [Self; 4] {
        registers
    }

    /// Stores past the caches.
    ///
    /// # Safety
    /// As [`store`](Self::store), and `to` is a multiple of `BYTES`.
    unsafe fn stream(self, to: *mut u8);

    /// The elements of the two registers in turn, each `N` bytes, as two registers; where an
    /// element is as large as a register, the two.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn zip<const N: usize>(self, other: Self) -> (Self, Self);

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

    /// The elements of even place of the two registers, and those of odd place: undoes `zip`.
    ///
    /// # Safety
    /// The processor has these registers.
    unsafe fn unzip<const N: usize>(self, other: Self) -> (Self, Self);
}

/// A register of 16 bytes.
pub(super) trait Lane: Register {
    /// Writes the first `len` bytes, which are fewer than 16.
    ///
    /// # Safety
    /// The processor has these registers; so many bytes can be written at `to`.
    unsafe fn store_first(self, to: *mut u8, len: usize);
}

/// Writes the first `len` of sixteen bytes, which are given as two numbers: in as few parts as they
/// come to.
///
/// # Safety
/// `len`, which is below 16, bytes can be written at `to`.
#[inline(always)]
pub(super) unsafe fn store_parts([mut low, high]: [u64; 2], mut to: *mut u8, len: usize) {
    // SAFETY: the parts that are written come to `len` bytes, one after the other; numbers of bytes
    // need no alignment.
    unsafe {
        if len & 8 != 0 {
            to.cast::<[u8; 8]>().write_unaligned(low.to_le_bytes());
            (low, to) = (high, to.wrapping_add(8));
        }
        if len & 4 != 0 {
            to.cast::<[u8; 4]>().write_unaligned((low as u32).to_le_bytes());
            (low, to) = (low >> 32, to.wrapping_add(4));
        }
        if len & 2 != 0 {
            to.cast::<[u8; 2]>().write_unaligned((low as u16).to_le_bytes());
            (low, to) = (low >> 16, to.wrapping_add(2));
        }
        if len & 1 != 0 {
            to.write(low as u8);
        }
    }
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
    unsafe fn zip<const N: usize>(self, other: Self) -> (Self, Self) {
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
    unsafe fn unzip<const N: usize>(self, other: Self) -> (Self, Self) {
        if N >= 16 {
            return (self, other);
        }
        let both = [self.0, other.0];
        let taken = |odd: usize| {
            let mut half = [0; 16];
            for (place, byte) in half.iter_mut().enumerate() {
                *byte = both.as_flattened()[place / N * 2 * N + odd * N + place % N];
            }
            Plain(half)
        };
        (taken(0), taken(1))
    }
}

// Soundness: the bytes that are written are those promised.
impl Lane for Plain {
    #[inline(always)]
    unsafe fn store_first(self, to: *mut u8, len: usize) {
        let whole = u128::from_le_bytes(self.0);
        // SAFETY: the caller's promise.
        unsafe { store_parts([whole as u64, (whole >> 64) as u64], to, len) }
    }
}
