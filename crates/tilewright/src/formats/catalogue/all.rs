//! The entries of all families.

use super::entry::Entry;
use super::{amd, fragments, nvidia, others, records, scales, trtllm, weights};

/// Every entry, by families.
///
/// ```
/// use tilewright::formats::catalogue;
/// let marlin = catalogue::entries().find(|entry| entry.name == "marlin").unwrap();
/// assert_eq!(marlin.extents, "K % 16 = 0, with a8 K % 32 = 0; N % 64 = 0");
/// ```
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    let families: [&'static [Entry]; 8] = [
        weights::ENTRIES,
        trtllm::ENTRIES,
        scales::ENTRIES,
        nvidia::ENTRIES,
        amd::ENTRIES,
        fragments::ENTRIES,
        records::ENTRIES,
        others::ENTRIES,
    ];
    families.into_iter().flatten()
}
