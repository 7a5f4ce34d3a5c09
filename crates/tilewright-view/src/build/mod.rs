//! Scenes from layouts.

mod arithmetic;
mod banks;
mod bar;
mod compare;
mod grids;
mod places;
mod steps;
mod strip;
mod threads;
mod words;

use tilewright::notation::Described;

use crate::options::{Coloring, Direction, Error, Options};
use crate::scene::{Panel, Scene};
use crate::subject::Subject;
use places::Places;

impl Scene {
    /// The picture of a layout.
    ///
    /// ```
    /// use tilewright_view::{Options, Scene};
    /// let scene = Scene::of("f32[3,5]{1,0:T(2,2)}".parse()?, &Options::default())?;
    /// assert!(scene.subtitle.contains("96 bytes, 36 of them padding (37.5 %)"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it is no array, a dimension is unbounded, there is room for nothing or for too much, or an
    /// option does not apply to it.
    pub fn of(said: Described, options: &Options) -> Result<Self, Error> {
        options.room.check()?;
        let subject = Subject::of(said)?;
        let places = Places::new(&subject, options)?;
        let special = banks::of(&places)?.or(threads::of(&places)?);
        let mut rows = match (options.direction, special) {
            (Direction::Offsets, Some(special)) => special,
            (Direction::Offsets, None) => grids::of_offsets(&places),
            (Direction::Memory, _) => grids::of_memory(&places),
        };
        // Of threads, the tile is what offsets lead to.
        if options.direction == Direction::Offsets && options.coloring != Coloring::Thread {
            rows.extend(strip::of(&places).map(|strip| vec![Panel::Strip(strip)]));
        }
        rows.extend(strip::bytes(&places).map(|bytes| vec![bytes]));
        rows.extend(bar::of(&places).map(|bar| vec![Panel::Bar(bar)]));
        rows.extend(arithmetic::of(&places)?.map(|words| vec![words]));
        rows.extend(words::legend(&places).map(|legend| vec![legend]));
        let title = subject.said.to_string();
        Ok(Scene { title, subtitle: words::subtitle(&subject), rows })
    }

    /// All tiles at scale and nothing else: where the padding of an array is, in little room. `None`
    /// where there is no padding, or no place that could be drawn.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn of_padding(said: Described, options: &Options) -> Result<Option<Self>, Error> {
        let subject = Subject::of(said)?;
        if subject.padded() == subject.dims() {
            return Ok(None);
        }
        let overview = grids::overview(&Places::new(&subject, options)?);
        let (title, subtitle) = (String::new(), String::new());
        Ok(overview.map(|view| Scene { title, subtitle, rows: vec![vec![Panel::Overview(view)]] }))
    }

    /// Two layouts of one array side by side: where they differ first, where else, and what one has
    /// become in the other's memory.
    ///
    /// # Errors
    /// As [`of`](Self::of), and if the layouts are of other dimensions.
    pub fn of_two(a: Described, b: Described, options: &Options) -> Result<Self, Error> {
        options.room.check()?;
        compare::of(&Subject::of(a)?, &Subject::of(b)?, options)
    }

    /// How a layout comes about, step by step: the array padded, reshaped and transposed.
    ///
    /// # Errors
    /// If it is not in XLA's notation, or has too many elements to be followed one by one.
    pub fn of_steps(said: Described, options: &Options) -> Result<Self, Error> {
        options.room.check()?;
        steps::of(&Subject::of(said)?, options)
    }
}
