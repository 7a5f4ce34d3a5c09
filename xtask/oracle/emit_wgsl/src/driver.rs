//! WGSL that calls the functions of a layout.

use crate::case::Case;

/// The binding of what is asked; a relayout has 0 and 1.
pub(crate) const ASKED: u32 = 2;

/// The binding of what is found.
pub(crate) const FOUND: u32 = 3;

/// Entry points that call the functions of a layout for each index and for each offset.
pub(crate) fn text(case: &Case) -> String {
    let (name, rank) = (&case.name, case.dims.len());
    let index: Vec<String> =
        (0..rank).map(|dim| format!("{name}_asked[e * {rank} + {dim}]")).collect();
    let (width, last) = (rank + 1, case.last());
    let stores: String = (0..rank)
        .map(|dim| format!("    {name}_found[e * {width} + {dim} + 1] = place.i[{dim}];\n"))
        .collect();
    let mut text = format!(
        "
@group(0) @binding({ASKED}) var<storage, read> {name}_asked: array<i32>;
@group(0) @binding({FOUND}) var<storage, read_write> {name}_found: array<i32>;

@compute @workgroup_size(64)
fn {name}_indexes(@builtin(global_invocation_id) id: vec3<u32>) {{
    let e = i32(id.x);
    if (e >= {}) {{ return; }}
    let place = {name}_index({name}_asked[e]{last});
    {name}_found[e * {width}] = select(0, 1, place.valid);
{stores}}}
",
        case.places().len()
    );
    if !case.offsets.is_empty() {
        // What is asked is read also where there is one index, that of an array without dimensions.
        text += &format!(
            "
@compute @workgroup_size(64)
fn {name}_offsets(@builtin(global_invocation_id) id: vec3<u32>) {{
    let e = i32(id.x);
    if (e >= {}) {{ return; }}
    {name}_found[e] = {name}_offset({}{last}) + {name}_asked[0] * 0;
}}
",
            case.offsets.len(),
            index.join(", ")
        );
    }
    text
}
