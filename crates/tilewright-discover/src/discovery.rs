//! What a packing function does, found out.

use std::fmt;

use tilewright::IndexMap;
use tilewright::algebra::Composition;
use tilewright::xla::Layout as XlaLayout;

use crate::error::{Error, Refusal};
use crate::fields::{self, BitField, Record, RecordField};
use crate::form::{Form, Grain};
use crate::owners::Owners;
use crate::padding::Padding;
use crate::probe::Probe;
use crate::{bits, xla};

/// The layout that a packing function has at one shape, and what else it does.
///
/// Every element was looked at: what is said here is right at each of them, and for codes without a
/// pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Discovery {
    dims: Vec<i64>,
    bits: u32,
    grain: Grain,
    offsets: Vec<i64>,
    form: Form,
    composition: Option<Composition>,
    map: Option<IndexMap>,
    xla: Option<XlaLayout>,
    record: Option<Record>,
    xor_mask: u32,
    padding: Padding,
    copies: usize,
    allocation_bits: i64,
    n_calls: usize,
}

/// Finds the layout of a packing function, which is given codes of `bits` bits in row-major order
/// of `dims` and gives packed bytes.
///
/// It is called `bits * (1 + ceil(log2 n)) + 1` times for *n* elements; the [crate](crate) says
/// with what. A function that only moves bits is always found: where its places are no layout's,
/// they are listed, see [`Form::Table`].
///
/// ```
/// use tilewright_discover::{Form, discover};
/// let in_order = |codes: &[u32], _: &[i64]| -> Result<Vec<u8>, std::convert::Infallible> {
///     Ok(codes.iter().flat_map(|code| code.to_le_bytes()).collect())
/// };
/// assert_eq!(discover(in_order, &[3, 5], 32)?.text(), "(3,5):(5,1)");
/// let squared = |codes: &[u32], _: &[i64]| -> Result<Vec<u8>, std::convert::Infallible> {
///     Ok(codes.iter().flat_map(|code| (code * code).to_le_bytes()).collect())
/// };
/// let refused = discover(squared, &[3, 5], 4).unwrap_err().to_string();
/// assert!(refused.starts_with("not a layout: packed bit"), "{refused}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the function fails, or does something else than to move and flip bits; see [`Refusal`]. If
/// the width is not from 1 to 32, or the array has no elements or more than 2²⁸ bits.
pub fn discover<E>(
    pack: impl FnMut(&[u32], &[i64]) -> Result<Vec<u8>, E>,
    dims: &[i64],
    bits: u32,
) -> Result<Discovery, Error<E>> {
    let mut probe = Probe::new(pack, dims, bits)?;
    let owners = Owners::ask(&mut probe)?;
    let xor_mask = xor_mask(&owners, bits)?;
    let (grain, offsets) = offsets(&owners, probe.n_elements(), bits);
    let allocation_bits = i64::try_from(owners.zeros.len()).unwrap_or(i64::MAX).saturating_mul(8);
    let (dims_of_map, unit) = match grain {
        Grain::Elements => (dims.to_vec(), bits),
        Grain::Bits => (dims.iter().copied().chain([i64::from(bits)]).collect(), 1),
    };
    let bits_of_code = (grain == Grain::Bits).then_some(bits);
    let form = Form::of(&dims_of_map, bits_of_code, &offsets)?;
    let allocation = allocation_bits / i64::from(unit);
    let map = form.map(&dims_of_map, allocation)?;
    Ok(Discovery {
        dims: dims.to_vec(),
        bits,
        grain,
        record: record(grain, &offsets, (dims, bits), allocation_bits)?,
        xla: xla::of(&form, map.as_ref(), unit),
        composition: form.composition(allocation)?,
        map,
        form,
        offsets,
        xor_mask,
        padding: Padding::of(&owners.zeros, &owners.owned, bits),
        copies: owners.copies.len(),
        allocation_bits,
        n_calls: probe.n_calls(),
    })
}

/// The bits of a code that are stored flipped, the same ones for every element.
fn xor_mask(owners: &Owners, bits: u32) -> Result<u32, Refusal> {
    let mut mask = 0;
    for code_bit in 0..bits {
        let stored = |place: u64| bits::bit(&owners.zeros, place);
        let places = owners.places_of(code_bit);
        let first = places.first().is_some_and(|place| stored(*place));
        if let Some((element, place)) = (0u64..).zip(places).find(|(_, at)| stored(**at) != first) {
            return Err(Refusal::UnevenFlip { element, code_bit, place: *place });
        }
        mask |= u32::from(first) << code_bit;
    }
    Ok(mask)
}

/// Where each element lies, counted in elements if they are whole, else where each bit does.
fn offsets(owners: &Owners, n_elements: usize, bits: u32) -> (Grain, Vec<i64>) {
    let is_whole = |id: usize| {
        let first = owners.place_of(id, 0);
        first.is_multiple_of(u64::from(bits))
            && (0..bits).all(|bit| owners.place_of(id, bit) == first + u64::from(bit))
    };
    if (0..n_elements).all(is_whole) {
        let of_element = |place: &u64| offset(place / u64::from(bits));
        return (Grain::Elements, owners.places_of(0).iter().map(of_element).collect());
    }
    (Grain::Bits, places(owners, n_elements, bits))
}

/// The record that rows consist of, if they do. Codes that are whole are one field each, told by their lowest bits.
fn record(
    grain: Grain,
    offsets: &[i64],
    (dims, bits): (&[i64], u32),
    allocation_bits: i64,
) -> Result<Option<Record>, tilewright::Error> {
    if grain == Grain::Bits {
        return fields::record(dims, bits, offsets, allocation_bits);
    }
    let lowest: Vec<i64> = offsets.iter().map(|at| at.saturating_mul(i64::from(bits))).collect();
    let mut record = fields::record(dims, 1, &lowest, allocation_bits)?;
    let fields = record.iter_mut().flat_map(|record| &mut record.fields);
    fields.for_each(|field| field.bits = bits);
    Ok(record)
}

/// Where each bit lies: bit `b` of element `id` at `id * bits + b`.
fn places(owners: &Owners, n_elements: usize, bits: u32) -> Vec<i64> {
    let of_element = |id: usize| (0..bits).map(move |bit| offset(owners.place_of(id, bit)));
    (0..n_elements).flat_map(of_element).collect()
}

fn offset(place: u64) -> i64 {
    i64::try_from(place).unwrap_or(i64::MAX)
}

impl Discovery {
    /// The dimensions of the codes.
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// The width of a code.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// What [`offsets`](Self::offsets), [`map`](Self::map) and [`text`](Self::text) count.
    pub fn grain(&self) -> Grain {
        self.grain
    }

    /// The offset of every element, or of every bit of it, in row-major order.
    pub fn offsets(&self) -> &[i64] {
        &self.offsets
    }

    /// What kind of function the offsets are.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The map: of the dimensions, and of the bit where offsets count bits. `None` for fields, for
    /// linear functions that are no swizzle, for tables, and for a layout from a base on whose own shape goes on
    /// beyond the array to places below 0.
    pub fn map(&self) -> Option<&IndexMap> {
        self.map.as_ref()
    }

    /// Shape and stride over the dimensions of the map, if they say it.
    pub fn layout(&self) -> Option<&Composition> {
        self.composition.as_ref()
    }

    /// The layout as XLA writes it, if it can.
    pub fn xla(&self) -> Option<&XlaLayout> {
        self.xla.as_ref()
    }

    /// The record that rows consist of: the fewest elements after which everything repeats, so many bytes on, with the
    /// fields that hold their codes. `None` if rows are no whole records.
    ///
    /// ```
    /// use tilewright_discover::discover;
    /// // Blocks of four codes: a byte of something else, then codes 0 and 2, 1 and 3 in a byte.
    /// let pack = |codes: &[u32], _: &[i64]| -> Result<Vec<u8>, std::convert::Infallible> {
    ///     let block = |c: &[u32]| [0x3C, (c[0] | c[2] << 4) as u8, (c[1] | c[3] << 4) as u8];
    ///     Ok(codes.chunks(4).flat_map(block).collect())
    /// };
    /// let found = discover(pack, &[2, 8], 4)?;
    /// let record = found.record().ok_or("no record")?;
    /// assert_eq!((record.elements, record.bytes), (4, 3));
    /// assert_eq!((record.fields[0].base, &record.fields[0].modes[..]), (8, &[(2, 8), (2, 4)][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record(&self) -> Option<&Record> {
        self.record.as_ref()
    }

    /// The bits of each code that are stored flipped: 8 where 8 is added to signed nibbles.
    pub fn xor_mask(&self) -> u32 {
        self.xor_mask
    }

    /// The packed bits that hold no code.
    pub fn padding(&self) -> &Padding {
        &self.padding
    }

    /// How many packed bits repeat what another one holds.
    pub fn copies(&self) -> usize {
        self.copies
    }

    /// The bits that the function gave, padding and copies included.
    pub fn allocation_bits(&self) -> i64 {
        self.allocation_bits
    }

    /// How often the function was called.
    pub fn n_calls(&self) -> usize {
        self.n_calls
    }

    /// The layout in words of shape and stride, or what there is instead.
    pub fn text(&self) -> String {
        match (&self.composition, &self.form) {
            (Some(composition), _) => composition.to_string(),
            (None, Form::Merged { groups, fitted }) => {
                let base =
                    if fitted.base == 0 { String::new() } else { format!("{} + ", fitted.base) };
                format!("{base}{} of {}", fitted.layout, self.merged_names(groups))
            }
            (None, Form::Linear(matrix)) => {
                format!("{} ^ bits {:?}", matrix.constant(), matrix.columns())
            }
            (None, Form::Fields(fields)) => self.text_of_fields(fields),
            (None, Form::Table(reason)) => format!("a table: {reason}"),
            (None, Form::Layout(fitted)) => format!("{} + {}", fitted.base, fitted.layout),
            (None, _) => "a layout".to_owned(),
        }
    }

    /// The fields of a record, if there is one, or else of the array.
    fn text_of_fields(&self, fields: &[BitField]) -> String {
        match &self.record {
            Some(Record { elements, bytes, fields }) => {
                let fields: Vec<String> = fields.iter().map(RecordField::text).collect();
                format!("records of {elements} in {bytes} bytes: {}", fields.join("; "))
            }
            None => fields.iter().map(BitField::text).collect::<Vec<_>>().join("; "),
        }
    }

    /// The dimensions of a merged layout: `(d0*bit,d1)`.
    fn merged_names(&self, groups: &[Vec<usize>]) -> String {
        let name = |dim: &usize| {
            if *dim == self.dims.len() { "bit".to_owned() } else { format!("d{dim}") }
        };
        let group = |group: &Vec<usize>| group.iter().map(name).collect::<Vec<_>>().join("*");
        format!("({})", groups.iter().map(group).collect::<Vec<_>>().join(","))
    }
}

impl fmt::Display for Discovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims = self.dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let unit = match self.grain {
            Grain::Elements => "elements",
            Grain::Bits => "bits, the bit being the last dimension",
        };
        writeln!(f, "codes         u{}[{dims}]", self.bits)?;
        writeln!(f, "layout        {}", self.text())?;
        writeln!(f, "offsets in    {unit}")?;
        if let Some(xla) = &self.xla {
            writeln!(f, "as XLA's      {xla}")?;
        }
        if self.xor_mask != 0 {
            writeln!(f, "flipped bits  {:#x}", self.xor_mask)?;
        }
        if self.copies != 0 {
            writeln!(f, "copies        {} bits", self.copies)?;
        }
        writeln!(f, "padding       {}", self.padding)?;
        write!(
            f,
            "packed        {} bytes, seen in {} calls",
            self.allocation_bits / 8,
            self.n_calls
        )
    }
}
