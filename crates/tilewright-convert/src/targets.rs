//! What each array is to become: `--to` and `--tensor` as [`Rules`].

use std::collections::HashMap;

use anyhow::bail;
use tilewright::formats::Target;
use tilewright::notation::DescribedArray;
use tilewright::xla::ParseOptions;
use tilewright::{ArrayShape, ElementType};
use tilewright_files::{ArrayInfo, Format, RuleError, Rules};

use crate::error::Error;

/// Which array becomes what: `--tensor` in the order given, the last that matches, then `--to`.
#[derive(Clone, Debug)]
pub struct Targets {
    rules: Rules,
    /// Of some arrays by their whole names, before all rules.
    exact: HashMap<String, Rules>,
}

impl Targets {
    /// Of `to` for all and of `GLOB=LAYOUT` for some, and what there is to warn of.
    ///
    /// # Errors
    ///
    /// Nothing is said, or it is no layout.
    pub fn parse(
        to: Option<&str>,
        by_name: &[String],
        strict: bool,
    ) -> Result<(Self, Vec<String>), Error> {
        Self::read(to, by_name, strict).map_err(Error::new)
    }

    fn read(
        to: Option<&str>,
        by_name: &[String],
        strict: bool,
    ) -> anyhow::Result<(Self, Vec<String>)> {
        if to.is_none() && by_name.is_empty() {
            bail!("nothing says what to convert to: give --to LAYOUT or --tensor GLOB=LAYOUT");
        }
        let mut warnings = Vec::new();
        let mut read = |text: &str| -> anyhow::Result<Target> {
            let options = ParseOptions { strict, ..ParseOptions::default() };
            let parsed = Target::parse(text, options)?;
            warnings.extend(parsed.warnings.iter().map(ToString::to_string));
            Ok(parsed.value)
        };
        let mut rules = Rules::new();
        for rule in by_name {
            let Some((pattern, layout)) = rule.split_once('=') else {
                bail!("`{rule}` is not of the form GLOB=LAYOUT");
            };
            rules = rules.by_name(pattern, read(layout)?)?;
        }
        let rules = match to {
            Some(text) => rules.others(read(text)?),
            None => rules,
        };
        Ok((Targets { rules, exact: HashMap::new() }, warnings))
    }

    /// Of arrays by their names; all others stay.
    pub(crate) fn exact(by_name: HashMap<String, &str>) -> anyhow::Result<Self> {
        let rules = |(name, text): (String, &str)| Ok((name, Rules::new().others(text.parse()?)));
        let exact = by_name.into_iter().map(rules).collect::<anyhow::Result<_>>()?;
        Ok(Targets { rules: Rules::new(), exact })
    }

    fn of(&self, name: &str) -> &Rules {
        self.exact.get(name).unwrap_or(&self.rules)
    }

    /// Every pattern has to match some array: one that does not is a slip.
    pub(crate) fn check_names(&self, arrays: &[ArrayInfo]) -> Result<(), RuleError> {
        self.rules.check_names(arrays.iter().map(ArrayInfo::name))
    }

    /// The array of this name in its new layout, or `None` where it stays as it is.
    pub(crate) fn applied_to(
        &self,
        name: &str,
        array: &ArrayShape,
        format: Format,
    ) -> anyhow::Result<Option<DescribedArray>> {
        self.of(name).applied_to(name, array, format).map_err(|error| match error.is_rank_mismatch() {
            true => anyhow::anyhow!(
                "{error}\n  = help: --tensor GLOB=LAYOUT gives some arrays a layout and leaves the others"
            ),
            false => error.into(),
        })
    }

    /// Whether a device has an array of this type in other pieces than the file will.
    pub fn has_planes(&self, name: &str, element_type: ElementType) -> bool {
        matches!(self.of(name).target_of(name), Some(Target::Tpu(_))) && element_type.bits() > 32
    }
}
