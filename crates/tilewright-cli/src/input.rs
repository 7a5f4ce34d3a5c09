//! Files that are read, and what `--from` says of them.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, bail};
use glob::Pattern;
use tilewright::formats::catalogue::{Carrier, NamedArray, NamedLayout};
use tilewright::notation::Described;
use tilewright::text::abridged;
use tilewright::xla::{Layout, ParseOptions, parse_layout, parse_shape};
use tilewright::{ArrayShape, ElementType};
use tilewright_files::{ArrayFile, Error, Format, OpenOptions, Order, StoredLayout, layout_beside};
use tilewright_relayout::{Placement, Plan};

use crate::words::write_words;

/// An open file, and the layout it is to be read in where that is not its own.
pub(crate) struct Input {
    pub(crate) file: ArrayFile,
    from: Option<From>,
    /// What libraries have stored under names: the last that matches holds.
    carriers: Vec<Stored>,
}

/// What a library has stored under the names that match: `*.qweight=u4@gptq`.
struct Stored {
    names: Pattern,
    element_type: ElementType,
    layout: NamedLayout,
}

/// What `--from` says.
enum From {
    /// The layout of every array: `{1,0:T(8,128)}`.
    Layout(Layout),
    /// The shape and layout of every array: `f32[30,300]{1,0:T(8,128)}`.
    Shape(ArrayShape),
}

impl Input {
    /// The array that number `array` is.
    pub(crate) fn shape(&self, array: usize) -> anyhow::Result<ArrayShape> {
        if let Some(named) = self.stored(array)? {
            return Ok(Described::Named(Box::new(named)).to_array()?);
        }
        let Some(from) = &self.from else { return Ok(self.file.shape(array)?) };
        let info = self.file.arrays().get(array).context("there is no such array")?;
        let shape = match from {
            From::Shape(shape) => shape.clone(),
            From::Layout(layout) => {
                let bare = self.file.shape(array)?.without_layout();
                let context = format!("the layout {layout} does not fit {bare}");
                bare.with_layout(layout.clone()).context(context)?
            }
        };
        let bytes = shape.bytes()?;
        if u64::try_from(bytes) != Ok(info.byte_len()) {
            bail!("{shape} takes {bytes} bytes, and the file has {}", info.byte_len());
        }
        Ok(shape)
    }
}

impl Input {
    /// The array by its name in the catalogue, where that is how the file has recorded it, or what it was said to be.
    pub(crate) fn named(&self, array: usize) -> Option<NamedArray> {
        let info = self.file.arrays().get(array).filter(|_| self.from.is_none())?;
        self.stored(array).ok().flatten().or_else(|| info.named())
    }

    /// The array that a library has stored there, if its name says so.
    fn stored(&self, array: usize) -> anyhow::Result<Option<NamedArray>> {
        let Some(info) = self.file.arrays().get(array) else { return Ok(None) };
        let mut matching = self.carriers.iter().rev();
        let Some(stored) = matching.find(|stored| stored.names.matches(info.name())) else {
            return Ok(None);
        };
        let carrier = Carrier { element_type: info.element_type(), dims: info.dims().to_vec() };
        Ok(Some(stored.layout.of_carrier(stored.element_type, &carrier)?))
    }
}

/// The shapes of a file's arrays, each made once: a file often has thousands alike.
pub(crate) struct Shapes<'a> {
    input: &'a Input,
    known: HashMap<Key<'a>, Rc<ArrayShape>>,
}

/// All that the shape of an array depends on.
type Key<'a> = (ElementType, &'a [i64], Order, Option<&'a StoredLayout>, u64);

impl<'a> Shapes<'a> {
    /// No more are kept, so that a file of which no two are alike takes no memory for all of them.
    const MOST: usize = 256;

    pub(crate) fn new(input: &'a Input) -> Self {
        Shapes { input, known: HashMap::new() }
    }

    /// As [`Input::shape`].
    pub(crate) fn of(&mut self, array: usize) -> anyhow::Result<Rc<ArrayShape>> {
        let info = self.input.file.arrays().get(array).context("there is no such array")?;
        let key = (info.element_type(), info.dims(), info.order(), info.layout(), info.byte_len());
        if let Some(shape) = self.known.get(&key) {
            return Ok(Rc::clone(shape));
        }
        let shape = Rc::new(self.input.shape(array)?);
        if self.known.len() == Self::MOST {
            self.known.clear();
        }
        self.known.insert(key, Rc::clone(&shape));
        Ok(shape)
    }
}

/// Opens a file. A raw one is told by `from`, or by the layout beside it.
pub(crate) fn open(path: &Path, from: Option<&str>, strict: bool) -> anyhow::Result<Input> {
    refuse_dash(path)?;
    let from = from.map(|text| parse_from(text, strict)).transpose()?;
    let options = match (&from, Format::detect(path).map_err(explained)?) {
        (Some(From::Shape(shape)), Format::Raw) => raw_options(shape)?,
        (_, Format::Raw) => raw_options(&beside(path)?)?,
        (Some(From::Shape(shape)), Format::Npy) => {
            OpenOptions::new().ignore_layouts().element_type(shape.element_type())
        }
        (Some(From::Shape(_)), _) => OpenOptions::new().ignore_layouts(),
        (_, _) => OpenOptions::new(),
    };
    let file = options.open(path).map_err(explained)?;
    warn_of_unused(&file);
    Ok(Input { file, from, carriers: Vec::new() })
}

/// The same, told by a layout for all or by what libraries have stored under names.
pub(crate) fn open_carriers(path: &Path, from: &[String], strict: bool) -> anyhow::Result<Input> {
    let (by_name, for_all): (Vec<&String>, Vec<&String>) =
        from.iter().partition(|text| text.contains('@') && !text.contains('['));
    let for_all = match for_all.as_slice() {
        [] => None,
        [one] => Some(one.as_str()),
        [_, other, ..] => {
            bail!("--from says of all arrays what they are, and `{other}` says it again")
        }
    };
    let carriers = by_name.into_iter().map(|text| stored(text)).collect::<anyhow::Result<_>>()?;
    let input = Input { carriers, ..open(path, for_all, strict)? };
    for stored in &input.carriers {
        if !input.file.arrays().iter().any(|info| stored.names.matches(info.name())) {
            bail!("no array has a name like `{}`", stored.names);
        }
    }
    Ok(input)
}

/// `GLOB=TYPE@NAME`; without a name, `TYPE@NAME` is of all arrays.
fn stored(text: &str) -> anyhow::Result<Stored> {
    let (names, said) = text.rsplit_once('=').unwrap_or(("*", text));
    let Some((element_type, name)) = said.split_once('@') else {
        bail!("`{text}` is not of the form GLOB=TYPE@NAME, such as '*.qweight=u4@gptq'");
    };
    Ok(Stored {
        names: Pattern::new(names).with_context(|| format!("`{names}` is no pattern"))?,
        element_type: element_type.trim().parse()?,
        layout: name.parse()?,
    })
}

/// Says of which arrays a layout is recorded that are not there. An array that was renamed by a tool
/// that knows nothing of layouts is packed, and is taken for what it is stored as.
fn warn_of_unused(file: &ArrayFile) {
    const SHOWN: usize = 5;
    let path = file.path().display();
    let unused = file.unused_layouts();
    for name in unused.iter().take(SHOWN) {
        let name = abridged(name);
        write_words(&format!(
            "warning: {path}: a layout is recorded for `{name}`, which is not there"
        ));
    }
    if let Some(more) = unused.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        write_words(&format!(
            "warning: {path}: and {more} more layouts for arrays that are not there"
        ));
    }
}

fn parse_from(text: &str, strict: bool) -> anyhow::Result<From> {
    let options = ParseOptions { strict, ..ParseOptions::default() };
    if text.trim_start().starts_with('{') {
        return Ok(From::Layout(parse_layout(text, options)?.value));
    }
    if let Ok(named) = text.parse::<NamedArray>() {
        return Ok(From::Shape(Described::Named(Box::new(named)).to_array()?));
    }
    Ok(From::Shape(parse_shape(text, options)?.value.as_array()?.clone()))
}

/// The shape that the layout beside a raw file says.
fn beside(path: &Path) -> anyhow::Result<ArrayShape> {
    match layout_beside(path).map_err(explained)? {
        Some(stored) => Ok(stored.layout.parse()?),
        None => bail!(
            "{}: a raw file does not say what it holds; give --from, such as --from 'f32[30,300]'",
            path.display()
        ),
    }
}

/// A raw file is opened as the bytes that its shape takes.
fn raw_options(shape: &ArrayShape) -> anyhow::Result<OpenOptions> {
    Ok(OpenOptions::new().raw(ElementType::U8, [shape.bytes()?]))
}

/// Arrays are read and written by position, which a pipe cannot do.
pub(crate) fn refuse_dash(path: &Path) -> anyhow::Result<()> {
    if path == Path::new("-") {
        bail!("`-`: arrays are read and written by position, so this has to be a file");
    }
    Ok(())
}

/// A file error with its advice, in the words of the command line.
pub(crate) fn explained(error: Error) -> anyhow::Error {
    let help = match error.help() {
        Some(_) if error.is_exists() => "--force replaces it".to_owned(),
        Some(_) if error.is_same_file() => "--in-place replaces it when all is done".to_owned(),
        Some(help) if error.is_ambiguous() => format!("{help}: --from 'bf16[30,300]'"),
        Some(help) => help.to_owned(),
        None => return error.into(),
    };
    anyhow::anyhow!("{error}\n  = help: {help}")
}

/// How to move an array's bytes. Slots of one width go over as they are, whatever is in them;
/// where the widths differ only the bits that mean something do.
pub(crate) fn plan(
    from: &Placement,
    to: &Placement,
    element_type: ElementType,
) -> Result<Plan, tilewright_relayout::Error> {
    match from.element_bits() == to.element_bits() {
        true => Plan::new(from, to),
        false => Plan::with_value_bits(from, to, element_type.bits()),
    }
}
