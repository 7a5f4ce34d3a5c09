//! Running a relayout here and now, step by step as the printed code does: what every printed text is held to.

use crate::formula::Formula;
use crate::relayout::{Body, Loop, Nest, Relayout, Transfer, Way};

impl Relayout {
    /// Moves an array.
    ///
    /// Buffers that are shorter than the arrays are left alone from where they end.
    pub fn run(&self, src: &[u8], dst: &mut [u8]) {
        if let Some(fill) = &self.fill {
            for (byte, pad) in dst.iter_mut().zip(fill.period.iter().cycle()) {
                *byte = *pad;
            }
        }
        if let (Some(bits), Some(last)) = (self.tail_bits, dst.last_mut()) {
            *last &= (1 << bits) - 1;
        }
        match &self.way {
            Way::Nests(nests) => {
                for nest in nests {
                    let at = (nest.src, nest.dst);
                    walk(&nest.loops, at, &mut |at| step(nest, self.transfer, at, src, dst));
                }
            }
            Way::Offsets { dims, src: from, dst: to } => each_index(dims, &mut |index| {
                let at =
                    |formula: &Formula| formula.evaluate(index).ok().flatten()?.first().copied();
                if let (Some(from), Some(to)) = (at(from), at(to)) {
                    let at = (from * self.transfer.src_bits, to * self.transfer.dst_bits);
                    element(self.transfer, at, src, dst);
                }
            }),
        }
    }
}

fn walk(loops: &[Loop], at: (i64, i64), visit: &mut impl FnMut((i64, i64))) {
    let Some((l, inner)) = loops.split_first() else { return visit(at) };
    for step in 0..l.extent {
        walk(inner, (at.0 + step * l.src, at.1 + step * l.dst), visit);
    }
}

/// Calls `visit` with every index, the last dimension varying fastest.
pub(crate) fn each_index(dims: &[i64], visit: &mut impl FnMut(&[i64])) {
    let mut index = vec![0; dims.len()];
    if dims.contains(&0) {
        return;
    }
    loop {
        visit(&index);
        let Some(dim) = (0..dims.len()).rev().find(|&dim| index[dim] + 1 < dims[dim]) else {
            return;
        };
        index[dim] += 1;
        index[dim + 1..].fill(0);
    }
}

fn step(nest: &Nest, transfer: Transfer, at: (i64, i64), src: &[u8], dst: &mut [u8]) {
    match nest.body {
        Body::Run(bytes) => copy(src, at.0, dst, at.1, bytes),
        Body::Transpose { unit, rows, src_pitch, columns, dst_pitch } => {
            for row in 0..rows {
                for column in 0..columns {
                    let from = at.0 + row * src_pitch + column * unit;
                    copy(src, from, dst, at.1 + column * dst_pitch + row * unit, unit);
                }
            }
        }
        Body::Element => element(transfer, (at.0 * 8, at.1 * 8), src, dst),
        Body::Bits => element(transfer, at, src, dst),
        Body::Pack { elements, src_stride } => {
            for number in 0..elements {
                let at = (at.0 + number * src_stride, at.1 + number * transfer.dst_bits);
                element(transfer, at, src, dst);
            }
        }
    }
}

fn copy(src: &[u8], from: i64, dst: &mut [u8], to: i64, bytes: i64) {
    let (from, to, bytes) = (from as usize, to as usize, bytes as usize);
    let from = src.get(from..).and_then(|rest| rest.get(..bytes));
    let to = dst.get_mut(to..).and_then(|rest| rest.get_mut(..bytes));
    if let (Some(from), Some(to)) = (from, to) {
        to.copy_from_slice(from);
    }
}

/// Moves one element, bit by bit.
fn element(transfer: Transfer, at: (i64, i64), src: &[u8], dst: &mut [u8]) {
    for bit in 0..transfer.dst_bits {
        let place = at.0 + bit;
        let byte = src.get((place / 8) as usize).copied().unwrap_or(0);
        let is_value = bit < transfer.value_bits;
        let flip = bit < 64 && transfer.flip >> bit & 1 == 1;
        let value = is_value && ((byte >> (place % 8) & 1 == 1) != flip);
        let place = at.1 + bit;
        if let Some(byte) = dst.get_mut((place / 8) as usize) {
            *byte = *byte & !(1 << (place % 8)) | u8::from(value) << (place % 8);
        }
    }
}
