//! `plan`: how a relayout goes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;

use serde_json::{Value, json};
use support::run;

fn plan(from: &str, to: &str) -> Value {
    run(&["plan", from, to, "--json"]).succeeded().json()
}

/// The loops of a box visit every element once, and lead to where the layouts' own index
/// expressions put it: rows of 4 to tiles of 2 × 2, by hand.
#[test]
fn loops_are_the_two_layouts_strides() {
    let answer = plan("u8[4,4]", "u8[4,4]{1,0:T(2,2)}");
    assert_eq!(answer["route"], "boxes");
    assert_eq!((&answer["bytes_read"], &answer["bytes_written"]), (&json!(16), &json!(16)));
    assert_eq!(answer["padding_slots"], 0);
    let loops = answer["boxes"][0]["loops"].as_array().unwrap();
    let mut found: Vec<[i64; 3]> = loops
        .iter()
        .map(|l| {
            ["extent", "source_stride_bits", "destination_stride_bits"]
                .map(|k| l[k].as_i64().unwrap())
        })
        .collect();
    found.sort_unstable();
    // Pairs of bytes stay together: 2 rows of tiles, 2 tiles in each, 2 rows in a tile.
    assert_eq!(found, [[2, 16, 32], [2, 32, 16], [2, 64, 64]]);
}

#[test]
fn kernels_are_named() {
    let kernel = |from, to| plan(from, to)["boxes"][0]["kernel"].as_str().unwrap().to_owned();
    assert_eq!(kernel("f32[64,512]", "f32[64,512]{1,0:T(8,128)}"), "runs");
    assert_eq!(kernel("bf16[3,64,512]", "bf16[3,64,512]{0,2,1}"), "zip");
    assert_eq!(kernel("bf16[3,64,512]{0,2,1}", "bf16[3,64,512]"), "unzip");
    assert_eq!(kernel("bf16[64,512]", "bf16[64,512]{1,0:T(8,128)(2,1)}"), "tile");
    assert_eq!(kernel("f32[64,512]", "f32[64,512]{0,1}"), "tile");
    assert_eq!(kernel("bf16[32,512,3,3]", "bf16[32,512,3,3]{0,1,3,2}"), "listed tile");
    assert_eq!(kernel("s4[64,512]", "s4[64,512]{1,0:E(4)}"), "pack");
    assert_eq!(kernel("s4[64,512]{1,0:E(4)}", "s4[64,512]"), "unpack");
    assert_eq!(kernel("s4[63,511]{1,0:E(4)}", "s4[63,511]{0,1:E(4)}"), "rows");
    assert_eq!(kernel("s4[255,511]{1,0:E(4)}", "s4[255,511]{0,1:E(4)}"), "bit transpose");
    assert_eq!(kernel("f32[4097,4099]{1,0:T(8,128)}", "f32[4097,4099]"), "joined runs");
}

/// What the source has in runs of 900 bytes goes to places 6 MB apart.
#[test]
fn chunks_follow_the_source_where_it_scatters() {
    let scattered = plan("f32[32,15,15,32,15,15]", "f32[32,15,15,32,15,15]{4,1,5,0,2,3}");
    assert_eq!(scattered["follows_source"], true);
    assert_eq!(plan("f32[4096,4096]", "f32[4096,4096]{0,1}")["follows_source"], false);
}

#[test]
fn ways_and_stores() {
    assert_eq!(plan("f32[16]{0:T(8)}", "f32[16]")["route"], "copy");
    assert_eq!(plan("f32[7,9]{1,0:T(*,8)(2,1)}", "f32[7,9]")["route"], "boxes");
    let across = |sizes| {
        let text = |layout| format!("f32[{sizes}]{{{layout}(3,2)}}");
        plan(&text("1,0:T(*,7)"), &text("0,1:T(*,5)"))["route"].clone()
    };
    assert_eq!((across("61,11"), across("17,13")), (json!("through"), json!("elements")));
    assert_eq!(plan("f32[8,8]", "f32[8,8]{0,1}")["stores"], "cached");
    assert_eq!(plan("f32[4096,4096]", "f32[4096,4096]{0,1}")["stores"], "streamed");
    let ragged = plan("f32[20,5]", "f32[20,5]{1,0:T(8,2)}");
    assert_eq!(
        (ragged["boxes"].as_array().unwrap().len(), &ragged["padding_slots"]),
        (4, &json!(44))
    );
}

/// Of 61 channels in blocks of 8, three are padding for each of 400 pixels, and boxes go over those of all pixels that another follows.
#[test]
fn padding_that_is_moved_and_then_filled() {
    let (from, to) = ("s8[1,61,400,1] nhwc", "s8[1,61,400,1] nChw8c");
    let answer = plan(from, to);
    assert_eq!((&answer["padding_slots"], &answer["refilled_slots"]), (&json!(1200), &json!(1197)));
    let shown = run(&["plan", from, to]).succeeded().stdout;
    let said = "1200 slots of padding, 1197 of them also moved and then filled";
    assert!(shown.contains(said), "{shown}");
    assert_eq!(plan("f32[20,5]", "f32[20,5]{1,0:T(8,2)}")["refilled_slots"], 0);
}

/// Of 61 channels in blocks of 8, three are padding of each of 16 * 17189 pixels, which is moved where the next one begins.
#[test]
fn padding_that_is_moved_and_then_written_over() {
    let (from, to) = ("s8[16,61,17189,1] nChw8c", "s8[16,61,17189,1] nhwc");
    let answer = plan(from, to);
    assert_eq!(answer["overwritten_slots"], 3 * 16 * 17189);
    assert_eq!((&answer["padding_slots"], &answer["stores"]), (&json!(0), &json!("streamed")));
    let shown = run(&["plan", from, to]).succeeded().stdout;
    let said = "825072 slots beyond the ends of rows also moved, and left or written over";
    assert!(shown.contains(said), "{shown}");
    assert_eq!(plan(to, from)["overwritten_slots"], 0);
}

#[test]
fn for_a_person() {
    let shown = run(&["plan", "u8[4,4]", "u8[4,4]{1,0:T(2,2)}"]).succeeded().stdout;
    for part in ["from  u8[4,4]{1,0}", "16 B read, 16 B written", "box 1 of 1: 16 elements"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let chunks =
        run(&["plan", "f32[4096,4096]", "f32[4096,4096]{1,0:T(8,128)}", "--chunk", "1MiB"]);
    assert!(chunks.succeeded().stdout.contains("in 64 chunks of 1.00 MiB"));
}

#[test]
fn other_notations_and_refusals() {
    assert_eq!(plan("f16 (4,8):(8,1)", "f16 (4,8):(1,4)")["bytes_read"], 64);
    run(&["plan", "f32[3,5]", "f32[5,3]"]).failed_with(&["[3, 5]", "[5, 3]"]);
    run(&["plan", "f32[3,5", "f32[3,5]"]).failed_with(&["^"]);
}
