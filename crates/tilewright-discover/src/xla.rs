//! The text that XLA has for a discovered layout.

use tilewright::map::Fitted;
use tilewright::xla::{Layout, Tile, TileDim};
use tilewright::{IndexMap, Permutation};

use crate::form::Form;

/// The XLA layout of a form, of elements of so many bits; `None` if there is none.
pub(crate) fn of(form: &Form, map: Option<&IndexMap>, element_bits: u32) -> Option<Layout> {
    let layout = match form {
        Form::Layout(fitted) => of_fitted(fitted)?,
        Form::Merged { groups, fitted } => spread(&of_fitted(fitted)?, groups)?,
        Form::Swizzled(_) | Form::Fields(_) | Form::Linear(_) | Form::Table(_) => return None,
    };
    let read_back = IndexMap::from_layout(map?.dims(), &layout).ok()?;
    let is_whole = [8, 16, 32].contains(&element_bits);
    let layout = layout.with_element_size_in_bits(if is_whole { 0 } else { element_bits });
    matches!(read_back.first_difference(map?), Ok(None)).then_some(layout)
}

fn of_fitted(fitted: &Fitted) -> Option<Layout> {
    let map = IndexMap::from_tla(&fitted.layout).ok().filter(|_| fitted.base == 0);
    map?.to_xla_layout().ok()
}

/// A layout of merged dimensions over the dimensions themselves: they are neighbours in memory,
/// and where the first tile has the merged one, `*` merges them. `{1,0:T(32,1)}` over K·bit and N is
/// `{1,2,0:T(*,32,1)}` over K, N and bit.
fn spread(layout: &Layout, groups: &[Vec<usize>]) -> Option<Layout> {
    let order = layout.major_to_minor();
    let major_to_minor: Vec<&Vec<usize>> =
        order.as_slice().iter().map(|group| groups.get(*group)).collect::<Option<_>>()?;
    let dims: Vec<usize> = major_to_minor.iter().copied().flatten().copied().collect();
    let mut tiles = layout.tiles().to_vec();
    if let Some(first) = tiles.first_mut() {
        let n_outside = major_to_minor.len().checked_sub(first.dims().len())?;
        let tiled = major_to_minor.iter().skip(n_outside).zip(first.dims());
        let sizes = tiled.flat_map(|(group, size)| {
            std::iter::repeat_n(TileDim::Combine, group.len() - 1).chain([*size])
        });
        *first = Tile::new(sizes.collect::<Vec<_>>()).ok()?;
    }
    let permutation = Permutation::new(dims).ok()?;
    Some(Layout::from_major_to_minor(&permutation).with_tiles(tiles))
}
