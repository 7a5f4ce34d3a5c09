//! What a tiled layout means, worked out element by element from XLA's documentation and not from an index map.
//!
//! XLA's *Tiled layout*: the dimensions stand in physical order. A tile acts on the most minor of them, or, where it is longer,
//! on 1s put before them. `*` makes one dimension of two, `x * bound + y`. A dimension of bound `d` under a tile of size `t`
//! becomes two, `x div t` of bound `ceil(d / t)` and `x mod t` of bound `t`; all of the first kind stand before all of the
//! second. Memory is row-major in what is left when every tile has acted.

/// A tile: sizes, `None` for `*`.
pub(super) type Tile = Vec<Option<i64>>;

/// Where the elements of an array lie.
pub(super) struct Placed {
    /// The offset of each element, in row-major order of the indices.
    pub(super) offsets: Vec<i64>,
    /// The dimensions of memory, padding included.
    pub(super) bounds: Vec<i64>,
}

impl Placed {
    /// The slots of memory.
    pub(super) fn allocation(&self) -> i64 {
        self.bounds.iter().product()
    }
}

/// Every index of an array, in row-major order.
pub(super) fn indices(dims: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for &extent in dims {
        let longer = |index: &Vec<i64>| {
            let index = index.clone();
            (0..extent).map(move |value| [&index[..], &[value]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The place of a coordinate among all of these bounds, the last one varying fastest.
pub(super) fn row_major_number(coordinate: &[i64], bounds: &[i64]) -> i64 {
    coordinate.iter().zip(bounds).fold(0, |number, (value, bound)| number * bound + value)
}

/// Where a layout puts the elements of an array of these dims.
pub(super) fn placed(dims: &[i64], minor_to_major: &[usize], tiles: &[Tile]) -> Placed {
    let major_to_minor = || minor_to_major.iter().rev();
    let mut bounds: Vec<i64> = major_to_minor().map(|&dim| dims[dim]).collect();
    let physical = |index: Vec<i64>| major_to_minor().map(|&dim| index[dim]).collect();
    let mut elements: Vec<Vec<i64>> = indices(dims).into_iter().map(physical).collect();
    for tile in tiles {
        elements.iter_mut().for_each(|element| *element = tiled(element, &bounds, tile));
        bounds = tiled_bounds(&bounds, tile);
    }
    let offsets = elements.iter().map(|element| row_major_number(element, &bounds)).collect();
    Placed { offsets, bounds }
}

/// Numbers with as many of `fill` before them as the tile is longer, cut into those beyond the tile and those under it.
fn under(numbers: &[i64], tile: &Tile, fill: i64) -> (Vec<i64>, Vec<i64>) {
    let mut numbers = numbers.to_vec();
    while numbers.len() < tile.len() {
        numbers.insert(0, fill);
    }
    let inside = numbers.split_off(numbers.len() - tile.len());
    (numbers, inside)
}

fn tiled(element: &[i64], bounds: &[i64], tile: &Tile) -> Vec<i64> {
    let (mut outer, values) = under(element, tile, 0);
    let (_, bounds) = under(bounds, tile, 1);
    let (mut inner, mut major) = (Vec::new(), 0);
    for ((value, bound), size) in values.into_iter().zip(bounds).zip(tile) {
        let merged = major * bound + value;
        major = match size {
            None => merged,
            Some(size) => {
                outer.push(merged / size);
                inner.push(merged % size);
                0
            }
        };
    }
    [outer, inner].concat()
}

fn tiled_bounds(bounds: &[i64], tile: &Tile) -> Vec<i64> {
    let (mut outer, bounds) = under(bounds, tile, 1);
    let (mut inner, mut major) = (Vec::new(), 1);
    for (bound, size) in bounds.into_iter().zip(tile) {
        let merged = major * bound;
        major = match size {
            None => merged,
            Some(size) => {
                outer.push((merged + size - 1) / size);
                inner.push(*size);
                1
            }
        };
    }
    [outer, inner].concat()
}

/// The (count, stride) of each digit of each dimension, smallest first, if the offsets are those of a shape and stride.
///
/// Along a dimension the first digit goes on as long as the offsets do in even steps. The rest has to repeat it, and is
/// taken apart in the same way.
pub(super) fn digits(dims: &[i64], offsets: &[i64]) -> Option<Vec<Vec<(i64, i64)>>> {
    let at = |index: &[i64]| offsets[row_major_number(index, dims) as usize];
    let along = |dim: usize, value: i64| {
        let mut index = vec![0; dims.len()];
        index[dim] = value;
        at(&index)
    };
    let base = at(&vec![0; dims.len()]);
    let is_sum = indices(dims).iter().all(|index| {
        let parts = index.iter().enumerate().map(|(dim, &value)| along(dim, value) - base);
        at(index) == base + parts.sum::<i64>()
    });
    let of_dim =
        |dim: usize| digits_of((0..dims[dim]).map(|value| along(dim, value) - base).collect());
    if !is_sum { None } else { (0..dims.len()).map(of_dim).collect() }
}

fn digits_of(mut values: Vec<i64>) -> Option<Vec<(i64, i64)>> {
    let mut digits = Vec::new();
    while values.len() > 1 {
        let step = values[1];
        let even = values.iter().enumerate().take_while(|(i, v)| **v == *i as i64 * step);
        let count = even.count();
        let repeats = |i: usize| values[i] == values[i % count] + values[i - i % count];
        if !(0..values.len()).all(repeats) {
            return None;
        }
        digits.push((count as i64, step));
        values = values.into_iter().step_by(count).collect();
    }
    Some(digits)
}

/// Whether the digits, by stride, each have a stride that is a multiple of the one before and no smaller than what that one
/// spans.
pub(super) fn is_chain(digits: &[Vec<(i64, i64)>]) -> bool {
    let mut digits: Vec<(i64, i64)> = digits.iter().flatten().copied().collect();
    digits.sort_unstable_by_key(|digit| digit.1);
    let nests = |pair: &[(i64, i64)]| {
        let [(count, small), (_, large)] = [pair[0], pair[1]];
        large % small == 0 && large >= small * count
    };
    digits.iter().all(|digit| digit.1 > 0) && digits.windows(2).all(nests)
}
