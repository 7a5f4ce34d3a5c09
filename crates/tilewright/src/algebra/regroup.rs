//! Mode by mode as a tiler says, and what that gives regrouped: what division and multiplication
//! have in common.

use super::composition::by_mode;
use super::tiler::Tiler;
use super::trace::Trace;
use crate::error::Error;
use crate::tla::Layout;

/// What an operation makes of a layout and one layout of the tiler.
type OfLayouts = fn(&Layout, &Layout, &mut Trace) -> Result<Layout, Error>;

/// An operation on each of the modes that a tiler has a layout for; the others stay as they are.
pub(super) fn by_tiler(
    a: &Layout,
    tiler: &Tiler,
    trace: &mut Trace,
    operation: OfLayouts,
) -> Result<Layout, Error> {
    match tiler {
        Tiler::Keep => Ok(a.clone().without_org_shape()),
        Tiler::Modes(tilers) => by_mode(a, tilers, |mode, tiler| {
            trace.say(|| format!("mode {mode} by {tiler}:"));
            by_tiler(mode, tiler, trace, operation)
        }),
        Tiler::Layout(b) => operation(a, b, trace),
    }
}

/// Pairs mode by mode as a pair of modes: the first parts, and the second parts with the modes
/// that the tiler did not touch.
pub(super) fn zipped(pairs: &Layout, tiler: &Tiler) -> Result<Layout, Error> {
    let (firsts, seconds) = unzip(pairs, tiler)?;
    Ok(Layout::from_modes(&[firsts, seconds]))
}

fn unzip(pairs: &Layout, tiler: &Tiler) -> Result<(Layout, Layout), Error> {
    let Tiler::Modes(tilers) = tiler else {
        return Ok((pairs.mode(&[0])?, pairs.mode(&[1])?));
    };
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    for (position, mode) in pairs.modes().iter().enumerate() {
        match tilers.get(position) {
            None | Some(Tiler::Keep) => seconds.push(mode.clone()),
            Some(tiler) => {
                let (first, second) = unzip(mode, tiler)?;
                firsts.push(first);
                seconds.push(second);
            }
        }
    }
    Ok((Layout::from_modes(&firsts), Layout::from_modes(&seconds)))
}

/// `(first,(a,b))` as `(first,a,b)`.
pub(super) fn spread_second(zipped: &Layout) -> Result<Layout, Error> {
    let mut modes = vec![zipped.mode(&[0])?];
    modes.extend(zipped.mode(&[1])?.modes());
    Ok(Layout::from_modes(&modes))
}

/// `((a,b),(c,d))` as `(a,b,c,d)`.
pub(super) fn spread_both(zipped: &Layout) -> Result<Layout, Error> {
    let mut modes = zipped.mode(&[0])?.modes();
    modes.extend(zipped.mode(&[1])?.modes());
    Ok(Layout::from_modes(&modes))
}
