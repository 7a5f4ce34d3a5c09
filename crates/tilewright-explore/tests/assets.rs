//! What the page is made of asks nothing of any other machine, and never takes text for markup.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

const PAGE: &str = include_str!("../assets/index.html");
const SCRIPT: &str = include_str!("../assets/explorer.js");
const STYLES: &str = include_str!("../assets/explorer.css");

/// The names of XML's own languages look like addresses; nobody asks for them.
const NAMESPACES: [&str; 4] = [
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/1998/Math/MathML",
    "http://www.w3.org/1999/xlink",
];

/// Where in the script our own modules begin, behind the library's.
const OWN: &str = "\n// src/";

#[test]
fn there_is_no_address_of_another_machine() {
    for (name, text) in [("page", PAGE), ("script", SCRIPT), ("styles", STYLES)] {
        let text = NAMESPACES.iter().fold(text.to_owned(), |text, name| text.replace(name, ""));
        for scheme in ["http://", "https://", "ws://", "wss://", "//cdn", "@import"] {
            assert!(!text.contains(scheme), "{scheme} in the {name}");
        }
    }
}

#[test]
fn the_page_can_lie_below_any_path() {
    for word in ["src=\"/", "href=\"/"] {
        assert!(!PAGE.contains(word), "{word}");
    }
    for word in ["fetch(\"/", "fetch('/", "fetch(`/", "location.origin}/"] {
        assert!(!SCRIPT.contains(word), "{word}");
    }
    assert!(SCRIPT.contains("fetch(\"ask\""));
}

#[test]
fn texts_are_never_code_or_markup() {
    for word in ["eval(", "new Function", "document.write", "setTimeout(\"", "import("] {
        assert!(!SCRIPT.contains(word), "{word}");
    }
    let own = &SCRIPT[SCRIPT.find(OWN).unwrap()..];
    for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "text/html", "srcdoc"] {
        assert!(!own.contains(word), "{word}");
    }
}

#[test]
fn the_page_keeps_to_its_policy() {
    // Inline styles and scripts would be refused by the policy.
    for word in ["<style", "style=", "onclick", "onload", "javascript:"] {
        assert!(!PAGE.contains(word), "{word}");
    }
    assert_eq!(PAGE.matches("<script").count(), 1);
}
