//! Where the elements of an array lie in what is stored of it.

use tilewright::notation::DescribedArray;
use tilewright::{ElementClass, ElementType, IndexMap, Permutation};
use tilewright_relayout::{Placement, Plan};

use crate::error::Error;

/// An array as it is stored, and as it is looked at: its dimensions may be exchanged, and its signed codes taken as
/// unsigned ones.
#[derive(Clone, Debug)]
pub struct Lying {
    array: DescribedArray,
    map: IndexMap,
    xor_mask: u64,
    element_type: ElementType,
}

impl Lying {
    /// As the array itself is.
    ///
    /// # Errors
    ///
    /// The array has no map.
    pub fn of(array: DescribedArray) -> Result<Self, Error> {
        let map = array.index_map().map_err(|error| Error::new(error.into()))?;
        let xor_mask = array.xor_mask();
        let element_type = array.element_type();
        Ok(Lying { array, map, xor_mask, element_type })
    }

    /// The two dimensions exchanged.
    pub(crate) fn transposed(self) -> anyhow::Result<Self> {
        Ok(Lying { map: self.map.permuted(&Permutation::new([1, 0])?)?, ..self })
    }

    /// Signed codes as unsigned ones: each plus half of what there are, so that 0 is the least.
    pub(crate) fn unsigned(self) -> Self {
        let bits = self.element_type.bits();
        let unsigned = ElementType::ALL
            .iter()
            .find(|kind| kind.class() == ElementClass::Unsigned && kind.bits() == bits);
        match (self.element_type.class(), unsigned) {
            (ElementClass::Signed, Some(&element_type)) => {
                let xor_mask = self.xor_mask ^ 1 << (bits - 1);
                Lying { xor_mask, element_type, ..self }
            }
            _ => self,
        }
    }

    /// What is stored.
    pub(crate) fn array(&self) -> &DescribedArray {
        &self.array
    }

    /// Where each element lies.
    pub(crate) fn map(&self) -> &IndexMap {
        &self.map
    }

    /// The type of the elements as they are looked at.
    pub(crate) fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// What an element is XORed with on its way from there.
    pub(crate) fn xor_mask(&self) -> u64 {
        self.xor_mask
    }

    /// How many bytes are stored.
    pub(crate) fn bytes(&self) -> anyhow::Result<u64> {
        Ok(self.array.bytes()?.unsigned_abs())
    }

    pub(crate) fn placement(&self) -> anyhow::Result<Placement> {
        Ok(Placement::new(self.map.clone(), self.array.element_bits())?)
    }

    /// Whether the bytes of one are those of the other.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        self.map == other.map
            && self.array.element_bits() == other.array.element_bits()
            && self.xor_mask == other.xor_mask
    }
}

/// How to move an array's bytes. Slots of one width go over as they are, whatever is in them;
/// where the widths differ only the bits that mean something do.
///
/// # Errors
///
/// They are not the same array, or elements would be lost.
pub fn plan(from: &Lying, to: &Lying) -> Result<Plan, Error> {
    planned(from, to).map_err(Error::new)
}

fn planned(from: &Lying, to: &Lying) -> anyhow::Result<Plan> {
    let [source, target] = [from.placement()?, to.placement()?];
    let plan = match from.array.element_bits() == to.array.element_bits() {
        true => Plan::new(&source, &target)?,
        false => Plan::with_value_bits(&source, &target, from.element_type.bits())?,
    };
    Ok(plan.flipping((from.xor_mask ^ to.xor_mask).into()))
}
