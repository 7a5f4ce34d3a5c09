//! Times every operation: `cargo xtask bench --micro [PART OF A NAME]…`.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use tilewright_micro::{Amount, Operation, operations};

fn main() {
    divan::main();
}

/// An operation as divan names it.
struct Named(&'static Operation);

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name)
    }
}

fn of_group(group: &str) -> Vec<Named> {
    operations().filter(|operation| operation.group == group).map(Named).collect()
}

fn time(bencher: Bencher<'_, '_>, named: &Named) {
    let mut prepared = match named.0.prepared() {
        Ok(prepared) => prepared,
        Err(error) => panic!("{}: {error}", named.0.name),
    };
    match prepared.amount {
        Amount::Items(n) => bencher.counter(ItemsCount::new(n)).bench_local(|| (prepared.run)()),
        Amount::Bytes(n) => bencher.counter(BytesCount::new(n)).bench_local(|| (prepared.run)()),
    }
}

#[divan::bench(args = of_group("plan"))]
fn plan(bencher: Bencher<'_, '_>, named: &Named) {
    time(bencher, named);
}

#[divan::bench(name = "move", args = of_group("move"))]
fn moves(bencher: Bencher<'_, '_>, named: &Named) {
    time(bencher, named);
}

#[divan::bench(args = of_group("map"), sample_count = 20, max_time = 3)]
fn map(bencher: Bencher<'_, '_>, named: &Named) {
    time(bencher, named);
}

#[divan::bench(args = of_group("read"))]
fn read(bencher: Bencher<'_, '_>, named: &Named) {
    time(bencher, named);
}
