//! Files that are read, and what `--from` says of them.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, bail};
use glob::Pattern;
use tilewright::ElementType;
use tilewright::formats::catalogue::{Carrier, NamedArray, NamedLayout};
use tilewright::notation::DescribedArray;
use tilewright::xla::{Layout, ParseOptions, parse_layout};
use tilewright_files::{
    ArrayFile, ArrayInfo, Format, OpenOptions, Order, StoredLayout, layout_beside,
};

use crate::error::Error;

/// An open file, and the layout it is to be read in where that is not its own.
#[derive(Debug)]
pub struct Input {
    file: ArrayFile,
    from: Option<From>,
    /// What libraries have stored under names: the last that matches holds.
    carriers: Vec<Stored>,
}

/// What a library has stored under the names that match: `*.qweight=u4@gptq`.
#[derive(Debug)]
struct Stored {
    names: Pattern,
    element_type: ElementType,
    layout: NamedLayout,
}

/// What `--from` says.
#[derive(Debug)]
enum From {
    /// The layout of every array: `{1,0:T(8,128)}`.
    Layout(Layout),
    /// What every array is: `f32[30,300]{1,0:T(8,128)}`.
    Array(DescribedArray),
}

impl Input {
    /// Opens a file or a folder of shards, which `from` may tell about: a layout or an array for all,
    /// `{1,0:T(8,128)}` or `f32[30,300]`, and what libraries have stored under names, `*.qweight=u4@gptq`, the last
    /// that matches. A raw file is told by one of these, or by the layout beside it.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, a text says nothing, or no array has a name that is said.
    pub fn open(path: &Path, from: &[String], strict: bool) -> Result<Self, Error> {
        Self::opened(path, from, strict).map_err(Error::new)
    }

    fn opened(path: &Path, from: &[String], strict: bool) -> anyhow::Result<Self> {
        let (by_name, for_all): (Vec<&String>, Vec<&String>) =
            from.iter().partition(|text| text.contains('@') && !text.contains('['));
        let from = match for_all.as_slice() {
            [] => None,
            [one] => Some(parse_from(one, strict)?),
            [_, other, ..] => {
                bail!("--from says of all arrays what they are, and `{other}` says it again")
            }
        };
        let carriers =
            by_name.into_iter().map(|text| stored(text)).collect::<anyhow::Result<_>>()?;
        let file = match (&from, Format::detect(path)?) {
            (Some(From::Array(array)), Format::Raw) => raw_options(array)?.open(path)?,
            (_, Format::Raw) => open_as_beside(path)?,
            (Some(From::Array(array)), Format::Npy) => {
                OpenOptions::new().ignore_layouts().element_type(array.element_type()).open(path)?
            }
            (Some(From::Array(_)), _) => OpenOptions::new().ignore_layouts().open(path)?,
            (_, _) => OpenOptions::new().open(path)?,
        };
        let input = Input { from, carriers, ..Input::of(file) };
        for stored in &input.carriers {
            if !input.file.arrays().iter().any(|info| stored.names.matches(info.name())) {
                bail!("no array has a name like `{}`", stored.names);
            }
        }
        Ok(input)
    }

    /// An open file, whose arrays are what it says.
    pub fn of(file: ArrayFile) -> Self {
        Input { file, from: None, carriers: Vec::new() }
    }

    /// Whether something was said of its arrays.
    pub(crate) fn is_told(&self) -> bool {
        self.from.is_some() || !self.carriers.is_empty()
    }

    /// The file.
    pub fn file(&self) -> &ArrayFile {
        &self.file
    }

    /// What number `array` is.
    ///
    /// # Errors
    ///
    /// What the file records or was said of it is wrong.
    pub fn described(&self, array: usize) -> Result<DescribedArray, Error> {
        self.told(array).map_err(Error::new)
    }

    fn told(&self, array: usize) -> anyhow::Result<DescribedArray> {
        let info = self.file.arrays().get(array).context("there is no such array")?;
        if let Some(named) = self.stored(info)? {
            return Ok(named.into());
        }
        let described = match &self.from {
            None => return Ok(self.file.described(array)?),
            Some(From::Array(said)) => said.clone(),
            Some(From::Layout(layout)) => {
                let bare = self.file.described(array)?.bare()?;
                let context = format!("the layout {layout} does not fit {bare}");
                bare.with_layout(layout.clone()).context(context)?.into()
            }
        };
        let bytes = described.bytes()?;
        if u64::try_from(bytes) != Ok(info.byte_len()) {
            bail!("{described} takes {bytes} bytes, and the file has {}", info.byte_len());
        }
        Ok(described)
    }

    /// The array that a library has stored there, if its name says so.
    fn stored(&self, info: &ArrayInfo) -> anyhow::Result<Option<NamedArray>> {
        let mut matching = self.carriers.iter().rev();
        let Some(stored) = matching.find(|stored| stored.names.matches(info.name())) else {
            return Ok(None);
        };
        let carrier = Carrier { element_type: info.element_type(), dims: info.dims().to_vec() };
        Ok(Some(stored.layout.of_carrier(stored.element_type, &carrier)?))
    }
}

/// What a file's arrays are, each made once: a file often has thousands alike.
#[derive(Debug)]
pub struct Shapes<'a> {
    input: &'a Input,
    known: HashMap<Key<'a>, Rc<DescribedArray>>,
}

/// All that it depends on where it does not depend on the name.
type Key<'a> = (ElementType, &'a [i64], Order, Option<&'a StoredLayout>, u64);

impl<'a> Shapes<'a> {
    /// No more are kept, so that a file of which no two are alike takes no memory for all of them.
    const MOST: usize = 256;

    /// Of a file.
    pub fn new(input: &'a Input) -> Self {
        Shapes { input, known: HashMap::new() }
    }

    /// As [`Input::described`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn of(&mut self, array: usize) -> Result<Rc<DescribedArray>, Error> {
        self.made_once(array).map_err(Error::new)
    }

    fn made_once(&mut self, array: usize) -> anyhow::Result<Rc<DescribedArray>> {
        let info = self.input.file.arrays().get(array).context("there is no such array")?;
        if self.input.carriers.iter().any(|stored| stored.names.matches(info.name())) {
            return Ok(Rc::new(self.input.told(array)?));
        }
        let key = (info.element_type(), info.dims(), info.order(), info.layout(), info.byte_len());
        if let Some(shape) = self.known.get(&key) {
            return Ok(Rc::clone(shape));
        }
        let shape = Rc::new(self.input.told(array)?);
        if self.known.len() == Self::MOST {
            self.known.clear();
        }
        self.known.insert(key, Rc::clone(&shape));
        Ok(shape)
    }
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

fn parse_from(text: &str, strict: bool) -> anyhow::Result<From> {
    let options = ParseOptions { strict, ..ParseOptions::default() };
    if text.trim_start().starts_with('{') {
        return Ok(From::Layout(parse_layout(text, options)?.value));
    }
    Ok(From::Array(DescribedArray::parse(text, options)?.value))
}

/// How often a file that is replaced while it is being opened is opened again.
const ATTEMPTS: u32 = 16;

/// Opens a raw file as what the layout beside it says. Between that and the opening it can be replaced by one of another
/// length: then the layout is another too.
fn open_as_beside(path: &Path) -> anyhow::Result<ArrayFile> {
    let mut array = beside(path)?;
    for _ in 0..ATTEMPTS {
        let opened = raw_options(&array)?.open(path);
        let now = if opened.is_err() { beside(path)? } else { array.clone() };
        if now == array {
            return Ok(opened?);
        }
        array = now;
    }
    bail!("{}: the file was replaced again and again while it was opened", path.display())
}

/// What the layout beside a raw file says it to be.
fn beside(path: &Path) -> anyhow::Result<DescribedArray> {
    match layout_beside(path)? {
        Some(stored) => Ok(stored.layout.parse()?),
        None => bail!(
            "{}: a raw file does not say what it holds; give --from, such as --from 'f32[30,300]'",
            path.display()
        ),
    }
}

/// A raw file is opened as the bytes that its array takes.
fn raw_options(array: &DescribedArray) -> anyhow::Result<OpenOptions> {
    Ok(OpenOptions::new().raw(ElementType::U8, [array.bytes()?]))
}
