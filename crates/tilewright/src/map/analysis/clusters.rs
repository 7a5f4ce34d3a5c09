//! Digits whose sum an offset tells.

use super::super::{Digit, IndexMap};
use crate::arithmetic::gcd;

impl IndexMap {
    /// The digits in clusters, the smallest strides first. A cluster's sum is a multiple of its
    /// strides' greatest common divisor, which exceeds what all smaller clusters add up to.
    pub(super) fn clusters(&self) -> Vec<&[Digit]> {
        let mut found: Vec<Cluster> = Vec::new();
        let mut reach = 0i128;
        for (place, digit) in self.digits.iter().enumerate().rev() {
            let mut cluster = Cluster { end: place + 1, unit: gcd(digit.stride, 0), below: reach };
            while i128::from(cluster.unit) <= cluster.below
                && let Some(lower) = found.pop()
            {
                let unit = gcd(cluster.unit, lower.unit);
                cluster = Cluster { end: lower.end, unit, below: lower.below };
            }
            found.push(cluster);
            reach += i128::from(self.extent(digit) - 1) * i128::from(digit.stride.unsigned_abs());
        }
        let starts = found.iter().skip(1).map(|above| above.end).chain([0]);
        found.iter().zip(starts).map(|(cluster, start)| &self.digits[start..cluster.end]).collect()
    }
}

/// Digits up to `end`, in whatever `unit`, above others that add up to `below`.
struct Cluster {
    end: usize,
    unit: i64,
    below: i128,
}
