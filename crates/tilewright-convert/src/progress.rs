//! How far a long job is.

use crate::error::Error;

/// Whoever wants to be told how far a job is.
pub trait Progress: Sync {
    /// An array is begun; others may not be done.
    fn begin(&self, name: &str);

    /// So many bytes more are done.
    ///
    /// # Errors
    ///
    /// Nobody wants the rest: the job ends with this error, an [`Error::other`].
    fn advance(&self, bytes: u64) -> Result<(), Error>;
}

/// Nobody.
impl Progress for () {
    fn begin(&self, _name: &str) {}

    fn advance(&self, _bytes: u64) -> Result<(), Error> {
        Ok(())
    }
}
