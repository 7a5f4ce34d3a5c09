//! Scenes in the forms in which they leave.

use std::path::Path;

use crate::drawing::Area;
use crate::options::{Error, Theme};
#[cfg(feature = "png")]
use crate::raster;
use crate::scene::Scene;
use crate::terminal::Terminal;
use crate::{figure, page, svg, terminal, tikz};

/// What a picture is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Letters.
    Text,
    /// An SVG document.
    Svg,
    /// A page in one file.
    Html,
    /// A LaTeX document with a TikZ picture.
    Tikz,
    /// Dots.
    #[cfg(feature = "png")]
    Png,
}

impl Form {
    /// The form that a file's name ends in: .svg, .html, .htm, .tex, .txt, or .png.
    ///
    /// ```
    /// use std::path::Path;
    /// use tilewright_view::Form;
    /// assert_eq!(Form::of_path(Path::new("a/b.SVG"))?, Form::Svg);
    /// assert!(Form::of_path(Path::new("a.svg/b")).is_err());
    /// # Ok::<(), tilewright_view::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it ends in something else.
    pub fn of_path(path: &Path) -> Result<Self, Error> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("txt") => Ok(Form::Text),
            Some("svg") => Ok(Form::Svg),
            Some("html" | "htm") => Ok(Form::Html),
            Some("tex") => Ok(Form::Tikz),
            #[cfg(feature = "png")]
            Some("png") => Ok(Form::Png),
            _ => Err(Error(format!(
                "{}: the name says no picture: expected .svg, .html, .png, .tex or .txt",
                path.display()
            ))),
        }
    }
}

/// Where one can point in a picture, and what is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// Its place in the picture: left, top, width, height.
    pub area: [f64; 4],
    /// The index of the place, padding included; empty where there is none.
    pub index: Vec<i64>,
    /// Where the element lies, in elements. In a picture of one layout, spots of one offset are of one
    /// element.
    pub offset: Option<i64>,
    /// What it is, in letters and digits.
    pub says: String,
}

/// A tile in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Which level of tiles, 0 the outermost.
    pub level: usize,
    /// Its place in the picture: left, top, width, height.
    pub area: [f64; 4],
}

/// A picture that can be pointed at.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointable {
    /// The picture as an SVG document.
    pub svg: String,
    /// Where one can point.
    pub spots: Vec<Spot>,
    /// Where tiles are.
    pub blocks: Vec<Block>,
}

impl Scene {
    /// The picture as an SVG document.
    ///
    /// ```
    /// use tilewright_view::{Options, Scene, Theme};
    /// let scene = Scene::of("f32[3,5]{1,0:T(2,2)}".parse()?, &Options::default())?;
    /// assert!(scene.to_svg(Theme::Light).starts_with("<svg xmlns="));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_svg(&self, theme: Theme) -> String {
        svg::write(&figure::draw(self, theme), &format!("{}: {}", self.title, self.subtitle))
    }

    /// The picture as an SVG document, with where one can point in it.
    ///
    /// ```
    /// use tilewright_view::{Options, Scene, Theme};
    /// let scene = Scene::of("f32[3,5]{1,0:T(2,2)}".parse()?, &Options::default())?;
    /// let picture = scene.to_pointable(Theme::Light);
    /// let spot = picture.spots.iter().find(|spot| spot.offset == Some(20)).unwrap();
    /// assert!(spot.index == [2, 4] && spot.says.starts_with("(2,4)"));
    /// // Six tiles in the picture of the array, and six in that of its offsets.
    /// assert_eq!(picture.blocks.len(), 12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_pointable(&self, theme: Theme) -> Pointable {
        let drawing = figure::draw(self, theme);
        let svg = svg::write(&drawing, &format!("{}: {}", self.title, self.subtitle));
        let sides = |area: Area| [area.x, area.y, area.width, area.height];
        let spots = drawing.hits.into_iter().map(|hit| Spot {
            area: sides(hit.area),
            index: hit.index,
            offset: hit.offset,
            says: hit.says,
        });
        let blocks =
            drawing.blocks.into_iter().map(|(level, area)| Block { level, area: sides(area) });
        Pointable { svg, spots: spots.collect(), blocks: blocks.collect() }
    }

    /// The picture as a page in one file, in which one can point at elements.
    ///
    /// ```
    /// use tilewright_view::{Options, Scene};
    /// let scene = Scene::of("f32[3,5]{1,0:T(2,2)}".parse()?, &Options::default())?;
    /// assert!(scene.to_html().starts_with("<!doctype html>"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_html(&self) -> String {
        page::write(self)
    }

    /// The picture as a LaTeX document with a TikZ picture in it.
    ///
    /// ```
    /// use tilewright_view::{Options, Scene, Theme};
    /// let scene = Scene::of("f32[3,5]{1,0:T(2,2)}".parse()?, &Options::default())?;
    /// assert!(scene.to_tikz(Theme::Light).contains("\\begin{tikzpicture}"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_tikz(&self, theme: Theme) -> String {
        tikz::write(&figure::draw(self, theme), &format!("{}: {}", self.title, self.subtitle))
    }

    /// The picture as the bytes of a PNG file, two dots a pixel.
    ///
    /// ```
    /// use tilewright_view::{Options, Scene, Theme};
    /// let scene = Scene::of("f32[3,5]{1,0:T(2,2)}".parse()?, &Options::default())?;
    /// assert!(scene.to_png(Theme::Light)?.starts_with(b"\x89PNG"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it has too many dots.
    #[cfg(feature = "png")]
    pub fn to_png(&self, theme: Theme) -> Result<Vec<u8>, Error> {
        raster::write(&figure::draw(self, theme))
    }

    /// The picture in any form, as the bytes of a file. Letters are for `terminal`.
    ///
    /// # Errors
    /// If a picture of dots has too many.
    pub fn write(&self, form: Form, theme: Theme, terminal: Terminal) -> Result<Vec<u8>, Error> {
        Ok(match form {
            Form::Text => self.to_text(terminal).into_bytes(),
            Form::Svg => self.to_svg(theme).into_bytes(),
            Form::Html => self.to_html().into_bytes(),
            Form::Tikz => self.to_tikz(theme).into_bytes(),
            #[cfg(feature = "png")]
            Form::Png => self.to_png(theme)?,
        })
    }

    /// The picture in letters.
    ///
    /// ```
    /// use tilewright_view::{Options, Scene, Terminal};
    /// let scene = Scene::of("u8[2,3]{1,0:T(2,2)}".parse()?, &Options::default())?;
    /// let text = scene.to_text(Terminal::default());
    /// assert!(text.contains("0 │ 0 1 │ 4 ╎ ░ │"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_text(&self, terminal: Terminal) -> String {
        terminal::write(self, terminal)
    }
}
