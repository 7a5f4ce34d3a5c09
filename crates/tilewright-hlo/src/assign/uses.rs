//! Following a parameter to its uses, and formats back from there.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tilewright::map::Bitcast;
use tilewright::{ArrayShape, Permutation};

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

/// The uses of one array of a parameter.
pub(crate) struct Uses<'m, 'a> {
    /// The array as the parameter gives it.
    pub(crate) array: Rc<Array>,
    /// What passes it on: the parameter, or what takes it from the parameter's tuple, and then all that
    /// moves nothing, each after what it is passed on by.
    pub(crate) passed: Vec<Passed<'m, 'a>>,
    /// What moves it into other formats.
    pub(crate) moved: Vec<Moved<'m, 'a>>,
    /// These formats, each once.
    pub(crate) wanted: Vec<ArrayShape>,
    /// How many uses want it as it is.
    pub(crate) as_is: usize,
}

/// Something that passes a parameter on.
pub(crate) struct Passed<'m, 'a> {
    pub(crate) instruction: &'m Instruction<'a>,
    /// What passes it on to this.
    pub(crate) from: Option<usize>,
    /// What uses it as it is.
    pub(crate) as_is: Vec<&'m Instruction<'a>>,
}

/// A use that moves a parameter into another format.
pub(crate) struct Moved<'m, 'a> {
    pub(crate) instruction: &'m Instruction<'a>,
    /// What passes the parameter on to this, a number in [`Uses::passed`].
    pub(crate) from: usize,
    /// The format, seen from the parameter: a number in [`Uses::wanted`].
    pub(crate) format: usize,
}

impl<'m, 'a> Uses<'m, 'a> {
    /// The number of a format, if there are not too many.
    fn format(&mut self, format: ArrayShape) -> Option<usize> {
        if let Some(known) = self.wanted.iter().position(|wanted| *wanted == format) {
            return Some(known);
        }
        let number = self.wanted.len();
        (number < MAX_WANTED).then(|| self.wanted.push(format))?;
        Some(number)
    }

    /// Takes down that an instruction uses it as it is.
    fn is_wanted_by(&mut self, user: &'m Instruction<'a>, from: usize) {
        self.as_is += 1;
        self.passed[from].as_is.push(user);
    }
}

/// A value on the way from a parameter to a use.
struct Followed<'m, 'a> {
    instruction: &'m Instruction<'a>,
    /// Its number in [`Uses::passed`].
    number: usize,
    array: Rc<Array>,
    /// The way back to the parameter, its last step first to be undone last.
    way: Vec<Turn>,
}

/// What a step does to a format, or what undoes it.
#[derive(Clone, Debug)]
pub(super) enum Turn {
    /// Dimension `i` becomes dimension `permutation[i]`'s place again.
    Transpose(Permutation),
    /// The dimensions become these again, of the same elements in row-major order.
    Reshape(Vec<i64>),
}

/// What one use of a value is.
enum Use {
    /// The same value under another name: its array, and the way back from there.
    Follow(Rc<Array>, Vec<Turn>),
    /// It is moved into this format, seen from the parameter.
    Moved(ArrayShape),
    /// It is used in the format it has.
    AsIs,
}

impl<'m, 'a> Follower<'m, 'a> {
    pub(super) fn new(instructions: &'m [Instruction<'a>]) -> Self {
        let mut users: HashMap<&str, Vec<&Instruction<'_>>> = HashMap::new();
        for instruction in instructions {
            if matches!(instruction.opcode(), "parameter" | "constant") {
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

    /// The uses of one array of a parameter; nothing where its shape cannot be read.
    pub(super) fn uses(
        &mut self,
        parameter: &'m Instruction<'a>,
        leaf: &Leaf<'a>,
    ) -> Option<Uses<'m, 'a>> {
        let array = self.shapes.array(leaf.text)?;
        let mut uses = Uses {
            array: Rc::clone(&array),
            passed: Vec::new(),
            moved: Vec::new(),
            wanted: Vec::new(),
            as_is: 0,
        };
        let mut open: Vec<Followed<'m, 'a>> = Vec::new();
        for instruction in self.starts(parameter, leaf) {
            let number = uses.passed.len();
            uses.passed.push(Passed { instruction, from: None, as_is: Vec::new() });
            let array = Rc::clone(&array);
            open.push(Followed { instruction, number, array, way: Vec::new() });
        }
        while let Some(followed) = open.pop() {
            uses.as_is += usize::from(followed.instruction.is_root());
            for user in self.users_of(followed.instruction.name()) {
                let from = followed.number;
                match self.classify(&followed, user) {
                    Use::Follow(array, way) => {
                        let number = uses.passed.len();
                        let (instruction, from) = (user, Some(from));
                        uses.passed.push(Passed { instruction, from, as_is: Vec::new() });
                        open.push(Followed { instruction, number, array, way });
                    }
                    Use::Moved(format) => match uses.format(format) {
                        Some(format) => {
                            uses.moved.push(Moved { instruction: user, from, format });
                        }
                        None => uses.is_wanted_by(user, from),
                    },
                    Use::AsIs => uses.is_wanted_by(user, from),
                }
            }
        }
        Some(uses)
    }

    /// How often a name is an operand.
    pub(super) fn n_users(&self, name: &str) -> usize {
        self.users.get(name).map_or(0, Vec::len)
    }

    /// The instructions that use a name, the first time that is asked.
    fn users_of(&mut self, name: &'a str) -> Vec<&'m Instruction<'a>> {
        if !self.seen.insert(name) {
            return Vec::new();
        }
        self.users.get(name).cloned().unwrap_or_default()
    }

    /// Where the array begins: the parameter, or where it is taken from the parameter's tuple.
    fn starts(&self, parameter: &'m Instruction<'a>, leaf: &Leaf<'a>) -> Vec<&'m Instruction<'a>> {
        let [position] = leaf.path[..] else {
            return if leaf.path.is_empty() { vec![parameter] } else { Vec::new() };
        };
        let users = self.users.get(parameter.name()).into_iter().flatten().copied();
        let taken = users.filter(|user| {
            user.opcode() == "get-tuple-element"
                && user.attribute("index").and_then(|index| index.parse().ok()) == Some(position)
        });
        taken.collect()
    }

    fn classify(&mut self, value: &Followed<'m, 'a>, user: &'m Instruction<'a>) -> Use {
        if value.way.len() >= MAX_STEPS {
            return Use::AsIs;
        }
        self.followed(value, user).unwrap_or(Use::AsIs)
    }

    /// What a use is, if it is anything but a use as is.
    fn followed(&mut self, value: &Followed<'m, 'a>, user: &'m Instruction<'a>) -> Option<Use> {
        let result = self.result(value, user)?;
        if result.shape.element_type() != value.array.shape.element_type() {
            // A parameter can be given in another format, but not as another type.
            return None;
        }
        let step = match user.opcode() {
            "copy-done" => return Some(Use::Follow(result, value.way.clone())),
            "bitcast" => {
                let way = [value.way.clone(), undo_bitcast(&value.array, &result)?].concat();
                return Some(Use::Follow(result, way));
            }
            "copy" | "copy-start" => Step::Copy,
            "reshape" => Step::Reshape,
            "transpose" => Step::Transpose(user.numbers("dimensions")?),
            _ => return None,
        };
        let way = [value.way.clone(), undo(&step, &value.array)?].concat();
        match self.comparer.compare(&value.array, &result, step).holds? {
            true => Some(Use::Follow(result, way)),
            false => Some(Use::Moved(back(&result.shape, &way)?)),
        }
    }

    fn result(&mut self, value: &Followed<'m, 'a>, user: &Instruction<'a>) -> Option<Rc<Array>> {
        if user.opcode() == "copy-done" && value.instruction.opcode() != "copy-start" {
            return None;
        }
        if user.opcode() != "copy-start" {
            return self.shapes.single(user.shape());
        }
        let first = shapes::arrays(user.shape()).next()?;
        self.shapes.array(first.text)
    }
}

/// How a step from this array is undone.
fn undo(step: &Step, from: &Array) -> Option<Vec<Turn>> {
    Some(match step {
        Step::Copy | Step::Bitcast => Vec::new(),
        Step::Reshape => vec![Turn::Reshape(from.shape.sizes().ok()?)],
        Step::Transpose(order) => {
            vec![Turn::Transpose(Permutation::new(order.as_slice()).ok()?.inverse())]
        }
    })
}

/// How a bitcast is undone.
fn undo_bitcast(from: &Array, to: &Array) -> Option<Vec<Turn>> {
    Some(bitcast_turns(from, to)?.into_iter().map(|[_, undo]| undo).collect())
}

/// What a bitcast does, as whatever the maps say it is, and what undoes each step. Where it can be read in
/// several ways, all of them say the same of every element.
pub(super) fn bitcast_turns(from: &Array, to: &Array) -> Option<Vec<[Turn; 2]>> {
    let (a, b) = from.map().zip(to.map())?;
    let is_decided = a.is_separable() && b.is_separable();
    if !is_decided || too_large(from).or_else(|| too_large(to)).is_some() {
        return None;
    }
    let transposed = |order: Permutation| {
        let undo = Turn::Transpose(order.inverse());
        [Turn::Transpose(order), undo]
    };
    match a.bitcast(b).ok()? {
        Bitcast::Identity => Some(Vec::new()),
        Bitcast::Reshape => {
            Some(vec![[Turn::Reshape(b.dims().to_vec()), Turn::Reshape(a.dims().to_vec())]])
        }
        Bitcast::Transpose(order) => Some(vec![transposed(order)]),
        Bitcast::TransposeReshapeTranspose { first, second, .. } => {
            let [from, to] = [first.permute(a.dims()), second.inverse().permute(b.dims())];
            let reshaped = [Turn::Reshape(to), Turn::Reshape(from)];
            Some(vec![transposed(first), reshaped, transposed(second)])
        }
        Bitcast::No(_) => None,
    }
}

/// A format at the end of the way, seen from the parameter; nothing where no layout with the same
/// tiles is that.
fn back(format: &ArrayShape, way: &[Turn]) -> Option<ArrayShape> {
    turned(format, way.iter().rev())
}

/// A format in the device's memory after some turns.
pub(super) fn turned<'t>(
    format: &ArrayShape,
    turns: impl Iterator<Item = &'t Turn>,
) -> Option<ArrayShape> {
    let mut array = format.clone();
    if let Some(layout) = array.layout().cloned() {
        array = array.with_layout(layout.with_memory_space(0)).ok()?;
    }
    for turn in turns {
        array = match turn {
            Turn::Transpose(order) => array.permute_dimensions(order).ok()?,
            Turn::Reshape(dims) => {
                let result = ArrayShape::new(array.element_type(), dims).ok()?;
                let settled = settle(&Operation::Reshape, &[array], &result).ok()?;
                settled.relayouts.is_empty().then_some(settled.result)?
            }
        };
    }
    Some(array)
}
