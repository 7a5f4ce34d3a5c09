//! Every target's body on stable Rust: its seeds, and mutations of these, as many as the table says.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail, and says what it did"
)]

use tilewright_fuzz::campaign::Campaign;
use tilewright_fuzz::{TARGETS, Target, corpus};

/// Most seeds that are run as they are.
const MOST_SEEDS: usize = 400;

#[track_caller]
fn replay(name: &str) {
    let target = Target::of(name).expect("a target");
    let seeds = corpus::seeds(name);
    assert!(!seeds.is_empty(), "{name} has no seeds");
    let step = seeds.len().div_ceil(MOST_SEEDS);
    let run: Vec<bool> = seeds.iter().step_by(step).map(|seed| (target.body)(seed)).collect();
    let n_read = run.iter().filter(|is_read| **is_read).count();
    // Seeds that nothing can be made of would test nothing but the first line of a reader.
    assert!(2 * n_read > run.len(), "{n_read} of {} seeds of {name} are read", run.len());
    corpus::kept(name).iter().for_each(|seed| {
        (target.body)(seed);
    });
    let campaign = Campaign::new(target, 0);
    let mut mutated = Vec::new();
    let n_read_mutated = (0..target.replayed).filter(|&number| {
        campaign.make(number, &mut mutated);
        campaign.run(&mutated)
    });
    let n_read_mutated = n_read_mutated.count();
    assert!(n_read_mutated > 0, "no mutation of {name} is read");
    println!(
        "{name}: {n_read} of {} seeds and {n_read_mutated} of {} mutations are read",
        run.len(),
        target.replayed
    );
}

macro_rules! replayed {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                replay(stringify!($name));
            }
        )*

        #[test]
        fn every_target_is_replayed() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

replayed! {
    xla_text tla_text algebra onednn_tag numpy_strides named_layout literal xla_proto hlo_text memory_report npy safetensors
    index_json gguf layout_record zarr checkpoint_config questions relayout emitted canonical algebra_laws discovered
}

/// Each target has a binary, and each binary is a target's.
#[test]
fn every_target_has_a_binary() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/fuzz_targets");
    let files = std::fs::read_dir(folder).expect("the folder of the targets");
    let name = |file: std::io::Result<std::fs::DirEntry>| {
        let name = file.expect("a file").file_name().into_string().expect("a name");
        name.strip_suffix(".rs").expect("a file of Rust").to_owned()
    };
    let mut files: Vec<String> = files.map(name).collect();
    let mut names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    files.sort_unstable();
    names.sort_unstable();
    assert_eq!(files, names);
}
