//! What a grammar leaves open, written so that it means something: sizes, orders and strides that fit each other. All
//! else is left to chance.

use tilewright_book::grammar::{Chooser, Expression, Sentences};
use tilewright_fuzz::mutate::Random;

/// One sentence's choices.
pub(crate) struct Meaning {
    random: Random,
    /// The sizes of the array that is being written.
    dims: Vec<usize>,
    /// Its dimensions from minor to major.
    order: Vec<usize>,
    /// Whether it is an element of a tuple.
    in_tuple: bool,
    /// Tiles stand in a layout already, in the old spelling.
    has_tiles: bool,
    /// The shape whose strides come next.
    shape: String,
    /// Strides are numbers, and no steps along a coordinate.
    plain_strides: bool,
    /// A layout stands without an array.
    is_alone: bool,
}

impl Meaning {
    pub(crate) fn new(seed: u64) -> Self {
        Meaning {
            random: Random::new(seed),
            dims: Vec::new(),
            order: Vec::new(),
            in_tuple: false,
            has_tiles: false,
            shape: String::new(),
            plain_strides: false,
            is_alone: false,
        }
    }

    /// The same for a layout without an array.
    pub(crate) fn of_layout(seed: u64) -> Self {
        Meaning { is_alone: true, ..Meaning::new(seed) }
    }

    fn draw_dims(&mut self, least: usize, most: usize) {
        let rank = least + self.below(most - least + 1);
        self.dims = (0..rank).map(|_| 1 + self.below(9)).collect();
    }

    /// XLA's dimensions: a size may be a bound.
    fn dims(&mut self) -> String {
        self.draw_dims(0, 4);
        let dims = self.dims.clone();
        let dims = dims.iter().map(|size| match self.below(6) {
            0 => format!("<={size}"),
            _ => size.to_string(),
        });
        dims.collect::<Vec<_>>().join(",")
    }

    /// Each dimension once.
    fn order(&mut self) -> String {
        let mut left: Vec<usize> = (0..self.dims.len()).collect();
        self.order.clear();
        while !left.is_empty() {
            self.order.push(left.remove(self.random.below(left.len())));
        }
        listed(&self.order)
    }

    /// Each attribute of the grammar once at most, in any order, where it can stand.
    fn attributes(&mut self, sentences: &Sentences<'_>) -> String {
        let Some(Expression::Choice(ways)) = sentences.grammar().rule("attribute") else {
            panic!("attributes are a choice");
        };
        let rules = ways.iter().map(|way| match way {
            Expression::Rule(rule) => rule.as_str(),
            other => panic!("{other:?}"),
        });
        let mut left: Vec<&str> = rules.filter(|rule| self.can_stand(rule)).collect();
        let mut text = String::new();
        for _ in 0..self.below(5) {
            let rule = left.remove(self.random.below(left.len()));
            text += &sentences.sentence(rule, self);
        }
        text
    }

    fn can_stand(&self, attribute: &str) -> bool {
        match attribute {
            "tiles" => !self.has_tiles,
            "index_type" | "pointer_type" => !self.in_tuple,
            "splits" => self.dims.iter().any(|size| *size > 1),
            "physical_shape" => self.is_alone,
            _ => true,
        }
    }

    /// By chance until it means something.
    fn until(
        &mut self,
        rule: &str,
        sentences: &Sentences<'_>,
        is_meant: impl Fn(&str) -> bool,
    ) -> String {
        loop {
            let text = sentences.by_chance(rule, self);
            if is_meant(&text) {
                return text;
            }
        }
    }

    /// What is in it is an array of its own.
    fn physical_shape(&mut self, sentences: &Sentences<'_>) -> String {
        let mut own = Meaning::new(self.random.below(1 << 30) as u64);
        format!("P({})", sentences.sentence("shape", &mut own))
    }

    fn padding(&mut self, sentences: &Sentences<'_>) -> String {
        let widths: Vec<usize> = self.dims.iter().map(|size| size + 2).collect();
        let comma = if self.below(3) == 0 && !widths.is_empty() { "," } else { "" };
        let value = match self.below(2) {
            0 => format!(";{}", sentences.sentence("padding_value", self)),
            _ => String::new(),
        };
        format!("PAD({}{comma}{value})", listed(&widths))
    }

    /// A tuple as Python writes it: a comma may follow the last number.
    fn tuple(&mut self, numbers: &[usize]) -> String {
        let comma = if self.below(3) == 0 && !numbers.is_empty() { "," } else { "" };
        format!("({}{comma})", listed(numbers))
    }

    /// Dimensions are counted as they lie in memory, and cut within.
    fn splits(&mut self) -> String {
        let sizes: Vec<usize> = self.order.iter().rev().map(|&dim| self.dims[dim]).collect();
        let fitting: Vec<usize> = (0..sizes.len()).filter(|&at| sizes[at] > 1).collect();
        let dim = fitting[self.below(fitting.len())];
        format!("SC({dim}:{})", 1 + self.below(sizes[dim] - 1))
    }

    /// One of the shape's nesting, a stride for each size.
    fn strides(&mut self, sentences: &Sentences<'_>) -> String {
        let shape = self.shape.clone();
        let mut text = String::new();
        let mut is_number = false;
        for c in shape.chars() {
            let part = c.is_ascii_digit() || c == '_';
            if !part {
                text.push(c);
            } else if !is_number {
                text += &sentences.sentence("stride", self);
            }
            is_number = part;
        }
        text
    }

    /// Nested sizes, written without blanks so that strides can be of the same form.
    fn shape(&mut self, depth: usize) -> String {
        if depth > 0 && self.below(12) == 0 {
            return "()".to_owned();
        }
        if depth > 2 || (depth > 0 && self.below(2) == 0) {
            let mark = ["", "_"][self.below(2)];
            return format!("{mark}{}", 1 + self.below(9));
        }
        let modes: Vec<String> = (0..1 + self.below(3)).map(|_| self.shape(depth + 1)).collect();
        let comma = [")", ",)"][usize::from(self.below(5) == 0)];
        format!("({}{comma}", modes.join(","))
    }

    /// A size for each mode: all that the mode holds.
    fn org_shape(&self) -> String {
        let shape = self.shape.replace('_', "");
        let inside = &shape[1..shape.len() - 1];
        let (mut depth, mut sizes) = (0, vec![1]);
        for part in inside.split_inclusive(['(', ')', ',']) {
            let (number, symbol) =
                part.split_at(part.len() - usize::from(part.ends_with(['(', ')', ','])));
            if let (Ok(size), Some(last)) = (number.parse::<usize>(), sizes.last_mut()) {
                *last *= size;
            }
            match symbol {
                "(" => depth += 1,
                ")" => depth -= 1,
                "," if depth == 0 => sizes.push(1),
                _ => {}
            }
        }
        if inside.ends_with(',') {
            sizes.pop();
        }
        format!("({})", listed(&sizes))
    }

    /// A layout, one under a swizzle, or one under another.
    fn composition(&mut self, sentences: &Sentences<'_>) -> String {
        let way = self.below(3);
        self.plain_strides = way != 0;
        let outer = if way == 1 { "swizzle" } else { "layout" };
        let outer = sentences.sentence(outer, self);
        match way {
            0 => outer,
            _ => {
                let offset = sentences.sentence("int", self);
                format!("{outer} o {offset} o {}", sentences.sentence("layout", self))
            }
        }
    }

    /// oneDNN's: dimensions from `a` on, in any order, those with blocks in capitals.
    fn tag(&mut self) -> String {
        if self.dims.is_empty() {
            self.draw_dims(1, 5);
        }
        let mut letters: Vec<char> = ('a'..='z').take(self.dims.len()).collect();
        let (mut blocks, mut blocked) = (String::new(), Vec::new());
        for _ in 0..self.below(3) {
            let letter = letters[self.below(letters.len())];
            blocks += &format!("{}{letter}", 1 + self.below(16));
            blocked.push(letter);
        }
        let mut tag = String::new();
        while !letters.is_empty() {
            let letter = letters.remove(self.random.below(letters.len()));
            tag.push(if blocked.contains(&letter) { letter.to_ascii_uppercase() } else { letter });
        }
        tag + &blocks
    }
}

fn listed(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    numbers.join(",")
}

impl Chooser for Meaning {
    fn below(&mut self, end: usize) -> usize {
        self.random.below(end)
    }

    fn written(&mut self, rule: &str, sentences: &Sentences<'_>) -> Option<String> {
        Some(match rule {
            "tuple" => {
                self.in_tuple = true;
                return None;
            }
            "array" => {
                self.has_tiles = false;
                return None;
            }
            "old_tiles" => {
                self.has_tiles = true;
                return None;
            }
            "dims" => self.dims(),
            "order" => {
                if self.is_alone {
                    self.draw_dims(0, 4);
                }
                self.order()
            }
            "attributes" => self.attributes(sentences),
            "tile" => self.until(rule, sentences, |tile| {
                let last = tile.rsplit([',', '(']).next();
                last.is_some_and(|last| last.contains(|c: char| c.is_ascii_digit()))
            }),
            "splits" => self.splits(),
            "padding" => self.padding(sentences),
            "index_type" | "pointer_type" => self.until(rule, sentences, |text| {
                ["s8", "u8", "s32", "u64", "S16"].iter().any(|name| text.contains(name))
            }),
            "physical_shape" => self.physical_shape(sentences),
            "composition" => self.composition(sentences),
            "shape" if sentences.grammar().rule("strides").is_some() => {
                self.shape = self.shape(0);
                self.shape.clone()
            }
            "strides" => self.strides(sentences),
            "stride" if self.plain_strides => {
                ["0", "-3", "_-2", "_16", "5"][self.below(5)].to_owned()
            }
            "org_shape" => self.org_shape(),
            "swizzle" => {
                let bits = self.below(4);
                format!("Sw<{bits},{},{}>", self.below(4), bits + self.below(3))
            }
            "integer" => (1 + self.below(9)).to_string(),
            "extents" => {
                self.draw_dims(1, 5);
                listed(&self.dims)
            }
            "TAG" => self.tag(),
            "descriptor" => {
                let words = ["DESCRIPTOR", "SIZES"].map(|rule| sentences.sentence(rule, self));
                words.join(" ")
            }
            "SIZES" => self.dims.iter().map(usize::to_string).collect::<Vec<_>>().join("x"),
            "sizes" => {
                self.draw_dims(0, 4);
                let dims = self.dims.clone();
                self.tuple(&dims)
            }
            // Whole elements of any type.
            "byte_strides" => {
                let strides: Vec<usize> =
                    (0..self.dims.len()).map(|_| self.random.below(99) * 16).collect();
                let said = ["", "strides=", "strides = "][self.below(3)];
                format!("{said}{}", self.tuple(&strides))
            }
            _ => return None,
        })
    }
}
