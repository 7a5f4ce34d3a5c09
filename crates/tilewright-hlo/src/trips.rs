//! How often a computation runs: the trips of the loops around it.
//!
//! Text for the TPU does not say how often a loop runs, but its condition does: in nearly all, its root is
//! `compare(counter, constant), direction=LT`, where the counter is an element of the loop's tuple that
//! begins at a constant and that the body adds a constant to. Copies, bitcasts and fusions lie between.

use crate::module::Instruction;
use crate::names::Names;

/// Values are followed over so many instructions.
const MAX_STEPS: usize = 64;

/// An instruction, and the fusions that it is looked at through, the innermost last.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Point {
    instruction: usize,
    fusions: Vec<usize>,
}

impl<'a> Names<'_, 'a> {
    /// How often a loop runs, if its condition says so.
    pub(crate) fn trips(&self, instruction: usize) -> Option<u64> {
        let it = self.get(instruction)?;
        if let Some(known) = known_trips(it) {
            return Some(known);
        }
        let condition = self.named(it, "condition")?;
        let compare =
            self.origin(Point { instruction: self.root(condition)?, fusions: Vec::new() });
        let compared = self.get(compare.instruction)?;
        if compared.opcode() != "compare" || compared.attribute("direction") != Some("LT") {
            return None;
        }
        let sides = [0, 1].map(|number| Some(self.origin(self.below(&compare, number)?)));
        let [Some(counter), Some(bound)] = sides else { return None };
        let bound = self.constant(&bound)?;
        let place = self.place_in_parameter(&counter)?;
        let first = self.operand(instruction, 0)?;
        let first = self.origin(Point { instruction: first, fusions: Vec::new() });
        let start = self.constant(&self.origin(self.element(&first, place)?))?;
        let body = self.named(it, "body")?;
        let step = self.step(body, place)?;
        let steps = i128::from(bound) - i128::from(start);
        let trips = (steps + i128::from(step) - 1) / i128::from(step);
        u64::try_from(trips.max(0)).ok()
    }

    /// What a loop's body adds to an element of its tuple, if that is a constant above 0.
    fn step(&self, body: usize, place: usize) -> Option<i64> {
        let root = self.origin(Point { instruction: self.root(body)?, fusions: Vec::new() });
        let sum = self.origin(self.element(&root, place)?);
        if self.get(sum.instruction)?.opcode() != "add" {
            return None;
        }
        let sides = [0, 1].map(|number| Some(self.origin(self.below(&sum, number)?)));
        let [Some(a), Some(b)] = sides else { return None };
        let step = match (self.constant(&a), self.constant(&b)) {
            (None, Some(step)) if self.place_in_parameter(&a) == Some(place) => step,
            (Some(step), None) if self.place_in_parameter(&b) == Some(place) => step,
            _ => return None,
        };
        (step > 0).then_some(step)
    }

    fn below(&self, point: &Point, number: usize) -> Option<Point> {
        let instruction = self.operand(point.instruction, number)?;
        Some(Point { instruction, fusions: point.fusions.clone() })
    }

    /// The element of a tuple at a place.
    fn element(&self, tuple: &Point, place: usize) -> Option<Point> {
        (self.get(tuple.instruction)?.opcode() == "tuple").then(|| self.below(tuple, place))?
    }

    /// The place in the tuple that a computation is given, of an element of it.
    fn place_in_parameter(&self, point: &Point) -> Option<usize> {
        let element = self.get(point.instruction)?;
        let tuple = self.origin(self.below(point, 0)?);
        let is_given =
            self.get(tuple.instruction)?.opcode() == "parameter" && tuple.fusions.is_empty();
        let is_element = element.opcode() == "get-tuple-element" && is_given;
        is_element.then(|| element.attribute("index")?.parse().ok())?
    }

    /// The value of a constant.
    fn constant(&self, point: &Point) -> Option<i64> {
        let instruction = self.get(point.instruction)?;
        (instruction.opcode() == "constant")
            .then(|| instruction.operands_text().trim().parse().ok())?
    }

    /// Where a value comes from: through copies and bitcasts, into fusions and out of them.
    fn origin(&self, point: Point) -> Point {
        let mut point = point;
        for _ in 0..MAX_STEPS {
            match self.before(&point) {
                Some(before) => point = before,
                None => break,
            }
        }
        point
    }

    fn before(&self, point: &Point) -> Option<Point> {
        let instruction = self.get(point.instruction)?;
        match instruction.opcode() {
            "copy"
            | "bitcast"
            | "convert"
            | "reshape"
            | "copy-done"
            | "copy-start"
            | "optimization-barrier"
            | "opt-barrier" => self.below(point, 0),
            "fusion" => {
                let root = self.root(self.named(instruction, "calls")?)?;
                if self.get(root)?.opcode() == "tuple" {
                    return None;
                }
                let fusions = point.fusions.iter().copied().chain([point.instruction]).collect();
                Some(Point { instruction: root, fusions })
            }
            "parameter" => {
                let (&fusion, outer) = point.fusions.split_last()?;
                let number = instruction.operands_text().trim().parse().ok()?;
                let instruction = self.operand(fusion, number)?;
                Some(Point { instruction, fusions: outer.to_vec() })
            }
            "get-tuple-element" => {
                let place = instruction.attribute("index")?.parse().ok()?;
                let tuple = self.below(point, 0)?;
                let from = self.get(tuple.instruction)?;
                if from.opcode() == "fusion" {
                    let root = self.root(self.named(from, "calls")?)?;
                    let fusions =
                        tuple.fusions.iter().copied().chain([tuple.instruction]).collect();
                    return self.element(&Point { instruction: root, fusions }, place);
                }
                self.element(&tuple, place)
            }
            _ => None,
        }
    }
}

/// The trips that the compiler wrote beside a loop.
fn known_trips(instruction: &Instruction<'_>) -> Option<u64> {
    let text = instruction.attributes();
    let at = text.find("\"known_trip_count\":{\"n\":\"")? + "\"known_trip_count\":{\"n\":\"".len();
    let rest = &text[at..];
    rest[..rest.find('"')?].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dump;

    fn trips(text: &str) -> Option<u64> {
        let dump = Dump::read(text);
        let module = dump.module.unwrap();
        let names = Names::of(&module);
        let number = module.instructions.iter().position(|i| i.opcode() == "while").unwrap();
        names.trips(number)
    }

    fn program(condition: &str, body: &str, start: &str) -> String {
        format!(
            "HloModule m\n\
             %less (a: s32[], b: s32[]) -> pred[] {{\n  %a = s32[] parameter(0)\n  %b = s32[] parameter(1)\n  \
             ROOT %l = pred[] compare(%a, %b), direction=LT\n}}\n\
             %plus (a: s32[]) -> s32[] {{\n  %a = s32[] parameter(0)\n  %c = s32[] constant(2)\n  \
             ROOT %s = s32[] add(%c, %a)\n}}\n\
             %cond (t: (f32[], s32[])) -> pred[] {{\n  %t = (f32[], s32[]) parameter(0)\n  \
             %i = s32[] get-tuple-element(%t), index=1\n  %n = s32[] constant(24)\n  {condition}\n}}\n\
             %body (t: (f32[], s32[])) -> (f32[], s32[]) {{\n  %t = (f32[], s32[]) parameter(0)\n  \
             %x = f32[] get-tuple-element(%t), index=0\n  %i = s32[] get-tuple-element(%t), index=1\n  \
             %one = s32[] constant(1)\n  {body}\n  ROOT %r = (f32[], s32[]) tuple(%x, %j)\n}}\n\
             ENTRY %e (x: f32[]) -> (f32[], s32[]) {{\n  %x = f32[] parameter(0)\n  {start}\n  \
             %k = s32[] copy(%z)\n  %w = (f32[], s32[]) tuple(%x, %k)\n  \
             ROOT %l = (f32[], s32[]) while(%w), condition=%cond, body=%body\n}}\n"
        )
    }

    #[test]
    fn conditions_say_how_often() {
        let compare = "ROOT %c = pred[] compare(%i, %n), direction=LT";
        let fused =
            "%q = s32[] copy(%i)\n  ROOT %c = pred[] fusion(%q, %n), kind=kLoop, calls=%less";
        let add = "%j = s32[] add(%i, %one)";
        let by_two = "%j = s32[] fusion(%i), kind=kLoop, calls=%plus";
        let zero = "%z = s32[] constant(0)";
        assert_eq!(trips(&program(compare, add, zero)), Some(24));
        assert_eq!(trips(&program(fused, add, zero)), Some(24));
        assert_eq!(trips(&program(fused, by_two, zero)), Some(12));
        assert_eq!(trips(&program(compare, by_two, "%z = s32[] constant(5)")), Some(10));
        assert_eq!(trips(&program(compare, add, "%z = s32[] constant(30)")), Some(0));
    }

    #[test]
    fn others_are_not_guessed_at() {
        let compare = "ROOT %c = pred[] compare(%i, %n), direction=LT";
        let add = "%j = s32[] add(%i, %one)";
        let zero = "%z = s32[] constant(0)";
        let greater = "ROOT %c = pred[] compare(%i, %n), direction=GT";
        assert_eq!(trips(&program(greater, add, zero)), None);
        assert_eq!(trips(&program(compare, "%j = s32[] multiply(%i, %one)", zero)), None);
        assert_eq!(trips(&program(compare, add, "%z = s32[] parameter(1)")), None);
        assert_eq!(trips(&program(compare, "%j = s32[] copy(%one)", zero)), None);
    }
}
