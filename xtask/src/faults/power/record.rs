//! What a command did to a folder, from strace's log: writes with their bytes, names given and taken, syncs.
//!
//! ```text
//! 4711 pwrite64(5, "\x93\x4e", 2, 0) = 2      Write { node, at: 0, bytes }
//! 4711 renameat2(AT_FDCWD, "\x2e…", …) = 0    Name { puts: [(target, Some(node)), (source, None)] }
//! ```
//!
//! Files and folders are numbered as they are first seen, since their names change.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::super::Failing;
use super::arguments::{Call, calls};
use super::disk::{Disk, NodeNumber};

/// One thing that was done.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Write {
        node: NodeNumber,
        at: usize,
        bytes: Vec<u8>,
    },
    /// The file is so long from here on, zeros where nothing was.
    Length {
        node: NodeNumber,
        len: usize,
    },
    /// Names in folders change what they lead to, all of these at once.
    Names {
        puts: Vec<((NodeNumber, String), Option<NodeNumber>)>,
    },
    /// All of a file, or the names of a folder, are on the disk.
    Sync {
        node: NodeNumber,
    },
}

/// What the calls of a log have done to a folder.
pub(crate) fn recorded(log: &str, folder: &Path, disk: &mut Disk) -> Failing<Vec<Operation>> {
    let mut recorder = Recorder { folder, disk, open: HashMap::new(), operations: Vec::new() };
    for call in calls(log) {
        if call.result >= 0 {
            recorder.take(&call).map_err(|wrong| format!("{}: {wrong}", call.line))?;
        }
    }
    Ok(recorder.operations)
}

struct Recorder<'a> {
    folder: &'a Path,
    /// As programs see it, everything done.
    disk: &'a mut Disk,
    /// By descriptor: what was opened, and where it is read and written next.
    open: HashMap<i64, (NodeNumber, usize)>,
    operations: Vec<Operation>,
}

/// A name in a folder.
type Place = (NodeNumber, String);

impl Recorder<'_> {
    fn take(&mut self, call: &Call) -> Failing<()> {
        match call.name.as_str() {
            "open" => self.opened(call, 0),
            "openat" => self.opened(call, 1),
            "close" => drop(self.open.remove(&call.number(0)?)),
            "fcntl" if call.word(1)?.starts_with("F_DUPFD") => {
                if let Some(&of) = self.open.get(&call.number(0)?) {
                    self.open.insert(call.result, of);
                }
            }
            "read" | "write" | "lseek" => self.moved_on(call)?,
            "pwrite64" => self.wrote(call.number(0)?, call.bytes(1)?, call.number(3)?, call.result),
            "ftruncate" => self.lengthened(call.number(0)?, call.number(1)?, true),
            "fallocate" => {
                self.lengthened(call.number(0)?, call.number(2)? + call.number(3)?, false);
            }
            "fsync" | "fdatasync" => {
                if let Some(&(node, _)) = self.open.get(&call.number(0)?) {
                    self.operations.push(Operation::Sync { node });
                }
            }
            "mkdir" => {
                let node = self.disk.new_folder();
                self.name([(self.place(call.path(0)?), Some(node))]);
            }
            "linkat" => {
                let from = call.path(1)?;
                let node = match from.strip_prefix("/proc/self/fd/") {
                    Ok(number) => self.descriptor(number),
                    Err(_) => self.place(from).and_then(|place| self.disk.at(&place)),
                };
                self.name([(self.place(call.path(3)?), node)]);
            }
            "link" => {
                let node = self.place(call.path(0)?).and_then(|place| self.disk.at(&place));
                self.name([(self.place(call.path(1)?), node)]);
            }
            "rename" => self.renamed([call.path(0)?, call.path(1)?], false),
            "renameat2" => {
                let is_exchange = call.word(4)?.contains("RENAME_EXCHANGE");
                self.renamed([call.path(1)?, call.path(3)?], is_exchange);
            }
            "unlink" | "rmdir" => self.name([(self.place(call.path(0)?), None)]),
            "writev" | "copy_file_range" | "sendfile" | "pwritev" | "unlinkat" | "renameat"
            | "mkdirat" | "truncate" => return Err("a call that is not known here".to_owned()),
            _ => {}
        }
        Ok(())
    }

    fn opened(&mut self, call: &Call, at: usize) {
        let (Ok(path), Ok(flags)) = (call.path(at), call.word(at + 1)) else { return };
        let node = match flags.contains("O_TMPFILE") {
            true => self.place(path).map(|_| self.disk.new_file()).or_else(|| {
                // The folder itself.
                (self.resolved(path) == Some(PathBuf::new())).then(|| self.disk.new_file())
            }),
            false => match self.node_at(path) {
                Some(node) => Some(node),
                None if flags.contains("O_CREAT") => self.place(path).map(|place| {
                    let node = self.disk.new_file();
                    self.name([(Some(place), Some(node))]);
                    node
                }),
                None => None,
            },
        };
        match node {
            Some(node) => {
                self.open.insert(call.result, (node, 0));
                if flags.contains("O_TRUNC") {
                    self.operation(Operation::Length { node, len: 0 });
                }
            }
            None => drop(self.open.remove(&call.result)),
        }
    }

    fn moved_on(&mut self, call: &Call) -> Failing<()> {
        let file = call.number(0)?;
        let Some(&(node, at)) = self.open.get(&file) else { return Ok(()) };
        let len = call.result as usize;
        if call.name == "write" {
            self.wrote(file, call.bytes(1)?, at as i64, call.result);
        }
        let next = if call.name == "lseek" { len } else { at + len };
        self.open.insert(file, (node, next));
        Ok(())
    }

    fn wrote(&mut self, file: i64, mut bytes: Vec<u8>, at: i64, len: i64) {
        if let Some(&(node, _)) = self.open.get(&file) {
            bytes.truncate(len as usize);
            self.operation(Operation::Write { node, at: at as usize, bytes });
        }
    }

    fn lengthened(&mut self, file: i64, len: i64, may_shrink: bool) {
        if let Some(&(node, _)) = self.open.get(&file) {
            let len = len as usize;
            if may_shrink || self.disk.len(node) < len {
                self.operation(Operation::Length { node, len });
            }
        }
    }

    fn renamed(&mut self, paths: [&Path; 2], is_exchange: bool) {
        let [from, to] = paths.map(|path| self.place(path));
        let [source, target] =
            [&from, &to].map(|place| place.as_ref().and_then(|place| self.disk.at(place)));
        // Two names of one file: nothing happens.
        if source != target {
            self.name([(to, source), (from, if is_exchange { target } else { None })]);
        }
    }

    fn name<const N: usize>(&mut self, puts: [(Option<Place>, Option<NodeNumber>); N]) {
        let puts: Vec<_> =
            puts.into_iter().filter_map(|(place, node)| Some((place?, node))).collect();
        if !puts.is_empty() {
            self.operation(Operation::Names { puts });
        }
    }

    fn operation(&mut self, operation: Operation) {
        self.disk.apply(&operation);
        self.operations.push(operation);
    }

    fn descriptor(&self, number: &Path) -> Option<NodeNumber> {
        let number: i64 = number.to_str()?.parse().ok()?;
        self.open.get(&number).map(|(node, _)| *node)
    }

    /// A path from the folder on, if it leads into it.
    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        let inside = match path.is_absolute() {
            true => path.strip_prefix(self.folder).ok()?,
            false => path,
        };
        let parts = inside.components().filter(|part| *part != Component::CurDir);
        Some(parts.collect())
    }

    fn node_at(&self, path: &Path) -> Option<NodeNumber> {
        let path = self.resolved(path)?;
        match path.as_os_str().is_empty() {
            true => Some(Disk::ROOT),
            false => self.place(&path).and_then(|place| self.disk.at(&place)),
        }
    }

    fn place(&self, path: &Path) -> Option<Place> {
        let path = self.resolved(path)?;
        let name = path.file_name()?.to_str()?.to_owned();
        let folder = path.parent()?.components().try_fold(Disk::ROOT, |folder, part| {
            self.disk.at(&(folder, part.as_os_str().to_str()?.to_owned()))
        })?;
        Some((folder, name))
    }
}
