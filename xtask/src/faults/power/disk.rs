//! A folder in memory: files and folders by numbers, and names that lead to them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::record::Operation;

pub(crate) type NodeNumber = usize;

#[derive(Clone, Debug)]
enum Node {
    File(Vec<u8>),
    Folder(BTreeMap<String, NodeNumber>),
}

#[derive(Clone, Debug)]
pub(crate) struct Disk {
    nodes: Vec<Node>,
}

impl Disk {
    pub(crate) const ROOT: NodeNumber = 0;

    /// What is in a folder of the system.
    pub(crate) fn of_folder(folder: &Path) -> io::Result<Self> {
        let mut disk = Disk { nodes: vec![Node::Folder(BTreeMap::new())] };
        disk.read(folder, Self::ROOT)?;
        Ok(disk)
    }

    fn read(&mut self, from: &Path, folder: NodeNumber) -> io::Result<()> {
        let mut entries = fs::read_dir(from)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let is_folder = entry.file_type()?.is_dir();
            let node = if is_folder { self.new_folder() } else { self.new_file() };
            self.put((folder, entry.file_name().to_string_lossy().into_owned()), Some(node));
            match is_folder {
                true => self.read(&entry.path(), node)?,
                false => self.nodes[node] = Node::File(fs::read(entry.path())?),
            }
        }
        Ok(())
    }

    pub(crate) fn new_file(&mut self) -> NodeNumber {
        self.nodes.push(Node::File(Vec::new()));
        self.nodes.len() - 1
    }

    pub(crate) fn new_folder(&mut self) -> NodeNumber {
        self.nodes.push(Node::Folder(BTreeMap::new()));
        self.nodes.len() - 1
    }

    /// Room for as many nodes as another has, those that are new without contents.
    pub(crate) fn grown_like(mut self, other: &Self) -> Self {
        for node in other.nodes.iter().skip(self.nodes.len()) {
            self.nodes.push(match node {
                Node::File(_) => Node::File(Vec::new()),
                Node::Folder(_) => Node::Folder(BTreeMap::new()),
            });
        }
        self
    }

    /// What a name in a folder leads to.
    pub(crate) fn at(&self, (folder, name): &(NodeNumber, String)) -> Option<NodeNumber> {
        match self.nodes.get(*folder)? {
            Node::Folder(names) => names.get(name).copied(),
            Node::File(_) => None,
        }
    }

    pub(crate) fn len(&self, node: NodeNumber) -> usize {
        match &self.nodes[node] {
            Node::File(bytes) => bytes.len(),
            Node::Folder(_) => 0,
        }
    }

    fn put(&mut self, (folder, name): (NodeNumber, String), node: Option<NodeNumber>) {
        if let Some(Node::Folder(names)) = self.nodes.get_mut(folder) {
            match node {
                Some(node) => drop(names.insert(name, node)),
                None => drop(names.remove(&name)),
            }
        }
    }

    pub(crate) fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Write { node, at, bytes } => {
                if let Node::File(held) = &mut self.nodes[*node] {
                    let end = at + bytes.len();
                    held.resize(held.len().max(end), 0);
                    held[*at..end].copy_from_slice(bytes);
                }
            }
            Operation::Length { node, len } => {
                if let Node::File(held) = &mut self.nodes[*node] {
                    held.resize(*len, 0);
                }
            }
            Operation::Names { puts } => {
                puts.iter().for_each(|(place, node)| self.put(place.clone(), *node));
            }
            Operation::Sync { .. } => {}
        }
    }

    /// All files by their paths, and which node each is; folders end with a slash.
    pub(crate) fn files(&self) -> BTreeMap<String, (NodeNumber, &[u8])> {
        let mut files = BTreeMap::new();
        let mut folders = vec![(String::new(), Self::ROOT, 0)];
        while let Some((prefix, folder, depth)) = folders.pop() {
            let Node::Folder(names) = &self.nodes[folder] else { continue };
            for (name, &node) in names {
                let path = format!("{prefix}{name}");
                match &self.nodes[node] {
                    Node::File(bytes) => drop(files.insert(path, (node, bytes.as_slice()))),
                    // A folder within itself can come of lost renames: nobody finds a way in.
                    Node::Folder(_) if depth < 8 => {
                        let path = format!("{path}/");
                        files.insert(path.clone(), (node, &[][..]));
                        folders.push((path, node, depth + 1));
                    }
                    Node::Folder(_) => {}
                }
            }
        }
        files
    }
}
