//! The files that are read, and a folder with them in it.

use std::fs;
use std::path::Path;

/// What is in the folder before any command has run.
pub(crate) const INPUTS: &[&str] = &["in.npy", "model", "awq", "in.gguf", "in.hlo", "old.hlo"];

/// Makes the folder anew, with the inputs in it.
pub(crate) fn lay_out(folder: &Path, root: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    for inside in ["model", "awq"] {
        fs::create_dir_all(folder.join(inside)).map_err(failed)?;
    }
    let put = |name: &str, bytes: Vec<u8>| fs::write(folder.join(name), bytes).map_err(failed);
    put("in.npy", npy())?;
    put("model/a.safetensors", safetensors(&[("w", "F32", &[6, 10], elements())]))?;
    put("model/b.safetensors", safetensors(&[("v", "F32", &[6, 10], elements())]))?;
    put("model/model.safetensors.index.json", INDEX.into())?;
    put("model/tokenizer.json", b"{}".into())?;
    put("awq/model.safetensors", awq())?;
    put("awq/config.json", CONFIG.into())?;
    let data = |path: &str| {
        let path = root.join("crates").join(path);
        fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    put("in.gguf", data("tilewright/tests/data/gguf-mixed.gguf")?)?;
    put("in.hlo", data("tilewright-hlo/tests/data/embedding.hlo")?)?;
    put("old.hlo", data("tilewright-hlo/tests/data/convolution.hlo")?)
}

const INDEX: &str = "{\"weight_map\":{\"w\":\"a.safetensors\",\"v\":\"b.safetensors\"}}";

/// The numbers that are converted: `f32[6,10]` of 0, 1, 2, …
fn elements() -> Vec<u8> {
    (0..60u16).flat_map(|number| f32::from(number).to_le_bytes()).collect()
}

pub(crate) fn npy() -> Vec<u8> {
    npy_of(&elements(), "6, 10")
}

/// Numbers of 32 bits as a file of these dims.
pub(crate) fn npy_of(elements: &[u8], dims: &str) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({dims}), }}");
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), elements].concat()
}

/// A name, a type, dims, and the bytes.
type Tensor<'a> = (&'a str, &'a str, &'a [usize], Vec<u8>);

fn safetensors(tensors: &[Tensor<'_>]) -> Vec<u8> {
    let (mut members, mut data) = (Vec::new(), Vec::new());
    for (name, dtype, dims, bytes) in tensors {
        let begin = data.len();
        data.extend(bytes);
        let end = data.len();
        members.push(format!(
            "\"{name}\":{{\"dtype\":\"{dtype}\",\"shape\":{dims:?},\"data_offsets\":[{begin},{end}]}}"
        ));
    }
    let header = format!("{{{}}}", members.join(","));
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat()
}

const CONFIG: &str = "{\"model_type\":\"llama\",\"quantization_config\":{\"quant_method\":\"awq\",\
                      \"bits\":4,\"group_size\":128,\"version\":\"gemm\",\"zero_point\":false}}";

/// One layer of 256 inputs and 64 outputs as AWQ stores it: a scale for 128 rows, zero points of 8.
fn awq() -> Vec<u8> {
    let [k, n, groups] = [256, 64, 2];
    let codes = (0..k * n / 2).map(|byte| (byte * 37 + byte / 251) as u8).collect();
    let scales = (0..groups * n).flat_map(|at| (0x3800u16 + at as u16).to_le_bytes()).collect();
    safetensors(&[
        ("l.qweight", "I32", &[k, n / 8], codes),
        ("l.qzeros", "I32", &[groups, n / 8], vec![0x88; groups * n / 2]),
        ("l.scales", "F16", &[groups, n], scales),
    ])
}

/// Copies a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let there = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &there)?,
            false => fs::copy(entry.path(), there).map(drop)?,
        }
    }
    Ok(())
}
