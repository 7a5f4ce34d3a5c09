//! A layout spelled out as pad, reshape and transpose.
//!
//! Tiling does nothing that these three cannot: pad each dimension to whole tiles, reshape each
//! into (tiles, place in the tile), transpose so that all the places come last. Each further
//! tile does the same to what the one before left. A [`TilingProgram`] is that list of steps, to
//! be read, printed, or run on an array in any library that has the three operations.
//!
//! Source: XLA, *Tiled layout*, "Tiling as pad-reshape-transpose".

use std::fmt;

use crate::Permutation;
use crate::arithmetic::checked_product;
use crate::error::{Error, checked, invalid};
use crate::shape::ArrayShape;
use crate::xla::{Tile, TileDim};

/// One operation on a row-major array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Pad at the end of each dimension, to these sizes.
    Pad(Vec<i64>),
    /// Read the same elements in the same order as an array of these sizes.
    Reshape(Vec<i64>),
    /// Move dimensions: dimension `i` of the outcome is dimension `permutation[i]` of the input.
    Transpose(Permutation),
}

/// The steps from a dense row-major array to one whose row-major order is the layout's memory
/// order.
///
/// ```
/// use tilewright::{ArrayShape, xla::TilingProgram};
/// let shape: ArrayShape = "f32[3,5]{1,0:T(2,2)}".parse()?;
/// let program = TilingProgram::of(&shape)?;
/// assert_eq!(program.to_string(), "\
/// start     [3,5]
/// pad       [4,6]
/// reshape   [2,2,3,2]
/// transpose [2,3,2,2]  by 0,2,1,3");
/// let letters: Vec<char> = "abcdefghijklmno".chars().collect();
/// let memory: String = program.apply(&letters, '.')?.into_iter().collect();
/// assert_eq!(memory, "abfgcdhie.j.kl..mn..o...");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TilingProgram {
    dims: Vec<i64>,
    /// Each step with the sizes it leaves.
    steps: Vec<(Step, Vec<i64>)>,
    /// The number of all these sizes.
    n_sizes: usize,
}

/// The most sizes that the steps of a program have together.
///
/// Each tile leaves a dimension more for each of its own, and each step lists all of them, so that
/// a program is as long as the square of its tiles: a thousand tiles `(1)` have a million sizes.
pub const MAX_PROGRAM_SIZES: usize = 1 << 20;

/// An array on its way: its sizes, and its elements in row-major order.
pub type State<T> = (Vec<i64>, Vec<T>);

impl TilingProgram {
    /// The program of an array's layout.
    ///
    /// # Errors
    /// If a dimension is unbounded, a size does not fit 64 bits, or the steps have more than
    /// [`MAX_PROGRAM_SIZES`] sizes together.
    pub fn of(shape: &ArrayShape) -> Result<Self, Error> {
        let dims = shape.sizes()?;
        let layout = shape.layout_or_default();
        let mut program = TilingProgram { dims, steps: Vec::new(), n_sizes: 0 };
        if let Some(padding) = layout.padding() {
            program.pad(padding.dimensions().to_vec())?;
        }
        program.transpose(layout.major_to_minor())?;
        for tile in layout.tiles() {
            program.tile(tile)?;
        }
        program.pad_tail(layout.tail_padding_alignment_in_elements())?;
        checked_product(program.sizes().iter().copied())?;
        Ok(program)
    }

    /// The sizes of the array that the program starts from.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// The steps, in order. Steps that would do nothing are left out.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().map(|(step, _)| step)
    }

    /// The sizes of the array that the program ends with.
    pub fn sizes(&self) -> &[i64] {
        self.steps.last().map_or(&self.dims, |(_, sizes)| sizes)
    }

    /// Runs the program on the elements of a row-major array, with `padding` where there is none.
    ///
    /// For explanation and for tests: it makes a copy at each step. To move real data use the
    /// `tilewright-relayout` crate.
    ///
    /// # Errors
    /// If there are not as many elements as the array has.
    pub fn apply<T: Clone>(&self, elements: &[T], padding: T) -> Result<Vec<T>, Error> {
        let states = self.states(elements, padding)?;
        Ok(states.into_iter().next_back().map_or_else(Vec::new, |(_, data)| data))
    }

    /// The array at the start and after each step: its sizes, and its elements in row-major order.
    ///
    /// ```
    /// use tilewright::{ArrayShape, xla::TilingProgram};
    /// let shape: ArrayShape = "u8[3]{0:T(2)}".parse()?;
    /// let states = TilingProgram::of(&shape)?.states(&['a', 'b', 'c'], '.')?;
    /// let padded = (vec![4], vec!['a', 'b', 'c', '.']);
    /// assert_eq!(states, [(vec![3], vec!['a', 'b', 'c']), padded.clone(), (vec![2, 2], padded.1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are not as many elements as the array has.
    pub fn states<T: Clone>(&self, elements: &[T], padding: T) -> Result<Vec<State<T>>, Error> {
        let expected = checked_product(self.dims.iter().copied())?;
        if i64::try_from(elements.len()) != Ok(expected) {
            let message =
                format!("the array has {expected} elements, and {} are given", elements.len());
            return invalid(message);
        }
        let mut states = vec![(self.dims.clone(), elements.to_vec())];
        for (step, next) in &self.steps {
            let Some((sizes, data)) = states.last() else { break };
            let data = match step {
                Step::Reshape(_) => data.clone(),
                Step::Pad(to) => rearranged(to, |index| element_at(data, sizes, index), &padding),
                Step::Transpose(permutation) => {
                    let from = permutation.inverse();
                    let element = |index: &[i64]| element_at(data, sizes, &from.permute(index));
                    rearranged(next, element, &padding)
                }
            };
            states.push((next.clone(), data));
        }
        Ok(states)
    }

    fn push(&mut self, step: Step, sizes: Vec<i64>) -> Result<(), Error> {
        self.n_sizes += sizes.len();
        if self.n_sizes > MAX_PROGRAM_SIZES {
            return invalid(format!("the steps have more than {MAX_PROGRAM_SIZES} sizes together"));
        }
        self.steps.push((step, sizes));
        Ok(())
    }

    fn pad(&mut self, sizes: Vec<i64>) -> Result<(), Error> {
        if sizes == self.sizes() {
            return Ok(());
        }
        self.push(Step::Pad(sizes.clone()), sizes)
    }

    fn reshape(&mut self, sizes: Vec<i64>) -> Result<(), Error> {
        if sizes == self.sizes() {
            return Ok(());
        }
        self.push(Step::Reshape(sizes.clone()), sizes)
    }

    fn transpose(&mut self, permutation: Permutation) -> Result<(), Error> {
        if permutation.is_identity() {
            return Ok(());
        }
        let sizes = permutation.permute(self.sizes());
        self.push(Step::Transpose(permutation), sizes)
    }

    fn tile(&mut self, tile: &Tile) -> Result<(), Error> {
        let missing = tile.dims().len().saturating_sub(self.sizes().len());
        let mut sizes = vec![1; missing];
        sizes.extend_from_slice(self.sizes());
        let n_major = sizes.len() - tile.dims().len();
        let (sizes, tile) = combined(&sizes, tile, n_major)?;
        self.reshape(sizes)?;
        self.pad(padded(self.sizes(), &tile, n_major)?)?;
        self.reshape(cut(self.sizes(), &tile, n_major))?;
        self.transpose(places_last(n_major, tile.len())?)
    }

    fn pad_tail(&mut self, alignment: i64) -> Result<(), Error> {
        let elements = checked_product(self.sizes().iter().copied())?;
        if elements % alignment != 0 {
            let missing = alignment - elements % alignment;
            let aligned = checked(elements.checked_add(missing), "the allocation")?;
            self.reshape(vec![elements])?;
            self.pad(vec![aligned])?;
        }
        Ok(())
    }
}

/// The sizes with those under a `*` multiplied into the next, and the tile without its `*`.
fn combined(sizes: &[i64], tile: &Tile, n_major: usize) -> Result<(Vec<i64>, Vec<i64>), Error> {
    let mut kept = sizes[..n_major].to_vec();
    let mut tile_sizes = Vec::new();
    let mut carried = 1i64;
    for (size, dim) in sizes[n_major..].iter().zip(tile.dims()) {
        carried = checked(carried.checked_mul(*size), "a merged dimension")?;
        if let TileDim::Size(tile_size) = dim {
            kept.push(carried);
            tile_sizes.push(*tile_size);
            carried = 1;
        }
    }
    Ok((kept, tile_sizes))
}

fn padded(sizes: &[i64], tile: &[i64], n_major: usize) -> Result<Vec<i64>, Error> {
    let mut padded = sizes.to_vec();
    for (size, tile) in padded[n_major..].iter_mut().zip(tile) {
        let n_tiles = *size / tile + i64::from(*size % tile != 0);
        *size = checked(n_tiles.checked_mul(*tile), "a padded dimension")?;
    }
    Ok(padded)
}

fn cut(sizes: &[i64], tile: &[i64], n_major: usize) -> Vec<i64> {
    let (major, tiled) = sizes.split_at(n_major);
    let pairs = tiled.iter().zip(tile).flat_map(|(size, tile)| [size / tile, *tile]);
    major.iter().copied().chain(pairs).collect()
}

/// The major dimensions, then the tile number of each pair, then the place of each pair.
fn places_last(n_major: usize, n_tiled: usize) -> Result<Permutation, Error> {
    let numbers = (0..n_tiled).map(|pair| n_major + 2 * pair);
    let places = (0..n_tiled).map(|pair| n_major + 2 * pair + 1);
    Permutation::new((0..n_major).chain(numbers).chain(places).collect::<Vec<_>>())
}

/// A row-major array of these sizes, each element from the function or `padding`.
fn rearranged<T: Clone>(
    sizes: &[i64],
    element: impl Fn(&[i64]) -> Option<T>,
    padding: &T,
) -> Vec<T> {
    let mut elements = Vec::new();
    let mut index = vec![0; sizes.len()];
    if sizes.contains(&0) {
        return elements;
    }
    loop {
        elements.push(element(&index).unwrap_or_else(|| padding.clone()));
        if !bump(&mut index, sizes) {
            return elements;
        }
    }
}

/// The next index in row-major order; false at the end.
fn bump(index: &mut [i64], sizes: &[i64]) -> bool {
    for (value, size) in index.iter_mut().zip(sizes).rev() {
        *value += 1;
        if *value < *size {
            return true;
        }
        *value = 0;
    }
    false
}

/// The element of a row-major array, or `None` out of bounds.
fn element_at<T: Clone>(data: &[T], sizes: &[i64], index: &[i64]) -> Option<T> {
    let place = index
        .iter()
        .zip(sizes)
        .try_fold(0i64, |place, (value, size)| (value < size).then_some(place * size + value))?;
    data.get(usize::try_from(place).ok()?).cloned()
}

impl fmt::Display for TilingProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<9} {}", "start", bracketed(&self.dims))?;
        for (step, sizes) in &self.steps {
            let name = match step {
                Step::Pad(_) => "pad",
                Step::Reshape(_) => "reshape",
                Step::Transpose(_) => "transpose",
            };
            write!(f, "\n{name:<9} {}", bracketed(sizes))?;
            if let Step::Transpose(permutation) = step {
                let numbers: Vec<String> = permutation.iter().map(usize::to_string).collect();
                write!(f, "  by {}", numbers.join(","))?;
            }
        }
        Ok(())
    }
}

fn bracketed(sizes: &[i64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    format!("[{}]", sizes.join(","))
}
