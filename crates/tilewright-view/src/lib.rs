//! Pictures of layouts.

#![forbid(unsafe_code)]

mod axis;
mod blocks;
mod build;
mod coloring;
mod drawing;
mod figure;
mod options;
mod page;
#[cfg(feature = "png")]
mod raster;
mod scene;
mod subject;
mod svg;
mod terminal;
mod theme;
mod tikz;
mod write;

pub use crate::axis::{Axis, Slot};
pub use crate::options::{Coloring, Direction, Error, Options, Room, Theme, Unit};
pub use crate::scene::{
    Bar, Byte, Cell, Fill, Grid, Hits, Kind, Mark, Overview, Panel, Scene, Segment, Strip, Tone,
    Words,
};
pub use crate::terminal::{Colors, Terminal};
