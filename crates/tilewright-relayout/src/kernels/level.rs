//! Which vector registers the processor has, and running code that uses them.

use super::place::LINE;
use super::register::{Plain, Register};
use std::sync::OnceLock;

/// The vector registers that kernels use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// None: plain bytes.
    Plain,
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(target_arch = "x86_64")]
    Sse,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Something to do with registers of any kind.
///
/// # Safety
/// `with` must be inlined into its caller (`#[inline(always)]`), as must all that it calls with
/// registers: instructions are available only there.
pub(super) trait Task {
    /// # Safety
    /// The processor has the registers `R`, and whatever the task itself requires.
    unsafe fn with<R: Register>(self);
}

impl Level {
    /// The best that the processor has.
    pub(crate) fn best() -> Self {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| Self::all().pop().unwrap_or(Level::Plain))
    }

    /// All that the processor has, the best last.
    pub(crate) fn all() -> Vec<Self> {
        #[allow(unused_mut, reason = "other processors have no more")]
        let mut levels = vec![Level::Plain];
        if cfg!(miri) {
            return levels;
        }
        #[cfg(target_arch = "aarch64")]
        levels.push(Level::Neon);
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("sse4.1") && has!("ssse3") {
                levels.push(Level::Sse);
            }
            if has!("avx2") {
                levels.push(Level::Avx2);
            }
            let has_vbmi = has!("avx512vbmi") && has!("avx512vbmi2") && has!("gfni");
            if has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has_vbmi {
                levels.push(Level::Avx512);
            }
        }
        levels
    }

    /// What the registers are called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Level::Plain => "none",
            #[cfg(target_arch = "aarch64")]
            Level::Neon => "NEON",
            #[cfg(target_arch = "x86_64")]
            Level::Sse => "SSE4.1",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "AVX-512",
        }
    }

    /// Does a task with this level's registers.
    ///
    /// # Safety
    /// What the task requires, but for the registers: a level is only ever made where the
    /// processor has them.
    #[inline]
    pub(super) unsafe fn run<T: Task>(self, task: T) {
        match self {
            // SAFETY: every processor has bytes.
            Level::Plain => unsafe { task.with::<Plain>() },
            // SAFETY: `all` and `best` make a level only where it was detected.
            #[cfg(target_arch = "aarch64")]
            Level::Neon => unsafe { task.with::<super::neon::Neon>() },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Sse => unsafe { sse::with(task) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2::with(task) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512::with(task) },
        }
    }
}

/// Defines what does tasks with registers that take these instructions: in a module of its own, which compilers make beside others.
#[cfg(target_arch = "x86_64")]
macro_rules! with_registers {
    ($level:ident, $register:ident, $features:literal) => {
        mod $level {
            use super::super::x86::$register;
            use super::Task;

            /// # Safety
            /// What the task requires, and that the processor has these instructions.
            #[target_feature(enable = $features)]
            pub(super) unsafe fn with<T: Task>(task: T) {
                // SAFETY: the caller's promise.
                unsafe { task.with::<$register>() }
            }
        }
    };
}

/// Calls a macro for each level of this processor's vector registers: what its module is called, its longest registers, and the
/// instructions that they have.
#[cfg(target_arch = "x86_64")]
macro_rules! for_each_level {
    ($make:ident) => {
        $make!(sse, Sse, "ssse3,sse4.1");
        $make!(avx2, Avx2, "avx2");
        $make!(avx512, Avx512, "avx2,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni");
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use for_each_level;

#[cfg(target_arch = "x86_64")]
for_each_level!(with_registers);

/// Whether a register that is stored to two lines, which the first cache does not have, keeps the stores after it waiting for
/// both. Measured on one of Intel's processors (Emerald Rapids). On one of AMD's (Zen 5) `f32[505,507]` is transposed at 4 times
/// the speed without, and asking for whole lines that are stored to in the caches was no gain; for two it was not tried.
pub(super) fn waits_for_two_lines() -> bool {
    static WAITS: OnceLock<bool> = OnceLock::new();
    *WAITS.get_or_init(is_intel)
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(unused_unsafe, reason = "it was unsafe in earlier versions of the language")]
fn is_intel() -> bool {
    // SAFETY: every 64-bit x86 has the instruction.
    let of = unsafe { std::arch::x86_64::__cpuid(0) };
    [of.ebx, of.edx, of.ecx].map(u32::to_le_bytes).concat() == b"GenuineIntel"
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
fn is_intel() -> bool {
    false
}

/// Waits until what was streamed can be seen by other threads.
#[inline]
pub(super) fn fence() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: every 64-bit x86 has the instruction, and it touches no memory.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Stores a line past the caches, if it is one in memory; but for AddressSanitizer, as [`put`](super::place::put). By registers that
/// every processor has, so that it can be done where places are walked by a closure, which is compiled without longer ones.
#[inline(always)]
pub(super) fn stream_line(to: &mut [u8; LINE], line: &[u8; LINE]) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if to.as_ptr().addr().is_multiple_of(LINE) && !cfg!(tilewright_asan) {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        for part in (0..LINE).step_by(size_of::<__m128i>()) {
            // SAFETY: every 64-bit x86 has the instructions; both have 16 bytes from here on, and what is stored to begins at a
            // multiple of those.
            unsafe {
                let bytes = _mm_loadu_si128(line.as_ptr().add(part).cast());
                _mm_stream_si128(to.as_mut_ptr().add(part).cast(), bytes);
            }
        }
        return;
    }
    *to = *line;
}

/// Asks for the line at an address, which need not be a valid one, to be brought to the first
/// cache.
#[inline(always)]
pub(super) fn prefetch(_address: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch of any address does no harm.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(_address.cast());
    }
}

/// As [`prefetch`], to the second cache: the first has too few places for lines that lie a power
/// of two apart.
#[inline(always)]
pub(super) fn prefetch_near(_address: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch of any address does no harm.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(_address.cast());
    }
}
