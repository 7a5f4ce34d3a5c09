//! The report as a page of its own.
//!
//! One file that loads nothing: the style and the few lines that sort its tables are in it. Every
//! name that comes from a module is escaped.

use std::fmt::Write;

use tilewright::text::escaped_markup;

use crate::chart;
use crate::hint::{Fault, Hint};
use crate::live::Alive;
use crate::memory_report::printed_size;
use crate::report::{Buffer, Movement, Report, Size};

/// So many buffers and relayouts are on the page: a browser is slow with more.
const MAX_ROWS: usize = 2000;

/// So many buffers have pictures.
const MAX_PICTURES: usize = 40;

/// What hides the rows that do not have it.
const SEARCH: &str =
    "<p><input type=search placeholder=\"only rows with…\" aria-label=\"only rows with\"></p>";

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem;\
color:#1b1f24;background:#fff}h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}\
table{border-collapse:collapse;min-width:100%}.wide{overflow-x:auto}th,td{padding:.25rem .6rem;text-align:left;vertical-align:top;\
border-bottom:1px solid #e3e6ea}th button{all:unset;cursor:pointer;font-weight:600}th button:focus-visible{outline:2px solid}\
td.n,th.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}code{font-size:.9em;white-space:nowrap}td.t{max-width:16rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}\
input{font:inherit;width:min(30rem,100%);padding:.3rem .5rem;position:sticky;top:.5rem}\
.chart{margin:0}.chart svg{width:100%;height:auto;max-height:34rem;cursor:crosshair;touch-action:none}.sum{fill:#2f6f9f}.band{fill:#e0a03a}.band:hover{fill:#b5531f}\
.here{stroke:#b5531f;stroke-width:1;vector-effect:non-scaling-stroke}output{display:block;min-height:13rem;font-size:.9em;white-space:pre;overflow-x:auto}\
.bar{display:flex;width:12rem;height:.8rem;background:#f0f2f4}.bar i{background:#2f6f9f}.bar b{background:#e0a03a}\
.hint{color:#57606a;font-size:.9em}.dark{display:none}.light svg,.dark svg{margin-top:.4rem;max-width:100%;height:auto}@media(prefers-color-scheme:dark){body{color:#e6e8ea;background:#16191d}\
th,td{border-color:#30363d}input{background:#0f1215;color:inherit;border:1px solid #30363d}.sum{fill:#6ea8d3}.bar{background:#24292f}.hint{color:#9aa4ae}.light{display:none}.dark{display:block}}";

/// Sorts a table by the column whose heading is pressed, the other way at the second press, and hides the
/// rows that do not have what is searched for.
const SCRIPT: &str = "document.querySelectorAll('th button').forEach(b=>b.addEventListener('click',()=>{\
const h=b.closest('th'),t=h.closest('table'),c=h.cellIndex,d=h.getAttribute('aria-sort')==='descending'?1:-1;\
t.querySelectorAll('th').forEach(x=>x.removeAttribute('aria-sort'));\
h.setAttribute('aria-sort',d<0?'descending':'ascending');const k=r=>{const x=r.cells[c];\
return 'v' in x.dataset?Number(x.dataset.v):x.textContent};const o=t.tBodies[0];\
[...o.rows].sort((p,q)=>{const a=k(p),z=k(q);return d*(a<z?-1:a>z?1:0)}).forEach(r=>o.append(r))}));\
document.querySelector('input[type=search]').addEventListener('input',e=>{const w=e.target.value.toLowerCase();\
document.querySelectorAll('.wide tbody tr').forEach(r=>{r.hidden=!r.textContent.toLowerCase().includes(w)})});";

impl Report {
    /// The report as one self-contained HTML page.
    ///
    /// ```
    /// use tilewright_hlo::{Dump, Report};
    /// let page = Report::of(&Dump::read("HloModule <b>\nENTRY e {\n}\n")).to_html();
    /// assert!(page.contains("<h1>&lt;b&gt;</h1>"));
    /// ```
    pub fn to_html(&self) -> String {
        self.to_html_with(|_| None)
    }

    /// The same, with a picture beside each of the first buffers that pad: what `picture` makes of the
    /// text of its array, as HTML.
    pub fn to_html_with(&self, picture: impl Fn(&str) -> Option<String>) -> String {
        let mut page = String::new();
        let title = escaped_markup(self.module.as_deref().unwrap_or("out-of-memory report"));
        // Writing to a String does not fail.
        let _ = write!(
            page,
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
             <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n{}{}{SEARCH}{}{}{}{}<script>{SCRIPT}{}</script></body></html>\n",
            self.summary(),
            chart::charts(
                self.timeline.as_deref().unwrap_or_default(),
                self.peak.as_deref().unwrap_or_default()
            ),
            self.peak_tables(),
            self.buffer_table(&picture),
            movement_table("Relayouts", &self.relayouts),
            self.value_tables(),
            chart::SCRIPT,
        );
        page
    }

    fn summary(&self) -> String {
        let totals = &self.totals;
        let sizes = [
            ("Parameters", &totals.parameters),
            ("Outputs", &totals.outputs),
            ("Buffers", &totals.buffers),
        ];
        let rows: String = sizes.iter().map(|(name, size)| size_row(name, size)).collect();
        let moved = totals.relayouts;
        let verdicts = totals.bitcasts;
        format!(
            "<table><thead><tr><th></th><th class=n>Arrays</th><th class=n>Bytes</th><th class=n>Data</th>\
             <th class=n>Padding</th><th></th></tr></thead><tbody>{rows}</tbody></table>\n\
             <p>{} relayouts, reading {}, writing {}. {} bitcasts: {} confirmed, {} refused, {} undecided.</p>\n",
            moved.count,
            printed_size(moved.bytes_read),
            printed_size(moved.bytes_written),
            verdicts.count,
            verdicts.confirmed,
            verdicts.refused,
            verdicts.undecided,
        )
    }

    /// Who is there at the peaks.
    fn peak_tables(&self) -> String {
        let large = self.peak.iter().flatten().filter(|peak| !peak.space.starts_with("S("));
        let tables = large.map(|peak| {
            let shown = peak.alive.get(..MAX_ROWS.min(peak.alive.len())).unwrap_or_default();
            let largest = shown.iter().map(|buffer| buffer.bytes).max().unwrap_or(0);
            let rows: String = shown.iter().map(|buffer| alive_row(buffer, largest)).collect();
            let heads = [
                head("Bytes", "n"),
                head("Padding", "n"),
                "<th>Data and padding</th>".to_owned(),
                head("Array", ""),
                head("Op", ""),
                head("Source", ""),
                head("Name", ""),
                head("Computation", ""),
                head("Until", ""),
            ];
            let title = format!("Alive at the peak of {}", escaped_markup(&peak.space));
            table(&title, &heads.concat(), &rows, shown.len(), peak.alive.len())
        });
        tables.collect()
    }

    fn buffer_table(&self, picture: &dyn Fn(&str) -> Option<String>) -> String {
        let shown = self.buffers.get(..MAX_ROWS.min(self.buffers.len())).unwrap_or_default();
        let largest = shown.iter().map(|buffer| buffer.bytes).max().unwrap_or(0);
        let draw = |(number, buffer): (usize, &Buffer)| {
            let is_drawn = number < MAX_PICTURES && buffer.padding_bytes > 0;
            let picture = if is_drawn { picture(&buffer.text) } else { None };
            buffer_row(buffer, largest, &picture.unwrap_or_default())
        };
        let rows: String = shown.iter().enumerate().map(draw).collect();
        let heads = [
            head("Name", ""),
            head("Array", ""),
            head("Bytes", "n"),
            head("Padding", "n"),
            "<th>Data and padding</th>".to_owned(),
            head("Op", ""),
            head("Computation", ""),
        ];
        table("Buffers", &heads.concat(), &rows, shown.len(), self.buffers.len())
    }

    fn value_tables(&self) -> String {
        let lists = [("Parameters", &self.parameters), ("Outputs", &self.outputs)];
        let tables = lists.iter().map(|(title, values)| {
            let shown = values.get(..MAX_ROWS.min(values.len())).unwrap_or_default();
            let rows: String = shown
                .iter()
                .map(|value| {
                    let cells = [
                        text_cell(&value.name),
                        code_cell(&value.text),
                        size_cell(value.bytes),
                        size_cell(value.logical_bytes),
                    ];
                    format!("<tr>{}</tr>\n", cells.concat())
                })
                .collect();
            let heads =
                [head("Name", ""), head("Array", ""), head("Bytes", "n"), head("Data", "n")];
            table(title, &heads.concat(), &rows, shown.len(), values.len())
        });
        tables.collect()
    }
}

fn size_row(name: &str, size: &Size) -> String {
    format!(
        "<tr><td>{name}</td><td class=n>{}</td>{}{}{}<td>{}</td></tr>\n",
        size.count,
        size_cell(size.bytes),
        size_cell(size.logical_bytes),
        size_cell(size.padding_bytes),
        bar(size.logical_bytes, size.padding_bytes, size.bytes),
    )
}

fn alive_row(buffer: &Alive, largest: i64) -> String {
    let array = array(&buffer.text, buffer.fault.as_deref(), buffer.hint.as_deref());
    let source = buffer.source.as_ref().map(ToString::to_string);
    let source = source.or_else(|| buffer.op_name.clone()).unwrap_or_default();
    let data = buffer.bytes.saturating_sub(buffer.padding_bytes);
    format!(
        "<tr>{}{}<td>{}</td><td>{array}</td>{}{}{}{}{}</tr>\n",
        size_cell(buffer.bytes),
        size_cell(buffer.padding_bytes),
        bar(data, buffer.padding_bytes, largest),
        text_cell(&buffer.op),
        text_cell(&source),
        text_cell(&buffer.name),
        text_cell(&buffer.computation),
        text_cell(&buffer.until),
    )
}

/// An array, and what would mend it.
fn array(text: &str, fault: Option<&Fault>, hint: Option<&Hint>) -> String {
    let mut array = format!("<code>{}</code>", escaped_markup(text));
    if let Some(fault) = fault {
        let _ = write!(array, "<div class=hint>{}</div>", escaped_markup(&fault.text));
    }
    for suggestion in hint.iter().flat_map(|hint| hint.format.iter().chain(&hint.shape)) {
        let size = printed_size(suggestion.bytes);
        let text = escaped_markup(&suggestion.text);
        let _ = write!(array, "<div class=hint>as <code>{text}</code>: {size}</div>");
    }
    array
}

fn buffer_row(buffer: &Buffer, largest: i64, picture: &str) -> String {
    let array = array(&buffer.text, buffer.fault.as_deref(), buffer.hint.as_deref());
    let data = buffer.bytes.saturating_sub(buffer.padding_bytes);
    format!(
        "<tr>{}<td>{array}{picture}</td>{}{}<td>{}</td>{}{}</tr>\n",
        text_cell(&buffer.name),
        size_cell(buffer.bytes),
        size_cell(buffer.padding_bytes),
        bar(data, buffer.padding_bytes, largest),
        text_cell(&buffer.op),
        text_cell(&buffer.computation),
    )
}

fn movement_table(title: &str, movements: &[Movement]) -> String {
    let shown = movements.get(..MAX_ROWS.min(movements.len())).unwrap_or_default();
    let row = |movement: &Movement| {
        let cells = [
            text_cell(&movement.name),
            text_cell(movement.kind.name()),
            code_cell(&movement.from),
            code_cell(&movement.to),
            size_cell(movement.bytes_read),
            size_cell(movement.bytes_written),
            number_cell(movement.executions),
            number_cell(movement.cycles),
            text_cell(&movement.source.as_ref().map(ToString::to_string).unwrap_or_default()),
            text_cell(&movement.computation),
        ];
        format!("<tr>{}</tr>\n", cells.concat())
    };
    let rows: String = shown.iter().map(row).collect();
    let heads = [
        head("Name", ""),
        head("Kind", ""),
        head("From", ""),
        head("To", ""),
        head("Reads", "n"),
        head("Writes", "n"),
        head("Times", "n"),
        head("Cycles", "n"),
        head("Source", ""),
        head("Computation", ""),
    ];
    table(title, &heads.concat(), &rows, shown.len(), movements.len())
}

/// A table with its title; nothing where it has no rows.
fn table(title: &str, heads: &str, rows: &str, shown: usize, all: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let of = if shown == all { all.to_string() } else { format!("the first {shown} of {all}") };
    format!(
        "<h2>{title} ({of})</h2>\n<div class=wide><table><thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div>\n"
    )
}

fn head(name: &str, class: &str) -> String {
    format!("<th class=\"{class}\"><button>{name}</button></th>")
}

/// A text, cut to the room there is; all of it where one points.
fn text_cell(text: &str) -> String {
    let text = escaped_markup(text);
    format!("<td class=t title=\"{text}\">{text}</td>")
}

fn number_cell(number: Option<u64>) -> String {
    let text = number.map(|number| number.to_string()).unwrap_or_default();
    format!("<td class=n data-v=\"{}\">{text}</td>", number.unwrap_or(0))
}

fn code_cell(text: &str) -> String {
    format!("<td><code>{}</code></td>", escaped_markup(text))
}

/// A size to read, and as a number to sort by.
fn size_cell(bytes: i64) -> String {
    format!("<td class=n data-v=\"{bytes}\">{}</td>", printed_size(bytes))
}

/// Data and padding side by side, as shares of the largest.
fn bar(data: i64, padding: i64, largest: i64) -> String {
    let share = |bytes: i64| 100.0 * bytes as f64 / largest.max(1) as f64;
    format!(
        "<div class=bar title=\"data {}, padding {}\"><i style=\"width:{:.2}%\"></i><b style=\"width:{:.2}%\"></b></div>",
        printed_size(data),
        printed_size(padding),
        share(data),
        share(padding)
    )
}
