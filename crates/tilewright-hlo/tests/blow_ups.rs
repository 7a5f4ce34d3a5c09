//! The padding that people asked about, from the reports they pasted: the sizes that XLA printed
//! are ours to the byte, and there is a format without the padding.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use tilewright_hlo::{Dump, Report, printed_size};

/// A thread, the shape in it, and the bytes of the array with and without padding.
const THREADS: [(&str, &str, i64, i64); 5] = [
    ("flowpm 27", "s32[8388608,8,4]{2,1,0:T(8,128)}", 32 << 30, 1 << 30),
    ("jax 7502", "s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}", 16 << 30, 512 << 20),
    ("pytorch/xla 1965", "u32[12582912,1]{1,0:T(8,128)}", 6 << 30, 48 << 20),
    ("pytorch/xla 6674", "bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", 4 << 30, 1 << 30),
    ("pytorch/xla 3041", "f32[29184,1,2560]{2,1,0:T(2,128)}", 570 << 20, 285 << 20),
];

/// An out-of-memory report as XLA writes it, of one allocation.
fn pasted(shape: &str, size: &str, unpadded: &str, padding: &str, times: f64) -> String {
    format!(
        "RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm. \
         Exceeded hbm capacity by 25.74G.\n\nTotal hbm usage >= 41.74G:\n    reserved        528.00M\n\n  \
         Largest program allocations in hbm:\n\n  1. Size: {size}\n     \
         Operator: op_type=\"FloorMod\" op_name=\"cic_update/FloorMod\"\n     Shape: {shape}\n     \
         Unpadded size: {unpadded}\n     Extra memory due to padding: {padding} ({times:.1}x expansion)\n     \
         XLA label: %fusion.1 = {shape} fusion(%p), kind=kLoop, calls=%f\n     \
         Allocation type: HLO temp\n     ==========================\n"
    )
}

#[test]
fn the_sizes_are_those_of_the_reports() {
    for (thread, shape, bytes, logical) in THREADS {
        let sizes = [bytes, logical, bytes - logical].map(printed_size);
        let times = bytes as f64 / logical as f64;
        let report =
            Report::of(&Dump::read(&pasted(shape, &sizes[0], &sizes[1], &sizes[2], times)));
        let buffer = &report.buffers[0];
        assert_eq!((buffer.bytes, buffer.logical_bytes), (bytes, logical), "{thread}");
        assert_eq!(buffer.padding_bytes, bytes - logical, "{thread}");
        assert!(buffer.reported.as_ref().unwrap().agrees, "{thread}");
        assert_eq!(report.out_of_memory.unwrap().used, "41.74G");
    }
}

#[test]
fn sizes_as_they_were_printed_in_the_threads() {
    let expected = ["32.00G", "16.00G", "6.00G", "4.00G", "570.00M"];
    for ((thread, _, bytes, _), printed) in THREADS.into_iter().zip(expected) {
        assert_eq!(printed_size(bytes), printed, "{thread}");
    }
}

#[test]
fn a_format_without_the_padding_is_suggested() {
    for (thread, shape, bytes, logical) in THREADS {
        let report = Report::of(&Dump::read(&pasted(shape, "0B", "0B", "0B", 1.0)));
        let buffer = &report.buffers[0];
        let format = buffer.hint.as_ref().unwrap().format.as_ref().unwrap();
        let suggested: tilewright::ArrayShape = format.text.parse().unwrap();
        let own: tilewright::ArrayShape = shape.parse().unwrap();
        assert_eq!((suggested.dims(), suggested.element_type()), (own.dims(), own.element_type()));
        assert_eq!(suggested.bytes().unwrap(), format.bytes, "{thread}");
        assert_eq!(format.bytes, logical, "{thread}: {}", format.text);
        assert!(buffer.fault.is_some() && format.bytes < bytes, "{thread}");
        assert!(!buffer.reported.as_ref().unwrap().agrees, "{thread}");
    }
}

#[test]
fn the_dimension_at_fault_is_named() {
    let said = [
        "dim 2 of extent 4 is minor: padded to 128, 32x",
        "dim 4 of extent 4 is minor: padded to 128, 32x",
        "dim 1 of extent 1 is minor: padded to 128, 128x",
        "dim 1 of extent 1 is second-minor: padded to 4, 4x",
        "dim 1 of extent 1 is second-minor: padded to 2, 2x",
    ];
    for ((thread, shape, ..), said) in THREADS.into_iter().zip(said) {
        let fault = tilewright_hlo::fault(&shape.parse().unwrap()).unwrap();
        assert_eq!(fault.text, said, "{thread}");
    }
}

#[test]
fn a_label_with_its_operands_shape_tells_a_relayout() {
    let shape = "s32[8388608,8,4]{2,1,0:T(8,128)}";
    let text = pasted(shape, "32.00G", "1.00G", "31.00G", 32.0).replace(
        "fusion(%p), kind=kLoop, calls=%f",
        "copy(s32[8388608,8,4]{0,2,1:T(4,128)} %get-tuple-element.32429), metadata={op_type=\"F",
    );
    let report = Report::of(&Dump::read(&text));
    let relayout = &report.relayouts[0];
    assert_eq!((relayout.bytes_read, relayout.bytes_written), (1 << 30, 32 << 30));
    assert_eq!(&*relayout.from, "s32[8388608,8,4]{0,2,1:T(4,128)}");
}

#[test]
fn a_size_that_the_shape_does_not_explain_is_believed() {
    // On-chip allocations are printed without their tiles.
    let report =
        Report::of(&Dump::read(&pasted("f32[128,6]{1,0}", "64.0K", "3.0K", "61.0K", 21.3)));
    let buffer = &report.buffers[0];
    assert_eq!((buffer.bytes, buffer.logical_bytes, buffer.padding_bytes), (65_536, 3072, 62_464));
    assert!(!buffer.reported.as_ref().unwrap().agrees);
    // Less than the elements take it cannot be.
    let report = Report::of(&Dump::read(&pasted("f32[128,6]{1,0}", "1.0K", "", "", 1.0)));
    assert_eq!(report.buffers[0].bytes, 3072);
}

#[test]
fn what_has_no_shape_is_listed() {
    let text = "Ran out of memory in memory space vmem. Used 29.70M of 16.00M vmem.\n\n  \
                1. Size: 29.66M\n     XLA label: register allocator spill slots call depth 2\n     \
                Allocation type: scoped\n     ==========================\n\n  \
                2. Size: 40.0K\n     XLA label: %fusion.4 = f32[8,1024]{1,0:T(8,128)} fusion(%p)\n     \
                Allocation type: HLO temp\n     ==========================\n";
    let report = Report::of(&Dump::read(text));
    let names: Vec<(&str, i64, &str)> =
        report.buffers.iter().map(|b| (b.name.as_str(), b.bytes, &*b.text)).collect();
    assert_eq!(
        names,
        [
            ("register allocator spill slots call depth 2", 31_100_764, ""),
            ("fusion.4", 40_960, "f32[8,1024]{1,0:T(8,128)}"),
        ]
    );
    assert_eq!(report.totals.buffers.bytes, 31_100_764 + 40_960);
}
