//! The `descr` of a header, and the element type behind it.

use tilewright::{ElementClass, ElementType};

use crate::error::Fault;
use crate::info::StoredLayout;
use crate::json::shortened;

/// What `np.save` writes for the dtype of this type.
pub(crate) fn of(element_type: ElementType) -> String {
    let bytes = element_type.storage_bits() / 8;
    let kind = match (element_type, element_type.class()) {
        (ElementType::Pred, _) => 'b',
        (ElementType::Bf16, _) => 'V',
        (ElementType::F8E5M2, _) => 'f',
        _ if element_type.bits() < 8 => 'V',
        (_, ElementClass::Float) if bytes == 1 => 'V',
        (_, ElementClass::Float) => 'f',
        (_, ElementClass::Signed) => 'i',
        (_, ElementClass::Unsigned) => 'u',
        (_, ElementClass::Complex) => 'c',
        (_, ElementClass::Boolean) => 'b',
    };
    let order = if bytes == 1 && matches!(kind, 'b' | 'i' | 'u') { '|' } else { '<' };
    format!("{order}{kind}{bytes}")
}

/// The element type of a `descr`; a void one is settled by what the caller says, else by the type
/// that the recorded layout begins with.
pub(crate) fn resolve(
    descr: &str,
    told: Option<ElementType>,
    layout: Option<&StoredLayout>,
) -> Result<ElementType, Fault> {
    let parts = Parts::of(descr).ok_or_else(|| unknown(descr))?;
    parts.check_byte_order(descr)?;
    if parts.kind != 'V' {
        let found = ElementType::ALL.iter().copied().find(|&t| parts.names(t));
        return found.ok_or_else(|| unknown(descr));
    }
    let candidates = candidates(parts.bytes);
    match (told.or_else(|| layout.and_then(type_of_layout)), candidates.as_slice()) {
        (_, []) => Err(unknown(descr)),
        (None, &[only]) => Ok(only),
        (None, _) => Err(ambiguous(descr, &candidates)),
        (Some(told), _) if told.storage_bits() / 8 == parts.bytes => Ok(told),
        (Some(told), _) => Err(Fault::malformed(format!(
            "elements of type {told} take {} bytes, but the dtype `{descr}` takes {}",
            told.storage_bits() / 8,
            parts.bytes
        ))),
    }
}

/// A dtype string taken apart: `<f4` is the mark `<`, the kind `f` and 4 bytes.
struct Parts {
    mark: Option<char>,
    kind: char,
    bytes: u32,
}

impl Parts {
    fn of(descr: &str) -> Option<Self> {
        let mark = descr.chars().next().filter(|c| "<>|=".contains(*c));
        let rest = descr.get(mark.map_or(0, char::len_utf8)..)?;
        let mut chars = rest.chars();
        let kind = chars.next()?;
        let digits = chars.as_str();
        let plain = digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit());
        if !plain || digits.starts_with('0') {
            return None;
        }
        Some(Parts { mark, kind, bytes: digits.parse().ok()? })
    }

    fn names(&self, element_type: ElementType) -> bool {
        Parts::of(&of(element_type)).is_some_and(|p| (p.kind, p.bytes) == (self.kind, self.bytes))
    }

    fn check_byte_order(&self, descr: &str) -> Result<(), Fault> {
        let big = match self.mark {
            Some('<') => false,
            Some('>') => true,
            _ => cfg!(target_endian = "big"),
        };
        if !big || self.bytes == 1 {
            return Ok(());
        }
        Err(Fault::unsupported(format!(
            "the dtype `{descr}` is big-endian, and only little-endian is read"
        ))
        .help("save it again from NumPy as `a.astype(a.dtype.newbyteorder('<'))`"))
    }
}

/// The types that `np.save` writes as a void of this many bytes.
fn candidates(bytes: u32) -> Vec<ElementType> {
    let void = format!("<V{bytes}");
    ElementType::ALL.iter().copied().filter(|&t| of(t) == void).collect()
}

/// `bf16` of `bf16[30,300]{1,0}`: all that is ever read of a layout.
fn type_of_layout(layout: &StoredLayout) -> Option<ElementType> {
    let (name, _) = layout.layout.split_once('[')?;
    ElementType::from_xla_name(&name.trim().to_ascii_lowercase())
}

fn ambiguous(descr: &str, candidates: &[ElementType]) -> Fault {
    let names: Vec<&str> = candidates.iter().map(|t| t.xla_name()).collect();
    Fault::ambiguous(format!("the dtype `{descr}` could be any of {}", names.join(", ")))
        .help("say the element type; the file holds only its size")
}

fn unknown(descr: &str) -> Fault {
    Fault::unsupported(format!(
        "the dtype `{}` is not one of an array of numbers",
        shortened(descr)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(descr: &str, expected: Result<ElementType, &str>) {
        match (resolve(descr, None, None), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{descr}"),
            (Err(fault), Err(fragment)) => {
                assert!(fault.to_string().contains(fragment), "{descr}: {fault}");
            }
            (found, expected) => panic!("{descr}: {found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn every_type_comes_back() {
        for &t in ElementType::ALL {
            assert_eq!(resolve(&of(t), Some(t), None).unwrap(), t, "{t}");
            let layout = StoredLayout::new(format!("{t}[3]{{0}}"), "0");
            assert_eq!(resolve(&of(t), None, Some(&layout)).unwrap(), t, "{t}");
        }
    }

    #[test]
    fn spellings() {
        check("<f4", Ok(ElementType::F32));
        check("|b1", Ok(ElementType::Pred));
        check("<b1", Ok(ElementType::Pred));
        check(">u1", Ok(ElementType::U8));
        check("i1", Ok(ElementType::S8));
        check("<V2", Ok(ElementType::Bf16));
        check("|V2", Ok(ElementType::Bf16));
        check("<f1", Ok(ElementType::F8E5M2));
        check("<c16", Ok(ElementType::C128));
        check(">f4", Err("big-endian"));
        check(">V2", Err("big-endian"));
        check("<V1", Err("could be any of s1, u1, s2, u2, s4, u4, f4e2m1fn, f6e3m2fn"));
        for unknown in [
            "",
            "<",
            "<f",
            "f",
            "<f04",
            "<f16",
            "<V4",
            "<W4",
            "|S3",
            "<U3",
            "|O",
            "|O8",
            "<M8[ns]",
            "float32",
            "<é1",
            "é",
            "<f+4",
            "<f4 ",
            "<f99999999999",
            "|V0",
            "<i16",
            "<c4",
        ] {
            check(unknown, Err("is not one of an array of numbers"));
        }
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn the_machines_own_order() {
        check("=f4", Ok(ElementType::F32));
        check("|f4", Ok(ElementType::F32));
        check("f4", Ok(ElementType::F32));
    }

    #[test]
    fn a_void_takes_the_told_type_of_its_size() {
        let told = |descr, t| resolve(descr, Some(t), None);
        assert_eq!(told("<V1", ElementType::S4).unwrap(), ElementType::S4);
        assert_eq!(told("|V1", ElementType::F8E5M2).unwrap(), ElementType::F8E5M2);
        assert_eq!(told("<V2", ElementType::Bf16).unwrap(), ElementType::Bf16);
        assert_eq!(told("<f4", ElementType::S4).unwrap(), ElementType::F32);
        let message = told("<V1", ElementType::Bf16).unwrap_err().to_string();
        assert_eq!(message, "elements of type bf16 take 2 bytes, but the dtype `<V1` takes 1");
        let opaque = StoredLayout::new("nonsense", "0");
        assert!(resolve("<V1", None, Some(&opaque)).is_err());
    }
}
