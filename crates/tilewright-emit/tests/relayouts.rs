//! Relayouts as loops, run by the interpreter, against the two maps at every bit of the destination.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::collections::HashSet;
use support::{Random, bytes, expected, pairs};
use tilewright_emit::{Body, Relayout, Way};

#[test]
fn every_bit_is_where_the_maps_say() {
    let mut random = Random(11);
    let mut bodies = HashSet::new();
    for (from, to) in pairs(&mut random, 400) {
        let relayout = Relayout::of(&from, &to).unwrap();
        let src = bytes(&mut random, from.bytes());
        let mut dst = bytes(&mut random, to.bytes());
        relayout.run(&src, &mut dst);
        assert!(dst == expected(&from, &to, &src), "{} to {}", from.text(), to.text());
        match &relayout.way {
            Way::Nests(nests) => bodies.extend(nests.iter().map(|nest| match nest.body {
                Body::Run(_) => "run",
                Body::Transpose { .. } => "transpose",
                Body::Element => "element",
                Body::Bits => "bits",
                Body::Pack { .. } => "pack",
                _ => "other",
            })),
            Way::Offsets { .. } => drop(bodies.insert("offsets")),
            _ => drop(bodies.insert("other")),
        }
    }
    let mut bodies: Vec<&str> = bodies.into_iter().collect();
    bodies.sort_unstable();
    assert_eq!(bodies, ["bits", "element", "offsets", "pack", "run", "transpose"]);
}
