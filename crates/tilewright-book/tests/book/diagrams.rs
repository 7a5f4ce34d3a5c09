//! The railroad diagrams are those of the grammars.

use tilewright_book::diagram::{Place, figures};

use crate::{book, check_fresh, grammar, read};

#[test]
fn diagrams_are_drawn_of_the_grammars() {
    let texts = |name: &str| read(&book().join("grammar").join(name).with_extension("ebnf"));
    let rules = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| Some(line.split_once("::=")?.0.trim().to_owned())).collect()
    };
    for name in ["xla", "common", "cute", "onednn", "numpy", "named", "calc"] {
        let (own, beside) = (rules(&texts(name)), rules(&texts("cute")));
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
        let beside = if name == "calc" { &beside[..] } else { &[] };
        let place = Place { rules: &own, prefix: name, beside: ("cute", beside) };
        let figures = figures(&grammar(name), place);
        assert_eq!(figures.matches("<svg").count(), own.len(), "{name}");
        check_fresh(&book().join("grammar").join(name).with_extension("html"), &figures);
    }
}
