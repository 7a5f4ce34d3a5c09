//! What holds of two layouts: sameness and canonical forms, bitcasts, relayouts.

use std::collections::{HashMap, HashSet};

use tilewright::Permutation;
use tilewright::map::{Bitcast, Digit, Merged};
use tilewright_relayout::{Pad, Placement, Plan, RunOptions, Threads};

use super::range::orders;
use super::reference::{indices, row_major_number};
use super::report::Report;
use super::single::{Case, check_lifted};

/// A canonical form.
type Form = (i64, Vec<Digit>, Vec<Merged>);

/// The layouts of one array so far: one of each table of offsets and size of memory.
#[derive(Default)]
pub(super) struct Seen {
    /// Of each table a case, of each size of memory.
    of_table: HashMap<Vec<i64>, Vec<Case>>,
    /// Of each table the form that the maps have whose digits are of single dimensions.
    separable: HashMap<Vec<i64>, Form>,
    /// Of each form the table.
    table_of: HashMap<Form, Vec<i64>>,
    /// The forms that have been lifted, with their memory.
    lifted: HashSet<(Form, i64)>,
    last: Option<Case>,
}

impl Seen {
    /// Holds a layout against those before it.
    pub(super) fn check(&mut self, case: Case, report: &mut Report) {
        let Case { map, text, offsets, .. } = &case;
        let form = (map.base(), map.digits().to_vec(), map.merged().to_vec());
        let table = self.table_of.entry(form.clone()).or_insert_with(|| offsets.clone());
        report.hold("canonical: equal forms, equal offsets", table == offsets, || text.clone());
        if map.is_separable() {
            let first = self.separable.entry(offsets.clone()).or_insert_with(|| form.clone());
            report.hold("canonical: equal offsets, equal forms", *first == form, || {
                format!("{text}: {form:?} and {first:?}")
            });
        } else {
            report.count("layouts with merged coordinates, whose forms need not be equal");
        }
        if self.lifted.insert((form, case.allocation)) {
            check_lifted(&case, report);
        }
        if let Some(last) = self.last.replace(case.clone()) {
            check_same(&last, &case, report);
        }
        let alike = self.of_table.entry(case.offsets.clone()).or_default();
        alike.iter().for_each(|other| check_same(other, &case, report));
        if alike.iter().all(|other| other.allocation != case.allocation) {
            report.count("layouts that differ in offsets or memory");
            alike.push(case);
        }
    }

    /// One of each table and memory, in an order that is always the same.
    pub(super) fn distinct(self) -> Vec<Case> {
        let mut cases: Vec<Case> = self.of_table.into_values().flatten().collect();
        cases.sort_by(|one, other| one.text.cmp(&other.text));
        cases
    }
}

/// `same_as` and the first difference say what the tables say.
fn check_same(a: &Case, b: &Case, report: &mut Report) {
    let words = || format!("{} and {}", a.text, b.text);
    let is_same = a.offsets == b.offsets && a.allocation == b.allocation;
    report.hold("same", a.map.same_as(&b.map) == Ok(is_same), words);
    let place = a.offsets.iter().zip(&b.offsets).position(|(a, b)| a != b);
    let expected = place.map(|place| indices(&a.dims)[place].clone());
    let found = a.map.first_difference(&b.map).map(|found| found.map(|found| found.index));
    report.hold("first difference", found == Ok(expected), words);
}

/// A layout, and its tables with the dimensions in every order, as numbers of tables.
pub(super) struct Orders<'a> {
    case: &'a Case,
    numbers: HashSet<usize>,
}

/// The layouts that can be bitcasts of one another, those of as many elements in as much memory.
pub(super) fn groups(cases: &[Case]) -> Vec<Vec<Orders<'_>>> {
    let mut groups: HashMap<(usize, i64), Vec<&Case>> = HashMap::new();
    for case in cases {
        groups.entry((case.offsets.len(), case.allocation)).or_default().push(case);
    }
    let mut groups: Vec<Vec<Orders<'_>>> = groups.into_values().map(numbered).collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0].case.text.clone()));
    groups
}

fn numbered(cases: Vec<&Case>) -> Vec<Orders<'_>> {
    let mut numbers: HashMap<Vec<i64>, usize> = HashMap::new();
    let mut number = |table: Vec<i64>| {
        let next = numbers.len();
        *numbers.entry(table).or_insert(next)
    };
    let in_orders = |case: &Case| -> HashSet<usize> {
        orders(case.dims.len()).iter().map(|order| number(in_order(case, order))).collect()
    };
    let mut in_orders = in_orders;
    cases.into_iter().map(|case| Orders { case, numbers: in_orders(case) }).collect()
}

/// The offsets, row by row, of the array with its dimensions in another order.
fn in_order(case: &Case, order: &[usize]) -> Vec<i64> {
    let dims: Vec<i64> = order.iter().map(|&dim| case.dims[dim]).collect();
    let offset = |index: Vec<i64>| {
        let mut own = vec![0; index.len()];
        order.iter().zip(index).for_each(|(&dim, value)| own[dim] = value);
        case.offsets[row_major_number(&own, &case.dims) as usize]
    };
    indices(&dims).into_iter().map(offset).collect()
}

/// There is a bitcast exactly if the one array's table in some order of its dimensions is the other's in some order; and the
/// way that is found leads from each element to the one in the same place.
pub(super) fn check_bitcast(a: &Orders<'_>, b: &Orders<'_>, report: &mut Report) {
    let words = || format!("{} and {}", a.case.text, b.case.text);
    let Ok(found) = a.case.map.bitcast(&b.case.map) else {
        return report.hold("bitcast: answered", false, words);
    };
    let exists = !a.numbers.is_disjoint(&b.numbers);
    let is_found = !matches!(found, Bitcast::No(_));
    report.hold("bitcast: yes exactly if there is one", exists == is_found, words);
    if is_found {
        report.hold("bitcast: the way is right", leads(&found, a.case, b.case), words);
    }
}

/// Arrays of other sizes are none of each other.
pub(super) fn check_no_bitcast(a: &Orders<'_>, b: &Orders<'_>, report: &mut Report) {
    let found = a.case.map.bitcast(&b.case.map);
    report.hold("bitcast: no between other sizes", matches!(found, Ok(Bitcast::No(_))), || {
        format!("{} and {}", a.case.text, b.case.text)
    });
}

fn leads(bitcast: &Bitcast, a: &Case, b: &Case) -> bool {
    let (first, dims, second) = match bitcast {
        Bitcast::Identity if a.dims == b.dims => return a.offsets == b.offsets,
        Bitcast::Reshape => return a.offsets == b.offsets,
        Bitcast::Transpose(order) => {
            return in_order(a, order.as_slice()) == b.offsets && order.permute(&a.dims) == b.dims;
        }
        Bitcast::TransposeReshapeTranspose { first, dims, second } => (first, dims, second),
        _ => return false,
    };
    // The middle, of `dims`, is what A is in the first order; in the second order it is B.
    let middle = Case { dims: dims.clone(), offsets: in_order(a, first.as_slice()), ..a.clone() };
    let is_order = |order: &Permutation, n: usize| order.as_slice().len() == n;
    is_order(first, a.dims.len())
        && is_order(second, dims.len())
        && second.permute(dims) == b.dims
        && in_order(&middle, second.as_slice()) == b.offsets
}

/// The widths of elements, in bits.
const WIDTHS: [u32; 13] = [8, 1, 16, 2, 32, 4, 3, 64, 6, 5, 24, 128, 7];

/// Each layout to so many others of the same array, of a width that changes from pair to pair.
pub(super) fn check_relayouts(cases: &[Case], partners: usize, report: &mut Report) {
    let mut number = 0usize;
    for (place, from) in cases.iter().enumerate() {
        let all = cases.len() <= partners;
        for partner in 0..partners.min(cases.len()) {
            // Numbers that have no factor in common with most lengths spread the partners over the list.
            let to = if all { partner } else { (place + 1 + partner * 7919) % cases.len() };
            check_relayout(from, &cases[to], WIDTHS[number % WIDTHS.len()], report);
            number += 1;
        }
    }
}

/// Numbers of elements go to where the tables say, a few of their bits at a time where elements are narrow, with padding
/// around them.
fn check_relayout(from: &Case, to: &Case, bits: u32, report: &mut Report) {
    let words = || format!("{} to {} of {bits} bits", from.text, to.text);
    let placement = |case: &Case| Placement::new(case.map.clone(), bits).ok();
    let (Some(source), Some(target)) = (placement(from), placement(to)) else {
        return report.hold("relayout: planned", false, words);
    };
    let Ok(plan) = Plan::new(&source, &target) else {
        return report.hold("relayout: planned", false, words);
    };
    let mask = u128::MAX >> (128 - bits);
    // Numbers up to 64 have 7 bits.
    for round in 0..7u32.div_ceil(bits) {
        let value = |number: usize| ((number as u128 + 1) >> (round * bits)) & mask;
        // Wide elements differ in all their bytes.
        let value = |number: usize| match bits {
            0..8 => value(number),
            _ => (value(number) * 0x0101_0101_0101_0101_0101_0101_0101_0101) & mask,
        };
        let pad = 0x5aa5_5aa5_5aa5_5aa5_5aa5_5aa5_5aa5_5aa5 & mask;
        let src = filled(from, bits, 0, value);
        let expected = filled(to, bits, pad, value);
        let mut dst = vec![0xc3; plan.dst_bytes()];
        let options = RunOptions { pad: Pad::Bits(pad), threads: Threads::Current };
        let is_run = plan.run(&src, &mut dst, &options).is_ok();
        report.hold("relayout: every bit", is_run && dst == expected, words);
    }
}

/// The bytes of an array: the value of each element in its slot, the first slots in the low bits.
fn filled(case: &Case, bits: u32, pad: u128, value: impl Fn(usize) -> u128) -> Vec<u8> {
    let mut slots = vec![pad; case.allocation as usize];
    for (number, &offset) in case.offsets.iter().enumerate() {
        slots[offset as usize] = value(number);
    }
    let bits = bits as usize;
    let mut bytes = vec![0u8; (slots.len() * bits).div_ceil(8)];
    for (slot, value) in slots.into_iter().enumerate() {
        for bit in 0..bits {
            let at = slot * bits + bit;
            bytes[at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
        }
    }
    bytes
}
