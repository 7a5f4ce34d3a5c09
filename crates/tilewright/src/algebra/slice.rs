//! Parts of a layout at a coordinate.

use std::fmt;
use std::str::FromStr;

use super::levels::Levels;
use crate::error::{Error, invalid};
use crate::text::{Cursor, Diagnostic, TokenKind};
use crate::tla::{Int, Layout, Nested, Stride};

/// What a slice takes of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pick {
    /// `_`: all of it.
    All,
    /// Its element at this coordinate.
    At(Int),
}

impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pick::All => f.write_str("_"),
            Pick::At(index) => index.fmt(f),
        }
    }
}

/// A coordinate some of whose parts are left open: `(_,3,(_,1))`.
pub type Picks = Nested<Pick>;

impl FromStr for Picks {
    type Err = Diagnostic;

    /// Reads `(_,3,(_,1))`.
    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let mut cursor = Cursor::new(text)?;
        let picks = picks(&mut cursor)?;
        cursor.expect_end("the coordinate")?;
        Ok(picks)
    }
}

/// `_`, an integer, or a tuple of these.
pub(crate) fn picks(cursor: &mut Cursor<'_>) -> Result<Picks, Diagnostic> {
    crate::tla::parse::nested(cursor, |cursor| {
        if cursor.peek().text == "_" && cursor.peek_second()?.kind != TokenKind::Symbol('-') {
            cursor.take()?;
            return Ok(Pick::All);
        }
        crate::tla::parse::int(cursor).map(Pick::At)
    })
}

/// The modes that a coordinate leaves open.
///
/// * Requires a coordinate nested at most as the shape.
/// * Ensures `L(c) = offset + R(x)`, where `x` fills the open places of `c`, and the offset is
///   that of [`slice_and_offset`]. With a bare `_` the layout itself; otherwise the open modes in
///   a row, nested or not.
///
/// ```
/// use tilewright::{algebra::slice, tla::Layout};
/// let layout: Layout = "(4,(2,3)):(1,(4,8))".parse()?;
/// assert_eq!(slice(&"(_,(1,_))".parse()?, &layout)?.to_string(), "(4,3):(1,8)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the coordinate does not fit.
pub fn slice(picks: &Picks, layout: &Layout) -> Result<Layout, Error> {
    chosen(picks, layout, true)
}

/// The modes that a coordinate fixes.
///
/// ```
/// use tilewright::{algebra::dice, tla::Layout};
/// let layout: Layout = "(4,(2,3)):(1,(4,8))".parse()?;
/// assert_eq!(dice(&"(_,(1,_))".parse()?, &layout)?.to_string(), "(2):(4)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the coordinate does not fit.
pub fn dice(picks: &Picks, layout: &Layout) -> Result<Layout, Error> {
    chosen(picks, layout, false)
}

fn chosen(picks: &Picks, layout: &Layout, open: bool) -> Result<Layout, Error> {
    if let Nested::Leaf(pick) = picks
        && matches!(pick, Pick::All) == open
    {
        return Ok(layout.clone().without_org_shape());
    }
    let mut modes = Vec::new();
    collect(picks, layout, open, &mut modes)?;
    Ok(Layout::from_modes(&modes))
}

fn collect(
    picks: &Picks,
    layout: &Layout,
    open: bool,
    modes: &mut Vec<Layout>,
) -> Result<(), Error> {
    match picks {
        Nested::Leaf(pick) if matches!(pick, Pick::All) == open => modes.push(layout.clone()),
        Nested::Leaf(_) => {}
        Nested::Tuple(picks) => {
            for (pick, mode) in picks.iter().zip(fitting_modes(picks, layout)?) {
                collect(pick, &mode, open, modes)?;
            }
        }
    }
    Ok(())
}

fn fitting_modes(picks: &[Picks], layout: &Layout) -> Result<Vec<Layout>, Error> {
    if layout.shape().is_leaf() || layout.rank() != picks.len() {
        let picks = Nested::Tuple(picks.to_vec());
        return invalid(format!("the coordinate {picks} does not fit the layout {layout}"));
    }
    Ok(layout.modes())
}

/// [`slice()`], and where it begins.
///
/// ```
/// use tilewright::{algebra::slice_and_offset, tla::Layout};
/// let layout: Layout = "(4,(2,3)):(1,(4,8))".parse()?;
/// let (slice, offset) = slice_and_offset(&"(_,5)".parse()?, &layout)?;
/// assert_eq!((slice.to_string(), offset.to_string()), ("(4):(1)".into(), "20".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the coordinate does not fit, or a number does not fit 64 bits.
pub fn slice_and_offset(picks: &Picks, layout: &Layout) -> Result<(Layout, Stride), Error> {
    Ok((slice(picks, layout)?, offset_of(picks, layout)?))
}

/// Where the fixed parts lead, the open ones at 0.
fn offset_of(picks: &Picks, layout: &Layout) -> Result<Stride, Error> {
    match picks {
        Nested::Leaf(Pick::All) => Ok(Stride::from(Int::fixed(0))),
        Nested::Leaf(Pick::At(index)) => layout.at(&Nested::Leaf(*index)),
        Nested::Tuple(picks) => {
            let modes = fitting_modes(picks, layout)?;
            Stride::sum(picks.iter().zip(&modes).map(|(pick, mode)| offset_of(pick, mode)))
        }
    }
}

/// Where a layout begins when its domain does at a coordinate, if it is the same layout from
/// there on.
///
/// * Requires that adding the coordinate never carries from one part of a nested mode into the
///   next: a coordinate nested as the shape, or integers that are multiples of all but the last
///   part.
/// * Ensures `L(c + x) = offset + L(x)` for every coordinate `x`.
///
/// ```
/// use tilewright::{algebra::domain_offset, tla::Layout};
/// let layout: Layout = "((4,2),(4,3)):((4,16),(1,32))".parse()?;
/// assert_eq!(domain_offset(&"(4,8)".parse()?, &layout)?.to_string(), "80");
/// // From column 1 on, the third step goes to the next tile and not the fourth:
/// assert!(domain_offset(&"(4,1)".parse()?, &layout).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// CuTe's moves the pointer whether or not the rest stays the same. TLA therefore keeps the
/// coordinate beside the layout.
///
/// # Errors
/// If it carries, the coordinate does not fit, or a number does not fit 64 bits.
pub fn domain_offset(coordinate: &Nested<Int>, layout: &Layout) -> Result<Stride, Error> {
    match coordinate {
        Nested::Leaf(index) => {
            let levels = Levels::of(layout)?;
            if carries(&levels, *index)? {
                return invalid(format!(
                    "{layout} goes on differently from {index}: that ends within a mode"
                ));
            }
            levels.at(*index)
        }
        Nested::Tuple(parts) => {
            if layout.shape().is_leaf() || layout.rank() != parts.len() {
                return invalid(format!(
                    "the coordinate {coordinate} does not fit the layout {layout}"
                ));
            }
            let modes = layout.modes();
            Stride::sum(parts.iter().zip(&modes).map(|(part, mode)| domain_offset(part, mode)))
        }
    }
}

fn carries(levels: &Levels, index: Int) -> Result<bool, Error> {
    let mut rest = index;
    let inner = levels.modes().len().saturating_sub(1);
    for level in levels.modes().iter().take(inner) {
        if rest.value() % level.extent.value() != 0 {
            return Ok(true);
        }
        rest = rest.over(level.extent)?;
    }
    Ok(false)
}
