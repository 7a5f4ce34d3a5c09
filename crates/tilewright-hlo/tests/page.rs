//! The report as a page, and as a piece of another one.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use tilewright_hlo::{Dump, Report};

fn report(text: &str) -> Report {
    Report::of(&Dump::read(text))
}

fn of_file(name: &str) -> Report {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/memory");
    report(&std::fs::read_to_string(folder.join(name)).unwrap())
}

/// What the script of a page knows.
fn document(page: &str) -> Value {
    let (_, rest) = page.split_once("class=\"tw-document\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// The table with a title, each row by the names of its columns, texts in the place of their numbers.
fn rows(document: &Value, title: &str) -> Vec<Vec<(String, Value)>> {
    let tables = document["tables"].as_array().unwrap();
    let table = tables.iter().find(|table| table["title"] == title).unwrap();
    let columns = table["columns"].as_array().unwrap();
    let cell = |(column, value): (&Value, &Value)| {
        let is_text = ["text", "code"].contains(&column[1].as_str().unwrap());
        let number = || value.as_u64().unwrap() as usize;
        let said = if is_text { document["texts"][number()].clone() } else { value.clone() };
        (column[0].as_str().unwrap().to_owned(), said)
    };
    let row = |row: &Value| columns.iter().zip(row.as_array().unwrap()).map(cell).collect();
    table["rows"].as_array().unwrap().iter().map(row).collect()
}

fn value(row: &[(String, Value)], column: &str) -> Value {
    row.iter().find(|(name, _)| name == column).unwrap().1.clone()
}

#[test]
fn all_that_is_alive_at_the_peak_is_in_it_with_where_it_comes_from() {
    let report = of_file("decoder-remat.hlo");
    let page = report.to_html();
    let document = document(&page);
    let peak = &report.peak.as_ref().unwrap()[0];
    let rows = rows(&document, "Alive at the peak");
    assert_eq!(rows.len(), peak.alive.len());
    for (row, alive) in rows.iter().zip(&peak.alive) {
        assert_eq!(value(row, "Name"), alive.name);
        assert_eq!(value(row, "Bytes"), alive.bytes);
        assert_eq!(value(row, "Array"), *alive.text);
        assert_eq!(value(row, "Layer"), alive.layer.clone().unwrap_or_default());
        assert_eq!(value(row, "Op name"), alive.op_name.clone().unwrap_or_default());
        let source = alive.source.as_ref().map(ToString::to_string).unwrap_or_default();
        assert_eq!(value(row, "Source"), source);
    }
}

#[test]
fn each_memory_space_has_a_chart_and_the_peak_comes_first() {
    let report = of_file("unet-gradient.hlo");
    let page = report.to_html();
    let document = document(&page);
    let charts = document["charts"].as_array().unwrap();
    let spaces: Vec<&str> = charts.iter().map(|chart| chart["space"].as_str().unwrap()).collect();
    assert_eq!(spaces, ["hbm", "vmem"]);
    for (chart, timeline) in charts.iter().zip(report.timeline.as_ref().unwrap()) {
        assert_eq!(chart["lives"].as_array().unwrap().len(), timeline.lives.len());
        assert_eq!(chart["steps"].as_array().unwrap().len(), timeline.steps.len());
    }
    let places =
        ["<h2>hbm: ", "Alive at the peak", "<h2>Totals", "Buffers, by padding", "Relayouts"];
    let places: Vec<usize> = places.iter().map(|part| page.find(part).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn buffers_of_a_module_that_is_not_scheduled() {
    let text = "HloModule m\n\nENTRY e {\n  p = f32[9,129]{1,0:T(8,128)} parameter(0)\n  \
                ROOT c = f32[9,129]{0,1:T(8,128)S(1)} copy(p)\n}\n";
    let page = report(text).to_html();
    let document = document(&page);
    let spaces: BTreeSet<String> = rows(&document, "Buffers, by padding")
        .iter()
        .map(|row| value(row, "Memory").as_str().unwrap().to_owned())
        .collect();
    assert_eq!(spaces, BTreeSet::from(["hbm".to_owned(), "vmem".to_owned()]));
    assert!(document["charts"].as_array().unwrap().is_empty());
    assert!(report(text).to_html_fragment().contains("Buffers, by padding"));
}

/// Whatever names hold, they end no element and begin none.
#[test]
fn names_are_never_markup() {
    let nasty = "</script><script>alert`1`</script><!--<img/onerror>'&\u{202e}";
    let text = format!(
        "HloModule {nasty}, is_scheduled=true\n\nENTRY e {{\n  p = f32[8,128]{{1,0:T(8,128)}} parameter(0)\n  \
         %{nasty} = f32[8,128]{{1,0:T(8,128)}} negate(p), metadata={{op_name=\"{nasty}\" source_file=\"{nasty}\" \
         source_line=7}}\n  ROOT %b = f32[8,128]{{1,0:T(8,128)}} add(%{nasty}, p)\n}}\n"
    );
    let report = report(&text);
    for page in [report.to_html(), report.to_html_fragment()] {
        let scripts: Vec<&str> = page.matches("<script").collect();
        assert_eq!((scripts.len(), page.matches("</script").count()), (2, 2));
        assert!(!page.contains("<img") && !page.contains("<!--") && !page.contains('\u{202e}'));
        let document = document(&page);
        assert!(document["texts"].as_array().unwrap().iter().any(|text| {
            text.as_str().is_some_and(|text| text.contains("</script><script>alert"))
        }));
    }
}

/// The page loads nothing, and says so; a piece leaves what is around it alone.
#[test]
fn nothing_is_asked_of_anybody() {
    let report = of_file("experts-ragged.hlo");
    let policy = "content=\"default-src 'none'; script-src 'sha256-";
    let page = report.to_html();
    assert!(page.contains(policy) && !page.contains("unsafe-inline"));
    for page in [page, report.to_html_fragment()] {
        // The language of pictures is named by an address that nobody asks.
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for outside in ["http:", "https:", "src=", "href=", "url(", "@import", " style=", "onclick"]
        {
            assert!(!page.contains(outside), "{outside}");
        }
    }
    let piece = report.to_html_fragment();
    for element in ["<html", "<body", "<meta", "<title", " id="] {
        assert!(!piece.contains(element), "{element}");
    }
}

#[test]
fn a_buffer_more_takes_few_bytes() {
    use std::fmt::Write;
    let mut text = String::from(
        "HloModule m, is_scheduled=true\n\nENTRY e {\n  a0 = f32[8,128]{1,0:T(8,128)} parameter(0)\n",
    );
    let n = 20_000;
    for number in 1..=n {
        let before = number - 1;
        let _ = writeln!(text, "  a{number} = f32[8,128]{{1,0:T(8,128)}} negate(a{before})");
    }
    let page = report(&(text.clone() + "}\n")).to_html();
    assert!(page.len() < 80 * n, "{} bytes", page.len());
    assert_eq!(rows(&document(&page), "Buffers, by padding").len(), n + 1);
    // Few of them are there before the script draws what can be seen.
    assert!(page.matches("<tr").count() < 500);
}
