//! What a disk may hold when the power goes: everything that was synced, and of the rest anything.
//!
//! Of *n* operations that were begun, one is *kept for certain* if its file, or all the folders whose names it
//! changes, were synced afterwards. Of the others
//!
//! * each change of names is there as a whole or not at all, whatever else is: a journal keeps a rename in one
//!   piece, and nothing is taken for granted about the order;
//! * a file's bytes are the old ones, the new ones, zeros at the new length, the first half of the new ones,
//!   or pieces of zeros and of new ones by turns.

use std::collections::BTreeMap;

use super::disk::{Disk, NodeNumber};
use super::record::Operation;

/// Changes of names that may be lost are tried in all combinations up to so many, else in as many drawn ones.
const MOST_TRIED: u32 = 8;

/// What becomes of bytes that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Old,
    New,
    Zeros,
    Half,
    Pieces,
}

const FATES: [Fate; 5] = [Fate::New, Fate::Old, Fate::Zeros, Fate::Half, Fate::Pieces];

/// How long the pieces are.
const PIECE: usize = 16;

/// A power failure after the first `n` of these operations: every disk that there may be, or a part of them.
pub(crate) fn disks(
    before: &Disk,
    operations: &[Operation],
    mut look: impl FnMut(Disk) -> Result<(), String>,
) -> Result<(), String> {
    let mut drawn = Drawn(0x9E37_79B9_7F4A_7C15);
    let is_loose: Vec<bool> = (0..operations.len()).map(|at| !is_kept(operations, at)).collect();
    let names: Vec<usize> =
        loose(operations, &is_loose, |operation| matches!(operation, Operation::Names { .. }));
    let mut written: Vec<NodeNumber> = operations
        .iter()
        .zip(&is_loose)
        .filter_map(|(operation, is_loose)| node_of(operation).filter(|_| *is_loose))
        .collect();
    written.sort_unstable();
    written.dedup();
    let n_tried = 1u64 << (names.len() as u32).min(MOST_TRIED);
    let n_fates = if written.is_empty() { 1 } else { FATES.len() + 3 };
    for number in 0..n_tried {
        let kept = |at: usize| match names.len() as u32 <= MOST_TRIED {
            true => number >> at & 1 == 0,
            // All, none, and what is drawn.
            false => number == 0 || (number > 1 && Drawn(number).at(at)),
        };
        let lost: Vec<usize> =
            names.iter().enumerate().filter(|(at, _)| !kept(*at)).map(|(_, name)| *name).collect();
        for fates in 0..n_fates {
            let fate_of: BTreeMap<NodeNumber, Fate> = written
                .iter()
                .map(|node| (*node, FATES.get(fates).copied().unwrap_or_else(|| drawn.fate())))
                .collect();
            look(disk(before, operations, &is_loose, &lost, &fate_of))?;
        }
    }
    Ok(())
}

fn loose(
    operations: &[Operation],
    is_loose: &[bool],
    is_wanted: impl Fn(&Operation) -> bool,
) -> Vec<usize> {
    let numbered = operations.iter().zip(is_loose).enumerate();
    numbered.filter(|(_, (of, is_loose))| **is_loose && is_wanted(of)).map(|(at, _)| at).collect()
}

fn disk(
    before: &Disk,
    operations: &[Operation],
    is_loose: &[bool],
    lost: &[usize],
    fate_of: &BTreeMap<NodeNumber, Fate>,
) -> Disk {
    let mut disk = before.clone();
    for (at, operation) in operations.iter().enumerate() {
        match node_of(operation).filter(|_| is_loose[at]).map(|node| fate_of[&node]) {
            Some(fate) => fated(&mut disk, operation, fate),
            None if lost.contains(&at) => {}
            None => disk.apply(operation),
        }
    }
    disk
}

/// The file whose bytes an operation changes.
fn node_of(operation: &Operation) -> Option<NodeNumber> {
    match operation {
        Operation::Write { node, .. } | Operation::Length { node, .. } => Some(*node),
        _ => None,
    }
}

fn fated(disk: &mut Disk, operation: &Operation, fate: Fate) {
    match (operation, fate) {
        (_, Fate::Old) => {}
        (Operation::Write { node, at, bytes }, Fate::Zeros | Fate::Pieces | Fate::Half) => {
            let mut bytes = bytes.clone();
            for (place, byte) in bytes.iter_mut().enumerate() {
                if fate == Fate::Zeros
                    || (fate == Fate::Pieces && ((at + place) / PIECE).is_multiple_of(2))
                {
                    *byte = 0;
                }
            }
            if fate == Fate::Half {
                bytes.truncate(bytes.len() / 2);
            }
            disk.apply(&Operation::Write { node: *node, at: *at, bytes });
        }
        (operation, _) => disk.apply(operation),
    }
}

/// Whether all that an operation changes was synced after it.
fn is_kept(operations: &[Operation], at: usize) -> bool {
    let synced = |node: NodeNumber| {
        operations[at..]
            .iter()
            .any(|later| matches!(later, Operation::Sync { node: of } if *of == node))
    };
    match &operations[at] {
        Operation::Names { puts } => puts.iter().all(|((folder, _), _)| synced(*folder)),
        Operation::Sync { .. } => true,
        operation => node_of(operation).is_none_or(synced),
    }
}

/// Numbers without a pattern, the same each time.
struct Drawn(u64);

impl Drawn {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A coin for each place.
    fn at(&self, place: usize) -> bool {
        Drawn(self.0.wrapping_add((place as u64) << 20)).next() & 1 == 0
    }

    fn fate(&mut self) -> Fate {
        FATES[self.next() as usize % FATES.len()]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    /// A file is written beside its target and renamed; `synced` says what was waited for.
    fn found(syncs: [bool; 2]) -> Vec<Option<Vec<u8>>> {
        let folder = std::env::temp_dir().join(format!("tilewright-crash-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut before = Disk::of_folder(&folder).unwrap();
        let node = before.new_file();
        let name = |name: &str| (Disk::ROOT, name.to_owned());
        let names = |puts: &[((NodeNumber, String), Option<NodeNumber>)]| Operation::Names {
            puts: puts.to_vec(),
        };
        let mut operations = vec![
            names(&[(name("new"), Some(node))]),
            Operation::Write { node, at: 0, bytes: vec![7; 40] },
        ];
        if syncs[0] {
            operations.push(Operation::Sync { node });
        }
        operations.push(names(&[(name("w"), Some(node)), (name("new"), None)]));
        if syncs[1] {
            operations.push(Operation::Sync { node: Disk::ROOT });
        }
        let mut all = Vec::new();
        disks(&before, &operations, |disk| {
            all.push(disk.files().get("w").map(|(_, bytes)| bytes.to_vec()));
            Ok(())
        })
        .unwrap();
        all.sort();
        all.dedup();
        all
    }

    #[test]
    fn what_was_not_synced_may_be_lost() {
        let whole = Some(vec![7; 40]);
        assert_eq!(found([true, true]), vec![whole.clone()]);
        assert_eq!(found([true, false]), [None, whole.clone()]);
        let torn = found([false, true]);
        assert!(torn.contains(&Some(Vec::new())) && torn.contains(&Some(vec![0; 40])));
        assert!(torn.contains(&Some(vec![7; 20])) && torn.contains(&whole));
    }
}
