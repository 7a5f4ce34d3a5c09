//! Pictures of tiled array layouts.
//!
//! A [`Scene`] is a picture before anybody has decided how it is written: grids of cells with their
//! indices, offsets and colours, memory as a strip, a legend. It is made from a layout in any notation,
//! and written as letters for a terminal, SVG, a page in one file, TikZ or PNG, all of the same scene:
//!
//! ```
//! use tilewright_view::{Options, Scene, Theme};
//! let scene = Scene::of("bf16[30,300]{1,0:T(8,128)(2,1)}".parse()?, &Options::default())?;
//! let svg = scene.to_svg(Theme::Light);
//! assert!(svg.contains(">11863<")); // where the last element lies
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Large arrays are elided to where something happens: corners, places where tiles meet, and where
//! data ends and padding begins. Only what is drawn is ever computed, so that an array of any size has
//! its picture in milliseconds. Two layouts stand side by side with the first difference marked
//! ([`Scene::of_two`]); how a layout comes about is a strip of pictures ([`Scene::of_steps`]).
//!
//! [`Place`] is one place with all that there is to say of it: its coordinates at each level of tiles,
//! its bytes and bits, and the arithmetic of its offset.

#![forbid(unsafe_code)]

mod axis;
mod blocks;
mod build;
mod coloring;
mod drawing;
mod figure;
mod options;
mod page;
mod place;
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
pub use crate::options::{Coloring, Direction, Error, MAX_ROOM, Options, Room, Theme, Unit};
pub use crate::place::{Level, Place, Term};
pub use crate::scene::{
    Bar, Byte, Cell, Fill, Grid, Hits, Kind, Mark, Overview, Panel, Scene, Segment, Strip, Tone,
    Words,
};
pub use crate::terminal::{Colors, Terminal};
pub use crate::write::{Block, Form, Pointable, Spot};
