//! How fast arrays are moved, against a plain copy of the same bytes.
//!
//! `cargo run --release -p tilewright-relayout --example throughput [SIDE] [ROUNDS] [THREADS] [CHUNK]`
//!
//! GB/s counts the bytes read and the bytes written. Each round copies, then moves, so that both
//! see the same machine; figures are medians. CHUNK is bytes of the destination.

use std::error::Error;
use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Instant;
use tilewright::Shape;
use tilewright_relayout::{Placement, Plan, RunOptions, Threads};

/// A name, and the two layouts over `N` by `N` elements.
const CASES: [(&str, &str, &str); 14] = [
    ("A", "f32[N,N]{1,0}", "f32[N,N]{1,0:T(8,128)}"),
    ("A'", "f32[N,N]{1,0:T(8,128)}", "f32[N,N]{1,0}"),
    ("B", "f32[M,K]{1,0}", "f32[M,K]{1,0:T(8,128)}"),
    ("B'", "f32[M,K]{1,0:T(8,128)}", "f32[M,K]{1,0}"),
    ("C", "bf16[N,N]{1,0}", "bf16[N,N]{1,0:T(8,128)(2,1)}"),
    ("C'", "bf16[N,N]{1,0:T(8,128)(2,1)}", "bf16[N,N]{1,0}"),
    ("D", "s8[N,N]{1,0}", "s8[N,N]{1,0:T(8,128)(4,1)}"),
    ("D'", "s8[N,N]{1,0:T(8,128)(4,1)}", "s8[N,N]{1,0}"),
    ("E", "f32[N,N]{1,0}", "f32[N,N]{0,1}"),
    ("H", "f32[N,N]{1,0:T(8,128)}", "f32[N,N]{0,1:T(8,128)}"),
    ("I", "f16[N,N]{1,0}", "f16[N,N]{0,1:T(16,16)(16,1)}"), // zN
    ("J", "pred[N,N]{1,0}", "pred[N,N]{1,0:T(32,128)(32,1)E(1)}"),
    ("J'", "pred[N,N]{1,0:T(32,128)(32,1)E(1)}", "pred[N,N]{1,0}"),
    ("s4", "s4[N,N]{1,0}", "s4[N,N]{1,0:T(8,128)E(4)}"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let side = arguments.next().transpose()?.unwrap_or(8192);
    let rounds = arguments.next().transpose()?.unwrap_or(7).max(1);
    let threads = arguments.next().transpose()?.and_then(NonZeroUsize::new);
    let chunk = arguments.next().transpose()?;
    let options = RunOptions {
        threads: threads.map_or(Threads::Current, Threads::Count),
        ..RunOptions::default()
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "| case | GB/s | memcpy | ratio | plan, us |\n|---|---|---|---|---|")?;
    for (name, from, to) in CASES {
        let [from, to] = [placement(from, side)?, placement(to, side)?];
        let row = measure(&from, &to, rounds, chunk, &options)?;
        writeln!(out, "| {name} | {row}")?;
    }
    Ok(())
}

fn placement(text: &str, side: usize) -> Result<Placement, Box<dyn Error>> {
    let text = text.replace('N', &side.to_string());
    let text = text.replace('M', &(side / 2 + 1).to_string());
    let text = text.replace('K', &(side / 2 + 3).to_string());
    Ok(Placement::from_shape(text.parse::<Shape>()?.as_array()?)?)
}

fn measure(
    from: &Placement,
    to: &Placement,
    rounds: usize,
    chunk: Option<usize>,
    options: &RunOptions<'_>,
) -> Result<String, Box<dyn Error>> {
    let start = Instant::now();
    let plan = Plan::new(from, to)?;
    let plan = match chunk {
        Some(bytes) => plan.with_chunks_of(bytes)?,
        None => plan,
    };
    let planning = start.elapsed().as_secs_f64() * 1e6;
    let total = (from.bytes() + to.bytes()) as f64;
    let half = (from.bytes() + to.bytes()) / 2;
    // From a line on, as buffers of arrays are.
    let mut src = vec![1u8; from.bytes().max(half) + 64];
    let mut dst = vec![2u8; to.bytes().max(half) + 64];
    let (src, dst) = (from_line(&mut src), from_line(&mut dst));
    let (mut moves, mut copies) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let start = Instant::now();
        dst[..half].copy_from_slice(std::hint::black_box(&src[..half]));
        copies.push(total / start.elapsed().as_secs_f64() / 1e9);
        let start = Instant::now();
        plan.run(&src[..from.bytes()], &mut dst[..to.bytes()], options)?;
        moves.push(total / start.elapsed().as_secs_f64() / 1e9);
    }
    let (moved, copied) = (median(moves), median(copies));
    Ok(format!("{moved:.2} | {copied:.2} | {:.2} | {planning:.1} |", moved / copied))
}

fn from_line(buffer: &mut [u8]) -> &mut [u8] {
    let start = buffer.as_ptr().align_offset(64).min(64);
    &mut buffer[start..]
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
