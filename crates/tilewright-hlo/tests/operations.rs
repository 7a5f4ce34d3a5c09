//! Which operations can have their result without moving anything first.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use tilewright::{ArrayShape, ElementType, Permutation};
use tilewright_hlo::{Operation, Place, Settled, settle};

fn array(text: &str) -> ArrayShape {
    text.parse().unwrap()
}

/// An array of which no layout is asked.
fn any(element_type: ElementType, dims: &[i64]) -> ArrayShape {
    ArrayShape::new(element_type, dims).unwrap()
}

fn ask(operation: &Operation, operands: &[&str], result: &ArrayShape) -> Settled {
    let operands: Vec<ArrayShape> = operands.iter().map(|text| array(text)).collect();
    settle(operation, &operands, result).unwrap()
}

/// The places of the relayouts, and the bytes that they move together.
fn cost(settled: &Settled) -> (Vec<Place>, i64) {
    (settled.relayouts.iter().map(|relayout| relayout.place).collect(), settled.bytes_moved())
}

fn bytes(text: &str) -> i64 {
    array(text).bytes().unwrap()
}

#[test]
fn elementwise_in_one_format() {
    let a = "f32[64,256]{1,0:T(8,128)}";
    let settled = ask(&Operation::Elementwise, &[a, a], &any(ElementType::F32, &[64, 256]));
    assert_eq!((settled.result.to_string().as_str(), settled.bytes_moved()), (a, 0));
    // Narrow elements pair up within the same tile: nothing moves between tiles.
    let narrow = array("bf16[64,256]{1,0:T(8,128)(2,1)}");
    assert_eq!(cost(&ask(&Operation::Elementwise, &[a], &narrow)), (vec![], 0));
    let settled = ask(&Operation::Elementwise, &[a], &any(ElementType::Bf16, &[64, 256]));
    assert_eq!(settled.result, narrow);
}

#[test]
fn elementwise_moves_the_least() {
    // Two arrays in rows and one in columns: the one is moved.
    let (rows, columns) = ("f32[64,256]{1,0:T(8,128)}", "f32[64,256]{0,1:T(8,128)}");
    let settled =
        ask(&Operation::Elementwise, &[rows, columns, rows], &any(ElementType::F32, &[64, 256]));
    assert_eq!(cost(&settled), (vec![Place::Operand(1)], bytes(rows) + bytes(columns)));
    // A narrow operand and a narrow result: the wide one in the middle is moved only if cheaper.
    let narrow = "s8[64,256]{0,1:T(8,128)(4,1)}";
    let settled = ask(&Operation::Elementwise, &[rows, narrow], &array(rows));
    let moved = bytes(narrow) + bytes("s8[64,256]{1,0:T(8,128)(4,1)}");
    assert_eq!(cost(&settled), (vec![Place::Operand(1)], moved));
}

#[test]
fn a_transpose_is_taken_up_or_moved() {
    let operation = Operation::Transpose { permutation: Permutation::new([2, 0, 1]).unwrap() };
    let operand = "bf16[6,30,300]{2,1,0:T(8,128)(2,1)}";
    let free = ask(&operation, &[operand], &any(ElementType::Bf16, &[300, 6, 30]));
    assert_eq!(free.result.to_string(), "bf16[300,6,30]{0,2,1:T(8,128)(2,1)}");
    assert_eq!(free.bytes_moved(), 0);
    let asked = "bf16[300,6,30]{2,1,0:T(8,128)(2,1)}";
    let moved = ask(&operation, &[operand], &array(asked));
    assert_eq!(cost(&moved), (vec![Place::Result], bytes(operand) + bytes(asked)));
}

#[test]
fn reshapes_by_the_maps() {
    let free = |operand: &str, dims: &[i64]| {
        ask(&Operation::Reshape, &[operand], &any(ElementType::F32, dims))
    };
    // Whole tiles come apart along their rows.
    let settled = free("f32[16,128]{1,0:T(8,128)}", &[2, 8, 128]);
    assert_eq!(settled.result.to_string(), "f32[2,8,128]{2,1,0:T(8,128)}");
    assert_eq!(settled.bytes_moved(), 0);
    // 12 rows do not: each 4 of them would want 8.
    let settled = free("f32[12,128]{1,0:T(8,128)}", &[3, 4, 128]);
    let moved = bytes("f32[12,128]{1,0:T(8,128)}") + bytes("f32[3,4,128]{2,1,0:T(8,128)}");
    assert_eq!(cost(&settled), (vec![Place::Result], moved));
    // A dimension of one element comes and goes.
    assert_eq!(free("f32[40,9,130]{2,0,1:T(8,128)}", &[40, 1, 9, 130]).bytes_moved(), 0);
    assert_eq!(free("f32[6,8]{1,0}", &[48]).bytes_moved(), 0);
    assert_eq!(free("f32[6,8]{0,1}", &[48]).relayouts.len(), 1);
}

#[test]
fn reductions() {
    let reduce = |operand: &str, dimensions: &[usize], dims: &[i64]| {
        let operation = Operation::Reduce { dimensions: dimensions.to_vec() };
        ask(&operation, &[operand], &any(ElementType::F32, dims))
    };
    let operand = "f32[10,64,256]{2,1,0:T(8,128)}";
    let major = reduce(operand, &[0], &[64, 256]);
    assert_eq!(major.result.to_string(), "f32[64,256]{1,0:T(8,128)}");
    assert_eq!(major.bytes_moved(), 0);
    // Without the lanes, the sums lie one to a row of 128, and the rest of each row is padding.
    let minor = reduce(operand, &[2], &[10, 64]);
    assert_eq!(minor.relayouts[0].from.to_string(), "f32[10,64,1]{2,1,0:T(8,128)}");
    assert_eq!(minor.relayouts[0].place, Place::Result);
    // Untiled, all that is left of the minor dimension is one element, which is nowhere.
    assert_eq!(reduce("f32[10,64,256]{2,1,0}", &[2], &[10, 64]).bytes_moved(), 0);
}

#[test]
fn broadcasts() {
    let broadcast = |operand: &str, dimensions: &[usize], result: &ArrayShape| {
        ask(&Operation::Broadcast { dimensions: dimensions.to_vec() }, &[operand], result)
    };
    let result = array("f32[10,64,256]{2,1,0:T(8,128)}");
    let row = broadcast("f32[64,256]{1,0:T(8,128)}", &[1, 2], &result);
    assert_eq!(row.bytes_moved(), 0);
    let column = broadcast("f32[10,64]{1,0:T(8,128)}", &[0, 1], &result);
    assert_eq!(column.relayouts[0].place, Place::Operand(0));
    assert_eq!(column.relayouts[0].to.to_string(), "f32[10,64,1]{2,1,0:T(8,128)}");
    let free =
        broadcast("f32[64,256]{0,1:T(8,128)}", &[0, 2], &any(ElementType::F32, &[64, 7, 256]));
    assert_eq!(free.result.to_string(), "f32[64,7,256]{0,2,1:T(8,128)}");
    assert_eq!(free.bytes_moved(), 0);
}

#[test]
fn products_take_tiles_either_way_round() {
    let operation = Operation::Dot { batch: [vec![0], vec![0]], contracting: [vec![2], vec![1]] };
    let any_result = any(ElementType::F32, &[6, 64, 32]);
    let weights = "f32[6,256,32]{2,1,0:T(8,128)}";
    for operand in ["f32[6,64,256]{2,1,0:T(8,128)}", "f32[6,64,256]{1,2,0:T(8,128)}"] {
        assert_eq!(ask(&operation, &[operand, weights], &any_result).bytes_moved(), 0, "{operand}");
    }
    // The batch among the tiled dimensions is in the way.
    let batched = "f32[6,64,256]{2,0,1:T(8,128)}";
    let settled = ask(&operation, &[batched, weights], &any_result);
    let moved = bytes(batched) + bytes("f32[6,64,256]{2,1,0:T(8,128)}");
    assert_eq!(cost(&settled), (vec![Place::Operand(0)], moved));
    // And in the result that is asked for.
    let asked = array("f32[6,64,32]{0,1,2:T(8,128)}");
    let settled = ask(&operation, &["f32[6,64,256]{2,1,0:T(8,128)}", weights], &asked);
    assert_eq!(settled.relayouts[0].place, Place::Result);
}

#[test]
fn convolutions_have_features_in_the_tiles() {
    let operation =
        Operation::Convolution { input_feature: 3, kernel_features: [2, 3], output_feature: 3 };
    let kernel = "f32[3,3,16,32]{3,2,1,0:T(8,128)}";
    let result = any(ElementType::F32, &[8, 28, 28, 32]);
    for input in ["f32[8,28,28,16]{3,0,2,1:T(8,128)}", "f32[8,28,28,16]{0,3,2,1:T(8,128)}"] {
        assert_eq!(ask(&operation, &[input, kernel], &result).bytes_moved(), 0, "{input}");
    }
    let settled = ask(&operation, &["f32[8,28,28,16]{2,1,3,0:T(8,128)}", kernel], &result);
    assert_eq!(settled.relayouts[0].place, Place::Operand(0));
}

#[test]
fn shapes_that_do_not_belong_together() {
    let refused = |operation: &Operation, operands: &[&str], result: &str| {
        let operands: Vec<ArrayShape> = operands.iter().map(|text| array(text)).collect();
        settle(operation, &operands, &array(result)).unwrap_err().to_string()
    };
    let wide = Operation::Reduce { dimensions: vec![4] };
    assert_eq!(refused(&wide, &["f32[2,3]"], "f32[2]"), "there is no dimension 4 to reduce");
    refused(&Operation::Elementwise, &["f32[2,3]"], "f32[3,2]");
    refused(&Operation::Elementwise, &[], "f32[3,2]");
    refused(&Operation::Reshape, &["f32[2,3]"], "f32[7]");
    refused(&Operation::Broadcast { dimensions: vec![1] }, &["f32[2]"], "f32[2,3]");
    refused(&Operation::Reshape, &["f32[?]"], "f32[7]");
    let dot = Operation::Dot { batch: [vec![9], vec![]], contracting: [vec![1], vec![0]] };
    refused(&dot, &["f32[2,3]", "f32[3,4]"], "f32[2,4]");
}
