//! Elements that go from a whole byte to fewer bits.
//!
//! Packing keeps the low bits of a byte. Those that it would lose have to be zero, or repeat the
//! sign, or else the byte is no value of the type. Only elements are asked that: what is in the
//! padding between them means nothing, and is not moved.

use anyhow::bail;
use tilewright::{ElementClass, ElementType, IndexMap};

/// How many bytes are looked at together.
const BATCH: usize = 4096;

/// The type of such elements, and where they are in the source.
#[derive(Debug)]
pub(crate) struct Narrowed {
    element_type: ElementType,
    source: IndexMap,
    has_padding: bool,
}

impl Narrowed {
    /// Elements of a type, a byte each where the source has them.
    pub(crate) fn new(element_type: ElementType, source: IndexMap) -> Self {
        let has_padding = source.elements() != source.allocation();
        Narrowed { element_type, source, has_padding }
    }

    /// Checks bytes of the source, of which the first is number `start`.
    ///
    /// Where a byte is no value, it is looked up whether it is an element. Of padding that is filled
    /// with such bytes that takes some nanoseconds for each; where there are none, none.
    pub(crate) fn check(&self, start: usize, bytes: &[u8]) -> anyhow::Result<()> {
        let means = meaning(self.element_type);
        for (start, bytes) in (start..).step_by(BATCH).zip(bytes.chunks(BATCH)) {
            // Without an early end, so that many bytes are looked at at once.
            if bytes.iter().fold(true, |all, byte| all & means(*byte)) {
                continue;
            }
            let strays = bytes.iter().enumerate().filter(|(_, byte)| !means(**byte));
            let (places, strays): (Vec<usize>, Vec<u8>) = strays.map(|(at, b)| (at, *b)).unzip();
            if let Some(element) = self.first_element(start, &places)? {
                let byte = strays.get(element).copied().unwrap_or_default();
                bail!(
                    "the byte {byte:#04x} is no {}, and packing would change it",
                    self.element_type
                );
            }
        }
        Ok(())
    }

    /// The first of some places from `start` on that is an element's.
    fn first_element(&self, start: usize, places: &[usize]) -> anyhow::Result<Option<usize>> {
        let offsets: Vec<i64> =
            places.iter().map(|place| i64::try_from(start + place)).collect::<Result<_, _>>()?;
        let rank = self.source.dims().len();
        if !self.has_padding {
            return Ok(Some(0));
        }
        if rank == 0 {
            // One element has no index that could say whether it is one.
            return Ok(offsets.iter().position(|offset| *offset == self.source.base()));
        }
        let mut indices = vec![0; offsets.len() * rank];
        self.source.indices_at(&offsets, &mut indices)?;
        Ok(indices.chunks(rank).position(|index| index.iter().all(|number| *number >= 0)))
    }
}

/// Whether a byte is a value of the type and nothing more.
fn meaning(element_type: ElementType) -> impl Fn(u8) -> bool {
    let bits = element_type.bits();
    let is_signed = element_type.class() == ElementClass::Signed;
    move |byte| {
        let stray = byte >> bits;
        let ones = u8::MAX >> bits;
        stray == 0 || (is_signed && stray == ones && (byte >> (bits - 1)) & 1 == 1)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use tilewright::Shape;

    /// Whether the first of the bytes that are no values is found, in parts of `step` bytes.
    fn refused(shape: &str, bytes: &[u8], step: usize) -> Option<String> {
        let shape: Shape = shape.parse().unwrap();
        let element_type = shape.as_array().unwrap().element_type();
        let narrowed = Narrowed::new(element_type, shape.index_map().unwrap());
        let mut parts = (0..).step_by(step).zip(bytes.chunks(step));
        parts.find_map(|(start, part)| narrowed.check(start, part).err()).map(|e| e.to_string())
    }

    #[test]
    fn only_elements_have_to_mean_something() {
        for step in [1, 4, 6, 100] {
            let check = |shape, bytes: &[u8], byte: Option<&str>| {
                let found = refused(shape, bytes, step);
                let is_it = found.as_deref().map(|error| error.contains(byte.unwrap_or("none")));
                assert_eq!(is_it, byte.map(|_| true), "{shape} {bytes:?}: {found:?}");
            };
            check("u2[2,2]{1,0:T(1,3)}", &[1, 2, 0xff, 3, 1, 0xff], None);
            check("u2[2,2]{1,0:T(1,3)}", &[1, 2, 0xff, 3, 9, 0xff], Some("0x09"));
            check("u2[2,2]", &[1, 2, 3, 4], Some("0x04"));
            check("s4[3]{0:T(4)}", &[0xf8, 7, 0xff, 0x70], None);
            check("s4[3]{0:T(4)}", &[0xf8, 0x18, 0xff, 0x70], Some("0x18"));
            check("u4[]{:T(4)}", &[15, 16, 17, 18], None);
            check("u4[]{:T(4)}", &[16, 16, 17, 18], Some("0x10"));
            check("pred[0]{0:T(4)}", &[], None);
        }
    }

    /// Padding that is filled with something else, in pieces that begin anywhere.
    #[test]
    fn much_padding() {
        let mut bytes = vec![0xee; 100 * 128 * 128];
        let map = "u4[100,60,70]{2,1,0:T(128,128)}".parse::<Shape>().unwrap().index_map().unwrap();
        map.offsets().unwrap().iter().for_each(|&at| bytes[at as usize] = at as u8 & 15);
        assert_eq!(refused("u4[100,60,70]{2,1,0:T(128,128)}", &bytes, 70_001), None);
        bytes[map.offset(&[99, 59, 69]).unwrap() as usize] = 0x1f;
        let error = refused("u4[100,60,70]{2,1,0:T(128,128)}", &bytes, 70_001).unwrap();
        assert!(error.contains("0x1f is no u4"), "{error}");
    }
}
