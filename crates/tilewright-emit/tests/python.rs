//! The printed Python, in one process, against tables of the maps.
//!
//! It needs numpy: `TILEWRIGHT_PYTHON` may name a Python that has it. Where there is none, the code is compiled only.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::fmt::Write;

use support::{Random, all_offsets, arrays, bytes, expected, occupied, small_pairs};
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
            "check_relayout('{name}: {} to {}', b'{}', list(b'{}'))",
            from.text(),
            to.text(),
            src.escape_ascii(),
            dst.escape_ascii()
        );
    }
    support::run_python(&(code + CHECKS + &calls));
}

/// As much of Triton as the kernels use, in numpy: a program is one call, pointers are arrays with offsets.
const TRITON: &str = "
import sys
import types
import numpy as np


class Pointer:
    def __init__(self, memory, at=0):
        self.memory, self.at = memory, at

    def __add__(self, offsets):
        return Pointer(self.memory, self.at + offsets)


def load(pointer, mask, other):
    mask = np.broadcast_to(mask, pointer.at.shape)
    value = np.full(pointer.at.shape, other, pointer.memory.dtype)
    value[mask] = pointer.memory[pointer.at[mask]]
    return value


def store(pointer, value, mask):
    mask = np.broadcast_to(mask, pointer.at.shape)
    pointer.memory[pointer.at[mask]] = value[mask]


tl = types.ModuleType('triton.language')
tl.constexpr, tl.load, tl.store, tl.where, tl.static_range = int, load, store, np.where, range
tl.arange, tl.zeros, tl.full, tl.program_id = np.arange, np.zeros, np.full, lambda axis: tl.program
tl.cast = lambda value, dtype: np.asarray(value).astype(dtype)
for width in (8, 16, 32, 64):
    setattr(tl, f'uint{width}', np.dtype(f'uint{width}'))
    setattr(tl, f'int{width}', np.dtype(f'int{width}'))
triton = types.ModuleType('triton')
triton.jit, triton.language = (lambda function: function), tl
triton.cdiv, tl.trans = lambda a, b: -(-a // b), np.transpose
sys.modules['triton'], sys.modules['triton.language'] = triton, tl


def check_kernel(name, src, expected):
    kernel = globals()[name.split(':')[0] + '_relayout']
    words = kernel.__doc__.split('tl.uint')
    src_bits, dst_bits = [int(part.split(',')[0].split('.')[0]) for part in words[1:3]]
    programs, = globals()[name.split(':')[0] + '_grid'](64)
    src = np.frombuffer(bytes(src) + bytes(-len(src) % (src_bits // 8)), f'uint{src_bits}')
    dst = np.full(-(-len(expected) * 8 // dst_bits) + 8, 0xa5, f'uint{dst_bits}')
    for program in range(programs):
        tl.program = program
        kernel(Pointer(src), Pointer(dst), 64)
    assert dst.view(np.uint8)[:len(expected)].tolist() == expected, name


";

#[test]
fn triton_kernels_move_every_byte() {
    let mut random = Random(9);
    let (mut code, mut calls) = (String::new(), String::new());
    for (number, array) in arrays(&mut random, 60).iter().enumerate() {
        let (name, map) = (format!("l{number}"), array.map());
        code += &Request { array, other: None, name: &name, dynamic: &[] }
            .emit(Target::Triton)
            .unwrap();
        let dims: String = map.dims().iter().map(|dim| format!("{dim}, ")).collect();
        let offsets = all_offsets(map);
        let _ = writeln!(
            calls,
            "check_triton('{name}', ({dims}), {}, {offsets:?}, {:?})",
            map.lowest_offset(),
            occupied(map).iter().map(|&slot| u8::from(slot)).collect::<Vec<_>>()
        );
    }
    for (number, (from, to)) in small_pairs(&mut random, 100).into_iter().enumerate() {
        let name = format!("r{number}");
        let request = Request { array: &from, other: Some(&to), name: &name, dynamic: &[] };
        let Ok(kernel) = request.emit(Target::Triton) else {
            // Elements of 6 or 20 bits begin within bytes, and a thread has no byte of its own there.
            let widths = [from.element_bits(), to.element_bits()];
            assert!(widths.iter().any(|bits| !bits.is_power_of_two()), "{}", from.text());
            continue;
        };
        code += &kernel;
        let src = bytes(&mut random, from.bytes());
        let dst = expected(&from, &to, &src);
        let _ = writeln!(
            calls,
            "check_kernel('{name}: {} to {}', b'{}', list(b'{}'))",
            from.text(),
            to.text(),
            src.escape_ascii(),
            dst.escape_ascii()
        );
    }
    let layouts = CHECKS.split("def check_relayout").next().unwrap();
    let layouts = layouts
        .split("def check_layout")
        .nth(1)
        .map(|rest| format!("def check_triton{rest}"))
        .unwrap()
        .replace("    assert globals()[name.upper() + '_ELEMENTS'] == len(offsets), name\n", "")
        .replace("    assert globals()[name.upper() + '_ALLOCATION'] == len(occupied), name\n", "")
        .replace("globals()[name + '_index']", "globals().get(name + '_index')")
        .replace(
            "    slots = np.arange",
            "    if index is None:\n        return\n    slots = np.arange",
        )
        .replace(
            "valid, found = index(slots + lowest)",
            "found = index(slots + lowest)\n    valid, *found = found if dims else [found]",
        );
    support::run_python(&(TRITON.to_owned() + &code + &layouts + &calls));
}
