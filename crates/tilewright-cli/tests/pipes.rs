//! Answers that cannot be written, and readers that have gone.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use std::fs::OpenOptions;
use std::io::Write;
use std::process::{Command, Stdio};

use support::{Folder, example, npy};

/// The exit status and stderr with this for stdout.
fn run_into(folder: &Folder, arguments: &[&str], stdin: &str, stdout: Stdio) -> (i32, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tilewright"))
        .args(arguments)
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that stops reading early is part of what is tested.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// A pipe that nobody reads.
fn nobody() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// A disk that is full.
fn full() -> Stdio {
    OpenOptions::new().write(true).open("/dev/full").unwrap().into()
}

#[test]
fn no_is_no_though_nobody_hears_it() {
    let folder = Folder::new();
    folder.write("a.npy", &npy("<f4", "(2,)", &[0; 8]));
    folder.write("b.npy", &npy("<f4", "(2,)", &[1; 8]));
    for (arguments, code) in [
        (&["same", "f32[8]", "f32[8]"][..], 0),
        (&["same", "f32[8,8]", "f32[8,8]{0,1}"], 1),
        (&["bitcast", "f32[8]", "f32[9]"], 1),
        (&["verify", "a.npy", "b.npy"], 1),
        (&["verify", "a.npy", "a.npy"], 0),
        (&["show", "f32[8"], 2),
    ] {
        for json in [&[][..], &["--json"]] {
            let arguments = [arguments, json].concat();
            let (found, stderr) = run_into(&folder, &arguments, "", nobody());
            assert_eq!(found, code, "{arguments:?}: {stderr}");
            assert_eq!(stderr.is_empty(), code != 2, "{arguments:?}: {stderr}");
        }
    }
}

#[test]
fn a_batch_with_errors_has_failed_though_nobody_hears_it() {
    let folder = Folder::new();
    let (good, bad) = ("f32[8]\n".repeat(3), "f32[8]\nnonsense\nf32[9]\n");
    for (lines, code) in [(&good[..], 0), (bad, 2)] {
        for json in [&[][..], &["--json"]] {
            let arguments = [&["show", "-"][..], json].concat();
            assert_eq!(run_into(&folder, &arguments, lines, nobody()).0, code, "{arguments:?}");
        }
    }
}

/// There is no end to these lines; the command ends with its reader.
#[test]
fn a_batch_ends_with_its_reader() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tilewright"))
        .args(["show", "-"])
        .stdin(Stdio::piped())
        .stdout(nobody())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    while stdin.write_all(b"f32[8,8]{0,1}\n").is_ok() {}
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = Folder::new();
    folder.write("w.safetensors", &std::fs::read(example()).unwrap());
    for arguments in
        [&["show", "f32[8]"][..], &["--version"], &["--help"], &["completions", "bash"]]
    {
        let (code, stderr) = run_into(&folder, arguments, "", full());
        assert_eq!(code, 2, "{arguments:?}: {stderr}");
        assert!(
            stderr.contains("cannot write to stdout: No space left"),
            "{arguments:?}: {stderr}"
        );
    }
    let (code, stderr) = run_into(&folder, &["show", "-"], &"f32[8]\n".repeat(5000), full());
    assert_eq!((code, stderr.matches("cannot write to stdout").count()), (2, 1), "{stderr}");
}

#[test]
fn a_conversion_that_is_done_says_so() {
    let folder = Folder::new();
    folder.write("w.safetensors", &std::fs::read(example()).unwrap());
    let arguments = ["convert", "w.safetensors", "-o", "out.safetensors", "--to", "row-major"];
    let (code, stderr) = run_into(&folder, &arguments, "", full());
    assert_eq!(code, 2);
    assert!(
        stderr.contains("out.safetensors is in place, but the answer cannot be written to stdout"),
        "{stderr}"
    );
    folder.run(&["verify", "w.safetensors", "out.safetensors"]).succeeded();
}
