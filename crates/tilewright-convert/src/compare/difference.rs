//! What is not alike.

/// How an array differs.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Its name.
    pub name: String,
    /// How it differs: `differs at index [3, 5]`, `is only in the first file`.
    pub reason: String,
    /// The first index whose elements differ, where it is the elements that do.
    pub index: Option<Vec<i64>>,
}
