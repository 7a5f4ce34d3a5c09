//! Arrays in the layouts of libraries, in files: what they are stored as, and from one library's to another's.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use serde_json::json;
use support::{Folder, npy};

const K: usize = 128;
const N: usize = 64;

/// Codes without a pattern.
fn codes() -> Vec<u8> {
    let mut state = 7u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some((state >> 20) as u8 & 15)
    };
    std::iter::from_fn(next).take(K * N).collect()
}

/// GPTQ's words: eight codes of a column each, the first in the low nibble.
fn gptq(codes: &[u8]) -> Vec<u8> {
    let word = |row: usize, column: usize| {
        let code = |i: usize| u32::from(codes[(8 * row + i) * N + column]) << (4 * i);
        (0..8).map(code).sum::<u32>()
    };
    let words = (0..K / 8).flat_map(|row| (0..N).map(move |column| (row, column)));
    words.flat_map(|(row, column)| word(row, column).to_le_bytes()).collect()
}

/// AWQ's words: eight columns each, in the order 0 2 4 6 1 3 5 7 from the low nibble up.
fn awq(codes: &[u8]) -> Vec<u8> {
    let word = |eight: &[u8]| {
        let order = [0, 2, 4, 6, 1, 3, 5, 7];
        order.iter().rev().fold(0u32, |word, &column| word << 4 | u32::from(eight[column]))
    };
    codes.chunks(8).flat_map(|eight| word(eight).to_le_bytes()).collect()
}

/// The data of a .npy file: what comes after its header.
fn data(bytes: &[u8]) -> &[u8] {
    &bytes[10 + usize::from(bytes[8]) + 256 * usize::from(bytes[9])..]
}

fn header(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[10..bytes.len() - data(bytes).len()]).into_owned()
}

/// GPTQ to AWQ to Marlin to plain codes and back to GPTQ, each read without being told what it is.
#[test]
fn from_library_to_library() {
    let (codes, folder) = (codes(), Folder::new());
    folder.write("gptq.npy", &npy("<i4", "(16, 64)", &gptq(&codes)));
    let convert = |from: &str, to: &str, more: &[&str]| {
        run_in(&folder, &[&["convert", from, "-o", to], more].concat());
    };
    convert("gptq.npy", "awq.npy", &["--from", "u4[128,64]@gptq", "--to", "@awq"]);
    let stored = folder.read("awq.npy");
    assert_eq!(data(&stored), awq(&codes));
    assert!(header(&stored).contains("'<i4'") && header(&stored).contains("(128, 8)"));
    convert("awq.npy", "marlin.safetensors", &["--to", "@marlin"]);
    let rows = folder.run(&["inspect", "marlin.safetensors", "--json"]).succeeded().json();
    assert_eq!(rows[0]["text"], "u4[128,64]@marlin");
    assert_eq!(rows[0]["stored_dims"], json!([8, 128]));
    assert_eq!((&rows[0]["bytes"], &rows[0]["logical_bytes"]), (&json!(4096), &json!(4096)));
    // What nobody names stays what it is.
    let all = ["--tensor", "*=@marlin", "--in-place"];
    convert("marlin.safetensors", "marlin.safetensors", &all);
    convert("marlin.safetensors", "again.npy", &["--to", "@gptq"]);
    let again = folder.read("again.npy");
    assert_eq!((data(&again), header(&again).contains("(16, 64)")), (&gptq(&codes)[..], true));
    convert("marlin.safetensors", "codes.npy", &["--to", "row-major"]);
    assert_eq!(data(&folder.read("codes.npy")), codes);
    folder.run(&["verify", "awq.npy", "again.npy"]).succeeded();
}

/// TensorRT-LLM keeps signed codes as unsigned ones: what is packed of a code is the code plus 8.
#[test]
fn codes_are_flipped_on_their_way() {
    let (codes, folder) = (codes(), Folder::new());
    let plus_8: Vec<u8> = codes.iter().map(|code| code ^ 8).collect();
    let convert = |from: &str, to: &str, more: &[&str]| {
        run_in(&folder, &[&["convert", from, "-o", to], more].concat());
    };
    folder.write("signed.npy", &npy("|u1", "(128, 64)", &codes));
    folder.write("unsigned.npy", &npy("|u1", "(128, 64)", &plus_8));
    let to = ["--to", "@trtllm(w4a16,sm80)", "--from"];
    convert("signed.npy", "s.safetensors", &[&to[..], &["s4[128,64]"]].concat());
    convert("unsigned.npy", "u.safetensors", &[&to[..], &["u4[128,64]"]].concat());
    let packed = |name: &str| folder.read(name)[folder.read(name).len() - K * N / 2..].to_vec();
    assert!(packed("s.safetensors") == packed("u.safetensors"));
    let rows = folder.run(&["inspect", "s.safetensors", "--json"]).succeeded().json();
    assert_eq!(rows[0]["text"], "s4[128,64]@trtllm(w4a16,sm80)");
    // Out again as they were, and compared without being taken apart.
    convert("s.safetensors", "gptq.npy", &["--to", "@gptq"]);
    assert!(data(&folder.read("gptq.npy")) == gptq(&plus_8)); // which is unsigned, too
    convert("s.safetensors", "back.npy", &["--to", "row-major"]);
    assert!(data(&folder.read("back.npy")) == codes);
    for same in [["s.safetensors", "gptq.npy"], ["gptq.npy", "s.safetensors"]] {
        run_in(&folder, &[&["verify"], &same[..]].concat());
    }
    let mut other = codes.clone();
    other[7 * N + 5] ^= 1;
    folder.write("other.npy", &npy("|u1", "(128, 64)", &other));
    let verify = ["verify", "other.npy", "s.safetensors", "--from-a", "s4[128,64]"];
    let outcome = folder.run(&verify);
    assert_eq!(outcome.code, 1);
    assert!(outcome.stdout.contains("differs at index [7, 5]"), "{}", outcome.stdout);
}

/// What XLA's notation cannot say: AITER's scales of an array that is no multiple of their tiles.
#[test]
fn ragged_scales_of_aiter() {
    let folder = Folder::new();
    let scales: Vec<u8> = (1..=15).collect();
    folder.write("w.npy", &npy("|u1", "(5, 3)", &scales));
    let from = ["--from", "f8e8m0fnu[5,3]"];
    run_in(
        &folder,
        &[&["convert", "w.npy", "-o", "p.npy", "--to", "@aiter.scales"], &from[..]].concat(),
    );
    let packed = folder.read("p.npy");
    let mut found: Vec<u8> = data(&packed).iter().copied().filter(|byte| *byte != 0x7f).collect();
    found.sort_unstable();
    assert_eq!(found, scales);
    assert_eq!(data(&packed).len(), 256 * 8);
    run_in(&folder, &["convert", "p.npy", "-o", "b.npy", "--to", "row-major"]);
    assert_eq!(data(&folder.read("b.npy")), scales);
    run_in(&folder, &[&["verify", "p.npy", "w.npy", "--from-b", "f8e8m0fnu[5,3]"][..]].concat());
}

/// Two libraries' files, whose arrays say nothing of what they are.
#[test]
fn verify_what_libraries_have_stored() {
    let (codes, folder) = (codes(), Folder::new());
    folder.write("gptq.npy", &npy("<i4", "(16, 64)", &gptq(&codes)));
    folder.write("awq.npy", &npy("<i4", "(128, 8)", &awq(&codes)));
    let said = ["--from-a", "u4@gptq", "--from-b", "*=u4@awq"];
    run_in(&folder, &[&["verify", "gptq.npy", "awq.npy"], &said[..]].concat());
    let outcome = folder.run(&["verify", "gptq.npy", "awq.npy"]);
    assert_eq!(outcome.code, 1, "{}", outcome.stdout);
}

fn run_in(folder: &Folder, arguments: &[&str]) {
    folder.run(arguments).succeeded();
}

/// A model's layers, told apart by their names: weights and zero points from GPTQ's to AWQ's, the rest as it was.
#[test]
fn all_of_a_model() {
    let (codes, folder) = (codes(), Folder::new());
    let zeros: Vec<u8> = codes[..4 * N].to_vec();
    let in_rows: Vec<u8> = zeros.chunks(2).map(|pair| pair[0] | pair[1] << 4).collect();
    let parts = [
        ("a.bias", "F16", "[64]", vec![7; 128]),
        ("a.qweight", "I32", "[16,64]", gptq(&codes)),
        ("a.qzeros", "I32", "[4,8]", in_rows),
    ];
    let mut header = Vec::new();
    let mut data = Vec::new();
    for (name, dtype, shape, bytes) in &parts {
        let end = data.len() + bytes.len();
        header.push(format!(
            r#""{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{},{end}]}}"#,
            data.len()
        ));
        data.extend(bytes);
    }
    let header = format!("{{{}}}", header.join(","));
    let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat();
    folder.write("gptq.safetensors", &file);
    let from = ["--from", "*.qweight=u4@gptq", "--from", "*.qzeros=u4@gptq.zeros"];
    let to = ["--tensor", "*.q*=@awq"];
    let convert = |names: [&str; 2], more: &[&str]| {
        folder.run(&[&["convert", names[0], "-o", names[1]], more].concat()).succeeded();
    };
    convert(["gptq.safetensors", "awq.safetensors"], &[&from[..], &to].concat());
    let rows = folder.run(&["inspect", "awq.safetensors", "--json"]).succeeded().json();
    let texts: Vec<&str> =
        rows.as_array().unwrap().iter().map(|row| row["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["f16[64]{0}", "u4[128,64]@awq", "u4[4,64]@awq"]);
    let awq_file = folder.read("awq.safetensors");
    let expected = [vec![7; 128], awq(&codes), awq(&zeros)].concat();
    assert!(awq_file.ends_with(&expected));
    let back = ["--tensor", "*.qweight=@gptq", "--tensor", "*.qzeros=@gptq.zeros"];
    convert(["awq.safetensors", "back.safetensors"], &back);
    assert!(folder.read("back.safetensors").ends_with(&data));
    let to = ["--tensor", "*.qweight=@awq", "--from"];
    let refused = [&["convert", "gptq.safetensors", "-o", "x.safetensors"], &to[..]].concat();
    let refused = |from: &str, says: &str| {
        folder.run(&[&refused[..], &[from]].concat()).failed_with(&[says]);
    };
    refused("*.nothing=u4@gptq", "no array has a name like `*.nothing`");
    refused("*.qweight=u4@marlin", "no u4 array in `marlin` is stored as I32[16,64]");
    refused("*.qweight=u4@merlin", "no layout is called `merlin`");
}

#[test]
fn scales_are_padded_as_the_library_pads_them() {
    let folder = Folder::new();
    folder.write("scales.npy", &npy("|u1", "(20, 3)", &[0x40; 60]));
    let convert = ["convert", "scales.npy", "-o", "packed.npy", "--to", "@aiter.n32k4"];
    folder.run(&convert).succeeded();
    let packed = folder.read("packed.npy");
    let count = |byte: u8| data(&packed).iter().filter(|other| **other == byte).count();
    assert_eq!((count(0x40), count(0x7f)), (60, 32 * 4 - 60));
    let record = String::from_utf8(folder.read("packed.npy.layout.json")).unwrap();
    assert!(record.contains("u8[20,3]@aiter.n32k4") && record.contains("0x7f"), "{record}");
    folder.run(&["convert", "packed.npy", "-o", "back.npy", "--to", "row-major"]).succeeded();
    assert_eq!(data(&folder.read("back.npy")), [0x40; 60]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = Folder::new();
    folder.write("codes.npy", &npy("|u1", "(128, 60)", &[1; 128 * 60]));
    let to = |layout: &str, says: &str| {
        let from = ["--from", "u4[128,60]"];
        let all = [&["convert", "codes.npy", "-o", "x.npy", "--to", layout][..], &from].concat();
        folder.run(&all).failed_with(&[says]);
    };
    to("@marlin", "needs N to be a multiple of 64, and it is 60");
    to("@merlin", "no layout is called `merlin`");
    to("u4[128,64]@awq", "it is u4[128,60], not u4[128,64]");
    // A record that has got to another array of as many bytes.
    folder.write("gptq.npy", &npy("<i4", "(16, 64)", &gptq(&codes())));
    let label = r#"{"version":1,"layouts":{"w":{"layout":"u4[128,64]@awq","pad":"0"}}}"#;
    let header = format!(
        r#"{{"__metadata__":{{"tilewright":{}}},"w":{{"dtype":"I32","shape":[16,64],"data_offsets":[0,4096]}}}}"#,
        serde_json::to_string(label).unwrap()
    );
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(gptq(&codes()));
    folder.write("wrong.safetensors", &file);
    let said = ["inspect", "wrong.safetensors"];
    folder.run(&said).failed_with(&["is stored as", "and the array is"]);
}
