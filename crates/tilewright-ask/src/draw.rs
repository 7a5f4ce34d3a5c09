//! A picture of a layout, or of two.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use tilewright::notation::Described;
use tilewright_view::{Coloring, Direction, Options, Room, Scene, Terminal, Theme, Unit};

use crate::error::Error;
use crate::subject::Reader;

/// The most cells of a picture that can be pointed at: each is told of by itself.
const MAX_CELLS: usize = 40_000;

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
    #[serde(default, deserialize_with = "parsed")]
    pub color: Coloring,
    /// `offsets` or `memory`.
    #[serde(default, deserialize_with = "parsed")]
    pub direction: Direction,
    /// `elements`, `bytes`, or `bytes:16` for blocks of 16 bytes.
    #[serde(default, deserialize_with = "parsed")]
    pub unit: Unit,
    /// `light` or `dark`.
    #[serde(default, deserialize_with = "parsed")]
    pub theme: Theme,
    /// An index to be pointed out.
    #[serde(default)]
    pub at: Option<Vec<i64>>,
    /// An index that is drawn, whatever is elided; that of padding will do.
    #[serde(default)]
    pub near: Option<Vec<i64>>,
    /// The tile that the threads of a thread-value layout share out: rows, columns.
    #[serde(default)]
    pub tile: Option<[i64; 2]>,
    /// How the layout comes about, step by step, instead.
    #[serde(default)]
    pub steps: bool,
    /// Of these steps one alone: 0 is the array itself.
    #[serde(default)]
    pub step: Option<usize>,
    /// What moves from the layout to the other one, instead.
    #[serde(default)]
    pub moves: bool,
    /// Memory as it is while the run of this number moves.
    #[serde(default)]
    pub frame: Option<usize>,
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
    /// Where tiles are.
    pub blocks: Vec<DrawnBlock>,
    /// What each of the steps does, where steps were asked for.
    pub steps: Option<Vec<String>>,
    /// How many runs move, where moves were asked for.
    pub frames: Option<usize>,
}

/// A place that one can point at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawnSpot {
    /// Left, top, width and height in the picture.
    pub area: [f64; 4],
    /// The index of the place, padding included; empty where there is none.
    pub index: Vec<i64>,
    /// Where the element lies.
    pub offset: Option<i64>,
    /// What it is, in words.
    pub says: String,
}

/// A tile in the picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawnBlock {
    /// Which of the tiles in the text, 0 the outermost.
    pub level: usize,
    /// Left, top, width and height in the picture.
    pub area: [f64; 4],
}

impl Draw {
    /// The picture, not yet written in any form.
    ///
    /// # Errors
    /// If a text says no array, or an option does not apply to it.
    pub fn scene(&self, reader: Reader<'_>) -> Result<Scene, Error> {
        Ok(self.read(reader)?.drawing(Room::default())?.scene)
    }

    /// The picture for a terminal: where the question does not say how many columns of cells there may
    /// be, as many as fit.
    ///
    /// # Errors
    /// As of [`scene`](Self::scene).
    pub fn scene_for(&self, terminal: Terminal, reader: Reader<'_>) -> Result<Scene, Error> {
        let read = self.read(reader)?;
        let scene = |room| Ok(read.drawing(room)?.scene);
        match self.columns {
            Some(_) => scene(terminal.room()),
            None => terminal.fit(scene),
        }
    }

    /// The answer.
    ///
    /// # Errors
    /// As of [`scene`](Self::scene).
    pub fn answer(&self, reader: Reader<'_>) -> Result<Drawn, Error> {
        let [columns, rows] = [self.columns, self.rows].map(Option::unwrap_or_default);
        if columns.saturating_mul(rows) > MAX_CELLS {
            let message = format!(
                "{columns} × {rows} cells are too many to be pointed at, more than {MAX_CELLS}"
            );
            return Err(Error::message(&message));
        }
        let Drawing { scene, steps, frames } = self.read(reader)?.drawing(Room::default())?;
        let picture = scene.to_pointable(self.theme);
        let spots = picture.spots.into_iter().map(|spot| DrawnSpot {
            area: spot.area,
            index: spot.index,
            offset: spot.offset,
            says: spot.says,
        });
        let blocks = picture.blocks.into_iter();
        Ok(Drawn {
            title: scene.title,
            subtitle: scene.subtitle,
            svg: picture.svg,
            spots: spots.collect(),
            blocks: blocks
                .map(|block| DrawnBlock { level: block.level, area: block.area })
                .collect(),
            steps,
            frames,
        })
    }

    /// What the texts say.
    fn read(&self, reader: Reader<'_>) -> Result<ReadDraw<'_>, Error> {
        let said = reader.read(&self.layout)?;
        let other = self.other.as_deref().map(|text| reader.read(text)).transpose()?;
        if self.moves && other.is_none() {
            return Err(Error::message(
                "moves lead from one layout to another: there is no `other`",
            ));
        }
        Ok(ReadDraw { question: self, said, other })
    }

    fn options(&self, own: Room) -> Options {
        Options {
            coloring: self.color,
            direction: self.direction,
            unit: self.unit,
            padding_numbers: self.padding_numbers,
            at: self.at.clone(),
            near: self.near.clone(),
            tile: self.tile,
            theme: self.theme,
            room: Room {
                columns: self.columns.unwrap_or(own.columns),
                rows: self.rows.unwrap_or(own.rows),
            },
        }
    }
}

/// A question whose texts have been read.
struct ReadDraw<'a> {
    question: &'a Draw,
    said: Described,
    other: Option<Described>,
}

impl ReadDraw<'_> {
    /// The picture, with this room where the question does not say how much.
    fn drawing(&self, own: Room) -> Result<Drawing, Error> {
        self.drawn(&self.question.options(own)).map_err(Error::of)
    }

    fn drawn(&self, options: &Options) -> Result<Drawing, tilewright_view::Error> {
        let Draw { steps, step, moves, frame, .. } = *self.question;
        let said = self.said.clone();
        let alone = |scene| Drawing { scene, steps: None, frames: None };
        match &self.other {
            Some(other) if moves => {
                let (scene, runs) = Scene::of_moves(said, other.clone(), frame, options)?;
                Ok(Drawing { scene, steps: None, frames: Some(runs) })
            }
            _ if steps => {
                let captions = Scene::steps(&said)?;
                let scene = match step {
                    Some(step) => Scene::of_step(said, step, options)?,
                    None => Scene::of_steps(said, options)?,
                };
                Ok(Drawing { scene, steps: Some(captions), frames: None })
            }
            Some(other) => Scene::of_two(said, other.clone(), options).map(alone),
            None => Scene::of(said, options).map(alone),
        }
    }
}

/// A picture, and what can be asked of it further.
struct Drawing {
    scene: Scene,
    steps: Option<Vec<String>>,
    frames: Option<usize>,
}

/// What has names of its own, by one of them.
fn parsed<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr,
    T::Err: Display,
{
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}
