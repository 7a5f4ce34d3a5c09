//! A pair of layouts as texts, in any notation that the project reads.

use anyhow::{Context, Result, ensure};
use tilewright::notation::Described;
use tilewright_relayout::Placement;

/// What an array is to be moved from and to.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// What it was drawn from; `named` for one that was asked for.
    pub(super) family: &'static str,
    pub(super) texts: [String; 2],
    pub(super) sides: [Placement; 2],
}

impl Pair {
    /// Reads the texts.
    pub(super) fn read(family: &'static str, texts: [String; 2]) -> Result<Self> {
        let sides = [placement(&texts[0])?, placement(&texts[1])?];
        let [from, to] = &sides;
        let dims = [from.map().dims(), to.map().dims()];
        let [one, other] = &texts;
        ensure!(dims[0] == dims[1], "{one} and {other} are of other dimensions: {dims:?}");
        Ok(Pair { family, texts, sides })
    }

    /// A pair that was asked for.
    pub(super) fn named(texts: [String; 2]) -> Result<Self> {
        Pair::read("named", texts)
    }

    /// The bytes of the larger side.
    pub(super) fn larger_bytes(&self) -> usize {
        self.sides.iter().map(Placement::bytes).max().unwrap_or_default()
    }
}

/// How a layout's array lies in memory.
fn placement(text: &str) -> Result<Placement> {
    let described: Described = text.parse().with_context(|| text.to_owned())?;
    let bits = described.element_bits().with_context(|| format!("{text} has no element type"))?;
    Ok(Placement::new(described.index_map()?, bits)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(from: &str, to: &str) -> Result<Pair> {
        Pair::named([from.to_owned(), to.to_owned()])
    }

    #[test]
    fn each_notation_is_read() {
        let pair = read("u4[16,64]", "u4 ((8,2),64):((1,512),8)").unwrap();
        assert_eq!(pair.sides.each_ref().map(Placement::bytes), [1024, 512]);
        assert_eq!(pair.larger_bytes(), 1024);
        assert_eq!(
            read("f32[2,35,7,7] nchw", "f32[2,35,7,7] nChw16c").unwrap().sides[1].bytes(),
            { 2 * 48 * 49 * 4 }
        );
        assert!(read("f16[64,64]", "f16 Sw<3,3,3> o 0 o (64,64):(64,1)").is_ok());
    }

    #[test]
    fn what_does_not_fit_is_told() {
        assert!(read("f32[2,3]", "f32[3,2]").is_err());
        assert!(read("f32[2,3", "f32[3,2]").is_err());
        assert!(read("(2,3):(3,1)", "f32[2,3]").is_err());
    }
}
