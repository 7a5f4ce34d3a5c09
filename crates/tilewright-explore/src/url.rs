//! A layout in the fragment of an address.

use std::fmt::Write;

/// `#l=` and the layout. Letters, digits and the signs that may stand in a fragment stay as they are;
/// all else is `%` and its bytes, as is `&`, which separates, and `%` itself.
pub(crate) fn fragment(layout: &str) -> String {
    let mut fragment = "#l=".to_owned();
    for byte in layout.bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => fragment.push(char::from(byte)),
            b'(' | b')' | b',' | b':' | b'*' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                fragment.push(char::from(byte));
            }
            // Writing to a text does not fail.
            _ => drop(write!(fragment, "%{byte:02X}")),
        }
    }
    fragment
}

#[cfg(test)]
mod tests {
    use super::fragment;

    #[test]
    fn what_may_stand_in_a_fragment_stays() {
        let tiled = fragment("bf16[30,300]{1,0:T(8,128)}");
        assert_eq!(tiled, "#l=bf16%5B30,300%5D%7B1,0:T(8,128)%7D");
        assert_eq!(fragment("a&b=c%d e\nβ"), "#l=a%26b%3Dc%25d%20e%0A%CE%B2");
    }
}
