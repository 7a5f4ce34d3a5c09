//! XLA text against XLA's own parser and printer, as frozen in `data/` by `cargo xtask oracle`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use tilewright::text::Diagnostic;
use tilewright::xla::{ParseOptions, parse_shape};

const STRICT: ParseOptions = ParseOptions { strict: true, fill_missing_layouts: true };

fn printed(text: &str, options: ParseOptions) -> Result<String, Diagnostic> {
    parse_shape(text, options).map(|parsed| parsed.value.to_string())
}

#[test]
fn valid_shapes_print_as_xla_prints_them() {
    for row in support::rows("xla-text.tsv") {
        for options in [ParseOptions::default(), STRICT] {
            match printed(&row[0], options) {
                Ok(ours) => assert_eq!(ours, row[1], "{}", row[0]),
                Err(error) => panic!("{}\n{error}", row[0]),
            }
        }
    }
}

#[test]
fn what_is_printed_reads_back() {
    for row in support::rows("xla-text.tsv") {
        let shape = parse_shape(&row[0], STRICT).unwrap().value;
        assert_eq!(parse_shape(&shape.to_string(), STRICT).unwrap().value, shape, "{}", row[0]);
    }
}

/// What reading refuses although XLA's parser takes it, because it means nothing: the beginning
/// of our message, and of what it says was expected.
const NONSENSE: &[(&str, &str)] = &[
    ("dimension", ""),                       // {0,0}, {2,0}
    ("tile dimension", ""),                  // T(0,2)
    ("a tile needs", ""),                    // T()
    ("the last `*`", ""),                    // T(2,*)
    ("the tail padding alignment", ""),      // L(0)
    ("the element size in bits", ""),        // E(-4)
    ("the memory space", ""),                // S(300)
    ("the size of the metadata prefix", ""), // M(9223372036854775808)
    ("the index type cannot", ""),           // #(f32)
    ("the pointer type cannot", ""),         // *(f32)
    ("unknown element type `token`", ""),    // #(token)
    ("the split dimension", ""),             // SC(5:2)
    ("split ", ""),                          // SC(0:3,2,1), SC(0:99)
    ("dimension 0 is split twice", ""),      // SC(0:1)(0:2)
    ("the element count", ""),               // f32[4611686018427387904,2]
    ("the size in bytes", ""),               // f32[9223372036854775807]
    ("the number does not fit", ""),         // T(9223372036854775808)
    ("unexpected", "`(`"),                   // {0:S}
    ("unexpected", "`)`"),                   // S(1}
    ("unexpected", "`,` or `)`"),            // T(2,2}, T(**)
    ("unexpected", "a size"),                // T(2)(}
    ("unexpected", "`:`"),                   // SC(2}
    ("unexpected", "the "),                  // L(*)
    ("unexpected", "an element type"),       // #()
    ("unexpected", "a dimension level"),     // D()
];

fn is_nonsense(error: &Diagnostic) -> bool {
    let expected = error.expectation().unwrap_or("");
    NONSENSE
        .iter()
        .any(|(message, start)| error.message().starts_with(message) && expected.starts_with(start))
}

#[test]
fn mutated_shapes_strictly() {
    let mut agreed = 0;
    for row in support::rows("xla-mutated.tsv") {
        match (printed(&row[0], STRICT), row[1].as_str()) {
            (Ok(ours), "ok") => {
                assert_eq!(ours, row[2], "{}", row[0]);
                agreed += 1;
            }
            (Ok(_), xla) => panic!("{:?}: read, but XLA: {xla}", row[0]),
            (Err(error), "ok") => {
                assert!(is_nonsense(&error), "XLA reads {:?} as {}\n{error}", row[0], row[2]);
            }
            (Err(_), _) => agreed += 1,
        }
    }
    assert!(agreed > 7000, "only {agreed} agree");
}

/// Whether a text uses something that is read beyond XLA.
fn uses_superset(text: &str) -> bool {
    let lower = without_comments(text).to_lowercase();
    let compact: String = lower.chars().filter(|c| !c.is_whitespace()).collect();
    let has_upper_type = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| word.len() > 1 && word != "SC" && word != word.to_lowercase());
    has_upper_type
        || text.contains('∗')
        || ["-1,", "-1)", "{}", ":(", "pad("].iter().any(|mark| compact.contains(mark))
        || attributes_out_of_order(&compact)
}

fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    kept + rest
}

fn attributes_out_of_order(compact: &str) -> bool {
    const ORDER: &[&str] = &["d(", "t(", "l(", "#(", "*(", "e(", "s(", "sc(", "p(", "m("];
    compact.split('{').filter_map(|layout| layout.split_once(':')).any(|(_, attributes)| {
        let place = |name: &str| -> Option<usize> {
            let at = attributes.find(name)?;
            let alone = at == 0 || !attributes.as_bytes()[at - 1].is_ascii_alphanumeric();
            alone.then_some(at)
        };
        let places: Vec<usize> = ORDER.iter().filter_map(|name| place(name)).collect();
        !places.is_sorted()
    })
}

#[test]
fn mutated_shapes_are_never_read_silently() {
    for row in support::rows("xla-mutated.tsv") {
        match printed(&row[0], ParseOptions::default()) {
            Ok(ours) if row[1] == "ok" => assert_eq!(ours, row[2], "{}", row[0]),
            Ok(ours) => assert!(uses_superset(&row[0]), "{:?} is read as {ours}", row[0]),
            Err(error) => {
                let at_end = error.span().end <= row[0].len();
                assert!(at_end, "the span of {:?} is outside\n{error}", row[0]);
            }
        }
    }
}

/// XLA's validation of a shape, after its parser took it. Reading covers both.
#[test]
fn invalid_shapes_are_diagnosed() {
    let mut invalid = 0;
    for row in support::rows("xla-validate.tsv") {
        let parsed = parse_shape(&row[0], ParseOptions::default());
        let sparse = row[2].contains("but is not a sparse array");
        match (parsed, row[1].as_str()) {
            (Ok(parsed), "invalid") if sparse => {
                assert!(!parsed.warnings.is_empty(), "{}", row[0]);
                invalid += 1;
            }
            (Ok(_), "valid") => {}
            (Err(_), "invalid") => invalid += 1,
            (Ok(parsed), _) => panic!("{} is read as {}: {}", row[0], parsed.value, row[2]),
            (Err(error), _) => panic!("XLA finds {} valid\n{error}", row[0]),
        }
    }
    assert!(invalid > 500, "only {invalid} invalid");
}

/// A scalar has no dimension to pad: `PAD()` is read, and is nothing from then on, so that proto bytes,
/// where a list of no widths is no field, lose none of what is printed.
#[test]
fn padding_of_a_scalar_is_none() {
    let scalar = |text| parse_shape(text, ParseOptions::default()).unwrap().value;
    for text in ["f32[]{:PAD()}", "f32[]{:PAD(;1)}"] {
        assert_eq!(scalar(text), scalar("f32[]"), "{text}");
    }
    assert_eq!(scalar("f32[]{:PAD() M(123)}").to_string(), "f32[]{:M(123)}");
    let without_dims = tilewright::xla::Padding::new([], None).unwrap();
    let layout = tilewright::xla::Layout::default().with_padding(Some(without_dims)).unwrap();
    assert_eq!(layout.padding(), None);
    let emptied = "{0:PAD(8)}".parse::<tilewright::xla::Layout>().unwrap().delete_dimension(0);
    assert_eq!(emptied.unwrap().to_string(), "{}");
}

#[cfg(feature = "proto")]
#[test]
fn a_scalar_that_was_padded_goes_through_proto_bytes() {
    let shape: tilewright::Shape = "f32[]{:PAD() M(123)}".parse().unwrap();
    let again = tilewright::Shape::from_proto_bytes(&shape.to_proto_bytes()).unwrap();
    assert_eq!((again.to_string(), &again), (shape.to_string(), &shape));
}

#[cfg(feature = "proto")]
#[test]
fn proto_bytes_are_xlas() {
    use tilewright::Shape;
    for row in support::rows("xla-proto.tsv") {
        let shape: Shape = row[0].parse().unwrap();
        let bytes = shape.to_proto_bytes();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, row[1], "{}", row[0]);
        assert_eq!(Shape::from_proto_bytes(&bytes).unwrap(), shape, "{}", row[0]);
    }
}
