//! Layouts as functions of the array's shape.

use std::fmt;

use tilewright::map::Fitted;
use tilewright::tla::{Int, IntTuple, Layout, Nested, Stride};

/// A number that depends on the shape: `Π ceil(size / unit) * (constant + factor * Π ceil(size / unit))`.
///
/// Padding is what the rounding up is: with a tile of 128 × 4 the stride of a row of tiles is
/// `512*ceil(d1/4)`. The first product is 1 but for sizes of arrays with something between their
/// parts, as 96 nibbles behind each group of four rows: `ceil(d0/4)*(96+8*ceil(d1/2))`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The dimensions of the first product, and what each is counted in.
    pub outer: Vec<(usize, i64)>,
    /// What is added to the second product.
    pub constant: i64,
    /// The factor of the second product; 0 where there is none.
    pub factor: i64,
    /// The dimensions of the second product, and what each is counted in.
    pub terms: Vec<(usize, i64)>,
}

impl Formula {
    pub(crate) fn constant(constant: i64) -> Self {
        Formula { outer: Vec::new(), constant, factor: 0, terms: Vec::new() }
    }

    /// Its value for an array of these sizes; `None` if it does not fit 64 bits, or a dimension is
    /// missing.
    pub fn at(&self, sizes: &[i64]) -> Option<i64> {
        let sum =
            self.factor.checked_mul(product(&self.terms, sizes)?)?.checked_add(self.constant)?;
        sum.checked_mul(product(&self.outer, sizes)?)
    }

    /// With these names of dimensions.
    fn text(&self, names: &[String]) -> String {
        let term = |(dim, unit): &(usize, i64)| match (names.get(*dim), unit) {
            (None, _) => "?".to_owned(),
            (Some(name), 1) => name.clone(),
            (Some(name), unit) => format!("ceil({name}/{unit})"),
        };
        let outer: Vec<String> = self.outer.iter().map(term).collect();
        let inner = (self.factor != 1).then(|| self.factor.to_string()).into_iter();
        let inner = inner.chain(self.terms.iter().map(term)).collect::<Vec<_>>().join("*");
        let sum = match (self.constant, self.factor) {
            (constant, 0) => constant.to_string(),
            (0, _) => inner,
            (constant, _) if outer.is_empty() => format!("{constant}+{inner}"),
            (constant, _) => format!("({constant}+{inner})"),
        };
        outer.into_iter().chain([sum]).collect::<Vec<_>>().join("*")
    }
}

/// How many units of each dimension there are, multiplied; `None` if that does not fit 64 bits, or
/// a dimension is missing.
pub(crate) fn product(terms: &[(usize, i64)], sizes: &[i64]) -> Option<i64> {
    terms.iter().try_fold(1i64, |product, &(dim, unit)| {
        product.checked_mul(ceil_div(*sizes.get(dim)?, unit))
    })
}

/// A layout for arrays of any size, as far as those that were looked at show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutFormula {
    pub(crate) groups: Vec<Vec<usize>>,
    /// The size of the dimension after those of the shape: the bits of a code.
    pub(crate) bits: Option<i64>,
    pub(crate) modes: Vec<Vec<(Formula, Formula)>>,
    pub(crate) base: Formula,
    pub(crate) allocation: Formula,
}

impl LayoutFormula {
    /// The dimensions that each mode is made of; where offsets count bits, the bit is the
    /// dimension after those of the shape.
    pub fn groups(&self) -> &[Vec<usize>] {
        &self.groups
    }

    /// The layout at a shape, over the dimensions that [`groups`](Self::groups) make. `None` if a
    /// number does not fit 64 bits, or the shape has other dimensions.
    pub fn at(&self, dims: &[i64]) -> Option<Fitted> {
        let sizes = sizes_of(&self.groups, dims, self.bits);
        let numbers = |formulas: Nested<&Formula>| -> Option<IntTuple> {
            formulas
                .try_map(&mut |formula: &&Formula| formula.at(&sizes).map(Int::dynamic).ok_or(()))
                .ok()
        };
        let shape = numbers(self.nested(|leaf| &leaf.0))?;
        let stride =
            numbers(self.nested(|leaf| &leaf.1))?.map(|stride: &Int| Stride::from(*stride));
        let whole = shape.product_each().ok()?.values();
        let layout = Layout::new(shape, stride).ok()?;
        let layout = match whole == sizes {
            true => layout,
            false => layout.with_org_shape(IntTuple::dynamic(&sizes)).ok()?,
        };
        Some(Fitted { base: self.base.at(&sizes)?, layout })
    }

    /// The size of the packed array, in what offsets count. Terms are of [`groups`](Self::groups).
    pub fn size(&self) -> &Formula {
        &self.allocation
    }

    /// The size of the packed array at a shape, in what offsets count; `None` if it does not fit 64
    /// bits.
    pub fn allocation(&self, dims: &[i64]) -> Option<i64> {
        self.allocation.at(&sizes_of(&self.groups, dims, self.bits))
    }

    fn nested<'a, T>(&'a self, pick: impl Fn(&'a (Formula, Formula)) -> T) -> Nested<T> {
        let mode = |leaves: &'a Vec<(Formula, Formula)>| match &leaves[..] {
            [leaf] => Nested::Leaf(pick(leaf)),
            _ => Nested::Tuple(leaves.iter().map(|leaf| Nested::Leaf(pick(leaf))).collect()),
        };
        Nested::Tuple(self.modes.iter().map(mode).collect())
    }

    fn names(&self) -> Vec<String> {
        let rank = self.groups.iter().flatten().count();
        let name = |dim: &usize| match self.bits {
            Some(bits) if dim + 1 == rank => bits.to_string(),
            _ => format!("d{dim}"),
        };
        let joined = |group: &Vec<usize>| group.iter().map(name).collect::<Vec<_>>().join("*");
        self.groups.iter().map(joined).collect()
    }
}

/// The sizes of merged dimensions.
pub(crate) fn sizes_of(groups: &[Vec<usize>], dims: &[i64], bits: Option<i64>) -> Vec<i64> {
    let all: Vec<i64> = dims.iter().copied().chain(bits).collect();
    let size = |group: &Vec<usize>| {
        group.iter().filter_map(|dim| all.get(*dim)).fold(1i64, |n, size| n.saturating_mul(*size))
    };
    groups.iter().map(size).collect()
}

fn ceil_div(size: i64, unit: i64) -> i64 {
    size / unit.max(1) + i64::from(size % unit.max(1) != 0)
}

/// Shape and stride with dimensions named `d0`, `d1`, …; `ceil(d0/8)` is rounded up.
impl fmt::Display for LayoutFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.names();
        let side = |pick: fn(&(Formula, Formula)) -> &Formula| {
            joined(&self.nested(|leaf| pick(leaf).text(&names)))
        };
        match self.base.text(&names).as_str() {
            "0" => {}
            base => write!(f, "{base} + ")?,
        }
        write!(f, "{}:{}", side(|leaf| &leaf.0), side(|leaf| &leaf.1))
    }
}

fn joined(text: &Nested<String>) -> String {
    match text {
        Nested::Leaf(text) => text.clone(),
        Nested::Tuple(parts) => {
            format!("({})", parts.iter().map(joined).collect::<Vec<_>>().join(","))
        }
    }
}
