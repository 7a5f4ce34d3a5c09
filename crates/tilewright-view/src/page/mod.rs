//! A scene as a page in one file: the picture in light and dark, and where one points, the element
//! lights up wherever it is drawn and says its index, its offset and its byte.
//!
//! The page asks nothing of any network, and its script does no arithmetic of layouts: where things
//! are, and what they say, is written into it.

use std::fmt::Write;

use tilewright::text::escaped_markup;

use crate::drawing::Drawing;
use crate::figure;
use crate::options::Theme;
use crate::scene::Scene;
use crate::svg::{self, number};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page.
pub(crate) fn write(scene: &Scene) -> String {
    let title = format!("{}: {}", scene.title, scene.subtitle);
    let drawing = figure::draw(scene, Theme::Light);
    let [light, dark] =
        [Theme::Light, Theme::Dark].map(|theme| svg::write(&figure::draw(scene, theme), &title));
    let places = places(&drawing);
    let title = escaped_markup(&scene.title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
         <link rel=\"icon\" href=\"data:,\"><style>{STYLE}</style></head><body>\n\
         <main id=\"picture\" tabindex=\"0\" aria-describedby=\"said\">\n\
         <div class=\"light\">{light}</div><div class=\"dark\">{dark}</div></main>\n\
         <p id=\"said\" role=\"status\">Point at an element, or go from one to the next with the arrow keys.</p>\n\
         <script type=\"application/json\" id=\"places\">{places}</script>\n\
         <script>{SCRIPT}</script></body></html>\n"
    )
}

/// Every place that is drawn, as JSON: where, and what it says. Places of one offset are of one
/// element.
fn places(drawing: &Drawing) -> String {
    let mut json = String::from("[");
    for (count, hit) in drawing.hits.iter().enumerate() {
        let [x, y, width, height] =
            [hit.area.x, hit.area.y, hit.area.width, hit.area.height].map(number);
        let offset = hit.offset.map_or("null".to_owned(), |offset| offset.to_string());
        let between = if count > 0 { "," } else { "" };
        // Words are made here, of numbers and letters alone.
        let _ = write!(json, "{between}[{x},{y},{width},{height},{offset},\"{}\"]", hit.says);
    }
    json + "]"
}
