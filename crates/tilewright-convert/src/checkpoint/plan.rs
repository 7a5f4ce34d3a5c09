//! What becomes of each array of a quantised model.

use anyhow::{Context, bail};
use tilewright::notation::DescribedArray;
use tilewright::text::abridged;
use tilewright::{ArrayShape, ElementType};
use tilewright_files::{ArrayInfo, ArraySpec, Companions, Format};

use super::config::{Said, Scheme, rewritten};
use super::layer::{Checkpoint, Layer};
use super::method::{Method, Parts};
use super::tables::{Made, What};
use crate::job::{Job, kept};
use crate::lying::Lying;
use crate::ways::Ways;

/// The arrays of the output, moved and made, and what stands beside them.
pub(crate) struct Planned {
    pub(crate) jobs: Vec<Job>,
    pub(crate) made: Vec<Made>,
    pub(crate) companions: Companions,
}

/// A checkpoint as one of another method.
///
/// # Errors
///
/// The other has no place for what this one holds; the message names the layer.
pub(crate) fn plan(checkpoint: &Checkpoint<'_>, method: Method) -> anyhow::Result<Planned> {
    let layers = &checkpoint.layers;
    let is_symmetric = layers.iter().all(|layer| layer.is_symmetric);
    let is_reordered = layers.iter().any(|layer| layer.is_reordered);
    let scheme = Scheme { method, is_reordered, ..checkpoint.scheme.clone() };
    check_target(checkpoint, &scheme)?;
    let mut planner =
        Planner { checkpoint, scheme: &scheme, is_symmetric, ways: Ways::default(), next: 0 };
    let (mut jobs, mut made) = (Vec::new(), Vec::new());
    for array in 0..checkpoint.file.arrays().len() {
        let layer = checkpoint.layer_of[array].map(|number| &layers[number]);
        match layer {
            None => jobs.push(planner.kept(array)?),
            // The parts of a layer come where its codes are.
            Some(layer) if layer.codes == array => {
                let about = || format!("layer `{}`", abridged(&layer.name));
                let (moved, others) = planner.layer(layer).with_context(about)?;
                jobs.extend(moved);
                made.extend(others);
            }
            Some(_) => continue,
        }
    }
    let unquantised = checkpoint.unquantised();
    let said = Said { scheme: &scheme, is_symmetric, unquantised: &unquantised };
    let mut companions = Companions::of(checkpoint.file)?;
    for (name, text) in rewritten(companions.folder(), &said)? {
        companions = match text {
            Some(text) => companions.write(name, text),
            None => companions.leave(name),
        };
    }
    Ok(Planned { jobs, made, companions })
}

/// Refuses what the target has no place for.
fn check_target(checkpoint: &Checkpoint<'_>, to: &Scheme) -> anyhow::Result<()> {
    let name = to.method.name();
    let layer = |is_so: fn(&Layer) -> bool| checkpoint.layers.iter().find(|layer| is_so(layer));
    if let (4, _) | (_, Method::Gptq | Method::GptqV2 | Method::CompressedTensors) =
        (to.bits, to.method)
    {
    } else {
        bail!("{name} has codes of 4 bits, and these have {}", to.bits);
    }
    if let (Some(layer), None) = (layer(|layer| layer.is_reordered), to.method.parts().groups) {
        bail!(
            "layer `{}`: its rows are in the order of another grouping (g_idx), which {name} cannot say",
            abridged(&layer.name)
        );
    }
    if to.method == Method::Marlin {
        if let Some(layer) = layer(|layer| !layer.is_symmetric) {
            bail!("layer `{}`: it has zero points, which {name} has not", abridged(&layer.name));
        }
        if let Some(size) = to.group_size.filter(|&size| size != 128) {
            bail!("{name} has groups of 128 rows or of all of them, and these are of {size}");
        }
    }
    Ok(())
}

struct Planner<'a> {
    checkpoint: &'a Checkpoint<'a>,
    scheme: &'a Scheme,
    is_symmetric: bool,
    ways: Ways,
    /// The number of the next array of the output.
    next: usize,
}

impl Planner<'_> {
    fn number(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// An array that is a part of no layer.
    fn kept(&mut self, array: usize) -> anyhow::Result<Job> {
        let info = self.checkpoint.info(array);
        let from = self.checkpoint.file.described(array)?;
        let to = kept(info, &from, FORMAT);
        let arrays = [from, to];
        let lie = || Ok([Lying::of(arrays[0].clone())?, Lying::of(arrays[1].clone())?]);
        let way = self.ways.between(&arrays, None, lie)?;
        Job::new([array, self.number()], info, info.name().to_owned(), &arrays[1], way, FORMAT)
    }

    fn layer(&mut self, layer: &Layer) -> anyhow::Result<(Vec<Job>, Vec<Made>)> {
        let (checkpoint, method) = (self.checkpoint, self.scheme.method);
        let Parts { codes, scales, groups, shape, .. } = method.parts();
        let mut made = Vec::new();
        let mut jobs = Vec::new();
        if let Some(part) = groups.filter(|_| layer.is_reordered || method.says_groups()) {
            match layer.group_index {
                Some(array) => jobs.push(self.renamed(array, layer.part(part))?),
                None => made.push(self.groups(layer, part)?),
            }
        }
        let to = method.codes(self.scheme.bits, layer.dims)?;
        jobs.push(self.moved(layer.codes, layer.part(codes), [checkpoint.codes(layer)?, to])?);
        if let Some(part) = method.parts().zeros.filter(|_| self.stores_zeros()) {
            made.push(self.zeros(layer, part)?);
        }
        let kind = checkpoint.info(layer.scales).element_type();
        let to = method.scales(kind, [layer.groups, layer.dims[1]])?;
        jobs.push(self.moved(layer.scales, layer.part(scales), [checkpoint.scales(layer)?, to])?);
        if let Some(part) = shape {
            let [k, n] = layer.dims;
            let spec = ArraySpec::new(layer.part(part), ElementType::S64, [2]);
            let text = "s64[2]".to_owned();
            made.push(self.made(layer, part, spec, text, 16, What::Shape([n, k])));
        }
        Ok((jobs, made))
    }

    /// compressed-tensors leaves out zero points that are all the middle; the others always have theirs.
    fn stores_zeros(&self) -> bool {
        !(self.scheme.method == Method::CompressedTensors && self.is_symmetric)
    }

    fn moved(&mut self, array: usize, name: String, lying: [Lying; 2]) -> anyhow::Result<Job> {
        let info = self.checkpoint.info(array);
        let arrays = lying.each_ref().map(|lying| lying.array().clone());
        let way = self.ways.between(&arrays, None, || Ok(lying))?;
        Job::new([array, self.number()], info, name, &arrays[1], way, FORMAT)
    }

    /// An array that stays as it is under another name.
    fn renamed(&mut self, array: usize, name: String) -> anyhow::Result<Job> {
        let info = self.checkpoint.info(array);
        let array_of = DescribedArray::from(ArrayShape::new(info.element_type(), info.dims())?);
        self.moved(array, name, [Lying::of(array_of.clone())?, Lying::of(array_of)?])
    }

    fn zeros(&mut self, layer: &Layer, part: &str) -> anyhow::Result<Made> {
        let dims = [layer.groups, layer.dims[1]];
        let lying = self.scheme.method.zeros(self.scheme.bits, dims)?;
        let spec = ArraySpec::of(layer.part(part), lying.array(), "0", FORMAT)?;
        let from = self.checkpoint.scheme.clone();
        let what = What::Zeros { from, to: self.scheme.method, layer: layer.zeros_of() };
        Ok(self.made(layer, part, spec, lying.array().to_string(), lying.bytes()?, what))
    }

    fn groups(&mut self, layer: &Layer, part: &str) -> anyhow::Result<Made> {
        let rows = layer.dims[0];
        let spec = ArraySpec::new(layer.part(part), ElementType::S32, [rows]);
        let what = What::Groups { rows, group_size: self.scheme.group_size };
        let bytes = u64::try_from(rows)?.saturating_mul(4);
        Ok(self.made(layer, part, spec, format!("s32[{rows}]"), bytes, what))
    }

    fn made(
        &mut self,
        layer: &Layer,
        part: &str,
        spec: ArraySpec,
        to: String,
        bytes_out: u64,
        what: What,
    ) -> Made {
        let of_codes = self.checkpoint.info(layer.codes);
        let source = match &what {
            What::Zeros { layer, .. } => layer.array.map(|array| self.checkpoint.info(array)),
            _ => None,
        };
        let from = source.map_or("-".to_owned(), |info| format!("{}", info.element_type()));
        let bytes_in = source.map_or(0, ArrayInfo::byte_len);
        let (target, name) = (self.number(), layer.part(part));
        Made {
            target,
            name,
            spec: spec.shard(of_codes.shard()),
            from,
            to,
            bytes_in,
            bytes_out,
            what,
        }
    }
}

/// What a checkpoint is written as.
const FORMAT: Format = Format::SafetensorsFolder;
