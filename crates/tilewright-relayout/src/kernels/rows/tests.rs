use super::super::Mover;
use super::super::lookup::window;
use super::super::tests::cases;
use super::spacing::{Step, Toward};
use super::*;
use crate::bits;
use crate::nest::drawn::Draw;
use crate::nest::walk;

fn pattern(n: usize, by: u32) -> Vec<u8> {
    (0..n as u32).map(|i| (i.wrapping_mul(by) >> 13) as u8).collect()
}

/// What is before a destination, and not to be written.
const BEFORE: usize = 80;

/// Moves a box by rows, with all registers there are, and bit by bit by the definition of packed elements. Says
/// whether it has rows.
fn check(loops: &[Loop], slots: Slots, start: (i64, i64)) -> bool {
    let bytes = |slot: i64, start: i64, stride: fn(&Loop) -> i64| {
        let reach: i64 = loops.iter().map(|l| (l.extent - 1) * stride(l)).sum();
        ((start + (reach + 1) * slot) as usize).div_ceil(8)
    };
    let src = pattern(bytes(slots.src, start.0, |l| l.src), 2_654_435_761);
    let before = pattern(BEFORE + 1 + bytes(slots.dst, start.1, |l| l.dst), 2_246_822_519);
    let mut expected = before.clone();
    let (value, width) = (slots.value as u32, slots.dst as u32);
    walk(loops, (0, 0), &mut |(from, to)| {
        let element = bits::read(&src, (start.0 + from * slots.src) as usize, value);
        let bit = 8 * BEFORE + (start.1 + to * slots.dst) as usize;
        bits::write(&mut expected, bit, width, element);
    });
    let mut is_moved = false;
    for level in Level::all() {
        let is_at_bytes = start.0 % 8 == 0 && start.1 % 8 == 0;
        // As if it began within bytes too: then nothing is moved where it is. Nor is much that is made for bytes, which moves both.
        let made = [false, true].map(|at_bytes| {
            Rows::drafts(loops, slots, at_bytes, level)
                .and_then(Drafts::made)
                .filter(|(rows, _)| is_at_bytes || !at_bytes || rows.is_of_bits())
                .filter(|(rows, _)| rows.is_written_at(start.1))
        });
        for (rows, _) in made.into_iter().flatten() {
            assert!(rows.held_bytes() <= Mover::MOST_BYTES, "{loops:?}: {}", rows.held_bytes());
            for stores in [Stores::Cached, Stores::Streamed] {
                let mut dst = before.clone();
                // SAFETY: the buffers are as long as the loops reach.
                unsafe {
                    rows.run(&src.as_ptr_range(), dst.as_mut_ptr().add(BEFORE), start, stores);
                };
                assert!(
                    dst == expected,
                    "{loops:?}, {slots:?}, {start:?}, {level:?}, {stores:?}: {rows:?}"
                );
            }
            is_moved = true;
        }
    }
    is_moved
}

fn l(extent: i64, src: i64, dst: i64) -> Loop {
    Loop { extent, src, dst }
}

#[test]
fn runs_of_odd_lengths_change_places() {
    for &bits in cases(&[4, 1, 2, 8, 16, 32], 1) {
        for &run in cases(&[3, 7, 1, 2, 5, 6, 9, 12, 13, 15, 17, 31], 1) {
            let (a, b) = if cfg!(miri) { (5, 19) } else { (29, 37) };
            let loops = [l(b, run, run * a), l(a, run * b, run), l(run, 1, 1)];
            for start in [(0, 0), (bits % 8, 3 * bits % 8), (5, 0)] {
                assert!(
                    check(&loops, Slots::same(bits), start),
                    "{run} times {bits} bits from {start:?}"
                );
            }
        }
    }
}

#[test]
fn blocks_of_whole_lines_and_registers() {
    // Up to 256 bytes of a row: of 3 bytes at a time 64 times, which is three lines, and of 7 bytes 32 times, which is four registers
    // of a stage where each has room for 8.
    let n = if cfg!(miri) { 90 } else { 300 };
    for &(run, at_once) in cases(&[(3, 64), (7, 32)], 1) {
        let loops = [l(n, run, run * n), l(n, run * n, run), l(run, 1, 1)];
        let slots = Slots::same(8);
        assert!(check(&loops, slots, (0, 0)), "{run}");
        for rows in made(&loops, slots) {
            assert_eq!(rows.len as i64, 8 * run * at_once, "{run}, {:?}", rows.level);
            // No register of a stage has parts of two lines, and rows begin in other sets of the cache.
            let is_apart = |pair: &[Row]| (pair[1].to - pair[0].to) % 1024 == 512;
            assert!(rows.src.rows.windows(2).all(is_apart), "{run}: {:?}", rows.src.rows);
        }
    }
}

#[test]
fn boxes_of_any_strides_and_widths() {
    let mut draw = Draw(5);
    let (mut n_moved, n) = (0, if cfg!(miri) { 4 } else { 3000 });
    for _ in 0..n {
        let most = if cfg!(miri) { 300 } else { 20_000 };
        let Some(loops) = draw.permutation(most) else { continue };
        let (value, from, to) = draw.widths();
        let start = [(draw.below(20) as i64, draw.below(20) as i64), (0, 0)][draw.below(2)];
        n_moved += usize::from(check(&loops, Slots { value, src: from, dst: to }, start));
    }
    assert!(n_moved > n / 3, "{n_moved} of {n}");
}

/// What a spacing does to a row, by the steps that it is of.
fn spaced(steps: &[Step], value: i64) -> Vec<(i64, i64)> {
    let mut bits: Vec<(i64, i64)> = (0..value).map(|bit| (bit, bit)).collect();
    for step in steps {
        let at = |&(packed, staged): &(i64, i64)| {
            (0..step.count).map(move |n| (packed + n * step.packed, staged + n * step.staged))
        };
        bits = bits.iter().flat_map(at).collect();
    }
    bits
}

/// Rows apart and together again, with all registers there are, each bit where the steps say, and zeros above the values.
fn check_spacing(steps: &[Step], value: i64) -> bool {
    let bits = spaced(steps, value);
    let get = |bytes: &[u8], bit: i64| bytes[(bit / 8) as usize] >> (bit % 8) & 1;
    let buffer = |by| pattern(4096 + 2 * BESIDE, by);
    let place = 8 * BESIDE as i64;
    let above = |of: fn(&Step) -> i64| steps.first().map_or(5, of) - value;
    let ways = [
        (Toward::Apart, 0),
        (Toward::Apart, above(|step| step.staged)),
        (Toward::Together, 0),
        (Toward::Together, above(|step| step.packed)),
    ];
    let mut is_made = false;
    for (level, (toward, zeros)) in
        Level::all().into_iter().flat_map(|level| ways.map(|way| (level, way)))
    {
        let Some(spacing) = Spacing::of(steps, value, zeros, toward, window(level)) else {
            continue;
        };
        is_made = true;
        let (src, mut dst) = (buffer(2_654_435_761), buffer(2_246_822_519));
        let rows = [Row { from: 0, to: 0 }];
        let pass = Pass {
            spacing: &spacing,
            rows: &rows,
            src: src.as_ptr(),
            from: place,
            dst: dst.as_mut_ptr(),
            to: place,
            next: [None; 2],
            exactly: None,
            is_bytes: false,
            is_chain: false,
        };
        // SAFETY: there is room for rows of 4096 bytes, and beside them.
        unsafe { level.run(pass) };
        let is_together = toward == Toward::Together;
        for (number, &(packed, staged)) in bits.iter().enumerate() {
            let (from, to) = if is_together { (staged, packed) } else { (packed, staged) };
            let is = get(&dst, place + to) == get(&src, place + from);
            assert!(is, "{steps:?} of {value} bits, {toward:?}, {level:?}: bit {from} to {to}");
            // The last bits of all values come last.
            if number >= bits.len() - bits.len() / value as usize {
                let is_zero = (1..=zeros).all(|bit| get(&dst, place + to + bit) == 0);
                assert!(
                    is_zero,
                    "{steps:?} of {value} bits, {toward:?}, {level:?}: zeros from {to} on"
                );
            }
        }
    }
    is_made
}

#[test]
fn rows_are_spaced() {
    let mut draw = Draw(3);
    let mut n_made = 0;
    for _ in 0..if cfg!(miri) { 20 } else { 700 } {
        let value = [1, 2, 3, 4, 8, 16][draw.below(6)];
        let width = 1 << draw.below(3);
        let mut staged = (value as u64).next_power_of_two() as i64 * width;
        if value == 8 && draw.below(2) == 1 {
            staged = 24;
        }
        let mut step = ((value + draw.below(3) as i64).min(staged), staged);
        let mut steps = Vec::new();
        for _ in 0..1 + draw.below(4) {
            let count = 1 + draw.below(12) as i64;
            if step.1 * count > 16_000 {
                break;
            }
            steps.push(Step { count, packed: step.0, staged: step.1 });
            step = (step.0 * count, ((step.1 * count) as u64).next_power_of_two() as i64);
        }
        n_made += usize::from(check_spacing(&steps, value));
    }
    assert!(n_made > 10, "{n_made}");
}

/// Rows that go on where the ones before end, from anywhere: all their bits, and no others; as one after the other, and as rows that
/// might be anywhere.
#[test]
fn a_chain_of_rows() {
    for &len in cases(&[9i64, 8, 13, 31, 48, 64, 100, 257, 468, 512, 932, 1501], 1) {
        for (first, n) in [(0i64, 80i64), (3, 81), (7, 200), (5, 3)] {
            let n = if cfg!(miri) { n.min(25) } else { n };
            let pitch = 64 + (len + 7) / 8 * 8;
            let place = |row: i64| Row { from: row * pitch + row % 3, to: first + row * len };
            let rows: Vec<Row> = (0..n).map(place).collect();
            let bytes = |bits: i64| (bits as usize).div_ceil(8) + 2 * BESIDE;
            let src = pattern(bytes((n + 1) * pitch), 2_654_435_761);
            let before = pattern(bytes(first + n * len), 2_246_822_519);
            let mut expected = before.clone();
            for bit in 0..n * len {
                let row = rows[(bit / len) as usize];
                let from = 8 * BESIDE + (row.from + bit % len) as usize;
                let to = 8 * BESIDE + (row.to + bit % len) as usize;
                bits::write(&mut expected, to, 1, bits::read(&src, from, 1));
            }
            for (level, is_chain) in
                Level::all().into_iter().flat_map(|level| [(level, true), (level, false)])
            {
                let mut dst = before.clone();
                let pass = Pass {
                    spacing: &Spacing::same(len as usize),
                    rows: &rows,
                    src: src.as_ptr().wrapping_add(BESIDE),
                    from: 0,
                    dst: dst.as_mut_ptr().wrapping_add(BESIDE),
                    to: 0,
                    next: [None; 2],
                    exactly: Some(len as usize),
                    is_bytes: false,
                    is_chain,
                };
                // SAFETY: there is room for the rows, and to read beside them.
                unsafe { level.run(pass) };
                let way = if is_chain { "as a chain" } else { "row by row" };
                assert!(
                    dst == expected,
                    "{n} rows of {len} bits from {first} on by {level:?}, {way}"
                );
            }
        }
    }
}

/// The rows that a box which begins at bytes is moved by, for all registers there are.
fn made(loops: &[Loop], slots: Slots) -> Vec<Rows> {
    let of = |level| Rows::drafts(loops, slots, true, level).and_then(Drafts::made);
    Level::all().into_iter().map(|level| of(level).expect("rows").0).collect()
}

#[test]
fn a_row_that_is_alone_is_read_on_where_it_is() {
    // Eight rows of 119 numbers of 4 bits in tiles of 8 by 128, to rows: those end where no register does.
    let n = if cfg!(miri) { 2 } else { 17 };
    let tiles = |columns: i64| vec![l(n, 8 * columns, 8 * 119), l(8, 1, 119), l(119, 8, 1)];
    // Registers that overlap: colours beside each other, to planes.
    let colours = vec![l(3, 1, 41 * n), l(41 * n, 3, 1)];
    for (loops, bits) in [(tiles(128), 4), (tiles(119), 4), (colours, 32)] {
        let slots = Slots::same(bits);
        // The last row ends with the source, so that less is left of it than is read.
        for start in [(0, 0), (40, 24)] {
            assert!(check(&loops, slots, start), "{loops:?} from {start:?}");
        }
        assert!(made(&loops, slots).iter().all(|rows| rows.is_direct[0] && rows.reach > 0));
    }
}

#[test]
fn few_rows_of_the_destination_are_begun() {
    // Columns that end within bytes: rows of the source are read where they are, shorter ones of them for longer ones of the
    // destination.
    for &bits in cases(&[1, 2], 0) {
        let turned = |rows: i64, columns: i64| [l(rows, columns, 1), l(columns, 1, rows)];
        let slots = Slots::same(bits);
        for start in [(0, 0), (16, 8)] {
            assert!(check(&turned(3755, 256 / bits), slots, start), "{bits} from {start:?}");
        }
        let made = made(&turned(9351, 2048 / bits), slots);
        for rows in made.iter().filter(|rows| window(rows.level) == 64) {
            let is_so = rows.is_direct == [true, false] && rows.len > 1024;
            assert!(is_so, "{bits}: {:?} {}", rows.is_direct, rows.len);
        }
    }
}

#[test]
fn what_keeps_its_order_is_not_read_on() {
    // Every second number of 4 bits, every eighth bit and every second one: there is no program for those.
    for (loops, bits) in [([l(1000, 2, 1)], 4), ([l(1000, 8, 1)], 1), ([l(1000, 2, 1)], 1)] {
        let slots = Slots::same(bits);
        assert!(check(&loops, slots, (0, 0)), "{loops:?}");
        assert!(made(&loops, slots).iter().all(|rows| !matches!(rows.how, How::Program(_))));
    }
}

#[test]
fn registers_begin_within_bytes_of_rows_that_do_not() {
    // Sixteen rows of 119 bytes of which half is kept, put together to one.
    let (loops, slots) = ([l(16, 128, 119), l(119, 1, 1)], Slots { value: 4, src: 8, dst: 4 });
    assert!(check(&loops, slots, (0, 0)));
    for rows in made(&loops, slots) {
        assert!(rows.are_bytes);
        assert!(rows.dst.spacing.vectors.iter().any(|vector| vector.to % 8 != 0));
    }
}

#[test]
fn matrices_of_bits_of_odd_rows_are_widened_and_packed() {
    let (n, m) = if cfg!(miri) { (70, 41) } else { (1024, 1001) };
    for bits in [1, 2, 4] {
        let wider = Slots { value: bits, src: bits, dst: 8 };
        assert!(check(&[l(m, 1, n), l(n, m, 1)], wider, (0, 0)), "{bits} bits made wider");
        let narrower = Slots { value: bits, src: 8, dst: bits };
        assert!(check(&[l(n, 1, m), l(m, n, 1)], narrower, (0, 0)), "bytes of {bits} bits");
    }
}

#[test]
fn rows_near_the_ends_of_the_source() {
    // Rows of 119 numbers of 2 bits, made wider, which go to where no byte begins: so near each other that they are copied
    // together, and further apart.
    let slots = Slots { value: 2, src: 2, dst: 4 };
    for (pitch, is_together) in [(4_000, true), (40_000, false)] {
        let loops = [l(3, pitch, 300), l(119, 1, 1)];
        assert!(check(&loops, slots, (0, 4)), "{pitch}");
        for level in Level::all() {
            let drafts = Rows::drafts(&loops, slots, false, level);
            let (rows, _) = drafts.and_then(Drafts::made).expect("rows");
            let span = (rows.begin.1 - rows.begin.0) as usize / 8 + rows.src.spacing.reach + 2;
            assert_eq!(span <= MOST_COPIED, is_together, "{level:?}");
            assert!(matches!(rows.how, How::Together), "{level:?}");
        }
    }
}

#[test]
fn rows_between_those_near_the_ends_are_read_where_they_are() {
    // Bits transposed, by blocks whose rows reach over more than is copied at once: the first begins where the source does,
    // and the last ends with it.
    let n = if cfg!(miri) { 64 } else { 1024 };
    let (loops, slots) = ([l(n, 426, 1), l(426, 1, n)], Slots::same(1));
    for start in [(0, 0), (0, 3), (5, 0)] {
        assert!(check(&loops, slots, start), "from {start:?}");
    }
    for rows in made(&loops, slots) {
        let span = (rows.begin.1 - rows.begin.0) as usize / 8;
        assert!(span > MOST_COPIED || cfg!(miri), "{:?}: {span}", rows.level);
    }
}

#[test]
fn registers_of_the_same_tables_are_moved_at_once() {
    let step = |count, packed, staged| Step { count, packed, staged };
    // Four times eight rows of 127 nibbles, of which each is a register of 64 bytes in a stage; four times 31 rows of 16 bytes, of
    // which the last register has less than the others; and 32 rows of 31 nibbles, four to a register.
    let odd = [step(127, 4, 4), step(8, 508, 512), step(4, 4064, 4096)];
    let short = [step(32, 4, 4), step(31, 128, 128), step(4, 3968, 4096)];
    let narrow = [step(31, 4, 4), step(32, 124, 128), step(4, 3968, 4096)];
    for (steps, toward, n, times) in [
        (odd, Toward::Apart, 32, 1),
        (short, Toward::Apart, 8, 4),
        (short, Toward::Together, 8, 4),
        (narrow, Toward::Together, 32, 1),
    ] {
        assert!(check_spacing(&steps, 4), "{steps:?}");
        let Spacing { groups, vectors, .. } = Spacing::of(&steps, 4, 0, toward, 64).unwrap();
        let [group] = groups[..] else { panic!("{groups:?}") };
        let [vector] = vectors[..] else { panic!("{vectors:?}") };
        assert_eq!((vector.count, group.count), (n, times), "{steps:?}, {toward:?}");
    }
}

#[test]
fn blocks_of_one_piece_are_streamed() {
    // Matrices of 64 rows of 63 nibbles and of 31 of 32, transposed, one after the other. Of 41 the last block has some of the one
    // before.
    let numbers = cases(&[41, 40], 1);
    for (rows, columns, &n) in numbers.iter().flat_map(|n| [(64, 63, n), (31, 32, n)]) {
        let each = rows * columns;
        let loops = [l(n, each, each), l(columns, 1, rows), l(rows, columns, 1)];
        let slots = Slots::same(4);
        for start in [(0, 0), (8, 24), (4, 8)] {
            assert!(check(&loops, slots, start), "{n} of {rows} x {columns} from {start:?}");
        }
        let made = made(&loops, slots);
        assert!(made.iter().all(Rows::streams), "{n} of {rows} x {columns}");
        let comes_back = |rows: &Rows| rows.around.iter().any(|l| l.dst_back != 0);
        assert!(n != 41 || made.iter().all(comes_back), "{n} of {rows} x {columns}");
    }
}

#[test]
fn lines_of_rows_that_are_far_apart_are_asked_for() {
    // Three rows of 119 numbers made wider, and narrower, which are copied from memory to memory.
    for (value, src, dst) in [(2, 2, 4), (4, 4, 8), (4, 8, 4)] {
        let slots = Slots { value, src, dst };
        let loops = [l(3, 1_200_000 / src, 300), l(119, 1, 1)];
        assert!(check(&loops, slots, (0, 0)), "{slots:?}");
        for rows in made(&loops, slots) {
            assert!(rows.asks && !matches!(rows.how, How::Program(_)), "{slots:?}");
        }
    }
}
