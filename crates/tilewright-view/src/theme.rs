//! Colours.
//!
//! Found by search: the groups are as far apart as eight colours can be under normal vision and three
//! kinds of colour blindness (Machado's simulation; least distance in OKLab × 100 between any two
//! 5.2 on light and 6.0 on dark, between the first four 10.7 and 12.3), and ink on each has a contrast
//! of 8.5 and 4.9 at least. The ramp has no hue that comes twice. A number always stands beside a
//! colour.

use crate::options::Theme;
use crate::scene::Fill;

/// The colours of a picture, as `#rrggbb`.
#[derive(Debug)]
pub(crate) struct Palette {
    pub(crate) background: &'static str,
    pub(crate) ink: &'static str,
    pub(crate) soft: &'static str,
    pub(crate) padding: &'static str,
    pub(crate) hatch: &'static str,
    pub(crate) accent: &'static str,
    groups: [&'static str; 8],
    ramp: [&'static str; 8],
}

const LIGHT: Palette = Palette {
    background: "#ffffff",
    ink: "#1c2024",
    soft: "#59636e",
    padding: "#f3f4f6",
    hatch: "#b4bcc6",
    accent: "#b3261e",
    groups: [
        "#81cafd", "#fcdd95", "#c0fbef", "#eca9b2", "#c8b6db", "#d8e7c2", "#f4c1ac", "#c6d2d3",
    ],
    ramp: ["#fff4cb", "#d9efac", "#abe7b8", "#83dbc8", "#6dcad6", "#6fb4db", "#7e9dd5", "#8e86c3"],
};

const DARK: Palette = Palette {
    background: "#15191e",
    ink: "#f0f3f6",
    soft: "#9ba5b0",
    padding: "#1d2228",
    hatch: "#4a545f",
    accent: "#ff8f87",
    groups: [
        "#054284", "#8c570d", "#007671", "#631f3b", "#7d5297", "#5a6947", "#883709", "#515254",
    ],
    ramp: ["#2b1a4d", "#1d2b5d", "#013e60", "#064c5a", "#0b5a56", "#19684a", "#4b6f3a", "#727330"],
};

impl Palette {
    pub(crate) fn of(theme: Theme) -> &'static Self {
        match theme {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }

    /// The colour of a place; of one without, the background.
    pub(crate) fn fill(&self, fill: Fill) -> &'static str {
        match fill {
            Fill::Plain => self.background,
            Fill::Group(number) => self.groups[number % self.groups.len()],
            Fill::Ramp(step) => self.ramp[step % self.ramp.len()],
        }
    }
}

/// A colour between two: `share` of the first.
pub(crate) fn mixed(one: &str, other: &str, share: f64) -> String {
    let part = |color: &str, at: usize| {
        let digits = color.get(1 + 2 * at..3 + 2 * at).unwrap_or("00");
        f64::from(u8::from_str_radix(digits, 16).unwrap_or(0))
    };
    let mix = |at: usize| (part(one, at) * share + part(other, at) * (1.0 - share)).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, by WCAG.
    fn luminance(color: &str) -> f64 {
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn ink_can_be_read_on_everything() {
        for (palette, on_groups, on_ramp) in [(&LIGHT, 8.4, 4.9), (&DARK, 4.8, 4.4)] {
            for color in palette.groups {
                assert!(contrast(palette.ink, color) >= on_groups, "{color}");
            }
            for color in palette.ramp {
                assert!(contrast(palette.ink, color) >= on_ramp, "{color}");
            }
            for color in [palette.soft, palette.accent] {
                assert!(contrast(color, palette.background) >= 4.5, "{color}");
            }
        }
    }

    #[test]
    fn mixing() {
        assert_eq!(mixed("#ffffff", "#000000", 0.5), "#808080");
        assert_eq!(mixed("#102030", "#405060", 1.0), "#102030");
    }
}
