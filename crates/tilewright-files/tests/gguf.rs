//! GGUF files: what Python's `gguf` wrote, and files put together byte by byte.

// Helpers of tests are tests too.
#![allow(clippy::unwrap_used)]

mod scratch;

use std::path::PathBuf;

use scratch::Scratch;
use tilewright::ElementType;
use tilewright::formats::gguf::GgufType;
use tilewright_files::{
    ArrayFile, ArraySpec, CreateOptions, Format, GgufFile, GgufTensor, GgufValue, GgufValueType,
    limits,
};

const UINT8: u32 = 0;
const UINT32: u32 = 4;
const BOOL: u32 = 7;
const STRING: u32 = 8;
const ARRAY: u32 = 9;

const F32: u32 = 0;
const Q4_0: u32 = 2;
const Q4_K: u32 = 12;

/// A file as it is put together: the counts are what is in it unless they are said.
#[derive(Clone)]
struct Builder {
    version: u32,
    n_tensors: Option<u64>,
    n_entries: Option<u64>,
    entries: Vec<Vec<u8>>,
    infos: Vec<Vec<u8>>,
    alignment: usize,
    data: Vec<u8>,
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

fn info(name: &str, dims: &[u64], id: u32, offset: u64) -> Vec<u8> {
    let mut bytes = text(name);
    bytes.extend((dims.len() as u32).to_le_bytes());
    bytes.extend(dims.iter().flat_map(|size| size.to_le_bytes()));
    bytes.extend(id.to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes
}

fn array(element_type: u32, len: u64, values: &[u8]) -> Vec<u8> {
    [&element_type.to_le_bytes()[..], &len.to_le_bytes(), values].concat()
}

impl Builder {
    fn new() -> Self {
        Builder {
            version: 3,
            n_tensors: None,
            n_entries: None,
            entries: Vec::new(),
            infos: Vec::new(),
            alignment: 32,
            data: Vec::new(),
        }
    }

    fn entry(mut self, key: &str, value_type: u32, value: &[u8]) -> Self {
        self.entries.push([&text(key)[..], &value_type.to_le_bytes(), value].concat());
        self
    }

    fn aligned(mut self, alignment: u32) -> Self {
        self.alignment = alignment as usize;
        self.entry("general.alignment", UINT32, &alignment.to_le_bytes())
    }

    /// A tensor whose dims are as the file has them, the row's length first.
    fn tensor(mut self, name: &str, dims: &[u64], id: u32, offset: u64) -> Self {
        self.infos.push(info(name, dims, id, offset));
        self
    }

    fn data(mut self, len: usize) -> Self {
        self.data = scratch::pattern(len as u64, 5);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend(self.version.to_le_bytes());
        bytes.extend(self.n_tensors.unwrap_or(self.infos.len() as u64).to_le_bytes());
        bytes.extend(self.n_entries.unwrap_or(self.entries.len() as u64).to_le_bytes());
        bytes.extend(self.entries.concat());
        bytes.extend(self.infos.concat());
        bytes.resize(bytes.len().next_multiple_of(self.alignment.max(1)), 0);
        bytes.extend(&self.data);
        bytes
    }

    /// The file opened.
    fn open(&self) -> GgufFile {
        GgufFile::open(Scratch::new().put("w.gguf", self.bytes())).unwrap()
    }

    /// Opening fails with these words.
    #[track_caller]
    fn refused(&self, fragments: &[&str]) {
        refused(&self.bytes(), fragments);
    }
}

#[track_caller]
fn refused(bytes: &[u8], fragments: &[&str]) {
    let error = GgufFile::open(Scratch::new().put("w.gguf", bytes)).unwrap_err();
    let message = error.to_string();
    for fragment in [&["w.gguf: "], fragments].concat() {
        assert!(message.contains(fragment), "no `{fragment}` in {message}");
    }
    assert!(error.is_malformed() || error.is_unsupported(), "{message}");
    assert!(message.len() < 1000, "an error of {} bytes", message.len());
}

#[test]
fn what_is_in_a_file() {
    let builder = Builder::new()
        .aligned(64)
        .entry("name", STRING, &text("small"))
        .entry("is", BOOL, &[1])
        .entry("tokens", ARRAY, &array(STRING, 12, &text("a").repeat(12)))
        .entry("scores", ARRAY, &array(UINT8, 3, &[1, 2, 3]))
        .tensor("q", &[64, 3], Q4_0, 0)
        .tensor("f", &[2, 5, 1], F32, 128)
        .data(128 + 40);
    for version in [2, 3] {
        let file = Builder { version, ..builder.clone() }.open();
        assert_eq!((file.version(), file.alignment()), (version, 64));
        assert_eq!(file.value("name"), Some(&GgufValue::Text("small".into())));
        assert_eq!(file.value("is"), Some(&GgufValue::Bool(true)));
        assert_eq!(file.value("other"), None);
        let Some(GgufValue::Array(tokens)) = file.value("tokens") else { panic!() };
        assert_eq!((tokens.element_type, tokens.len), (GgufValueType::Text, 12));
        assert_eq!(tokens.first.len(), limits::MAX_GGUF_SHOWN);
        assert_eq!(file.value("scores").unwrap().to_string(), "[1, 2, 3]");

        let [q, f] = file.tensors() else { panic!() };
        assert_eq!((q.name(), q.dims(), q.byte_len()), ("q", &[3, 64][..], 6 * 18));
        assert_eq!((f.name(), f.dims(), f.byte_len()), ("f", &[1, 5, 2][..], 40));
        assert_eq!((q.gguf_type().name(), f.gguf_type().name()), ("Q4_0", "F32"));
        assert_eq!(f.file_offset() - q.file_offset(), 128);
        let mut bytes = [0; 40];
        file.read_tensor("f", &mut bytes).unwrap();
        assert_eq!(bytes, builder.data[128..]);
    }
}

#[test]
fn strange_but_legal() {
    assert_eq!(Builder::new().open().tensors(), []);
    let file = Builder::new()
        .entry("", ARRAY, &array(ARRAY, 2, &array(UINT8, 1, &[7]).repeat(2)))
        .entry("bytes", STRING, &[2, 0, 0, 0, 0, 0, 0, 0, 0xFF, b'x'])
        .tensor("one", &[], F32, 0)
        .tensor("none", &[32, 0], Q4_0, 32)
        .tensor("of no row", &[0, 5], Q4_K, 32)
        .data(4)
        .open();
    assert_eq!(file.value("").unwrap().to_string(), "[[7], [7]]");
    assert_eq!(file.value("bytes"), Some(&GgufValue::Text("\u{fffd}x".into())));
    let lengths: Vec<u64> = file.tensors().iter().map(GgufTensor::byte_len).collect();
    assert_eq!(lengths, [4, 0, 0]);
    assert!(file.codes("none").unwrap().is_empty());
    assert_eq!(file.values("one", "codes").unwrap().len(), 1);
}

#[test]
fn heads_that_are_refused() {
    let new = Builder::new;
    refused(b"", &["the header", "needs 4 bytes"]);
    refused(b"GGUG\x03\0\0\0", &["does not begin with `GGUF`"]);
    refused(b"ggjt\x03\0\0\0", &["does not begin with `GGUF`"]);
    refused(b"GGUF\x03\0\0\0", &["a number", "cut short?"]);
    Builder { version: 1, ..new() }.refused(&["version 1", "32 bits"]);
    Builder { version: 0, ..new() }.refused(&["version 0"]);
    Builder { version: 4, ..new() }.refused(&["version 4"]);
    Builder { version: 3 << 24, ..new() }.refused(&["big-endian", "of version 3"]);

    new().entry("general.alignment", UINT32, &[0; 4]).refused(&["is 0 of type u32"]);
    new().entry("general.alignment", UINT32, &[48, 0, 0, 0]).refused(&["is 48", "power of two"]);
    new().entry("general.alignment", UINT8, &[32]).refused(&["is 32 of type u8"]);
    new().entry("a", UINT8, &[1]).entry("a", UINT8, &[1]).refused(&["key `a` appears twice"]);
    new().entry("a", 13, &[1]).refused(&["metadata entry 0 (`a`)", "type is 13"]);
    new().entry("a", ARRAY, &array(99, 0, &[])).refused(&["(`a`)", "type is 99"]);
    new().entry("a", BOOL, &[2]).refused(&["a bool is 2"]);
    let key = "\u{1b}".repeat(70_000);
    new().entry(&key, UINT8, &[1]).refused(&["the length of a key is 70000, over the limit"]);

    let bytes = new().entry("name", STRING, &text("small")).bytes();
    let end = 24 + 12 + 4 + 8 + 5;
    for cut in 4..end {
        refused(&bytes[..cut], &["cut short?"]);
    }
}

#[test]
fn tensors_that_are_refused() {
    let new = Builder::new;
    let ones = |builder: Builder| builder.data(4096);
    ones(new().tensor("w", &[33], Q4_0, 0)).refused(&["(`w`)", "a row of 33", "records of 32"]);
    ones(new().tensor("w", &[], Q4_0, 0)).refused(&["a row of 1"]);
    ones(new().tensor("w", &[32], 9, 0)).refused(&["the type 9 is none"]);
    ones(new().tensor("w", &[1; 5], F32, 0)).refused(&["is 5, over the limit of 4"]);
    ones(new().tensor("w", &[1], F32, 8)).refused(&["byte 8 of the data, not a multiple of 32"]);
    ones(new().tensor("w", &[1], F32, 4096))
        .refused(&["`w` has 4 bytes from byte 4096", "has 4096"]);
    ones(new().tensor("w", &[1], F32, u64::MAX - 31)).refused(&["`w` has 4 bytes"]);
    ones(new().tensor("w", &[1025], F32, 0)).refused(&["`w` has 4100 bytes", "cut short?"]);
    ones(new().tensor("w", &[1 << 40, 1 << 40], F32, 0)).refused(&["does not fit in 64 bits"]);
    ones(new().tensor("w", &[1 << 62, 0, 4], F32, 0)).refused(&["does not fit in 64 bits"]);
    ones(new().tensor("w", &[u64::MAX], F32, 0)).refused(&["a dimension is 18446744073709551615"]);
    let twice = new().tensor("w", &[1], F32, 0).tensor("w", &[1], F32, 32);
    ones(twice).refused(&["tensor `w` appears twice"]);
    let over = new().tensor("a", &[9], F32, 32).tensor("b", &[9], F32, 0);
    ones(over).refused(&["tensor `a` begins at byte", "inside of `b`"]);
    let same = new().tensor("a", &[8], F32, 0).tensor("b", &[8], F32, 0);
    ones(same).refused(&["inside of"]);
    let name = "n".repeat(5000);
    ones(new().tensor(&name, &[1], F32, 0)).refused(&["the length of a name is 5000"]);
    let mut latin = new();
    latin.infos.push([&[1, 0, 0, 0, 0, 0, 0, 0, 0xE9][..], &[0; 16]].concat());
    latin.refused(&["tensor 0", "a name is not UTF-8"]);
}

/// Counts and lengths that are not there are refused before anything is done for them.
#[test]
fn claims_are_compared_with_the_file() {
    let new = Builder::new;
    for count in [100, 1000, 1 << 20, 1 << 40, u64::MAX] {
        Builder { n_tensors: Some(count), ..new() }.refused(&["the header"]);
        Builder { n_entries: Some(count), ..new() }.refused(&["the header"]);
        let long = [&count.to_le_bytes()[..], b"ab"].concat();
        new().entry("a", STRING, &long).refused(&["metadata entry 0 (`a`)"]);
        for element_type in [UINT8, UINT32, STRING, ARRAY] {
            let values = array(element_type, count, &[]);
            new().entry("a", ARRAY, &values).refused(&["metadata entry 0 (`a`)", "an array"]);
        }
    }
    let mut deep = array(UINT8, 0, &[]);
    deep.splice(0..0, array(ARRAY, 1, &[]).repeat(100_000));
    new().entry("a", ARRAY, &deep).refused(&["nested deeper than the limit of 4"]);
}

#[test]
fn questions_that_are_refused() {
    let file = Builder::new()
        .tensor("q", &[32], Q4_0, 0)
        .tensor("i", &[256], 16, 32)
        .tensor("f", &[1], F32, 128)
        .data(200)
        .open();
    let check = |outcome: Result<Vec<u8>, tilewright_files::Error>, fragment: &str| {
        let error = outcome.unwrap_err();
        assert!(error.is_request() && error.to_string().contains(fragment), "{error}");
    };
    check(file.codes("nowhere"), "no tensor `nowhere`");
    check(file.codes("i"), "tensor `i`: the codes of IQ2_XXS are no layout");
    check(file.codes("f"), "the codes of F32 have 32 bits");
    check(file.values("q", "low").map(|_| Vec::new()), "Q4_0 has no field `low`");
    check(file.read_tensor("q", &mut [0; 17]).map(|()| Vec::new()), "has 18 bytes, not 17");
}

#[test]
fn an_array_file_has_rows_of_blocks() {
    let builder =
        Builder::new().tensor("f", &[2, 5], F32, 64).tensor("q", &[64, 1], Q4_0, 0).data(64 + 40);
    let scratch = Scratch::new();
    for name in ["w.gguf", "w.bin"] {
        let file = ArrayFile::open(scratch.put(name, builder.bytes())).unwrap();
        assert_eq!(file.format(), Format::Gguf);
        let [q, f] = file.arrays() else { panic!() };
        assert_eq!((q.name(), q.element_type(), q.dims()), ("q", ElementType::U8, &[1, 36][..]));
        assert_eq!((f.name(), f.element_type(), f.dims()), ("f", ElementType::F32, &[5, 2][..]));
        assert_eq!(file.described(1).unwrap().to_string(), "f32[5,2]{1,0}");
        assert_eq!(scratch::data(&file, 0), builder.data[..36]);
    }
    let spec = ArraySpec::new("w", ElementType::U8, [4]);
    let outcome = CreateOptions::new().create(scratch.path("out.gguf"), Format::Gguf, &[spec]);
    let error = outcome.map(drop).unwrap_err();
    assert!(error.is_request() && error.to_string().contains("only as a copy"), "{error}");
}

/// Field by field, what is read is what the maps say: more than one piece, and rows of several blocks.
#[test]
fn values_lie_where_the_maps_say() {
    for one in GgufType::all() {
        let record = one.record();
        let row = 3 * record.elements() as u64;
        let len = record.array_bytes(&[2, row as i64]).unwrap() as usize;
        let file = Builder::new().tensor("w", &[row, 2], one.id(), 0).data(len).open();
        let mut bytes = vec![0; len];
        file.read_tensor("w", &mut bytes).unwrap();
        let bits_at = |first: i64, n: u32| {
            (0..i64::from(n)).fold(0u64, |sum, i| {
                let bit = (first + i) as usize;
                sum | u64::from(bytes[bit / 8] >> (bit % 8) & 1) << i
            })
        };
        for field in record.fields() {
            let map = one.field_map(field.name(), file.tensors()[0].dims()).unwrap();
            let width = i64::from(field.bits());
            let offsets = map.offsets().unwrap().into_iter();
            let expected: Vec<u64> =
                offsets.map(|offset| bits_at(offset * width, field.bits())).collect();
            let whole = file.values("w", field.value()).unwrap();
            let mask = u64::MAX >> (64 - field.bits());
            let part: Vec<u64> = whole.iter().map(|value| value >> field.shift() & mask).collect();
            assert_eq!(part, expected, "{} {}", one.name(), field.name());
            assert_eq!(file.values("w", field.name()).unwrap(), expected);
        }
        if record.value_bits("codes").is_some_and(|bits| bits <= 8) {
            let wide: Vec<u64> = file.codes("w").unwrap().into_iter().map(u64::from).collect();
            assert_eq!(wide, file.values("w", "codes").unwrap());
        }
    }
}

/// A tensor of more than is read at once.
#[test]
fn long_tensors_are_read_in_pieces() {
    let n_blocks = 200_000;
    let builder = Builder::new().tensor("w", &[32, n_blocks], Q4_0, 0).data(n_blocks as usize * 18);
    let codes = builder.open().codes("w").unwrap();
    for block in [0, 1, 58_253, 58_254, 58_255, n_blocks as usize - 1] {
        for i in 0..32 {
            let byte = builder.data[block * 18 + 2 + i % 16];
            assert_eq!(codes[block * 32 + i], (byte >> (i / 16 * 4)) & 15, "{block} {i}");
        }
    }
}

fn mixed() -> PathBuf {
    let data = "../tilewright/tests/data/gguf-mixed.gguf";
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(data)
}

#[test]
fn the_metadata_that_gguf_wrote() {
    let file = GgufFile::open(mixed()).unwrap();
    assert_eq!((file.version(), file.alignment()), (3, 64));
    let check = |key: &str, value_type: &str, shown: &str| {
        let value = file.value(key).unwrap();
        assert_eq!((value.value_type().name(), &value.to_string()[..]), (value_type, shown));
    };
    check("general.architecture", "text", "\"mixed\"");
    check("test.u8", "u8", "200");
    check("test.i8", "i8", "-100");
    check("test.u16", "u16", "60000");
    check("test.i16", "i16", "-30000");
    check("test.u32", "u32", "4000000000");
    check("test.i32", "i32", "-2000000000");
    check("test.f32", "f32", "0.5");
    check("test.bool", "bool", "true");
    check("test.u64", "u64", "9223372036854775808");
    check("test.i64", "i64", "-4611686018427387904");
    check("test.f64", "f64", "0.1");
    check("test.scores", "array", "[0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, …]");
    let Some(GgufValue::Array(tokens)) = file.value("test.tokens") else { panic!() };
    assert_eq!((tokens.len, &tokens.first[7]), (20, &GgufValue::Text("token 7".into())));
}

#[test]
fn plain_tensors_that_gguf_wrote() {
    let file = ArrayFile::open(mixed()).unwrap();
    let of = |name: &str| {
        let array = file.find(name).unwrap();
        (file.arrays()[array].element_type(), scratch::data(&file, array))
    };
    let (_, bytes) = of("plain.int32");
    let numbers: Vec<i32> =
        bytes.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect();
    let check = |name: &str, element_type: ElementType, bytes_of: fn(i32) -> Vec<u8>| {
        let expected: Vec<u8> = numbers.iter().copied().flat_map(bytes_of).collect();
        assert_eq!(of(name), (element_type, expected), "{name}");
    };
    check("plain.float32", ElementType::F32, |n| (n as f32).to_le_bytes().into());
    check("plain.float64", ElementType::F64, |n| f64::from(n).to_le_bytes().into());
    check("plain.int8", ElementType::S8, |n| (n as i8).to_le_bytes().into());
    check("plain.int16", ElementType::S16, |n| (n as i16).to_le_bytes().into());
    check("plain.int64", ElementType::S64, |n| i64::from(n).to_le_bytes().into());
    check("plain.bfloat16", ElementType::Bf16, |n| (n as f32).to_le_bytes()[2..].into());
    assert_eq!(of("plain.float16").0, ElementType::F16);
}

/// Whatever byte of the head is another: an error, or a file whose tensors can be read.
#[test]
fn changed_bytes() {
    let whole = std::fs::read(mixed()).unwrap();
    let head = GgufFile::open(mixed()).unwrap().tensors()[0].file_offset() as usize;
    let scratch = Scratch::new();
    let mut n_opened = 0;
    for place in 0..head {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        let Ok(file) = GgufFile::open(scratch.put("w.gguf", bytes)) else { continue };
        n_opened += 1;
        for tensor in file.tensors() {
            let codes = file.values(tensor.name(), "codes");
            assert_eq!(codes.is_err(), tensor.gguf_type().no_codes().is_some(), "byte {place}");
        }
    }
    assert!((100..head).contains(&n_opened), "{n_opened} of {head} bytes");
}

/// The number that an f16 is.
fn f16(bits: u64) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = ((bits >> 10 & 31) as i32, (bits & 1023) as f32);
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

/// What ggml multiplies an MXFP4 block by: half of 2 to the power of the exponent.
fn e8m0_half(bits: u64) -> f32 {
    2f32.powi(bits as i32 - 128)
}

/// What ggml multiplies 16 elements of NVFP4 by: half of the number.
fn e4m3_half(bits: u64) -> f32 {
    let (exponent, fraction) = ((bits >> 3 & 15) as i32, (bits & 7) as f32);
    match exponent {
        0 => fraction * 2f32.powi(-10),
        _ => (8.0 + fraction) * 2f32.powi(exponent - 11),
    }
}

/// The values of E2M1, doubled.
const E2M1: [f32; 16] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, -0.0, -1.0, -2.0, -3.0, -4.0, -6.0, -8.0, -12.0];

/// The values of IQ4_NL and IQ4_XS.
const IQ4: [f32; 16] = [
    -127.0, -104.0, -83.0, -65.0, -49.0, -35.0, -22.0, -10.0, 1.0, 13.0, 25.0, 38.0, 53.0, 69.0,
    89.0, 113.0,
];

/// One tensor of the file that `gguf` wrote, and what it made of its blocks.
struct Tensor<'a> {
    file: &'a GgufFile,
    name: String,
    values: Vec<f32>,
}

impl<'a> Tensor<'a> {
    fn new(file: &'a GgufFile, of: &str) -> Self {
        let values = file.values(&format!("values.{of}"), "codes").unwrap();
        let values = values.into_iter().map(|bits| f32::from_bits(bits as u32)).collect();
        Tensor { file, name: format!("w.{of}"), values }
    }

    /// A field's values, each as often as it has elements.
    fn spread(&self, of: &str) -> Vec<u64> {
        let values = self.file.values(&self.name, of).unwrap();
        let n_each = self.values.len() / values.len();
        values.into_iter().flat_map(|value| std::iter::repeat_n(value, n_each)).collect()
    }

    /// Each element by this formula of the fields' values, in their order.
    #[track_caller]
    fn check<const N: usize>(&self, fields: [&str; N], formula: impl Fn([u64; N]) -> f32) {
        let fields = fields.map(|name| self.spread(name));
        for (i, expected) in self.values.iter().enumerate() {
            let found = formula(fields.each_ref().map(|field| field[i]));
            assert_eq!(found, *expected, "{} element {i}", self.name);
        }
    }
}

/// Fields put together again are what `gguf` makes of the blocks, to the bit.
#[test]
fn fields_make_the_numbers_that_gguf_makes() {
    let file = GgufFile::open(mixed()).unwrap();
    let check = |of: &str| Tensor::new(&file, of);
    let signed = |bits: u64| f32::from(bits as u8 as i8);
    check("Q4_0").check(["d", "codes"], |[d, c]| f16(d) * (c as f32 - 8.0));
    check("Q4_1").check(["d", "m", "codes"], |[d, m, c]| f16(d) * c as f32 + f16(m));
    check("Q5_0").check(["d", "codes"], |[d, c]| f16(d) * (c as f32 - 16.0));
    check("Q5_1").check(["d", "m", "codes"], |[d, m, c]| f16(d) * c as f32 + f16(m));
    check("Q8_0").check(["d", "codes"], |[d, c]| f16(d) * signed(c));
    for of in ["Q2_K", "Q4_K", "Q5_K"] {
        check(of).check(["d", "dmin", "scales", "mins", "codes"], |[d, dmin, s, m, c]| {
            (f16(d) * s as f32) * c as f32 - f16(dmin) * m as f32
        });
    }
    check("Q3_K").check(["d", "scales", "codes"], |[d, s, c]| {
        (f16(d) * (s as f32 - 32.0)) * (c as f32 - 4.0)
    });
    check("Q6_K")
        .check(["d", "scales", "codes"], |[d, s, c]| (f16(d) * signed(s)) * (c as f32 - 32.0));
    check("TQ2_0").check(["d", "codes"], |[d, c]| f16(d) * (c as f32 - 1.0));
    check("IQ4_NL").check(["d", "codes"], |[d, c]| f16(d) * IQ4[c as usize]);
    check("IQ4_XS").check(["d", "scales", "codes"], |[d, s, c]| {
        (f16(d) * (s as f32 - 32.0)) * IQ4[c as usize]
    });
    check("MXFP4").check(["scales", "codes"], |[s, c]| e8m0_half(s) * E2M1[c as usize]);
    check("NVFP4").check(["scales", "codes"], |[s, c]| e4m3_half(s) * E2M1[c as usize]);
}
