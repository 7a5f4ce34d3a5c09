//! Peers from the crate registry: ndarray, strided-perm, transpose and fast_transpose.

use anyhow::{Result, anyhow};
use bytemuck::{AnyBitPattern, NoUninit, Pod};
use fast_transpose::{FlipMode, FlopMode};
use ndarray::{ArrayView, ArrayViewMut, IxDyn, ShapeBuilder};
use strided_view::{StridedView, StridedViewMut};
use threadteam::Exec;

use super::{Crew, Problem};
use crate::contest::{Contestant, Form, Local};
use crate::strided::Nest;

/// The peers that can do this on so many threads. Those that know no threads are timed on one
/// only.
pub(crate) fn contestants<'a>(problem: &Problem, crew: &'a Crew) -> Vec<Contestant<'a>> {
    let Some(nest) = problem.nest.as_ref().filter(|_| problem.is_of_bytes()) else {
        return Vec::new();
    };
    match nest.unit_bits {
        8 => of_width::<u8>(nest, crew),
        16 => of_width::<u16>(nest, crew),
        32 => of_width::<u32>(nest, crew),
        _ => Vec::new(),
    }
}

/// What an element can be in all of the peers.
trait Element: Pod + Send + Sync + PartialEq {
    /// fast_transpose's function for a plane of such elements.
    fn fast_transpose(src: &[u8], dst: &mut [u8], width: usize, height: usize) -> Result<()>;
}

macro_rules! element {
    ($unit:ty, $plane:ty, $function:path) => {
        impl Element for $unit {
            fn fast_transpose(src: &[u8], dst: &mut [u8], cols: usize, rows: usize) -> Result<()> {
                let src: &[$plane] = units(src)?;
                let dst: &mut [$plane] = units_mut(dst)?;
                // Without the flop it would be a turn by 90 degrees.
                let (flip, flop) = (FlipMode::NoFlip, FlopMode::Flop);
                $function(src, cols, dst, rows, cols, rows, flip, flop)
                    .map_err(|error| anyhow!("{error:?}"))
            }
        }
    };
}

element!(u8, u8, fast_transpose::transpose_plane);
element!(u16, u16, fast_transpose::transpose_plane16);
element!(u32, f32, fast_transpose::transpose_plane_f32);

fn of_width<'a, T: Element>(nest: &Nest, crew: &'a Crew) -> Vec<Contestant<'a>> {
    let mut contestants =
        vec![Contestant::new("strided-perm", vec![strided_perm::<T>(nest, crew)])];
    if crew.threads > 1 {
        return contestants;
    }
    contestants.push(Contestant::new("ndarray", vec![ndarray::<T>(nest)]));
    if let Some([count, rows, columns]) = nest.transpositions() {
        let planes = Planes { count, rows, columns };
        let transpose = Local::form("", move |src, dst| planes.each(src, dst, transpose::<T>));
        contestants.push(Contestant::new("transpose", vec![transpose]));
        let fast = Local::form("", move |src, dst| planes.each(src, dst, T::fast_transpose));
        contestants.push(Contestant::new("fast_transpose", vec![fast]));
    }
    contestants
}

fn units<T: AnyBitPattern>(bytes: &[u8]) -> Result<&[T]> {
    bytemuck::try_cast_slice(bytes).map_err(|error| anyhow!("{error}"))
}

fn units_mut<T: AnyBitPattern + NoUninit>(bytes: &mut [u8]) -> Result<&mut [T]> {
    bytemuck::try_cast_slice_mut(bytes).map_err(|error| anyhow!("{error}"))
}

fn strided_perm<'a, T: Element>(nest: &Nest, crew: &'a Crew) -> Box<dyn Form + 'a> {
    let signed = |strides: Vec<usize>| strides.into_iter().map(|stride| stride as isize).collect();
    let (from, to): (Vec<isize>, Vec<isize>) =
        (signed(nest.src_strides()), signed(nest.dst_strides()));
    let dims = nest.extents();
    Local::form("copy_into", move |src, dst| {
        let exec = match crew.threads {
            1 => Exec::serial(),
            threads => Exec::new(&crew.team, threads)?,
        };
        let src = StridedView::<T>::new(units(src)?, &dims, &from, 0)?;
        let mut dst = StridedViewMut::<T>::new(units_mut(dst)?, &dims, &to, 0)?;
        Ok(strided_perm::copy_into(&mut dst, &src, exec)?)
    })
}

fn ndarray<T: Element>(nest: &Nest) -> Box<dyn Form> {
    let dims = IxDyn(&nest.extents());
    let (from, to) = (IxDyn(&nest.src_strides()), IxDyn(&nest.dst_strides()));
    Local::form("assign", move |src, dst| {
        let src: &[T] = units(src)?;
        let dst: &mut [T] = units_mut(dst)?;
        let src = ArrayView::from_shape(dims.clone().strides(from.clone()), src)?;
        ArrayViewMut::from_shape(dims.clone().strides(to.clone()), dst)?.assign(&src);
        Ok(())
    })
}

/// Matrices one after the other.
#[derive(Clone, Copy)]
struct Planes {
    count: usize,
    rows: usize,
    columns: usize,
}

impl Planes {
    /// Transposes each; the function is given columns, then rows.
    fn each(
        self,
        src: &[u8],
        dst: &mut [u8],
        transpose: impl Fn(&[u8], &mut [u8], usize, usize) -> Result<()>,
    ) -> Result<()> {
        let bytes = src.len() / self.count;
        let mut planes = src.chunks_exact(bytes).zip(dst.chunks_exact_mut(bytes));
        planes.try_for_each(|(src, dst)| transpose(src, dst, self.columns, self.rows))
    }
}

fn transpose<T: Element>(src: &[u8], dst: &mut [u8], columns: usize, rows: usize) -> Result<()> {
    transpose::transpose::<T>(units(src)?, units_mut(dst)?, columns, rows);
    Ok(())
}
