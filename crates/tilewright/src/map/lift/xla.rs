//! Lifting a map to an XLA layout.
//!
//! Every map whose strides form a chain, each a multiple of the next smaller one and no smaller
//! than what that one spans, is an XLA layout: tiles first split every dimension into its
//! digits, then move digits to the minor end, a stable partition at a time, until they stand in
//! the order of their strides. A digit that is moved takes the bound that the next larger stride
//! leaves it, so gaps become padding.
//!
//! Of the orders of dimensions the one that needs the fewest tiles is taken.

use super::untranslatable::{Untranslatable, refused};
use crate::Permutation;
use crate::map::{Digit, IndexMap, Source};
use crate::xla::{Layout, Tile};

/// Ranks up to this have all orders of dimensions tried.
const MAX_RANK_TRIED: usize = 5;

/// One digit, with the bound it has to have in memory.
#[derive(Clone, Copy, Debug)]
struct Placed {
    /// How many values it has by itself.
    count: i64,
    /// How many it has room for up to the next larger stride.
    bound: i64,
    /// Its place in memory, 0 most major.
    rank: usize,
}

/// A coordinate while tiles are applied: the digits it is still made of, most major first; none
/// for what is always 0.
#[derive(Clone, Debug, Default)]
struct Column {
    digits: Vec<Placed>,
}

impl IndexMap {
    /// An XLA layout that gives every element the same offset. Its allocation is the map's,
    /// rounded up to whole steps of the largest stride.
    ///
    /// ```
    /// use tilewright::IndexMap;
    /// let padded = IndexMap::from_tla(&"(4,8):(1,5)".parse()?)?;
    /// let layout = padded.to_xla_layout()?;
    /// assert_eq!(layout.to_string(), "{0,1:T(5)}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is none by shape and stride: strides that overlap, are 0 or negative, or do not nest; merged
    /// coordinates. Whether a map of merged coordinates has the offsets of a shape and stride is looked for
    /// where no group of dimensions that they tie together has more than 2²⁰ elements.
    pub fn to_xla_layout(&self) -> Result<Layout, Untranslatable> {
        self.separated()?.digits_as_tiles()
    }

    fn digits_as_tiles(&self) -> Result<Layout, Untranslatable> {
        let columns = self.columns()?;
        let orders = orders(&self.preferred_order());
        let layouts = orders.iter().flat_map(|order| {
            STRATEGIES.map(|strategy| layout_in_order(order, &columns, self.unit(), strategy))
        });
        let best = layouts.flatten().min_by_key(cost);
        let right = best.filter(|layout| {
            IndexMap::from_layout(&self.dims, layout)
                .is_ok_and(|map| matches!(map.first_difference(self), Ok(None)))
        });
        right.map_or_else(|| refused("no tiles were found for these strides"), Ok)
    }

    /// The smallest stride.
    fn unit(&self) -> i64 {
        self.digits.last().map_or(1, |digit| digit.stride)
    }

    /// Each dimension's digits, most major first, placed in memory.
    fn columns(&self) -> Result<Vec<Column>, Untranslatable> {
        if self.base != 0 || self.lowest_offset != 0 {
            return refused("the first element is not at the lowest offset");
        }
        let mut columns = vec![Column::default(); self.dims.len()];
        let mut larger: Option<&Digit> = None;
        for (rank, digit) in self.digits.iter().enumerate() {
            let placed = self.placed(digit, larger, rank)?;
            if let Source::Dim(dim) = digit.source {
                columns[dim].digits.push(placed);
            }
            larger = Some(digit);
        }
        for (dim, column) in columns.iter_mut().enumerate() {
            self.check_whole(dim)?;
            let divisor = |placed: &Placed| self.digits[placed.rank].divisor;
            column.digits.sort_by_key(|placed| std::cmp::Reverse(divisor(placed)));
        }
        Ok(columns)
    }

    fn placed(
        &self,
        digit: &Digit,
        larger: Option<&Digit>,
        rank: usize,
    ) -> Result<Placed, Untranslatable> {
        let count = match digit.modulus {
            Some(modulus) => modulus,
            None => self.extent(digit),
        };
        if digit.stride < 1 {
            return refused(format!("the stride {} is not positive", digit.stride));
        }
        let Some(larger) = larger else {
            let bound =
                self.allocation / digit.stride + i64::from(self.allocation % digit.stride != 0);
            return Ok(Placed { count, bound: bound.max(count), rank });
        };
        let bound = larger.stride / digit.stride;
        if larger.stride % digit.stride != 0 || bound < self.extent(digit) {
            return refused(format!(
                "the strides {} and {} do not nest: {} elements of the smaller do not fit the larger",
                larger.stride,
                digit.stride,
                self.extent(digit)
            ));
        }
        Ok(Placed { count, bound, rank })
    }

    /// A dimension's digits have to count all of it.
    fn check_whole(&self, dim: usize) -> Result<(), Untranslatable> {
        let mut digits: Vec<&Digit> =
            self.digits.iter().filter(|digit| digit.source == Source::Dim(dim)).collect();
        digits.sort_by_key(|digit| digit.divisor);
        let mut counted = Some(1);
        for digit in digits {
            if counted != Some(digit.divisor) {
                return refused(format!("dimension {dim} has elements that share their place"));
            }
            counted = digit.modulus.and_then(|modulus| modulus.checked_mul(digit.divisor));
        }
        if counted.is_some_and(|counted| counted < self.dims[dim]) {
            return refused(format!("dimension {dim} has elements that share their place"));
        }
        Ok(())
    }

    /// The dimensions by the largest stride of each, most major first.
    fn preferred_order(&self) -> Vec<usize> {
        let largest = |dim: usize| {
            let mut digits = self.digits.iter();
            digits.find(|digit| digit.source == Source::Dim(dim)).map_or(i64::MAX, |d| d.stride)
        };
        let mut order: Vec<usize> = (0..self.dims.len()).collect();
        order.sort_by_key(|&dim| std::cmp::Reverse(largest(dim)));
        order
    }
}

/// Few tiles, none of them long, and the default order where nothing else decides.
fn cost(layout: &Layout) -> (usize, usize, usize, bool) {
    let lengths = || layout.tiles().iter().map(|tile| tile.dims().len());
    (lengths().count(), lengths().max().unwrap_or(0), lengths().sum(), !layout.is_descending())
}

/// The orders of dimensions to try, the preferred one first.
fn orders(preferred: &[usize]) -> Vec<Vec<usize>> {
    if preferred.len() > MAX_RANK_TRIED {
        return vec![preferred.to_vec()];
    }
    Permutation::all(preferred.len()).iter().map(|order| order.permute(preferred)).collect()
}

/// Which digits a tile splits off.
#[derive(Clone, Copy, Debug)]
struct Strategy {
    /// Only the most minor one, and not all but the most major one.
    most_minor_only: bool,
    /// A lone digit whose bound is too small, too.
    lone_short: bool,
}

const STRATEGIES: [Strategy; 4] = [
    Strategy { most_minor_only: false, lone_short: false },
    Strategy { most_minor_only: false, lone_short: true },
    Strategy { most_minor_only: true, lone_short: false },
    Strategy { most_minor_only: true, lone_short: true },
];

/// The layout with the dimensions in this order.
fn layout_in_order(
    order: &[usize],
    columns: &[Column],
    unit: i64,
    strategy: Strategy,
) -> Option<Layout> {
    let mut columns: Vec<Column> = order.iter().map(|&dim| columns[dim].clone()).collect();
    let mut tiling = Tiling { tiles: Vec::new(), moved: Vec::new() };
    while let Some(first) = columns.iter().position(|column| column.digits.len() > 1) {
        let counts = columns[first..].iter().map(|column| tiling.n_split(column, strategy));
        let counts: Vec<usize> = counts.collect();
        tiling.apply(&mut columns, first, &counts)?;
    }
    tiling.sort(&mut columns)?;
    tiling.end_with(&columns, unit)?;
    let order = Permutation::new(order.to_vec()).ok()?;
    Some(Layout::from_major_to_minor(&order).with_tiles(tiling.tiles))
}

/// The tiles so far, and which digits have the bound they have to have.
struct Tiling {
    tiles: Vec<Tile>,
    moved: Vec<usize>,
}

impl Tiling {
    /// Whether a digit still has its own count where more room has to be.
    fn is_short(&self, digit: &Placed) -> bool {
        digit.bound != digit.count && !self.moved.contains(&digit.rank)
    }

    /// How many of a column's digits the next tile splits off.
    fn n_split(&self, column: &Column, strategy: Strategy) -> usize {
        match &column.digits[..] {
            [] => 0,
            [lone] => usize::from(strategy.lone_short && self.is_short(lone)),
            _ if strategy.most_minor_only => 1,
            [_, inner @ ..] => inner.len(),
        }
    }

    /// Applies the tile that splits this many minor digits off each column from `first` on.
    fn apply(&mut self, columns: &mut Vec<Column>, first: usize, counts: &[usize]) -> Option<()> {
        let mut places = Vec::new();
        let mut sizes = Vec::new();
        for (column, &count) in columns[first..].iter_mut().zip(counts) {
            let digits = column.digits.split_off(column.digits.len() - count);
            sizes.push(self.tile_size(&digits, column.digits.is_empty())?);
            places.push(Column { digits });
        }
        columns.extend(places);
        let leading = sizes.iter().take_while(|&&size| size == 1).count();
        self.tiles.push(Tile::of(&sizes[leading.min(sizes.len() - 1)..]).ok()?);
        Some(())
    }

    /// The size of a tile that takes these digits; where it takes all of a lone digit, with the
    /// room that digit has to have.
    fn tile_size(&mut self, digits: &[Placed], takes_all: bool) -> Option<i64> {
        match digits {
            [lone] if takes_all => {
                self.moved.push(lone.rank);
                Some(lone.bound)
            }
            _ => digits.iter().try_fold(1i64, |size, digit| size.checked_mul(digit.count)),
        }
    }

    /// Moves lone digits until they stand in the order of memory, each with its bound.
    fn sort(&mut self, columns: &mut Vec<Column>) -> Option<()> {
        let keys = self.keys(columns);
        let n_passes =
            usize::BITS - keys.iter().map(|&(_, key)| key).max().unwrap_or(0).leading_zeros();
        for pass in 0..n_passes {
            let moves = |column: &Column| {
                let digit = column.digits.first();
                let key = keys.iter().find(|(rank, _)| digit.is_some_and(|d| d.rank == *rank));
                usize::from(key.is_some_and(|(_, key)| (key >> pass) & 1 == 1))
            };
            if let Some(first) = columns.iter().position(|column| moves(column) > 0) {
                let counts: Vec<usize> = columns[first..].iter().map(moves).collect();
                self.apply(columns, first, &counts)?;
            }
        }
        Some(())
    }

    /// For each digit, in which passes of a radix sort it is moved: numbers that rise along memory
    /// wherever the digits do not stand in order yet.
    fn keys(&self, columns: &[Column]) -> Vec<(usize, usize)> {
        let placed = columns.iter().enumerate();
        let mut digits: Vec<(usize, &Placed)> =
            placed.flat_map(|(at, column)| column.digits.iter().map(move |d| (at, d))).collect();
        digits.sort_by_key(|(_, digit)| digit.rank);
        let mut key = 0;
        let mut last_at = None;
        let mut keys = Vec::new();
        for (at, digit) in digits {
            let out_of_order = last_at.is_some_and(|last_at| at < last_at);
            key += usize::from(out_of_order || (key == 0 && self.is_short(digit)));
            keys.push((digit.rank, key));
            last_at = Some(at);
        }
        keys
    }

    /// Room of `unit` elements for each place, behind everything.
    fn end_with(&mut self, columns: &[Column], unit: i64) -> Option<()> {
        if unit == 1 {
            return Some(());
        }
        if columns.last().is_none_or(|column| !column.digits.is_empty()) {
            self.tiles.push(Tile::of(&[1]).ok()?);
        }
        self.tiles.push(Tile::of(&[unit]).ok()?);
        Some(())
    }
}
