//! Digits that are shifted by what the rest of the offset tells.
//!
//! ```text
//! ((k + u) mod m) * s     is replaced by     (u mod m) * s
//! ```
//!
//! where two indices can share an offset only if `k` is the same for both, because the other digits
//! of the offset tell it. Of such indices one has the same `(k + u) mod m` as the other exactly if it
//! has the same `u mod m`. So which elements share an offset stays as it is, and what was hidden in
//! sums is a digit again.
//!
//! A swizzle is made of such *shears*: a bit that it flips is `(a + b) mod 2`, and the bit `b` that flips
//! it stands in the offset as it is. `Sw<1,0,1> o 0 o (2,2):(2,1)` is `i0*2 + ((i0 + i1) mod 2)`; the
//! first digit tells `i0`, and `i0*2 + i1` is left, which is the layout that was swizzled. What is true
//! of its elements is true of the swizzled ones, however many there are.

use super::super::{Digit, IndexMap, Merged, Source};
use crate::arithmetic::gcd;

/// A map is looked at so many times at most: a bit that is flipped may flip another.
const MAX_ROUNDS: usize = 16;

impl IndexMap {
    /// Whether an offset is seen to tell the index: its digits do, and the bits that a swizzle has
    /// flipped; coordinates that are told as a whole tell the digits that they are made of, if these
    /// nest; and so on down to the dimensions.
    ///
    /// That takes a fraction of the time of [`without_shears`](Self::without_shears), and says the same of
    /// a swizzled layout whose strides nest.
    pub(super) fn tells_every_index_through_shears(&self) -> bool {
        let clusters = self.clusters();
        let mut told = Told::by(self, &clusters);
        for cluster in &clusters {
            if let [digit] = cluster
                && let Some(Merged { digits, base: 0, .. }) = told.rest_of_shear(digit)
                && let [only @ Digit { stride: 1, .. }] = digits[..]
                && digit.modulus.is_some_and(|modulus| self.extent(&only) <= modulus)
            {
                told.parts.push(only);
            }
        }
        let whole = |source| Digit { source, divisor: 1, modulus: None, stride: 1 };
        for (number, coordinate) in self.merged.iter().enumerate().rev() {
            if told.tells(&whole(Source::Merged(number)))
                && self.list_is_ordered(&coordinate.digits)
            {
                told.parts.extend_from_slice(&coordinate.digits);
            }
        }
        (0..self.dims.len()).all(|dim| told.tells(&whole(Source::Dim(dim))))
    }

    /// A map in which the same elements share offsets, though not the same offsets, without shears;
    /// `None` where this map has none.
    pub(super) fn without_shears(&self) -> Option<IndexMap> {
        let mut map = self.with_fewer_shears()?;
        for _ in 1..MAX_ROUNDS {
            match map.with_fewer_shears() {
                Some(next) => map = next,
                None => break,
            }
        }
        Some(map)
    }

    /// The same without the shears that are seen at first sight.
    ///
    /// All of them are taken out at once. What tells `k` of a sum are digits of sources of lower
    /// number, since that is what sums are made of; so no two shears are told by each other, and
    /// taken out one by one, the highest number first, each would find the digits that tell it.
    fn with_fewer_shears(&self) -> Option<IndexMap> {
        if self.is_separable() {
            return None;
        }
        let clusters = self.clusters();
        let told = Told::by(self, &clusters);
        let mut shears = Vec::new();
        let mut place = self.digits.len();
        for cluster in &clusters {
            place -= cluster.len();
            if let [digit] = cluster
                && let Some(rest) = told.rest_of_shear(digit)
            {
                shears.push((place, rest));
            }
        }
        if shears.is_empty() {
            return None;
        }
        let mut map = self.clone();
        for (place, rest) in shears {
            map.digits[place].source = Source::Merged(map.merged.len());
            map.merged.push(rest);
        }
        Some(map.canonical())
    }

    /// How many digits are taken of a source.
    fn n_digits_of(&self, source: Source) -> usize {
        let sums = self.merged.iter().map(|sum| &sum.digits).chain([&self.digits]);
        sums.flatten().filter(|digit| digit.source == source).count()
    }
}

/// What an offset tells: two indices that share it agree in all of this.
///
/// Of a number that is not told as a whole, its remainder may be: by a *told modulus* `m` the number is
/// told modulo `m`, 1 standing for nothing and 0 for all of it, so that what is told of a sum is told by
/// the greatest common divisor.
struct Told<'a> {
    map: &'a IndexMap,
    /// Parts of sources; their strides have no meaning.
    parts: Vec<Digit>,
    /// Clusters of several digits, of which only the sum is told.
    sums: Vec<&'a [Digit]>,
    /// The merged coordinates that are told as a whole.
    merged: Vec<bool>,
}

impl<'a> Told<'a> {
    fn by(map: &'a IndexMap, clusters: &[&'a [Digit]]) -> Self {
        let parts = clusters.iter().filter_map(|cluster| lowest_part(cluster)).collect();
        let sums = clusters.iter().copied().filter(|cluster| cluster.len() > 1).collect();
        let mut told = Told { map, parts, sums, merged: Vec::with_capacity(map.merged.len()) };
        for (number, coordinate) in map.merged.iter().enumerate() {
            let modulus = told.modulus_of_sum(&coordinate.digits);
            told.merged.push(modulus == 0);
            if modulus > 1 {
                let source = Source::Merged(number);
                told.parts.push(Digit { source, divisor: 1, modulus: Some(modulus), stride: 1 });
            }
        }
        told
    }

    /// The told modulus of a sum of digits, each told by itself, or several by the sum of a cluster.
    fn modulus_of_sum(&self, digits: &[Digit]) -> i64 {
        let with_modulus = |digit| (digit, self.modulus_of(digit));
        let mut left: Vec<(&Digit, i64)> = digits.iter().map(with_modulus).collect();
        left.retain(|&(_, modulus)| modulus != 0);
        let mut of_sum = 0;
        for cluster in &self.sums {
            let Some(together) = modulus_by_cluster(&left, cluster) else { continue };
            let is_in_cluster = |digit: &Digit| cluster.iter().any(|o| o.source == digit.source);
            let one_by_one = left.iter().filter(|(digit, _)| is_in_cluster(digit));
            let one_by_one = one_by_one
                .fold(0, |all, (digit, modulus)| gcd(all, digit.stride.saturating_mul(*modulus)));
            if together == 0 || together > one_by_one {
                of_sum = gcd(of_sum, together);
                left.retain(|(digit, _)| !is_in_cluster(digit));
            }
        }
        left.iter()
            .fold(of_sum, |all, (digit, modulus)| gcd(all, digit.stride.saturating_mul(*modulus)))
    }

    fn tells(&self, digit: &Digit) -> bool {
        self.modulus_of(digit) == 0
    }

    /// The told modulus of a digit, which may be told in several parts.
    fn modulus_of(&self, digit: &Digit) -> i64 {
        if let Source::Merged(number) = digit.source
            && self.merged.get(number) == Some(&true)
        {
            return 0;
        }
        let extent = self.map.source_extent(digit.source);
        let end = digit.end().unwrap_or(extent).min(extent);
        let mut place = digit.divisor;
        while place < end {
            let parts = self.parts.iter().filter(|part| part.covers(digit.source, place));
            let next = parts.filter_map(|part| {
                // Modulo what the source reaches is all of it.
                let part_end = part.end().unwrap_or(extent).min(extent);
                let next = part_end.min(end);
                let is_told = part_end == next
                    || next % place == 0 && (part_end == extent || part_end % next == 0);
                is_told.then_some(next)
            });
            match next.max() {
                Some(next) => place = next,
                None => return gcd(place / digit.divisor, digit.modulus.unwrap_or(0)),
            }
        }
        0
    }

    /// The sum that a digit is taken of, without what is told of it, if that is a shear.
    fn rest_of_shear(&self, digit: &Digit) -> Option<Merged> {
        let Digit { source: Source::Merged(number), divisor: 1, modulus: Some(_), .. } = *digit
        else {
            return None;
        };
        let sum = &self.map.merged[number];
        let digits: Vec<Digit> = sum.digits.iter().filter(|d| !self.tells(d)).copied().collect();
        // A sum is never below 0. The constant makes up for strides that are, and is otherwise 0: one
        // constant or another tells as much.
        let (mut base, mut most) = (0i64, 0i64);
        for digit in &digits {
            let span = (self.map.extent(digit) - 1).checked_mul(digit.stride)?;
            base = base.checked_sub(span.min(0))?;
            most = most.checked_add(span.max(0))?;
        }
        let extent = most.checked_add(base)?.checked_add(1)?;
        // Another constant alone would part the digit from others of the same sum.
        let is_less = digits.len() < sum.digits.len()
            || base < sum.base && self.map.n_digits_of(digit.source) == 1;
        is_less.then_some(Merged { digits, base, extent })
    }
}

/// What the sum of a cluster tells of its digit with the smallest stride: all of it where it is the
/// only one, and where all other strides are multiples of `m` times its own, what it is modulo `m`.
fn lowest_part(cluster: &[Digit]) -> Option<Digit> {
    let (lowest, others) = cluster.split_last()?;
    let multiple = others.iter().fold(0, |multiple, other| gcd(multiple, other.stride));
    match (multiple, lowest.modulus) {
        _ if others.is_empty() => Some(*lowest),
        _ if multiple % lowest.stride != 0 => None,
        (multiple, modulus) => {
            let count = gcd(multiple / lowest.stride, modulus.unwrap_or(0));
            Some(Digit { modulus: Some(count), ..*lowest })
        }
    }
}

/// The told modulus of the sum of those of these digits that have a cluster's sources, as far as the
/// sum of the cluster tells it; `None` where that is not seen.
///
/// Let the cluster add up to `S` times its smallest stride. `S div q` is a sum of digits as well, if other
/// strides are multiples of `q`: the digit of smallest stride is divided by `q` times as much, and other
/// strides are `q` times smaller. What the digits differ from a number of times that by has a divisor,
/// which is the modulus. Of `x*22 + (y div 4)`, with `q` of 2, `x*11 + (y div 8)` is told as a whole, and
/// `(x mod 6)*11 + (y div 8)` modulo 66.
fn modulus_by_cluster(digits: &[(&Digit, i64)], cluster: &[Digit]) -> Option<i64> {
    let (lowest, others) = cluster.split_last()?;
    // At most one digit of each source here and there, so that they go with each other by source.
    let only = |source: Source| {
        let mut of_source = digits.iter().filter(|(digit, _)| digit.source == source);
        let first = of_source.next().map(|(digit, _)| *digit);
        let in_cluster = cluster.iter().filter(|other| other.source == source).count();
        (in_cluster == 1 && of_source.next().is_none()).then_some(first)
    };
    let first = only(lowest.source)??;
    let quotient = first.divisor / lowest.divisor;
    let modulus = lowest.modulus.unwrap_or(0);
    if first.divisor % lowest.divisor != 0 || modulus % quotient != 0 {
        return None;
    }
    let of_first = if first.modulus.unwrap_or(0) == modulus / quotient {
        0
    } else {
        first.stride.checked_mul(gcd(first.modulus.unwrap_or(0), modulus / quotient))?
    };
    let step = lowest.stride.checked_mul(quotient)?;
    others.iter().try_fold(gcd(of_first, 0), |all, other| {
        if other.stride % step != 0 {
            return None;
        }
        let stride = first.stride.checked_mul(other.stride / step)?;
        let differ_by = match only(other.source)? {
            None => stride,
            Some(digit) if digit.divisor != other.divisor || digit.stride != stride => {
                gcd(digit.stride, stride)
            }
            Some(digit) if digit.modulus == other.modulus => 0,
            Some(digit) => {
                stride.checked_mul(gcd(digit.modulus.unwrap_or(0), other.modulus.unwrap_or(0)))?
            }
        };
        Some(gcd(all, differ_by))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn map(text: &str) -> IndexMap {
        IndexMap::from_composition(&text.parse().unwrap()).unwrap()
    }

    /// For each element the first one that shares its offset.
    fn first_of_place(map: &IndexMap) -> Vec<usize> {
        let mut first = HashMap::new();
        let offsets = map.offsets().unwrap().into_iter().enumerate();
        offsets.map(|(number, offset)| *first.entry(offset).or_insert(number)).collect()
    }

    #[track_caller]
    fn check(text: &str, plain: &str) {
        assert_eq!(map(text).without_shears().unwrap().index_expression(), plain, "{text}");
        assert!(map(text).is_injective().unwrap());
    }

    #[test]
    fn swizzled_layouts_are_seen_to_tell_the_index() {
        for (text, is_seen) in [
            ("Sw<1,0,1> o 0 o (2,2):(2,1)", true),
            ("Sw<3,0,3> o 0 o (8,8):(8,1)", true),
            ("Sw<3,2,-3> o 0 o (16,64):(64,1)", true),
            ("Sw<3,2,3> o 0 o (224,1120):(1120,1)", true),
            ("Sw<2,1,3> o 0 o (5,6):(7,1)", true),
            ("Sw<3,3,3> o 0 o ((8,4),(64,3)):((64,512),(1,2048))", true),
            ("Sw<3,0,3> o 0 o (8,8):(8,0)", false),
            ("Sw<3,0,3> o 0 o (8,8):(7,1)", false),
            // Injective, by strides that reach into one another.
            ("Sw<1,0,2> o 0 o (2,4):(3,2)", false),
        ] {
            assert_eq!(map(text).tells_every_index_through_shears(), is_seen, "{text}");
        }
    }

    #[test]
    fn a_swizzled_layout_becomes_the_layout() {
        check("Sw<1,0,1> o 0 o (2,2):(2,1)", "i0*2 + i1");
        check("Sw<3,0,3> o 0 o (8,8):(8,1)", "i0*8 + i1");
        check("Sw<3,2,-3> o 0 o (16,64):(64,1)", "i0*64 + i1");
        // The bits that flip others are bits of a sum.
        check("Sw<3,2,3> o 0 o (224,1120):(1120,1)", "i0*1120 + i1");
        check("Sw<1,5,4> o 16 o (759,344):(344,1)", "i0*344 + i1 + 16");
        // The offset carries from column to column, so that only a sum of digits is told.
        check("Sw<3,3,4> o 8 o (1024,1024):(1,1024)", "i1*1024 + i0 + 8");
        check("Sw<2,1,3> o 55 o (563,176):(176,1)", "i0*176 + i1 + 55");
        check("Sw<3,2,4> o 34 o (438,616):(616,1)", "i0*616 + i1 + 34");
        // Of such a sum only a remainder is told.
        check("Sw<2,4,3> o 85 o (128,512):(512,1)", "i0*512 + i1 + 85");
        check(
            "Sw<2,0,5> o 19 o ((8,69),(16,43)):((16,128),(1,8832))",
            "(i1 div 16)*8832 + i0*16 + (i1 mod 16) + 19",
        );
    }

    #[test]
    fn what_has_no_shears_is_left_alone() {
        assert!(map("(4,8):(8,1)").without_shears().is_none());
        assert!(map("(4,8):(8,1) o 2 o (3,2):(1,5)").without_shears().is_none());
        // What flips the bit stands nowhere else.
        let both = map("Sw<1,0,1> o 0 o (2,2):(2,1)");
        let [_, flipped] = both.digits() else { panic!("{both:?}") };
        let only = IndexMap { digits: vec![*flipped], ..both.clone() };
        assert!(only.without_shears().is_none());
    }

    /// 7 times a number is told modulo 7 only, whatever it is: that says nothing of its lowest bit.
    #[test]
    fn a_remainder_tells_no_other() {
        let map = map("Sw<1,0,1> o 0 o (3,2):(7,8)");
        if let Some(plain) = map.without_shears() {
            assert_eq!(first_of_place(&map), first_of_place(&plain));
        }
        assert!(map.is_injective().unwrap());
    }

    /// Extents, strides from 0 on, and how many elements of a mode are left out.
    fn modes() -> impl Strategy<Value = Vec<(Vec<(i64, i64)>, i64)>> {
        let stride = prop_oneof![
            4 => (0u32..7).prop_map(|bit| 1i64 << bit),
            2 => 0i64..40,
            1 => Just(0),
        ];
        let leaf = (prop::sample::select(vec![2i64, 2, 3, 4, 5, 8]), stride);
        let mode = (prop::collection::vec(leaf, 1..=3), 0i64..3);
        prop::collection::vec(mode, 1..=3)
    }

    fn swizzled() -> impl Strategy<Value = IndexMap> {
        let swizzle = (1i64..=4, 0i64..=5, 0i64..=3, any::<bool>());
        let start = prop_oneof![Just(0i64), 0i64..100, (0i64..9).prop_map(|n| n * 8)];
        (swizzle, start, modes()).prop_filter_map(
            "few",
            |((bits, base, more, left), start, modes)| {
                let shift = if left { -bits - more } else { bits + more };
                let join = |part: fn(&(i64, i64)) -> i64| {
                    let mode = |(leaves, _): &(Vec<(i64, i64)>, i64)| {
                        let numbers: Vec<String> =
                            leaves.iter().map(|l| part(l).to_string()).collect();
                        format!("({})", numbers.join(","))
                    };
                    modes.iter().map(mode).collect::<Vec<_>>().join(",")
                };
                let kept = modes.iter().map(|(leaves, less)| {
                    let size: i64 = leaves.iter().map(|leaf| leaf.0).product();
                    (size - less).max(1).to_string()
                });
                let kept = kept.collect::<Vec<_>>().join(",");
                let (shape, stride) = (join(|leaf| leaf.0), join(|leaf| leaf.1));
                let layout = format!("(({shape}):({stride}):({kept}))");
                let layout = &layout[1..layout.len() - 1];
                let map = map(&format!("Sw<{bits},{base},{shift}> o {start} o {layout}"));
                (map.elements() <= if cfg!(miri) { 60 } else { 2000 }).then_some(map)
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 2 } else { 2000 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn the_same_elements_share_offsets(map in swizzled(), as_one in any::<bool>()) {
            let map = if as_one { map.reshaped(&[map.elements()]).unwrap() } else { map };
            if let Some(plain) = map.without_shears() {
                prop_assert_eq!(first_of_place(&map), first_of_place(&plain), "{:?}", map);
            }
            let first = first_of_place(&map);
            let is_injective = first.iter().enumerate().all(|(number, &first)| number == first);
            prop_assert_eq!(map.is_injective().unwrap(), is_injective);
            prop_assert!(is_injective || !map.tells_every_index());
            prop_assert!(is_injective || !map.tells_every_index_through_shears());
        }
    }
}
