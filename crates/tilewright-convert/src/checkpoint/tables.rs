//! The small arrays of a layer: its zero points, the groups of its rows, its shape.

use anyhow::{Context, bail};
use tilewright::ElementType;
use tilewright::xla::Layout;
use tilewright::{ArrayShape, text::abridged};
use tilewright_files::{ArrayFile, ArraySpec};
use tilewright_relayout::{RunOptions, Threads};

use super::config::Scheme;
use super::method::Method;
use crate::lying::{Lying, plan};

/// An array that is made out of little, as it is written.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    /// Its number in the output.
    pub(crate) target: usize,
    pub(crate) name: String,
    pub(crate) spec: ArraySpec,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    pub(crate) what: What,
}

/// What it is made of.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// The zero points of a layer, from one method's to another's.
    Zeros { from: Scheme, to: Method, layer: ZerosOf },
    /// The group of each of so many rows.
    Groups { rows: i64, group_size: Option<i64> },
    /// The extents of a matrix.
    Shape([i64; 2]),
}

/// Where the zero points of a layer are: `[groups, outputs]`, and the array, if there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ZerosOf {
    pub(crate) dims: [i64; 2],
    pub(crate) array: Option<usize>,
}

impl Made {
    /// The array of the input that it is made of, if it is.
    pub(crate) fn source(&self) -> Option<usize> {
        match &self.what {
            What::Zeros { layer, .. } => layer.array,
            What::Groups { .. } | What::Shape(_) => None,
        }
    }

    /// The bytes of the array.
    pub(crate) fn bytes(&self, file: &ArrayFile) -> anyhow::Result<Vec<u8>> {
        let about = || format!("tensor `{}`", abridged(&self.name));
        self.what.bytes(file).with_context(about)
    }
}

impl What {
    fn bytes(&self, file: &ArrayFile) -> anyhow::Result<Vec<u8>> {
        match self {
            What::Zeros { from, to, layer } => {
                let zeros = zeros(file, from, layer)?;
                stored_zeros(&zeros, *to, from.bits, layer.dims)
            }
            What::Groups { rows, group_size } => {
                let groups = groups(*rows, *group_size)?;
                Ok(groups.into_iter().flat_map(i32::to_le_bytes).collect())
            }
            What::Shape(dims) => Ok(dims.iter().flat_map(|dim| dim.to_le_bytes()).collect()),
        }
    }
}

/// The zero points of a layer in row-major order, `[groups, outputs]`; all the middle where none are stored.
pub(crate) fn zeros(file: &ArrayFile, scheme: &Scheme, layer: &ZerosOf) -> anyhow::Result<Vec<u8>> {
    let count = usize::try_from(layer.dims[0] * layer.dims[1])?;
    let Some(array) = layer.array else { return Ok(vec![1 << (scheme.bits - 1); count]) };
    let lying = scheme.method.zeros(scheme.bits, layer.dims)?;
    let mut stored = vec![0; usize::try_from(lying.bytes()?)?];
    file.read_at(array, 0, &mut stored)?;
    let mut zeros = moved(&stored, &lying, &rows(layer.dims)?)?;
    let less = scheme.method.zeros_less();
    let most = u8::MAX >> (8 - scheme.bits);
    for (number, zero) in zeros.iter_mut().enumerate() {
        if less > 0 && *zero == most {
            let [_, n] = layer.dims;
            let index = [number as i64 / n, number as i64 % n];
            bail!(
                "the zero point at {index:?} is stored as {most}, one less than what it is: programs that read it \
                 differ in whether that is {} or 0",
                u32::from(most) + 1
            );
        }
        *zero += less;
    }
    Ok(zeros)
}

/// Zero points as a method stores them.
fn stored_zeros(
    zeros: &[u8],
    method: Method,
    bits: u32,
    dims: [i64; 2],
) -> anyhow::Result<Vec<u8>> {
    let less = method.zeros_less();
    if less > 0 && zeros.contains(&0) {
        bail!("a zero point is 0, of which {} cannot store one less: gptq-v2 can", method.name());
    }
    let stored: Vec<u8> = zeros.iter().map(|zero| zero - less).collect();
    moved(&stored, &rows(dims)?, &method.zeros(bits, dims)?)
}

/// A byte for each, in row-major order.
fn rows(dims: [i64; 2]) -> anyhow::Result<Lying> {
    let rows = ArrayShape::new(ElementType::U8, &dims)?.with_layout(Layout::descending(2))?;
    Ok(Lying::of(rows.into())?)
}

fn moved(bytes: &[u8], from: &Lying, to: &Lying) -> anyhow::Result<Vec<u8>> {
    let plan = plan(from, to)?;
    let mut moved = vec![0; plan.dst_bytes()];
    let options = RunOptions { threads: Threads::Current, ..RunOptions::default() };
    plan.run(bytes, &mut moved, &options)?;
    Ok(moved)
}

/// The extents that are stored of a matrix.
pub(crate) fn read_shape(file: &ArrayFile, array: usize) -> anyhow::Result<[i64; 2]> {
    let info = &file.arrays()[array];
    let name = abridged(info.name());
    if (info.element_type(), info.dims()) != (ElementType::S64, &[2][..]) {
        bail!("`{name}` is not of two numbers of 64 bits");
    }
    let mut bytes = [0; 16];
    file.read_at(array, 0, &mut bytes)?;
    let (n, k) = bytes.split_at(8);
    let number = |bytes: &[u8]| bytes.try_into().map(i64::from_le_bytes);
    let dims = [number(n)?, number(k)?];
    if dims.iter().any(|&dim| !(1..=i64::from(u32::MAX)).contains(&dim)) {
        bail!("`{name}` holds {dims:?}, which is no matrix of codes");
    }
    Ok(dims)
}

/// The groups of rows that follow each other.
pub(crate) fn groups(rows: i64, group_size: Option<i64>) -> anyhow::Result<Vec<i32>> {
    let size = group_size.unwrap_or(rows).max(1);
    Ok((0..rows).map(|row| i32::try_from(row / size)).collect::<Result<_, _>>()?)
}

/// How many groups so many rows are; the last one may have fewer of them.
pub(crate) fn n_groups(rows: i64, group_size: Option<i64>) -> i64 {
    // A model may say any size: rows and a size together need not fit 64 bits.
    group_size.map_or(1, |size| rows / size + i64::from(rows % size != 0))
}

/// The groups of rows, as they are stored.
pub(crate) fn read_groups(file: &ArrayFile, array: usize) -> anyhow::Result<Vec<i32>> {
    let mut bytes = vec![0; usize::try_from(file.arrays()[array].byte_len())?];
    file.read_at(array, 0, &mut bytes)?;
    let numbers = bytes.chunks_exact(4).map(|word| word.try_into().map(i32::from_le_bytes));
    Ok(numbers.collect::<Result<_, _>>()?)
}

/// Whether rows are grouped otherwise than one after the other.
pub(crate) fn is_reordered(
    file: &ArrayFile,
    array: usize,
    group_size: Option<i64>,
) -> anyhow::Result<bool> {
    let groups = read_groups(file, array)?;
    let size = group_size.unwrap_or(i64::MAX);
    Ok(groups.iter().zip(0..).any(|(&group, row): (_, i64)| i64::from(group) != row / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_group_may_be_smaller() {
        let sizes = [None, Some(4), Some(3), Some(8), Some(9), Some(i64::MAX)];
        assert_eq!(sizes.map(|size| n_groups(8, size)), [1, 2, 3, 1, 1, 1]);
        assert_eq!(groups(8, Some(3)).unwrap(), [0, 0, 0, 1, 1, 1, 2, 2]);
    }
}
