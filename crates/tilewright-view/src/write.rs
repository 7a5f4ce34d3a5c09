//! Scenes in the forms in which they leave.

use crate::options::Theme;
use crate::scene::Scene;
use crate::{figure, svg};

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
}
