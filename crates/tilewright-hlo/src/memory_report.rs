//! XLA's report that a program needs more memory than there is, as people paste it.
//!
//! ```text
//! Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm. Exceeded hbm capacity by 25.74G.
//!   1. Size: 32.00G
//!      Operator: op_type="FloorMod" op_name="…"
//!      Shape: s32[8388608,8,4]{2,1,0:T(8,128)}
//!      Unpadded size: 1.00G
//!      Extra memory due to padding: 31.00G (32.0x expansion)
//!      XLA label: %copy.1 = s32[8388608,8,4]{2,1,0:T(8,128)} copy(…)
//!      Allocation type: HLO temp
//!      ==========================
//! ```
//!
//! Whatever stands before a key on its line (a logger's date and file) is passed over.

use crate::line::{Head, head};
use crate::scan::Depth;

/// An out-of-memory report.
#[derive(Clone, Debug, Default)]
pub struct MemoryReport<'a> {
    /// The memory that ran out: `hbm`, `vmem`.
    pub space: &'a str,
    /// How much the program needs, as it is written: `41.74G`.
    pub used: &'a str,
    /// How much there is, as it is written.
    pub capacity: &'a str,
    /// The largest allocations, in the order of the report.
    pub allocations: Vec<Allocation<'a>>,
}

/// One allocation of an out-of-memory report. What is not said is empty.
#[derive(Clone, Debug, Default)]
pub struct Allocation<'a> {
    /// Its line, the first being 1.
    pub line: u32,
    /// The memory it takes, as it is written: `32.00G`.
    pub size: &'a str,
    /// The operation of the user's program.
    pub operator: &'a str,
    /// The text of its shape.
    pub shape: &'a str,
    /// The bytes without padding, as they are written.
    pub unpadded: &'a str,
    /// The bytes of padding, as they are written.
    pub padding: &'a str,
    /// How many times larger padding makes it, as it is written: `32.0x`.
    pub expansion: &'a str,
    /// The instruction, perhaps cut short.
    pub label: &'a str,
    /// What it is for: `HLO temp`, `arguments`, `scoped`.
    pub kind: &'a str,
}

impl<'a> Allocation<'a> {
    /// The instruction's name in the label.
    pub fn name(&self) -> Option<&'a str> {
        let (name, _) = self.label.split_once(" = ")?;
        Some(crate::module::bare(name.trim_start_matches("ROOT ")))
    }

    /// The text of its shape: what is said, or what stands in the label.
    pub(crate) fn shape(&self) -> &'a str {
        match head(self.label) {
            Some(Ok(Head { shape, .. })) if self.shape.is_empty() => shape,
            _ => self.shape,
        }
    }

    /// The operation in the label, where the label is not cut off before it.
    pub fn opcode(&self) -> Option<&'a str> {
        if let Some(Ok(Head { opcode, .. })) = head(self.label) {
            return Some(opcode);
        }
        let (_, value) = self.label.split_once(" = ")?;
        value.split('(').next().filter(|opcode| !opcode.contains('['))
    }

    /// The operands in the label, of which the last may be cut short.
    pub(crate) fn operands(&self) -> &'a str {
        let Some(Ok(head)) = head(self.label) else { return "" };
        let operands = self.label.get(head.operands..).unwrap_or("");
        let end = Depth::within_bracket().find(operands.as_bytes(), |byte| byte == b')');
        operands.get(..end.unwrap_or(operands.len())).unwrap_or("")
    }
}

/// Takes a report's lines one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReportReader<'a> {
    report: MemoryReport<'a>,
    /// Whether an allocation is open, so that keys belong to it.
    is_inside: bool,
    is_report: bool,
}

const KEYS: [&str; 6] = [
    "Operator: ",
    "Unpadded size: ",
    "Extra memory due to padding: ",
    "XLA label: ",
    "Allocation type: ",
    "Shape: ",
];

impl<'a> ReportReader<'a> {
    /// Whether some line of a report has been seen.
    pub(crate) fn has_begun(&self) -> bool {
        self.is_report
    }

    /// Whether a line is one of a report; if so, it is taken.
    pub(crate) fn line(&mut self, line: &'a str, number: u32) -> bool {
        if let Some((_, rest)) = line.split_once("Ran out of memory in memory space ") {
            self.headline(rest);
            return true;
        }
        if let Some(size) = numbered_size(line) {
            self.report.allocations.push(Allocation {
                line: number,
                size,
                ..Allocation::default()
            });
            (self.is_inside, self.is_report) = (true, true);
            return true;
        }
        if self.is_inside && line.contains("==========") {
            self.is_inside = false;
            return true;
        }
        self.is_inside && self.key(line)
    }

    /// `hbm. Used 41.74G of 16.00G hbm. Exceeded …`
    fn headline(&mut self, rest: &'a str) {
        self.is_report = true;
        if !self.report.space.is_empty() {
            return;
        }
        self.report.space = rest.split(['.', ' ']).next().unwrap_or("");
        if let Some((_, usage)) = rest.split_once("Used ") {
            let mut words = usage.split_whitespace();
            self.report.used = words.next().unwrap_or("");
            self.report.capacity = words.nth(1).unwrap_or("").trim_end_matches('.');
        }
    }

    fn key(&mut self, line: &'a str) -> bool {
        let found = KEYS.iter().find_map(|key| Some((*key, line.split_once(key)?.1.trim())));
        let Some(((key, value), allocation)) = found.zip(self.report.allocations.last_mut()) else {
            return false;
        };
        match key {
            "Operator: " => allocation.operator = value,
            "Shape: " => allocation.shape = value,
            "Unpadded size: " => allocation.unpadded = value,
            "XLA label: " => allocation.label = value,
            "Allocation type: " => allocation.kind = value,
            _ => {
                let (padding, rest) = value.split_once(' ').unwrap_or((value, ""));
                allocation.padding = padding;
                allocation.expansion = rest.trim_start_matches('(').split(' ').next().unwrap_or("");
            }
        }
        true
    }

    pub(crate) fn finish(self) -> Option<MemoryReport<'a>> {
        self.is_report.then_some(self.report)
    }
}

/// The size of a line that ends as `  12. Size: 4.00G`.
fn numbered_size(line: &str) -> Option<&str> {
    let (before, size) = line.split_once(". Size: ")?;
    before.ends_with(|c: char| c.is_ascii_digit()).then(|| size.trim())
}

/// Bytes as XLA's reports write them: `512B`, `64.0K`, `31.25M`, `32.00G`.
///
/// ```
/// use tilewright_hlo::printed_size;
/// assert_eq!(printed_size(34_359_738_368), "32.00G");
/// assert_eq!(printed_size(65_536), "64.0K");
/// assert_eq!(printed_size(-512), "-512B");
/// ```
pub fn printed_size(bytes: i64) -> String {
    let size = bytes.unsigned_abs();
    let sign = if bytes < 0 { "-" } else { "" };
    if size < 1024 {
        return format!("{sign}{size}B");
    }
    let units = ["K", "M", "G", "T", "P", "E"];
    let power = (size.ilog2() / 10) as usize;
    let value = size as f64 / (1u64 << (10 * power)) as f64;
    let digits = if power == 1 { 1 } else { 2 };
    format!("{sign}{value:.digits$}{}", units.get(power - 1).unwrap_or(&""))
}

/// About as many bytes as are printed like this: [`printed_size`] rounds.
pub(crate) fn size_printed(text: &str) -> Option<i64> {
    let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(unit);
    let power = ["B", "K", "M", "G", "T", "P", "E"].iter().position(|name| *name == unit)?;
    let bytes = number.parse::<f64>().ok()? * (1u64 << (10 * power)) as f64;
    // What is larger than any memory is not one.
    (bytes < i64::MAX as f64 / 2.0).then_some(bytes.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
2020-05-04: E 1578 xla_util.cc:76]   3. Size: 6.00G
2020-05-04: E 1578 xla_util.cc:76]      Shape: u32[12582912,1]{1,0:T(8,128)}
2020-05-04: E 1578 xla_util.cc:76]      Unpadded size: 48.00M
2020-05-04: E 1578 xla_util.cc:76]      Extra memory due to padding: 5.95G (128.0x expansion)
2020-05-04: E 1578 xla_util.cc:76]      XLA label: %fusion.4.remat4 = u32[12582912,1]{1,0:T(
2020-05-04: E 1578 xla_util.cc:76]      Allocation type: HLO temp
2020-05-04: E 1578 xla_util.cc:76]      ==========================
Shape: not of this report";

    #[test]
    fn a_log_with_dates_before_each_line() {
        let mut reader = ReportReader::default();
        let taken =
            LOG.lines().zip(1..).filter(|(line, number)| reader.line(line, *number)).count();
        assert_eq!(taken, 7);
        let report = reader.finish().unwrap();
        let allocation = &report.allocations[0];
        assert_eq!(allocation.size, "6.00G");
        assert_eq!(allocation.shape, "u32[12582912,1]{1,0:T(8,128)}");
        assert_eq!((allocation.padding, allocation.expansion), ("5.95G", "128.0x"));
        assert_eq!((allocation.unpadded, allocation.kind), ("48.00M", "HLO temp"));
        assert_eq!(allocation.line, 1);
    }

    #[test]
    fn the_headline() {
        let mut reader = ReportReader::default();
        let line = "RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm. Exceeded";
        assert!(reader.line(line, 1));
        let report = reader.finish().unwrap();
        assert_eq!((report.space, report.used, report.capacity), ("hbm", "41.74G", "16.00G"));
    }

    #[test]
    fn sizes_that_were_printed() {
        for (text, bytes) in
            [("512B", 512), ("64.0K", 65_536), ("29.66M", 31_100_764), ("8.00G", 8 << 30)]
        {
            assert_eq!(size_printed(text), Some(bytes), "{text}");
            assert_eq!(printed_size(bytes), text);
        }
        for text in ["", "12", "G", "-1G", "1.2.3G", "9e9G", "99999999999999999999E"] {
            assert_eq!(size_printed(text), None, "{text}");
        }
    }

    #[test]
    fn labels() {
        let of = |label| {
            let allocation = Allocation { label, ..Allocation::default() };
            (allocation.name(), allocation.opcode(), allocation.operands())
        };
        let full =
            "%copy.1 = s32[8,4]{1,0:T(8,128)} copy(s32[8,4]{0,1:T(4,128)} %get.3), metadata={}";
        assert_eq!(of(full), (Some("copy.1"), Some("copy"), "s32[8,4]{0,1:T(4,128)} %get.3"));
        let bare = "reduce-window.4 = reduce-window(a, b)";
        assert_eq!(of(bare), (Some("reduce-window.4"), Some("reduce-window"), ""));
        assert_eq!(of("%fusion.4 = u32[12582912,1]{1,0:T("), (Some("fusion.4"), None, ""));
        assert_eq!(of(""), (None, None, ""));
    }
}
