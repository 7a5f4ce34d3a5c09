//! What a file is to become.

use crate::checkpoint::Method;
use crate::error::Error;
use crate::targets::Targets;

/// What is to become of all arrays of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Goal {
    /// Each goes to a layout of its own.
    Targets(Box<Targets>),
    /// A quantised model's folder becomes one of another method.
    Checkpoint(Method),
    /// Quantised weights and their scales go to the order of AITER's kernels.
    Shuffled,
}

/// The name of [`Goal::Shuffled`].
const SHUFFLED: &str = "aiter";

impl Goal {
    /// Of `to` for all, a layout or the name of a method, and of `GLOB=LAYOUT` for some; and what there is to warn of.
    ///
    /// ```
    /// use tilewright_convert::{Goal, Method};
    /// assert!(matches!(Goal::parse(Some("awq"), &[], false)?.0, Goal::Checkpoint(Method::Awq)));
    /// assert!(matches!(Goal::parse(Some("@awq"), &[], false)?.0, Goal::Targets(_)));
    /// assert!(Goal::parse(Some("awk"), &[], false).is_err());
    /// # Ok::<(), tilewright_convert::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Nothing is said, or it is no layout.
    pub fn parse(
        to: Option<&str>,
        by_name: &[String],
        strict: bool,
    ) -> Result<(Self, Vec<String>), Error> {
        let said = to.map(str::trim).unwrap_or_default();
        let goal = match Method::of_name(said) {
            Some(method) => Goal::Checkpoint(method),
            None if said == SHUFFLED => Goal::Shuffled,
            None => {
                let (targets, warnings) = Targets::parse(to, by_name, strict)?;
                return Ok((Goal::Targets(Box::new(targets)), warnings));
            }
        };
        if !by_name.is_empty() {
            return Err(Error::other(format!(
                "--to {said} is of a whole model, of whose arrays --tensor says nothing; of single arrays it is @{said}"
            )));
        }
        Ok((goal, Vec::new()))
    }
}
