//! Where the links of a chapter lead, and what of it can be led to.
//!
//! Markdown is read as far as the chapters use it: `[…](…)`, `![…](…)`, and in HTML `src`, `srcset`, `href` and `id`. Code
//! is skipped.

/// The targets of a chapter's links and pictures, as they are written.
pub fn targets(chapter: &str) -> Vec<String> {
    let text = without_code(chapter);
    let mut targets = Vec::new();
    for (start, end) in [("](", ')'), ("src=\"", '"'), ("srcset=\"", '"'), ("href=\"", '"')] {
        let parts = text.split(start).skip(1);
        targets.extend(parts.filter_map(|part| part.split(end).next()).map(str::to_owned));
    }
    targets
}

/// The names behind `#` that lead to a place in a chapter: those of its headings, as mdBook makes them, and ids in HTML.
pub fn anchors(chapter: &str) -> Vec<String> {
    let text = without_code_blocks(chapter);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let mut anchors: Vec<String> =
        headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect();
    let ids = text.split("id=\"").skip(1).filter_map(|part| part.split('"').next());
    anchors.extend(ids.map(str::to_owned));
    anchors
}

/// The id that mdBook gives a heading: small letters, digits, `_` and `-`, blanks as `-`.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.collect()
}

fn without_code_blocks(chapter: &str) -> String {
    let mut is_code = false;
    let mut kept = String::new();
    for line in chapter.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            kept += line;
            kept.push('\n');
        }
    }
    kept
}

/// The same without what stands between backticks.
fn without_code(chapter: &str) -> String {
    let text = without_code_blocks(chapter);
    text.lines()
        .map(|line| line.split('`').step_by(2).collect::<Vec<_>>().join("`") + "\n")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAPTER: &str = "# The `one` Heading, 2\n[a](b.md#c) `[x](y)` ![d](e.svg)\n```text\n# no\n[f](g)\n```\n<img src=\"h.png\" id=\"i\">\n";

    #[test]
    fn links_are_found_and_code_is_not() {
        assert_eq!(targets(CHAPTER), ["b.md#c", "e.svg", "h.png"]);
        assert_eq!(anchors(CHAPTER), ["the-one-heading-2", "i"]);
    }
}
