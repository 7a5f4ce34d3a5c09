//! Scenes in the forms in which they leave.

use crate::options::Theme;
use crate::scene::Scene;
use crate::terminal::Terminal;
use crate::{figure, svg, terminal};

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
