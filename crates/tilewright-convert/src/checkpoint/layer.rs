//! The layers of a quantised model.

use std::collections::HashMap;

use anyhow::{Context, bail};
use tilewright::ElementType;
use tilewright::formats::catalogue::NamedArray;
use tilewright::text::abridged;
use tilewright_files::{ArrayFile, ArrayInfo, Companions, Format};

use super::config::Scheme;
use super::facts::{Facts, Look};
use super::method::Method;
use super::tables::{self, ZerosOf};
use crate::crew::Crew;
use crate::lying::Lying;

/// A folder of a quantised model.
#[derive(Debug)]
pub(crate) struct Checkpoint<'a> {
    pub(crate) file: &'a ArrayFile,
    pub(crate) scheme: Scheme,
    pub(crate) layers: Vec<Layer>,
    /// For each array of the file, the layer that it is a part of.
    pub(crate) layer_of: Vec<Option<usize>>,
}

/// One layer: its parts are numbers of arrays.
#[derive(Debug)]
pub(crate) struct Layer {
    /// What stands before the names of its parts, without the point.
    pub(crate) name: String,
    /// Inputs and outputs.
    pub(crate) dims: [i64; 2],
    pub(crate) groups: i64,
    pub(crate) codes: usize,
    pub(crate) scales: usize,
    pub(crate) zeros: Option<usize>,
    pub(crate) group_index: Option<usize>,
    pub(crate) shape: Option<usize>,
    /// Whether every zero point is the middle of what there are.
    pub(crate) is_symmetric: bool,
    /// Whether rows are grouped otherwise than one after the other.
    pub(crate) is_reordered: bool,
}

impl<'a> Checkpoint<'a> {
    /// Of a file or a folder; nothing where it is no folder, or says of no quantisation.
    ///
    /// # Errors
    ///
    /// What it says is not known here, or its arrays are not what it says.
    pub(crate) fn of(
        file: &'a ArrayFile,
        crew: &Crew,
        look: Look<'_>,
    ) -> anyhow::Result<Option<Self>> {
        if file.format() != Format::SafetensorsFolder {
            return Ok(None);
        }
        let companions = Companions::of(file)?;
        match Scheme::of_folder(companions.folder())? {
            Some(scheme) => Self::read(file, scheme, crew, look).map(Some),
            None => Ok(None),
        }
    }

    fn read(
        file: &'a ArrayFile,
        scheme: Scheme,
        crew: &Crew,
        look: Look<'_>,
    ) -> anyhow::Result<Self> {
        let arrays = file.arrays();
        let numbers: HashMap<&str, usize> =
            arrays.iter().enumerate().map(|(number, info)| (info.name(), number)).collect();
        let end = format!(".{}", scheme.method.parts().codes);
        let names = arrays.iter().filter_map(|info| info.name().strip_suffix(end.as_str()));
        let names: Vec<&str> = names.collect();
        if names.is_empty() {
            bail!(
                "no array has a name like `*{end}`, of which {} has its codes",
                scheme.method.name()
            );
        }
        let layer = |number: usize| -> anyhow::Result<Layer> {
            let name = names[number];
            let about = || format!("layer `{}`", abridged(name));
            Layer::read((file, look), &scheme, name, &numbers).with_context(about)
        };
        let layers: Vec<Layer> =
            crew.each(names.len(), layer).into_iter().collect::<anyhow::Result<_>>()?;
        let mut layer_of = vec![None; arrays.len()];
        for (number, layer) in layers.iter().enumerate() {
            let parts = [Some(layer.codes), Some(layer.scales)];
            let others = [layer.zeros, layer.group_index, layer.shape];
            for part in parts.into_iter().chain(others).flatten() {
                layer_of[part] = Some(number);
            }
        }
        Ok(Checkpoint { file, scheme, layers, layer_of })
    }

    /// What the elements say that have been looked at.
    pub(crate) fn facts(&self) -> Facts {
        let names = |is_so: fn(&Layer) -> bool| {
            self.layers.iter().filter(move |layer| is_so(layer)).map(|layer| layer.name.clone())
        };
        let padded = self.layers.iter().filter(|layer| {
            let stored = self.info(layer.codes).dims();
            let full = self.scheme.method.dims_of(self.scheme.bits, stored, None);
            full.is_ok_and(|full| full != layer.dims)
        });
        Facts {
            with_zeros: names(|layer| !layer.is_symmetric).collect(),
            reordered: names(|layer| layer.is_reordered).collect(),
            inputs: padded.map(|layer| (layer.name.clone(), layer.dims[0])).collect(),
        }
    }

    pub(crate) fn info(&self, array: usize) -> &'a ArrayInfo {
        &self.file.arrays()[array]
    }

    /// The codes of a layer, as `[K,N]` and from 0 on.
    pub(crate) fn codes(&self, layer: &Layer) -> anyhow::Result<Lying> {
        self.scheme.method.codes(self.scheme.bits, layer.dims)
    }

    /// Its scales, as `[G,N]`.
    pub(crate) fn scales(&self, layer: &Layer) -> anyhow::Result<Lying> {
        let element_type = self.info(layer.scales).element_type();
        self.scheme.method.scales(element_type, [layer.groups, layer.dims[1]])
    }

    /// The modules that have a matrix and are not quantised, by their names, sorted; the head, if it has none of its own.
    pub(crate) fn unquantised(&self) -> Vec<String> {
        let arrays = self.file.arrays().iter();
        let matrices = arrays.filter(|info| info.dims().len() == 2);
        let mut names: Vec<String> = matrices
            .filter_map(|info| Some(info.name().strip_suffix(".weight")?.to_owned()))
            .collect();
        if !self.layers.iter().any(|layer| layer.name == HEAD) && !names.iter().any(|n| n == HEAD) {
            names.push(HEAD.to_owned());
        }
        names.sort();
        names
    }
}

/// Where a language model's words come from.
const HEAD: &str = "lm_head";

impl Layer {
    fn read(
        (file, look): (&ArrayFile, Look<'_>),
        scheme: &Scheme,
        name: &str,
        numbers: &HashMap<&str, usize>,
    ) -> anyhow::Result<Self> {
        let Scheme { method, bits, .. } = *scheme;
        let parts = method.parts();
        let find = |part: &str| numbers.get(format!("{name}.{part}").as_str()).copied();
        let found = |part: &str| find(part).with_context(|| format!("it has no `{part}`"));
        let info = |array: usize| &file.arrays()[array];
        let (codes, scales) = (found(parts.codes)?, found(parts.scales)?);
        let zeros = parts.zeros.and_then(find);
        if zeros.is_none() && !matches!(method, Method::Marlin | Method::CompressedTensors) {
            bail!("it has no `{}`", parts.zeros.unwrap_or_default());
        }
        let shape = parts.shape.and_then(find);
        let is_read = |array: &usize| match look {
            Look::All => true,
            Look::Shard(shard) => info(*array).shard() == shard,
            Look::Told(_) => false,
        };
        let inputs = match look {
            Look::Told(facts) => facts.inputs.get(name).map(|&k| [info(codes).dims()[0], k]),
            _ => {
                let read = shape.filter(is_read);
                read.map(|shape| tables::read_shape(file, shape)).transpose()?
            }
        };
        let stored = info(codes).dims();
        let dims = method.dims_of(bits, stored, inputs.map(|[_, k]| k))?;
        if let Some([n, k]) = inputs
            && [k, n] != dims
        {
            bail!("its shape is [{n},{k}], and its codes are {stored:?}");
        }
        let [groups, _] = match *info(scales).dims() {
            [n, groups] if method == Method::CompressedTensors => [groups, n],
            [groups, n] => [groups, n],
            ref other => bail!("its scales are {other:?}, and no matrix"),
        };
        let expected = tables::n_groups(dims[0], scheme.group_size);
        if groups != expected {
            bail!(
                "{} rows in groups of {} are {expected} groups, and it has scales of {groups}",
                dims[0],
                scheme.group_size.unwrap_or(dims[0])
            );
        }
        let group_index = parts.groups.and_then(find);
        let mut layer = Layer {
            name: name.to_owned(),
            dims,
            groups,
            codes,
            scales,
            zeros,
            group_index,
            shape,
            is_symmetric: true,
            is_reordered: false,
        };
        check(info(codes), &method.codes(bits, dims)?)?;
        check(info(scales), &method.scales(info(scales).element_type(), [groups, dims[1]])?)?;
        if let Some(zeros) = zeros {
            check(info(zeros), &method.zeros(bits, [groups, dims[1]])?)?;
            layer.is_symmetric = match look {
                Look::Told(facts) => !facts.with_zeros.contains(name),
                _ if is_read(&zeros) => {
                    let zeros = tables::zeros(file, scheme, &layer.zeros_of())?;
                    zeros.iter().all(|&zero| u32::from(zero) == 1 << (bits - 1))
                }
                _ => true,
            };
        }
        if let Some(index) = group_index {
            if (info(index).element_type(), info(index).dims()) != (ElementType::S32, &dims[..1]) {
                bail!("`{}` is no row of {} numbers of 32 bits", info(index).name(), dims[0]);
            }
            layer.is_reordered = match look {
                Look::Told(facts) => facts.reordered.contains(name),
                _ if is_read(&index) => tables::is_reordered(file, index, scheme.group_size)?,
                _ => false,
            };
        }
        Ok(layer)
    }

    /// Where its zero points are.
    pub(crate) fn zeros_of(&self) -> ZerosOf {
        ZerosOf { dims: [self.groups, self.dims[1]], array: self.zeros }
    }

    /// The name of a part.
    pub(crate) fn part(&self, part: &str) -> String {
        format!("{}.{part}", self.name)
    }
}

/// Whether what is there is what the method stores.
fn check(info: &ArrayInfo, lying: &Lying) -> anyhow::Result<()> {
    let (kind, dims) = match lying.array().named().map(NamedArray::carrier) {
        Some(carrier) => (carrier.element_type, carrier.dims.clone()),
        None => (lying.element_type(), lying.array().dims()?),
    };
    if (info.element_type(), info.dims()) != (kind, &dims[..]) {
        bail!(
            "`{}` is {} of dims {:?}, where {} would be {kind} of dims {dims:?}",
            abridged(info.name()),
            info.element_type(),
            info.dims(),
            lying.array()
        );
    }
    Ok(())
}
