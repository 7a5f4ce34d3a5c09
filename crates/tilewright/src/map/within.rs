//! A map as a part of a larger memory.

use super::IndexMap;
use crate::error::{Error, checked, invalid};

impl IndexMap {
    /// The same places as a part of a larger memory: every offset grows by `base`, and memory is
    /// the `allocation` elements from offset 0 on.
    ///
    /// `offset'(i) = base + offset(i)`. What lies around the array is padding to the new map. So a
    /// field of records is said that begins inside of the first record and ends before the last one
    /// does: 4 records of 18 bytes, each a scale of 2 bytes and 16 bytes of codes, are
    ///
    /// ```
    /// use tilewright::IndexMap;
    /// let codes = IndexMap::from_tla(&"(4,16):(18,1)".parse()?)?;
    /// assert_eq!((codes.offset(&[3, 15])?, codes.allocation()), (69, 70));
    /// let codes = codes.within(2, 4 * 18)?;
    /// assert_eq!((codes.offset(&[3, 15])?, codes.allocation()), (71, 72));
    /// assert_eq!((codes.index(18)?, codes.index(20)?), (None, Some(vec![1, 0])));
    /// assert!(codes.within(1, 72).is_err()); // the last would lie behind the end
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If this map's memory does not lie in the new one, or a number does not fit 64 bits.
    pub fn within(&self, base: i64, allocation: i64) -> Result<IndexMap, Error> {
        let first = checked(self.lowest_offset.checked_add(base), "the base")?;
        let end = checked(first.checked_add(self.allocation), "the allocation")?;
        if first < 0 || end > allocation {
            return invalid(format!(
                "the offsets {first} to {end} do not lie in an allocation of {allocation} elements"
            ));
        }
        let map = IndexMap {
            base: checked(self.base.checked_add(base), "the base")?,
            physical_dims: vec![allocation],
            padded_elements: allocation,
            lowest_offset: 0,
            allocation,
            ..self.clone()
        };
        Ok(map.canonical())
    }
}
