//! How often each law was looked at, and where it did not hold.

use std::collections::BTreeMap;
use std::fmt;

/// So many failures of a law are kept in words.
const MOST_WORDS: usize = 8;

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    laws: BTreeMap<&'static str, Law>,
    counts: BTreeMap<&'static str, u64>,
}

#[derive(Clone, Debug, Default)]
struct Law {
    checked: u64,
    failed: u64,
    words: Vec<String>,
}

impl Report {
    /// Counts a case of a law, and what it is about if it does not hold.
    pub(super) fn hold(&mut self, law: &'static str, holds: bool, what: impl FnOnce() -> String) {
        let law = self.laws.entry(law).or_default();
        law.checked += 1;
        if !holds {
            law.failed += 1;
            if law.words.len() < MOST_WORDS {
                law.words.push(what());
            }
        }
    }

    /// Counts a thing that is neither right nor wrong.
    pub(super) fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// Takes over what another run found.
    pub fn add(&mut self, other: Report) {
        for (name, theirs) in other.laws {
            let law = self.laws.entry(name).or_default();
            law.checked += theirs.checked;
            law.failed += theirs.failed;
            law.words.extend(theirs.words);
            law.words.truncate(MOST_WORDS);
        }
        for (name, n) in other.counts {
            *self.counts.entry(name).or_default() += n;
        }
    }

    /// How many cases did not hold.
    pub fn n_failed(&self) -> u64 {
        self.laws.values().map(|law| law.failed).sum()
    }

    /// How many cases of a law were looked at.
    pub fn n_checked(&self, law: &str) -> u64 {
        self.laws.get(law).map_or(0, |law| law.checked)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, law) in &self.laws {
            let failed = match law.failed {
                0 => String::new(),
                n => format!("  FAILED {n}"),
            };
            writeln!(f, "  {:>12}  {name}{failed}", law.checked)?;
            law.words.iter().try_for_each(|words| writeln!(f, "                  {words}"))?;
        }
        self.counts.iter().try_for_each(|(name, n)| writeln!(f, "  {n:>12}  ({name})"))
    }
}
