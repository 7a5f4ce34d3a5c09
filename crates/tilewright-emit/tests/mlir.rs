//! The printed MLIR, worked out operation by operation, against the maps.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::collections::HashMap;

use support::{
    Random, all_offsets, arrays, bytes, expected, occupied, row_major_index, small_pairs,
};
use tilewright_emit::{Array, Request, Target};

/// As much of MLIR as is printed: values are unsigned numbers of their type's width, of `index` they are signed.
struct Machine<'a> {
    lines: Vec<&'a str>,
    values: HashMap<String, i128>,
    memory: HashMap<String, Vec<u128>>,
}

/// The bits of the type at the end of a text: `… : i4`, `… to i8`, `memref<5xi4>`.
fn bits(text: &str) -> u32 {
    let end = text.trim_end_matches('>');
    let digits = end.rfind('i').map(|at| &end[at + 1..]).unwrap();
    digits.parse().unwrap_or(64)
}

fn cut(value: i128, bits: u32) -> i128 {
    if bits >= 127 { value } else { value & ((1 << bits) - 1) }
}

impl<'a> Machine<'a> {
    /// The lines of a function's body.
    fn of(code: &'a str, name: &str) -> Self {
        let start =
            code.find(&format!("func.func @{name}(")).unwrap_or_else(|| panic!("no {name}"));
        let lines = code[start..].lines().skip(1).map(str::trim);
        // Braces that close several loops stand in one line.
        let each = lines.flat_map(|line| match line.len() > 1 && line.bytes().all(|c| c == b'}') {
            true => vec!["}"; line.len()],
            false => vec![line],
        });
        let lines = each.filter(|line| !line.starts_with("//")).collect();
        Machine { lines, values: HashMap::new(), memory: HashMap::new() }
    }

    fn value(&self, name: &str) -> i128 {
        let name = name.trim_end_matches(',');
        self.values.get(name).copied().unwrap_or_else(|| panic!("no value {name}"))
    }

    /// Goes through lines from one on: to the function's `return`, whose values these are, or to the end of a block.
    fn run(&mut self, mut at: usize) -> Result<Vec<i128>, usize> {
        loop {
            let line = self.lines[at];
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["}"] => return Err(at + 1),
                ["return"] => return Ok(Vec::new()),
                ["return", rest @ ..] => {
                    let values = rest.iter().take_while(|word| **word != ":");
                    return Ok(values.map(|word| self.value(word)).collect());
                }
                ["scf.for", variable, "=", from, "to", to, "step", step, "{"] => {
                    let (mut next, to, step) = (self.value(from), self.value(to), self.value(step));
                    let mut end = self.end_of_block(at + 1);
                    while next < to {
                        self.values.insert((*variable).to_owned(), next);
                        match self.run(at + 1) {
                            Err(after) => end = after,
                            Ok(_) => panic!("a return in a loop"),
                        }
                        next += step;
                    }
                    at = end;
                    continue;
                }
                ["memref.store", value, place, ":", memory] => {
                    let (name, place) = place.split_once('[').unwrap();
                    let (value, place) =
                        (self.value(value), self.value(place.trim_end_matches(']')));
                    self.memory.get_mut(name).unwrap()[place as usize] =
                        cut(value, bits(memory)) as u128;
                }
                [name, "=", operation @ ..] => {
                    let value = self.operation(operation, line);
                    self.values.insert((*name).to_owned(), value);
                }
                _ => panic!("{line}"),
            }
            at += 1;
        }
    }

    fn end_of_block(&self, mut at: usize) -> usize {
        let mut depth = 1;
        while depth > 0 {
            depth += i32::from(self.lines[at].ends_with('{')) - i32::from(self.lines[at] == "}");
            at += 1;
        }
        at
    }

    fn operation(&self, words: &[&str], line: &str) -> i128 {
        let of = |at: usize| self.value(words[at]);
        let width = bits(line.trim());
        match words[0] {
            "arith.constant" if words[1] == "true" => 1,
            "arith.constant" if words[1] == "false" => 0,
            "arith.constant" => words[1].parse().unwrap(),
            "arith.addi" => of(1) + of(2),
            "arith.subi" => of(1) - of(2),
            "arith.muli" => of(1) * of(2),
            "arith.divui" => of(1) / of(2),
            "arith.shrui" => of(1) >> of(2),
            "arith.andi" => of(1) & of(2),
            "arith.xori" if line.ends_with("index") => of(1) ^ of(2),
            "arith.xori" => cut(of(1) ^ of(2), width),
            "arith.trunci" => cut(of(1), width),
            "arith.extui" | "arith.index_cast" => of(1),
            "arith.cmpi" if words[1] == "slt," => (of(2) < of(3)).into(),
            "arith.cmpi" if words[1] == "eq," => (of(2) == of(3)).into(),
            "memref.load" => {
                let (name, place) = words[1].split_once('[').unwrap();
                self.memory[name][self.value(place.trim_end_matches(']')) as usize] as i128
            }
            _ => panic!("{line}"),
        }
    }
}

#[test]
fn functions_agree_with_the_maps() {
    let mut random = Random(30);
    for array in arrays(&mut random, 40) {
        let (map, text) = (array.map(), array.text());
        if map.elements() > 700 || map.allocation() > 2000 {
            continue;
        }
        let code = Request { array: &array, other: None, name: "tw", dynamic: &[] }
            .emit(Target::Mlir)
            .unwrap();
        for (number, &offset) in all_offsets(map).iter().enumerate() {
            let mut machine = Machine::of(&code, "tw_offset");
            for (dim, along) in row_major_index(map.dims(), number as i64).into_iter().enumerate() {
                machine.values.insert(format!("%i{dim}"), along.into());
            }
            assert_eq!(machine.run(0), Ok(vec![offset.into()]), "{text} at {number}");
        }
        if !code.contains("@tw_index(") || code.contains("// No @tw_index") {
            continue;
        }
        for (slot, is_occupied) in occupied(map).into_iter().enumerate() {
            let offset = map.lowest_offset() + slot as i64;
            let mut machine = Machine::of(&code, "tw_index");
            machine.values.insert("%offset".to_owned(), offset.into());
            let found = machine.run(0).unwrap();
            assert_eq!(found[0] == 1, is_occupied, "{text} at offset {offset}");
            if is_occupied {
                let index: Vec<i64> = found[1..].iter().map(|&along| along as i64).collect();
                assert_eq!(map.offset(&index), Ok(offset), "{text}");
            }
        }
    }
}

/// The slots of an array as numbers.
fn slots(array: &Array, bytes: &[u8]) -> Vec<u128> {
    let width = i64::from(array.element_bits());
    let bit = |at: i64| u128::from(bytes[(at / 8) as usize] >> (at % 8) & 1);
    let slot = |slot: i64| (0..width).fold(0, |value, at| value | bit(slot * width + at) << at);
    (0..array.map().allocation()).map(slot).collect()
}

#[test]
fn loops_move_every_slot() {
    let mut random = Random(31);
    for (from, to) in small_pairs(&mut random, 60) {
        // Of 128 bits an `i128` here holds 127.
        if from.bytes() > 4000
            || to.bytes() > 4000
            || to.element_bits().max(from.element_bits()) > 64
        {
            continue;
        }
        let request = Request { array: &from, other: Some(&to), name: "tw", dynamic: &[] };
        let code = request.emit(Target::Mlir).unwrap();
        let src = bytes(&mut random, from.bytes());
        let mut machine = Machine::of(&code, "tw_relayout");
        machine.memory.insert("%src".to_owned(), slots(&from, &src));
        machine.memory.insert("%dst".to_owned(), vec![1; to.map().allocation() as usize]);
        assert_eq!(machine.run(0), Ok(Vec::new()));
        let wanted = slots(&to, &expected(&from, &to, &src));
        assert!(machine.memory["%dst"] == wanted, "{} to {}", from.text(), to.text());
    }
}
