//! The tags of Ascend's libraries as XLA tilings.

use crate::element::ElementType;
use crate::error::Error;
use crate::tla::{FilterPosition, Int, Layout as TlaLayout, Tag, c0_elements};
use crate::xla::{Layout, Tile};

/// The XLA layout that places elements as a [`Tag`] does, for arrays of the sizes that the tag
/// takes ([`Tag::size_names`]) and the dimensions that it fixes.
///
/// `C0` is [`c0_elements`]; [`Tag`]'s module says what the tags are.
///
/// | tag | XLA |
/// |---|---|
/// | `RowMajor`, `ColumnMajor` | `{1,0}`, `{0,1}`; 4-bit floats `{1,0:T(1,2)}`, `{0,1:T(1,2)}` |
/// | `VectorLayout` | `{0}` |
/// | `zN` | `{0,1:T(C0,16)(C0,1)}` |
/// | `nZ` | `{1,0:T(C0,16)(C0,1)}` |
/// | `zZ`, `nN` | `{1,0:T(16,C0)}`, `{0,1:T(16,C0)}` |
/// | `L0C` | `{0,1:T(16,16)(16,1)}` |
/// | `Weight4BitnZ` | `{1,0:T(32,16)(32,1)}` |
/// | `MxScalezZ`, `MxScalenN` | `{1,0:T(16,2)}`, `{0,1:T(16,2)}` |
/// | `MxScaleRowMajorA`, `MxScaleColumnMajorA` | `{1,0:T(1,2)}`, `{0,1:T(2,1)}` |
/// | `MxScaleRowMajorB`, `MxScaleColumnMajorB` | `{1,0:T(2,1)}`, `{0,1:T(1,2)}` |
/// | `PaddingRowMajor(R,C)` | `{1,0:T(R,C)}` |
/// | `PaddingColumnMajor(R,C)` | `{0,1:T(C,R)}` |
/// | `NC1HWC0`, `C1HWNC0`, `NDC1HWC0`, `KDC1KHKWN1N0C0` | descending, without tiles |
/// | `C1HWNC0(L1)` | `{4,3,2,1,0:T(16,C0)}`: output channels are padded to 16 |
///
/// Elements below a byte are packed, as the tags count them: `E(4)` for `s4`.
///
/// ```
/// use tilewright::ElementType;
/// use tilewright::formats::ascend_layout;
/// use tilewright::tla::Tag;
/// let half = ascend_layout(Tag::Zn, ElementType::F16)?;
/// assert_eq!(half.to_string(), "{0,1:T(16,16)(16,1)}");
/// assert_eq!(ascend_layout(Tag::Zn, ElementType::S4)?.to_string(), "{0,1:T(64,16)(64,1)E(4)}");
/// # Ok::<(), tilewright::Error>(())
/// ```
///
/// Offsets are those of the tag's layout at every size, and so is the allocation, except that XLA
/// counts the half byte at the end of a 4-bit float matrix with an odd number of columns (rows, if
/// column-major). In bytes they are the same.
///
/// # Errors
/// If the element type has no such layout (elements of 6 bits do not fill 32 bytes, a scale is a
/// byte), or a block has no elements.
pub fn ascend_layout(tag: Tag, element_type: ElementType) -> Result<Layout, Error> {
    let sizes = vec![Int::dynamic(1); tag.size_names().len()];
    let rank = TlaLayout::from_tag_sizes(tag, element_type, &sizes)?.rank();
    let tiles: Vec<Tile> =
        tiles(tag, element_type)?.iter().map(|sizes| Tile::of(sizes)).collect::<Result<_, _>>()?;
    let layout =
        if is_column_major(tag) { Layout::ascending(rank) } else { Layout::descending(rank) };
    let bits = if element_type.is_sub_byte() { element_type.bits() } else { 0 };
    Ok(layout.with_tiles(tiles).with_element_size_in_bits(bits))
}

/// Whether columns, or columns of fractals, follow one another.
const fn is_column_major(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::ColumnMajor
            | Tag::Zn
            | Tag::Nn
            | Tag::L0C
            | Tag::MxScaleNn
            | Tag::MxScaleColumnMajorA
            | Tag::MxScaleColumnMajorB
            | Tag::PaddingColumnMajor { .. }
    )
}

/// The sizes of each level of tiles, over the dimensions in the order of memory.
fn tiles(tag: Tag, element_type: ElementType) -> Result<Vec<[i64; 2]>, Error> {
    Ok(match tag {
        Tag::RowMajor | Tag::ColumnMajor if element_type == ElementType::F4E2M1Fn => vec![[1, 2]],
        Tag::RowMajor | Tag::ColumnMajor | Tag::Vector => vec![],
        Tag::Zn | Tag::Nz => {
            let c0 = c0_elements(element_type)?;
            vec![[c0, 16], [c0, 1]]
        }
        Tag::Zz | Tag::Nn | Tag::Filter(FilterPosition::L1) => {
            vec![[16, c0_elements(element_type)?]]
        }
        Tag::L0C => vec![[16, 16], [16, 1]],
        Tag::Weight4BitNz => vec![[32, 16], [32, 1]],
        Tag::MxScaleZz | Tag::MxScaleNn => vec![[16, 2]],
        Tag::MxScaleRowMajorA | Tag::MxScaleColumnMajorB => vec![[1, 2]],
        Tag::MxScaleColumnMajorA | Tag::MxScaleRowMajorB => vec![[2, 1]],
        Tag::PaddingRowMajor { block_rows, block_columns } => vec![[block_rows, block_columns]],
        Tag::PaddingColumnMajor { block_rows, block_columns } => vec![[block_columns, block_rows]],
        Tag::Fmap | Tag::Filter(FilterPosition::GlobalMemory) | Tag::Fmap3d | Tag::Filter3d => {
            vec![]
        }
    })
}
