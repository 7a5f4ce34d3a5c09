//! How arrays are split over devices, as a module's text says: `sharding={devices=[2,1,2]<=[4] …}`.
//!
//! Read are tiles of devices, with the devices counted or listed and with `last_tile_dim_replicate` or
//! `last_tile_dims`, meshes with named axes and parts of axes, and `replicated`, `maximal` and `manual`.

use serde::Serialize;

use crate::scan;

/// How an array is split over devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sharding {
    /// As the module says it: `{devices=[2,1,2]<=[4] last_tile_dim_replicate}`.
    pub text: String,
    /// The dimensions of the whole array, of which a device has a part: `bf16[32768,1024]`. Where the
    /// text has parts only, with what would make all parts as large.
    pub global: String,
    /// In how many parts each dimension is cut; no number of an array that is not cut.
    pub parts: Vec<u64>,
    /// How many devices there are.
    pub devices: u64,
    /// On how many of them each element is.
    pub replicated: u64,
}

impl Sharding {
    /// How the whole is cut: `2x1, each part on 2 devices`, or `replicated over 4 devices`.
    pub fn in_words(&self) -> String {
        let Sharding { parts, devices, replicated, .. } = self;
        if replicated == devices {
            return format!("replicated over {devices} devices");
        }
        let cut = parts.iter().map(u64::to_string).collect::<Vec<_>>().join("x");
        match replicated {
            0 | 1 => cut,
            _ => format!("{cut}, each part on {replicated} devices"),
        }
    }
}

/// A sharding, without what is split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) parts: Vec<u64>,
    pub(crate) devices: u64,
    pub(crate) replicated: u64,
}

/// The shardings of a tuple's parts, or of one array: the texts between the outermost braces.
pub(crate) fn texts(text: &str) -> Vec<&str> {
    let content = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    match content.map(str::trim_start) {
        Some(content) if content.starts_with('{') || content.starts_with("/*") => {
            scan::parts(content).collect()
        }
        _ => vec![text],
    }
}

impl Split {
    /// Of one array in a program for so many devices. Nothing where an array is on one device only, or where
    /// the text is not understood.
    pub(crate) fn of(text: &str, partitions: u64) -> Option<Self> {
        let content = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
        let content = scan::parts(content).next().map_or("", |_| content);
        if content == "replicated" || content.starts_with("replicated ") {
            let all = Split { parts: Vec::new(), devices: partitions, replicated: partitions };
            return (partitions > 1).then_some(all);
        }
        if let Some(rest) = content.strip_prefix("devices=") {
            return Self::of_tiles(rest);
        }
        content.strip_prefix("mesh[").and_then(Self::of_mesh)
    }

    /// `[2,1,2]<=[4] last_tile_dim_replicate`, or `[2,2]0,2,1,3`.
    fn of_tiles(text: &str) -> Option<Self> {
        let (tiles, rest) = text.strip_prefix('[')?.split_once(']')?;
        let mut parts: Vec<u64> = numbers(tiles)?;
        let devices = product(&parts)?;
        let mut replicated = 1u64;
        if rest.contains("last_tile_dim_replicate") {
            replicated = parts.pop()?;
        } else if let Some((_, kinds)) = rest.split_once("last_tile_dims={") {
            let kinds: Vec<&str> = kinds.split_once('}')?.0.split(',').map(str::trim).collect();
            let groups = parts.split_off(parts.len().checked_sub(kinds.len())?);
            let copies = groups.iter().zip(&kinds).filter(|(_, kind)| **kind == "replicated");
            replicated = product(&copies.map(|(n, _)| *n).collect::<Vec<_>>())?;
        }
        Some(Split { parts, devices, replicated })
    }

    /// `'x'=2,'y'=4], [{'y','x'}, {}], replicated={'y'}`.
    fn of_mesh(text: &str) -> Option<Self> {
        let (axes, rest) = text.split_once(']')?;
        let axes: Vec<(&str, u64)> = axes
            .split(',')
            .map(|axis| {
                let (name, size) = axis.trim().rsplit_once('=')?;
                Some((name, size.parse().ok()?))
            })
            .collect::<Option<_>>()?;
        let devices = product(&axes.iter().map(|(_, size)| *size).collect::<Vec<_>>())?;
        let dims = rest.trim_start_matches([',', ' ']);
        let dims = dims.get(..scan::closing(dims)?)?.strip_prefix('[')?.strip_suffix(']')?;
        let size = |axis: &str| {
            // Of a part of an axis, `'y':(1)2`, its own size.
            if let Some((_, part)) = axis.rsplit_once(')') {
                return part.parse().ok();
            }
            axes.iter().find(|(name, _)| *name == axis).map(|(_, size)| *size)
        };
        let part = |dim: &str| {
            let axes = dim.strip_prefix('{')?.strip_suffix('}')?;
            let axes = scan::parts(axes).filter(|axis| *axis != "?");
            product(&axes.map(size).collect::<Option<Vec<_>>>()?)
        };
        let parts: Vec<u64> = scan::parts(dims).map(part).collect::<Option<_>>()?;
        let used = product(&parts)?;
        Some(Split { parts, devices, replicated: devices.checked_div(used)? })
    }

    /// The dimensions of the whole array, of a device's part, or the other way round.
    pub(crate) fn whole(&self, part: &[i64]) -> Option<Vec<i64>> {
        let factor =
            |dim: usize| self.parts.get(dim).map_or(Some(1), |parts| i64::try_from(*parts).ok());
        part.iter().enumerate().map(|(dim, size)| size.checked_mul(factor(dim)?)).collect()
    }
}

fn numbers(list: &str) -> Option<Vec<u64>> {
    list.split(',').map(|number| number.trim().parse().ok().filter(|n| *n > 0)).collect()
}

fn product(numbers: &[u64]) -> Option<u64> {
    numbers.iter().try_fold(1u64, |product, number| product.checked_mul(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, parts: &[u64], devices: u64, replicated: u64) {
        let split = Split { parts: parts.to_vec(), devices, replicated };
        assert_eq!(Split::of(text, 4), Some(split), "{text}");
    }

    // Each reading is that of XLA's own parser: the tiles, all devices, and the last tile if it repeats.
    #[test]
    fn splits() {
        check("{devices=[2,1,2]<=[4] last_tile_dim_replicate}", &[2, 1], 4, 2);
        check("{devices=[2,2]<=[2,2]T(1,0)}", &[2, 2], 4, 1);
        check("{devices=[2,2]0,2,1,3}", &[2, 2], 4, 1);
        check("{devices=[1,2,2,2]<=[8] last_tile_dims={manual, replicated}}", &[1, 2], 8, 2);
        check("{replicated}", &[], 4, 4);
        check("{replicated metadata={op_name=\"a\"}}", &[], 4, 4);
        check("{mesh['x'=2,'y'=4], [{'y','x'}, {}]}", &[8, 1], 8, 1);
        check("{mesh['x'=2,'y'=4], [{'y':(1)2}, {?}], replicated={'x'}}", &[2, 1], 8, 4);
    }

    #[test]
    fn no_splits() {
        for text in [
            "{maximal device=3}",
            "{manual}",
            "{unknown}",
            "{devices=[0,2]<=[4]}",
            "{devices=[18446744073709551615,2]<=[4]}",
            "{devices=[2",
            "{mesh['x'=2], [{'z'}]}",
            "{mesh['x'=2",
            "",
        ] {
            assert_eq!(Split::of(text, 4), None, "{text}");
        }
        assert_eq!(Split::of("{replicated}", 1), None);
    }

    #[test]
    fn of_tuples() {
        assert_eq!(
            texts("{{replicated}, {devices=[2]<=[2]}}"),
            ["{replicated}", "{devices=[2]<=[2]}"]
        );
        assert_eq!(texts("{replicated}"), ["{replicated}"]);
        assert_eq!(texts("{/*index=0*/{manual}, {manual}}"), ["{manual}", "{manual}"]);
    }
}
