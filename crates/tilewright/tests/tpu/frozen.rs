//! The rule beside what libtpu answered.

use tilewright::formats::tpu::{Chip, argument_bytes, default_shape};
use tilewright::{ArrayShape, ElementType};

use crate::support::{rows, text};

/// The generations of each column, from the heading of the data.
fn columns() -> Vec<Vec<Chip>> {
    let heading = text("tpu-layouts.tsv");
    let heading = heading.lines().next().unwrap();
    let columns = heading.split("its layout on ").skip(1);
    let chips = |column: &str| {
        column.trim_end_matches(", ").split(' ').map(|chip| chip.parse().unwrap()).collect()
    };
    columns.map(chips).collect()
}

#[test]
fn every_default_layout_is_the_compilers() {
    let columns = columns();
    let mut chips = columns.concat();
    chips.sort();
    assert_eq!(chips, Chip::ALL);
    let mut wrong = Vec::new();
    let mut n_compared = 0;
    for row in rows("tpu-layouts.tsv") {
        let shape: ArrayShape = row[0].parse().unwrap();
        for (column, chips) in columns.iter().enumerate() {
            let layouts = &row[1..=column + 1];
            let layout = layouts.iter().rev().find(|layout| *layout != "=").unwrap();
            let expected = format!("{}{}", row[0], if layout == "{}" { "" } else { layout });
            for &chip in chips {
                n_compared += 1;
                let got = default_shape(&shape, chip).unwrap().to_string();
                if got != expected {
                    wrong.push(format!("{expected} on {chip}, not {got}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {n_compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_compared > 30_000);
}

#[test]
fn the_data_has_every_type_and_rank() {
    let rows = rows("tpu-layouts.tsv");
    for &element_type in ElementType::ALL.iter().filter(|t| t.bits() != 6) {
        for rank in 0..=7 {
            let has = rows.iter().any(|row| {
                let shape: ArrayShape = row[0].parse().unwrap();
                shape.element_type() == element_type && shape.rank() == rank
            });
            assert!(has, "no {element_type} of rank {rank}");
        }
    }
}

#[test]
fn every_size_is_the_compilers() {
    let mut n_dynamic = 0;
    for row in rows("tpu-sizes.tsv") {
        let shape: ArrayShape = row[0].parse().unwrap();
        n_dynamic += usize::from(shape.dims().iter().any(|dim| dim.is_dynamic()));
        let bytes: i64 = row[1].parse().unwrap();
        assert_eq!(argument_bytes(&shape).unwrap(), bytes, "{shape}");
        for chip in row[2].split(' ') {
            let chip: Chip = chip.parse().unwrap();
            let bare = shape.clone().without_layout();
            assert_eq!(default_shape(&bare, chip).unwrap(), shape, "on {chip}");
        }
    }
    assert!(n_dynamic > 50, "{n_dynamic}");
}

/// Nothing is padded beyond the first tile: the exact size is the compiler's.
#[test]
fn tiles_inside_tiles_add_no_padding() {
    for row in rows("tpu-layouts.tsv").iter().step_by(4) {
        let shape: ArrayShape = row[0].parse().unwrap();
        for chip in Chip::ALL {
            let shape = default_shape(&shape, chip).unwrap();
            assert_eq!(shape.bytes().unwrap(), argument_bytes(&shape).unwrap(), "{shape}");
        }
    }
}
