//! A recorded layout is of the array that it is recorded with, or it is refused.

// Helpers of tests are tests too.
#![allow(clippy::unwrap_used)]

mod scratch;

use scratch::{Scratch, write};
use tilewright::ElementType;
use tilewright::notation::DescribedArray;
use tilewright_files::{ArrayFile, ArraySpec, CreateOptions, Error, Format, Order, StoredLayout};

/// What an array that is stored so is taken for, with this layout recorded.
fn shape(format: Format, spec: ArraySpec, layout: &str) -> Result<DescribedArray, Error> {
    let scratch = Scratch::new();
    let name = if format == Format::Npy { "w.npy" } else { "w.safetensors" };
    let spec = spec.layout(StoredLayout::new(layout, "0"));
    let mut writer =
        CreateOptions::new().create(scratch.path(name), format, std::slice::from_ref(&spec))?;
    let bytes = vec![0; usize::try_from(writer.arrays()[0].byte_len()).unwrap()];
    writer.append(0, &bytes)?;
    writer.finish()?;
    ArrayFile::open(scratch.path(name))?.described(0)
}

#[track_caller]
fn check(element_type: ElementType, dims: &[i64], layout: &str, expected: Result<(), &str>) {
    for format in [Format::Npy, Format::Safetensors] {
        let found = shape(format, ArraySpec::new("w", element_type, dims), layout);
        match (found, expected) {
            (Ok(shape), Ok(())) => assert_eq!(shape.to_string(), layout),
            (Err(error), Err(fragment)) => {
                assert!(error.is_malformed(), "{error}");
                assert!(error.to_string().contains(fragment), "{error}");
            }
            (found, expected) => panic!("{dims:?} {layout}: {found:?}, not {expected:?}"),
        }
    }
}

#[test]
fn the_dims_are_those_of_the_layout() {
    use ElementType::{Bf16, F32, U8};
    let tiled = "f32[3,5]{1,0:T(2,2)}";
    let stored = "is stored as f32 of dims [2, 3, 2, 2], and the array is";
    check(F32, &[2, 3, 2, 2], tiled, Ok(()));
    check(F32, &[24], tiled, Err(stored));
    check(F32, &[3, 2, 2, 2], tiled, Err(stored));
    check(F32, &[2, 3, 4], tiled, Err(stored));
    check(U8, &[96], tiled, Err(stored));
    check(F32, &[2, 3, 2, 3], tiled, Err("takes 96 bytes, and the array has 144"));
    check(F32, &[5, 3], "f32[3,5]{0,1}", Ok(()));
    check(F32, &[3, 5], "f32[3,5]{0,1}", Err("of dims [5, 3], and the array is"));
    // Elements below a byte are bytes, in one dimension.
    check(U8, &[8], "s4[3,5]{1,0:E(4)}", Ok(()));
    check(U8, &[2, 4], "s4[3,5]{1,0:E(4)}", Err("is stored as u8 of dims [8]"));
    // As .npy stores them, which has a type for them, and as safetensors does, which has none.
    check(U8, &[2, 3, 2, 2], "s4[3,5]{1,0:T(2,2)}", Ok(()));
    check(Bf16, &[100], "bf16[9]{0:T(8)L(100)}", Ok(()));
    // In any notation, and by name as the library has it.
    check(F32, &[8], "f32 Sw<1,1,1> o 0 o (4,2):(2,1)", Ok(()));
    check(F32, &[4, 2], "f32 Sw<1,1,1> o 0 o (4,2):(2,1)", Err("of dims [8]"));
    check(F32, &[8], "(4,2):(2,1)", Err("says no element type"));
    check(ElementType::S32, &[8, 128], "u4[128,64]@marlin", Ok(()));
    check(
        ElementType::S32,
        &[128, 8],
        "u4[128,64]@marlin",
        Err("is stored as s32 of dims [8, 128]"),
    );
    check(Bf16, &[10, 10], "bf16[9]{0:T(8)L(100)}", Err("of dims [100]"));
}

/// Its bytes would be in another order than its dims say.
#[test]
fn the_order_is_that_of_the_layout() {
    let spec = || ArraySpec::new("w", ElementType::F32, [2, 3, 2, 2]);
    let tiled = "f32[3,5]{1,0:T(2,2)}";
    shape(Format::Npy, spec().order(Order::RowMajor), tiled).unwrap();
    let error = shape(Format::Npy, spec().order(Order::ColumnMajor), tiled).unwrap_err();
    assert!(error.to_string().contains("of dims [2, 3, 2, 2] in Fortran order"), "{error}");
}

/// No file has more than 64 dims; more of them are stored as one.
#[test]
fn more_physical_dims_than_a_file_has() {
    let layout = format!("u8[2,2]{{1,0:{}}}", "T(2,2)".to_owned() + &"(1)".repeat(70));
    let logical: DescribedArray = layout.parse().unwrap();
    for format in [Format::Npy, Format::Safetensors] {
        let spec = ArraySpec::of("w", &logical, "0", format).unwrap();
        assert_eq!(spec.dims(), [4]);
        assert_eq!(shape(format, spec, &layout).unwrap(), logical);
    }
}

#[test]
fn layouts_of_arrays_that_are_not_there_are_named() {
    let scratch = Scratch::new();
    let path = scratch.path("w.safetensors");
    let entry = |name: &str| format!("\"{name}\":{{\"layout\":\"u8[1]{{0}}\",\"pad\":\"0\"}}");
    let record = format!("{{\"version\":1,\"layouts\":{{{},{}}}}}", entry("a"), entry("gone"));
    let header = serde_json::json!({
        "a": { "dtype": "U8", "shape": [1], "data_offsets": [0, 1] },
        "__metadata__": { "tilewright": record },
    })
    .to_string();
    let length = (header.len() as u64).to_le_bytes();
    std::fs::write(&path, [&length, header.as_bytes(), &[0]].concat()).unwrap();
    assert_eq!(ArrayFile::open(&path).unwrap().unused_layouts(), ["gone"]);
    let spec = ArraySpec::new("a", ElementType::U8, [1]);
    write(&CreateOptions::new().force(), &path, Format::Safetensors, &[(spec, &[1])]).unwrap();
    assert!(ArrayFile::open(&path).unwrap().unused_layouts().is_empty());
}
