//! A picture of a layout, or of two.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use tilewright::notation::Described;
use tilewright_view::{Coloring, Direction, Options, Room, Scene, Theme, Unit};

use crate::error::Error;
use crate::subject::Reader;

/// What does a layout look like?
///
/// ```
/// use tilewright_ask::{Draw, Reader};
/// let reader = Reader { strict: false, note: &|_| {} };
/// let question = Draw { layout: "f32[3,5]{1,0:T(2,2)}".to_owned(), ..Draw::default() };
/// assert!(question.answer(reader)?.svg.starts_with("<svg"));
/// # Ok::<(), tilewright_ask::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// The layout.
    pub layout: String,
    /// Another one beside it, with where they differ.
    #[serde(default)]
    pub other: Option<String>,
    /// What has one colour: `tile`, `dim:1`, `offset:8`, `line`, `bank:32x4`, `thread`.
    #[serde(default, deserialize_with = "coloring")]
    pub color: Coloring,
    /// `offsets` or `memory`.
    #[serde(default)]
    pub direction: DrawnDirection,
    /// `elements` or `bytes`.
    #[serde(default)]
    pub unit: DrawnUnit,
    /// `light` or `dark`.
    #[serde(default)]
    pub theme: DrawnTheme,
    /// An index to be pointed out.
    #[serde(default)]
    pub at: Option<Vec<i64>>,
    /// The tile that the threads of a thread-value layout share out: rows, columns.
    #[serde(default)]
    pub tile: Option<[i64; 2]>,
    /// How the layout comes about, step by step, instead.
    #[serde(default)]
    pub steps: bool,
    /// Whether padding has its numbers too.
    #[serde(default)]
    pub padding_numbers: bool,
    /// The most cells side by side.
    #[serde(default)]
    pub columns: Option<usize>,
    /// The most cells one below another.
    #[serde(default)]
    pub rows: Option<usize>,
}

/// Which way the large grid leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DrawnDirection {
    /// From an index to an offset.
    #[default]
    Offsets,
    /// From an offset to an index.
    Memory,
}

/// What offsets count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DrawnUnit {
    /// Elements.
    #[default]
    Elements,
    /// Bytes.
    Bytes,
}

/// On what the picture stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DrawnTheme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on black.
    Dark,
}

/// A picture, and where one can point in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drawn {
    /// The layout, as it is written.
    pub title: String,
    /// What it comes to, in a sentence.
    pub subtitle: String,
    /// The picture.
    pub svg: String,
    /// Where one can point.
    pub spots: Vec<DrawnSpot>,
}

/// A place that one can point at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawnSpot {
    /// Left, top, width and height in the picture.
    pub area: [f64; 4],
    /// Where the element lies. Spots of one offset are of one element.
    pub offset: Option<i64>,
    /// What it is, in words.
    pub says: String,
}

impl Draw {
    /// The picture, not yet written in any form. `room` is asked for where the question does not say
    /// how many cells there may be.
    ///
    /// # Errors
    /// If a text says no array, or an option does not apply to it.
    pub fn scene(
        &self,
        reader: Reader<'_>,
        room: impl FnOnce(&Described) -> Room,
    ) -> Result<Scene, Error> {
        let said = reader.read(&self.layout)?;
        let other = self.other.as_deref().map(|text| reader.read(text)).transpose()?;
        let own = room(&said);
        let options = self.options(own);
        let scene = match other {
            _ if self.steps => Scene::of_steps(said, &options),
            Some(other) => Scene::of_two(said, other, &options),
            None => Scene::of(said, &options),
        };
        Ok(scene.map_err(anyhow::Error::from)?)
    }

    /// The answer.
    ///
    /// # Errors
    /// As of [`scene`](Self::scene).
    pub fn answer(&self, reader: Reader<'_>) -> Result<Drawn, Error> {
        let scene = self.scene(reader, |_| Room::default())?;
        let (svg, spots) = scene.to_svg_with_spots(self.theme());
        let spots = spots.into_iter();
        let spots = spots
            .map(|spot| DrawnSpot { area: spot.area, offset: spot.offset, says: spot.says })
            .collect();
        Ok(Drawn { title: scene.title, subtitle: scene.subtitle, svg, spots })
    }

    /// On what the picture stands.
    pub fn theme(&self) -> Theme {
        match self.theme {
            DrawnTheme::Light => Theme::Light,
            DrawnTheme::Dark => Theme::Dark,
        }
    }

    fn options(&self, own: Room) -> Options {
        Options {
            coloring: self.color,
            direction: match self.direction {
                DrawnDirection::Offsets => Direction::Offsets,
                DrawnDirection::Memory => Direction::Memory,
            },
            unit: match self.unit {
                DrawnUnit::Elements => Unit::Elements,
                DrawnUnit::Bytes => Unit::Bytes,
            },
            padding_numbers: self.padding_numbers,
            at: self.at.clone(),
            tile: self.tile,
            theme: self.theme(),
            room: Room {
                columns: self.columns.unwrap_or(own.columns),
                rows: self.rows.unwrap_or(own.rows),
            },
        }
    }
}

/// A way to colour, by its name.
fn coloring<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Coloring, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}
