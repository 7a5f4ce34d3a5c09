//! Reading tiles.

use super::layout::{Attribute, LayoutParser};
use crate::text::Diagnostic;
use crate::xla::{Tile, TileDim};

impl LayoutParser<'_, '_> {
    /// `{1,0:(2,2)}`, as XLA wrote tiles before there was a `T`.
    pub(super) fn old_style_tiles(&mut self) -> Result<(), Diagnostic> {
        if self.parser.cursor.at('(') && !self.parser.options.strict {
            self.seen.push(Attribute::Tiles);
            self.tiles()?;
        }
        Ok(())
    }

    /// `(8,128)(2,1)`: at least one tile.
    pub(super) fn tiles(&mut self) -> Result<(), Diagnostic> {
        let first = self.tile()?;
        self.tiles.push(first);
        while self.parser.cursor.at('(') {
            let tile = self.tile()?;
            self.tiles.push(tile);
        }
        Ok(())
    }

    /// `(8,128)`.
    pub(super) fn tile(&mut self) -> Result<Tile, Diagnostic> {
        let start = self.parser.cursor.expect('(')?.span;
        if self.parser.cursor.at(')') {
            let span = start.to(self.parser.cursor.peek().span);
            let error = self.parser.cursor.error(span, "a tile needs at least one dimension");
            return Err(error.expected("a tile such as `(8,128)`"));
        }
        let mut dims = Vec::new();
        loop {
            let at = self.parser.cursor.peek().span;
            dims.push(self.tile_dim()?);
            if self.parser.cursor.eat(',')? {
                continue;
            }
            if !self.parser.cursor.at(')') {
                let error = self.parser.cursor.unexpected("`,` or `)` in a tile");
                return Err(error.help("every tile is closed with `)`"));
            }
            self.parser.cursor.take()?;
            return Tile::new(dims).map_err(|error| {
                let error = self.parser.failed(at, &error).expected("a size");
                error.help("a `*` merges a dimension into the next one to its right")
            });
        }
    }

    fn tile_dim(&mut self) -> Result<TileDim, Diagnostic> {
        const EXPECTED: &str = "a size of 1 or more, or `*`";
        let combine = self.parser.cursor.at('*')
            || (self.parser.cursor.at('∗') && !self.parser.options.strict);
        if combine {
            self.parser.cursor.take()?;
            return Ok(TileDim::Combine);
        }
        let (size, span) = self.parser.cursor.fitting_integer(EXPECTED)?;
        match size {
            TileDim::COMBINE_SENTINEL => Ok(TileDim::Combine),
            -1 if !self.parser.options.strict => Ok(TileDim::Combine),
            1.. => Ok(TileDim::Size(size)),
            _ => {
                let message = format!("tile dimension {size} must be 1 or more, or `*`");
                let error = self.parser.cursor.error(span, message).expected(EXPECTED);
                Err(match size {
                    -1 => error.help("write `*` to merge the dimension into the next one"),
                    _ => error.help(
                        "leave the dimension whole with a tile dimension of 1 or of its full size",
                    ),
                })
            }
        }
    }
}
