//! What the compiler itself counted: the memory usage report that it writes beside a dumped module.

/// The total of a memory space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceUsage {
    /// The memory space: `hbm`, `vmem`, `host`, or `S(n)`.
    pub space: String,
    /// All its bytes: parameters, results, temporaries, and what lies between them.
    pub bytes: i64,
}

/// The totals in the text of a `*-memory-usage-report.txt`.
///
/// ```
/// let text = "Memory Space: default (color=0)\nTotal bytes: 11032064 (10.52MiB)\n";
/// let usage = tilewright_hlo::memory_usage(text);
/// assert_eq!((&*usage[0].space, usage[0].bytes), ("hbm", 11_032_064));
/// ```
pub fn memory_usage(text: &str) -> Vec<SpaceUsage> {
    let mut usage = Vec::new();
    let mut space = None;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("Memory Space:") {
            let color = line.rsplit_once("color=").map(|(_, rest)| rest.trim_end_matches(')'));
            space = color.and_then(|color| color.parse().ok());
        } else if let Some(total) = line.strip_prefix("Total bytes:") {
            let bytes = total.trim().split(' ').next().and_then(|bytes| bytes.parse().ok());
            if let Some((space, bytes)) = space.take().zip(bytes) {
                usage.push(SpaceUsage { space: crate::live::space_name(space), bytes });
            }
        }
    }
    usage
}
