//! `convert`, `verify`, `inspect`: what is done with files.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use serde_json::{Value, json};
use support::{Folder, example, npy};

const WEIGHTS: &str = "*.weight={1,0:T(8,128)(2,1)}";

/// A folder with the example file in it.
fn with_example() -> Folder {
    let folder = Folder::new();
    folder.write("weights.safetensors", &std::fs::read(example()).unwrap());
    folder
}

/// The arrays of a safetensors file as the reference reader has them.
fn arrays(bytes: &[u8]) -> Vec<(String, String, Vec<usize>, Vec<u8>)> {
    let file = safetensors::SafeTensors::deserialize(bytes).unwrap();
    let mut arrays: Vec<_> = file
        .tensors()
        .into_iter()
        .map(|(name, view)| {
            (name, view.dtype().to_string(), view.shape().to_vec(), view.data().to_vec())
        })
        .collect();
    arrays.sort();
    arrays
}

#[test]
fn the_example_there_and_back() {
    let folder = with_example();
    let args = ["convert", "weights.safetensors", "-o", "packed.safetensors", "--tensor", WEIGHTS];
    let table = folder.run(&args).succeeded().stdout;
    assert!(table.contains("bf16[1000,300]{1,0:T(8,128)(2,1)}    600000     768000"), "{table}");
    assert!(table.contains("14 arrays"), "{table}");

    let back = ["convert", "packed.safetensors", "-o", "back.safetensors", "--to", "row-major"];
    folder.run(&back).succeeded();
    assert_eq!(
        arrays(&folder.read("back.safetensors")),
        arrays(&folder.read("weights.safetensors"))
    );
    for other in ["packed.safetensors", "back.safetensors"] {
        let verified = folder.run(&["verify", "weights.safetensors", other, "--json"]).succeeded();
        assert_eq!(verified.json()["equal"], json!(true));
    }
}

#[test]
fn the_metadata_is_the_contracts() {
    let folder = with_example();
    folder
        .run(&["convert", "weights.safetensors", "-o", "p.safetensors", "--tensor", WEIGHTS])
        .succeeded();
    let bytes = folder.read("p.safetensors");
    let (_, header) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    let metadata = header.metadata().as_ref().unwrap();
    assert_eq!(metadata["about"], "random weights of an imaginary model");
    let record: Value = serde_json::from_str(&metadata["tilewright"]).unwrap();
    assert_eq!(record["version"], json!(1));
    assert_eq!(record["layouts"].as_object().unwrap().len(), 4);
    assert_eq!(
        record["layouts"]["layers.0.mlp.weight"],
        json!({ "layout": "bf16[300,517]{1,0:T(8,128)(2,1)}", "pad": "0" })
    );
    let packed = arrays(&bytes);
    let (_, dtype, dims, _) = packed.iter().find(|row| row.0 == "layers.0.mlp.weight").unwrap();
    assert_eq!((dtype.as_str(), &dims[..]), ("BF16", &[38, 5, 4, 128, 2, 1][..]));
}

#[test]
fn a_layout_that_does_not_fit_leaves_nothing() {
    let folder = with_example();
    let before = folder.names();
    folder
        .run(&[
            "convert",
            "weights.safetensors",
            "-o",
            "x.safetensors",
            "--to",
            "{1,0:T(8,128)(2,1)}",
        ])
        .failed_with(&["`layers.0.norm.scale`", "orders 2 dimensions, and f32[300] has 1"]);
    folder
        .run(&[
            "convert",
            "weights.safetensors",
            "-o",
            "x.safetensors",
            "--tensor",
            "head.scale={1,0}",
        ])
        .failed_with(&["`head.scale`"]);
    folder
        .run(&["convert", "weights.safetensors", "-o", "x.safetensors", "--tensor", "tail*={0}"])
        .failed_with(&["no array has a name like `tail*`"]);
    folder
        .run(&["convert", "weights.safetensors", "-o", "x.safetensors"])
        .failed_with(&["--to LAYOUT"]);
    folder
        .run(&["convert", "weights.safetensors", "-o", "x.safetensors", "--to", "sideways"])
        .failed_with(&["`sideways` is no layout"]);
    folder
        .run(&["convert", "weights.safetensors", "-o", "x.safetensors", "--to", "{0,0}"])
        .failed_with(&["dimension 0 appears twice", "^"]);
    assert_eq!(folder.names(), before);
}

#[test]
fn rows_as_json_and_dry_runs() {
    let folder = with_example();
    let args =
        ["convert", "weights.safetensors", "-o", "p.safetensors", "--tensor", WEIGHTS, "--json"];
    let dry = folder.run(&[&args[..], &["--dry-run"]].concat()).succeeded().json();
    assert_eq!(folder.names(), ["weights.safetensors"]);
    let wet = folder.run(&args).succeeded().json();
    assert_eq!(wet.as_array().unwrap().len(), 14);
    for (dry, wet) in dry.as_array().unwrap().iter().zip(wet.as_array().unwrap()) {
        for key in ["name", "from", "to", "bytes_in", "bytes_out"] {
            assert_eq!(dry[key], wet[key]);
        }
        assert!(dry["seconds"].is_null() && wet["seconds"].is_f64());
    }
    assert_eq!(wet[0]["to"], json!("bf16[1000,300]{1,0:T(8,128)(2,1)}"));
}

#[test]
fn existing_outputs_and_the_source_are_safe() {
    let folder = with_example();
    let original = folder.read("weights.safetensors");
    let convert = |extra: &[&str]| {
        let args =
            ["convert", "weights.safetensors", "-o", "weights.safetensors", "--tensor", WEIGHTS];
        folder.run(&[&args[..], extra].concat())
    };
    convert(&[]).failed_with(&["weights.safetensors"]);
    convert(&["--force"]).failed_with(&["same file"]);
    assert_eq!(folder.read("weights.safetensors"), original);
    convert(&["--in-place"]).succeeded();
    assert_ne!(folder.read("weights.safetensors"), original);
    assert_eq!(folder.names(), ["weights.safetensors"]);
    folder.run(&["verify", "weights.safetensors", example().to_str().unwrap()]).succeeded();
}

#[test]
fn what_differs_is_said() {
    let folder = with_example();
    let mut bytes = folder.read("weights.safetensors");
    let last = bytes.len() - 1;
    bytes[last] ^= 1; // the last byte of `step`
    folder.write("other.safetensors", &bytes);
    let verified = folder.run(&["verify", "weights.safetensors", "other.safetensors", "--json"]);
    assert_eq!(verified.code, 1);
    let document = verified.json();
    assert_eq!(document["equal"], json!(false));
    assert_eq!(document["differences"][0]["name"], json!("step"));
    let text = folder.run(&["verify", "weights.safetensors", "other.safetensors"]);
    assert_eq!((text.code, text.stdout.as_str()), (1, "`step` differs at index []\n"));

    folder.write("a.npy", &npy("<u2", "(2, 2)", &[1, 0, 2, 0, 3, 0, 4, 0]));
    folder.write("b.npy", &npy("<u2", "(2, 2)", &[1, 0, 2, 0, 9, 0, 4, 0]));
    folder.write("c.npy", &npy("<u2", "(4,)", &[1, 0, 2, 0, 3, 0, 4, 0]));
    let differs = folder.run(&["verify", "a.npy", "b.npy", "--json"]);
    assert_eq!(
        (differs.code, differs.json()["differences"][0]["index"].clone()),
        (1, json!([1, 0]))
    );
    assert_eq!(folder.run(&["verify", "a.npy", "c.npy"]).code, 1);
    assert_eq!(folder.run(&["verify", "a.npy", "weights.safetensors"]).code, 1);
}

#[test]
fn npy_raw_and_padding() {
    let folder = Folder::new();
    let data: Vec<u8> = (1..=15).collect();
    folder.write("w.npy", &npy("|u1", "(3, 5)", &data));
    folder
        .run(&["convert", "w.npy", "-o", "t.npy", "--to", "{1,0:T(2,2)}", "--pad-value", "99"])
        .succeeded();
    let tiled =
        [1, 2, 6, 7, 3, 4, 8, 9, 5, 99, 10, 99, 11, 12, 99, 99, 13, 14, 99, 99, 15, 99, 99, 99];
    assert_eq!(folder.read("t.npy")[128..], tiled);
    let record: Value = serde_json::from_slice(&folder.read("t.npy.layout.json")).unwrap();
    let layouts = json!({ "t": { "layout": "u8[3,5]{1,0:T(2,2)}", "pad": "99" } });
    assert_eq!((&record["version"], &record["layouts"]), (&json!(1), &layouts));
    assert_eq!(record["array"]["bytes"], json!(128 + 24));
    folder.run(&["convert", "t.npy", "-o", "back.npy", "--to", "row-major"]).succeeded();
    assert_eq!(folder.read("back.npy"), folder.read("w.npy"));

    folder.run(&["convert", "t.npy", "-o", "t.bin", "--to", "column-major"]).succeeded();
    assert_eq!(folder.read("t.bin"), [1, 6, 11, 2, 7, 12, 3, 8, 13, 4, 9, 14, 5, 10, 15]);
    folder.run(&["verify", "t.bin", "w.npy"]).succeeded();

    folder.write("bare.bin", &tiled);
    folder.run(&["inspect", "bare.bin"]).failed_with(&["give --from"]);
    folder
        .run(&[
            "convert",
            "bare.bin",
            "-o",
            "u.npy",
            "--to",
            "row-major",
            "--from",
            "u8[3,5]{1,0:T(2,2)}",
        ])
        .succeeded();
    assert_eq!(folder.read("u.npy"), folder.read("w.npy"));
    folder
        .run(&["convert", "bare.bin", "-o", "v.npy", "--to", "row-major", "--from", "u8[3,5]"])
        .failed_with(&["bytes"]);
}

#[test]
fn the_old_padding_of_shapes() {
    let folder = Folder::new();
    folder.write("w.npy", &npy("|u1", "(2, 3)", b"abcdef"));
    let convert = |out: &str, layout: &str| {
        folder
            .run(&["convert", "w.npy", "-o", out, "--to", layout, "--pad-value", "0x30"])
            .succeeded();
    };
    convert("p.npy", "{0,1:PAD(3,5)}");
    assert_eq!(&folder.read("p.npy")[128..], b"ad0be0cf0000000");
}

#[test]
fn packed_bits_are_bytes_in_the_file() {
    let folder = Folder::new();
    folder.write(
        "m.npy",
        &npy("|b1", "(2, 9)", &[1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    );
    folder.run(&["convert", "m.npy", "-o", "p.safetensors", "--to", "{1,0:E(1)}"]).succeeded();
    let packed = arrays(&folder.read("p.safetensors"));
    assert_eq!((packed[0].1.as_str(), &packed[0].2[..]), ("U8", &[3][..]));
    assert_eq!(packed[0].3, [0b0001_1001, 0b0000_0001, 0b10]);
    folder.run(&["convert", "p.safetensors", "-o", "b.npy", "--to", "row-major"]).succeeded();
    assert_eq!(folder.read("b.npy"), folder.read("m.npy"));
}

/// Bits that mean nothing to us come back as they were.
#[test]
fn round_trips_are_bit_exact() {
    let folder = Folder::new();
    let nans: Vec<u8> =
        (0u32..77).flat_map(|n| (0x7f80_0001 | n << 3 | n << 31).to_le_bytes()).collect();
    folder.write("w.npy", &npy("<f4", "(7, 11)", &nans));
    folder.run(&["convert", "w.npy", "-o", "t.npy", "--to", "{0,1:T(3,4)(2,1)}"]).succeeded();
    folder.run(&["convert", "t.npy", "-o", "b.npy", "--to", "row-major"]).succeeded();
    assert_eq!(folder.read("b.npy"), folder.read("w.npy"));
    folder.write("odd.npy", &npy("|b1", "(2, 2)", &[0, 1, 2, 255]));
    folder
        .run(&["convert", "odd.npy", "-o", "t.npy", "--to", "{0,1:T(2,2)}", "--force"])
        .succeeded();
    folder.run(&["convert", "t.npy", "-o", "b.npy", "--to", "row-major", "--force"]).succeeded();
    assert_eq!(folder.read("b.npy"), folder.read("odd.npy"));
}

#[test]
fn threads_and_memory_change_nothing_but_time() {
    let folder = Folder::new();
    let data: Vec<u8> = (0..600u32 * 700).flat_map(u32::to_le_bytes).collect();
    folder.write("w.npy", &npy("<u4", "(600, 700)", &data));
    for layout in ["{1,0:T(8,128)}", "{0,1:T(8,128)}", "{0,1}"] {
        let convert = |out: &str, extra: &[&str]| {
            let args = ["convert", "w.npy", "-o", out, "--to", layout, "--force"];
            folder.run(&[&args[..], extra].concat())
        };
        convert("a.npy", &["--threads", "1"]).succeeded();
        convert("b.npy", &["--threads", "7"]).succeeded();
        convert("c.npy", &["--max-memory", "4200KiB"]).succeeded();
        assert_eq!(folder.read("a.npy"), folder.read("b.npy"));
        assert_eq!(folder.read("a.npy"), folder.read("c.npy"));
    }
    folder
        .run(&["convert", "w.npy", "-o", "x.npy", "--to", "{0,1}", "--max-memory", "100kB"])
        .failed_with(&["memory"]);
    assert!(!folder.names().contains(&"x.npy".to_owned()));
}

#[test]
fn a_sharded_folder_stays_one() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("model")).unwrap();
    let shard = |name: &str, value: u8| {
        let header =
            format!("{{\"{name}\":{{\"dtype\":\"U8\",\"shape\":[3,5],\"data_offsets\":[0,15]}}}}");
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.as_bytes());
        file.extend([value; 15]);
        file
    };
    folder.write("model/a.safetensors", &shard("x", 1));
    folder.write("model/b.safetensors", &shard("y", 2));
    let index = json!({
        "metadata": { "total_size": 30 },
        "weight_map": { "x": "a.safetensors", "y": "b.safetensors" }
    });
    folder.write("model/model.safetensors.index.json", index.to_string().as_bytes());
    folder.run(&["convert", "model", "-o", "packed", "--to", "{1,0:T(2,4)}"]).succeeded();
    let rows = folder.run(&["inspect", "packed", "--json"]).succeeded().json();
    assert_eq!(rows[1]["text"], json!("u8[3,5]{1,0:T(2,4)}"));
    folder.run(&["verify", "model", "packed"]).succeeded();
    folder.run(&["convert", "packed", "-o", "one.safetensors", "--to", "row-major"]).succeeded();
    folder.run(&["verify", "model", "one.safetensors"]).succeeded();
}

#[test]
fn bad_files_are_said_to_be() {
    let folder = with_example();
    let check = |name: &str, bytes: &[u8], fragment: &str| {
        folder.write(name, bytes);
        folder.run(&["inspect", name]).failed_with(&[name, fragment]);
        folder.run(&["convert", name, "-o", "out.npy", "--to", "row-major"]).failed_with(&[name]);
        assert!(!folder.path("out.npy").exists());
    };
    let example = folder.read("weights.safetensors");
    check("cut.safetensors", &example[..example.len() - 1], "");
    check("empty.safetensors", &[], "");
    let mut lying = example.clone();
    lying[..8].copy_from_slice(&(1u64 << 40).to_le_bytes());
    check("lying.safetensors", &lying, "");
    check("short.npy", &npy("<f4", "(1000000, 1000000)", &[0; 4]), "");
    check("object.npy", &npy("|O", "(3,)", &[0; 24]), "");
    folder.run(&["inspect", "nowhere.npy"]).failed_with(&["nowhere.npy"]);
    let record =
        "{\"version\":1,\"layouts\":{\"s\":{\"layout\":\"u8[3,5]{1,0:T(2,2)\",\"pad\":\"0\"}}}";
    folder.write("s.npy", &npy("|u1", "(24,)", &[0; 24]));
    folder.write("s.npy.layout.json", record.as_bytes());
    folder.run(&["inspect", "s.npy"]).failed_with(&["`s`", "close the layout"]);
}

/// Elements that would lose bits are refused before anything is written.
#[test]
fn narrowing_never_loses_bits() {
    let folder = Folder::new();
    folder.write("w.npy", &npy("<f4", "(3, 5)", &[7; 60]));
    folder.write("u.npy", &npy("|u1", "(4,)", &[1, 2, 3, 200]));
    let before = folder.names();
    folder
        .run(&["convert", "w.npy", "-o", "x.npy", "--to", "{1,0:E(8)}"])
        .failed_with(&["E(8) does not hold the 32 bits of f32"]);
    folder.run(&["convert", "u.npy", "-o", "x.npy", "--to", "{0:E(4)}"]).failed_with(&["E(4)"]);
    folder.write("m.npy", &npy("|b1", "(4,)", &[0, 1, 2, 1]));
    folder
        .run(&["convert", "m.npy", "-o", "x.npy", "--to", "{0:E(1)}"])
        .failed_with(&["the byte 0x02 is no pred"]);
    folder.write("wide.bin", &[0xff, 0x07, 0xf8, 0x00]);
    folder
        .run(&["convert", "wide.bin", "-o", "p.bin", "--from", "s4[4]", "--to", "{0:E(4)}"])
        .succeeded();
    assert_eq!(folder.read("p.bin"), [0x7f, 0x08]);
    folder
        .run(&["convert", "wide.bin", "-o", "x.bin", "--from", "u4[4]", "--to", "{0:E(4)}"])
        .failed_with(&["the byte 0xff is no u4"]);
    let mut after = before;
    after.extend(["m.npy", "p.bin", "p.bin.layout.json", "wide.bin"].map(str::to_owned));
    after.sort();
    assert_eq!(folder.names(), after);
}

#[test]
fn names_that_say_no_format() {
    let folder = with_example();
    for output in ["x.npz", "x.pt", "x", "-"] {
        folder
            .run(&["convert", "weights.safetensors", "-o", output, "--to", "row-major"])
            .failed_with(&[if output == "-" { "has to be a file" } else { "says no format" }]);
    }
    folder.run(&["inspect", "-"]).failed_with(&["has to be a file"]);
    assert_eq!(folder.names(), ["weights.safetensors"]);
}

/// An error says its cause once, and advice names the flag.
#[test]
fn errors_say_it_once() {
    let folder = with_example();
    let missing = folder.run(&["inspect", "nowhere.npy"]).failed_with(&["nowhere.npy"]);
    assert_eq!(missing.stderr.matches("No such file").count(), 1, "{missing:?}");
    folder.write("b.safetensors", &[]);
    folder
        .run(&["convert", "weights.safetensors", "-o", "b.safetensors", "--to", "row-major"])
        .failed_with(&["--force"]);
    folder
        .run(&[
            "convert",
            "weights.safetensors",
            "-o",
            "weights.safetensors",
            "--to",
            "row-major",
            "--force",
        ])
        .failed_with(&["--in-place"]);
}

/// Ragged tiles to rows, and rows to ragged tiles, within a few megabytes.
#[test]
fn ragged_arrays_stream() {
    let folder = Folder::new();
    let data: Vec<u8> = (0..2100u32 * 1000).flat_map(u32::to_le_bytes).collect();
    folder.write("w.npy", &npy("<u4", "(2100, 1000)", &data));
    let memory = ["--max-memory", "3MiB"];
    let to = |input: &str, output: &str, layout: &str| {
        folder
            .run(&[&["convert", input, "-o", output, "--to", layout], &memory[..]].concat())
            .succeeded();
    };
    to("w.npy", "t.npy", "{1,0:T(8,128)}");
    to("t.npy", "b.npy", "row-major");
    assert_eq!(folder.read("b.npy"), folder.read("w.npy"));
    folder.run(&["verify", "t.npy", "w.npy"]).succeeded();
}

/// A recorded layout as long as a header may be is cut short in a table, and no trouble.
#[test]
fn very_long_layouts() {
    let folder = Folder::new();
    let layout = format!("u8[2,2]{{1,0:T{}}}", "(1)".repeat(40_000));
    let record = json!({ "version": 1, "layouts": { "w": { "layout": layout, "pad": "0" } } });
    folder.write("w.npy", &npy("|u1", "(4,)", &[1, 2, 3, 4]));
    folder.write("w.npy.layout.json", record.to_string().as_bytes());
    let table = folder.run(&["inspect", "w.npy"]).succeeded().stdout;
    assert!(table.contains('…') && table.len() < 1000);
}

/// Arrays are taken together where they are small, and come out as they would alone.
#[test]
fn many_small_arrays() {
    let folder = Folder::new();
    let dims: Vec<(usize, usize)> = (0..300).map(|n| (n % 7, 1 + n * 110 % 997)).collect();
    let mut entries = serde_json::Map::new();
    let mut data: Vec<u8> = Vec::new();
    for (n, (rows, columns)) in dims.iter().enumerate() {
        let begin = data.len();
        data.extend((0..rows * columns).flat_map(|i| ((n * 1000 + i) as u16).to_le_bytes()));
        let entry = json!({ "dtype": "U16", "shape": [rows, columns],
            "data_offsets": [begin, data.len()] });
        entries.insert(format!("w{n}"), entry);
    }
    let header = Value::Object(entries).to_string();
    let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat();
    folder.write("w.safetensors", &file);

    let convert = |output: &str, extra: &[&str]| {
        let args = ["convert", "w.safetensors", "-o", output, "--to", "{1,0:T(4,8)(2,1)}"];
        folder.run(&[&args[..], extra].concat()).succeeded();
        folder.read(output)
    };
    let together = convert("t.safetensors", &[]);
    // Some hundred kilobytes for each thread, so that there are several bundles.
    assert_eq!(together, convert("s.safetensors", &["--max-memory", "4MB", "--threads", "3"]));
    let apart = folder.path("w0.npy");
    for (n, (rows, columns)) in dims.iter().enumerate().filter(|(n, _)| n % 50 == 33) {
        let elements: Vec<u8> =
            (0..rows * columns).flat_map(|i| ((n * 1000 + i) as u16).to_le_bytes()).collect();
        std::fs::write(&apart, npy("<u2", &format!("({rows}, {columns})"), &elements)).unwrap();
        folder
            .run(&["convert", "w0.npy", "-o", "t0.bin", "--to", "{1,0:T(4,8)(2,1)}", "--force"])
            .succeeded();
        let found = arrays(&together).into_iter().find(|array| array.0 == format!("w{n}"));
        assert_eq!(found.unwrap().3, folder.read("t0.bin"));
    }
    folder.run(&["convert", "t.safetensors", "-o", "b.safetensors", "--to", "row-major"]);
    assert_eq!(arrays(&folder.read("b.safetensors")), arrays(&file));
}

/// Bytes between tiles' elements mean nothing, whatever they are; those of elements have to be values
/// of the type.
#[test]
fn padding_may_hold_anything_when_packed() {
    let folder = Folder::new();
    let pack = |bytes: &[u8], shape: &str, layout: &str| {
        folder.write("w.raw", bytes);
        let args = ["convert", "w.raw", "--from", shape, "-o", "t.raw", "--to", layout, "--force"];
        folder.run(&args)
    };
    let tiles = "u2[2,2]{1,0:T(1,3)}";
    pack(&[1, 2, 0xff, 3, 1, 0xff], tiles, "{1,0:E(2)}").succeeded();
    // 1, 2, 3 and 1, two bits each from the low end.
    assert_eq!(folder.read("t.raw"), [0b01_11_10_01]);
    pack(&[1, 2, 0xff, 3, 4, 0xff], tiles, "{1,0:E(2)}").failed_with(&["0x04", "u2"]);
    pack(&[1, 2, 0xff, 0xff], "u2[2,2]", "{1,0:E(2)}").failed_with(&["0xff", "u2"]);
    pack(&[0xf8, 7, 0x12], "s4[2]{0:T(3)}", "{0:T(3)E(4)}").succeeded();
    assert_eq!(folder.read("t.raw"), [0x78, 0x00]);
}

/// A file's only array is compared with the other file's, whatever they are called; that is said.
#[test]
fn names_that_differ_are_said_to() {
    let folder = Folder::new();
    let file = |name: &str| {
        let entry = json!({ "dtype": "U8", "shape": [3], "data_offsets": [0, 3] });
        let header = json!({ name: entry }).to_string();
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[1, 2, 3]].concat()
    };
    for (path, name) in [("one", "a"), ("other", "A"), ("same", "a")] {
        folder.write(&format!("{path}.safetensors"), &file(name));
    }
    let verify = |other: &str, extra: &[&str]| {
        folder.run(&[&["verify", "one.safetensors", other], extra].concat()).succeeded()
    };
    let said = verify("other.safetensors", &[]).stdout;
    assert!(said.starts_with("equal: 1 array\n"), "{said}");
    assert!(said.contains("the names differ, `a` and `A`"), "{said}");
    let document = verify("other.safetensors", &["--json"]).json();
    assert_eq!(document["different_names"], json!(["a", "A"]));
    assert_eq!(verify("same.safetensors", &[]).stdout, "equal: 1 array\n");
    assert_eq!(verify("same.safetensors", &["--json"]).json()["different_names"], Value::Null);
    // Where there is more than one array, each name has to have its own.
    folder.write("two.npy", &npy("|u1", "(3,)", &[1, 2, 4]));
    let differs = folder.run(&["verify", "one.safetensors", "two.npy"]).answered_no().stdout;
    assert!(differs.contains("`a` differs at index [2]"), "{differs}");
    assert!(differs.contains("the names differ, `a` and `two`"), "{differs}");
}

/// The first index in row-major order, whatever order the arrays are read in.
#[test]
fn the_first_difference_is_the_first_index() {
    let folder = Folder::new();
    let numbers: Vec<u8> = (0..40u16 * 50).flat_map(u16::to_le_bytes).collect();
    folder.write("w.npy", &npy("<u2", "(40, 50)", &numbers));
    let mut other = numbers.clone();
    for (row, column) in [(39, 0), (7, 30), (7, 29), (20, 3)] {
        other[2 * (row * 50 + column)] ^= 0x80;
    }
    folder.write("v.npy", &npy("<u2", "(40, 50)", &other));
    for (layout, number) in [("{0,1}", 0), ("{0,1:T(8,128)(2,1)}", 1), ("{1,0:T(3,7)}", 2)] {
        for (input, output) in [("w.npy", "a"), ("v.npy", "b")] {
            let output = format!("{output}{number}.npy");
            folder.run(&["convert", input, "-o", &output, "--to", layout]).succeeded();
        }
    }
    for a in ["w.npy", "a0.npy", "a1.npy", "a2.npy"] {
        for b in ["v.npy", "b0.npy", "b1.npy", "b2.npy"] {
            let document = folder.run(&["verify", a, b, "--json"]).answered_no().json();
            assert_eq!(document["differences"][0]["index"], json!([7, 29]), "{a} and {b}");
        }
        folder.run(&["verify", a, "w.npy"]).succeeded();
    }
}

/// Names of 4 KB are cut where people read them, and whole in JSON.
#[test]
fn long_names_are_cut_for_people() {
    let folder = Folder::new();
    let name = "n".repeat(4000);
    let file = |value: u8| {
        let entry = json!({ "dtype": "U8", "shape": [2, 2], "data_offsets": [0, 4] });
        let other = json!({ "dtype": "U8", "shape": [1], "data_offsets": [4, 5] });
        let header = json!({ &name: entry, "other": other }).to_string();
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[value, 2, 3, 4, 5]].concat()
    };
    folder.write("a.safetensors", &file(1));
    folder.write("b.safetensors", &file(9));
    let short = |text: &str| {
        assert!(text.contains("nnn") && text.contains('…'), "{text}");
        assert!(text.len() < 1000, "{} bytes", text.len());
    };
    short(&folder.run(&["inspect", "a.safetensors"]).succeeded().stdout);
    let rows = folder.run(&["inspect", "a.safetensors", "--json"]).succeeded().json();
    assert_eq!(rows[0]["name"], json!(name));
    short(&folder.run(&["verify", "a.safetensors", "b.safetensors"]).answered_no().stdout);
    let verified = folder.run(&["verify", "a.safetensors", "b.safetensors", "--json"]);
    assert_eq!(verified.answered_no().json()["differences"][0]["name"], json!(name));
    let convert = |to: &str| {
        let to = format!("n*={to}");
        folder.run(&["convert", "a.safetensors", "-o", "c.safetensors", "--tensor", &to])
    };
    short(&convert("{0,1,2}").failed_with(&["tensor `n"]).stderr);
    short(&convert("{0,1}").succeeded().stdout);
    let from = ["inspect", "a.safetensors", "--from", "u8[3,3]"];
    assert!(folder.run(&from).failed_with(&["takes 9 bytes"]).stderr.len() < 1000);
}

/// Fractals of 16 × 16 halves: columns of fractals, rows within, by hand.
#[test]
fn convert_to_the_tags_of_ascend() {
    let folder = Folder::new();
    let numbers: Vec<u8> = (0..20u16 * 40).flat_map(u16::to_le_bytes).collect();
    folder.write("a.npy", &npy("<u2", "(20, 40)", &numbers));
    let convert = ["convert", "a.npy", "-o", "b.raw", "--force", "--to"];
    folder.run(&[&convert[..], &["ascend:zN"]].concat()).succeeded();
    let moved = folder.read("b.raw");
    assert_eq!(moved.len(), 2 * 32 * 48);
    for (row, column) in [(0, 0), (1, 0), (0, 15), (0, 16), (16, 0), (19, 39)] {
        let place = column / 16 * 512 + row / 16 * 256 + row % 16 * 16 + column % 16;
        let found = u16::from_le_bytes([moved[2 * place], moved[2 * place + 1]]);
        assert_eq!(usize::from(found), row * 40 + column);
    }
    folder.run(&[&convert[..], &["ascend:zQ"]].concat()).failed_with(&["zQ"]);
    folder
        .run(&[&convert[..], &["ascend:VectorLayout"]].concat())
        .failed_with(&["orders 1 dimensions"]);
}

/// Whatever notation a layout is said in, the bytes are the same, and what is recorded is XLA's.
#[test]
fn layouts_in_every_notation() {
    let folder = Folder::new();
    let elements: Vec<u8> = (0..32u8).flat_map(|i| f32::from(i).to_le_bytes()).collect();
    folder.write("w.npy", &npy("<f4", "(4, 8)", &elements));
    let converted = |layout: &str| {
        folder.run(&["convert", "w.npy", "-o", "t.npy", "--force", "--to", layout]).succeeded();
        (folder.read("t.npy"), folder.read("t.npy.layout.json").len())
    };
    let tiled = converted("{1,0:T(2,4)}");
    for same in
        ["f32[4,8]{1,0:T(2,4)}", "AB2a4b", "((2,2),(4,2)):((4,16),(1,8))", "f32[4,8] AB2a4b"]
    {
        assert_eq!(converted(same), tiled, "{same}");
    }
    let refused = |layout: &str, fragments: &[&str]| {
        let args = ["convert", "w.npy", "-o", "x.npy", "--to", layout];
        folder.run(&args).failed_with(fragments);
        assert!(!folder.path("x.npy").exists());
    };
    // What would lose elements is refused by the array's name.
    refused("(4,8):(1,1)", &["tensor `w`: "]);
    refused("(4,8):(0,1)", &["tensor `w`: "]);
    refused("(8,4):(4,1)", &["tensor `w`: it is f32[4,8], not f32[8,4]"]);
    refused("T(2,4)", &["is a part of a layout", "write `{1,0:T(2,4)}`"]);
    refused("zN", &["`zN` is no layout", "`ascend:zN`"]);
}

/// What XLA's notation cannot say is recorded as it is said: here the columns of rows 4 to 7 are exchanged in pairs.
#[test]
fn a_swizzled_array_is_recorded_as_such() {
    let folder = Folder::new();
    let elements: Vec<u8> = (0..64).collect();
    folder.write("w.npy", &npy("|u1", "(8, 8)", &elements));
    let swizzled = "Sw<1,0,5> o 0 o (8,8):(8,1)";
    folder.run(&["convert", "w.npy", "-o", "s.safetensors", "--to", swizzled]).succeeded();
    let file = folder.read("s.safetensors");
    let swapped = |at: u8| if at < 32 { at } else { at ^ 1 };
    let expected: Vec<u8> = (0..64).map(swapped).collect();
    assert!(file.ends_with(&expected));
    let rows = folder.run(&["inspect", "s.safetensors", "--json"]).succeeded().json();
    assert_eq!(rows[0]["text"], "u8 Sw<1,0,5> o 0 o (8,8):(8,1)");
    assert_eq!(rows[0]["dims"], serde_json::json!([8, 8]));
    folder.run(&["verify", "w.npy", "s.safetensors"]).succeeded();
    folder.run(&["convert", "s.safetensors", "-o", "b.npy", "--to", "row-major"]).succeeded();
    assert_eq!(folder.read("b.npy"), folder.read("w.npy"));
}

fn model_file(name: &str, value: u8) -> Vec<u8> {
    let header = format!(
        "{{\"__metadata__\":{{\"format\":\"pt\"}},\"{name}\":{{\"dtype\":\"U8\",\"shape\":[3,5],\"data_offsets\":[0,15]}}}}"
    );
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend([value; 15]);
    file
}

/// A model of one file is a folder without an index; what else is in it goes along, but for weights.
#[test]
fn a_folder_of_one_file_and_what_is_beside_it() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("model/onnx")).unwrap();
    folder.write("model/model.safetensors", &model_file("w", 7));
    let beside = ["LICENSE", "config.json", "merges.txt", "tokenizer.json", "tokenizer.model"];
    for name in beside {
        folder.write(&format!("model/{name}"), name.as_bytes());
    }
    for name in ["pytorch_model.bin", "pytorch_model.bin.index.json", "w.GGUF", "onnx/w.onnx"] {
        folder.write(&format!("model/{name}"), b"other weights");
    }
    let packed = folder.run(&["convert", "model", "-o", "packed", "--to", "{1,0:T(2,4)}"]);
    let packed = packed.succeeded();
    for name in ["onnx", "pytorch_model.bin", "pytorch_model.bin.index.json", "w.GGUF"] {
        assert!(packed.stderr.contains(name), "{packed:?}");
    }
    let names_in = |name: &str| {
        let entries = std::fs::read_dir(folder.path(name)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let mut expected: Vec<&str> = beside.to_vec();
    expected.insert(3, "model.safetensors");
    assert_eq!(names_in("packed"), expected);
    for name in beside {
        assert_eq!(folder.read(&format!("packed/{name}")), name.as_bytes());
    }
    folder.run(&["verify", "model", "packed"]).succeeded();
    let (_, header) =
        safetensors::SafeTensors::read_metadata(&folder.read("packed/model.safetensors")).unwrap();
    assert_eq!(header.metadata().as_ref().unwrap()["format"], "pt");
    // Replaced by another one: what both have is the new one's, what only the old one has stays.
    folder.write("model/config.json", b"new");
    folder.write("packed/notes.txt", b"mine");
    let again = ["convert", "model", "-o", "packed", "--to", "{0,1}"];
    folder.run(&again).failed_with(&["exists"]);
    folder.run(&[&again[..], &["--force"]].concat()).succeeded();
    assert_eq!(folder.read("packed/config.json"), b"new");
    assert_eq!(folder.read("packed/notes.txt"), b"mine");
    // In place, all of it stays as it is, what is no file of arrays among it.
    std::fs::remove_dir_all(folder.path("model/onnx")).unwrap();
    let before = names_in("model");
    let in_place = ["convert", "model", "-o", "model", "--to", "{0,1}", "--in-place"];
    folder.run(&in_place).succeeded();
    assert_eq!(names_in("model"), before);
    folder.run(&["verify", "model", "packed"]).succeeded();
}
