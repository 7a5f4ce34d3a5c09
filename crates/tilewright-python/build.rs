//! What an extension module is linked with where no Python tool builds it: on macOS, leave to take its functions from
//! whoever loads it.

fn main() {
    // Nothing else of the package bears on it.
    println!("cargo:rerun-if-changed=build.rs");
    pyo3_build_config::add_extension_module_link_args();
}
