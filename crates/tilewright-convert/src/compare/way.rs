//! How two arrays of certain shapes come to one order.

use std::borrow::Cow;

use anyhow::Context;
use tilewright::IndexMap;
use tilewright::xla::Layout;
use tilewright_relayout::{Placement, Plan};

use crate::cut::Together;
use crate::lying::Lying;
use crate::memory::Budget;

/// How much of each array is read at a time, with what is made of it, if no more is needed.
const GROUP: usize = 32 << 20;

/// How two arrays are compared: both are moved, piece by piece, into the order of one.
pub(super) struct Way {
    /// Where each element is in that order.
    pub(super) order: IndexMap,
    /// The bytes of an element there.
    pub(super) width: usize,
    /// Whether that is the row-major order of the elements.
    pub(super) is_row_major: bool,
    /// The moves of either array.
    pub(super) sides: [Together<'static>; 2],
}

impl Way {
    /// To the order that takes less memory, that of the first array's memory or of the second's.
    /// `value_bits` are looked at of each element.
    pub(super) fn new(
        shapes: [&Lying; 2],
        value_bits: u32,
        budget: Budget,
    ) -> anyhow::Result<Self> {
        let first = Way::in_order_of(0, shapes, value_bits, budget);
        if first.as_ref().is_ok_and(|way| shapes[0].is_as(shapes[1]) || way.is_read_straight_on()) {
            return first;
        }
        let second = Way::in_order_of(1, shapes, value_bits, budget);
        match (first, second) {
            (Ok(first), Ok(second)) if second.memory() < first.memory() => Ok(second),
            (Ok(way), _) | (_, Ok(way)) => Ok(way),
            (Err(error), Err(_)) => Err(error),
        }
    }

    fn in_order_of(
        side: usize,
        shapes: [&Lying; 2],
        value_bits: u32,
        budget: Budget,
    ) -> anyhow::Result<Self> {
        let shape = shapes[side];
        let (order, bits) = (shape.map().clone(), shape.element_type().storage_bits());
        let target = Placement::new(order.clone(), bits)?;
        let plan = |other: &Lying| -> anyhow::Result<Plan> {
            let plan = Plan::with_value_bits(&other.placement()?, &target, value_bits)?;
            Ok(plan.flipping((shape.xor_mask() ^ other.xor_mask()).into()))
        };
        let [own, other] = [plan(shape)?, plan(shapes[1 - side])?];
        let scratch = own.scratch_bytes().max(other.scratch_bytes()).min(Plan::MOST_KEPT_BYTES);
        let held = own.held_bytes().saturating_add(other.held_bytes());
        let budget = budget.without(held.saturating_add(budget.threads.saturating_mul(scratch)));
        // It goes straight on, in less and less memory if the other one needs the rest.
        let shared = |part: usize| -> anyhow::Result<_> {
            let share = budget.without(budget.bytes - budget.bytes / part);
            let own = Together::new(Cow::Borrowed(&own), share, GROUP)?.into_owned();
            let rest = budget.without(own.memory());
            let other = Together::new(Cow::Borrowed(&other), rest, GROUP)?.into_owned();
            Ok([own, other])
        };
        let [own, other] = shared(2).or_else(|_| shared(4)).or_else(|_| shared(16))?;
        let dims = order.dims();
        let rows = IndexMap::from_layout(dims, &Layout::descending(dims.len()))?;
        Ok(Way {
            width: usize::try_from(bits / 8).context("the width of an element")?,
            is_row_major: order == rows,
            order,
            sides: if side == 0 { [own, other] } else { [other, own] },
        })
    }

    /// Whether no more is read at a time of either array than of one that goes straight on.
    fn is_read_straight_on(&self) -> bool {
        self.sides.iter().all(|side| side.most_read <= GROUP)
    }

    /// The bytes of memory that both moves take.
    fn memory(&self) -> usize {
        self.sides.iter().map(Together::memory).fold(0, usize::saturating_add)
    }
}
