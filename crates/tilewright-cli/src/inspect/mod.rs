//! `tilewright inspect`: the arrays in a file, and its metadata.

mod gguf;
mod metadata;

use std::borrow::Cow;
use std::rc::Rc;

use serde::{Serialize, Serializer};
use tilewright::ArrayShape;
use tilewright::notation::{Described, DescribedArray};
use tilewright::xla::Layout;
use tilewright_convert::{Input, Shapes};
use tilewright_files::Format;

use crate::Answer;
use crate::args::InspectArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::input::{self, explained};
use crate::table::{Left, Right};

/// An array, as JSON has it.
#[derive(Serialize)]
struct Document<'a> {
    name: &'a str,
    text: &'a str,
    element_type: &'static str,
    dims: &'a [i64],
    layout: &'a str,
    stored_dims: &'a [i64],
    bytes: u64,
    logical_bytes: i64,
}

/// An array, and what is said of it.
struct Row<'a> {
    name: &'a str,
    said: Rc<Said>,
    stored_dims: &'a [i64],
    bytes: u64,
}

/// What is said of all arrays of one shape.
struct Said {
    text: String,
    element_type: &'static str,
    dims: Vec<i64>,
    layout: String,
    logical_bytes: i64,
}

/// The arrays of a file, a row each. They are made as they are written, since a file may have a
/// million of them.
struct Rows<'a>(&'a Input);

pub(crate) fn run(
    args: &InspectArgs,
    strict: bool,
    console: &mut Console,
) -> Result<Answer, Failure> {
    input::refuse_dash(&args.file)?;
    let format = Format::detect(&args.file).map_err(explained)?;
    match (format, args.from.as_slice()) {
        (Format::Gguf, []) => gguf::run(args, console),
        (_, []) if args.metadata => metadata::run(args, console),
        (_, from) => list(args, from, strict, console),
    }
}

/// The arrays of any other file, or of any file as `from` says.
fn list(
    args: &InspectArgs,
    from: &[String],
    strict: bool,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let input = input::open(&args.file, from, strict)?;
    // All of them can be told before the first is.
    Rows(&input).rows().try_for_each(|row| row.map(drop))?;
    let rows = Rows(&input);
    console.table(&rows, &[Left, Left, Right, Right, Left], || rows.lines())?;
    Ok(Answer::Yes)
}

impl<'a> Rows<'a> {
    fn rows(&self) -> impl Iterator<Item = anyhow::Result<Row<'a>>> + use<'a> {
        let infos = self.0.file().arrays();
        let (mut shapes, mut last) = (Shapes::new(self.0), None);
        infos.iter().enumerate().map(move |(array, info)| {
            let shape = shapes.of(array)?;
            // Those alike mostly follow each other.
            let said = match &last {
                Some((known, said)) if Rc::ptr_eq(known, &shape) => Rc::clone(said),
                _ => Rc::new(Said::of(&shape)?),
            };
            last = Some((shape, Rc::clone(&said)));
            Ok(Row { name: info.name(), said, stored_dims: info.dims(), bytes: info.byte_len() })
        })
    }

    fn lines(&self) -> impl Iterator<Item = [Cow<'a, str>; 5]> + use<'a> {
        let heading = ["name", "array", "bytes", "of data", "stored as"].map(Cow::Borrowed);
        let line = |row: Row<'a>| {
            [
                Cow::Borrowed(row.name),
                row.said.text.clone().into(),
                row.bytes.to_string().into(),
                row.said.logical_bytes.to_string().into(),
                listed(row.stored_dims).into(),
            ]
        };
        std::iter::once(heading).chain(self.rows().filter_map(Result::ok).map(line))
    }
}

impl Said {
    /// The layout of an array is what is said of it beside its type and its dims.
    fn of(array: &DescribedArray) -> anyhow::Result<Self> {
        let bare = array.bare()?;
        let layout = match array.said() {
            Described::Named(named) => format!("@{}", named.layout()),
            Described::Tla(typed) => typed.layout.to_string(),
            Described::OneDnn(tagged) => tagged.tag.to_string(),
            said => match said.to_array() {
                Ok(shape) => shape.layout_or_default().to_string(),
                Err(_) => said.to_string(),
            },
        };
        Ok(Said {
            text: array.to_string(),
            element_type: array.element_type().xla_name(),
            dims: bare.sizes()?,
            layout,
            logical_bytes: data_bytes(array, bare)?,
        })
    }
}

/// The bytes of the elements alone, in as many bits as they have in this layout.
fn data_bytes(array: &DescribedArray, bare: ArrayShape) -> anyhow::Result<i64> {
    if let Some(array) = array.xla() {
        return Ok(array.logical_bytes()?);
    }
    let rows = Layout::descending(bare.dims().len());
    let packed = rows.with_element_size_in_bits(array.element_bits());
    Ok(bare.with_layout(packed)?.logical_bytes()?)
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Said { text, element_type, dims, layout, logical_bytes } = &*self.said;
        let (element_type, logical_bytes) = (*element_type, *logical_bytes);
        let Row { name, stored_dims, bytes, .. } = *self;
        let document =
            Document { name, text, element_type, dims, layout, stored_dims, bytes, logical_bytes };
        document.serialize(serializer)
    }
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows().filter_map(Result::ok))
    }
}

fn listed(dims: &[i64]) -> String {
    let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
    format!("[{}]", dims.join(","))
}
