//! What the tests of this crate share: the frozen data files.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part")]

pub mod golden;

use std::path::Path;

/// The rows of a tab-separated data file, the heading left out and escapes undone.
pub fn rows(file: &str) -> Vec<Vec<String>> {
    let rows: Vec<Vec<String>> =
        text(file).lines().skip(1).map(|line| line.split('\t').map(unescaped).collect()).collect();
    assert!(rows.len() > 100, "{file} has only {} rows", rows.len());
    rows
}

/// The text of a data file.
pub fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn unescaped(field: &str) -> String {
    let mut out = String::new();
    let mut characters = field.chars();
    while let Some(c) = characters.next() {
        out.push(match c {
            '\\' => match characters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        });
    }
    out
}

/// The offsets of the elements of `shape:stride:original shape`, one level of nesting, in
/// row-major order of the original shape: the definition, evaluated naively.
pub fn tla_offsets(text: &str) -> Vec<i64> {
    let parts: Vec<Vec<Vec<i64>>> = text.split(':').map(modes).collect();
    let [shape, stride, dims] = &parts[..] else { panic!("{text} has not three parts") };
    let mut offsets = vec![0];
    for ((shape, stride), size) in shape.iter().zip(stride).zip(dims) {
        let along = (0..size[0]).map(|index| {
            let mut rest = index;
            let mut offset = 0;
            for (place, (extent, stride)) in shape.iter().zip(stride).enumerate() {
                let last = place + 1 == shape.len();
                offset += if last { rest } else { rest % extent } * stride;
                rest /= extent;
            }
            offset
        });
        let along: Vec<i64> = along.collect();
        offsets = offsets.iter().flat_map(|start| along.iter().map(move |o| start + o)).collect();
    }
    offsets
}

/// `((2,4),8)` as `[[2, 4], [8]]`.
fn modes(text: &str) -> Vec<Vec<i64>> {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap();
    let mut modes = Vec::new();
    let mut rest = inner;
    while !rest.is_empty() {
        let end = if rest.starts_with('(') {
            rest.find(')').unwrap() + 1
        } else {
            rest.find(',').unwrap_or(rest.len())
        };
        let numbers = rest[..end].trim_matches(['(', ')']);
        modes.push(numbers.split(',').map(|number| number.parse().unwrap()).collect());
        rest = rest[end..].trim_start_matches(',');
    }
    modes
}

/// The offsets that oneDNN gives a dense array of this tag, in row-major order: blocks are taken
/// off an index from the last to the first, what is left goes by the outer order.
pub fn onednn_offsets(tag: &str, dims: &[i64]) -> Vec<i64> {
    let letters = tag.chars().take_while(char::is_ascii_alphabetic).count();
    let dim_of = |letter: char| (letter.to_ascii_lowercase() as usize) - ('a' as usize);
    let order: Vec<usize> = tag[..letters].chars().map(dim_of).collect();
    let mut blocks: Vec<(i64, usize)> = Vec::new();
    let mut size = String::new();
    for c in tag[letters..].chars() {
        if c.is_ascii_digit() {
            size.push(c);
        } else {
            blocks.push((std::mem::take(&mut size).parse().unwrap(), dim_of(c)));
        }
    }
    let block_of = |dim: usize| -> i64 {
        blocks.iter().filter(|block| block.1 == dim).map(|block| block.0).product()
    };
    let mut strides = vec![0; dims.len()];
    let mut stride: i64 = blocks.iter().map(|block| block.0).product();
    for &dim in order.iter().rev() {
        strides[dim] = stride;
        stride *= (dims[dim] + block_of(dim) - 1) / block_of(dim);
    }
    let n: i64 = dims.iter().product();
    (0..n)
        .map(|number| {
            let mut index = vec![0; dims.len()];
            let mut rest = number;
            for dim in (0..dims.len()).rev() {
                index[dim] = rest % dims[dim];
                rest /= dims[dim];
            }
            let mut offset = 0;
            let mut unit = 1;
            for &(size, dim) in blocks.iter().rev() {
                offset += index[dim] % size * unit;
                index[dim] /= size;
                unit *= size;
            }
            offset + index.iter().zip(&strides).map(|(i, stride)| i * stride).sum::<i64>()
        })
        .collect()
}
