//! The converse of the theorem: which shapes and strides are XLA layouts.
//!
//! A shape and stride is an XLA layout without `*` exactly if its digits (stride, extent), by stride, form a chain: each
//! stride is a multiple of the one before and no smaller than what that one spans. That layouts without `*` are chains is
//! checked where they are counted through ([`single`](super::single)); here shapes and strides are, and each chain has to be
//! found as tiles.

use tilewright::IndexMap;
use tilewright::tla::Layout;

use super::range::lists;
use super::reference::{Tile, digits, indices, is_chain, placed};
use super::report::Report;
use super::single::tile;
use crate::drawn::listed;

/// The digits that a dimension of each extent from 1 to 4 may be cut in.
const CUTS: [&[&[i64]]; 4] = [&[&[]], &[&[2]], &[&[3], &[2, 2]], &[&[4], &[2, 2], &[3, 2]]];

/// Strides of up to three digits go from 1 to this.
const MOST_STRIDE: i64 = 12;

/// The strides of four digits.
const FEW_STRIDES: [i64; 8] = [1, 2, 3, 4, 6, 8, 12, 24];

/// Every shape up to this rank and extent, every cut of it, every choice of strides, of up to so many digits.
pub(super) fn check(most_extent: i64, most_rank: usize, most_digits: usize) -> Vec<Job> {
    let extents: Vec<i64> = (1..=most_extent).collect();
    let mut jobs = Vec::new();
    for dims in (1..=most_rank).flat_map(|rank| lists(&extents, rank)) {
        let mut cuts: Vec<Vec<Vec<i64>>> = vec![Vec::new()];
        for &extent in &dims {
            let with = |cut: &Vec<Vec<i64>>| {
                let cut = cut.clone();
                CUTS[extent as usize - 1].iter().map(move |c| [&cut[..], &[c.to_vec()]].concat())
            };
            cuts = cuts.iter().flat_map(with).collect();
        }
        let job = |cut: Vec<Vec<i64>>| Job { dims: dims.clone(), cut };
        let is_short = |cut: &Vec<Vec<i64>>| cut.iter().flatten().count() <= most_digits;
        jobs.extend(cuts.into_iter().filter(is_short).map(job));
    }
    jobs
}

/// Dimensions and what each is cut in.
pub(super) struct Job {
    dims: Vec<i64>,
    cut: Vec<Vec<i64>>,
}

impl Job {
    pub(super) fn run(&self, report: &mut Report) {
        let n_digits = self.cut.iter().flatten().count();
        let most: Vec<i64> = (1..=MOST_STRIDE).collect();
        let strides = if n_digits > 3 { &FEW_STRIDES[..] } else { &most };
        lists(strides, n_digits).iter().for_each(|strides| self.check(strides, report));
    }

    fn check(&self, strides: &[i64], report: &mut Report) {
        let (shapes, modes) = self.modes(strides);
        let text = format!("({shapes}):({modes}):({})", listed(&self.dims));
        let map = text.parse::<Layout>().ok().and_then(|read| IndexMap::from_tla(&read).ok());
        let Some(map) = map else { return report.hold("theorem: read", false, || text) };
        let offsets: Vec<i64> =
            indices(&self.dims).iter().map(|i| self.offset(i, strides)).collect();
        report.hold(
            "theorem: offsets of shape and stride",
            map.offsets().as_ref() == Ok(&offsets),
            || text.clone(),
        );
        let Some(own) = digits(&self.dims, &offsets) else {
            return report.hold("theorem: a shape and stride is one", false, || text);
        };
        let lifted = map.to_xla_layout();
        let Ok(layout) = &lifted else {
            return report.hold("theorem: a chain has tiles", !is_chain(&own), || {
                format!(
                    "{text}: {}",
                    lifted.as_ref().map_or_else(ToString::to_string, ToString::to_string)
                )
            });
        };
        let tiles: Vec<Tile> = layout.tiles().iter().map(|t| tile(t.dims())).collect();
        let has_star = tiles.iter().flatten().any(Option::is_none);
        let again = placed(&self.dims, layout.minor_to_major().as_slice(), &tiles).offsets;
        report
            .hold("theorem: tiles of a chain", again == offsets, || format!("{text} as {layout}"));
        report.hold(
            "theorem: what has tiles without `*` is a chain",
            has_star || is_chain(&own),
            || format!("{text} as {layout}"),
        );
        report.count(if is_chain(&own) { "chains, with tiles" } else { "no chains, with tiles" });
    }

    /// The sum of each digit's value times its stride.
    fn offset(&self, index: &[i64], strides: &[i64]) -> i64 {
        let mut strides = strides.iter();
        let mut offset = 0;
        for (value, cut) in index.iter().zip(&self.cut) {
            let mut rest = *value;
            for (place, (count, stride)) in cut.iter().zip(&mut strides).enumerate() {
                let is_last = place + 1 == cut.len();
                offset += stride * if is_last { rest } else { rest % count };
                rest /= count;
            }
        }
        offset
    }

    /// Both sides of the text: `(2,2),3` and `(1,4),8`.
    fn modes(&self, strides: &[i64]) -> (String, String) {
        let mut strides = strides.iter().copied();
        let mode = |values: &[i64], none: &str| match values {
            [] => none.to_owned(),
            [value] => value.to_string(),
            _ => format!("({})", listed(values)),
        };
        let strided = |cut: &Vec<i64>| {
            let own: Vec<i64> = strides.by_ref().take(cut.len()).collect();
            mode(&own, "0")
        };
        let shapes: Vec<String> = self.cut.iter().map(|cut| mode(cut, "1")).collect();
        let modes: Vec<String> = self.cut.iter().map(strided).collect();
        (shapes.join(","), modes.join(","))
    }
}
