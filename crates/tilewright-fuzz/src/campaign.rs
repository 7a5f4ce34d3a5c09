//! Inputs with numbers: what is run of a target without libFuzzer.
//!
//! The input of a number is made of the corpus, a seed and the number alone, not of those before it. So whatever fails is named by
//! (target, seed, number) beside the corpus, and any part of a campaign can be run by itself.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

use crate::mutate::{Random, words};
use crate::{Target, corpus};

/// As long as what libFuzzer is given: what takes a second for these is found as a failure.
pub const MOST_BYTES: usize = 4096;

/// So many words of a corpus are put into inputs.
const MOST_WORDS: usize = 4096;

/// A target, what its inputs are made of, and a seed.
#[derive(Clone, Debug)]
pub struct Campaign {
    target: Target,
    /// Seeds first, which are things that can be read.
    inputs: Vec<Vec<u8>>,
    n_seeds: usize,
    words: Vec<Vec<u8>>,
    seed: u64,
    is_unchanged: bool,
}

impl Campaign {
    /// Of the seeds in this repository.
    ///
    /// # Panics
    /// If the data of the workspace's tests is not there.
    pub fn new(target: Target, seed: u64) -> Self {
        let mut campaign = Campaign {
            target,
            inputs: Vec::new(),
            n_seeds: 0,
            words: Vec::new(),
            seed: seed ^ hash(target.name.as_bytes()),
            is_unchanged: false,
        };
        let inputs = corpus::seeds(target.name).into_iter().chain(corpus::kept(target.name));
        campaign.take(inputs.collect());
        campaign.n_seeds = campaign.inputs.len();
        campaign
    }

    /// With the files of a folder as well: what libFuzzer has found.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn with_folder(mut self, folder: &Path) -> io::Result<Self> {
        let files: io::Result<Vec<_>> = fs::read_dir(folder)?.collect();
        let inputs: io::Result<Vec<_>> = files?.iter().map(|file| fs::read(file.path())).collect();
        self.take(inputs?);
        Ok(self)
    }

    /// Without mutations: the input of a number is the seed or the file of that number.
    pub fn unchanged(self) -> Self {
        Campaign { is_unchanged: true, ..self }
    }

    /// In order, and once each: the order of files in a folder changes nothing.
    fn take(&mut self, mut inputs: Vec<Vec<u8>>) {
        inputs.retain(|input| input.len() <= MOST_BYTES);
        inputs.sort_unstable();
        inputs.dedup();
        self.inputs.extend(inputs);
        let words: BTreeSet<&[u8]> = self.inputs.iter().flat_map(|input| words(input)).collect();
        let step = words.len().div_ceil(MOST_WORDS).max(1);
        self.words = words.into_iter().step_by(step).map(<[u8]>::to_vec).collect();
    }

    /// What inputs are made of.
    pub fn inputs(&self) -> &[Vec<u8>] {
        &self.inputs
    }

    /// Of all that inputs are made of: campaigns of one fingerprint and one seed are the same.
    pub fn fingerprint(&self) -> u64 {
        self.inputs.iter().fold(0, |all, input| (all ^ hash(input)).wrapping_mul(0x100_0000_01b3))
    }

    /// Makes the input of this number.
    ///
    /// # Panics
    /// If there is nothing to make it of.
    pub fn make(&self, number: u64, input: &mut Vec<u8>) {
        if self.is_unchanged {
            input.clear();
            input.extend_from_slice(&self.inputs[number as usize]);
            return;
        }
        let mut random =
            Random::new(self.seed.wrapping_add(number.wrapping_mul(0xd134_2543_de82_ef95)));
        // Neighbouring seeds of a xorshift begin alike.
        random.below(1);
        // What libFuzzer found is mostly refused, each in a way of its own: it is taken every other time.
        let n = if random.below(2) == 0 { self.inputs.len() } else { self.n_seeds };
        let [seed, other] = [n, self.inputs.len()].map(|n| &self.inputs[random.below(n)]);
        input.clear();
        input.extend_from_slice(seed);
        random.mutate(input, other, &self.words);
        input.truncate(MOST_BYTES);
        if random.below(4) > 0 {
            (self.target.mend)(input);
        }
    }

    /// Runs an input. Whether it was something that can be read.
    pub fn run(&self, input: &[u8]) -> bool {
        (self.target.body)(input)
    }
}

/// FNV-1a.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TARGETS;

    /// An input does not depend on what was made before it.
    #[test]
    fn an_input_is_made_of_its_number() {
        let campaign = Campaign::new(TARGETS[0], 3);
        let make = |number| {
            let mut input = b"what was there before".to_vec();
            campaign.make(number, &mut input);
            input
        };
        let forwards: Vec<_> = (0..500).map(make).collect();
        let backwards: Vec<_> = (0..500).rev().map(make).collect();
        assert!(forwards.iter().eq(backwards.iter().rev()));
        let distinct: BTreeSet<&Vec<u8>> = forwards.iter().collect();
        assert!(distinct.len() > 450, "{} of 500 inputs", distinct.len());
        let other = Campaign::new(TARGETS[0], 4);
        assert_eq!(campaign.fingerprint(), other.fingerprint());
        let mut input = Vec::new();
        let same = forwards.iter().enumerate().filter(|(number, of_this)| {
            other.make(*number as u64, &mut input);
            input == **of_this
        });
        assert!(same.count() < 50, "another seed makes the same inputs");
    }
}
