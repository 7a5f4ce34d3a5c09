//! Layouts that lead to coordinates: `(4,8):(1@0,1@1)`.
//!
//! They have no offsets and no memory. What can be asked of them is asked of the steps along each
//! direction, which have a map each.

use tilewright::tla::Layout;
use tilewright::{Error, IndexMap};

/// The steps along each direction, as expressions.
pub(crate) fn expressions(layout: &Layout) -> Result<String, Error> {
    let maps = IndexMap::coordinates_of_tla(layout)?;
    let along = |(direction, map): &(Vec<usize>, IndexMap)| {
        format!("{} {}", direction_text(direction), map.index_expression())
    };
    Ok(maps.iter().map(along).collect::<Vec<_>>().join(", "))
}

/// The first index at which two layouts lead to different coordinates, and the direction in which
/// they part.
pub(crate) fn first_difference(
    a: &Layout,
    b: &Layout,
) -> Result<Option<(Vec<i64>, String)>, Error> {
    let mut first: Option<(Vec<i64>, String)> = None;
    let maps = [IndexMap::coordinates_of_tla(a)?, IndexMap::coordinates_of_tla(b)?].concat();
    for (direction, _) in maps {
        let map = |layout: &Layout| IndexMap::from_tla(&layout.steps_along(&direction)?);
        let difference = map(a)?.first_difference(&map(b)?)?;
        let candidate = difference.map(|found| (found.index, direction_text(&direction)));
        first = match (first, candidate) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    Ok(first)
}

/// `@1@0` of the direction 0, 1.
fn direction_text(direction: &[usize]) -> String {
    direction.iter().map(|place| format!("@{place}")).collect()
}
