//! Models of one quantisation library as another's, against the libraries' packing written again here.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::collections::BTreeMap;

use safetensors::{Dtype, SafeTensors, tensor::TensorView};
use serde_json::{Value, json};
use support::Folder;

const K: usize = 256;
const N: usize = 256;
const GROUP: usize = 128;
const GROUPS: usize = K / GROUP;

/// Inputs, outputs, how many rows share a scale, and the bits of a code.
#[derive(Clone, Copy)]
struct Dims {
    k: usize,
    n: usize,
    group: usize,
    bits: usize,
}

const DIMS: Dims = Dims { k: K, n: N, group: GROUP, bits: 4 };

impl Dims {
    fn groups(self) -> usize {
        self.k / self.group
    }

    /// Codes in a word.
    fn in_word(self) -> usize {
        32 / self.bits
    }

    fn middle(self) -> u8 {
        1 << (self.bits - 1)
    }
}

/// The codes, zero points and scales of a layer, as numbers in row-major order.
struct Layer {
    dims: Dims,
    codes: Vec<u8>,
    zeros: Vec<u8>,
    scales: Vec<u16>,
}

/// Numbers without a pattern.
fn random(seed: u32) -> impl FnMut() -> u32 {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12345);
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 12
    }
}

impl Layer {
    fn new(seed: u32, is_symmetric: bool) -> Self {
        Layer::of(DIMS, seed, is_symmetric)
    }

    fn of(dims: Dims, seed: u32, is_symmetric: bool) -> Self {
        let mut next = random(seed);
        let most = (1 << dims.bits) - 1;
        let codes = (0..dims.k * dims.n).map(|_| (next() & most) as u8).collect();
        let zero =
            |number: u32| if is_symmetric { dims.middle() } else { (1 + number % most) as u8 };
        let zeros = (0..dims.groups() * dims.n).map(|_| zero(next())).collect();
        let half = |drawn: u32| 0x3800 | (drawn & 0x3ff) as u16; // from a half to one
        let scales = (0..dims.groups() * dims.n).map(|_| half(next())).collect();
        Layer { dims, codes, zeros, scales }
    }
}

type Tensors = BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>;

fn bytes_of(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn scale_bytes(scales: impl IntoIterator<Item = u16>) -> Vec<u8> {
    scales.into_iter().flat_map(u16::to_le_bytes).collect()
}

/// Codes in a word, the first the lowest.
fn word(codes: impl IntoIterator<Item = u8>, bits: usize) -> u32 {
    codes.into_iter().enumerate().map(|(place, code)| u32::from(code) << (bits * place)).sum()
}

/// As many rows of each column in a word as fit.
fn along_rows(codes: &[u8], columns: usize, bits: usize) -> Vec<u8> {
    let words = codes.chunks(32 / bits * columns).flat_map(|rows| {
        (0..columns)
            .map(move |column| word((0..32 / bits).map(|row| rows[row * columns + column]), bits))
    });
    bytes_of(words)
}

/// As many columns in a word as fit.
fn in_words(codes: &[u8], bits: usize) -> Vec<u8> {
    bytes_of(codes.chunks(32 / bits).map(|some| word(some.iter().copied(), bits)))
}

/// Eight columns of 4 bits in a word, in an order from the low nibble up.
fn along_columns(codes: &[u8], order: [usize; 8]) -> Vec<u8> {
    bytes_of(codes.chunks(8).map(|eight| word(order.map(|column| eight[column]), 4)))
}

const IN_ORDER: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
const AWQ_ORDER: [usize; 8] = [0, 2, 4, 6, 1, 3, 5, 7];

fn transposed<T: Copy>(matrix: &[T], columns: usize) -> Vec<T> {
    let rows = matrix.len() / columns;
    (0..columns)
        .flat_map(|column| (0..rows).map(move |row| matrix[row * columns + column]))
        .collect()
}

/// A layer as a library stores it: the ends of the names, and what they hold.
fn stored(layer: &Layer, method: &str) -> Tensors {
    let Layer { dims, codes, zeros, scales } = layer;
    let Dims { k, n, group, bits } = *dims;
    let (groups, w) = (dims.groups(), dims.in_word());
    let rows = |scales: &[u16]| (Dtype::F16, vec![groups, n], scale_bytes(scales.iter().copied()));
    let gptq = |less: u8| {
        let zeros: Vec<u8> = zeros.iter().map(|zero| zero - less).collect();
        let of_rows = (0..k).map(|row| (row / group) as u32);
        vec![
            ("qweight", (Dtype::I32, vec![k / w, n], along_rows(codes, n, bits))),
            ("qzeros", (Dtype::I32, vec![groups, n / w], in_words(&zeros, bits))),
            ("scales", rows(scales)),
            ("g_idx", (Dtype::I32, vec![k], bytes_of(of_rows))),
        ]
    };
    let parts = match method {
        "gptq" => gptq(1),
        "gptq-v2" => gptq(0),
        "awq" => vec![
            ("qweight", (Dtype::I32, vec![k, n / 8], along_columns(codes, AWQ_ORDER))),
            ("qzeros", (Dtype::I32, vec![groups, n / 8], along_columns(zeros, AWQ_ORDER))),
            ("scales", rows(scales)),
        ],
        "marlin" => vec![
            ("B", (Dtype::I32, vec![k / 16, 2 * n], marlin(codes, *dims))),
            ("s", rows(&marlin_scales(scales, groups))),
        ],
        "compressed-tensors" => {
            let in_columns = scale_bytes(transposed(scales, n));
            let packed = in_words(&transposed(codes, n), bits);
            let extents = [n, k].into_iter().flat_map(|extent| (extent as i64).to_le_bytes());
            let mut parts = vec![
                ("weight_packed", (Dtype::I32, vec![n, k / w], packed)),
                ("weight_scale", (Dtype::F16, vec![n, groups], in_columns)),
                ("weight_shape", (Dtype::I64, vec![2], extents.collect())),
            ];
            if zeros.iter().any(|zero| *zero != dims.middle()) {
                let packed = along_rows(&transposed(zeros, n), groups, bits);
                parts.push(("weight_zero_point", (Dtype::I32, vec![n / w, groups], packed)));
            }
            parts
        }
        other => panic!("{other}"),
    };
    parts.into_iter().map(|(name, tensor)| (name.to_owned(), tensor)).collect()
}

/// Marlin's own packing: tiles of 16 by 16, permuted as the fragments of a tensor core are, then nibbles.
fn marlin(codes: &[u8], Dims { k, n, .. }: Dims) -> Vec<u8> {
    let mut order = Vec::new();
    for lane in 0..32 {
        let column = lane / 4;
        let mut of_lane = Vec::new();
        for block in [0, 1] {
            let first = 2 * (lane % 4);
            for row in [first, first + 1, first + 8, first + 9] {
                of_lane.push(16 * row + column + 8 * block);
            }
        }
        (0..4).for_each(|tile| order.extend(of_lane.iter().map(|place| place + 256 * tile)));
    }
    let interleaved = order.chunks(8).flat_map(|eight| AWQ_ORDER.map(|place| eight[place]));
    let order: Vec<usize> = interleaved.collect();
    let mut tiles = Vec::new();
    for row in (0..k).step_by(16) {
        for column in (0..n).step_by(16) {
            for within in 0..16 {
                let start = (row + within) * n + column;
                tiles.extend_from_slice(&codes[start..start + 16]);
            }
        }
    }
    let permuted: Vec<u8> =
        tiles.chunks(order.len()).flat_map(|part| order.iter().map(|&place| part[place])).collect();
    along_columns(&permuted, IN_ORDER)
}

/// The scales of groups of rows, and those of all rows, which have an order of their own.
fn marlin_scales(scales: &[u16], groups: usize) -> Vec<u16> {
    let grouped = (0..8).flat_map(|i| (0..8).map(move |j| i + 8 * j));
    let of_one = [0, 1, 8, 9, 16, 17, 24, 25];
    let single = (0..4).flat_map(|i| of_one.map(|j| 2 * i + j));
    let order: Vec<usize> = if groups > 1 { grouped.collect() } else { single.collect() };
    let parts = scales.chunks(order.len());
    parts.flat_map(|part| order.iter().map(|&place| part[place])).collect()
}

const LAYERS: [&str; 2] = ["model.layers.0.mlp.up_proj", "model.layers.1.self_attn.q_proj"];

/// A model of two layers, of two shards, with what is not quantised.
fn model(layers: &[Layer; 2], method: &str) -> [Tensors; 2] {
    let mut shards = [Tensors::new(), Tensors::new()];
    for ((shard, name), layer) in shards.iter_mut().zip(LAYERS).zip(layers) {
        for (part, tensor) in stored(layer, method) {
            shard.insert(format!("{name}.{part}"), tensor);
        }
        shard.insert(format!("{name}.bias"), (Dtype::F16, vec![8], vec![7; 16]));
    }
    let words = (Dtype::BF16, vec![10, 4], (0..80).collect());
    shards[0].insert("model.embed_tokens.weight".to_owned(), words.clone());
    shards[1].insert("lm_head.weight".to_owned(), words.clone());
    shards[1].insert("model.layers.1.mlp.gate.weight".to_owned(), words);
    shards[1].insert("model.norm.weight".to_owned(), (Dtype::F32, vec![2], vec![1; 8]));
    shards
}

const SHARDS: [&str; 2] = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];

fn write(folder: &Folder, name: &str, shards: &[Tensors; 2], quantisation: &Value) {
    std::fs::create_dir_all(folder.path(name)).unwrap();
    let mut map = serde_json::Map::new();
    for (file, tensors) in SHARDS.iter().zip(shards) {
        let views = tensors.iter().map(|(name, (dtype, shape, bytes))| {
            map.insert(name.clone(), (*file).into());
            (name, TensorView::new(*dtype, shape.clone(), bytes).unwrap())
        });
        let bytes = safetensors::serialize(views, None).unwrap();
        folder.write(&format!("{name}/{file}"), &bytes);
    }
    let index = json!({"metadata": {}, "weight_map": map}).to_string();
    folder.write(&format!("{name}/model.safetensors.index.json"), index.as_bytes());
    let config = format!(
        "{{\n  \"hidden_size\": 256, \"eps\": 1e-05,\n  \"quantization_config\": {quantisation},\n  \"zz\": [1,2]\n}}\n"
    );
    folder.write(&format!("{name}/config.json"), config.as_bytes());
    folder.write(&format!("{name}/tokenizer.json"), b"{}");
}

fn read(folder: &Folder, name: &str) -> [Tensors; 2] {
    SHARDS.map(|file| {
        let bytes = folder.read(&format!("{name}/{file}"));
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        let tensor = |(name, view): (String, TensorView<'_>)| {
            (name, (view.dtype(), view.shape().to_vec(), view.data().to_vec()))
        };
        tensors.tensors().into_iter().map(tensor).collect()
    })
}

fn config(folder: &Folder, name: &str) -> Value {
    serde_json::from_slice(&folder.read(&format!("{name}/config.json"))).unwrap()
}

fn gptq_config() -> Value {
    json!({"quant_method": "gptq", "bits": 4, "group_size": GROUP, "desc_act": false, "sym": false})
}

#[track_caller]
fn same(found: &[Tensors; 2], expected: &[Tensors; 2]) {
    for (found, expected) in found.iter().zip(expected) {
        let names = |tensors: &Tensors| tensors.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(found), names(expected));
        for (name, (dtype, shape, bytes)) in expected {
            let (other, dims, data) = &found[name];
            assert_eq!((other, dims), (dtype, shape), "{name}");
            assert!(data == bytes, "{name}");
        }
    }
}

/// From each library to each, against what the library itself would pack, names and shards included.
#[test]
fn from_every_library_to_every_other() {
    for is_symmetric in [false, true] {
        let folder = Folder::new();
        let layers = [Layer::new(1, is_symmetric), Layer::new(2, is_symmetric)];
        write(&folder, "gptq", &model(&layers, "gptq"), &gptq_config());
        let mut methods = vec!["gptq", "gptq-v2", "awq", "compressed-tensors"];
        if is_symmetric {
            methods.push("marlin");
        }
        for to in &methods[1..] {
            folder.run(&["convert", "gptq", "-o", to, "--to", to]).succeeded();
            same(&read(&folder, to), &model(&layers, to));
        }
        for from in &methods[1..] {
            for to in methods.iter().filter(|to| *to != from) {
                let out = format!("{from}-{to}");
                folder.run(&["convert", from, "-o", &out, "--to", to]).succeeded();
                same(&read(&folder, &out), &model(&layers, to));
                let verified = folder.run(&["verify", "gptq", &out, "--json"]).succeeded().json();
                assert_eq!(verified["equal"], true);
                if *to == "gptq" {
                    let said = config(&folder, &out)["quantization_config"].clone();
                    assert_eq!((&said["quant_method"], &said["bits"]), (&json!("gptq"), &json!(4)));
                    assert_eq!(said["checkpoint_format"], "gptq");
                    assert_eq!(
                        (&said["group_size"], &said["sym"]),
                        (&json!(128), &json!(is_symmetric))
                    );
                } else {
                    assert_eq!(config(&folder, &out), config(&folder, to));
                }
            }
        }
        let outcome = folder.run(&["convert", "awq", "-o", "x", "--to", "marlin"]);
        assert_eq!(outcome.code, if is_symmetric { 0 } else { 2 });
    }
}

/// Of other sizes: a single group, groups of other sizes, codes of 8 and of 2 bits; from GPTQ's to each and back.
#[test]
fn models_of_every_kind() {
    let every = ["gptq-v2", "awq", "marlin", "compressed-tensors"];
    let no_awq = ["gptq-v2", "compressed-tensors"];
    let kinds: [(Dims, &[&str]); 6] = [
        (Dims { k: 128, n: 64, group: 128, bits: 4 }, &every),
        (Dims { k: 640, n: 192, group: 128, bits: 4 }, &every),
        (Dims { k: 192, n: 256, group: 32, bits: 4 }, &["gptq-v2", "awq", "compressed-tensors"]),
        (Dims { k: 256, n: 128, group: 64, bits: 8 }, &no_awq),
        (Dims { k: 96, n: 32, group: 96, bits: 8 }, &no_awq),
        (Dims { k: 64, n: 64, group: 32, bits: 2 }, &no_awq),
    ];
    for (seed, (dims, methods)) in (10..).zip(kinds) {
        for is_symmetric in [true, false] {
            let folder = Folder::new();
            let layers = [0, 1].map(|n| Layer::of(dims, seed + 100 * n, is_symmetric));
            let group = if dims.group == dims.k { -1 } else { dims.group as i64 };
            let said = json!({"quant_method": "gptq", "bits": dims.bits, "group_size": group});
            let gptq = model(&layers, "gptq");
            write(&folder, "gptq", &gptq, &said);
            for to in methods.iter().filter(|to| is_symmetric || **to != "marlin") {
                folder.run(&["convert", "gptq", "-o", to, "--to", to]).succeeded();
                same(&read(&folder, to), &model(&layers, to));
                let back = format!("{to}-back");
                folder.run(&["convert", to, "-o", &back, "--to", "gptq"]).succeeded();
                same(&read(&folder, &back), &gptq);
                folder.run(&["verify", to, "gptq"]).succeeded();
            }
        }
    }
}

/// What a conversion writes is what the libraries' own code stores of the same layer: parts, types, dims and bytes.
#[test]
fn the_libraries_store_the_same() {
    let rows = include_str!("../../tilewright/tests/data/checkpoint-packers.tsv");
    let rows: Vec<Vec<&str>> = rows.lines().skip(1).map(|row| row.split('\t').collect()).collect();
    let of_case = |row: &Vec<&str>| [row[0].to_owned(), row[1].to_owned(), row[2].to_owned()];
    let cases: Vec<&[Vec<&str>]> = rows.chunk_by(|a, b| of_case(a) == of_case(b)).collect();
    assert_eq!((cases.len(), rows.len()), (8, 82));
    for parts in cases {
        let folder = Folder::new();
        let numbers: Vec<usize> = parts[0][1].split(',').map(|n| n.parse().unwrap()).collect();
        let dims = Dims { k: numbers[0], n: numbers[1], group: numbers[2], bits: numbers[3] };
        let seed = parts[0][0].parse().unwrap();
        let layer = || Layer::of(dims, seed, parts[0][2] == "symmetric");
        let group = if dims.group == dims.k { -1 } else { dims.group as i64 };
        let said = json!({"quant_method": "gptq", "bits": dims.bits, "group_size": group});
        write(&folder, "gptq", &model(&[layer(), layer()], "gptq"), &said);
        for stored in parts.chunk_by(|a, b| a[3] == b[3]) {
            let library = stored[0][3];
            if library != "gptq" {
                folder.run(&["convert", "gptq", "-o", library, "--to", library]).succeeded();
            }
            let found = &read(&folder, library)[0];
            let of_layer = found.keys().filter_map(|name| name.strip_prefix(LAYERS[0]));
            let names: Vec<&str> =
                of_layer.map(|part| &part[1..]).filter(|p| *p != "bias").collect();
            let mut expected: Vec<&str> = stored.iter().map(|row| row[4]).collect();
            expected.sort_unstable();
            assert_eq!(names, expected, "{library}");
            for row in stored {
                let (dtype, shape, bytes) = &found[&format!("{}.{}", LAYERS[0], row[4])];
                let dims: Vec<String> = shape.iter().map(ToString::to_string).collect();
                assert_eq!(format!("{dtype:?}[{}]", dims.join(",")), row[5], "{row:?}");
                assert_eq!(format!("{:016x}", checksum(bytes)), row[6], "{row:?}");
            }
        }
    }
}

/// FNV-1a, 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// What loaders look for in the configuration, and that the rest stays as it was written.
#[test]
fn configurations() {
    let folder = Folder::new();
    let layers = [Layer::new(1, true), Layer::new(2, true)];
    write(&folder, "gptq", &model(&layers, "gptq"), &gptq_config());
    folder.write("gptq/quantize_config.json", gptq_config().to_string().as_bytes());
    let converted = |to: &str| {
        folder.run(&["convert", "gptq", "-o", to, "--to", to]).succeeded();
        assert_eq!(folder.read(&format!("{to}/tokenizer.json")), b"{}");
        let text = String::from_utf8(folder.read(&format!("{to}/config.json"))).unwrap();
        assert!(text.contains("\"eps\": 1e-05") && text.contains("\"zz\": [1,2]"), "{text}");
        config(&folder, to)["quantization_config"].clone()
    };
    let awq = converted("awq");
    assert_eq!(awq["quant_method"], "awq");
    assert_eq!((&awq["bits"], &awq["group_size"]), (&json!(4), &json!(128)));
    assert_eq!((&awq["version"], &awq["zero_point"]), (&json!("gemm"), &json!(true)));
    assert_eq!(awq["modules_to_not_convert"], json!(["model.layers.1.mlp.gate"]));
    assert!(!folder.path("awq/quantize_config.json").exists());
    let marlin = converted("marlin");
    assert_eq!(
        (&marlin["quant_method"], &marlin["checkpoint_format"]),
        (&json!("gptq"), &json!("marlin"))
    );
    let beside: Value =
        serde_json::from_slice(&folder.read("marlin/quantize_config.json")).unwrap();
    assert_eq!(beside, marlin);
    let packed = converted("compressed-tensors");
    let weights = &packed["config_groups"]["group_0"]["weights"];
    assert_eq!(
        (&packed["format"], &weights["symmetric"]),
        (&json!("pack-quantized"), &json!(true))
    );
    assert_eq!((&weights["num_bits"], &weights["group_size"]), (&json!(4), &json!(128)));
    let ignored = json!(["lm_head", "model.embed_tokens", "model.layers.1.mlp.gate"]);
    assert_eq!(packed["ignore"], ignored);
}

/// The label of each array says what it is, and the general commands read it.
#[test]
fn labels_travel_along() {
    let folder = Folder::new();
    let layers = [Layer::new(1, false), Layer::new(2, false)];
    write(&folder, "gptq", &model(&layers, "gptq"), &gptq_config());
    folder.run(&["convert", "gptq", "-o", "awq", "--to", "awq"]).succeeded();
    let rows = folder.run(&["inspect", "awq", "--json"]).succeeded().json();
    let text = |end: &str| {
        let found = rows
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["name"] == format!("{}.{end}", LAYERS[0]));
        found.unwrap()["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(text("qweight"), "u4[256,256]@awq");
    assert_eq!(text("qzeros"), "u4[2,256]@awq");
    assert_eq!(text("scales"), "f16[2,256]{1,0}");
}

/// Where two models differ: a code, a zero point, a scale, a layer.
#[test]
fn verify_tells_what_differs() {
    let folder = Folder::new();
    let layers = [Layer::new(1, false), Layer::new(2, false)];
    write(&folder, "gptq", &model(&layers, "gptq"), &gptq_config());
    let mut others = [Layer::new(1, false), Layer::new(2, false)];
    others[0].codes[5 * N + 9] ^= 1;
    others[0].zeros[N + 3] ^= 1;
    others[1].scales[7] ^= 1;
    let mut tensors = model(&others, "awq");
    tensors[1].remove("model.norm.weight");
    let awq = json!({"quant_method": "awq", "bits": 4, "group_size": GROUP, "version": "gemm", "zero_point": true});
    write(&folder, "awq", &tensors, &awq);
    let outcome = folder.run(&["verify", "gptq", "awq", "--json"]);
    assert_eq!(outcome.code, 1);
    let found = outcome.json();
    let found = found["differences"].as_array().unwrap();
    let told: Vec<(&str, &str)> = found
        .iter()
        .map(|row| (row["name"].as_str().unwrap(), row["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            (LAYERS[0], "codes differ at index [5, 9]"),
            (LAYERS[0], "zero points differ at index [1, 3]"),
            (LAYERS[1], "scales differ at index [0, 7]"),
            ("model.norm.weight", "is only in the first file"),
        ]
    );
}

/// Models of a quantisation that is not known are compared array by array, and that is said.
#[test]
fn verify_says_what_it_does_not_know() {
    let folder = Folder::new();
    let layers = [Layer::new(1, false), Layer::new(2, false)];
    write(&folder, "gptq", &model(&layers, "gptq"), &gptq_config());
    for name in ["other", "same"] {
        write(&folder, name, &model(&layers, "gptq"), &json!({"quant_method": "hqq", "bits": 4}));
    }
    let unknown = |outcome: &support::Outcome, name: &str| {
        let warning =
            format!("warning: {name}: compared array by array, not as a quantised model: ");
        outcome.stderr.lines().any(|line| line.starts_with(&warning) && line.contains("hqq"))
    };
    let outcome = folder.run(&["verify", "other", "same"]).succeeded();
    assert!(unknown(&outcome, "other") && unknown(&outcome, "same"), "{}", outcome.stderr);
    let outcome = folder.run(&["verify", "gptq", "other"]).succeeded();
    assert!(unknown(&outcome, "other") && !unknown(&outcome, "gptq"), "{}", outcome.stderr);
}

/// Rows in groups of another order: kept where there is a place for them, and refused elsewhere.
#[test]
fn act_order() {
    let folder = Folder::new();
    let layers = [Layer::new(1, true), Layer::new(2, true)];
    let mut tensors = model(&layers, "gptq");
    let groups = bytes_of((0..K).map(|row| (row % GROUPS) as u32));
    let name = format!("{}.g_idx", LAYERS[0]);
    tensors[0].get_mut(&name).unwrap().2.clone_from(&groups);
    let mut said = gptq_config();
    said["desc_act"] = true.into();
    write(&folder, "gptq", &tensors, &said);
    for to in ["awq", "marlin"] {
        let outcome = folder.run(&["convert", "gptq", "-o", "x", "--to", to]);
        outcome.failed_with(&[LAYERS[0], "g_idx", "cannot say"]);
        assert!(!folder.path("x").exists());
    }
    folder.run(&["convert", "gptq", "-o", "packed", "--to", "compressed-tensors"]).succeeded();
    let packed = read(&folder, "packed");
    assert!(packed[0][&format!("{}.weight_g_idx", LAYERS[0])].2 == groups);
    assert!(!packed[1].contains_key(&format!("{}.weight_g_idx", LAYERS[1])));
    folder.run(&["verify", "gptq", "packed"]).succeeded();
    folder.run(&["convert", "packed", "-o", "back", "--to", "gptq"]).succeeded();
    same(&read(&folder, "back"), &tensors);
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = Folder::new();
    let layers = || [Layer::new(1, true), Layer::new(2, true)];
    let refused = |tensors: &[Tensors; 2], said: &Value, to: &str, fragments: &[&str]| {
        write(&folder, "model", tensors, said);
        folder.run(&["convert", "model", "-o", "x", "--to", to]).failed_with(fragments);
        assert!(!folder.path("x").exists());
    };
    let (good, said) = (model(&layers(), "gptq"), gptq_config());
    let with = |key: &str, value: Value| {
        let mut said = gptq_config();
        said[key] = value;
        said
    };
    // A zero point that one program reads as 16 and another as 0.
    let mut zeros = layers();
    zeros[1].zeros[2 * N - 1] = 16;
    refused(&model(&zeros, "gptq"), &said, "awq", &[LAYERS[1], "[1, 255]", "16 or 0"]);
    // One that cannot be stored less one.
    zeros[1].zeros[2 * N - 1] = 0;
    refused(
        &model(&zeros, "gptq-v2"),
        &with("checkpoint_format", "gptq_v2".into()),
        "gptq",
        &["0", "gptq-v2"],
    );
    let with_zeros = [Layer::new(1, false), Layer::new(2, true)];
    refused(&model(&with_zeros, "gptq"), &said, "marlin", &[LAYERS[0], "zero points"]);
    refused(&good, &with("bits", 3.into()), "awq", &["config.json", "3 bits"]);
    refused(&good, &with("bits", 8.into()), "awq", &[LAYERS[0]]);
    refused(&good, &with("group_size", 64.into()), "awq", &["groups of 64 are 4 groups", "2"]);
    refused(&good, &with("quant_method", "fp8".into()), "awq", &["`fp8` is not known"]);
    refused(&good, &with("quant_method", "compressed-tensors".into()), "awq", &["pack-quantized"]);
    let mut lacking = model(&layers(), "gptq");
    lacking[0].remove(&format!("{}.scales", LAYERS[0]));
    refused(&lacking, &said, "awq", &[LAYERS[0], "has no `scales`"]);
    let mut other = model(&layers(), "gptq");
    other[0].get_mut(&format!("{}.qzeros", LAYERS[0])).unwrap().1 = vec![N / 8, GROUPS];
    refused(&other, &said, "awq", &[LAYERS[0], "qzeros", "of dims [32, 2]"]);
    refused(&good, &Value::Null, "awq", &["config.json"]);
    write(&folder, "model", &good, &said);
    let failed = |arguments: &[&str], fragment: &str| {
        folder.run(arguments).failed_with(&[fragment]);
    };
    failed(&["convert", "model", "-o", "x.safetensors", "--to", "awq"], "a folder");
    failed(&["convert", "model", "-o", "model", "--to", "awq", "--in-place"], "another folder");
    failed(&["convert", "model", "-o", "x", "--to", "awq", "--tensor", "*=@awq"], "whole model");
    let file = format!("model/{}", SHARDS[0]);
    failed(&["convert", &file, "-o", "x", "--to", "awq"], "");
    failed(&["convert", "model", "-o", "x", "--to", "aiter"], "no array is a quantised weight");
}

/// Weights of 8 bits and packed ones of 4, and their scales, in the order of AITER's kernels; and back by their labels.
#[test]
fn shuffled_for_aiter() {
    let folder = Folder::new();
    let mut next = random(9);
    let mut bytes = |count: usize| (0..count).map(|_| next() as u8).collect::<Vec<u8>>();
    let weight = bytes(256 * 128);
    let scales = bytes(256 * 8);
    let mut shards = [Tensors::new(), Tensors::new()];
    shards[0].insert("a.weight".to_owned(), (Dtype::U8, vec![256, 128], weight.clone()));
    shards[0].insert("a.weight_scale".to_owned(), (Dtype::U8, vec![256, 8], scales.clone()));
    shards[1].insert("b.weight".to_owned(), (Dtype::F8_E4M3, vec![256, 128], weight.clone()));
    shards[1].insert("b.weight_scale".to_owned(), (Dtype::F32, vec![256, 1], vec![3; 1024]));
    shards[1].insert("norm.weight".to_owned(), (Dtype::F32, vec![2], vec![1; 8]));
    write(&folder, "plain", &shards, &json!({"quant_method": "quark"}));
    folder.run(&["convert", "plain", "-o", "shuffled", "--to", "aiter"]).succeeded();
    let found = read(&folder, "shuffled");
    // view(N/16, 16, K/32, 2, 16).permute(0, 2, 3, 1, 4)
    let mut expected = Vec::new();
    for block in 0..16 {
        for columns in 0..8 {
            for row in 0..16 {
                let start = (16 * block + row) * 128 + 16 * columns;
                expected.extend_from_slice(&weight[start..start + 16]);
            }
        }
    }
    assert!(found[0]["a.weight"].2 == expected && found[1]["b.weight"].2 == expected);
    assert_eq!(found[0]["a.weight"].1, [256, 128]);
    // view(M/32, 2, 16, S/8, 2, 4).permute(0, 3, 5, 2, 4, 1)
    let mut expected = Vec::new();
    for block in 0..8 {
        for f in 0..4 {
            for row in 0..16 {
                for e in 0..2 {
                    for half in 0..2 {
                        expected.push(scales[(32 * block + 16 * half + row) * 8 + 4 * e + f]);
                    }
                }
            }
        }
    }
    assert!(found[0]["a.weight_scale"].2 == expected);
    assert!(found[1]["b.weight_scale"].2 == [3; 1024] && found[1]["norm.weight"].2 == [1; 8]);
    folder.run(&["verify", "plain", "shuffled"]).succeeded();
    folder.run(&["convert", "shuffled", "-o", "back", "--to", "row-major"]).succeeded();
    same(&read(&folder, "back"), &shards);
    // What is shuffled is not shuffled again.
    folder.run(&["convert", "shuffled", "-o", "x", "--to", "aiter"]).failed_with(&["no array is"]);
}
