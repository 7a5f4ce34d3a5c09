//! The report as a page of its own, and as a piece of another one, such as a notebook.
//!
//! One file that loads nothing. Its [`tables`] and [charts](chart) are in it twice: the first rows as
//! HTML, for whoever runs no scripts, and all of it as [`data`], of which the script draws what can be seen, so
//! that a module of 10⁵ buffers is no trouble. Where the page is a document of its own, its policy
//! ([`policy`]) lets a browser run this script and no other.
//!
//! Every name that comes from a module is escaped here, and set as text by the script.

mod chart;
mod data;
mod policy;
mod tables;

use std::fmt::Write;

use tilewright::text::escaped_markup;

use crate::memory_report::printed_size;
use crate::report::{Report, Size};
use data::{Data, Table, bar};

const STYLE: [&str; 2] = [include_str!("chart.css"), include_str!("page.css")];

/// The parts of the script. Each uses those before it alone.
const SCRIPT: [&str; 6] = [
    include_str!("groups.js"),
    include_str!("chart.js"),
    include_str!("texts.js"),
    include_str!("table.js"),
    include_str!("sums.js"),
    include_str!("page.js"),
];

/// Where the script puts what is searched for.
const TOOLS: &str = "<div class=\"tw-tools\"></div>\n";

/// So many rows are in the table of a page before the script draws it.
const ROWS_WITHOUT_SCRIPT: usize = 50;

/// So many rows a table of a page has, and in a piece of another page.
const MAX_ROWS: usize = 1 << 17;
const MAX_ROWS_OF_PIECE: usize = 1000;

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

    /// The same, with a picture of each of the first buffers that pad: what `picture` makes of the
    /// text of its array, as HTML.
    pub fn to_html_with(&self, picture: impl Fn(&str) -> Option<String>) -> String {
        let title = escaped_markup(self.title());
        let (style, script) = (style(), script());
        let policy = policy::content();
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
             <style>{style}</style></head><body class=\"tw tw-page\">\n<h1>{title}</h1>\n{}\n\
             <script>{script}</script></body></html>\n",
            self.page_body(&picture),
        )
    }

    /// The timelines, and what is alive at the peaks, as a piece of another page: an element with all that it
    /// needs, whose style applies to nothing else. Of a module that is not scheduled, its buffers. Without
    /// scripts it is a picture and a table.
    ///
    /// ```
    /// use tilewright_hlo::{Dump, Report};
    /// let report = Report::of(&Dump::read("HloModule m\nENTRY e {\n  ROOT p = f32[9] parameter(0)\n}\n"));
    /// let piece = report.to_html_fragment();
    /// assert!(piece.starts_with("<div class=\"tw\">") && piece.ends_with("</div>\n"));
    /// ```
    pub fn to_html_fragment(&self) -> String {
        let mut data = Data::new(MAX_ROWS_OF_PIECE);
        let mut body = self.spaces(&mut data);
        if body.is_empty() {
            let buffers = tables::buffers(self, &mut data.texts);
            body = data.add(buffers);
        }
        format!(
            "<div class=\"tw\"><style>{}</style>\n<p><b>{}</b> {}</p>{TOOLS}{body}{}\
             <script>{}</script></div>\n",
            style(),
            escaped_markup(self.title()),
            self.needs(),
            data.document(),
            script(),
        )
    }

    fn title(&self) -> &str {
        self.module.as_deref().unwrap_or("out-of-memory report")
    }

    fn page_body(&self, picture: &dyn Fn(&str) -> Option<String>) -> String {
        let mut data = Data::new(MAX_ROWS);
        let mut body = format!("<p class=\"tw-needs\">{}</p>\n{TOOLS}", self.needs());
        body += &self.spaces(&mut data);
        body += &self.summary();
        let buffers = tables::buffers(self, &mut data.texts);
        let pictures = tables::pictures(self, picture);
        body += &data.add(Table { after: pictures, ..buffers });
        for table in tables::others(self, &mut data.texts) {
            body += &data.add(table);
        }
        body + &data.document()
    }

    /// A part for each memory space: its timeline, and who is alive at its peak.
    fn spaces(&self, data: &mut Data) -> String {
        let mut body = String::new();
        for (timeline, peak) in chart::large(self) {
            let table = tables::alive(peak, &mut data.texts);
            let number = data.tables.len();
            let table = data.add(table);
            let space = escaped_markup(&peak.space);
            let at = escaped_markup(&peak.at);
            let shared = match peak.bytes_shared == peak.bytes {
                true => String::new(),
                false => format!(
                    " {} if fusions write over what they read last.",
                    printed_size(peak.bytes_shared)
                ),
            };
            // Writing to a String does not fail.
            let _ = write!(
                body,
                "<section class=\"tw-space\"><h2>{space}: {} at the peak</h2>\n<p class=\"tw-cut\" title=\"{at}\">\
                 Temporaries, at <code>{at}</code>.{shared}</p>\n{}{table}</section>\n",
                printed_size(peak.bytes),
                chart::chart(timeline, peak),
            );
            let chart = chart::data(timeline, peak, number, data.max_rows, &mut data.texts);
            data.charts.push(chart);
        }
        body
    }

    /// What the program needs of the device's memory.
    fn needs(&self) -> String {
        let totals = &self.totals;
        let mut line = String::new();
        if let Some(lack) = &self.out_of_memory {
            let [memory, used, capacity] =
                [&lack.memory, &lack.used, &lack.capacity].map(|text| escaped_markup(text));
            let _ = write!(line, "Out of memory: {used} of {capacity} {memory}. ");
        }
        if self.peak.is_some() {
            let peak = self.peak.iter().flatten().find(|peak| peak.space == "hbm");
            let _ = write!(
                line,
                "Needs <b>{}</b> of hbm: parameters {}, outputs {}, {} of them donated, temporaries {}.",
                printed_size(self.need_of("hbm", 0).bytes),
                printed_size(totals.parameters.bytes),
                printed_size(totals.outputs.bytes),
                printed_size(totals.aliases.bytes),
                printed_size(peak.map_or(0, |peak| peak.bytes_shared)),
            );
        }
        line
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
        let head = |name: &str| format!("<th scope=\"col\" class=\"tw-c-size\">{name}</th>");
        let heads = ["Arrays", "Bytes", "Data", "Padding"].map(head).concat();
        format!(
            "<section><h2>Totals</h2><div class=\"tw-wide\"><table class=\"tw-totals\"><thead><tr><td></td>{heads}<td></td></tr></thead>\
             <tbody>{rows}</tbody></table></div>\n\
             <p>{} relayouts, reading {}, writing {}. {} bitcasts: {} confirmed, {} refused, {} undecided.</p></section>\n",
            moved.count,
            printed_size(moved.bytes_read),
            printed_size(moved.bytes_written),
            verdicts.count,
            verdicts.confirmed,
            verdicts.refused,
            verdicts.undecided,
        )
    }
}

fn size_row(name: &str, size: &Size) -> String {
    let cell = |text: String| format!("<td class=\"tw-c-size\">{text}</td>");
    let sizes = [size.bytes, size.logical_bytes, size.padding_bytes].map(printed_size);
    format!(
        "<tr><th scope=\"row\">{name}</th>{}{}<td class=\"tw-c-bar\">{}</td></tr>\n",
        cell(size.count.to_string()),
        sizes.map(cell).concat(),
        bar(size.logical_bytes, size.padding_bytes, size.bytes),
    )
}

/// The style, of the page and of a piece.
fn style() -> String {
    STYLE.concat()
}

/// The parts of the script as one, in a scope of its own, without comments.
fn script() -> String {
    let mut script = String::from("{\n\"use strict\";\n");
    for line in SCRIPT.iter().flat_map(|part| part.lines()) {
        let text = line.trim_start();
        let is_comment =
            ["//", "/**", "* ", "*/"].iter().any(|mark| text.starts_with(mark)) || text == "*";
        if is_comment || text.is_empty() || line.starts_with("import ") {
            continue;
        }
        script += line.strip_prefix("export ").unwrap_or(line);
        script.push('\n');
    }
    script + "}\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_is_of_this_style_and_this_script() {
        for (what, text, said) in
            [("style", style(), policy::STYLE), ("script", script(), policy::SCRIPT)]
        {
            let hash = policy::hash(&text);
            assert_eq!(hash, said, "the {what} has changed: write the first as its hash");
        }
    }

    #[test]
    fn the_script_is_one() {
        let script = script();
        for none in ["import ", "export ", "</", "<!--", "//", "eval", "innerHTML", "fetch"] {
            assert!(!script.replace("http://www.w3.org/2000/svg", "").contains(none), "{none}");
        }
    }

    #[test]
    fn the_style_of_a_piece_applies_to_nothing_else() {
        let style = style();
        let mut depth = 0;
        for line in style.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let selector = line.split('{').next().filter(|of| *of != line && !of.starts_with('@'));
            let parts = selector.into_iter().flat_map(|selector| selector.split(','));
            parts.for_each(|part| assert!(part.contains(".tw"), "{line}"));
            depth += line.matches('{').count() as i64 - line.matches('}').count() as i64;
        }
        assert_eq!(depth, 0);
    }
}
