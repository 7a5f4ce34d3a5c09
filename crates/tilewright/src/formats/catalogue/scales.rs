//! Scales of blocks: a byte for each 16 or 32 values of a row, in the order in which a tensor core reads them.

use super::entry::{Entry, Stored};
use super::extents::{parts, up};
use super::place::{Asked, Mode, Placed};
use crate::ElementType::S32;
use crate::error::Error;

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "sf128x4",
        arguments: &[],
        summary: "The scales of MX and NVFP4 for Blackwell's tensor cores, by blocks of 128 rows and 4 scales: cuBLAS, \
                  cuDNN, CUTLASS, torchao, vLLM, Transformer Engine. PyTorch's SWIZZLE_32_4_4",
        dims: "[M,S], or [B,M,S]",
        extents: "any; M is padded to a multiple of 128, S of 4",
        bits: &[8],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "f8e8m0fnu[300,13]@sf128x4",
        source: "CUTLASS, Sm1xxBlockScaledConfig; torchao, to_blocked",
        place: sf128x4,
    },
    Entry {
        name: "sf8x4",
        arguments: &[],
        summary: "The scales of trtllm-gen's kernels for few tokens, by blocks of 8 rows and 4 scales. FlashInfer's \
                  SfLayout 1",
        dims: "[M,S], or [B,M,S]",
        extents: "any; M is padded to a multiple of 8, S of 4",
        bits: &[8],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "f8e4m3fn[108,13]@sf8x4",
        source: "FlashInfer, get_sf_out_offset_8x4",
        place: sf8x4,
    },
    Entry {
        name: "sf4x4",
        arguments: &[],
        summary: "The scales of the values in an NVFP4 KV cache, as SM100 reads them: four tokens of a scale side by \
                  side. SM120 reads rows. vLLM, FlashInfer",
        dims: "[T,S] of tokens and scales, or [B,T,S] of pages",
        extents: "T % 4 = 0, S % 4 = 0",
        bits: &[8],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "f8e4m3fn[16,8]@sf4x4",
        source: "FlashInfer, msa_ops, _v_scale_unswizzle_index",
        place: sf4x4,
    },
    Entry {
        name: "aiter.scales",
        arguments: &[],
        summary: "AITER's shuffle_scale for MI350: E8M0 scales by blocks of 32 rows and 8 scales",
        dims: "[M,S]",
        extents: "any; M is padded to a multiple of 256, S of 8, by scales of 1.0",
        bits: &[8],
        stored: Stored::AsTheyAre,
        padding: 0x7F,
        example: "f8e8m0fnu[300,13]@aiter.scales",
        source: "ROCm/aiter, aiter/ops/shuffle.py",
        place: aiter_scales,
    },
    Entry {
        name: "aiter.n32k4",
        arguments: &[],
        summary: "AITER's scales for gfx1250, by blocks of 32 rows and 4 scales",
        dims: "[M,S]",
        extents: "any; M is padded to a multiple of 32, S of 4, by scales of 1.0",
        bits: &[8],
        stored: Stored::AsTheyAre,
        padding: 0x7F,
        example: "f8e8m0fnu[100,6]@aiter.n32k4",
        source: "ROCm/aiter, aiter/ops/shuffle.py",
        place: n32k4,
    },
    Entry {
        name: "aiter.n32k8",
        arguments: &[],
        summary: "The same of NVFP4 on gfx1250, by blocks of 32 rows and 8 scales",
        dims: "[M,S]",
        extents: "any; M is padded to a multiple of 32, S of 8",
        bits: &[8],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "f8e4m3fn[100,6]@aiter.n32k8",
        source: "ROCm/aiter, aiter/ops/shuffle.py",
        place: n32k8,
    },
    Entry {
        name: "deepgemm.scales",
        arguments: &[],
        summary: "DeepGEMM's and FlashMLA's FP8 scales: rows minor, four scales of a row in a 32-bit word",
        dims: "[M,S]",
        extents: "any; M and S are padded to multiples of 4",
        bits: &[8],
        stored: Stored::AsTheyAre,
        padding: 0,
        example: "f8e8m0fnu[30,6]@deepgemm.scales",
        source: "DeepGEMM, get_mn_major_tma_aligned_packed_ue8m0_tensor; SGLang, fp8_utils.py",
        place: deepgemm,
    },
];

/// Rows and columns by blocks, a block's elements placed by its own modes; blocks in rows.
struct Blocks {
    rows: i128,
    columns: i128,
    row: Mode,
    column: Mode,
}

impl Blocks {
    fn placed(self, asked: &Asked<'_>) -> Result<Placed, Error> {
        let (batch, [m, s]) = asked.matrices()?;
        let [padded_m, padded_s] = [up(m, self.rows), up(s, self.columns)];
        let block = self.rows * self.columns;
        let mut row = self.row;
        row.push((parts(m, self.rows), block * parts(s, self.columns)));
        let mut column = self.column;
        column.push((parts(s, self.columns), block));
        let mut modes = vec![row, column];
        let mut carrier = vec![padded_m, padded_s];
        if let Some(n) = batch {
            modes.insert(0, vec![(n, padded_m * padded_s)]);
            carrier.insert(0, n);
        }
        Ok(Placed::of(modes, asked.element_type, carrier))
    }
}

/// `(r/128) 512 ⌈S/4⌉ + (c/4) 512 + (r%32) 16 + ((r%128)/32) 4 + c%4`.
fn sf128x4(asked: &Asked<'_>) -> Result<Placed, Error> {
    let (row, column) = (vec![(32, 16), (4, 4)], vec![(4, 1)]);
    Blocks { rows: 128, columns: 4, row, column }.placed(asked)
}

fn sf8x4(asked: &Asked<'_>) -> Result<Placed, Error> {
    Blocks { rows: 8, columns: 4, row: vec![(8, 4)], column: vec![(4, 1)] }.placed(asked)
}

/// `(t/4) 4 S + 4 s + t%4`: as the writer has it, row `(t/4) 4 + s / (S/4)` and column `s % (S/4) 4 + t % 4`.
fn sf4x4(asked: &Asked<'_>) -> Result<Placed, Error> {
    let (_, [tokens, scales]) = asked.matrices()?;
    asked.multiple("T", tokens, 4)?;
    asked.multiple("S", scales, 4)?;
    Blocks { rows: 4, columns: 1, row: vec![(4, 1)], column: Vec::new() }.placed(asked)
}

/// Blocks of 32 rows and 8 scales; what is padded is more than whole blocks.
fn aiter_scales(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [m, s] = asked.matrix()?;
    let [m, s] = [up(m, 256), up(s, 8)];
    let row = vec![(16, 4), (2, 1), (m / 32, 32 * s)];
    let column = vec![(4, 64), (2, 2), (s / 8, 256)];
    Ok(Placed::of(vec![row, column], asked.element_type, vec![m, s]))
}

fn n32k4(asked: &Asked<'_>) -> Result<Placed, Error> {
    asked.matrix()?;
    Blocks { rows: 32, columns: 4, row: vec![(32, 4)], column: vec![(4, 1)] }.placed(asked)
}

fn n32k8(asked: &Asked<'_>) -> Result<Placed, Error> {
    asked.matrix()?;
    Blocks { rows: 32, columns: 8, row: vec![(32, 8)], column: vec![(8, 1)] }.placed(asked)
}

/// `(k/4) 4 ⌈MN/4⌉4 + 4 mn + k%4`.
fn deepgemm(asked: &Asked<'_>) -> Result<Placed, Error> {
    let [m, s] = asked.matrix()?;
    let (padded, words) = (up(m, 4), parts(s, 4));
    let modes = vec![vec![(padded, 4)], vec![(4, 1), (words, 4 * padded)]];
    Ok(Placed::of(modes, S32, vec![words, padded]))
}
