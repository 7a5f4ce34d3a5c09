//! Seeds, made of the frozen data of the workspace's tests: nothing of them is stored twice.

use std::fs;
use std::path::{Path, PathBuf};

use tilewright::ElementType;

use crate::mutate::Random;

/// Files beyond this are cut: libFuzzer mutates short inputs best, and takes them fastest.
const MOST_BYTES: usize = 24 << 10;

/// Where drawn layouts come from: bytes without a pattern, so many of them.
const N_DRAWN: usize = 200;

fn tree() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    let path = tree().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The columns of every row of a table of the core's tests but its first, at most `most` of them.
fn table(name: &str, most: usize) -> Vec<Vec<String>> {
    let text = read(&format!("tilewright/tests/data/{name}"));
    let rows: Vec<&str> = text.lines().skip(1).collect();
    let step = rows.len().div_ceil(most).max(1);
    let columns = |row: &&str| row.split('\t').map(str::to_owned).collect();
    rows.iter().step_by(step).map(columns).collect()
}

fn first_columns(name: &str, most: usize) -> Vec<String> {
    table(name, most).into_iter().map(|row| row[0].clone()).collect()
}

/// The seeds of a target: real inputs where there are some.
///
/// # Panics
/// If the workspace's data is not there.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let texts = |texts: Vec<String>| texts.into_iter().map(String::into_bytes).collect();
    match target {
        "xla_text" => texts(xla_texts()),
        "tla_text" => texts(tla_texts()),
        "algebra" => texts(expressions()),
        "onednn_tag" => texts(onednn_texts()),
        "numpy_strides" => texts(first_columns("numpy-strides.tsv", 600)),
        "named_layout" => texts(named_texts()),
        "literal" => texts(literals()),
        "xla_proto" => protos(),
        "hlo_text" => programs(),
        "memory_report" => reports(),
        "npy" => npy_files(),
        "safetensors" => safetensors_files(),
        "index_json" => texts(indexes()),
        "gguf" => gguf_files(),
        "layout_record" => texts(records()),
        "zarr" => texts(zarr_texts()),
        "checkpoint_config" => texts(configurations()),
        "questions" => texts(asked()),
        _ => drawn(target),
    }
}

/// Inputs that once failed, kept beside the targets.
///
/// # Panics
/// If a file cannot be read.
pub fn kept(target: &str) -> Vec<Vec<u8>> {
    let folder = tree().join("../fuzz/seeds").join(target);
    let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    paths.sort_unstable();
    paths.iter().map(|path| fs::read(path).unwrap_or_else(|error| panic!("{error}"))).collect()
}

fn xla_texts() -> Vec<String> {
    let mut all = first_columns("xla-text.tsv", 1000);
    all.extend(first_columns("xla-mutated.tsv", 1000));
    all.extend(first_columns("xla-validate.tsv", 300));
    all.extend(table("tpu-layouts.tsv", 300).into_iter().map(|row| row[1].clone()));
    all
}

fn tla_texts() -> Vec<String> {
    let golden = read("tilewright/tests/data/tla-golden.txt");
    let layouts = golden.lines().flat_map(|line| line.split(' ').filter(|word| word.contains(':')));
    let mut all: Vec<String> = layouts.map(str::to_owned).collect();
    all.extend(table("analysis-tensor-layouts.tsv", 300).into_iter().map(|row| row[1].clone()));
    let written =
        ["Sw<3,4,3> o 0 o (8,64):(64,1)", "(2,(3,_)):(1@0,(_2,4))", "zN", "b8 zN", "((2,2),8)"];
    all.extend(written.map(str::to_owned));
    all
}

fn expressions() -> Vec<String> {
    let mut all = Vec::new();
    for file in ["cute-pycute.tsv", "cute-tensor-layouts.tsv"] {
        for row in table(file, 400) {
            let comma = if row[2].is_empty() { "" } else { ", " };
            all.push(format!("{}({}{comma}{})", row[0], row[1], row[2]));
        }
    }
    // What each operation is called with, as its usage says.
    let usages = tilewright_calc::usages();
    all.extend(
        usages.iter().map(|usage| {
            usage.replace(['A', 'B', 'L', 'T'], "(4,8):(8,1)").replace(['n', 'N'], "4")
        }),
    );
    all.push("composition(composition(8:2, 4:1), complement(2:1, 8))".to_owned());
    all
}

fn onednn_texts() -> Vec<String> {
    let mut all: Vec<String> =
        table("onednn.tsv", 800).into_iter().filter_map(|row| row.get(1).cloned()).collect();
    let arrays = [
        "f32:aBcd16b:2x20x3x4",
        "f32[2,20,3,4]:nChw16c",
        "s8::blocked:AB16b64a4b::f0:32x64",
        "f32[2,20] aB16b",
    ];
    all.extend(arrays.map(str::to_owned));
    all
}

fn named_texts() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for entry in tilewright::formats::catalogue::entries() {
        all.push(entry.example.to_owned());
        all.extend(entry.spellings());
    }
    for file in ["catalogue-packers.tsv", "catalogue-cutlass.tsv", "catalogue-llamacpp.tsv"] {
        all.extend(first_columns(file, 100));
    }
    all.extend(first_columns("xla-text.tsv", 60));
    all.extend(first_columns("numpy-strides.tsv", 60));
    all.extend(tla_texts().into_iter().step_by(8));
    all
}

/// Values, each behind the type that it is to be of.
fn literals() -> Vec<String> {
    let values = [
        "0", "1", "-1", "255", "0x7f", "0xffff", "1e6", "-3.5", "6", "1e-40", "inf", "-inf", "nan",
        "lowest", "highest", "true", "false", "1+2j", "-3e-5j", "(1-2j)",
    ];
    let types = ElementType::ALL.iter();
    types.flat_map(|of| values.map(|value| format!("{of} {value}"))).collect()
}

fn protos() -> Vec<Vec<u8>> {
    let bytes = |row: Vec<String>| {
        let digits = row[1].as_bytes().chunks(2);
        digits.map(|pair| number(pair).unwrap_or(0)).collect()
    };
    table("xla-proto.tsv", 700).into_iter().map(bytes).collect()
}

fn number(hex: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
}

/// Files of HLO, those that are short.
fn programs() -> Vec<Vec<u8>> {
    let mut all = vec![
        b"HloModule m, is_scheduled=true\nENTRY e {\n  p = f32[64,256]{0,1:T(8,128)} parameter(0)\n  c = f32[64,256]{1,0:T(8,128)} copy(p)\n  ROOT n = f32[64,256]{1,0:T(8,128)} negate(c)\n}\n".to_vec(),
        b"HloModule l, is_scheduled=true\n%cond (t: x) -> pred[] {\n  %t = (f32[2], s32[]) parameter(0)\n  %i = s32[] get-tuple-element(%t), index=1\n  %n = s32[] constant(5)\n  ROOT %l = pred[] compare(%i, %n), direction=LT\n}\n%body (t: x) -> x {\n  ROOT %t = (f32[2], s32[]) parameter(0)\n}\nENTRY %e (p: f32[2]) -> f32[2] {\n  %p = f32[2] parameter(0)\n  %z = s32[] constant(0)\n  %w = (f32[2], s32[]) tuple(%p, %z)\n  ROOT %l = (f32[2], s32[]) while(%w), condition=%cond, body=%body\n}\n".to_vec(),
        b"Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm. Exceeded hbm capacity by 25.74G.\n  1. Size: 32.00G\n     Operator: op_type=\"FloorMod\"\n     Shape: s32[8388608,8,4]{2,1,0:T(8,128)}\n     Unpadded size: 1.00G\n     Extra memory due to padding: 31.00G (32.0x expansion)\n     XLA label: %copy.1 = s32[8388608,8,4]{2,1,0:T(8,128)} copy(%p)\n     Allocation type: HLO temp\n     ==========================\n".to_vec(),
    ];
    for folder in ["tilewright-hlo/tests/data", "tilewright-hlo/tests/data/memory"] {
        for path in files_of(folder, "hlo") {
            let text = fs::read(&path).unwrap_or_else(|error| panic!("{error}"));
            if text.len() <= MOST_BYTES {
                all.push(text);
            }
        }
    }
    all
}

fn files_of(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = tree().join(folder);
    let files = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|own| own == extension));
    paths.sort_unstable();
    paths
}

/// The compiler's reports, cut: some lines of each, beside the module's beginning.
fn reports() -> Vec<Vec<u8>> {
    let mut all = programs();
    all.retain(|text| text.len() < 6000);
    all.push(b"HloModule m, is_scheduled=true\nENTRY e {\n  ROOT p = f32[9,129]{1,0:T(8,128)} parameter(0)\n}\n\n%%\nMemory Space: default (color=0)\nTotal bytes: 32768 (32.0KiB)\n".to_vec());
    for name in ["decoder-scan", "mesh-2x2"] {
        let part = |kind: &str, most: usize| {
            let path =
                format!("tilewright-hlo/tests/data/memory/{name}/after_optimizations-{kind}.txt");
            let text = read(&path);
            text.lines().take(most).collect::<Vec<_>>().join("\n")
        };
        for most in [20, 60] {
            let parts = ["memory-usage-report", "buffer-assignment", "live-range"]
                .map(|kind| part(kind, most));
            all.push(format!("HloModule m\n\n%%\n{}", parts.join("\n%%\n")).into_bytes());
        }
    }
    let names = [
        "module_0001.jit_f.before_optimizations.txt",
        "module_0001.jit_f.after_optimizations.txt",
        "module_0001.jit_f.after_optimizations-buffer-assignment.txt",
    ];
    all.push(names.join("\n").into_bytes());
    all
}

/// The bytes that numpy has saved.
fn npy_files() -> Vec<Vec<u8>> {
    let text = read("tilewright-files/tests/data/npy.txt");
    let bytes = |line: &str| -> Option<Vec<u8>> {
        line.split_whitespace().last()?.as_bytes().chunks(2).map(number).collect()
    };
    text.lines().filter_map(bytes).filter(|bytes| bytes.starts_with(b"\x93NUMPY")).collect()
}

fn safetensors_of(header: &str, n_bytes: usize) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &vec![7; n_bytes]].concat()
}

fn safetensors_files() -> Vec<Vec<u8>> {
    let record = serde_json::Value::from(records()[0].as_str());
    vec![
        safetensors_of("{}", 0),
        safetensors_of(r#"{"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}"#, 24),
        safetensors_of(
            r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},"b":{"dtype":"F4","shape":[4],"data_offsets":[2,4]},"c":{"dtype":"I64","shape":[0,3],"data_offsets":[4,4]}}   "#,
            4,
        ),
        safetensors_of(
            &format!(
                r#"{{"__metadata__":{{"tilewright":{record}}},"w":{{"dtype":"U8","shape":[96],"data_offsets":[0,96]}}}}"#
            ),
            96,
        ),
    ]
}

fn indexes() -> Vec<String> {
    let shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
    let [one, two] = shards;
    vec![
        format!(
            r#"{{"metadata":{{"total_size":5}},"weight_map":{{"a":"{one}","b":"{one}","c":"{two}"}}}}"#
        ),
        format!(r#"{{"weight_map":{{"a":"{one}","b":"{one}"}}}}"#),
        format!(r#"{{"weight_map":{{"a":"../{one}"}}}}"#),
        r#"{"weight_map":{}}"#.to_owned(),
    ]
}

/// The head of the mixed file with what it says of fewer tensors would be none: so the file as it is, and small ones.
fn gguf_files() -> Vec<Vec<u8>> {
    let path = tree().join("tilewright/tests/data/gguf-mixed.gguf");
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let small = |gguf_type: u32, sizes: &[u64], n_bytes: usize| {
        let mut file = b"GGUF\x03\0\0\0".to_vec();
        file.extend(1u64.to_le_bytes());
        file.extend(2u64.to_le_bytes());
        file.extend(
            [text("general.alignment"), 4u32.to_le_bytes().to_vec(), 32u32.to_le_bytes().to_vec()]
                .concat(),
        );
        file.extend([text("k"), 9u32.to_le_bytes().to_vec(), 8u32.to_le_bytes().to_vec()].concat());
        file.extend([1u64.to_le_bytes().to_vec(), text("v")].concat());
        file.extend([text("w"), (sizes.len() as u32).to_le_bytes().to_vec()].concat());
        sizes.iter().for_each(|size| file.extend(size.to_le_bytes()));
        file.extend(gguf_type.to_le_bytes());
        file.extend(0u64.to_le_bytes());
        file.resize(file.len().next_multiple_of(32) + n_bytes, 5);
        file
    };
    let mut all = vec![
        small(0, &[4, 2], 32),
        small(2, &[32, 2], 36),
        small(14, &[256], 210),
        small(8, &[64], 68),
    ];
    all.extend(fs::read(path));
    all
}

fn records() -> Vec<String> {
    [
        r#"{"version":1,"layouts":{"w":{"layout":"u8[8,10]{1,0:T(2,4)}","pad":"0"}}}"#,
        r#"{"version":1,"layouts":{"w":{"layout":"f32[24]{0:T(4)}","pad":"nan"}}}"#,
        r#"{"version":1,"layouts":{"w":{"layout":"(12,8):(8,1)","pad":"0"}}}"#,
        r#"{"version":1,"layouts":{"w":{"layout":"s4[6]{0}","pad":"lowest"},"v":{"layout":"(4,2):(1,4)","pad":"0x7f"}}}"#,
        r#"{"version":1,"layouts":{"w":{"layout":"u8[96]","pad":"0"}},"array":{"bytes":96,"fingerprint":"0123456789abcdef"}}"#,
        r#"{"version":1,"replacing":{"old":[2049,11],"before":"{\"version\":1,\"layouts\":{\"w\":{\"layout\":\"u8[96]\",\"pad\":\"0\"}}}","new":[2049,12],"after":null,"array":{"bytes":96,"fingerprint":"0123456789abcdef"}}}"#,
        r#"{"version":2,"layouts":{}}"#,
    ]
    .map(str::to_owned)
    .to_vec()
}

fn zarr_texts() -> Vec<String> {
    let mut all: Vec<String> = vec![
        r#"{"zarr_format":3,"node_type":"array","shape":[3,5]}"#.to_owned(),
        r#"{"zarr_format":3,"node_type":"group"}"#.to_owned(),
        "f32[30,300]{1,0:T(8,128)}\n16,256".to_owned(),
        "bf16[64,64]{0,1:T(8,128)(2,1)}\n".to_owned(),
        "u8[3,5]\n2,5".to_owned(),
    ];
    // Elements below a byte are refused, and so are dimensions that are dynamic.
    let whole = ["f32[", "bf16[", "s8[", "u16[", "f64["];
    let arrays = first_columns("libtpu-bytes.tsv", 800).into_iter();
    all.extend(arrays.filter(|text| whole.iter().any(|begin| text.starts_with(begin))));
    all
}

fn configurations() -> Vec<String> {
    let said = [
        r#""quant_method":"gptq","bits":4,"group_size":128,"desc_act":true,"sym":true"#,
        r#""quant_method":"gptq","bits":4,"group_size":8,"checkpoint_format":"gptq_v2""#,
        r#""quant_method":"awq","bits":4,"group_size":8,"version":"gemm","zero_point":true"#,
        r#""quant_method":"compressed-tensors","format":"pack-quantized","config_groups":{"group_0":{"targets":["Linear"],"weights":{"num_bits":4,"type":"int","symmetric":true,"group_size":8,"strategy":"group","actorder":null}}},"ignore":["lm_head"]"#,
        r#""quant_method":"marlin","bits":4,"group_size":8"#,
        r#""quant_method":"gptq","w_bit":8,"q_group_size":-1,"dynamic":{}"#,
    ];
    let mut all: Vec<String> = said
        .iter()
        .map(|said| format!(r#"{{"model_type":"llama","quantization_config":{{{said}}}}}"#))
        .collect();
    all.push(r#"{"model_type":"llama"}"#.to_owned());
    all
}

/// What `emit` writes.
const LANGUAGES: [&str; 9] =
    ["c", "cuda", "opencl", "rust", "python", "triton", "mlir", "wgsl", "cute"];

/// Each kind of question about some layouts.
fn asked() -> Vec<String> {
    let layouts = [
        "f32[30,300]{1,0:T(8,128)}",
        "(4,8):(8,1)",
        "s4[16,64]@gptq",
        "Sw<3,0,3> o 0 o (8,8):(8,1)",
        "f32[2,20]:aB16b",
        "u8[3,5] strides=(5,1)",
    ];
    let mut all = Vec::new();
    for layout in layouts {
        for ask in ["show", "draw"] {
            all.push(format!(r#"{{"ask":"{ask}","layout":"{layout}"}}"#));
        }
        all.push(format!(r#"{{"ask":"read","text":"{layout}"}}"#));
        all.push(format!(r#"{{"ask":"complete","text":"{layout}","cursor":4}}"#));
        all.push(format!(r#"{{"ask":"index","layout":"{layout}","index":"1,2"}}"#));
        all.push(format!(r#"{{"ask":"index","layout":"{layout}","inverse":7}}"#));
        all.push(format!(r#"{{"ask":"place","layout":"{layout}","index":[1,2]}}"#));
        all.push(format!(r#"{{"ask":"place","layout":"{layout}","offset":5}}"#));
        for ask in ["same", "bitcast"] {
            all.push(format!(r#"{{"ask":"{ask}","a":"{layout}","b":"{layout}"}}"#));
        }
        for notation in ["tla", "xla", "numpy", "onednn"] {
            all.push(format!(r#"{{"ask":"to","notation":"{notation}","layout":"{layout}"}}"#));
        }
    }
    let shapes = ["f32[30,300]", "bf16[8,16,128]", "s4[64,512]{0,1}"];
    for shape in shapes {
        for ask in ["tpu", "formats"] {
            all.push(format!(r#"{{"ask":"{ask}","shape":"{shape}","chip":"v5e"}}"#));
        }
    }
    // Two layouts of one array: a question about a way between them says both whole.
    let ways = [
        ("f32[30,300]", "f32[30,300]{1,0:T(8,128)}"),
        ("bf16[64,256]{1,0:T(8,128)(2,1)}", "bf16[64,256]{0,1}"),
        ("s4[16,64]", "s4[16,64]@gptq"),
        ("u8[8,8]", "u8 Sw<3,0,3> o 0 o (8,8):(8,1)"),
    ];
    for (from, to) in ways {
        all.push(format!(r#"{{"ask":"plan","from":"{from}","to":"{to}","chunk":4096}}"#));
        all.push(format!(r#"{{"ask":"draw","layout":"{from}","other":"{to}","at":[1,2]}}"#));
        for lang in LANGUAGES {
            for more in [r#""name":"f""#, r#""dynamic":[0]"#] {
                all.push(format!(
                    r#"{{"ask":"emit","lang":"{lang}","layout":"{from}","to":"{to}",{more}}}"#
                ));
            }
            all.push(format!(r#"{{"ask":"emit","lang":"{lang}","layout":"{to}"}}"#));
        }
    }
    all.extend([r#"{"ask":"operations"}"#, r#"{"ask":"layouts"}"#].map(str::to_owned));
    let expressions = expressions().into_iter().step_by(20);
    all.extend(expressions.map(|said| format!(r#"{{"ask":"calc","expression":"{said}"}}"#)));
    let told = "composition((10,2):(16,4), (3,4):(1,5))";
    all.push(format!(r#"{{"ask":"explain","expression":"{told}"}}"#));
    let program = "HloModule m, is_scheduled=true\nENTRY e {\n  p = f32[64,256]{0,1:T(8,128)} parameter(0)\n  \
                   ROOT c = f32[64,256]{1,0:T(8,128)} copy(p)\n}\n";
    let program = serde_json::Value::from(program);
    all.extend(["hlo", "assign"].map(|ask| format!(r#"{{"ask":"{ask}","text":{program}}}"#)));
    all.push(format!("[{},{}]", all[0], all[1]));
    all
}

/// Bytes without a pattern, for targets that draw by them.
fn drawn(target: &str) -> Vec<Vec<u8>> {
    let mut random = Random::new(target.bytes().map(u64::from).sum());
    (0..N_DRAWN)
        .map(|_| (0..48 + random.below(80)).map(|_| random.below(256) as u8).collect())
        .collect()
}
