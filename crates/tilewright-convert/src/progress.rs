//! How far a long job is.

/// Whoever wants to be told how far a job is.
pub trait Progress: Sync {
    /// An array is begun; others may not be done.
    fn begin(&self, name: &str);

    /// So many bytes more are done.
    ///
    /// # Errors
    ///
    /// Nobody wants the rest: the job ends with this error.
    fn advance(&self, bytes: u64) -> anyhow::Result<()>;
}

/// Nobody.
impl Progress for () {
    fn begin(&self, _name: &str) {}

    fn advance(&self, _bytes: u64) -> anyhow::Result<()> {
        Ok(())
    }
}
