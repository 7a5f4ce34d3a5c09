//! What is said of pairs that were drawn: the distribution of their speeds, the slowest, and what
//! planning took.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::random::{Figures, Measured};

/// How many of the slowest pairs are listed.
const SLOWEST: usize = 20;

/// How many of the slowest plans are listed.
const SLOWEST_PLANS: usize = 10;

/// Speeds, relative to the best copy, below which pairs are counted.
const LOW_SPEEDS: [f64; 2] = [0.2, 0.4];

/// Times of planning, in µs, above which pairs are counted.
const LONG_PLANS: [f64; 2] = [5.0, 20.0];

/// How many times as long as on a line it may take off one, above which pairs are counted.
const LONG_OFF_LINE: f64 = 1.15;

/// How many times as long as even ones odd extents may take, and what is counted beside: above which pairs are counted.
const LONG_ODD: f64 = 1.5;
const LONGER_ODD: f64 = 2.0;

/// What a table says of a pair, beside its layouts.
type Cells<'a> = (&'a Measured, Figures);

/// The pairs that were named, one by one, then the distribution of those that were drawn.
pub(crate) fn print(
    out: &mut impl Write,
    named: &[Measured],
    drawn: &[Measured],
    seed: u64,
) -> io::Result<()> {
    writeln!(
        out,
        "\nOn one thread. Best copy: the faster of memcpy and a streaming copy of the larger side, \
         in the same rounds. GB/s counts bytes read and bytes written."
    )?;
    failures(out, named)?;
    failures(out, drawn)?;
    if !named.is_empty() {
        pairs(out, &timed(named))?;
        off_lines(out, named)?;
    }
    if !drawn.is_empty() {
        let wrong = drawn.iter().filter(|one| one.is_wrong()).count();
        let refused = drawn.len() - timed(drawn).len() - wrong;
        let count = drawn.len();
        writeln!(out, "\n{count} pairs, seed {seed}, {wrong} wrong, {refused} refused:\n")?;
        distributions(out, drawn)?;
        let mut slowest = timed(drawn);
        slowest.sort_by(|(_, one), (_, other)| one.of_best_copy.total_cmp(&other.of_best_copy));
        slowest.truncate(SLOWEST);
        writeln!(out, "\nThe {} slowest:", slowest.len())?;
        pairs(out, &slowest)?;
        off_lines(out, drawn)?;
        plans(out, drawn)?;
    }
    Ok(())
}

/// How many times as long arrays of odd extents take as their even neighbours, which come first: all, by family, and the most.
pub(crate) fn print_neighbours(
    out: &mut impl Write,
    beside: &[(&Measured, &Measured)],
) -> io::Result<()> {
    let times = |&(even, odd): &(&Measured, &Measured)| {
        Some(even.figures()?.of_best_copy / odd.figures()?.of_best_copy)
    };
    let timed = |family: Option<&str>| {
        let is_of =
            |one: &&(&Measured, &Measured)| family.is_none_or(|family| one.1.family == family);
        let mut timed: Vec<_> =
            beside.iter().filter(is_of).filter_map(|one| Some((times(one)?, one.1))).collect();
        timed.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        timed
    };
    writeln!(
        out,
        "\nOn one thread: how many times as long an odd extent takes as its even neighbour, each relative to the best copy \
         of its larger side.\n\n| | pairs | half | three quarters | 95 % | most | above {LONG_ODD} | above {LONGER_ODD} \
         |\n|---|---|---|---|---|---|---|---|"
    )?;
    let families: BTreeSet<&str> = beside.iter().map(|(_, odd)| odd.family).collect();
    for family in std::iter::once(None).chain(families.into_iter().map(Some)) {
        let times: Vec<f64> = timed(family).into_iter().map(|(times, _)| times).collect();
        if times.is_empty() {
            continue;
        }
        write!(out, "| {} | {}", family.unwrap_or("all"), times.len())?;
        for percent in [50, 75, 95, 100] {
            write!(out, " | {:.2}", percentile(&times, percent))?;
        }
        for limit in [LONG_ODD, LONGER_ODD] {
            let above = times.iter().filter(|&&one| one > limit).count();
            write!(out, " | {:.1} %", 100.0 * above as f64 / times.len() as f64)?;
        }
        writeln!(out, " |")?;
    }
    writeln!(out)?;
    for (times, odd) in timed(None).iter().rev().take(SLOWEST) {
        writeln!(out, "{times:.1} × `{}` → `{}` ({})  ", odd.from, odd.to, odd.way)?;
    }
    Ok(())
}

fn timed(measured: &[Measured]) -> Vec<Cells<'_>> {
    measured.iter().filter_map(|one| Some((one, one.figures()?))).collect()
}

fn failures(out: &mut impl Write, measured: &[Measured]) -> io::Result<()> {
    for one in measured {
        if let Some(failure) = one.failure() {
            writeln!(out, "\n**{failure}**: {} → {} ({})", one.from, one.to, one.way)?;
        }
    }
    Ok(())
}

/// A line for all pairs, for each size and for each family.
fn distributions(out: &mut impl Write, drawn: &[Measured]) -> io::Result<()> {
    writeln!(
        out,
        "| of the best copy | pairs | min | 1 % | 5 % | 25 % | median | max | below 0.2 | below 0.4 \
         |\n|---|---|---|---|---|---|---|---|---|---|"
    )?;
    let all = timed(drawn);
    distribution(out, "all", &all)?;
    for (size, is_large) in [("about 1 MiB", false), ("about 64 MiB", true)] {
        distribution(out, size, &chosen(&all, |one| one.is_large() == is_large))?;
    }
    let families: BTreeSet<&str> = all.iter().map(|(one, _)| one.family).collect();
    for family in families {
        distribution(out, family, &chosen(&all, |one| one.family == family))?;
    }
    Ok(())
}

fn chosen<'a>(all: &[Cells<'a>], is_chosen: impl Fn(&Measured) -> bool) -> Vec<Cells<'a>> {
    all.iter().filter(|(one, _)| is_chosen(one)).copied().collect()
}

fn distribution(out: &mut impl Write, name: &str, of: &[Cells<'_>]) -> io::Result<()> {
    let mut speeds: Vec<f64> = of.iter().map(|(_, figures)| figures.of_best_copy).collect();
    speeds.sort_unstable_by(f64::total_cmp);
    if speeds.is_empty() {
        return Ok(());
    }
    write!(out, "| {name} | {}", speeds.len())?;
    for percent in [0, 1, 5, 25, 50, 100] {
        write!(out, " | {}", short(percentile(&speeds, percent)))?;
    }
    for limit in LOW_SPEEDS {
        let below = speeds.iter().filter(|&&speed| speed < limit).count();
        write!(out, " | {:.1} %", 100.0 * below as f64 / speeds.len() as f64)?;
    }
    writeln!(out, " |")
}

/// Two digits after the point, or for a small figure as many as it takes to see one that counts.
fn short(figure: f64) -> String {
    match figure {
        0.1.. => format!("{figure:.2}"),
        0.01..0.1 => format!("{figure:.3}"),
        _ => format!("{figure:.4}"),
    }
}

/// The nearest of figures in order, of which there must be one.
fn percentile(figures: &[f64], percent: usize) -> f64 {
    figures[((figures.len() - 1) * percent + 50) / 100]
}

fn pairs(out: &mut impl Write, pairs: &[Cells<'_>]) -> io::Result<()> {
    writeln!(
        out,
        "\n| of the best copy | GB/s | bytes | plan, µs | from → to | family | way \
         |\n|---|---|---|---|---|---|---|"
    )?;
    for (one, figures) in pairs {
        let Figures { of_best_copy, gbps, plan_us, .. } = figures;
        let bytes = one.larger_bytes();
        let Measured { from, to, family, way, .. } = one;
        writeln!(
            out,
            "| {} | {gbps:.2} | {bytes} | {plan_us:.1} | `{from}` → `{to}` | {family} | {way} |",
            short(*of_best_copy)
        )?;
    }
    Ok(())
}

/// How long destinations off a line take, if that was asked for, and the longest.
fn off_lines(out: &mut impl Write, measured: &[Measured]) -> io::Result<()> {
    let off = |one: &Measured| one.figures().and_then(|figures| figures.off_line);
    let mut longest: Vec<(f64, &Measured)> =
        measured.iter().filter_map(|one| Some((off(one)?, one))).collect();
    longest.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let times: Vec<f64> = longest.iter().map(|(times, _)| *times).collect();
    if times.is_empty() {
        return Ok(());
    }
    let above = times.iter().filter(|&&times| times > LONG_OFF_LINE).count();
    let [half, most, nearly] = [50, 75, 95].map(|percent| percentile(&times, percent));
    writeln!(
        out,
        "\nOff a line, times as long: median {half:.2}, 75 % {most:.2}, 95 % {nearly:.2}, above {LONG_OFF_LINE} \
         {:.1} %. The longest:\n\n| times | from → to | way |\n|---|---|---|",
        100.0 * above as f64 / times.len() as f64
    )?;
    for (times, Measured { from, to, way, .. }) in longest.iter().rev().take(SLOWEST_PLANS) {
        writeln!(out, "| {times:.2} | `{from}` → `{to}` | {way} |")?;
    }
    Ok(())
}

fn plans(out: &mut impl Write, drawn: &[Measured]) -> io::Result<()> {
    let mut slowest = timed(drawn);
    slowest.sort_by(|(_, one), (_, other)| other.plan_us.total_cmp(&one.plan_us));
    let counts = LONG_PLANS.map(|limit| {
        let longer = slowest.iter().filter(|(_, figures)| figures.plan_us > limit).count();
        format!("{longer} above {limit} µs")
    });
    slowest.truncate(SLOWEST_PLANS);
    writeln!(out, "\nPlanning: {}. The {} slowest:", counts.join(", "), slowest.len())?;
    writeln!(out, "\n| µs | from → to | way |\n|---|---|---|")?;
    for (one, figures) in slowest {
        let Measured { from, to, way, .. } = one;
        writeln!(out, "| {:.1} | `{from}` → `{to}` | {way} |", figures.plan_us)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::PairVerdict;

    fn measured(family: &'static str, of_best_copy: f64) -> Measured {
        Measured {
            family,
            from: "f32[2,3]".to_owned(),
            to: "f32[2,3]{0,1}".to_owned(),
            src_bytes: 1 << 20,
            dst_bytes: 2 << 20,
            way: String::new(),
            verdict: PairVerdict::Timed(Figures {
                of_best_copy,
                gbps: 1.0,
                plan_us: of_best_copy * 10.0,
                off_line: Some(1.0 + of_best_copy / 5.0),
            }),
        }
    }

    #[test]
    fn a_distribution_counts_and_orders() {
        let mut drawn: Vec<Measured> =
            (0..=100).map(|number| measured("a", f64::from(number) / 100.0)).collect();
        drawn.push(measured("b", 0.3));
        let verdict = PairVerdict::Wrong { wrong: true };
        drawn.push(Measured { verdict, ..measured("b", 0.0) });
        let mut out = Vec::new();
        print(&mut out, &[], &drawn, 7).unwrap();
        let text = String::from_utf8(out).unwrap();
        let a = "| a | 101 | 0.0000 | 0.010 | 0.050 | 0.25 | 0.50 | 1.00 | 19.8 % | 39.6 % |\n";
        assert!(text.contains(a), "{text}");
        assert!(text.contains("| b | 1 | 0.30 "), "{text}");
        assert!(
            text.contains("103 pairs, seed 7, 1 wrong, 0 refused:") && text.contains("**WRONG**"),
            "{text}"
        );
        assert!(text.contains("50 above 5 µs, 0 above 20 µs"), "{text}");
        let off = "times as long: median 1.10, 75 % 1.15, 95 % 1.19, above 1.15 24.5 %.";
        assert!(text.contains(off), "{text}");
    }
}
