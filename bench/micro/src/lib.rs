//! What single operations cost: planning, kernels in cache, index maps, reading text.
//!
//! There is one list of operations. `benches/micro.rs` times them with divan, and the program
//! `tilewright-micro` repeats one of them a given number of times, so that counting its
//! instructions with Callgrind at two numbers of times says what one time takes, whatever the
//! operation needs to begin with.

mod maps;
mod moves;
mod texts;

use anyhow::Result;

/// What an operation works through each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Things asked for, such as offsets or plans.
    Items(u64),
    /// Bytes read or written.
    Bytes(u64),
}

/// An operation ready to be done again and again.
pub struct Prepared {
    /// What it works through each time.
    pub amount: Amount,
    /// Does it once.
    pub run: Box<dyn FnMut()>,
}

/// An operation with a name.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// What it is about: `plan`, `move`, `map` or `read`.
    pub group: &'static str,
    /// Which one of the group.
    pub name: &'static str,
    /// Whether its instructions are worth counting: it does not depend on vector registers, and is
    /// short.
    pub is_counted: bool,
    prepare: fn(&'static str) -> Result<Prepared>,
}

impl Operation {
    /// Makes all that the operation needs.
    ///
    /// # Errors
    /// If a layout of ours is none.
    pub fn prepared(&self) -> Result<Prepared> {
        (self.prepare)(self.name)
    }

    /// The group and the name.
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.group, self.name)
    }
}

/// Every operation, group by group.
pub fn operations() -> impl Iterator<Item = &'static Operation> {
    [moves::PLANS, moves::MOVES, maps::MAPS, texts::READS].into_iter().flatten()
}

fn prepared(amount: Amount, run: impl FnMut() + 'static) -> Result<Prepared> {
    Ok(Prepared { amount, run: Box::new(run) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_operation_can_be_done() {
        for operation in operations() {
            let mut prepared = operation.prepared().unwrap_or_else(|error| {
                panic!("{}: {error}", operation.full_name());
            });
            (prepared.run)();
            assert!(!matches!(prepared.amount, Amount::Items(0) | Amount::Bytes(0)));
        }
    }

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<String> = operations().map(Operation::full_name).collect();
        assert_eq!(names.len(), operations().count());
    }
}
