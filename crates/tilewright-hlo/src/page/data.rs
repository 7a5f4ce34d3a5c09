//! What the script of the page knows: tables and charts, as one document of JSON.
//!
//! ```text
//! {"texts": ["", "copy.1", …],                      each text once, by its number
//!  "tables": [{"title", "space", "all",              `all`: how many rows the report has
//!              "columns": [[name, kind, role, shown], …],
//!              "rows": [[number, …], …],             texts by their numbers, sizes in bytes
//!              "notes": [[row, [text, …]], …]}, …],
//!  "charts": [{"space", "n", "peak", "at", "steps": [[time, bytes], …],
//!              "table", "lives": [[from, to, row], …]}, …]}
//! ```
//!
//! `kind` is how a column is shown, `role` what it is asked for: `bytes`, `padding`, `array`, `space`, `op`,
//! `source`, `layer`, `name`, `until`. A chart's lives have the columns of a table of alive buffers.

use std::collections::HashMap;
use std::fmt::Write;

use serde::{Serialize, Serializer};
use tilewright::text::{escaped, escaped_markup};

use super::ROWS_WITHOUT_SCRIPT;
use crate::memory_report::printed_size;

/// Texts by their numbers.
#[derive(Debug)]
pub(super) struct Texts(HashMap<String, u32>);

impl Texts {
    /// The number of a text; that of the empty one is 0.
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.0.get(text) {
            return number;
        }
        let number = self.0.len() as u32;
        self.0.insert(text.to_owned(), number);
        number
    }

    pub(super) fn text(&mut self, text: &str) -> Cell {
        Cell::Text(self.number(text))
    }

    /// The texts by their numbers.
    fn all(&self) -> Vec<&str> {
        let mut all = vec![""; self.0.len()];
        for (text, &number) in &self.0 {
            all[number as usize] = text;
        }
        all
    }
}

/// A cell of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    /// A text, by its number.
    Text(u32),
    /// A size in bytes, or any other number.
    Number(i64),
    /// Nothing: what is not known, or made of other columns.
    Nothing,
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Cell::Text(number) => serializer.serialize_u32(number),
            Cell::Number(number) => serializer.serialize_i64(number),
            Cell::Nothing => serializer.serialize_none(),
        }
    }
}

/// How a column is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Text,
    /// A layout, in the letters of code.
    Code,
    /// A number of bytes.
    Size,
    Number,
    /// The columns `bytes` and `padding`, as a bar.
    Bar,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Code => "code",
            Kind::Size => "size",
            Kind::Number => "number",
            Kind::Bar => "bar",
        }
    }
}

/// A column: its name, how it is shown, what it is asked for, and whether it is in the table or only among
/// what is said of a chosen row.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Column(
    pub(super) &'static str,
    pub(super) Kind,
    pub(super) &'static str,
    pub(super) bool,
);

/// A table.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    pub(super) title: &'static str,
    /// The class of its part of the page.
    #[serde(skip)]
    pub(super) class: &'static str,
    /// The memory space that all of it is in, if it is one.
    pub(super) space: String,
    /// How many rows the report has.
    pub(super) all: usize,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
    /// What else is to be said of some rows.
    pub(super) notes: Vec<(usize, Vec<u32>)>,
    /// What follows the table in the page, as HTML.
    #[serde(skip)]
    pub(super) after: String,
}

/// A chart: see the head of this file.
#[derive(Debug, Serialize)]
pub(super) struct Chart {
    pub(super) space: String,
    pub(super) n: usize,
    pub(super) peak: u32,
    pub(super) at: u32,
    pub(super) steps: Vec<(u32, i64)>,
    pub(super) table: usize,
    pub(super) lives: Vec<(u32, u32, Vec<Cell>)>,
}

/// All of it.
#[derive(Debug)]
pub(super) struct Data {
    pub(super) texts: Texts,
    pub(super) tables: Vec<Table>,
    pub(super) charts: Vec<Chart>,
    /// So many rows a table has, and so many lives a chart.
    pub(super) max_rows: usize,
}

#[derive(Serialize)]
struct Document<'d> {
    texts: Vec<String>,
    tables: &'d [Table],
    charts: &'d [Chart],
}

impl Data {
    pub(super) fn new(max_rows: usize) -> Self {
        let texts = Texts(HashMap::from([(String::new(), 0)]));
        Data { texts, tables: Vec::new(), charts: Vec::new(), max_rows }
    }

    /// Takes a table, and gives its part of the page; nothing of one without rows.
    pub(super) fn add(&mut self, mut table: Table) -> String {
        if table.rows.is_empty() {
            return String::new();
        }
        table.rows.truncate(self.max_rows);
        table.notes.retain(|&(row, _)| row < self.max_rows);
        let html = table.html(self.tables.len(), &self.texts.all());
        self.tables.push(table);
        html
    }

    /// The document, in an element that no browser runs or shows.
    pub(super) fn document(&self) -> String {
        // Letters that act on what is beside them are written out, as everywhere.
        let texts = self.texts.all().into_iter().map(|text| escaped(text).to_string()).collect();
        let document = Document { texts, tables: &self.tables, charts: &self.charts };
        let json = serde_json::to_string(&document).unwrap_or_default();
        // No end tag, and no comment, begins in it.
        let json = json.replace('<', "\\u003c");
        format!("<script type=\"application/json\" class=\"tw-document\">{json}</script>\n")
    }
}

impl Table {
    /// Its part of the page, with the first rows.
    fn html(&self, number: usize, texts: &[&str]) -> String {
        // A column that says nothing of any row is left out.
        let says = |at: usize| self.rows.iter().any(|row| row.get(at) != Some(&Cell::Text(0)));
        let is_shown = |at: usize, column: &Column| column.3 && says(at);
        let columns = self.columns.iter().enumerate();
        let shown: Vec<(usize, &Column)> = columns.filter(|(at, c)| is_shown(*at, c)).collect();
        let mut html = format!(
            "<section class=\"{}\" data-table=\"{number}\"><h3>{} <span class=\"tw-count\">{}</span></h3>\n\
             <div class=\"tw-scroll\"><table><colgroup>",
            self.class, self.title, self.all
        );
        for (_, Column(_, kind, role, _)) in &shown {
            // Writing to a String does not fail.
            let _ = write!(html, "<col class=\"tw-w-{} tw-w-{role}\">", kind.name());
        }
        html += "</colgroup><thead><tr>";
        for (_, Column(name, kind, ..)) in &shown {
            let _ = write!(html, "<th scope=\"col\" class=\"tw-c-{}\">{name}</th>", kind.name());
        }
        html += "</tr></thead>\n<tbody>";
        let largest = self.rows.iter().map(|row| self.number(row, "bytes")).max().unwrap_or(0);
        for row in self.rows.iter().take(ROWS_WITHOUT_SCRIPT) {
            html += "<tr>";
            for (at, Column(_, kind, ..)) in &shown {
                let inner = match (kind, row.get(*at)) {
                    (Kind::Bar, _) => {
                        let padding = self.number(row, "padding");
                        bar(self.number(row, "bytes").saturating_sub(padding), padding, largest)
                    }
                    (Kind::Size, Some(Cell::Number(bytes))) => printed_size(*bytes),
                    (_, Some(Cell::Number(number))) => number.to_string(),
                    (kind, Some(Cell::Text(text))) => {
                        let text = texts.get(*text as usize).copied().unwrap_or_default();
                        let text = escaped_markup(text);
                        match kind {
                            Kind::Code => format!("<code>{text}</code>"),
                            _ => text,
                        }
                    }
                    _ => String::new(),
                };
                let _ = write!(html, "<td class=\"tw-c-{}\">{inner}</td>", kind.name());
            }
            html += "</tr>\n";
        }
        let _ = writeln!(html, "</tbody></table></div>{}</section>", self.after);
        html
    }

    /// The number of a row in the column of a role.
    fn number(&self, row: &[Cell], role: &str) -> i64 {
        let at = self.columns.iter().position(|column| column.2 == role);
        match at.and_then(|at| row.get(at)) {
            Some(&Cell::Number(number)) => number,
            _ => 0,
        }
    }
}

/// Data and padding side by side, as shares of the largest.
pub(super) fn bar(data: i64, padding: i64, largest: i64) -> String {
    let share = |bytes: i64| 100.0 * bytes.max(0) as f64 / largest.max(1) as f64;
    let (data, padding) = (share(data), share(padding));
    format!(
        "<svg class=\"tw-bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"tw-data\" height=\"8\" width=\"{data:.2}\"/>\
         <rect class=\"tw-padding\" height=\"8\" x=\"{data:.2}\" width=\"{padding:.2}\"/></svg>"
    )
}
