//! Why a layout has no tag.

use std::fmt;

use super::Tag;
use super::recognise::{by, tagged};
use crate::element::ElementType;
use crate::tla::{Layout, Nested};

/// Why a layout has no tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotATag {
    reason: String,
    nearest: Option<Tag>,
}

impl NotATag {
    /// The reason in words: the nearest tag, and the first integer that is another there.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The tag that most integers agree with; `None` if no tag nests its modes like the layout.
    pub fn nearest(&self) -> Option<Tag> {
        self.nearest
    }
}

impl fmt::Display for NotATag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for NotATag {}

impl Layout {
    /// The reason that no tag fits.
    pub(super) fn why_not(&self, element_type: ElementType) -> NotATag {
        let mut nearest: Option<(usize, Tag, Layout)> = None;
        for tag in self.candidates() {
            let Some((agreeing, layout)) = self.agreement(tag, element_type) else { continue };
            if nearest.as_ref().is_none_or(|(most, ..)| agreeing > *most) {
                nearest = Some((agreeing, tag, layout));
            }
        }
        match nearest {
            None => {
                let reason = format!("no tag nests its modes like {}", self.shape());
                NotATag { reason, nearest: None }
            }
            Some((_, tag, layout)) => {
                let reason = format!("no tag fits: {}", self.difference(tag, &layout));
                NotATag { reason, nearest: Some(tag) }
            }
        }
    }

    /// How many integers the tag's layout of this original shape has in common with this one.
    fn agreement(&self, tag: Tag, element_type: ElementType) -> Option<(usize, Layout)> {
        let expected = tagged(tag, element_type, &self.sizes_under(tag)?)?;
        if !expected.shape().is_congruent(self.shape()) {
            return None;
        }
        let agreeing = expected.integers().into_iter().zip(self.integers());
        Some((agreeing.filter(|(a, b)| a.value == b.value).count(), expected))
    }

    /// The first integer that the nearest layout has another value for.
    fn difference(&self, tag: Tag, nearest: &Layout) -> String {
        let sizes = nearest.org_shape().map(|sizes| by(&sizes.values())).unwrap_or_default();
        let pairs = nearest.integers().into_iter().zip(self.integers());
        let first = pairs.into_iter().find(|(expected, found)| expected.value != found.value);
        let Some((expected, found)) = first else { return format!("the nearest is {tag}") };
        let (part, path) = (found.part, found.path);
        let (theirs, ours) = (expected.value, found.value);
        format!("the nearest, {tag} {sizes}, has {theirs} for {part}{path}, not {ours}")
    }

    /// Every integer of shape and stride, with its place.
    fn integers(&self) -> Vec<Place> {
        let mut places = Vec::new();
        collect(self.shape(), "shape", &mut Vec::new(), &mut places);
        collect(self.stride(), "stride", &mut Vec::new(), &mut places);
        places
    }
}

/// An integer of a layout: `stride<1,0>` is 16.
struct Place {
    part: &'static str,
    path: String,
    value: String,
}

fn collect<T: fmt::Display>(
    tuple: &Nested<T>,
    part: &'static str,
    path: &mut Vec<String>,
    places: &mut Vec<Place>,
) {
    match tuple {
        Nested::Leaf(value) => {
            let value = value.to_string().trim_start_matches('_').to_owned();
            places.push(Place { part, path: format!("<{}>", path.join(",")), value });
        }
        Nested::Tuple(elements) => {
            for (position, element) in elements.iter().enumerate() {
                path.push(position.to_string());
                collect(element, part, path, places);
                path.pop();
            }
        }
    }
}
