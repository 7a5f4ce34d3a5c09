//! Why an array is larger on the device than its elements are.

use super::order::round_up;
use crate::ArrayShape;
use crate::error::Error;
use crate::xla::{Tile, TileDim};

/// What the first tile does to the dimensions it covers, in words: `minor dim 1: 1000 → 1024;
/// second-minor dim 2: 3 → 4 rows`.
///
/// ```
/// use tilewright::formats::tpu::padding_in_words;
/// assert_eq!(
///     padding_in_words(&"f32[1000,3]{1,0:T(8,128)}".parse()?)?,
///     "minor dim 1: 3 → 128; second-minor dim 0: 1000 rows"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a dimension is unbounded.
pub fn padding_in_words(shape: &ArrayShape) -> Result<String, Error> {
    let sizes = shape.sizes()?;
    let layout = shape.layout_or_default();
    let Some(tile) = layout.tiles().first() else { return Ok("no tiles, no padding".to_owned()) };
    if tile.combines() {
        return Ok(format!("the tile {tile} merges dimensions"));
    }
    let dims = layout.minor_to_major().iter().map(|&dim| Some((dim, sizes[dim])));
    let dims = dims.chain(std::iter::repeat(None));
    let covered: Vec<Covered> = dims
        .zip(sizes_minor_first(tile))
        .enumerate()
        .map(|(place, (dim, tile))| Covered { place, dim, tile })
        .collect();
    let mut words: Vec<String> = covered.iter().map(Covered::in_words).collect();
    if !covered.iter().any(Covered::is_padded) {
        words.push("no padding".to_owned());
    }
    Ok(words.join("; "))
}

fn sizes_minor_first(tile: &Tile) -> impl Iterator<Item = i64> {
    tile.dims().iter().rev().map(|dim| match dim {
        TileDim::Size(size) => *size,
        TileDim::Combine => 1,
    })
}

/// A dimension under a tile; none where the tile is longer than the rank.
struct Covered {
    /// How many dimensions are more minor.
    place: usize,
    /// Its number and size.
    dim: Option<(usize, i64)>,
    tile: i64,
}

impl Covered {
    fn size(&self) -> i64 {
        self.dim.map_or(1, |(_, size)| size)
    }

    fn padded(&self) -> i128 {
        round_up(self.size(), self.tile)
    }

    fn is_padded(&self) -> bool {
        self.padded() != i128::from(self.size())
    }

    fn in_words(&self) -> String {
        let role = match self.place {
            0 => "minor ",
            1 => "second-minor ",
            _ => "",
        };
        let name = match self.dim {
            Some((dim, _)) => format!("{role}dim {dim}"),
            None => format!("{role}dim that the array has not"),
        };
        let padded = match self.is_padded() {
            true => format!(" → {}", self.padded()),
            false => String::new(),
        };
        let unit = match (self.place, self.padded()) {
            (1, 1) => " row",
            (1, _) => " rows",
            _ => "",
        };
        format!("{name}: {}{padded}{unit}", self.size())
    }
}
