//! Which array of a file becomes what: a layout for all, and layouts by patterns of names.
//!
//! ```text
//! *            tpu:v5e
//! *.scale      row-major
//! head.*       {1,0:T(8,128)}
//! ```
//!
//! The **last** rule that matches a name holds, so that exceptions come after what they are
//! exceptions to; `head.scale` is tiled here. A pattern that matches no array is a slip, and an
//! error. Errors name the array.

use std::fmt;

use glob::Pattern;
use tilewright::formats::Target;
use tilewright::notation::DescribedArray;
use tilewright::text::abridged;
use tilewright::{ArrayShape, Error};

use crate::format::Format;
use crate::info::Order;

/// What the arrays of a file are to become.
///
/// ```
/// use tilewright_files::{Format, Rules};
/// let rules = Rules::new()
///     .others("row-major".parse()?)
///     .by_name("*.weight", "{1,0:T(8,128)}".parse()?)?
///     .by_name("head.*", "{0,1}".parse()?)?;
/// let array = "f32[30,300]".parse()?;
/// let becomes = |name: &str| Ok::<_, Box<dyn std::error::Error>>(
///     rules.applied_to(name, &array, Format::Safetensors)?.unwrap().to_string(),
/// );
/// assert_eq!(becomes("bias")?, "f32[30,300]{1,0}");
/// assert_eq!(becomes("mlp.weight")?, "f32[30,300]{1,0:T(8,128)}");
/// assert_eq!(becomes("head.weight")?, "f32[30,300]{0,1}");
/// assert!(rules.check_names(["mlp.weight", "bias"]).is_err()); // nothing is called `head.*`
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rules {
    by_name: Vec<(Pattern, Target)>,
    others: Option<Target>,
}

impl Rules {
    /// No rules: every array stays as it is.
    pub fn new() -> Self {
        Self::default()
    }

    /// What arrays become whose names no pattern matches.
    pub fn others(mut self, target: Target) -> Self {
        self.others = Some(target);
        self
    }

    /// One more rule, which goes before those that are there: arrays whose names match become this.
    /// In a pattern, `*` is any text, `?` any character and `[ab]` one of these.
    ///
    /// # Errors
    ///
    /// It is no pattern.
    pub fn by_name(mut self, pattern: &str, target: Target) -> Result<Self, RuleError> {
        let reason = |error: glob::PatternError| {
            RuleError::new(format!("the pattern `{}`: {error}", abridged(pattern)))
        };
        self.by_name.push((Pattern::new(pattern).map_err(reason)?, target));
        Ok(self)
    }

    /// What the array of this name becomes, or `None` where it stays as it is.
    pub fn target_of(&self, name: &str) -> Option<&Target> {
        let by_name = self.by_name.iter().rev().find(|(pattern, _)| pattern.matches(name));
        by_name.map(|(_, target)| target).or(self.others.as_ref())
    }

    /// Every pattern has to match some array.
    ///
    /// # Errors
    ///
    /// One matches none.
    pub fn check_names<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), RuleError> {
        let mut unmatched: Vec<&Pattern> =
            self.by_name.iter().map(|(pattern, _)| pattern).collect();
        for name in names {
            if unmatched.is_empty() {
                break;
            }
            unmatched.retain(|pattern| !pattern.matches(name));
        }
        unmatched.first().map_or(Ok(()), |pattern| {
            let pattern = abridged(pattern.as_str());
            Err(RuleError::new(format!("no array has a name like `{pattern}`")))
        })
    }

    /// How `format` is to hold the array of this name, or `None` where it stays as
    /// it is. Dense arrays are dense as the format has them: safetensors packs floats of 4 and 6
    /// bits. What is not said by a name of the catalogue is said in XLA's notation, where that can say it.
    ///
    /// ```
    /// use tilewright_files::{Format, Rules};
    /// let rules = Rules::new().by_name("*.qweight", "@marlin".parse()?)?.others("{0,1:T(4)}".parse()?);
    /// let becomes = |name: &str, array: &str| Ok::<_, Box<dyn std::error::Error>>(
    ///     rules.applied_to(name, &array.parse()?, Format::Safetensors)?.unwrap().to_string(),
    /// );
    /// assert_eq!(becomes("a.qweight", "u4[128,64]")?, "u4[128,64]@marlin");
    /// assert_eq!(becomes("a.scales", "f16[8,64]")?, "f16[8,64]{0,1:T(4)}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The layout is not for such an array.
    pub fn applied_to(
        &self,
        name: &str,
        array: &ArrayShape,
        format: Format,
    ) -> Result<Option<DescribedArray>, RuleError> {
        let Some(target) = self.target_of(name) else { return Ok(None) };
        let applied = match target {
            Target::RowMajor => dense(array, format, Order::RowMajor).map(DescribedArray::from),
            Target::ColumnMajor => {
                dense(array, format, Order::ColumnMajor).map(DescribedArray::from)
            }
            other => other
                .applied_to(array)
                .and_then(DescribedArray::new)
                .map(DescribedArray::preferring_xla),
        };
        applied.map(Some).map_err(|error| RuleError {
            is_rank_mismatch: error.is_rank_mismatch(),
            message: format!("tensor `{}`: {error}", abridged(name)),
        })
    }
}

fn dense(array: &ArrayShape, format: Format, order: Order) -> Result<ArrayShape, Error> {
    let layout = format.dense_layout(array.element_type(), array.rank(), order);
    array.clone().without_layout().with_layout(layout)
}

/// Why a rule, or what it says of an array, makes no sense.
#[derive(Clone, PartialEq, Eq)]
pub struct RuleError {
    message: String,
    is_rank_mismatch: bool,
}

impl RuleError {
    fn new(message: String) -> Self {
        RuleError { message, is_rank_mismatch: false }
    }

    /// The layout is for arrays of another rank.
    pub fn is_rank_mismatch(&self) -> bool {
        self.is_rank_mismatch
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for RuleError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(by_name: &[(&str, &str)], others: Option<&str>) -> Rules {
        let mut rules = Rules::new();
        for (pattern, target) in by_name {
            rules = rules.by_name(pattern, target.parse().unwrap()).unwrap();
        }
        match others {
            Some(target) => rules.others(target.parse().unwrap()),
            None => rules,
        }
    }

    #[track_caller]
    fn check(rules: &Rules, name: &str, expected: Option<&str>) {
        let found = rules.target_of(name).map(ToString::to_string);
        assert_eq!(found.as_deref(), expected, "{name}");
    }

    #[test]
    fn the_last_rule_that_matches_holds() {
        let rules = rules(&[("*", "{0,1}"), ("*.w", "{1,0}"), ("h.*", "tpu:v4")], None);
        check(&rules, "b", Some("{0,1}"));
        check(&rules, "a.w", Some("{1,0}"));
        check(&rules, "h.w", Some("tpu:v4"));
        check(&rules, "h.b", Some("tpu:v4"));
        rules.check_names(["a.w", "h.w"]).unwrap();
        let error = rules.check_names(["a.w", "b"]).unwrap_err();
        assert_eq!(error.to_string(), "no array has a name like `h.*`");
    }

    #[test]
    fn others_are_what_no_pattern_matches() {
        let some = rules(&[("*.w", "{1,0}")], None);
        check(&some, "b", None);
        check(&rules(&[("*.w", "{1,0}")], Some("row-major")), "b", Some("row-major"));
        check(&rules(&[("*.w", "{1,0}")], Some("row-major")), "a/b.w", Some("{1,0}"));
        check(&Rules::new(), "b", None);
        Rules::new().check_names([]).unwrap();
        // What is meant for all may be for none.
        rules(&[], Some("row-major")).check_names([]).unwrap();
    }

    #[test]
    fn errors_name_the_array() {
        let rules = rules(&[("*", "{1,0}"), ("c", "(4,5):(5,1)")], None);
        let error = |name: &str, array: &str| {
            let array = array.parse().unwrap();
            rules.applied_to(name, &array, Format::Npy).unwrap_err()
        };
        let rank = error("b", "f32[3]");
        assert!(rank.is_rank_mismatch());
        let expected = "tensor `b`: the layout {1,0} orders 2 dimensions, and f32[3] has 1";
        assert_eq!(rank.to_string(), expected);
        assert!(error("c", "f32[4,4]").to_string().starts_with("tensor `c`: "));
        let error = Rules::new().by_name("[a", "{0}".parse().unwrap()).unwrap_err();
        assert!(error.to_string().starts_with("the pattern `[a`: "), "{error}");
    }

    #[test]
    fn dense_is_as_the_format_has_it() {
        let rules = rules(&[], Some("column-major"));
        let becomes = |array: &str, format| {
            let array = array.parse().unwrap();
            rules.applied_to("w", &array, format).unwrap().unwrap().to_string()
        };
        assert_eq!(becomes("f4e2m1fn[3,4]", Format::Safetensors), "f4e2m1fn[3,4]{0,1:E(4)}");
        assert_eq!(becomes("f4e2m1fn[3,4]", Format::Npy), "f4e2m1fn[3,4]{0,1}");
        assert_eq!(becomes("f32[3,4]{1,0:T(2,2)}", Format::Safetensors), "f32[3,4]{0,1}");
    }
}
