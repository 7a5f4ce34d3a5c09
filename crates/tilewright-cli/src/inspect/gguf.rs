//! The tensors of a GGUF file, whose quantised types no other format has.

use std::borrow::Cow;

use serde::Serialize;
use tilewright::ArrayShape;
use tilewright_files::{GgufFile, GgufTensor};

use super::{listed, metadata};
use crate::Answer;
use crate::args::InspectArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::input::explained;
use crate::table::{Left, Right};

/// A tensor, as JSON has it: the keys of any array, the type as ggml calls it, and where it lies.
#[derive(Serialize)]
struct Document<'a> {
    name: &'a str,
    text: String,
    /// Of the codes; `null` where there is no such type, as for six bits.
    element_type: Option<&'static str>,
    dims: &'a [i64],
    layout: String,
    stored_dims: Vec<i64>,
    bytes: u64,
    logical_bytes: u64,
    r#type: &'static str,
    offset: u64,
}

/// The tensors, and for people the metadata before them.
pub(super) fn run(args: &InspectArgs, console: &mut Console) -> Result<Answer, Failure> {
    let file = GgufFile::open(&args.file).map_err(explained)?;
    let entries: Vec<_> = file.metadata().iter().map(metadata::Entry::of_gguf).collect();
    if args.metadata {
        return metadata::answer(&entries, console);
    }
    if !console.is_json() && !entries.is_empty() {
        metadata::answer(&entries, console)?;
        console.write(b"\n")?;
    }
    let rows = file.tensors().iter().map(Document::of).collect::<anyhow::Result<Vec<_>>>()?;
    console.table(&rows, &[Left, Left, Left, Left, Right], || lines(&rows))?;
    Ok(Answer::Yes)
}

impl<'a> Document<'a> {
    fn of(tensor: &'a GgufTensor) -> anyhow::Result<Self> {
        let (text, layout) = text_and_layout(tensor)?;
        let codes = tensor.gguf_type().record().field("codes");
        Ok(Document {
            name: tensor.name(),
            text,
            element_type: codes.and_then(|codes| Some(codes.element_type()?.xla_name())),
            dims: tensor.dims(),
            layout,
            stored_dims: tensor.stored_dims(),
            bytes: tensor.byte_len(),
            logical_bytes: tensor.byte_len(),
            r#type: tensor.gguf_type().name(),
            offset: tensor.file_offset(),
        })
    }
}

/// `f32[3,5]{1,0}` and `{1,0}` of plain tensors, `gguf:Q4_K[2,256]` and `gguf:Q4_K` of quantised
/// ones: those are no layouts of their elements, each of which has bits in several places.
fn text_and_layout(tensor: &GgufTensor) -> anyhow::Result<(String, String)> {
    let gguf_type = tensor.gguf_type();
    let Some(element_type) = gguf_type.plain() else {
        let layout = format!("gguf:{}", gguf_type.name());
        return Ok((format!("{layout}{}", listed(tensor.dims())), layout));
    };
    let shape = ArrayShape::new(element_type, tensor.dims())?;
    let layout = shape.layout_or_default();
    Ok((shape.with_layout(layout.clone())?.to_string(), layout.to_string()))
}

fn lines<'a>(rows: &'a [Document<'a>]) -> impl Iterator<Item = [Cow<'a, str>; 5]> {
    let heading = ["name", "type", "dims", "layout", "bytes"].map(Cow::Borrowed);
    let line = |row: &'a Document<'a>| {
        [
            Cow::Borrowed(row.name),
            row.r#type.into(),
            listed(row.dims).into(),
            Cow::Borrowed(&row.layout[..]),
            row.bytes.to_string().into(),
        ]
    };
    std::iter::once(heading).chain(rows.iter().map(line))
}
