//! Pictures of layouts: `tilewright.draw`, and what notebooks show.
//!
//! A picture is a scene of `tilewright-view`. Here options are read as Python says them, and the
//! forms of a picture are handed on.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tilewright::notation::Described;
use tilewright_view::{Form, MAX_ROOM, Options, Room, Scene, Terminal, Theme};

use crate::error::Failure;
use crate::files;
use crate::placement::Placement;
use crate::shape::Shape;

/// More cells along a side are not drawn: nobody could read them, and they take memory.
const MAX_CELLS: i64 = MAX_ROOM as i64;

/// A picture of a layout, as `draw` makes it.
///
/// A notebook shows it. Elsewhere ``print`` writes it in letters, `save` makes a file of it, and the
/// methods named ``to_…`` have it in every form.
///
/// Examples
/// --------
/// >>> import tilewright as tw
/// >>> picture = tw.draw("f32[3,5]{1,0:T(2,2)}")
/// >>> picture
/// <Picture f32[3,5]{1,0:T(2,2)}>
/// >>> picture.to_svg()[:4], picture.to_png()[1:4]
/// ('<svg', b'PNG')
#[pyclass(frozen, module = "tilewright")]
pub(crate) struct Picture {
    drawn: Drawn,
    scene: Scene,
}

#[pymethods]
impl Picture {
    /// The picture as an SVG document, on the background of its theme.
    ///
    /// >>> import tilewright as tw
    /// >>> "36 of them padding" in tw.draw("f32[3,5]{1,0:T(2,2)}").to_svg()
    /// True
    fn to_svg(&self, py: Python<'_>) -> String {
        py.detach(|| self.scene.to_svg(self.drawn.options.theme))
    }

    /// The picture as a page of HTML in one file, light and dark, in which one can point at elements.
    ///
    /// >>> import tilewright as tw
    /// >>> tw.draw("f32[3,5]{1,0:T(2,2)}").to_html()[:15]
    /// '<!doctype html>'
    fn to_html(&self, py: Python<'_>) -> String {
        py.detach(|| self.scene.to_html())
    }

    /// The picture in letters, without colours, for a terminal of 80 columns; ``print`` writes it.
    ///
    /// >>> import tilewright as tw
    /// >>> for line in tw.draw("u8[2,3]{1,0:T(2,2)}").to_text().splitlines()[4:9]:
    /// ...     print(line[21:])
    ///     0 1   2   3
    ///   ┌─────┬───┬───┐
    /// 0 │ 0 1 │ 4 ╎ ░ │
    /// 1 │ 2 3 │ 6 ╎ ░ │
    ///   └─────┴───┴───┘
    fn to_text(&self, py: Python<'_>) -> Result<String, Failure> {
        py.detach(|| self.drawn.text())
    }

    /// The picture as a LaTeX document with a TikZ picture in it.
    ///
    /// >>> import tilewright as tw
    /// >>> r"\begin{tikzpicture}" in tw.draw("f32[3,5]{1,0:T(2,2)}").to_tikz()
    /// True
    fn to_tikz(&self, py: Python<'_>) -> String {
        py.detach(|| self.scene.to_tikz(self.drawn.options.theme))
    }

    /// The picture as the bytes of a PNG file.
    ///
    /// Raises
    /// ------
    /// LayoutError
    ///     If a side has more than 16384 dots.
    ///
    /// Examples
    /// --------
    /// >>> import tilewright as tw
    /// >>> tw.draw("f32[3,5]{1,0:T(2,2)}").to_png()[:4]
    /// b'\x89PNG'
    fn to_png<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>, Failure> {
        let png = py.detach(|| self.scene.to_png(self.drawn.options.theme))?;
        Ok(PyBytes::new(py, &png))
    }

    /// Writes the picture to a file, in the form that the file's name ends in.
    ///
    /// The file is there when it is whole, and not before.
    ///
    /// Parameters
    /// ----------
    /// path : path
    ///     It ends in .svg, .html, .htm, .png, .tex or .txt.
    /// force : bool
    ///     Whether a file that is there is replaced.
    ///
    /// Raises
    /// ------
    /// FileExistsError
    ///     If the file is there.
    /// OSError
    ///     If it cannot be written.
    /// LayoutError
    ///     If the name ends in something else.
    ///
    /// Examples
    /// --------
    /// >>> import tempfile, tilewright as tw
    /// >>> path = tempfile.mkdtemp() + "/tiles.svg"
    /// >>> tw.draw("f32[3,5]{1,0:T(2,2)}").save(path)
    /// >>> open(path).read(4)
    /// '<svg'
    #[pyo3(signature = (path, *, force=false))]
    fn save(&self, py: Python<'_>, path: PathBuf, force: bool) -> Result<(), Failure> {
        let form = Form::of_path(&path)?;
        py.detach(|| self.write(form, &path, force))
    }

    fn _repr_svg_(&self, py: Python<'_>) -> String {
        self.to_svg(py)
    }

    fn _repr_html_(&self, py: Python<'_>) -> String {
        scrolled(&self.to_svg(py))
    }

    fn __str__(&self, py: Python<'_>) -> Result<String, Failure> {
        self.to_text(py)
    }

    fn __repr__(&self) -> String {
        match &self.drawn.other {
            None => format!("<Picture {}>", self.drawn.layout),
            Some(other) => format!("<Picture {} and {other}>", self.drawn.layout),
        }
    }
}

impl Picture {
    fn of(drawn: Drawn) -> Result<Self, Failure> {
        let scene = drawn.scene(&drawn.options)?;
        Ok(Picture { drawn, scene })
    }

    fn write(&self, form: Form, path: &Path, force: bool) -> Result<(), Failure> {
        let theme = self.drawn.options.theme;
        let bytes = match form {
            Form::Svg => self.scene.to_svg(theme).into_bytes(),
            Form::Html => self.scene.to_html().into_bytes(),
            Form::Png => self.scene.to_png(theme)?,
            Form::Tikz => self.scene.to_tikz(theme).into_bytes(),
            Form::Text => self.drawn.text()?.into_bytes(),
            _ => {
                let path = path.display();
                return Err(Failure::Value(format!(
                    "{path}: pictures of this form are not written"
                )));
            }
        };
        Ok(files::options(force).write(path, &bytes)?)
    }
}

/// Draws a layout, or two of one array side by side.
///
/// The picture has the offset of every element at its place in the array, memory from one place to
/// the next, and how much of it is padding. Padding is hatched, tiles have lines between them, and of
/// long axes the ends are drawn, and where tiles meet and the data ends.
///
/// Parameters
/// ----------
/// layout : Shape, Layout, IndexMap, Packed, LazyArray or str
///     A layout that says its dimensions, in any notation; or an array that knows how it is packed.
/// other : the same, optional
///     Another layout of the same dimensions. It is drawn beside the first, with the elements marked
///     that lie elsewhere.
/// path : path, optional
///     A file to write, as `Picture.save` does.
/// color : str
///     What has one colour: ``"tile"``; ``"dim:N"``, the index along dimension N; ``"offset:N"``, the
///     offset modulo N; ``"line:BYTES"``, the line of a cache; ``"bank:BANKSxBYTES"``, the bank of
///     memory; ``"thread"``, of a layout whose first mode is threads and whose second mode is their
///     values. ``"dim"``, ``"line"`` and ``"bank"`` alone are dimension 0, lines of 64 bytes, and 32
///     banks of 4 bytes.
/// direction : {"offsets", "memory"}
///     A cell for each element with its offset in it, or one for each place of memory with its index.
/// unit : str
///     What offsets count: ``"elements"``, ``"bytes"``, or ``"bytes:N"``, blocks of N bytes.
/// at : sequence of int, optional
///     An index to point out, with its arithmetic.
/// tile : pair of int, optional
///     With ``color="thread"``: rows and columns of the tile that the threads share out.
/// steps : bool
///     Whether to draw how the layout comes about instead: the array padded, reshaped and transposed.
///     For small arrays in XLA's notation.
/// moves : bool
///     Whether to draw what moves from the layout to the other one instead: memory before and after.
///     For small arrays.
/// theme : {"light", "dark"}
///     On what the picture stands; a page of HTML has both.
/// columns, rows : int, optional
///     The most cells side by side and one below another, up to 1000; longer axes are elided.
/// padding_numbers : bool
///     Whether to write the offsets of padding too.
/// force : bool
///     Whether a file that is there is replaced.
///
/// Returns
/// -------
/// Picture
///
/// Raises
/// ------
/// LayoutError
///     If the layout says no dimensions, or an option means nothing or does not apply to it.
/// FileExistsError
///     If the file is there.
///
/// Examples
/// --------
/// >>> import tempfile, tilewright as tw
/// >>> path = tempfile.mkdtemp() + "/layout.png"
/// >>> tw.draw("bf16[30,300]{1,0:T(8,128)(2,1)}", path=path)
/// <Picture bf16[30,300]{1,0:T(8,128)(2,1)}>
/// >>> tw.draw("f32[3,5]{1,0:T(2,2)}", "f32[3,5]{0,1}", at=(2, 3))
/// <Picture f32[3,5]{1,0:T(2,2)} and f32[3,5]{0,1}>
#[pyfunction]
#[pyo3(signature = (
    layout, other=None, *, path=None, color="tile", direction="offsets", unit="elements", at=None,
    tile=None, steps=false, moves=false, theme="light", columns=None, rows=None, padding_numbers=false,
    force=false,
))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub(crate) fn draw(
    py: Python<'_>,
    layout: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
    path: Option<PathBuf>,
    color: &str,
    direction: &str,
    unit: &str,
    at: Option<Vec<i64>>,
    tile: Option<Vec<i64>>,
    steps: bool,
    moves: bool,
    theme: &str,
    columns: Option<i64>,
    rows: Option<i64>,
    padding_numbers: bool,
    force: bool,
) -> Result<Picture, Failure> {
    let form = path.as_deref().map(Form::of_path).transpose()?;
    if steps && (other.is_some() || direction != "offsets") {
        return Err(Failure::value("steps are of one layout, and lead to offsets"));
    }
    if moves && (other.is_none() || direction != "offsets") {
        return Err(Failure::value("moves are from one layout to another, both in memory"));
    }
    let mut drawn = Drawn {
        layout: described(layout)?,
        other: other.map(described).transpose()?,
        has_steps: steps,
        has_moves: moves,
        options: Options {
            coloring: color.parse()?,
            direction: direction.parse()?,
            unit: unit.parse()?,
            padding_numbers,
            at,
            near: None,
            tile: tile.map(tile_of).transpose()?,
            theme: theme.parse()?,
            room: Room::default(),
        },
        columns: columns.map(|count| cells("columns", count)).transpose()?,
        rows: rows.map(|count| cells("rows", count)).transpose()?,
    };
    drawn.options.room = drawn.room(Room::default());
    py.detach(|| {
        let picture = Picture::of(drawn)?;
        if let (Some(path), Some(form)) = (path, form) {
            picture.write(form, &path, force)?;
        }
        Ok(picture)
    })
}

/// What is drawn, and how.
struct Drawn {
    layout: Described,
    other: Option<Described>,
    has_steps: bool,
    has_moves: bool,
    options: Options,
    /// What was asked for; where nothing was, letters have less room than pictures.
    columns: Option<usize>,
    rows: Option<usize>,
}

impl Drawn {
    fn scene(&self, options: &Options) -> Result<Scene, tilewright_view::Error> {
        let layout = self.layout.clone();
        match &self.other {
            _ if self.has_steps => Scene::of_steps(layout, options),
            Some(other) if self.has_moves => {
                Scene::of_moves(layout, other.clone(), None, options).map(|(scene, _)| scene)
            }
            Some(other) => Scene::of_two(layout, other.clone(), options),
            None => Scene::of(layout, options),
        }
    }

    fn text(&self) -> Result<String, Failure> {
        let terminal = Terminal { theme: self.options.theme, ..Terminal::default() };
        let scene = |own| {
            let room = self.room(own);
            self.scene(&Options { room, ..self.options.clone() })
        };
        let scene = match self.columns {
            Some(_) => scene(terminal.room()),
            None => terminal.fit(scene),
        }?;
        Ok(scene.to_text(terminal))
    }

    fn room(&self, own: Room) -> Room {
        Room { columns: self.columns.unwrap_or(own.columns), rows: self.rows.unwrap_or(own.rows) }
    }
}

fn cells(what: &str, count: i64) -> Result<usize, Failure> {
    usize::try_from(count).ok().filter(|_| (1..=MAX_CELLS).contains(&count)).ok_or_else(|| {
        Failure::value(format!("{count} {what} of cells: expected 1 to {MAX_CELLS}"))
    })
}

fn tile_of(sizes: Vec<i64>) -> Result<[i64; 2], Failure> {
    match sizes.as_slice() {
        &[rows, columns] if rows > 0 && columns > 0 => Ok([rows, columns]),
        _ => {
            Err(Failure::value(format!("a tile has rows and columns, 1 or more; found {sizes:?}")))
        }
    }
}

/// A layout that is given as one, as its text in any notation, or as the array that has it.
fn described(said: &Bound<'_, PyAny>) -> Result<Described, Failure> {
    if let Ok(known) = said.cast::<Placement>() {
        return of_placement(known.get());
    }
    if let Ok(text) = said.extract::<Cow<'_, str>>() {
        return Ok(text.parse()?);
    }
    // `Packed` and `LazyArray`. A numpy array's shape says nothing of memory.
    let shape = said.getattr_opt(intern!(said.py(), "shape"))?;
    if let Some(shape) = shape.as_ref().and_then(|shape| shape.cast::<Shape>().ok()) {
        return of_placement(shape.as_super().get());
    }
    let found = said.get_type().name()?;
    let message = format!("expected a Shape, a Layout, a Packed or a str, found {found}");
    Err(PyTypeError::new_err(message).into())
}

fn of_placement(placement: &Placement) -> Result<Described, Failure> {
    placement.map()?;
    Ok(placement.text().parse()?)
}

/// The picture that a notebook shows of a layout by itself; `None` of what is no array or says no
/// dimensions.
pub(crate) fn notebook_svg(placement: &Placement) -> Option<String> {
    let layout = of_placement(placement).ok()?;
    Some(Scene::of(layout, &Options::default()).ok()?.to_svg(Theme::Light))
}

/// The text, the picture and the sizes; of what has no picture the text alone.
pub(crate) fn notebook_html(placement: &Placement) -> String {
    let code = format!("<code>{}</code>", escaped(placement.text()));
    match (notebook_svg(placement), sizes(placement)) {
        (Some(svg), Some(sizes)) => format!("<div>{code}{}{sizes}</div>", scrolled(&svg)),
        _ => code,
    }
}

fn sizes(placement: &Placement) -> Option<String> {
    let map = placement.map().ok()?;
    let (elements, allocation) = (map.elements(), map.allocation());
    let mut sizes = format!("{elements} elements in an allocation of {allocation}");
    if let Some(element) = placement.element() {
        let bytes = map.bytes(element.bits).ok()?;
        let data = (i128::from(elements) * i128::from(element.bits) + 7) / 8;
        sizes += &format!("; {bytes} bytes");
        // Less than the data takes, where elements share places.
        if let padding @ 0.. = i128::from(bytes) - data {
            sizes += &format!(", {padding} of them padding");
        }
    }
    Some(sizes)
}

/// A wide picture has a scroll bar of its own, and is not shrunk.
fn scrolled(svg: &str) -> String {
    format!("<div style=\"overflow-x:auto\">{svg}</div>")
}

/// Text as HTML has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
