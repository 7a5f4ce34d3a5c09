//! `tilewright draw`: a picture of a layout, or of two.

use std::io::IsTerminal;
use std::path::Path;

use serde_json::json;
use tilewright_ask::{Draw, Reader, parse_index};
use tilewright_files::CreateOptions;
use tilewright_view::{Colors, Form, Scene, Terminal, Theme};

use crate::Answer;
use crate::args::DrawArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::{input, signals};

/// The width of what is no terminal.
const WIDTH: usize = 80;

pub(crate) fn run(
    args: &DrawArgs,
    reader: Reader<'_>,
    console: &mut Console,
) -> Result<Answer, Failure> {
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let form = match output {
        Some(path) => Form::of_path(path).map_err(anyhow::Error::from)?,
        None => Form::Text,
    };
    let terminal = terminal(args, output.is_some());
    let question = question(args)?;
    let scene = match form {
        Form::Text if !console.is_json() => question.scene_for(terminal, reader)?,
        _ => question.scene(reader)?,
    };
    let picture = scene.write(form, question.theme, terminal).map_err(anyhow::Error::from)?;
    let Some(path) = output else {
        return print(&picture, &scene, question.theme, console);
    };
    signals::leave_nothing(console.is_json())?;
    let create = if args.force { CreateOptions::new().force() } else { CreateOptions::new() };
    create.write(path, &picture).map_err(input::explained)?;
    console.done(format!("{} is in place", path.display()));
    let document = json!({ "file": path, "bytes": picture.len() });
    console.answer(&document, || format!("wrote {}", path.display()))?;
    Ok(Answer::Yes)
}

/// A picture in letters has the terminal's own commands in it, and goes out as it is.
fn print(
    picture: &[u8],
    scene: &Scene,
    theme: Theme,
    console: &mut Console,
) -> Result<Answer, Failure> {
    match console.is_json() {
        true => console.answer(&json!({ "svg": scene.to_svg(theme) }), String::new)?,
        false => console.write(picture)?,
    }
    Ok(Answer::Yes)
}

fn question(args: &DrawArgs) -> Result<Draw, Failure> {
    let tile = args.tile.as_deref().map(parse_index).transpose()?;
    let tile = match tile.as_deref() {
        None => None,
        Some(&[rows, columns]) => Some([rows, columns]),
        Some(_) => return Err(Failure::message("--tile takes two sizes: rows,columns")),
    };
    Ok(Draw {
        layout: args.layout.clone(),
        other: args.other.clone(),
        color: args.color,
        direction: args.direction,
        unit: args.unit,
        theme: args.theme,
        at: args.at.as_deref().map(parse_index).transpose()?,
        near: None,
        tile,
        steps: args.steps,
        step: None,
        moves: args.moves,
        frame: None,
        padding_numbers: args.padding_numbers,
        columns: args.columns,
        rows: args.rows,
    })
}

/// What stdout can show: colours on a terminal, unless `NO_COLOR` says otherwise.
fn terminal(args: &DrawArgs, is_file: bool) -> Terminal {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let shows = !is_file && std::io::stdout().is_terminal() && variable("NO_COLOR").is_empty();
    let any = ["truecolor", "24bit"].contains(&variable("COLORTERM").as_str());
    let colors = match (shows && variable("TERM") != "dumb", any) {
        (false, _) => Colors::None,
        (true, true) => Colors::Any,
        (true, false) => Colors::Numbered,
    };
    let width = match is_file {
        true => WIDTH,
        false => terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0)),
    };
    Terminal { width: width.max(20), colors, theme: args.theme }
}
