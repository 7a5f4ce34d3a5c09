//! Layouts drawn from bytes: whatever the bytes are, they are a choice among layouts that make sense.

use arbitrary::Unstructured;
use tilewright::algebra::Composition;
use tilewright::{IndexMap, Shape};

use crate::is_one_in;

/// Choices made by bytes. Where the bytes end, the first of the choices is taken.
pub(crate) struct Draw<'a> {
    bytes: Unstructured<'a>,
    most_slots: i64,
    /// Whether this is one of the few inputs that large things are drawn from: every bit of them is looked at.
    is_large: bool,
}

/// Layouts of more slots than this are not drawn, those of large arrays and others.
const MOST_SLOTS: [i64; 2] = [6000, 600];

impl<'a> Draw<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        let is_large = is_one_in(8, data);
        let most_slots = MOST_SLOTS[usize::from(!is_large)];
        Draw { bytes: Unstructured::new(data), most_slots, is_large }
    }

    /// One of two sizes, the first of them now and then.
    pub(crate) fn size(&self, large: i64, small: i64) -> i64 {
        if self.is_large { large } else { small }
    }

    /// From 0 to before `end`.
    pub(crate) fn below(&mut self, end: i64) -> i64 {
        self.bytes.int_in_range(0..=end - 1).unwrap_or(0)
    }

    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as i64) as usize]
    }

    pub(crate) fn wide(&mut self) -> u128 {
        self.bytes.arbitrary().unwrap_or(0)
    }

    /// Up to 4 dimensions of up to `most` elements together.
    pub(crate) fn dims(&mut self, most: i64) -> Vec<i64> {
        let rank = self.of(&[2, 1, 3, 2, 4, 2, 0]);
        let mut left = most;
        let mut dims = Vec::new();
        for _ in 0..rank {
            let longest = match rank {
                1 => left,
                2 => left.min(70),
                _ => left.min(12),
            };
            let dim = if self.below(60) == 59 { 0 } else { 1 + self.below(longest) };
            left /= dim.max(1);
            dims.push(dim);
        }
        dims
    }

    pub(crate) fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).rev().collect();
        for place in (1..n).rev() {
            let other = place - self.below(place as i64 + 1) as usize;
            order.swap(place, other);
        }
        order
    }

    /// Layouts of an array of these dims, as a text and its map; `None` where one cannot be lowered or is too large.
    pub(crate) fn layout(&mut self, dims: &[i64]) -> Option<(String, IndexMap)> {
        let (text, map) = match (self.below(4), dims) {
            (3, [_, ..]) => self.strided(dims)?,
            (2, [rows, columns]) if *rows > 0 && *columns > 0 => self.swizzled(*rows, *columns)?,
            _ => self.tiled(dims)?,
        };
        (map.dims() == dims && map.allocation() <= self.most_slots).then_some((text, map))
    }

    /// XLA's: any order, up to three levels of tiles with `*` among them, padded dimensions, a rounded tail.
    pub(crate) fn tiled(&mut self, dims: &[i64]) -> Option<(String, IndexMap)> {
        let order = listed(&self.order(dims.len()));
        let mut attributes = String::new();
        for level in 0..if dims.is_empty() { 0 } else { self.below(4) } {
            let longest = if level == 0 { dims.len() as i64 } else { 3 };
            let mut sizes: Vec<String> = Vec::new();
            for _ in 0..self.below(longest) {
                let size = self.of(&[2, 1, 3, 4, 5, 7, 8, 0]);
                sizes.push(if size == 0 { "*".to_owned() } else { size.to_string() });
            }
            sizes.push(self.of(&[2, 4, 8, 1, 3, 5, 6, 16]).to_string());
            let before = if level == 0 { "T" } else { "" };
            attributes += &format!("{before}({})", sizes.join(","));
        }
        if self.below(6) == 5 {
            attributes += &format!("L({})", 1 + self.below(40));
        }
        if !dims.is_empty() && self.below(6) == 5 {
            let padded: Vec<i64> = dims.iter().map(|dim| dim + self.below(4)).collect();
            attributes += &format!("PAD({})", listed(&padded));
        }
        let colon = if attributes.is_empty() { "" } else { ":" };
        let text = format!("u8[{}]{{{order}{colon}{attributes}}}", listed(dims));
        let map = text.parse::<Shape>().ok()?.index_map().ok()?;
        Some((text, map))
    }

    /// Shape and stride: dimensions in any order with room between them, each perhaps cut in two.
    fn strided(&mut self, dims: &[i64]) -> Option<(String, IndexMap)> {
        let mut extents: Vec<Vec<i64>> = Vec::new();
        for &dim in dims {
            let cut = self.of(&[1, 2, 3, 4, 8]);
            extents.push(if cut > 1 && dim > cut {
                vec![cut, (dim + cut - 1) / cut]
            } else {
                vec![dim.max(1)]
            });
        }
        let modes: Vec<(usize, usize)> = extents
            .iter()
            .enumerate()
            .flat_map(|(dim, parts)| (0..parts.len()).map(move |part| (dim, part)))
            .collect();
        let mut strides: Vec<Vec<i64>> = extents.iter().map(|parts| vec![0; parts.len()]).collect();
        let mut stride = 1;
        for place in self.order(modes.len()) {
            let (dim, part) = modes[place];
            strides[dim][part] = stride;
            stride *= extents[dim][part];
            stride += self.of(&[0, 0, 0, 1, 3]) * i64::from(stride < 1000);
        }
        // Now and then elements share places, or are not ordered at all.
        if self.below(8) == 7 {
            let (dim, part) = modes[self.below(modes.len() as i64) as usize];
            strides[dim][part] = self.below(20);
        }
        let nested = |lists: &[Vec<i64>]| {
            let lists: Vec<String> =
                lists.iter().map(|list| format!("({})", listed(list))).collect();
            format!("({})", lists.join(","))
        };
        let text = format!("{}:{}:({})", nested(&extents), nested(&strides), listed(dims));
        Self::composed(text)
    }

    /// Rows or columns with room between them, under an exclusive or of bits.
    fn swizzled(&mut self, rows: i64, columns: i64) -> Option<(String, IndexMap)> {
        let room = self.of(&[0, 1, 0, 8]);
        let strides = if self.below(2) == 0 { (columns + room, 1) } else { (1, rows + room) };
        let (bits, base, more) = (1 + self.below(3), self.below(4), self.below(3));
        let shift = if self.below(2) == 0 { bits + more } else { -bits - more };
        let offset = self.of(&[0, 0, 5]);
        let layout = format!("({rows},{columns}):({},{})", strides.0, strides.1);
        Self::composed(format!("Sw<{bits},{base},{shift}> o {offset} o {layout}"))
    }

    fn composed(text: String) -> Option<(String, IndexMap)> {
        let composition: Composition = text.parse().ok()?;
        let map = IndexMap::from_composition(&composition).ok()?;
        Some((text, map))
    }

    /// Shape and stride as the algebra has them: nested, with strides of 0, negative and not dividing ones, or a chain.
    pub(crate) fn algebra_layout(&mut self, most: i64) -> String {
        let (mut shape, mut stride, mut left) = (String::new(), String::new(), most);
        let is_chain = self.below(2) == 0;
        let mut reached = 1;
        for mode in 0..=self.below(3) {
            let parts = 1 + self.below(2);
            let (mut extents, mut strides) = (Vec::new(), Vec::new());
            for _ in 0..parts {
                let extent = 1 + self.below(left.clamp(1, 9));
                left /= extent;
                extents.push(extent);
                strides.push(if is_chain { reached } else { self.below(40) - 4 });
                reached *= extent * self.of(&[1, 1, 2, 3]);
            }
            if is_chain && self.below(3) == 0 {
                strides.reverse();
                extents.reverse();
            }
            let comma = if mode == 0 { "" } else { "," };
            shape += &format!("{comma}({})", listed(&extents));
            stride += &format!("{comma}({})", listed(&strides));
        }
        format!("({shape}):({stride})")
    }
}

pub(crate) fn listed<T: ToString>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}
