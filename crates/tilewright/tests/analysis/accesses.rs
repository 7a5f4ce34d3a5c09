//! Banks and segments: worked examples, and by looking at every bit.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tilewright::map::{Access, BankConflicts, Banks};

use super::map;

fn access(offsets: impl IntoIterator<Item = i64>, element_bits: u32, elements: u32) -> Access {
    Access::new(offsets.into_iter().collect(), element_bits, elements).unwrap()
}

fn conflicts(access: &Access) -> BankConflicts {
    access.bank_conflicts(&Banks::default()).unwrap()
}

/// Ways, wavefronts and phases of a warp whose threads step by so many elements.
#[track_caller]
fn check(step: i64, element_bits: u32, elements: u32, expected: (usize, i64, i64)) {
    let conflicts = conflicts(&access((0..32).map(|thread| thread * step), element_bits, elements));
    assert_eq!((conflicts.ways(), conflicts.wavefronts, conflicts.phases), expected);
    assert_eq!(conflicts.is_conflict_free(), expected.0 == 1);
}

/// The strides that the CUDA guide draws for 32-bit words: 1 and 3 are free, 2 is two-way; a
/// stride that shares a factor with 32 is as many ways as that factor.
#[test]
fn strides_of_a_warp() {
    check(0, 32, 1, (1, 1, 1)); // one word for all: broadcast
    check(1, 32, 1, (1, 1, 1));
    check(2, 32, 1, (2, 2, 1));
    check(3, 32, 1, (1, 1, 1));
    check(8, 32, 1, (8, 8, 1));
    check(12, 32, 1, (4, 4, 1));
    check(32, 32, 1, (32, 32, 1));
    check(33, 32, 1, (1, 1, 1));
    check(-1, 32, 1, (1, 1, 1));
    check(-32, 32, 1, (32, 32, 1));
}

/// Elements narrower than a word share words; wider accesses come in phases.
#[test]
fn narrow_and_wide_elements() {
    check(1, 8, 1, (1, 1, 1)); // four threads a word
    check(2, 16, 1, (1, 1, 1));
    check(64, 16, 1, (32, 32, 1)); // a column of f16[32,64]
    check(1, 64, 1, (1, 2, 2)); // 8 bytes: two half-warps
    check(4, 32, 4, (1, 4, 4)); // 16 bytes: four quarter-warps of 8 threads
    check(8, 16, 8, (1, 4, 4));
    // 16 bytes from the start of rows of 64 bytes: threads 0, 2, 4 and 6 of a phase share banks.
    check(16, 32, 4, (4, 16, 4));
    // 16 bytes from the start of rows of 128 bytes: all 8 threads of a phase share 4 banks.
    check(64, 16, 8, (8, 32, 4));
    // Rows of 144 bytes, padded by 16: free.
    check(72, 16, 8, (1, 4, 4));
}

/// 64 threads are two requests: `t` and `t + 32` do not conflict though they share a bank.
#[test]
fn warps_do_not_conflict_with_each_other() {
    let both = conflicts(&access(0..64, 32, 1));
    assert_eq!((both.ways(), both.wavefronts, both.phases), (1, 2, 2));
    let amd = Banks { threads: 64, ..Banks::default() };
    let together = access(0..64, 32, 1).bank_conflicts(&amd).unwrap();
    assert_eq!((together.ways(), together.wavefronts, together.phases), (1, 2, 2));
    let half_words = access(0..64, 16, 1).bank_conflicts(&amd).unwrap();
    assert_eq!((half_words.ways(), half_words.phases), (1, 1));
}

#[test]
fn who_collides() {
    // Threads 0 and 2 want word 0, thread 1 wants word 32, thread 3 word 1.
    let conflicts = conflicts(&access([0, 32, 0, 1], 32, 1));
    let worst = conflicts.worst.clone().unwrap();
    assert_eq!((worst.threads, worst.bank), (0..4, 0));
    assert_eq!((worst.words_per_bank.len(), &worst.words_per_bank[..3]), (32, &[2, 1, 0][..]));
    let words: Vec<(i64, &[usize])> =
        worst.words.iter().map(|word| (word.number, &word.threads[..])).collect();
    assert_eq!(words, [(0, &[0, 2][..]), (32, &[1])]);
    assert_eq!(
        conflicts.to_string(),
        "2-way conflict: 2 wavefronts for 1 phase\nbank 0: word 0 (thread 0, 2), word 32 (thread 1)"
    );
}

#[test]
fn nothing_conflicts_with_nothing() {
    let none = conflicts(&access([], 32, 1));
    assert_eq!((none.ways(), none.wavefronts, none.phases), (0, 0, 0));
    assert!(none.is_conflict_free() && none.worst.is_none());
    assert_eq!(none.to_string(), "no conflict: 0 wavefronts for 0 phases");
    let segments = access([], 32, 1).segments(256).unwrap();
    assert_eq!((segments.touched, segments.used_bits), (0, 0));
    assert_eq!(segments.to_string(), "0 segments of 32 bytes");
}

/// A warp's loads from global memory, in sectors of 32 bytes.
#[test]
fn segments_of_a_warp() {
    #[track_caller]
    fn check(step: i64, element_bits: u32, expected: &str) {
        let access = access((0..32).map(|thread| thread * step), element_bits, 1);
        assert_eq!(access.segments(256).unwrap().to_string(), expected);
    }
    check(1, 32, "4 segments of 32 bytes, 100.0 % used");
    check(2, 32, "8 segments of 32 bytes, 50.0 % used");
    check(0, 32, "1 segment of 32 bytes, 12.5 % used");
    check(1, 8, "1 segment of 32 bytes, 100.0 % used");
    check(-1, 16, "3 segments of 32 bytes, 66.7 % used"); // -62 to 1: one element in the last
    check(100, 32, "32 segments of 32 bytes, 12.5 % used");
    let words = access([0, 1, 2], 4, 3).segments(4).unwrap();
    assert_eq!(words.to_string(), "5 segments of 4 bits, 100.0 % used");
}

/// Threads and their elements, in the widest vectors there are.
#[test]
fn accesses_of_a_map() {
    #[track_caller]
    fn check(text: &str, element_bits: u32, expected: &[(u32, &[i64])]) {
        let accesses = map(text).accesses(element_bits, 128).unwrap();
        let found: Vec<(u32, &[i64])> =
            accesses.iter().map(|access| (access.elements(), access.offsets())).collect();
        assert_eq!(found, expected, "{text}");
    }
    check("(4):(3)", 32, &[(1, &[0, 3, 6, 9])]);
    check("(2,8):(8,1)", 16, &[(8, &[0, 8])]);
    check("(2,8):(8,1)", 32, &[(4, &[0, 8]), (4, &[4, 12])]);
    check("(2,7):(8,1)", 32, &[(4, &[0, 8]), (2, &[4, 12]), (1, &[6, 14])]);
    check("(2,3):(1,2)", 32, &[(1, &[0, 1]), (1, &[2, 3]), (1, &[4, 5])]);
    check("(2,4):(2,1)", 32, &[(2, &[0, 2]), (2, &[2, 4])]); // threads start at 0 and 2
    check("(2,2):(2,1)", 256, &[(1, &[0, 2]), (1, &[1, 3])]); // wider than any vector
    check("f32[0,4]", 32, &[]);
    check("f32[2,0]", 32, &[]);
}

/// 8 values of 16 bits from each row of 64: all 8 threads of a phase want the same 4 banks, unless
/// a swizzle moves each row's pieces of 16 bytes.
#[test]
fn a_swizzle_against_conflicts() {
    #[track_caller]
    fn check(text: &str, expected: (usize, i64)) {
        let accesses = map(text).accesses(16, 128).unwrap();
        assert_eq!(accesses.len(), 1, "{text}");
        let conflicts = conflicts(&accesses[0]);
        assert_eq!((conflicts.ways(), conflicts.wavefronts), expected, "{text}");
    }
    check("(32,8):(64,1)", (8, 32));
    check("Sw<3,3,3> o 0 o (32,8):(64,1)", (1, 4));
    check("Sw<2,3,3> o 0 o (32,8):(64,1)", (2, 8));
    check("Sw<1,3,3> o 0 o (32,8):(64,1)", (4, 16));
}

#[test]
fn what_cannot_be_asked() {
    assert!(Access::new(vec![0], 0, 1).is_err());
    assert!(Access::new(vec![0], 8, 0).is_err());
    let wide = access([0], 32, 33); // 132 bytes
    let error = wide.bank_conflicts(&Banks::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a thread wants 1056 bits, more than the 1024 that all banks serve at a time"
    );
    let one = access([0], 32, 1);
    for banks in [
        Banks { banks: 0, ..Banks::default() },
        Banks { bank_bits: 0, ..Banks::default() },
        Banks { threads: 0, ..Banks::default() },
        Banks { banks: 1 << 17, ..Banks::default() },
    ] {
        assert!(one.bank_conflicts(&banks).is_err(), "{banks:?}");
    }
    assert!(one.segments(0).is_err());
    let far = access([i64::MAX], 64, 1);
    assert!(far.bank_conflicts(&Banks::default()).unwrap_err().is_overflow());
    assert!(far.segments(8).unwrap_err().is_overflow());
    assert!(far.segments(64).is_ok());
    assert!(map("f32[2,2,2]").accesses(32, 128).is_err());
    assert!(map("f32[]").accesses(32, 128).is_err());
    assert!(map("f32[2,2]").accesses(24, 128).is_err());
    assert!(map("f32[5000,5000]").accesses(32, 128).is_err());
}

/// The words of each bank that each phase wants, from the bits of memory that its threads want.
fn brute_phases(access: &Access, banks: &Banks) -> Vec<BTreeMap<i64, BTreeSet<i64>>> {
    let per_phase = (i64::from(banks.banks) * i64::from(banks.bank_bits) / access.bits()) as usize;
    let element_bits = access.bits() / i64::from(access.elements());
    let mut phases = Vec::new();
    for request in access.offsets().chunks(banks.threads as usize) {
        for threads in request.chunks(per_phase) {
            let mut wanted: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
            for offset in threads {
                for bit in offset * element_bits..offset * element_bits + access.bits() {
                    let word = bit.div_euclid(i64::from(banks.bank_bits));
                    wanted.entry(word.rem_euclid(i64::from(banks.banks))).or_default().insert(word);
                }
            }
            phases.push(wanted);
        }
    }
    phases
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 400 }))]

    #[test]
    fn conflicts_by_looking_at_every_bit(
        offsets in prop::collection::vec(-300i64..300, 0..40),
        element_bits in prop::sample::select(vec![4u32, 8, 12, 16, 32, 64]),
        elements in 1u32..=4,
        n_banks in prop::sample::select(vec![8u32, 12, 16, 32]),
        bank_bits in prop::sample::select(vec![32u32, 64]),
        threads in 1u32..=33,
    ) {
        let banks = Banks { banks: n_banks, bank_bits, threads };
        let access = access(offsets, element_bits, elements);
        let found = access.bank_conflicts(&banks).unwrap();
        let phases = brute_phases(&access, &banks);
        let ways_of = |phase: &BTreeMap<i64, BTreeSet<i64>>| phase.values().map(BTreeSet::len).max();
        let ways: Vec<usize> = phases.iter().filter_map(ways_of).collect();
        prop_assert_eq!(found.ways(), ways.iter().copied().max().unwrap_or(0));
        prop_assert_eq!(found.wavefronts, ways.iter().sum::<usize>() as i64);
        prop_assert_eq!(found.phases, phases.len() as i64);
        let Some(worst) = found.worst else { return Ok(()) };
        let place = ways.iter().position(|&n| n == worst.words.len()).unwrap();
        let per_bank: Vec<u32> = (0..i64::from(n_banks))
            .map(|bank| phases[place].get(&bank).map_or(0, |words| words.len() as u32))
            .collect();
        prop_assert_eq!(&worst.words_per_bank, &per_bank);
        let most = per_bank.iter().max();
        prop_assert_eq!(worst.bank as usize, per_bank.iter().position(|n| Some(n) == most).unwrap());
        let words = &phases[place][&i64::from(worst.bank)];
        prop_assert!(worst.words.iter().map(|word| word.number).eq(words.iter().copied()));
        for word in &worst.words {
            let bits = i64::from(element_bits);
            let wants = |thread: &usize| {
                let start = access.offsets()[*thread] * bits;
                start < (word.number + 1) * i64::from(bank_bits)
                    && start + access.bits() > word.number * i64::from(bank_bits)
            };
            prop_assert!(worst.threads.clone().filter(wants).eq(word.threads.iter().copied()));
        }
    }

    #[test]
    fn segments_by_looking_at_every_bit(
        offsets in prop::collection::vec(-100i64..100, 0..40),
        element_bits in prop::sample::select(vec![1i64, 4, 8, 12, 32]),
        elements in 1i64..=9,
        segment_bits in prop::sample::select(vec![1i64, 8, 32, 256, 24]),
    ) {
        let access = access(offsets.clone(), element_bits as u32, elements as u32);
        let found = access.segments(segment_bits as u32).unwrap();
        let bits: BTreeSet<i64> = offsets
            .iter()
            .flat_map(|offset| offset * element_bits..(offset + elements) * element_bits)
            .collect();
        let segments: BTreeSet<i64> = bits.iter().map(|bit| bit.div_euclid(segment_bits)).collect();
        prop_assert_eq!(found.touched, segments.len() as i64);
        prop_assert_eq!(found.used_bits, bits.len() as i128);
    }
}
