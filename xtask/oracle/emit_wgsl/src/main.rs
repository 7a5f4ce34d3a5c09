//! emit-wgsl: the WGSL of `tilewright emit`, compiled and run.
//!
//! Oracle: a Vulkan driver (Debian's `mesa-vulkan-drivers` brings lavapipe, which runs on the CPU) through `wgpu`. Each
//! offset, each index, and each byte of a relayout is compared with tables of the map, which the example `cases` of
//! `tilewright-emit` writes to the file that is this program's argument.

mod case;
mod device;
mod driver;

use std::error::Error;
use std::process::ExitCode;

use case::Case;
use device::Device;
use wgpu::ShaderModule;

type Checked = Result<(), Box<dyn Error>>;

/// Bytes behind the destination that nothing may write.
const GUARD: usize = 16;

/// What memory holds where nothing has been written.
const FRESH: u8 = 0xa5;

/// Workgroups of a launch; most relayouts have more words or tiles than these have invocations.
const N_GROUPS: u32 = 3;

/// An invocation for each question.
const GROUP_SIZE: usize = 64;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("emit-wgsl: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Checked {
    let file = std::env::args_os().nth(1).ok_or("usage: tilewright-emit-wgsl CASES")?;
    let text = std::fs::read_to_string(file)?;
    let device = Device::new()?;
    let (mut n_layouts, mut n_relayouts, mut n_staged, mut n_refused) = (0, 0, 0, 0);
    for line in text.lines() {
        let case: Case = serde_json::from_str(line)?;
        let Some(code) = case.code.get("wgsl") else {
            n_refused += 1;
            continue;
        };
        let module = device.module(&format!("{code}{}", driver::text(&case)));
        check_offsets(&case, &device, &module)?;
        check_indexes(&case, &device, &module)?;
        n_layouts += 1;
        if case.to.is_some() {
            check_relayout(&case, &device, &module)?;
            n_relayouts += 1;
            n_staged += usize::from(code.contains("workgroupBarrier()"));
        }
    }
    if n_layouts == 0 || n_relayouts == 0 || n_staged == 0 {
        return Err("there are no cases of some kind".into());
    }
    println!(
        "emit-wgsl: {n_layouts} shaders, {n_relayouts} of them relayouts, {n_staged} of these through workgroup \
         memory, agree on {}; {n_refused} refused",
        device.name()
    );
    Ok(())
}

fn check_offsets(case: &Case, device: &Device, module: &ShaderModule) -> Checked {
    if case.offsets.is_empty() {
        return Ok(());
    }
    let asked: Vec<i32> = case.indexes().concat();
    let found = ask(device, module, &format!("{}_offsets", case.name), &asked, case.offsets.len())?;
    same(case, "offsets", &found, &case.offsets)
}

/// Where elements share slots, several indexes are right.
fn check_indexes(case: &Case, device: &Device, module: &ShaderModule) -> Checked {
    let (rank, places) = (case.dims.len(), case.places());
    let asked: Vec<i32> = places.iter().map(|(offset, _)| *offset).collect();
    let n = asked.len() * (rank + 1);
    let found = ask(device, module, &format!("{}_indexes", case.name), &asked, n)?;
    let (mut expected, is_injective) = (Vec::with_capacity(n), case.is_injective());
    for (found, (_, place)) in found.chunks(rank + 1).zip(&places) {
        match place {
            Some(_) if !is_injective => expected.extend([&[1], &found[1..]].concat()),
            Some(index) => expected.extend([&[1], index.as_slice()].concat()),
            None => expected.extend(vec![0; rank + 1]),
        }
    }
    same(case, "indexes", &found, &expected)
}

/// Asks an entry point, an invocation a question, for so many numbers.
fn ask(
    device: &Device,
    module: &ShaderModule,
    entry: &str,
    asked: &[i32],
    n: usize,
) -> Result<Vec<i32>, Box<dyn Error>> {
    let mut src: Vec<u8> = asked.iter().flat_map(|number| number.to_le_bytes()).collect();
    src.resize(src.len().max(4), 0);
    let groups = n.div_ceil(GROUP_SIZE).max(1) as u32;
    let bindings = [driver::ASKED, driver::FOUND];
    let dst = device.run(module, entry, bindings, (&src, &vec![FRESH; n * 4]), None, groups)?;
    Ok(dst
        .chunks_exact(4)
        .map(|bytes| i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .collect())
}

/// Buffers are of whole words of 32 bits, and bits behind the last slot are 0.
fn check_relayout(case: &Case, device: &Device, module: &ShaderModule) -> Checked {
    let (mut src, mut dst) = case.bytes_before_and_after()?;
    src.resize(src.len().next_multiple_of(16).max(16), FRESH);
    let n_words = dst.len().next_multiple_of(4);
    dst.resize(n_words, 0);
    let n_guarded = (n_words + GUARD).next_multiple_of(16);
    dst.resize(n_guarded, FRESH);
    let entry = format!("{}_relayout", case.name);
    let found = device.run(
        module,
        &entry,
        [0, 1],
        (&src, &vec![FRESH; n_guarded]),
        case.argument,
        N_GROUPS,
    )?;
    same(case, "bytes", &found, &dst)
}

/// Says where a table differs from what is found.
fn same<T: PartialEq + std::fmt::Display>(
    case: &Case,
    what: &str,
    found: &[T],
    expected: &[T],
) -> Checked {
    if found.len() != expected.len() {
        return Err(format!("{case}: {what}: {} for {}", found.len(), expected.len()).into());
    }
    match found.iter().zip(expected).position(|(found, expected)| found != expected) {
        Some(at) => {
            Err(format!("{case}: {what}: entry {at} is {}, not {}", found[at], expected[at]).into())
        }
        None => Ok(()),
    }
}
