//! What stands behind the book in `book/`: the grammars of the notations, and the examples of its chapters.
//!
//! In comes a grammar as the book prints it; out come sentences of it, whether a text is one, and its railroad
//! diagrams. The tests hold the grammars to the parsers both ways, the diagrams to the grammars, and the links of the
//! chapters to what is there.
//!
//! The programs of the chapters are doctests of this crate. `console` blocks are run by the tests of the command, and
//! `python` blocks by those of the Python package.
//!
//! Absent: mdBook, which makes pages of the chapters (`cargo xtask site`).

#![forbid(unsafe_code)]

pub mod diagram;
pub mod grammar;
pub mod links;

#[cfg(doctest)]
mod chapters {
    #[doc = include_str!("../../../book/src/start.md")]
    struct Start;
    #[doc = include_str!("../../../book/src/guides/plugin.md")]
    struct Plugin;
    #[doc = include_str!("../../../book/src/guides/kernel.md")]
    struct Kernel;
}
