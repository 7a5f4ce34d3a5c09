//! The tables, in Markdown.

use std::io::{self, Write};

use crate::peers::PEERS;
use crate::row::{Figure, Row};

/// The heading, then for each number of threads our figures and the peers'.
pub(crate) fn print(out: &mut impl Write, heading: &[String], rows: &[Row]) -> io::Result<()> {
    for line in heading {
        writeln!(out, "{line}  ")?;
    }
    writeln!(
        out,
        "\nGB/s counts bytes read and bytes written; medians, quartiles in brackets. Best copy: \
         the faster of memcpy and a streaming copy, in the same run."
    )?;
    let mut threads: Vec<usize> = rows.iter().map(|row| row.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    for threads in threads {
        let alone: Vec<&Row> = rows.iter().filter(|row| row.threads == 1).collect();
        let rows: Vec<&Row> = rows.iter().filter(|row| row.threads == threads).collect();
        let plural = if threads == 1 { "" } else { "s" };
        writeln!(out, "\n## {threads} thread{plural}\n")?;
        ours(out, &rows, &alone)?;
        writeln!(out)?;
        peers(out, &rows)?;
    }
    writeln!(
        out,
        "\nnumpy and torch write to an array that is there; JAX allocates its output, and that \
         counts. Peers without threads are in the table of one thread only."
    )
}

fn ours(out: &mut impl Write, rows: &[&Row], alone: &[&Row]) -> io::Result<()> {
    writeln!(
        out,
        "| case | from → to | memcpy | streaming | tilewright | of best copy | best peer | × best \
         peer | plan, µs | also |\n|---|---|---|---|---|---|---|---|---|---|"
    )?;
    for row in rows {
        let streaming = number(row.streaming_gbps, 1);
        let quartiles = row.of_best_copy_quartiles;
        let spread =
            quartiles.map_or(String::new(), |[low, high]| format!(" [{low:.2} {high:.2}]"));
        writeln!(
            out,
            "| {} | {} → {} | {:.1} | {streaming} | {} | {}{spread} | {} | {} | {:.1} | {} |",
            row.case,
            row.from,
            layout_of(&row.to),
            row.memcpy_gbps,
            row.gbps.map_or("wrong".to_owned(), |gbps| format!("{gbps:.1}")),
            number(row.of_best_copy, 2),
            row.best_peer.as_deref().unwrap_or("-"),
            number(row.of_best_peer, 2),
            row.plan_us,
            remarks(row, alone),
        )?;
    }
    Ok(())
}

/// The figures that only some cases have.
fn remarks(row: &Row, alone: &[&Row]) -> String {
    let mut remarks = Vec::new();
    remarks.extend(row.of_read.map(|it| format!("{it:.2} of reading the larger side")));
    remarks.extend(row.ns_over_copy.map(|it| format!("{it:.0} ns over a memcpy")));
    remarks.extend(row.from_python.map(|it| format!("{it:.2} × from Python")));
    remarks.extend(row.of_slower_move.map(|it| format!("{it:.2} of the slower move")));
    let one = alone.iter().find(|one| one.case == row.case).and_then(|one| one.gbps);
    if row.threads > 1
        && let (Some(several), Some(one)) = (row.gbps, one)
    {
        remarks.push(format!("{:.2} × one thread", several / one));
    }
    remarks.join(", ")
}

/// The part of a shape's text in braces: the dimensions were said before.
fn layout_of(shape: &str) -> &str {
    shape.find('{').map_or(shape, |at| &shape[at..])
}

fn peers(out: &mut impl Write, rows: &[&Row]) -> io::Result<()> {
    let present = |name: &&&str| rows.iter().any(|row| row.peers.contains_key(**name));
    let names: Vec<&str> = PEERS.iter().filter(present).copied().collect();
    if names.is_empty() {
        return Ok(());
    }
    writeln!(out, "Ratio to the best copy, and GB/s:\n")?;
    writeln!(out, "| case | tilewright | {} |", names.join(" | "))?;
    writeln!(out, "|---|---{}|", "|---".repeat(names.len()))?;
    for row in rows {
        write!(out, "| {} | {}", row.case, both(row.of_best_copy, row.gbps))?;
        for name in &names {
            write!(out, " | {}", row.peers.get(*name).map_or("-".to_owned(), figure))?;
        }
        writeln!(out, " |")?;
    }
    failures(out, rows)
}

fn figure(figure: &Figure) -> String {
    match figure {
        Figure::Timed { gbps, of_best_copy, .. } => both(Some(*of_best_copy), Some(*gbps)),
        Figure::Wrong { .. } => "wrong".to_owned(),
        Figure::Failed { .. } => "failed".to_owned(),
    }
}

fn both(ratio: Option<f64>, gbps: Option<f64>) -> String {
    match (ratio, gbps) {
        (Some(ratio), Some(gbps)) => format!("{ratio:.2} ({gbps:.1})"),
        _ => "wrong".to_owned(),
    }
}

fn failures(out: &mut impl Write, rows: &[&Row]) -> io::Result<()> {
    for row in rows {
        for (name, figure) in &row.peers {
            if let Figure::Failed { failed } = figure {
                writeln!(out, "\n{}, {name}: {failed}", row.case)?;
            }
        }
    }
    Ok(())
}

fn number(figure: Option<f64>, digits: usize) -> String {
    figure.map_or("-".to_owned(), |figure| format!("{figure:.digits$}"))
}
