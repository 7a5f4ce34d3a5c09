//! The printed Python, in one process, against tables of the maps.
//!
//! It needs numpy: `TILEWRIGHT_PYTHON` may name a Python that has it. Where there is none, the code is compiled only.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::fmt::Write;
use std::process::Command;

use support::{
    Random, all_offsets, arrays, byte_list, bytes, expected, occupied, small_pairs, succeed,
};
use tilewright_emit::{Request, Target};

const CHECKS: &str = "
def check_layout(name, dims, lowest, offsets, occupied):
    offset, index = globals()[name + '_offset'], globals()[name + '_index']
    assert globals()[name.upper() + '_ELEMENTS'] == len(offsets), name
    assert globals()[name.upper() + '_ALLOCATION'] == len(occupied), name
    found = offset(*np.indices(dims).reshape(len(dims), len(offsets)))
    assert (np.broadcast_to(found, len(offsets)) == offsets).all(), name
    slots = np.arange(-2, len(occupied) + 2)
    valid, found = index(slots + lowest)
    valid = np.broadcast_to(valid, slots.shape)
    assert (valid == [False, False, *occupied, False, False]).all(), name
    found = [np.broadcast_to(along, slots.shape)[valid] for along in found]
    assert all(((0 <= along) & (along < extent)).all() for along, extent in zip(found, dims)), name
    assert (np.asarray(offset(*found)) == slots[valid] + lowest).all(), name


def check_relayout(name, src, expected):
    found = globals()[name.split(':')[0] + '_relayout'](bytes(src))
    assert found.tolist() == expected, name


";

#[test]
fn code_agrees_with_the_maps() {
    let mut random = Random(8);
    let (mut code, mut calls) = (String::new(), String::new());
    for (number, array) in arrays(&mut random, 150).iter().enumerate() {
        let (name, map) = (format!("l{number}"), array.map());
        code += &Request { array, other: None, name: &name, dynamic: &[] }
            .emit(Target::Python)
            .unwrap();
        let occupied: Vec<u8> = occupied(map).iter().map(|&slot| slot.into()).collect();
        let dims: String = map.dims().iter().map(|dim| format!("{dim}, ")).collect();
        let (lowest, offsets) = (map.lowest_offset(), all_offsets(map));
        let _ = writeln!(
            calls,
            "check_layout('{name}', ({dims}), {lowest}, {offsets:?}, {occupied:?})"
        );
    }
    for (number, (from, to)) in small_pairs(&mut random, 150).into_iter().enumerate() {
        let name = format!("r{number}");
        code += &Request { array: &from, other: Some(&to), name: &name, dynamic: &[] }
            .emit(Target::Python)
            .unwrap();
        let src = bytes(&mut random, from.bytes());
        let dst = expected(&from, &to, &src);
        let _ = writeln!(
            calls,
            "check_relayout('{name}: {} to {}', [{}], [{}])",
            from.text(),
            to.text(),
            byte_list(&src),
            byte_list(&dst)
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.py");
    std::fs::write(&file, code + CHECKS + &calls).unwrap();
    let python = std::env::var_os("TILEWRIGHT_PYTHON").unwrap_or_else(|| "python3".into());
    let has_numpy =
        Command::new(&python).args(["-c", "import numpy"]).output().unwrap().status.success();
    match has_numpy {
        true => succeed(Command::new(&python).arg(&file)),
        false => succeed(Command::new(&python).args(["-m", "py_compile"]).arg(&file)),
    }
}
