//! Odd extents beside even ones: real arrays have odd extents, and how long they take had better follow from their bytes.
//!
//! A neighbourhood is an array of even extents and the same with one of them, or several, a little smaller. What counts is how
//! many times as long an odd one takes as its even neighbour, each relative to the best copy of its larger side.

use super::pair::Pair;
use anyhow::Result;

/// About the bytes of a side.
const BYTES: usize = 32_000_000;

/// Elements and their bits.
const ELEMENTS: [(&str, usize); 5] = [("s4", 4), ("s8", 8), ("f16", 16), ("f32", 32), ("f64", 64)];

/// The rows and columns of matrices of a batch.
const MATRICES: [(usize, usize); 8] =
    [(4, 4), (8, 8), (16, 16), (32, 32), (64, 64), (8, 64), (64, 8), (128, 128)];

/// Where the dimensions of a tensor go whose middle leaves its place, and those of its others.
const ORDERS: [(&str, &str); 4] =
    [("middle", "2,0,1"), ("reversed", "0,1,2"), ("turned", "1,0,2"), ("outer", "0,2,1")];

/// An array of even extents and its odd neighbours.
pub(super) struct Neighbourhood {
    pub(super) even: Pair,
    pub(super) odd: Vec<Pair>,
}

/// The texts of a pair for some extents.
type Texts<'t> = &'t dyn Fn(&[usize]) -> [String; 2];

/// Neighbourhoods as they are made.
struct Made(Vec<Neighbourhood>);

impl Made {
    /// Of even extents, and of the same smaller by these.
    fn add(
        &mut self,
        family: &'static str,
        even: &[usize],
        less: &[&[usize]],
        texts: Texts<'_>,
    ) -> Result<()> {
        if even.contains(&0) {
            return Ok(());
        }
        let odd = |less: &&[usize]| {
            let extents: Vec<usize> = even.iter().zip(*less).map(|(&n, &less)| n - less).collect();
            Pair::read(family, texts(&extents))
        };
        let odd = less.iter().map(odd).collect::<Result<_>>()?;
        self.0.push(Neighbourhood { even: Pair::read(family, texts(even))?, odd });
        Ok(())
    }
}

/// All of them.
pub(super) fn all() -> Result<Vec<Neighbourhood>> {
    let mut made = Made(Vec::new());
    for (element, bits) in ELEMENTS {
        let n = BYTES * 8 / bits;
        rows_that_are_zipped(&mut made, element, n)?;
        matrices(&mut made, element, n)?;
        tensors(&mut made, element, n)?;
        tiles(&mut made, element, n)?;
        if matches!(element, "s8" | "f16" | "f32") {
            channels(&mut made, element, n)?;
        }
    }
    Ok(made.0)
}

/// An array in an order of its dimensions, packed if its elements are smaller than a byte; in tiles, if there are any.
fn array(element: &str, extents: &[usize], order: &str, tiles: &str) -> String {
    let extents: Vec<String> = extents.iter().map(usize::to_string).collect();
    let packed = if element == "s4" { "E(4)" } else { "" };
    let colon = if packed.is_empty() && tiles.is_empty() { "" } else { ":" };
    format!("{element}[{}]{{{order}{colon}{tiles}{packed}}}", extents.join(","))
}

fn rows_that_are_zipped(made: &mut Made, element: &str, n: usize) -> Result<()> {
    for (together, columns) in
        [2, 4, 8, 16].into_iter().flat_map(|k| [(k, 64), (k, 160), (k, 1024)])
    {
        let groups = n / columns / together;
        let zipped = |x: &[usize]| {
            let stride = together * x[0];
            format!("{element} (({together},{groups}),{}):((1,{stride}),{together})", x[0])
        };
        let rows = |x: &[usize]| array(element, &[groups * together, x[0]], "1,0", "");
        let less: [&[usize]; 2] = [&[7], &[4]];
        made.add("rows zipped", &[columns], &less, &|x| [rows(x), zipped(x)])?;
        made.add("rows taken apart", &[columns], &less, &|x| [zipped(x), rows(x)])?;
    }
    Ok(())
}

fn matrices(made: &mut Made, element: &str, n: usize) -> Result<()> {
    let less: [&[usize]; 3] = [&[1, 0], &[0, 1], &[1, 1]];
    for columns in [8, 24, 64, 160, 1024, 4096] {
        let transposed = |x: &[usize]| ["1,0", "0,1"].map(|order| array(element, x, order, ""));
        made.add("matrix transposed", &[n / columns / 8 * 8, columns], &less, &transposed)?;
    }
    let less: [&[usize]; 3] = [&[0, 1, 0], &[0, 0, 1], &[0, 1, 1]];
    for (rows, columns) in MATRICES {
        let transposed = |x: &[usize]| ["2,1,0", "1,2,0"].map(|order| array(element, x, order, ""));
        let extents = [n / rows / columns, rows, columns];
        made.add("matrices of a batch transposed", &extents, &less, &transposed)?;
    }
    Ok(())
}

fn tensors(made: &mut Made, element: &str, n: usize) -> Result<()> {
    let less: [&[usize]; 3] = [&[0, 1, 0], &[0, 0, 1], &[1, 0, 0]];
    for inner in [4, 16, 64, 256] {
        for (family, order) in ORDERS {
            let permuted = |x: &[usize]| ["2,1,0", order].map(|order| array(element, x, order, ""));
            made.add(family, &[n / inner / 64 / 8 * 8, 64, inner], &less, &permuted)?;
        }
    }
    Ok(())
}

fn tiles(made: &mut Made, element: &str, n: usize) -> Result<()> {
    let tilings: &[&str] = match element {
        "s4" => &["T(8,128)(8,1)"],
        "s8" => &["T(8,128)(4,1)", "T(32,128)(4,1)"],
        "f16" => &["T(8,128)(2,1)", "T(8,128)"],
        "f32" => &["T(8,128)"],
        _ => &[],
    };
    let less: [&[usize]; 3] = [&[1, 0], &[0, 1], &[1, 1]];
    for (tiling, columns) in tilings.iter().flat_map(|tiling| [(tiling, 128), (tiling, 1024)]) {
        for order in ["1,0", "0,1"] {
            let rows = |x: &[usize]| array(element, x, "1,0", "");
            let tiled = |x: &[usize]| array(element, x, order, tiling);
            let extents = [n / columns / 8 * 8, columns];
            made.add("rows to tiles", &extents, &less, &|x| [rows(x), tiled(x)])?;
            made.add("tiles to rows", &extents, &less, &|x| [tiled(x), rows(x)])?;
        }
    }
    Ok(())
}

fn channels(made: &mut Made, element: &str, n: usize) -> Result<()> {
    let less: [&[usize]; 2] = [&[3, 0], &[0, 1]];
    for (block, channels) in [4, 8, 16].into_iter().flat_map(|block| [(block, 64), (block, 96)]) {
        let extents = [channels, n / channels / 16];
        for plain in ["nchw", "nhwc"] {
            let image = |x: &[usize], tag: &str| format!("{element}[16,{},{},1] {tag}", x[0], x[1]);
            let blocked = format!("nChw{block}c");
            made.add("to blocks of channels", &extents, &less, &|x| {
                [image(x, plain), image(x, &blocked)]
            })?;
            made.add("from blocks of channels", &extents, &less, &|x| {
                [image(x, &blocked), image(x, plain)]
            })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_by_a_little() {
        let all = all().unwrap();
        assert!(all.len() > 300, "{}", all.len());
        for Neighbourhood { even, odd } in &all {
            assert!(!odd.is_empty());
            for one in odd {
                assert_eq!(one.family, even.family);
                assert_ne!(one.texts, even.texts);
                let bytes = [one, even].map(Pair::larger_bytes);
                assert!(bytes[0] <= bytes[1] && 2 * bytes[0] >= bytes[1], "{:?}", one.texts);
            }
        }
    }
}
