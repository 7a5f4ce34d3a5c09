//! Scenes from layouts.

mod arithmetic;
mod banks;
mod bar;
mod compare;
mod grids;
mod moves;
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
            (Direction::Memory, _) => vec![vec![Panel::Grid(grids::memory(&places))]],
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
        steps::of(&Subject::of(said)?, options, None)
    }

    /// One of these steps: 0 is the array itself, the last is memory.
    ///
    /// # Errors
    /// As of [`of_steps`](Self::of_steps), and if there are not as many.
    pub fn of_step(said: Described, step: usize, options: &Options) -> Result<Self, Error> {
        options.room.check()?;
        steps::of(&Subject::of(said)?, options, Some(step))
    }

    /// What each of these steps does, in words: `pad to [4,6]`.
    ///
    /// ```
    /// use tilewright_view::Scene;
    /// let steps = Scene::steps(&"f32[3,5]{1,0:T(2,2)}".parse()?)?;
    /// assert_eq!(steps, ["the array [3,5]", "pad to [4,6]", "reshape to [2,2,3,2]", "transpose by (0,2,1,3)"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it is not in XLA's notation, or a number does not fit 64 bits.
    pub fn steps(said: &Described) -> Result<Vec<String>, Error> {
        steps::captions(steps::tiled(said)?)
    }

    /// A relayout as what moves: the memory before and after, and the runs of elements that lie side by
    /// side in both. With a frame, as it is while the run of this number moves, those before it done.
    /// Also how many runs there are.
    ///
    /// # Errors
    /// As [`of_two`](Self::of_two), and if there are too many elements to be followed one by one, or
    /// not as many runs.
    pub fn of_moves(
        from: Described,
        to: Described,
        frame: Option<usize>,
        options: &Options,
    ) -> Result<(Self, usize), Error> {
        options.room.check()?;
        moves::of(&Subject::of(from)?, &Subject::of(to)?, options, frame)
    }
}
