//! The tag of a layout, or why it has none.

use std::fmt;

use super::Tag;
use super::recognise::{Recognised, by, tagged};
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
    /// The tag of this layout of such elements: the first of [`tags`](Self::tags).
    ///
    /// Only values count, so dynamic integers are as good as static ones. (CATLASS looks at static
    /// integers alone, and recognises no layout read at run time.)
    ///
    /// ```
    /// use tilewright::ElementType;
    /// use tilewright::tla::{Layout, Tag};
    /// let layout: Layout = "((16,2),(16,3)):((16,256),(1,512)):(28,40)".parse()?;
    /// let found = layout.tag(ElementType::F16)?;
    /// assert_eq!((found.tag(), found.sizes()), (Tag::Zn, [28, 40].as_slice()));
    ///
    /// let tile: Layout = "((16,2),(16,3)):((16,256),(1,1792)):(20,36)".parse()?;
    /// assert_eq!(tile.tag(ElementType::F16)?.to_string(), "zN 20 x 36 in 112 x 36");
    ///
    /// let gap: Layout = "((16,2),(16,3)):((16,256),(1,500)):(28,40)".parse()?;
    /// assert_eq!(
    ///     gap.tag(ElementType::F16).unwrap_err().to_string(),
    ///     "no tag fits: the nearest, zN 28 x 40, has 512 for stride<1,1>, not 500"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If it has none, with the reason.
    pub fn tag(&self, element_type: ElementType) -> Result<Recognised, NotATag> {
        match self.tags(element_type).into_iter().next() {
            Some(first) => Ok(first),
            None => Err(self.why_not(element_type)),
        }
    }

    /// The reason that no tag fits.
    fn why_not(&self, element_type: ElementType) -> NotATag {
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
