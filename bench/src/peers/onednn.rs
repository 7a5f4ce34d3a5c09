//! oneDNN's reorder, from a shared library that `cargo xtask bench` makes of `onednn.cpp` where
//! oneDNN is installed.
//!
//! With AVX2, oneDNN has only a slow reference kernel for 16-bit elements. So it is given the
//! same bytes as pairs of 16-bit elements called `f32`, where pairs stay together, or else as
//! bytes with one more dimension of 2.

use std::ffi::{CStr, CString, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tilewright::map::{Digit, IndexMap, Source};

use super::Problem;
use crate::clock::Clock;
use crate::contest::{Contestant, Form, timed};
use crate::memory::Buffers;
use crate::processors::{self, Bound};
use crate::strided::Nest;

/// oneDNN's limit, `DNNL_MAX_NDIMS`.
const MAX_DIMS: usize = 12;

/// How one side lies in memory, as `onednn.cpp` declares it.
#[repr(C)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Side {
    strides: [i64; MAX_DIMS],
    padded_dims: [i64; MAX_DIMS],
    n_blocks: i32,
    block_dims: [i32; MAX_DIMS],
    block_sizes: [i64; MAX_DIMS],
}

type Create =
    unsafe extern "C" fn(i32, *const i64, i32, *const Side, *const Side, i32) -> *mut c_void;
type Attach = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> i32;
type Run = unsafe extern "C" fn(*mut c_void) -> i32;
type Destroy = unsafe extern "C" fn(*mut c_void);
type Version = unsafe extern "C" fn(*mut libc::c_char, usize);

/// The loaded library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneDnn {
    create: Create,
    attach: Attach,
    run: Run,
    destroy: Destroy,
    version: Version,
}

impl OneDnn {
    /// Loads the library. It stays loaded until the process ends.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let name = CString::new(path.as_os_str().as_encoded_bytes())?;
        // SAFETY: the name ends in a zero byte. The library's initialisers are those of oneDNN and
        // of OpenMP, which ask for nothing.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        // OpenMP binds the thread that loads it, for good.
        processors::release();
        let library = NonNull::new(library).context("it cannot be loaded")?;
        // SAFETY: in `onednn.cpp` the functions of these names have these types.
        unsafe {
            Ok(OneDnn {
                create: function::<Create>(library, c"bench_onednn_create")?,
                attach: function::<Attach>(library, c"bench_onednn_attach")?,
                run: function::<Run>(library, c"bench_onednn_run")?,
                destroy: function::<Destroy>(library, c"bench_onednn_destroy")?,
                version: function::<Version>(library, c"bench_onednn_version")?,
            })
        }
    }

    pub(crate) fn version(&self) -> String {
        let mut text = [0; 32];
        // SAFETY: the function writes at most so many bytes, the last of them zero.
        unsafe { (self.version)(text.as_mut_ptr().cast(), text.len()) };
        CStr::from_bytes_until_nul(&text).unwrap_or_default().to_string_lossy().into_owned()
    }

    /// oneDNN on so many threads, in every form that it has for this.
    pub(crate) fn contestant(&self, problem: &Problem, threads: usize) -> Option<Contestant<'_>> {
        if !problem.is_of_bytes() {
            return None;
        }
        let mut orders = Vec::new();
        for bits in [32, 8] {
            let nest = problem.nest.as_ref().and_then(|nest| nest.units_of(bits));
            orders.extend(nest.and_then(|nest| Order::strided(&nest)));
        }
        orders.extend(Order::blocked(problem));
        let forms = orders.iter().filter_map(|order| order.form(*self, threads));
        Some(Contestant::new("onednn", forms.collect()))
    }
}

/// A function of the library.
///
/// # Safety
/// `library` is a handle that `dlopen` gave, and `F` is the type of a pointer to the function
/// that the library has under this name.
unsafe fn function<F: Copy>(library: NonNull<c_void>, name: &CStr) -> Result<F> {
    // SAFETY: the caller's word for the handle; the name ends in a zero byte.
    let address = unsafe { libc::dlsym(library.as_ptr(), name.as_ptr()) };
    let address = NonNull::new(address);
    let address = address.with_context(|| format!("it has no {}", name.to_string_lossy()))?;
    // SAFETY: the caller's word that what lies there is an `F`, which is as wide as an address.
    Ok(unsafe { std::mem::transmute_copy::<NonNull<c_void>, F>(&address) })
}

/// What oneDNN is asked for.
struct Order {
    name: String,
    dims: Vec<i64>,
    element_bytes: i32,
    from: Side,
    to: Side,
}

impl Order {
    /// Plain strides on both sides, over the loops of a nest of bytes or of 32-bit words.
    fn strided(nest: &Nest) -> Option<Order> {
        let dims = signed(&nest.extents())?;
        let side = |strides: &[usize]| {
            let mut side = Side::default();
            side.strides[..dims.len()].copy_from_slice(&signed(strides)?);
            side.padded_dims[..dims.len()].copy_from_slice(&dims);
            Some(side)
        };
        let (from, to) = (side(&nest.src_strides())?, side(&nest.dst_strides())?);
        let element_bytes = i32::try_from(nest.unit_bits / 8).ok()?;
        Some(Order {
            name: format!("strided {}", type_of(element_bytes)),
            dims,
            element_bytes,
            from,
            to,
        })
    }

    /// The logical dimensions, with tiles as oneDNN's own blocks; padding is oneDNN's, too.
    fn blocked(problem: &Problem) -> Option<Order> {
        let bits = problem.from.element_bits();
        let parts = if bits == 16 { 2 } else { 1 };
        let (from, to) = (problem.from.map(), problem.to.map());
        let mut dims = from.dims().to_vec();
        if parts > 1 {
            dims.push(parts);
        }
        let (from, to) = (blocks(from, parts)?, blocks(to, parts)?);
        if dims.len() > MAX_DIMS || from.n_blocks + to.n_blocks == 0 {
            return None;
        }
        let element_bytes = if bits == 32 { 4 } else { 1 };
        Some(Order {
            name: format!("blocked {}", type_of(element_bytes)),
            dims,
            element_bytes,
            from,
            to,
        })
    }

    fn form(&self, library: OneDnn, threads: usize) -> Option<Box<dyn Form>> {
        let (rank, threads) = (i32::try_from(self.dims.len()).ok()?, i32::try_from(threads).ok()?);
        let (dims, from, to) = (self.dims.as_ptr(), &raw const self.from, &raw const self.to);
        // SAFETY: there are `rank` dims, and both sides are as the library declares them.
        let handle = unsafe { (library.create)(rank, dims, self.element_bytes, from, to, threads) };
        let handle = NonNull::new(handle)?;
        Some(Box::new(Reorder { library, handle, name: self.name.clone() }))
    }
}

fn type_of(element_bytes: i32) -> &'static str {
    if element_bytes == 4 { "f32" } else { "s8" }
}

fn signed(sizes: &[usize]) -> Option<Vec<i64>> {
    let sizes = sizes.iter().map(|&size| i64::try_from(size).ok()).collect::<Option<Vec<_>>>();
    sizes.filter(|sizes| sizes.len() <= MAX_DIMS)
}

/// A map in oneDNN's terms: the most major digit of a dimension is a stride, the others are
/// blocks. `parts` is the size of one more dimension inside an element, or 1.
fn blocks(map: &IndexMap, parts: i64) -> Option<Side> {
    let mut side = Side::default();
    let mut inner: Vec<(usize, &Digit)> = Vec::new();
    for (dim, &size) in map.dims().iter().enumerate() {
        let of_dim = map.digits().iter().filter(|digit| digit.source == Source::Dim(dim));
        let mut digits: Vec<&Digit> = of_dim.collect();
        digits.sort_by_key(|digit| digit.divisor);
        let outer = digits.pop()?;
        side.strides[dim] = outer.stride * parts;
        side.padded_dims[dim] = rounded_up(size, outer.divisor);
        inner.extend(digits.into_iter().map(|digit| (dim, digit)));
    }
    inner.sort_by_key(|(_, digit)| std::cmp::Reverse(digit.stride));
    let mut sizes: Vec<(usize, i64)> =
        inner.iter().map(|(dim, digit)| (*dim, map.extent(digit))).collect();
    if parts > 1 {
        let rank = map.dims().len();
        side.strides[rank] = 1;
        side.padded_dims[rank] = parts;
        sizes.extend((!sizes.is_empty()).then_some((rank, parts)));
    }
    side.n_blocks = i32::try_from(sizes.len()).ok()?;
    for (place, (dim, size)) in sizes.into_iter().enumerate() {
        *side.block_dims.get_mut(place)? = i32::try_from(dim).ok()?;
        side.block_sizes[place] = size;
    }
    Some(side)
}

/// The next multiple of `step`; sizes are far from the largest number there is.
fn rounded_up(size: i64, step: i64) -> i64 {
    (size + step - 1) / step * step
}

/// A reorder of oneDNN's, ready to run.
struct Reorder {
    library: OneDnn,
    handle: NonNull<c_void>,
    name: String,
}

impl Reorder {
    fn attach(&self, buffers: &mut Buffers) -> Result<()> {
        let (src, dst) = buffers.both_mut();
        let (src, dst) = (src.as_mut_ptr().cast(), dst.as_mut_ptr().cast());
        // SAFETY: the handle is one that `create` gave; both buffers have the sizes of their
        // descriptions and outlive every run, since each run is preceded by its own attachment.
        match unsafe { (self.library.attach)(self.handle.as_ptr(), src, dst) } {
            0 => Ok(()),
            status => bail!("oneDNN's status is {status}"),
        }
    }

    /// Runs once; [`attach`](Self::attach) must have come first, and nobody else may use the
    /// buffers meanwhile.
    fn run(&self) -> Result<()> {
        // SAFETY: the handle is one that `create` gave, attached to buffers that its caller holds.
        match unsafe { (self.library.run)(self.handle.as_ptr()) } {
            0 => Ok(()),
            status => bail!("oneDNN's status is {status}"),
        }
    }
}

impl Form for Reorder {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn produce(&mut self, buffers: &mut Buffers) -> Result<()> {
        self.attach(buffers)?;
        self.run()
    }

    fn time(&mut self, buffers: &mut Buffers, clock: Clock, repeats: u32) -> Result<Duration> {
        self.attach(buffers)?;
        // OpenMP has bound its other threads to the processors after the first.
        let _bound = (clock == Clock::Wall).then(Bound::to_first);
        timed(clock, repeats, || self.run())
    }
}

impl Drop for Reorder {
    fn drop(&mut self) {
        // SAFETY: the handle is one that `create` gave, and is not used again.
        unsafe { (self.library.destroy)(self.handle.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::placements;

    fn side_of(text: &str, parts: i64) -> Side {
        let shape: tilewright::Shape = text.parse().unwrap();
        let [placement, _] = placements(&[shape.clone(), shape]).unwrap();
        blocks(placement.map(), parts).unwrap()
    }

    fn listed(side: &Side) -> Vec<(i32, i64)> {
        let n_blocks = side.n_blocks as usize;
        side.block_dims.into_iter().zip(side.block_sizes).take(n_blocks).collect()
    }

    #[test]
    fn tiles_are_blocks() {
        let side = side_of("f32[4097,4099]{1,0:T(8,128)}", 1);
        assert_eq!(listed(&side), [(0, 8), (1, 128)]);
        assert_eq!(side.strides[..2], [33 * 1024, 1024]);
        assert_eq!(side.padded_dims[..2], [4104, 4224]);
    }

    #[test]
    fn pairs_are_blocks_within_blocks() {
        let side = side_of("bf16[64,512]{1,0:T(8,128)(2,1)}", 2);
        assert_eq!(listed(&side), [(0, 4), (1, 128), (0, 2), (2, 2)]);
        assert_eq!(side.strides[..3], [8192, 2048, 1]);
        assert_eq!(side.padded_dims[..3], [64, 512, 2]);
    }

    #[test]
    fn rows_have_no_blocks() {
        let side = side_of("bf16[64,512]", 2);
        assert_eq!(side.n_blocks, 0);
        assert_eq!(side.strides[..3], [1024, 2, 1]);
    }
}
