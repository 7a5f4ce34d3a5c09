//! Railroad diagrams of a grammar, as HTML that stands in a page of the book: SVG without colours of its own, which the
//! page's style gives it, and names that lead to their rules.

use std::fmt::Write as _;

use railroad::{
    Choice, Diagram, Empty, Link, Node, NonTerminal, Optional, Repeat, Sequence, SimpleEnd,
    SimpleStart, Terminal,
};

use crate::grammar::{Expression, Grammar};

/// Texts in a choice beyond these stand in the grammar alone.
const MOST_WAYS: usize = 12;

/// The rules whose figures stand together, and what is put before their names to make an id of each.
#[derive(Clone, Copy, Debug)]
pub struct Place<'p> {
    /// The rules.
    pub rules: &'p [&'p str],
    /// As in `xla-shape`.
    pub prefix: &'p str,
    /// The prefix and the rules of another place that this one stands on; what is in neither is in `common`.
    pub beside: (&'p str, &'p [&'p str]),
}

impl Place<'_> {
    fn id(&self, rule: &str) -> String {
        let places = [(self.prefix, self.rules), self.beside];
        let place = places.into_iter().find(|(_, rules)| rules.contains(&rule));
        format!("{}-{rule}", place.map_or("common", |(prefix, _)| prefix))
    }
}

/// A figure for each rule of a place.
pub fn figures(grammar: &Grammar, place: Place<'_>) -> String {
    let mut page = String::new();
    let is_here = |rule: &&(String, Expression)| place.rules.contains(&rule.0.as_str());
    for (name, expression) in grammar.rules.iter().filter(is_here) {
        let mut line: Sequence<Box<dyn Node>> = Sequence::default();
        line.push(Box::new(SimpleStart)).push(node(expression, place)).push(Box::new(SimpleEnd));
        let size =
            format!("width=\"{}\" height=\"{}\" viewBox", line.width() + 20, line.height() + 20);
        let svg = Diagram::new(line).to_string().replacen("viewBox", &size, 1);
        let svg: Vec<&str> = svg.lines().filter(|line| !line.trim().is_empty()).collect();
        let _ = writeln!(
            page,
            "<figure class=\"railroad-figure\" id=\"{}\"><figcaption><code>{name}</code></figcaption>\n{}\n</figure>",
            place.id(name),
            svg.join("\n")
        );
    }
    page
}

fn node(expression: &Expression, place: Place<'_>) -> Box<dyn Node> {
    let of = |part: &Expression| node(part, place);
    match expression {
        Expression::Sequence(parts) => Box::new(sequence(parts, place)),
        Expression::Choice(ways) if ways.len() > MOST_WAYS && ways.iter().all(is_text) => {
            let (shown, rest) = ways.split_at(MOST_WAYS - 1);
            let mut nodes: Vec<Box<dyn Node>> = shown.iter().map(of).collect();
            nodes.push(Box::new(railroad::Comment::new(format!("and {} more", rest.len()))));
            Box::new(Choice::new(nodes))
        }
        Expression::Choice(ways) => Box::new(Choice::new(ways.iter().map(of).collect())),
        Expression::Repeated(part, 0, Some(1)) => Box::new(Optional::new(of(part))),
        Expression::Repeated(part, 0, _) => Box::new(Optional::new(Repeat::new(of(part), Empty))),
        Expression::Repeated(part, ..) => Box::new(Repeat::new(of(part), Empty)),
        Expression::Text { text, .. } => Box::new(Terminal::new(text.clone())),
        Expression::Class { ranges, negated } => {
            let of_range = |(first, last): &(char, char)| match first == last {
                true => first.to_string(),
                false => format!("{first}-{last}"),
            };
            let shown: Vec<String> = ranges.iter().map(of_range).collect();
            let not = if *negated { "any but " } else { "" };
            Box::new(Terminal::new(format!("{not}{}", shown.join(" "))))
        }
        Expression::Rule(name) => {
            let link = Link::new(NonTerminal::new(name.clone()), format!("#{}", place.id(name)));
            Box::new(link)
        }
    }
}

/// Parts one after the other, with `x ( "," x )*` as one line that goes back by way of the comma.
fn sequence(parts: &[Expression], place: Place<'_>) -> Sequence<Box<dyn Node>> {
    let mut line: Sequence<Box<dyn Node>> = Sequence::default();
    let mut rest = parts;
    while let Some((part, after)) = rest.split_first() {
        match after.split_first() {
            Some((Expression::Repeated(again, 0, None), after))
                if separator(again, part).is_some() =>
            {
                let comma = separator(again, part).map_or_else(String::new, str::to_owned);
                line.push(Box::new(Repeat::new(node(part, place), Terminal::new(comma))));
                rest = after;
            }
            _ => {
                line.push(node(part, place));
                rest = after;
            }
        }
    }
    line
}

/// What stands in front of `part` in `again`, if that is all that `again` is.
fn separator<'e>(again: &'e Expression, part: &Expression) -> Option<&'e str> {
    match again {
        Expression::Sequence(two) => match two.as_slice() {
            [Expression::Text { text, .. }, same] if same == part => Some(text),
            _ => None,
        },
        _ => None,
    }
}

fn is_text(expression: &Expression) -> bool {
    matches!(expression, Expression::Text { .. })
}
