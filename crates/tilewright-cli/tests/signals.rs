//! A conversion that a signal ends leaves nothing, and says with its exit status which it was.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use support::{Folder, example};
use xxhash_rust::xxh3::xxh3_64;

/// Keeps an output from being put in place, as another process does that is about to: whatever was
/// begun now waits for it.
struct Held {
    lock: File,
    name: String,
}

impl Held {
    fn of(folder: &Folder, target: &str) -> Self {
        let name = format!(".tilewright-{:016x}.lock", xxh3_64(target.as_bytes()));
        folder.write(&name, format!("tilewright lock 1\n{target}").as_bytes());
        let lock = File::options().read(true).write(true).open(folder.path(&name)).unwrap();
        lock.lock().unwrap();
        Held { lock, name }
    }
}

/// Said aloud: a child of another test that has not begun its program yet has the file open too.
impl Drop for Held {
    fn drop(&mut self) {
        self.lock.unlock().unwrap();
    }
}

/// A folder with a model in it, as a folder of shards.
fn with_model() -> Folder {
    let folder = Folder::new();
    let example = example();
    let args = ["convert", example.to_str().unwrap(), "-o", "w.safetensors", "--to", "row-major"];
    folder.run(&args).succeeded();
    std::fs::create_dir(folder.path("model")).unwrap();
    std::fs::rename(folder.path("w.safetensors"), folder.path("model/a.safetensors")).unwrap();
    let bytes = folder.read("model/a.safetensors");
    let names = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let map: serde_json::Map<String, serde_json::Value> =
        names.names().into_iter().map(|name| (name.to_owned(), "a.safetensors".into())).collect();
    let index = serde_json::json!({ "weight_map": map }).to_string();
    folder.write("model/model.safetensors.index.json", index.as_bytes());
    folder
}

/// Has children hear signals that this process ignores, as a shell has its jobs in the background do:
/// what is heard here has its default in a child.
fn let_children_hear() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let ignored = u64::from_str_radix(ignored.trim(), 16).unwrap();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if ignored >> (signal - 1) & 1 == 1 {
            signal_hook::flag::register(signal, Arc::default()).unwrap();
        }
    }
}

/// A conversion of the model that has begun, and cannot end while the output's name is held.
fn begun(folder: &Folder, shell: &str) -> Child {
    let_children_hear();
    let command = format!(
        "{shell} exec {} convert model -o out --to column-major",
        env!("CARGO_BIN_EXE_tilewright")
    );
    let child = Command::new("sh")
        .args(["-c", &command])
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !folder.names().iter().any(|name| name.ends_with(".new")) {
        std::thread::yield_now();
    }
    child
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_signal_ends_it_and_nothing_is_left() {
    let folder = with_model();
    let held = Held::of(&folder, "out");
    for (signal, code, name) in
        [("-INT", 130, "SIGINT"), ("-TERM", 143, "SIGTERM"), ("-HUP", 129, "SIGHUP")]
    {
        let child = begun(&folder, "");
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("error: ended by {name}\n"));
        assert_eq!(folder.names(), [held.name.as_str(), "model"]);
    }
}

/// As under `nohup`.
#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let folder = with_model();
    let held = Held::of(&folder, "out");
    let child = begun(&folder, "trap '' HUP;");
    send("-HUP", &child);
    drop(held);
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(folder.names(), ["model", "out"]);
}

/// SIGKILL leaves what was being made; the next output to the folder clears it away.
#[test]
fn what_is_left_goes_with_the_next_output() {
    let folder = with_model();
    let held = Held::of(&folder, "out");
    let mut child = begun(&folder, "");
    send("-KILL", &child);
    child.wait().unwrap();
    assert_eq!(folder.names().len(), 4, "{:?}", folder.names());
    drop(held);
    let args = ["convert", "model/a.safetensors", "-o", "b.safetensors", "--to", "row-major"];
    folder.run(&args).succeeded();
    assert_eq!(folder.names(), ["b.safetensors", "model"]);
}

/// `ulimit -f` is in blocks of 512 or 1024 bytes.
#[test]
fn a_file_that_may_not_be_so_large_is_said() {
    let folder = with_model();
    let command = format!(
        "ulimit -f 8; exec {} convert model/a.safetensors -o b.safetensors --to row-major",
        env!("CARGO_BIN_EXE_tilewright")
    );
    let output =
        Command::new("sh").args(["-c", &command]).current_dir(folder.path("")).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("b.safetensors: cannot make room for the file: File too large"),
        "{stderr}"
    );
    assert_eq!(folder.names(), ["model"]);
}
