//! GGUF files made of others: read back, and laid out as `gguf` itself lays them out.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod scratch;

use std::path::PathBuf;

use scratch::Scratch;
use tilewright::formats::Field;
use tilewright::formats::gguf::GgufType;
use tilewright_files::{CreateOptions, Error, GgufFile, GgufSpec, GgufTensor};

/// What Python's `gguf` wrote, of many types and an alignment of 64.
fn mixed() -> PathBuf {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../tilewright/tests/data/gguf-mixed.gguf");
    PathBuf::from(data)
}

fn specs(file: &GgufFile) -> Vec<GgufSpec> {
    file.tensors().iter().map(GgufSpec::from).collect()
}

fn blocks(file: &GgufFile, name: &str) -> Vec<u8> {
    let tensor = file.find(name).unwrap();
    let mut blocks = vec![0; usize::try_from(tensor.byte_len()).unwrap()];
    file.read_tensor(name, &mut blocks).unwrap();
    blocks
}

/// A copy is the file that `gguf` wrote, byte by byte.
#[test]
fn a_copy_is_the_file() {
    let folder = Scratch::new();
    let file = GgufFile::open(mixed()).unwrap();
    let path = folder.path("copy.gguf");
    let mut writer = CreateOptions::new().create_gguf(&path, &file, &specs(&file)).unwrap();
    assert_eq!(writer.tensors().len(), file.tensors().len());
    writer.copy_rest(&file).unwrap();
    assert!(!path.exists());
    writer.finish().unwrap();
    assert_eq!(std::fs::read(path).unwrap(), std::fs::read(mixed()).unwrap());
}

/// All values of every quantised tensor taken out and put back make the same blocks.
#[test]
fn values_there_and_back() {
    let folder = Scratch::new();
    let file = GgufFile::open(mixed()).unwrap();
    let path = folder.path("again.gguf");
    let mut writer = CreateOptions::new().create_gguf(&path, &file, &specs(&file)).unwrap();
    let mut n_types = 0;
    for tensor in file.tensors().iter().filter(|tensor| is_all_values(tensor)) {
        let mut names: Vec<&str> =
            tensor.gguf_type().record().fields().iter().map(Field::value).collect();
        names.sort_unstable();
        names.dedup();
        let values: Vec<Vec<u64>> =
            names.iter().map(|of| file.values(tensor.name(), of).unwrap()).collect();
        let both: Vec<(&str, &[u64])> =
            names.iter().copied().zip(values.iter().map(Vec::as_slice)).collect();
        writer.write_values(tensor.name(), &both).unwrap();
        n_types += 1;
    }
    writer.copy_rest(&file).unwrap();
    writer.finish().unwrap();
    assert!(n_types > 20, "{n_types}");
    assert_eq!(std::fs::read(path).unwrap(), std::fs::read(mixed()).unwrap());
}

fn is_all_values(tensor: &GgufTensor) -> bool {
    tensor.gguf_type().no_codes().is_none()
}

/// The length and the checksum of the file that `gguf` itself made of the same (`xtask/oracle/gguf_rewritten.py`).
fn frozen() -> (String, String) {
    let text = include_str!("../../tilewright/tests/data/gguf-rewritten.tsv");
    let (len, checksum) = text.lines().nth(1).unwrap().split_once('\t').unwrap();
    (len.to_owned(), checksum.to_owned())
}

fn checksum(bytes: &[u8]) -> String {
    let of = |sum: u64, byte: &u8| {
        sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(u64::from(*byte) + 1)
    };
    format!("{:x}", bytes.iter().fold(0, of))
}

/// From Q4_0 to Q4_1 and back: the codes are the same, and `d (c - 8)` is `d c + m` with `m = -8 d`.
#[test]
fn codes_in_another_record() {
    let folder = Scratch::new();
    let file = GgufFile::open(mixed()).unwrap();
    let q4_1 = GgufType::of_name("Q4_1").unwrap();
    let to_other = |tensor: &GgufTensor| match tensor.name() {
        "w.Q4_0" => GgufSpec::new("w.Q4_0", q4_1, tensor.dims()),
        _ => GgufSpec::from(tensor),
    };
    let others: Vec<GgufSpec> = file.tensors().iter().map(to_other).collect();
    let there = folder.path("q4_1.gguf");
    let mut writer = CreateOptions::new().create_gguf(&there, &file, &others).unwrap();
    let [d, codes] = ["d", "codes"].map(|of| file.values("w.Q4_0", of).unwrap());
    // Times -8: the sign, and three more in the exponent of an f16 that is neither 0 nor subnormal.
    let m: Vec<u64> = d.iter().map(|d| (d ^ 0x8000) + (3 << 10)).collect();
    assert!(d.iter().all(|d| (1..28).contains(&(d >> 10 & 31))));
    writer.write_values("w.Q4_0", &[("d", &d), ("m", &m), ("codes", &codes)]).unwrap();
    writer.copy_rest(&file).unwrap();
    writer.finish().unwrap();

    let made = std::fs::read(&there).unwrap();
    assert_eq!((made.len().to_string(), checksum(&made)), frozen());
    let other = GgufFile::open(&there).unwrap();
    assert_eq!(other.metadata(), file.metadata());
    assert_eq!(other.find("w.Q4_0").unwrap().gguf_type(), q4_1);
    assert_eq!(other.codes("w.Q4_0").unwrap(), file.codes("w.Q4_0").unwrap());
    assert_eq!(blocks(&other, "values.Q6_K"), blocks(&file, "values.Q6_K"));

    let back = folder.path("q4_0.gguf");
    let mut writer = CreateOptions::new().create_gguf(&back, &other, &specs(&file)).unwrap();
    let [d, codes] = ["d", "codes"].map(|of| other.values("w.Q4_0", of).unwrap());
    writer.write_values("w.Q4_0", &[("d", &d), ("codes", &codes)]).unwrap();
    writer.copy_rest(&other).unwrap();
    writer.finish().unwrap();
    assert_eq!(std::fs::read(back).unwrap(), std::fs::read(mixed()).unwrap());
}

/// Fewer tensors, in another order, some of them without elements.
#[test]
fn other_tensors() {
    let folder = Scratch::new();
    let file = GgufFile::open(mixed()).unwrap();
    let f32_type = GgufType::of_name("F32").unwrap();
    let path = folder.path("few.gguf");
    let few = [
        GgufSpec::new("none", f32_type, [3, 0]),
        GgufSpec::from(file.find("w.Q6_K").unwrap()),
        GgufSpec::new("one", f32_type, []),
        GgufSpec::from(file.find("w.Q4_0").unwrap()),
    ];
    let mut writer = CreateOptions::new().create_gguf(&path, &file, &few).unwrap();
    writer.write_tensor("one", &1.5f32.to_le_bytes()).unwrap();
    writer.write_tensor("none", &[]).unwrap();
    writer.copy_rest(&file).unwrap();
    writer.finish().unwrap();
    let made = GgufFile::open(&path).unwrap();
    let names: Vec<&str> = made.tensors().iter().map(GgufTensor::name).collect();
    assert_eq!(names, ["none", "w.Q6_K", "one", "w.Q4_0"]);
    assert_eq!((made.alignment(), made.metadata()), (64, file.metadata()));
    assert!(made.tensors().iter().all(|tensor| tensor.file_offset().is_multiple_of(64)));
    assert_eq!(blocks(&made, "w.Q6_K"), blocks(&file, "w.Q6_K"));
    assert_eq!(made.values("one", "codes").unwrap(), [u64::from(1.5f32.to_bits())]);
}

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: Result<T, Error>, fragment: &str) {
    let said = outcome.unwrap_err().to_string();
    assert!(said.contains(fragment) && said.contains("new.gguf"), "{said}");
}

#[test]
fn what_is_refused() {
    let folder = Scratch::new();
    let (file, path) = (GgufFile::open(mixed()).unwrap(), folder.path("new.gguf"));
    let q4_0 = GgufType::of_name("Q4_0").unwrap();
    let begin = |specs: &[GgufSpec]| CreateOptions::new().create_gguf(&path, &file, specs);
    let one = |dims: &[i64]| [GgufSpec::new("w", q4_0, dims)];
    refused(begin(&one(&[33])), "a row of 33 elements does not consist of records of 32");
    refused(begin(&one(&[-1, 32])), "-1");
    refused(begin(&one(&[1, 1, 1, 1, 32])), "the number of dimensions is 5, over the limit of 4");
    refused(begin(&one(&[i64::MAX, i64::MAX / 32 * 32])), "");
    refused(begin(&[one(&[32]), one(&[64])].concat()), "the tensor `w` appears twice");
    refused(begin(&[GgufSpec::new("n".repeat(5000), q4_0, [32])]), "the length of a name");

    let mut writer = begin(&one(&[2, 32])).unwrap();
    refused(writer.write_tensor("v", &[0; 36]), "there is no tensor `v`");
    refused(writer.write_tensor("w", &[0; 35]), "tensor `w` has 36 bytes, not 35");
    refused(
        writer.write_values("w", &[("m", &[0, 0])]),
        "Q4_0 has no field `m`; there are d, codes",
    );
    refused(writer.write_values("w", &[("d", &[0])]), "the blocks have 2 values `d`, not 1");
    refused(
        writer.write_values("w", &[("d", &[0, 1 << 16])]),
        "a value `d` has 16 bits, and 65536",
    );
    refused(writer.copy_rest(&file), "tensor `w` has not been written, and there is none like it");
    refused(writer.finish(), "");
    let mut writer = begin(&one(&[32])).unwrap();
    writer.write_tensor("w", &[0; 18]).unwrap();
    refused(writer.write_tensor("w", &[0; 18]), "");
    drop(writer);
    assert!(!path.exists() && folder.names().is_empty());
}

/// Over the very file that is read: not unasked, and then the one that is open stays as it was.
#[test]
fn in_place() {
    let folder = Scratch::new();
    let path = folder.put("model.gguf", std::fs::read(mixed()).unwrap());
    let file = GgufFile::open(&path).unwrap();
    let first = [GgufSpec::from(file.find("w.Q4_0").unwrap())];
    let error = CreateOptions::new().force().create_gguf(&path, &file, &first).unwrap_err();
    assert!(error.is_same_file(), "{error}");
    let options = CreateOptions::new().in_place();
    let mut writer = options.create_gguf(&path, &file, &first).unwrap();
    writer.copy_rest(&file).unwrap();
    writer.finish().unwrap();
    assert_eq!(GgufFile::open(&path).unwrap().tensors().len(), 1);
    assert_eq!(blocks(&file, "w.Q8_0"), blocks(&GgufFile::open(mixed()).unwrap(), "w.Q8_0"));
}
