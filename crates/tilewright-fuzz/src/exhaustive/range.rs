//! All layouts of small arrays: dimensions, orders and tiles, counted through.

use super::reference::Tile;
use crate::drawn::listed;

/// Arrays, and the tiles that each has.
#[derive(Clone, Debug)]
pub struct Range {
    /// What it is called.
    pub name: &'static str,
    /// The extents of a dimension.
    pub extents: std::ops::RangeInclusive<i64>,
    /// The numbers of dimensions.
    pub ranks: std::ops::RangeInclusive<usize>,
    /// For each level of tiles how far they go. Each layout has as many levels; where there is one level, layouts without a tile
    /// are in it too.
    pub levels: Vec<Tiles>,
}

/// Tiles of up to so many dimensions, each of a size from 1 to this or `*`, which stands before a size.
#[derive(Clone, Copy, Debug)]
pub struct Tiles {
    /// The largest size.
    pub sizes: i64,
    /// The most dimensions.
    pub rank: usize,
}

/// One layout of the range.
pub(super) struct Described {
    pub(super) minor_to_major: Vec<usize>,
    pub(super) tiles: Vec<Tile>,
    /// As XLA prints it.
    pub(super) text: String,
}

impl Range {
    /// Every shape, those with most elements first: they take longest.
    pub(super) fn shapes(&self) -> Vec<Vec<i64>> {
        let extents: Vec<i64> = self.extents.clone().collect();
        let mut shapes = Vec::new();
        for rank in self.ranks.clone() {
            shapes.extend(lists(&extents, rank));
        }
        shapes.sort_by_key(|dims| std::cmp::Reverse(dims.iter().product::<i64>()));
        shapes
    }

    /// Every layout of an array of these dims.
    pub(super) fn layouts(&self, dims: &[i64]) -> impl Iterator<Item = Described> {
        let mut stacks: Vec<Vec<Tile>> = vec![Vec::new()];
        for level in &self.levels {
            let tiles = level.all();
            let higher = |stack: &Vec<Tile>| {
                let stack = stack.clone();
                let with = move |tile: &Tile| [&stack[..], std::slice::from_ref(tile)].concat();
                tiles.iter().map(with).collect::<Vec<_>>()
            };
            stacks = stacks.iter().flat_map(higher).collect();
        }
        if self.levels.len() == 1 {
            stacks.push(Vec::new());
        }
        let dims = dims.to_vec();
        orders(dims.len()).into_iter().flat_map(move |order| {
            let dims = dims.clone();
            stacks.clone().into_iter().map(move |tiles| described(&dims, &order, tiles))
        })
    }
}

impl Tiles {
    fn all(self) -> Vec<Tile> {
        let sizes: Vec<Option<i64>> = (1..=self.sizes).map(Some).collect();
        let any = [&sizes[..], &[None]].concat();
        let of_rank = |rank: usize| {
            let major = lists(&any, rank - 1);
            let with = |major: Vec<Option<i64>>| {
                sizes.iter().map(move |size| [&major[..], &[*size]].concat()).collect::<Vec<_>>()
            };
            major.into_iter().flat_map(with).collect::<Vec<_>>()
        };
        (1..=self.rank).flat_map(of_rank).collect()
    }
}

fn described(dims: &[i64], order: &[usize], tiles: Vec<Tile>) -> Described {
    let size = |size: &Option<i64>| size.map_or("*".to_owned(), |size| size.to_string());
    let tile = |tile: &Tile| {
        let sizes: Vec<String> = tile.iter().map(size).collect();
        format!("({})", sizes.join(","))
    };
    let letters = if tiles.is_empty() { "" } else { ":T" };
    let all: String = tiles.iter().map(tile).collect();
    let layout = format!("{{{}{letters}{all}}}", listed(order));
    let layout = if layout == "{}" { "" } else { &layout };
    let text = format!("u8[{}]{layout}", listed(dims));
    Described { minor_to_major: order.to_vec(), tiles, text }
}

/// Every list of so many of these items.
pub(super) fn lists<T: Clone>(items: &[T], length: usize) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        let longer = |list: &Vec<T>| {
            let list = list.clone();
            items.iter().map(move |item| [&list[..], std::slice::from_ref(item)].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Every order of so many things.
pub(super) fn orders(n: usize) -> Vec<Vec<usize>> {
    let places: Vec<usize> = (0..n).collect();
    let is_order = |list: &Vec<usize>| places.iter().all(|place| list.contains(place));
    lists(&places, n).into_iter().filter(is_order).collect()
}
