//! A map as text in another notation.

use super::untranslatable::{Untranslatable, refused};
use crate::map::IndexMap;
use crate::map::expression::ExpressionStyle;

/// A notation that a map can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Notation {
    /// `shape:stride:original shape`, nested, the smallest digit of each dimension first.
    Tla,
    /// `shape:stride`.
    Cute,
    /// A oneDNN tag, `aBcd16b`.
    OneDnn,
    /// numpy strides in bytes, as a Python tuple.
    Numpy,
    /// An MLIR affine map.
    Mlir,
}

impl IndexMap {
    /// The map in another notation. `element_bits` is the width of an element, which numpy's
    /// strides in bytes need.
    ///
    /// ```
    /// use tilewright::{Shape, map::Notation};
    /// let map = "bf16[30,300]{1,0:T(8,128)(2,1)}".parse::<Shape>()?.index_map()?;
    /// assert_eq!(
    ///     map.to_notation(Notation::Tla, 16)?,
    ///     "((2,4,4),(128,3)):((1,256,3072),(2,1024)):(30,300)"
    /// );
    /// let reason = map.to_notation(Notation::Numpy, 16).unwrap_err();
    /// assert_eq!(reason.to_string(), "dimension 0 is cut in 3 digits, and numpy has one stride per dimension");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Whether a map of merged coordinates has the offsets of a shape and stride is looked for where no group of
    /// dimensions that they tie together has more than 2²⁰ elements.
    ///
    /// # Errors
    /// If the notation cannot say what the map does; the reason names the tile and the dimension.
    pub fn to_notation(
        &self,
        notation: Notation,
        element_bits: u32,
    ) -> Result<String, Untranslatable> {
        match notation {
            Notation::Tla => {
                let (shape, stride) = self.shape_and_stride()?;
                let dims: Vec<String> = self.dims.iter().map(i64::to_string).collect();
                Ok(format!("{shape}:{stride}:({})", dims.join(",")))
            }
            Notation::Cute => {
                self.shape_and_stride().map(|(shape, stride)| format!("{shape}:{stride}"))
            }
            Notation::OneDnn => self.onednn_tag(),
            Notation::Numpy => self.numpy_strides(element_bits),
            Notation::Mlir => self.affine_map(),
        }
    }

    fn affine_map(&self) -> Result<String, Untranslatable> {
        let style = ExpressionStyle { variable: "d", div: "floordiv", times: " * " };
        let inputs: Vec<String> = (0..self.dims.len()).map(|dim| format!("d{dim}")).collect();
        let shown = self.expression(&style).or_else(|| self.separated().ok()?.expression(&style));
        match shown {
            Some(expression) => {
                Ok(format!("affine_map<({}) -> ({expression})>", inputs.join(", ")))
            }
            None => refused(format!(
                "tiles cut one another {} deep, and an affine map has no names for what they cut",
                self.merged.len()
            )),
        }
    }
}
