//! Questions and answers as JSON: each question has its answer, and whatever else comes an error.

// Helpers of tests are tests too.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use tilewright_ask::{MAX_QUESTIONS, ask};

fn asked(question: &Value) -> Value {
    serde_json::from_str(&ask(&question.to_string())).unwrap()
}

#[track_caller]
fn answer(question: &Value) -> Value {
    let reply = asked(question);
    assert!(reply.get("error").is_none(), "{question}: {reply}");
    reply["answer"].clone()
}

#[track_caller]
fn message(question: &Value) -> String {
    let reply = asked(question);
    assert!(reply.get("answer").is_none(), "{question}: {reply}");
    reply["error"]["message"].as_str().unwrap().to_owned()
}

const TILES: &str = "bf16[30,300]{1,0:T(8,128)(2,1)}";

#[test]
fn what_a_layout_says_and_looks_like() {
    let shown = answer(&json!({ "ask": "show", "layout": TILES }));
    assert_eq!((&shown["bytes"], &shown["padding_bytes"]), (&json!(24576), &json!(6576)));
    let question = json!({ "ask": "draw", "layout": TILES, "color": "dim:1", "theme": "dark" });
    let drawn = answer(&question);
    assert!(drawn["svg"].as_str().unwrap().starts_with("<svg"));
    let last = drawn["spots"].as_array().unwrap().iter().find(|spot| spot["offset"] == 11863);
    assert!(last.unwrap()["says"].as_str().unwrap().starts_with("(29,299)"));
    let levels: Vec<u64> =
        drawn["blocks"].as_array().unwrap().iter().filter_map(|b| b["level"].as_u64()).collect();
    assert!(levels.contains(&0) && levels.contains(&1) && !levels.contains(&2));
    assert_eq!((&drawn["steps"], &drawn["frames"]), (&json!(null), &json!(null)));
    let place = answer(&json!({ "ask": "place", "layout": TILES, "index": [30, 0] }));
    assert_eq!((&place["padding"], &place["terms"]), (&json!(true), &json!([])));
    for byte in [2564, 2565] {
        let place = answer(&json!({ "ask": "place", "layout": TILES, "byte": byte }));
        assert_eq!((&place["index"], &place["offset"]), (&json!([2, 129]), &json!(1282)));
    }
    let place = answer(&json!({ "ask": "place", "layout": "s4[3,5]{1,0:E(4)}", "byte": 4 }));
    assert_eq!((&place["index"], &place["bit"]), (&json!([1, 3]), &json!(32)));
    let place = answer(&json!({ "ask": "place", "layout": TILES, "offset": 1282 }));
    assert_eq!((&place["index"], &place["byte"]), (&json!([2, 129]), &json!(2564)));
}

#[test]
fn what_can_be_seen_one_after_another() {
    let small = "f32[3,5]{1,0:T(2,2)}";
    let step = |k| answer(&json!({ "ask": "draw", "layout": small, "steps": true, "step": k }));
    let captions = step(0)["steps"].clone();
    assert_eq!(captions[1], "pad to [4,6]");
    for (number, caption) in captions.as_array().unwrap().iter().enumerate() {
        let svg = step(number)["svg"].as_str().unwrap().to_owned();
        let others = captions.as_array().unwrap().iter().filter(|other| *other != caption);
        assert!(svg.contains(caption.as_str().unwrap()));
        assert!(others.into_iter().all(|other| !svg.contains(other.as_str().unwrap())));
    }
    let frame = |k| {
        let question =
            json!({ "ask": "draw", "layout": "f32[3,5]", "other": small, "moves": true });
        let mut question = question.as_object().unwrap().clone();
        question.insert("frame".to_owned(), k);
        answer(&question.into())
    };
    assert_eq!(frame(json!(null))["frames"], 9);
    assert!(
        frame(json!(8))["svg"].as_str().unwrap().contains("run 9 of 9: 1 element from (2,4) on")
    );
    // What is pointed at is one element on both sides.
    let moved = frame(json!(0));
    let of_last = moved["spots"].as_array().unwrap().iter().filter(|s| s["index"] == json!([2, 4]));
    assert_eq!(of_last.map(|spot| spot["offset"].clone()).collect::<Vec<_>>(), [14, 20]);
    for unit in ["elements", "bytes", "bytes:16"] {
        let drawn = answer(&json!({ "ask": "draw", "layout": "f32[64]", "unit": unit }));
        let last = match unit {
            "elements" => "63",
            "bytes" => "252",
            _ => "15",
        };
        assert!(drawn["svg"].as_str().unwrap().contains(&format!(">{last}<")), "{unit}");
    }
}

#[test]
fn where_elements_lie_and_whether_two_agree() {
    let found = answer(&json!({ "ask": "index", "layout": TILES, "index": "2,129" }));
    assert_eq!(found, json!({ "offset": 1282 }));
    let found = answer(&json!({ "ask": "index", "layout": TILES, "inverse": 1282 }));
    assert_eq!(found, json!({ "index": [2, 129] }));
    let same = json!({ "ask": "same", "a": "f32[24,128]{1,0:T(8,128)}", "b": "f32[24,128]" });
    assert_eq!(answer(&same)["same"], true);
    let bitcast = json!({ "ask": "bitcast", "a": "f32[4,6]", "b": "f32[6,4]{0,1}" });
    assert_eq!(answer(&bitcast)["kind"], "transpose");
    let to = json!({ "ask": "to", "notation": "tla", "layout": "f32[3,5]{1,0:T(2,2)}" });
    assert_eq!(answer(&to)["text"], "((2,2),(2,3)):((2,12),(1,4)):(3,5)");
    let plan = answer(&json!({ "ask": "plan", "from": "f32[8,8]", "to": "f32[8,8]{0,1}" }));
    assert_eq!(plan["bytes_written"], 256);
}

#[test]
fn the_algebra() {
    let calc = json!({ "ask": "calc", "expression": "coalesce((2,4):(1,2))" });
    assert_eq!(answer(&calc)["text"], "8:1");
    let explained = json!({ "ask": "explain", "expression": "coalesce((2,4):(1,2))" });
    assert!(!answer(&explained)["steps"].as_array().unwrap().is_empty());
    let operations = answer(&json!({ "ask": "operations" }));
    assert!(operations["operations"].as_array().unwrap().len() > 40);
}

#[test]
fn what_a_tpu_does() {
    let tpu = answer(&json!({ "ask": "tpu", "shape": "bf16[17,1000]", "chip": "v5e" }));
    assert_eq!(tpu["text"], "bf16[17,1000]{1,0:T(8,128)(2,1)}");
    assert_eq!(answer(&json!({ "ask": "tpu", "shape": "f32[3]" })).as_array().unwrap().len(), 7);
    let formats = answer(&json!({ "ask": "formats", "shape": "f32[3,1000]", "chip": "v5e" }));
    assert!(formats.as_array().unwrap().len() > 1);
    let module = "HloModule m\nENTRY e {\n  ROOT a = f32[9,129]{1,0:T(8,128)} parameter(0)\n}\n";
    assert_eq!(answer(&json!({ "ask": "hlo", "text": module }))["module"], "m");
    let change = answer(&json!({ "ask": "hlo", "text": module, "other": module }));
    assert!(change.is_object() && change["module"] != "m");
    assert!(answer(&json!({ "ask": "assign", "text": module }))["parameters"].is_array());
}

#[test]
fn what_somebody_types() {
    assert!(answer(&json!({ "ask": "read", "text": "f32[3" }))["error"].is_object());
    assert!(answer(&json!({ "ask": "read", "text": "f32[3]" }))["error"].is_null());
    let items = answer(&json!({ "ask": "complete", "text": "f3", "cursor": 2 }))["items"].clone();
    assert_eq!(items[0]["text"], "f32");
    let reply = asked(&json!({ "ask": "show", "layout": "f32[3,5]{1,0:T(0,2)}" }));
    assert_eq!(reply["error"]["span"], json!([15, 16]));
    assert!(reply["error"]["help"].is_string());
}

#[test]
fn warnings_are_notes() {
    let reply = asked(&json!({ "ask": "plan", "from": "(2,3):(1,2)", "to": "(2,3):(3,1)" }));
    assert!(reply["answer"].is_object());
    assert!(reply["notes"][0].as_str().unwrap().contains("32 bits"));
}

#[test]
fn source_code() {
    let question = json!({ "ask": "emit", "lang": "rust", "layout": TILES, "name": "tiles" });
    let code = answer(&question)["text"].as_str().unwrap().to_owned();
    assert!(code.contains("pub fn tiles_offset(i0: i64, i1: i64) -> i64 {"), "{code}");
    let moved =
        json!({ "ask": "emit", "lang": "wgsl", "layout": "f32[3,5]", "to": "f32[3,5]{0,1}" });
    let code = answer(&moved)["text"].as_str().unwrap().to_owned();
    assert!(code.contains("fn tw_relayout("), "{code}");
}

#[test]
fn questions_that_are_none() {
    for question in [
        json!({}),
        json!(null),
        json!(3),
        json!("show"),
        json!({ "ask": "nothing" }),
        json!({ "ask": ["show"] }),
        json!({ "ask": "show" }),
        json!({ "ask": "show", "layout": 3 }),
        json!({ "ask": "show", "layout": "f32[3]", "other": "f32[3]" }),
        json!({ "ask": "draw", "layout": "f32[3]", "color": "blue" }),
        json!({ "ask": "draw", "layout": "f32[3]", "theme": "grey" }),
        json!({ "ask": "draw", "layout": "f32[3]", "columns": -1 }),
        json!({ "ask": "operations", "of": 1 }),
    ] {
        assert!(message(&question).starts_with("this is no question: "), "{question}");
    }
    for question in ["", "{", "[1", "nul", "\u{0}", "{\"ask\":\"show\"}}", "\"", "[[[["] {
        assert!(ask(question).contains("the question is no JSON"), "{question}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(ask(&deep).contains("the question is no JSON"));
}

#[test]
fn questions_that_have_no_answer() {
    for question in [
        json!({ "ask": "show", "layout": "" }),
        json!({ "ask": "draw", "layout": "(f32[3], f32[4])" }),
        json!({ "ask": "draw", "layout": "f32[3]", "columns": 1001 }),
        json!({ "ask": "draw", "layout": "f32[3]", "at": [3] }),
        json!({ "ask": "draw", "layout": "f32[3]", "steps": true, "step": 1 }),
        json!({ "ask": "draw", "layout": "f32[3]", "moves": true }),
        json!({ "ask": "draw", "layout": "f32[3]", "other": "f32[3]", "moves": true, "frame": 1 }),
        json!({ "ask": "place", "layout": "f32[3]" }),
        json!({ "ask": "place", "layout": "f32[3]", "index": [0], "offset": 0 }),
        json!({ "ask": "place", "layout": "f32[3]", "offset": -1 }),
        json!({ "ask": "place", "layout": "f32[3]", "byte": -1 }),
        json!({ "ask": "place", "layout": "f32[3]", "byte": 12 }),
        json!({ "ask": "place", "layout": "f32[3]", "byte": i64::MAX }),
        json!({ "ask": "place", "layout": "(3):(1)", "byte": 0 }),
        json!({ "ask": "place", "layout": "f32[3]", "byte": 0, "offset": 0 }),
        json!({ "ask": "draw", "layout": "f32[3]", "columns": 1000, "rows": 41 }),
        json!({ "ask": "draw", "layout": "f32[3]", "near": [3] }),
        json!({ "ask": "draw", "layout": "f32[3]", "near": [0, 0] }),
        json!({ "ask": "index", "layout": "f32[3]", "index": "3" }),
        json!({ "ask": "tpu", "shape": "f32[3]", "chip": "v99" }),
        json!({ "ask": "calc", "expression": "nothing(3:1)" }),
        json!({ "ask": "hlo", "text": "hello" }),
        json!({ "ask": "plan", "from": "f32[3]", "to": "f32[4]" }),
    ] {
        assert!(!message(&question).is_empty(), "{question}");
    }
}

#[test]
fn several_at_once() {
    let show = json!({ "ask": "show", "layout": "f32[3]" });
    let replies = asked(&json!([show, { "ask": "show", "layout": "f32[" }, show]));
    let has_answer = |reply: &Value| reply.get("answer").is_some();
    let answered: Vec<bool> = replies.as_array().unwrap().iter().map(has_answer).collect();
    assert_eq!(answered, [true, false, true]);
    assert_eq!(asked(&json!([])), json!([]));
    let many = Value::Array(vec![show; MAX_QUESTIONS + 1]);
    assert!(message(&many).contains("at most 64"));
}
