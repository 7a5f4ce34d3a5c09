//! Packed elements in C: statements that put together, or take apart, a word at a time.

use super::c::{Printer, address};
use crate::code::Code;
use crate::packed::{Side, Words};
use crate::relayout::{Loop, Transfer};

impl Printer<'_> {
    /// A box of packed elements, a word at a time.
    pub(super) fn words(&self, code: &mut Code, words: &Words) {
        let (mut src, mut dst) = (Vec::new(), Vec::new());
        let mut head = |code: &mut Code, l: &Loop| {
            let at = format!("a{}", src.len());
            code.line(format!("for (int64_t {at} = 0; {at} < {}; {at}++)", l.extent));
            src.push((at.clone(), l.src));
            dst.push((at, l.dst));
        };
        let is_run = words.is_run(self.transfer);
        // A word of the source is taken apart by the loops within, around the one that goes on: that is a vector's.
        let (around, last) = words.around.split_at(words.around.len().saturating_sub(1));
        around.iter().for_each(|l| head(code, l));
        if words.side == Side::Source && !is_run {
            words.within.iter().for_each(|l| head(code, l));
        }
        last.iter().for_each(|l| head(code, l));
        let n_around = around.len();
        let within = match words.side {
            Side::Source if !is_run => n_around..n_around + words.within.len(),
            _ => 0..0,
        };
        let shift: Vec<(String, i64)> = src.drain(within).collect();
        let in_bytes = |terms: &[(String, i64)], start: i64| {
            let terms: Vec<_> = terms.iter().map(|(at, bits)| (at.clone(), bits / 8)).collect();
            address(&terms, start / 8)
        };
        let (src, dst) = (in_bytes(&src, words.src), in_bytes(&dst, words.dst));
        let bits = words.bits;
        code.block("{", "}", |code| match words.side {
            Side::Destination if is_run => self.pack_run(code, words, &src, &dst),
            Side::Source if is_run => self.unpack_run(code, words, &src, &dst),
            Side::Destination => self.put_together(code, words, &src, &dst),
            Side::Source => {
                code.line(format!("uint{bits}_t word;"));
                code.line(format!("memcpy(&word, src + {src}, sizeof word);"));
                let value = format!("word >> ({})", address(&shift, 0));
                let value = self.flipped(&format!("({value} & {:#x})", self.transfer.mask()));
                code.line(format!("dst[{dst}] = (unsigned char)({value});"));
            }
        });
    }

    fn flipped(&self, value: &str) -> String {
        match self.transfer.flip {
            0 => value.to_owned(),
            flip => format!("({value} ^ {flip:#x})"),
        }
    }

    /// A word of the destination, of elements that lie anywhere.
    fn put_together(&self, code: &mut Code, words: &Words, src: &str, dst: &str) {
        let Transfer { src_bits, dst_bits, flip, .. } = self.transfer;
        let (bits, mask) = (words.bits, self.transfer.mask());
        code.line(format!("const unsigned char *from_here = src + {src};"));
        code.line(format!("uint{bits}_t word = {:#x};", words.repeated(flip, dst_bits)));
        for (number, at) in words.elements().iter().enumerate() {
            let byte = format!("from_here[{}]", at.div_euclid(8));
            let value = match at.rem_euclid(8) {
                0 => byte,
                shift => format!("({byte} >> {shift})"),
            };
            let value =
                match at.rem_euclid(8) + src_bits == 8 && src_bits == self.transfer.value_bits {
                    true => value, // nothing is above it
                    false => format!("({value} & {mask:#x})"),
                };
            let shifted = match number as i64 * dst_bits {
                0 => value,
                place => format!("((uint{bits}_t){value} << {place})"),
            };
            code.line(format!("word ^= (uint{bits}_t){shifted};"));
        }
        code.line(format!("memcpy(dst + {dst}, &word, sizeof word);"));
    }

    /// Eight bytes to eight elements: pairs, fours and all of them move together.
    fn pack_run(&self, code: &mut Code, words: &Words, src: &str, dst: &str) {
        let (width, bits) = (self.transfer.dst_bits, words.bits);
        let gap = 8 - width;
        code.line("uint64_t x;");
        code.line(format!("memcpy(&x, src + {src}, 8);"));
        code.line(format!("x &= {:#x};", fields(self.transfer.mask(), 8)));
        code.line(format!("x = (x | x >> {gap}) & {:#x};", fields(ones(2 * width), 16)));
        code.line(format!("x = (x | x >> {}) & {:#x};", 2 * gap, fields(ones(4 * width), 32)));
        let flip = words.repeated(self.transfer.flip, width);
        code.line(format!(
            "const uint{bits}_t word = (uint{bits}_t)((x | x >> {}) ^ {flip:#x});",
            4 * gap
        ));
        code.line(format!("memcpy(dst + {dst}, &word, sizeof word);"));
    }

    /// Eight elements to eight bytes: the other way round.
    fn unpack_run(&self, code: &mut Code, words: &Words, src: &str, dst: &str) {
        let (width, bits) = (self.transfer.src_bits, words.bits);
        let gap = 8 - width;
        code.line(format!("uint{bits}_t word;"));
        code.line(format!("memcpy(&word, src + {src}, sizeof word);"));
        code.line("uint64_t x = word;");
        code.line(format!("x = (x | x << {}) & {:#x};", 4 * gap, fields(ones(4 * width), 32)));
        code.line(format!("x = (x | x << {}) & {:#x};", 2 * gap, fields(ones(2 * width), 16)));
        code.line(format!("x = (x | x << {gap}) & {:#x};", fields(self.transfer.mask(), 8)));
        if self.transfer.flip != 0 {
            code.line(format!("x ^= {:#x};", fields(self.transfer.flip, 8)));
        }
        code.line(format!("memcpy(dst + {dst}, &x, 8);"));
    }
}

/// A number of so many bits, all of them set.
fn ones(bits: i64) -> u64 {
    u64::MAX >> (64 - bits)
}

/// A number in each field of so many bits of 64.
fn fields(number: u64, bits: i64) -> u64 {
    (0..64 / bits).fold(0, |all, place| all | number << (place * bits))
}
