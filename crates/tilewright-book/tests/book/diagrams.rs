//! The railroad diagrams are those of the grammars.

use tilewright_book::diagram::{Place, figures};

use crate::{book, check_fresh, grammar, read};

#[test]
fn diagrams_are_drawn_of_the_grammars() {
    for name in ["xla", "common", "cute", "onednn", "numpy", "named"] {
        let text = read(&book().join("grammar").join(name).with_extension("ebnf"));
        let rules: Vec<&str> =
            text.lines().filter_map(|line| Some(line.split_once("::=")?.0.trim())).collect();
        let figures = figures(&grammar(name), Place { rules: &rules, prefix: name });
        assert_eq!(figures.matches("<svg").count(), rules.len(), "{name}");
        check_fresh(&book().join("grammar").join(name).with_extension("html"), &figures);
    }
}
