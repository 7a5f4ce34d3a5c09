//! With the feature `serde`: values as their canonical text, in any format that serde has.
//!
//! A layout is a text to everybody who reads one: `"bf16[30,300]{1,0:T(8,128)(2,1)}"` in a configuration is what a
//! compiler's dump says too. It is read by the same parser, so that nothing comes in that could not be typed; of what
//! is wrong with it the message and the help are told, and not the place, which the format's own error shows.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::text::Diagnostic;

/// Why a text is not read, in a line.
trait Reason {
    fn reason(&self) -> String;
}

impl Reason for crate::Error {
    fn reason(&self) -> String {
        self.to_string()
    }
}

impl Reason for Diagnostic {
    fn reason(&self) -> String {
        match self.help_text() {
            Some(help) => format!("{}: {help}", self.message()),
            None => self.message().to_owned(),
        }
    }
}

struct Text<T>(PhantomData<T>);

impl<T: FromStr<Err: Reason>> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|error: T::Err| E::custom(error.reason()))
    }
}

macro_rules! as_text {
    ($($value:ty),* $(,)?) => {$(
        impl Serialize for $value {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $value {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Text(PhantomData))
            }
        }
    )*};
}

as_text! {
    crate::ElementType,
    crate::Shape,
    crate::ArrayShape,
    crate::xla::Layout,
    crate::xla::Tile,
    crate::tla::Layout,
    crate::tla::IntTuple,
    crate::algebra::Swizzle,
    crate::algebra::Composed,
    crate::algebra::Composition,
    crate::onednn::Tag,
    crate::onednn::TaggedArray,
    crate::strided::StridedArray,
    crate::notation::Described,
    crate::notation::DescribedArray,
    crate::formats::NamedFormat,
    crate::formats::Target,
    crate::formats::tpu::Chip,
    crate::formats::catalogue::NamedLayout,
    crate::formats::catalogue::NamedArray,
}
