//! Following a parameter to its uses, and formats back from there.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tilewright::map::Bitcast;
use tilewright::{ArrayShape, Permutation};

use super::{AssignedParameter, best};
use crate::compare::{Comparer, Step, too_large};
use crate::module::Instruction;
use crate::settle::{Operation, settle};
use crate::shapes::{self, Array, Leaf, Shapes};

/// A parameter is followed through at most this many instructions one after the other that move
/// nothing; a use beyond them is one that wants the format it is given.
const MAX_STEPS: usize = 64;

/// So many different formats are told apart among the uses of one parameter.
const MAX_WANTED: usize = 32;

/// Looks for the uses of parameters among the instructions of one computation.
pub(super) struct Follower<'m, 'a> {
    /// The instructions that each name is an operand of.
    users: HashMap<&'a str, Vec<&'m Instruction<'a>>>,
    /// The names whose uses have been looked at. A name that is given twice, as only a broken
    /// module does, has its uses once.
    seen: HashSet<&'a str>,
    shapes: Shapes<'a>,
    comparer: Comparer,
}

/// A value on the way from a parameter to a use.
struct Followed<'m, 'a> {
    instruction: &'m Instruction<'a>,
    array: Rc<Array>,
    /// The way back to the parameter, its last step first to be undone last.
    way: Vec<Undo>,
}

/// How a step is undone.
#[derive(Clone, Debug)]
enum Undo {
    /// Dimension `i` becomes dimension `permutation[i]`'s place again.
    Transpose(Permutation),
    /// The dimensions become these again, of the same elements in row-major order.
    Reshape(Vec<i64>),
}

/// What one use of a value is.
enum Use<'m, 'a> {
    /// The same value under another name.
    Follow(Followed<'m, 'a>),
    /// It is moved into this format, seen from the parameter.
    Moved(ArrayShape),
    /// It is used in the format it has.
    AsIs,
}

impl<'m, 'a> Follower<'m, 'a> {
    pub(super) fn new(instructions: &'m [Instruction<'a>]) -> Self {
        let mut users: HashMap<&str, Vec<&Instruction<'_>>> = HashMap::new();
        for instruction in instructions {
            if matches!(instruction.opcode, "parameter" | "constant") {
                continue;
            }
            for operand in instruction.operands() {
                users.entry(operand.name).or_default().push(instruction);
            }
        }
        Follower {
            users,
            seen: HashSet::new(),
            shapes: Shapes::default(),
            comparer: Comparer::default(),
        }
    }

    /// The best format of one array of a parameter; nothing where its shape cannot be read.
    pub(super) fn assigned(
        &mut self,
        parameter: &'m Instruction<'a>,
        leaf: &Leaf<'a>,
    ) -> Option<AssignedParameter> {
        let array = self.shapes.array(leaf.text)?;
        let mut wanted: Vec<ArrayShape> = Vec::new();
        let (mut as_is, mut moved) = (usize::from(parameter.is_root), 0);
        let mut open = self.starts(parameter, leaf, &array);
        while let Some(followed) = open.pop() {
            for user in self.users_of(followed.instruction.name) {
                match self.classify(&followed, user) {
                    Use::Follow(next) => open.push(next),
                    Use::Moved(format) if wanted.contains(&format) => moved += 1,
                    Use::Moved(format) if wanted.len() < MAX_WANTED => {
                        moved += 1;
                        wanted.push(format);
                    }
                    Use::AsIs | Use::Moved(_) => as_is += 1,
                }
            }
        }
        let [module, best] = best(&array, &wanted, as_is)?;
        let name = leaf.name(parameter.name);
        Some(AssignedParameter { name, module, best, uses_as_is: as_is, uses_moved: moved })
    }

    /// The instructions that use a name, the first time that is asked.
    fn users_of(&mut self, name: &'a str) -> Vec<&'m Instruction<'a>> {
        if !self.seen.insert(name) {
            return Vec::new();
        }
        self.users.get(name).cloned().unwrap_or_default()
    }

    /// Where the array begins: the parameter, or where it is taken from the parameter's tuple.
    fn starts(
        &self,
        parameter: &'m Instruction<'a>,
        leaf: &Leaf<'a>,
        array: &Rc<Array>,
    ) -> Vec<Followed<'m, 'a>> {
        let start =
            |instruction| Followed { instruction, array: Rc::clone(array), way: Vec::new() };
        let [position] = leaf.path[..] else {
            return if leaf.path.is_empty() { vec![start(parameter)] } else { Vec::new() };
        };
        let users = self.users.get(parameter.name).into_iter().flatten();
        let taken = users.filter(|user| {
            user.opcode == "get-tuple-element"
                && user.attribute("index").and_then(|index| index.parse().ok()) == Some(position)
        });
        taken.map(|user| start(*user)).collect()
    }

    fn classify(&mut self, value: &Followed<'m, 'a>, user: &'m Instruction<'a>) -> Use<'m, 'a> {
        if value.way.len() >= MAX_STEPS {
            return Use::AsIs;
        }
        self.followed(value, user).unwrap_or(Use::AsIs)
    }

    /// What a use is, if it is anything but a use as is.
    fn followed(
        &mut self,
        value: &Followed<'m, 'a>,
        user: &'m Instruction<'a>,
    ) -> Option<Use<'m, 'a>> {
        let follow =
            |array: Rc<Array>, way| Use::Follow(Followed { instruction: user, array, way });
        let result = self.result(value, user)?;
        if result.shape.element_type() != value.array.shape.element_type() {
            // A parameter can be given in another format, but not as another type.
            return None;
        }
        let step = match user.opcode {
            "copy-done" => return Some(follow(result, value.way.clone())),
            "bitcast" => {
                let way = [value.way.clone(), undo_bitcast(&value.array, &result)?].concat();
                return Some(follow(result, way));
            }
            "copy" | "copy-start" => Step::Copy,
            "reshape" => Step::Reshape,
            "transpose" => Step::Transpose(user.numbers("dimensions")?),
            _ => return None,
        };
        let way = [value.way.clone(), undo(&step, &value.array)?].concat();
        match self.comparer.compare(&value.array, &result, step).holds? {
            true => Some(follow(result, way)),
            false => Some(Use::Moved(back(&result.shape, &way)?)),
        }
    }

    fn result(&mut self, value: &Followed<'m, 'a>, user: &Instruction<'a>) -> Option<Rc<Array>> {
        if user.opcode == "copy-done" && value.instruction.opcode != "copy-start" {
            return None;
        }
        if user.opcode != "copy-start" {
            return self.shapes.single(user.shape);
        }
        let first = shapes::arrays(user.shape).next()?;
        self.shapes.array(first.text)
    }
}

/// How a step from this array is undone.
fn undo(step: &Step, from: &Array) -> Option<Vec<Undo>> {
    Some(match step {
        Step::Copy | Step::Bitcast => Vec::new(),
        Step::Reshape => vec![Undo::Reshape(from.shape.sizes().ok()?)],
        Step::Transpose(order) => {
            vec![Undo::Transpose(Permutation::new(order.as_slice()).ok()?.inverse())]
        }
    })
}

/// How a bitcast is undone: as whatever the maps say it is. Where it can be read in several ways,
/// all of them say the same of every element.
fn undo_bitcast(from: &Array, to: &Array) -> Option<Vec<Undo>> {
    let (a, b) = from.map().zip(to.map())?;
    let is_decided = a.is_separable() && b.is_separable();
    if !is_decided || too_large(from).or_else(|| too_large(to)).is_some() {
        return None;
    }
    match a.bitcast(b).ok()? {
        Bitcast::Identity => Some(Vec::new()),
        Bitcast::Reshape => Some(vec![Undo::Reshape(a.dims().to_vec())]),
        Bitcast::Transpose(order) => Some(vec![Undo::Transpose(order.inverse())]),
        Bitcast::TransposeReshapeTranspose { first, second, .. } => {
            let between = first.permute(a.dims());
            Some(vec![
                Undo::Transpose(first.inverse()),
                Undo::Reshape(between),
                Undo::Transpose(second.inverse()),
            ])
        }
        Bitcast::No(_) => None,
    }
}

/// A format at the end of the way, seen from the parameter; nothing where no layout with the same
/// tiles is that.
fn back(format: &ArrayShape, way: &[Undo]) -> Option<ArrayShape> {
    let mut array = format.clone();
    if let Some(layout) = array.layout().cloned() {
        array = array.with_layout(layout.with_memory_space(0)).ok()?;
    }
    for undo in way.iter().rev() {
        array = match undo {
            Undo::Transpose(order) => array.permute_dimensions(order).ok()?,
            Undo::Reshape(dims) => {
                let result = ArrayShape::new(array.element_type(), dims).ok()?;
                let settled = settle(&Operation::Reshape, &[array], &result).ok()?;
                settled.relayouts.is_empty().then_some(settled.result)?
            }
        };
    }
    Some(array)
}
