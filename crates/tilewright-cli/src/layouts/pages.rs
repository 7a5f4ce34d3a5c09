//! A page for each layout with a name, to be linked to: what it is, its picture, its formula, its code, and what to type.

use std::fmt::Write as _;
use std::path::Path;

use tilewright::formats::catalogue::NamedArray;
use tilewright::text::escaped_markup;
use tilewright_ask::{Emit, NamedRow, Reader};
use tilewright_files::{CreateOptions, make_folder};
use tilewright_view::{Options, Scene, Theme};

use super::{carrier, facts};
use crate::failure::Failure;
use crate::input;

/// No script and nothing from elsewhere: a page is text and a picture.
const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width\">\n\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";

const STYLE: &str = "\
:root{color-scheme:light dark;--soft:#666;--line:#ddd;--code:#f4f4f4}
@media(prefers-color-scheme:dark){:root{--soft:#aaa;--line:#444;--code:#222}}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font:700 1.6rem ui-monospace,monospace}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line)}
th{font-weight:400;color:var(--soft);white-space:nowrap}
code,pre{font-family:ui-monospace,monospace;font-size:.9em;overflow-wrap:anywhere}
summary{font-size:1.1rem;font-weight:700;margin-top:1rem;cursor:pointer}
pre{background:var(--code);padding:.8rem;overflow-x:auto;white-space:pre-wrap}
.picture{background:#fff;border:1px solid var(--line);overflow-x:auto}
.picture svg{max-width:100%;height:auto;display:block}
";

/// Writes a page for each, and one that lists them. How many there are.
pub(super) fn write(folder: &Path, rows: &[NamedRow], force: bool) -> Result<usize, Failure> {
    make_folder(folder)
        .map_err(|error| Failure::message(&format!("{}: {error}", folder.display())))?;
    let options = || if force { CreateOptions::new().force() } else { CreateOptions::new() };
    let save = |name: &str, page: String| {
        options().write(folder.join(name), page.as_bytes()).map_err(input::explained)
    };
    for row in rows {
        save(&file_name(&row.name), page(row)?)?;
    }
    save("index.html", index(rows))?;
    Ok(rows.len() + 1)
}

/// `trtllm(w4a16,sm80)` is in `trtllm-w4a16-sm80.html`.
fn file_name(name: &str) -> String {
    let words: Vec<&str> = name.split(['(', ')', ',']).filter(|word| !word.is_empty()).collect();
    format!("{}.html", words.join("-"))
}

fn index(rows: &[NamedRow]) -> String {
    let mut html = format!("{HEAD}<title>Layouts with names</title>\n<style>{STYLE}</style>\n");
    html += "<h1>Layouts with names</h1>\n<table>\n<tr><th>name<th>dims<th>stored as<th>what it holds\n";
    for row in rows {
        let [name, dims, stored, summary] =
            [&row.name, row.dims, &carrier(row), row.summary].map(escaped_markup);
        let file = file_name(&row.name);
        let _ = writeln!(
            html,
            "<tr><td><a href=\"{file}\"><code>{name}</code></a><td>{dims}<td><code>{stored}</code><td>{summary}"
        );
    }
    html + "</table>\n"
}

fn page(row: &NamedRow) -> Result<String, Failure> {
    let example: NamedArray = row.example.parse().map_err(tilewright_ask::Error::from)?;
    let said = row.example.parse().map_err(tilewright_ask::Error::from)?;
    let scene = Scene::of(said, &Options::default()).map_err(anyhow::Error::from)?;
    let title = escaped_markup(&format!("@{}", row.name));
    let mut html = format!("{HEAD}<title>{title}</title>\n<style>{STYLE}</style>\n");
    let _ = write!(
        html,
        "<p><a href=\"index.html\">Layouts with names</a>\n<h1>{title}</h1>\n<p>{}.\n<table>\n",
        escaped_markup(row.summary)
    );
    for (key, value) in facts(row) {
        let _ = writeln!(html, "<tr><th>{key}<td>{}", escaped_markup(&value));
    }
    let _ = write!(
        html,
        "</table>\n<h2>Where an element of {0} lies</h2>\n<pre>offset = {1}</pre>\n\
         <h2>Its picture</h2>\n<div class=\"picture\">{2}</div>\n\
         <h2>In the terminal</h2>\n<pre>{3}</pre>\n<h2>In Python</h2>\n<pre>{4}</pre>\n",
        escaped_markup(&row.example),
        escaped_markup(&example.index_map().index_expression()),
        scene.to_svg(Theme::Light),
        escaped_markup(&commands(&row.example, &example)),
        escaped_markup(&python(row)),
    );
    for (lang, called) in LANGUAGES {
        if let Some(code) = code(&row.example, lang) {
            let _ = writeln!(
                html,
                "<details><summary>Its code in {called}</summary>\n<pre>{}</pre>\n</details>",
                escaped_markup(&code)
            );
        }
    }
    Ok(html)
}

/// The languages that a page has its code in, and what they are called.
const LANGUAGES: [(&str, &str); 3] = [("c", "C"), ("cute", "CuTe"), ("triton", "Triton")];

/// The example as source code, where the language can say it.
fn code(layout: &str, lang: &str) -> Option<String> {
    let question = Emit { lang: lang.to_owned(), layout: layout.to_owned(), ..Emit::default() };
    let answer = question.answer(Reader { strict: false, note: &|_| () });
    answer.ok().map(|code| code.text)
}

/// What to type to ask of it.
fn commands(text: &str, example: &NamedArray) -> String {
    let zeros: Vec<&str> = example.dims().iter().map(|_| "0").collect();
    format!(
        "tilewright show '{text}'\ntilewright index '{text}' {}\ntilewright draw '{text}' -o picture.svg",
        zeros.join(",")
    )
}

fn python(row: &NamedRow) -> String {
    format!(
        "import tilewright as tw\npacked = tw.pack(x, \"{0}\")    # {1}\nx = tw.unpack(packed, \"{0}\")",
        row.example,
        carrier(row)
    )
}
