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
/// which format to which, and buffers by what they are, their elements, dimensions and operation,
/// since the compiler numbers both anew.
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
    /// What is needed of each memory space in all.
    pub needs: Vec<ChangedPeak>,
    /// What the temporaries of each memory space take at their peaks.
    pub peaks: Vec<ChangedPeak>,
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

/// A memory space in both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedPeak {
    /// The memory space: `hbm`, `vmem`, `host`, or `S(n)`.
    pub space: String,
    /// The bytes in the first.
    pub before: i64,
    /// The bytes in the second.
    pub after: i64,
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
            needs: needs(before, after),
            peaks: peaks(before, after),
            relayouts: ChangedMovements {
                gone: only_in(&before.relayouts, &after.relayouts),
                new: only_in(&after.relayouts, &before.relayouts),
            },
            buffers: by_kind(&before.buffers, &after.buffers),
        }
    }
}

fn by_position(before: &[Value], after: &[Value]) -> Vec<ChangedValue> {
    let n = before.len().max(after.len());
    let pairs = (0..n).map(|number| [before.get(number), after.get(number)]);
    pairs.filter_map(|pair| changed(pair.map(|value| value.map(Sized::of_value)))).collect()
}

/// The peaks of all memory spaces that either has.
fn peaks(before: &Report, after: &Report) -> Vec<ChangedPeak> {
    in_both([before, after].map(|report| {
        let peaks = report.peak.iter().flatten();
        peaks.map(|peak| (peak.space.clone(), peak.bytes)).collect()
    }))
}

/// What is needed of all memory spaces that either has.
fn needs(before: &Report, after: &Report) -> Vec<ChangedPeak> {
    in_both([before, after].map(|report| {
        let needs = report.memory_spaces().into_iter();
        needs.map(|space| (space.clone(), report.need_of(&space, 0).bytes)).collect()
    }))
}

fn in_both(sides: [Vec<(String, i64)>; 2]) -> Vec<ChangedPeak> {
    let mut spaces: BTreeMap<String, [i64; 2]> = BTreeMap::new();
    for (side, of_space) in sides.into_iter().enumerate() {
        for (space, bytes) in of_space {
            spaces.entry(space).or_default()[side] = bytes;
        }
    }
    let changed =
        |(space, [before, after]): (String, [i64; 2])| ChangedPeak { space, before, after };
    spaces.into_iter().map(changed).collect()
}

/// Buffers by the text of their arrays.
type ByText<'b> = BTreeMap<&'b str, Vec<&'b Buffer>>;

/// The buffers of the one that the other has not, each beside one of the same elements, dimensions and
/// operation, if there is one left.
fn by_kind(before: &[Buffer], after: &[Buffer]) -> Vec<ChangedValue> {
    let mut kinds: BTreeMap<(&str, &str), [ByText<'_>; 2]> = BTreeMap::new();
    for (side, buffers) in [before, after].into_iter().enumerate() {
        for buffer in buffers {
            let kind = (buffer.text.split('{').next().unwrap_or(""), &*buffer.op);
            let texts = &mut kinds.entry(kind).or_default()[side];
            texts.entry(&buffer.text).or_default().push(buffer);
        }
    }
    let mut all: Vec<ChangedValue> = Vec::new();
    for [mut before, mut after] in kinds.into_values() {
        for (text, before) in &mut before {
            let Some(after) = after.get_mut(text) else { continue };
            let same = before.len().min(after.len());
            before.drain(..same);
            after.drain(..same);
        }
        let mut before = before.into_values().flatten();
        let mut after = after.into_values().flatten();
        loop {
            let pair = [before.next(), after.next()];
            if pair.iter().all(Option::is_none) {
                break;
            }
            all.extend(changed(pair.map(|buffer| buffer.map(Sized::of_buffer))));
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dump;

    #[test]
    fn names_are_nothing_to_go_by() {
        let report = |text: &str| Report::of(&Dump::read(text));
        let before = report(
            "ENTRY e {\n  p = f32[9,129] parameter(0)\n  a.1 = f32[9,129]{1,0} negate(p)\n  \
             b.2 = f32[9,129]{1,0:T(8,128)} exponential(a.1)\n}\n",
        );
        let after = report(
            "ENTRY e {\n  p = f32[9,129] parameter(0)\n  b.2 = f32[9,129]{1,0} negate(p)\n  \
             c.7 = f32[9,129]{0,1:T(8,128)} exponential(b.2)\n}\n",
        );
        let change = Change::between(&before, &after);
        let names: Vec<&str> = change.buffers.iter().map(|value| value.name.as_str()).collect();
        assert_eq!(names, ["c.7"]);
        let [value] = &change.buffers[..] else { panic!() };
        assert_eq!(value.before.as_deref(), Some("f32[9,129]{1,0:T(8,128)}"));
    }
}
