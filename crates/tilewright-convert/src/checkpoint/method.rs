//! What each method calls the parts of a quantised layer, and how they lie.
//!
//! | | `gptq` | `awq` | `marlin` | `compressed-tensors` |
//! |---|---|---|---|---|
//! | codes | `qweight`, packed along K | `qweight`, eight columns a word | `B`, in the order of fragments | `weight_packed`, `[N,K]` |
//! | zero points | `qzeros`, each less one (not `gptq-v2`) | `qzeros` | none: the middle | `weight_zero_point`, packed along N, or none |
//! | scales | `scales [G,N]` | `scales [G,N]` | `s [G,N]`, permuted | `weight_scale [N,G]` |
//! | the group of each row | `g_idx [K]` | row / group size | row / group size | `weight_g_idx [K]`, or row / group size |
//! | its shape | | | | `weight_shape` |
//!
//! All of them mean `scale * (code - zero point)`, with codes from 0 on; compressed-tensors means them
//! signed, and stores both plus half of what there are, so that the bits are the same. A layer has K inputs, N outputs
//! and G groups of rows.

use anyhow::{Context, bail};
use tilewright::formats::catalogue::NamedLayout;
use tilewright::notation::DescribedArray;
use tilewright::{ArrayShape, ElementClass, ElementType};

use crate::lying::Lying;

/// How a quantised checkpoint is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// AutoGPTQ's format, version 1: zero points are stored less one.
    Gptq,
    /// GPTQModel's version 2, with zero points as they are.
    GptqV2,
    /// AutoAWQ's GEMM format.
    Awq,
    /// IST-DASLab's Marlin format.
    Marlin,
    /// The packed format of compressed-tensors.
    CompressedTensors,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 5] =
        [Method::Gptq, Method::GptqV2, Method::Awq, Method::Marlin, Method::CompressedTensors];

    /// Its name: `gptq`.
    pub fn name(self) -> &'static str {
        match self {
            Method::Gptq => "gptq",
            Method::GptqV2 => "gptq-v2",
            Method::Awq => "awq",
            Method::Marlin => "marlin",
            Method::CompressedTensors => "compressed-tensors",
        }
    }

    /// The method of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The ends of the names of the parts.
    pub(crate) fn parts(self) -> Parts {
        let gptq = Parts {
            codes: "qweight",
            zeros: Some("qzeros"),
            scales: "scales",
            groups: Some("g_idx"),
            shape: None,
        };
        match self {
            Method::Gptq | Method::GptqV2 => gptq,
            Method::Awq => Parts { groups: None, ..gptq },
            Method::Marlin => {
                Parts { codes: "B", zeros: None, scales: "s", groups: None, shape: None }
            }
            Method::CompressedTensors => Parts {
                codes: "weight_packed",
                zeros: Some("weight_zero_point"),
                scales: "weight_scale",
                groups: Some("weight_g_idx"),
                shape: Some("weight_shape"),
            },
        }
    }

    /// Whether an array of this name is one of those whose elements a plan depends on.
    pub(crate) fn is_looked_at(self, name: &str) -> bool {
        let Parts { zeros, groups, shape, .. } = self.parts();
        let end = name.rsplit_once('.').map(|(_, end)| end);
        end.is_some() && [zeros, groups, shape].contains(&end)
    }

    /// What a zero point is stored less.
    pub(crate) fn zeros_less(self) -> u8 {
        u8::from(self == Method::Gptq)
    }

    /// Whether K is the minor dimension of what is stored.
    fn is_transposed(self) -> bool {
        self == Method::CompressedTensors
    }

    /// Whether the group of each row is stored even where groups follow each other.
    pub(crate) fn says_groups(self) -> bool {
        matches!(self, Method::Gptq | Method::GptqV2)
    }

    /// The dims of the codes, by those of what they are stored as and K where that is known.
    pub(crate) fn dims_of(
        self,
        bits: u32,
        stored: &[i64],
        inputs: Option<i64>,
    ) -> anyhow::Result<[i64; 2]> {
        let [rows, columns] = *stored else { bail!("its codes are no matrix: {stored:?}") };
        let in_word = i64::from(32 / bits.max(1));
        let times = |extent: i64, by: i64| extent.checked_mul(by).context("its codes are too many");
        Ok(match self {
            Method::Gptq | Method::GptqV2 => [times(rows, in_word)?, columns],
            Method::Awq => [rows, times(columns, in_word)?],
            Method::Marlin => [times(rows, 16)?, times(columns, in_word)? / 16],
            Method::CompressedTensors => {
                [inputs.map_or_else(|| times(columns, in_word), Ok)?, rows]
            }
        })
    }

    /// The codes of a layer, looked at as `[K,N]` and from 0 on.
    pub(crate) fn codes(self, bits: u32, dims: [i64; 2]) -> anyhow::Result<Lying> {
        let layout = match self {
            Method::Gptq | Method::GptqV2 => "gptq",
            Method::Awq => "awq",
            Method::Marlin => "marlin",
            Method::CompressedTensors => "compressed-tensors",
        };
        match self.is_transposed() {
            false => named(layout, whole(ElementClass::Unsigned, bits)?, dims),
            true => {
                let [k, n] = dims;
                let signed = named(layout, whole(ElementClass::Signed, bits)?, [n, k])?;
                signed.unsigned().transposed()
            }
        }
    }

    /// The zero points as they are stored, looked at as `[G,N]`.
    pub(crate) fn zeros(self, bits: u32, [groups, n]: [i64; 2]) -> anyhow::Result<Lying> {
        let element_type = whole(ElementClass::Unsigned, bits)?;
        match self {
            Method::Gptq | Method::GptqV2 => named("gptq.zeros", element_type, [groups, n]),
            Method::Awq => named("awq", element_type, [groups, n]),
            // Packed along its first dimension, which GPTQ's codes are, too.
            Method::CompressedTensors => named("gptq", element_type, [n, groups])?.transposed(),
            Method::Marlin => bail!("marlin has no zero points"),
        }
    }

    /// The scales, looked at as `[G,N]`.
    pub(crate) fn scales(
        self,
        element_type: ElementType,
        [groups, n]: [i64; 2],
    ) -> anyhow::Result<Lying> {
        match self {
            Method::Marlin => named("marlin.scales", element_type, [groups, n]),
            Method::CompressedTensors => {
                Lying::of(ArrayShape::new(element_type, &[n, groups])?.into())?.transposed()
            }
            _ => Ok(Lying::of(ArrayShape::new(element_type, &[groups, n])?.into())?),
        }
    }
}

/// The ends of the names of a layer's parts.
pub(crate) struct Parts {
    pub(crate) codes: &'static str,
    pub(crate) zeros: Option<&'static str>,
    pub(crate) scales: &'static str,
    pub(crate) groups: Option<&'static str>,
    pub(crate) shape: Option<&'static str>,
}

/// The type of whole numbers of so many bits.
fn whole(class: ElementClass, bits: u32) -> anyhow::Result<ElementType> {
    let mut types = ElementType::ALL.iter().copied();
    let found = types.find(|kind| kind.class() == class && kind.bits() == bits);
    found.with_context(|| format!("there are no codes of {bits} bits"))
}

fn named(layout: &str, element_type: ElementType, dims: [i64; 2]) -> anyhow::Result<Lying> {
    let layout: NamedLayout = layout.parse()?;
    Ok(Lying::of(DescribedArray::from(layout.of(element_type, &dims)?))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is stored of codes of 256 inputs and 512 outputs.
    #[test]
    fn carriers() {
        for (method, bits, codes, zeros) in [
            (Method::Gptq, 4, "I32[32,512]", Some("I32[2,64]")),
            (Method::GptqV2, 8, "I32[64,512]", Some("I32[2,128]")),
            (Method::Awq, 4, "I32[256,64]", Some("I32[2,64]")),
            (Method::Marlin, 4, "I32[16,1024]", None),
            (Method::Marlin, 8, "I32[16,2048]", None),
            (Method::CompressedTensors, 4, "I32[512,32]", Some("I32[64,2]")),
        ] {
            let carrier = |lying: Lying| lying.array().named().unwrap().carrier().clone();
            let stored = carrier(method.codes(bits, [256, 512]).unwrap());
            assert_eq!(stored.to_string(), codes);
            assert_eq!(method.dims_of(bits, &stored.dims, None).unwrap(), [256, 512]);
            let found = method.zeros(bits, [2, 512]).map(|zeros| carrier(zeros).to_string());
            assert_eq!(found.ok().as_deref(), zeros);
        }
        // Rows of 250 codes are padded to whole words, and only the shape says so.
        let padded = Method::CompressedTensors.codes(4, [250, 512]).unwrap();
        let stored = padded.array().named().unwrap().carrier().dims.clone();
        assert_eq!(stored, [512, 32]);
        assert_eq!(Method::CompressedTensors.dims_of(4, &stored, Some(250)).unwrap(), [250, 512]);
    }

    /// Each is where the next finds it: the same code at the same row and column.
    #[test]
    fn all_mean_the_same_elements() {
        for method in Method::ALL {
            let codes = method.codes(4, [128, 256]).unwrap();
            assert_eq!(codes.map().dims(), [128, 256]);
            assert_eq!((codes.xor_mask(), codes.element_type()), (0, ElementType::U4));
        }
        let scales = Method::CompressedTensors.scales(ElementType::F16, [2, 8]).unwrap();
        assert_eq!(scales.map().offset(&[1, 3]).unwrap(), 7);
    }
}
