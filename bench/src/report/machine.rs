//! The heading: which machine, which versions. No names of hosts, users or folders.

use std::fs;
use std::process::Command;

use crate::arguments::Arguments;
use crate::cases::Size;
use crate::peers::cores;
use crate::session::Field;

const LOCK: &str = include_str!("../../Cargo.lock");

/// Two or three lines about the run.
pub(crate) fn heading(arguments: &Arguments, field: &Field) -> Vec<String> {
    let quick = match arguments.size {
        Size::Full => "",
        Size::Quick => " Quick: smaller arrays and fewer rounds.",
    };
    let [processor, system] = alone();
    vec![processor, format!("{system}{quick}"), format!("Peers: {}.", peers(field))]
}

/// A line about the processor and one about the system.
pub(crate) fn alone() -> [String; 2] {
    let processor = format!("{}, {} cores, {}, {}.", model(), cores(), caches(), simd());
    let system =
        format!("Linux {}, glibc {}, {}, huge pages: {}.", kernel(), glibc(), rustc(), huge());
    [processor, system]
}

fn model() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("model name"));
    line.map_or("unknown processor".to_owned(), |name| {
        name.trim_matches([' ', '\t', ':']).to_owned()
    })
}

/// `L1d 32K, L2 512K, L3 32768K`: what one core sees.
fn caches() -> String {
    let mut caches = Vec::new();
    for index in 0..8 {
        let of = |what: &str| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}");
            fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
        };
        let (level, kind, size) = (of("level"), of("type"), of("size"));
        match kind.as_str() {
            "Data" => caches.push(format!("L{level}d {size}")),
            "Unified" => caches.push(format!("L{level} {size}")),
            _ => (),
        }
    }
    if caches.is_empty() { "caches unknown".to_owned() } else { caches.join(", ") }
}

fn simd() -> String {
    let features = [
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("AVX-512F", is_x86_feature_detected!("avx512f")),
        ("AVX-512BW", is_x86_feature_detected!("avx512bw")),
        ("AVX-512VBMI", is_x86_feature_detected!("avx512vbmi")),
        ("GFNI", is_x86_feature_detected!("gfni")),
    ];
    let found: Vec<&str> = features.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
    if found.is_empty() { "SSE2".to_owned() } else { found.join(" ") }
}

/// The version numbers at the front of the release; what follows them is somebody's own name.
fn kernel() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    release.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default().to_owned()
}

fn glibc() -> String {
    // SAFETY: the function gives a string that ends in a zero byte and lives as long as the process.
    let version = unsafe { std::ffi::CStr::from_ptr(libc::gnu_get_libc_version()) };
    version.to_string_lossy().into_owned()
}

fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output().ok();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

fn huge() -> String {
    let path = "/sys/kernel/mm/transparent_hugepage/enabled";
    let text = fs::read_to_string(path).unwrap_or_default();
    let chosen = text.split(['[', ']']).nth(1);
    chosen.unwrap_or("none").to_owned()
}

fn peers(field: &Field) -> String {
    let crates = ["strided-perm", "ndarray", "transpose", "fast_transpose"];
    let mut peers: Vec<(String, String)> = Vec::new();
    let onednn = field.onednn.map_or("not installed".to_owned(), |onednn| onednn.version());
    peers.push(("onednn".to_owned(), onednn));
    peers.extend(crates.map(|name| (name.to_owned(), locked(name).to_owned())));
    let python = field.python_versions();
    for name in ["numpy", "jax", "jaxlib", "torch"] {
        let version = python.iter().find(|(of, _)| of == name).map(|(_, version)| version.as_str());
        peers.push((name.to_owned(), version.unwrap_or("not installed").to_owned()));
    }
    peers.iter().map(|(name, version)| format!("{name} {version}")).collect::<Vec<_>>().join(", ")
}

/// The version of a crate in the lock file.
fn locked(name: &str) -> &'static str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let rest = LOCK.split_once(&entry).map(|(_, rest)| rest);
    rest.and_then(|rest| rest.split('"').next()).unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert_eq!(locked("ndarray"), "0.17.2");
        assert_eq!(locked("no such crate"), "unknown");
    }

    #[test]
    fn a_kernel_release_is_cut_to_its_numbers() {
        assert!(kernel().chars().all(|c| c.is_ascii_digit() || c == '.'));
        assert!(!kernel().is_empty());
    }
}
