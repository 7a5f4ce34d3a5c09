//! Which dimensions the letters of a name are.

use super::LETTERS;

/// The row-major names, by kind of array: each numbers the dimensions of its letters.
const ROW_MAJOR: &[&str] = &[
    "x", "nc", "ncw", "nchw", "ncdhw", // vectors, activations
    "oi", "oiw", "oihw", "oidhw", "goiw", "goihw", "goidhw", // weights
    "tn", "tnc", "ldnc", "ldigo", "ldio", "ldgo", // recurrent
];

/// Names in oneDNN's header, and the tags that it gives them against the letters.
const MISNAMED: &[(&str, &str)] = &[
    ("OhwI24o", "Acdb24a"),
    ("OhwI32o", "Acdb32a"),
    ("gOhwI24o", "aBdec24b"),
    ("gOhwI32o", "aBdec32b"),
    ("gIOhw2i8o16i2o", "aBCde2c8b16c2b"),
    ("gIOdhw2i8o16i2o", "aBCdef2c8b16c2b"),
];

/// The tag that a name means, where it is not what its letters say.
pub(super) fn misnamed(name: &str) -> Option<&'static str> {
    MISNAMED.iter().find(|(known, _)| *known == name).map(|&(_, tag)| tag)
}

/// The row-major name of an array with these letters, small and each once; of abstract letters,
/// as many as there are from `a` on.
pub(super) fn row_major(letters: &str) -> Option<&'static str> {
    let abstractly = LETTERS.get(..letters.len());
    let mut rows = ROW_MAJOR.iter().copied().chain(abstractly);
    rows.find(|row| row.len() == letters.len() && letters.chars().all(|c| row.contains(c)))
}

/// Whether any tag or name has this letter.
pub(super) fn is_known(letter: char) -> bool {
    ROW_MAJOR.iter().chain([&LETTERS]).any(|row| row.contains(letter))
}
