//! The printed Rust, compiled in one go and run, against tables of the maps.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::fmt::Write;
use std::process::Command;

use support::{Random, all_offsets, arrays, bytes, expected, occupied, small_pairs, succeed};
use tilewright_emit::{Array, Request, Target};

fn check_of_layout(array: &Array, name: &str) -> String {
    let map = array.map();
    let rank = map.dims().len();
    let arguments: Vec<String> = (0..rank).map(|dim| format!("i[{dim}]")).collect();
    let occupied = occupied(map).iter().map(bool::to_string).collect::<Vec<_>>().join(",");
    format!(
        "fn check_{name}() {{
    let dims: [i64; {rank}] = {dims:?};
    let offsets: &[i64] = &{offsets:?};
    let occupied: &[bool] = &[{occupied}];
    assert_eq!(({upper}_ELEMENTS, {upper}_ALLOCATION), ({elements}, {allocation}));
    for (e, &expected) in offsets.iter().enumerate() {{
        let mut i = [0i64; {rank}];
        let mut rest = e as i64;
        for d in (0..{rank}).rev() {{ i[d] = rest % dims[d]; rest /= dims[d]; }}
        assert_eq!({name}_offset({arguments}), expected, \"{name} at {{e}}\");
    }}
    for s in -2..{allocation} + 2i64 {{
        let is_occupied = s >= 0 && s < {allocation} && occupied[s as usize];
        let found = {name}_index(s + ({lowest}));
        assert_eq!(found.is_some(), is_occupied, \"{name} at slot {{s}}\");
        if let Some(i) = found {{
            assert!(i.iter().zip(&dims).all(|(i, d)| (0..*d).contains(i)));
            assert_eq!({name}_offset({arguments}), s + ({lowest}), \"{name} at slot {{s}}\");
            let _ = i;
        }}
    }}
}}
",
        dims = map.dims(),
        offsets = all_offsets(map),
        upper = name.to_uppercase(),
        elements = map.elements(),
        allocation = map.allocation(),
        lowest = map.lowest_offset(),
        arguments = arguments.join(", "),
    )
}

#[test]
fn compiled_code_agrees_with_the_maps() {
    let mut random = Random(6);
    let (mut code, mut calls) = (String::new(), String::new());
    for (number, array) in arrays(&mut random, 100).iter().enumerate() {
        let name = format!("l{number}");
        code +=
            &Request { array, other: None, name: &name, dynamic: &[] }.emit(Target::Rust).unwrap();
        code += &check_of_layout(array, &name);
        let _ = writeln!(calls, "    check_{name}();");
    }
    for (number, (from, to)) in small_pairs(&mut random, 80).into_iter().enumerate() {
        let name = format!("r{number}");
        code += &Request { array: &from, other: Some(&to), name: &name, dynamic: &[] }
            .emit(Target::Rust)
            .unwrap();
        let src = bytes(&mut random, from.bytes());
        let _ = writeln!(
            code,
            "fn check_{name}() {{
    let src: &[u8] = b\"{}\";
    let expected: &[u8] = b\"{}\";
    let mut dst = vec![0xa5u8; {}];
    {name}_relayout(src, &mut dst);
    assert!(dst == expected, \"{name}\");
}}",
            src.escape_ascii(),
            expected(&from, &to, &src).escape_ascii(),
            to.bytes(),
        );
        let _ = writeln!(calls, "    check_{name}();");
    }
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("all.rs"), folder.path().join("all"));
    // What a sum of one term and a constant are made of is in parentheses, here as everywhere.
    let code = format!(
        "#![deny(warnings)]\n#![forbid(unsafe_code)]\n#![allow(dead_code, unused_parens)]\n{code}fn main() {{\n{calls}}}\n"
    );
    std::fs::write(&source, code).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let options = ["--edition", "2021", "-C", "debug-assertions=on", "-C", "opt-level=0", "-o"];
    succeed(Command::new(rustc).args(options).arg(&binary).arg(&source));
    succeed(&mut Command::new(&binary));
}
