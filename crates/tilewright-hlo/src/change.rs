//! What is different between two reports.

use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;

use crate::report::{Buffer, Movement, Report, Totals, Value};

/// So many of the buffers that changed are listed.
const MAX_BUFFERS: usize = 32;

/// What is different in a second dump.
///
/// Parameters and outputs are matched by position. Relayouts are matched by what they move from
/// which format to which, and buffers by name, since the compiler numbers both anew.
///
/// ```
/// use tilewright_hlo::{Change, Dump, Report};
/// let report = |text: &str| Report::of(&Dump::read(text));
/// let before = report("ENTRY e {\n  ROOT p = f32[9,129]{1,0:T(8,128)} parameter(0)\n}\n");
/// let after = report("ENTRY e {\n  ROOT p = f32[9,129]{1,0} parameter(0)\n}\n");
/// let change = Change::between(&before, &after);
/// assert_eq!(change.parameters[0].bytes_change, 9 * 129 * 4 - 16_384);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The sums of the first.
    pub before: Totals,
    /// The sums of the second.
    pub after: Totals,
    /// The parameters that are not the same.
    pub parameters: Vec<ChangedValue>,
    /// The outputs that are not the same.
    pub outputs: Vec<ChangedValue>,
    /// The relayouts that only one of them has.
    pub relayouts: ChangedMovements,
    /// The buffers that are not the same, those whose bytes change most first.
    pub buffers: Vec<ChangedValue>,
}

/// An array that is not the same in both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedValue {
    /// Its name in the second, or where there is none, in the first.
    pub name: String,
    /// Its shape and layout in the first.
    pub before: Option<Arc<str>>,
    /// Its shape and layout in the second.
    pub after: Option<Arc<str>>,
    /// How many bytes more it takes.
    pub bytes_change: i64,
}

/// The moves that only one of two programs makes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChangedMovements {
    /// Those of the first.
    pub gone: Vec<Movement>,
    /// Those of the second.
    pub new: Vec<Movement>,
}

impl Change {
    /// What is different in `after`.
    pub fn between(before: &Report, after: &Report) -> Self {
        Change {
            before: before.totals,
            after: after.totals,
            parameters: by_position(&before.parameters, &after.parameters),
            outputs: by_position(&before.outputs, &after.outputs),
            relayouts: ChangedMovements {
                gone: only_in(&before.relayouts, &after.relayouts),
                new: only_in(&after.relayouts, &before.relayouts),
            },
            buffers: by_name(&before.buffers, &after.buffers),
        }
    }
}

fn by_position(before: &[Value], after: &[Value]) -> Vec<ChangedValue> {
    let n = before.len().max(after.len());
    let pairs = (0..n).map(|number| [before.get(number), after.get(number)]);
    pairs.filter_map(|pair| changed(pair.map(|value| value.map(Sized::of_value)))).collect()
}

fn by_name(before: &[Buffer], after: &[Buffer]) -> Vec<ChangedValue> {
    let mut pairs: BTreeMap<&str, [Option<Sized<'_>>; 2]> = BTreeMap::new();
    for (side, buffers) in [before, after].into_iter().enumerate() {
        for buffer in buffers {
            pairs.entry(&buffer.name).or_default()[side] = Some(Sized::of_buffer(buffer));
        }
    }
    let mut all: Vec<ChangedValue> = pairs.into_values().filter_map(changed).collect();
    all.sort_by_key(|value| std::cmp::Reverse(value.bytes_change.unsigned_abs()));
    all.truncate(MAX_BUFFERS);
    all
}

/// An array, its name and what it takes.
#[derive(Clone, Copy)]
struct Sized<'a> {
    name: &'a str,
    text: &'a Arc<str>,
    bytes: i64,
}

impl<'a> Sized<'a> {
    fn of_value(value: &'a Value) -> Self {
        Sized { name: &value.name, text: &value.text, bytes: value.bytes }
    }

    fn of_buffer(buffer: &'a Buffer) -> Self {
        Sized { name: &buffer.name, text: &buffer.text, bytes: buffer.bytes }
    }
}

/// The change from one array to another; nothing where they are the same.
fn changed([before, after]: [Option<Sized<'_>>; 2]) -> Option<ChangedValue> {
    let text = |side: Option<Sized<'_>>| side.map(|array| Arc::clone(array.text));
    let bytes = |side: Option<Sized<'_>>| side.map_or(0, |array| array.bytes);
    let name = after.or(before)?.name.to_owned();
    (text(before) != text(after)).then(|| ChangedValue {
        name,
        before: text(before),
        after: text(after),
        bytes_change: bytes(after).saturating_sub(bytes(before)),
    })
}

/// The moves of `these` beyond as many of the same as there are among `others`.
fn only_in(these: &[Movement], others: &[Movement]) -> Vec<Movement> {
    let mut left: HashMap<_, usize> = HashMap::new();
    for movement in others {
        *left.entry(what(movement)).or_default() += 1;
    }
    let unmatched = these.iter().filter(|movement| match left.get_mut(&what(movement)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    unmatched.cloned().collect()
}

fn what(movement: &Movement) -> (&str, &str, crate::MoveKind) {
    (&movement.from, &movement.to, movement.kind)
}
