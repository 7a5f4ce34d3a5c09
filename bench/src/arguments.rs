//! What can be asked for on the command line.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use crate::cases::Size;
use crate::memory::LINE;
use crate::peers::{PEERS, cores};

/// What `--help` prints.
pub(crate) const USAGE: &str = "\
usage: cargo xtask bench [OPTIONS]

Moves arrays between layouts, beside a plain copy and beside everybody else who can.

  --quick            smaller arrays and fewer rounds: two minutes
  --cases A,B'       these cases only
  --threads 1,2      on so many threads (one, and two where there are two cores)
  --peers NAME,…     these peers only: onednn, strided-perm, ndarray, transpose,
                     fast_transpose, numpy, jax-put, jax-jit, torch,
                     tilewright-py (our own Python package)
  --no-python        without all that runs in Python
  --rounds N         so many rounds
  --json FILE        the figures, an array with an object for each case and number of threads
  --svg FILE         a chart

Pairs of layouts that nobody chose instead, on one thread, without peers:

  --random N         draws N pairs of layouts, says how fast the engine is relative to the best
                     copy of the larger side: all, by family, and the slowest
  --seed S           the same pairs for the same number (1)
  --megabytes M      1 or 64: pairs whose larger side has about so many; half and half without
  --pair FROM TO     measures these two layouts in the same way; may be said several times
  --neighbours       measures arrays of odd extents, and how many times as long they take as
                     their even neighbours
  --off BYTES        each also to a destination that begins so many bytes behind a line: how many
                     times as long that takes
  --json FILE        the figures, an array with an object for each pair

Single operations instead:

  --micro [PART…]    times planning, moves in cache, index maps and reading text; those whose
                     names have one of these parts
  --counts [PART…]   the instructions of each, counted by valgrind
";

/// The command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) size: Size,
    /// None for all.
    pub(crate) cases: Vec<String>,
    pub(crate) threads: Vec<usize>,
    pub(crate) peers: Vec<String>,
    pub(crate) rounds: Option<usize>,
    pub(crate) json: Option<PathBuf>,
    pub(crate) svg: Option<PathBuf>,
    /// How many pairs are drawn, and from which seed.
    pub(crate) random: Option<usize>,
    pub(crate) seed: u64,
    /// The sizes of what is drawn, in turn.
    pub(crate) megabytes: Vec<usize>,
    /// Whether odd extents are measured beside even ones.
    pub(crate) neighbours: bool,
    /// How many bytes behind a line a second destination of each begins; none if 0.
    pub(crate) off: usize,
    /// Pairs of texts to be measured as if they had been drawn.
    pub(crate) pairs: Vec<[String; 2]>,
    /// The interpreter, and the script that it runs; the xtask's to say.
    pub(crate) python: Option<[PathBuf; 2]>,
    /// The library made of `onednn.cpp`; the xtask's to say.
    pub(crate) onednn: Option<PathBuf>,
    pub(crate) help: bool,
}

impl Arguments {
    /// Whether pairs are asked for rather than cases.
    pub(crate) fn wants_pairs(&self) -> bool {
        self.random.is_some() || self.neighbours || !self.pairs.is_empty()
    }

    /// Reads a command line.
    pub(crate) fn read(words: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut arguments = Arguments {
            size: Size::Full,
            cases: vec![],
            threads: if cores() > 1 { vec![1, 2] } else { vec![1] },
            peers: PEERS.iter().map(|&peer| peer.to_owned()).collect(),
            rounds: None,
            json: None,
            svg: None,
            random: None,
            seed: 1,
            megabytes: vec![1, 64],
            neighbours: false,
            off: 0,
            pairs: vec![],
            python: None,
            onednn: None,
            help: false,
        };
        let mut words = words.into_iter();
        let mut without_python = false;
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value"));
            match word.as_str() {
                "--quick" => arguments.size = Size::Quick,
                "--cases" => arguments.cases = list(&value()?),
                "--threads" => arguments.threads = numbers(&value()?)?,
                "--peers" => arguments.peers = peers(&value()?)?,
                "--no-python" => without_python = true,
                "--rounds" => arguments.rounds = Some(number(&value()?)?),
                "--json" => arguments.json = Some(value()?.into()),
                "--random" => arguments.random = Some(number(&value()?)?),
                "--seed" => arguments.seed = seed(&value()?)?,
                "--megabytes" => arguments.megabytes = vec![megabytes(&value()?)?],
                "--neighbours" => arguments.neighbours = true,
                "--off" => arguments.off = off(&value()?)?,
                "--pair" => arguments.pairs.push([value()?, value()?]),
                "--svg" => arguments.svg = Some(value()?.into()),
                "--python" => arguments.python = Some([value()?.into(), value()?.into()]),
                "--onednn" => arguments.onednn = Some(value()?.into()),
                "--help" | "-h" => arguments.help = true,
                _ => bail!("unknown option `{word}`\n\n{USAGE}"),
            }
        }
        let others = arguments.random.is_some() || !arguments.pairs.is_empty();
        ensure!(!(arguments.neighbours && others), "`--neighbours` has pairs of its own");
        arguments.python = arguments.python.filter(|_| !without_python);
        Ok(arguments)
    }
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(|item| item.trim().to_owned()).collect()
}

fn number(text: &str) -> Result<usize> {
    let number = text.trim().parse::<usize>().ok().filter(|&number| number > 0);
    number.with_context(|| format!("`{text}` is not a number above 0"))
}

fn seed(text: &str) -> Result<u64> {
    text.trim().parse().with_context(|| format!("`{text}` is not a number"))
}

fn megabytes(text: &str) -> Result<usize> {
    let megabytes = number(text)?;
    ensure!([1, 64].contains(&megabytes), "pairs are drawn of 1 or of 64 megabytes");
    Ok(megabytes)
}

fn off(text: &str) -> Result<usize> {
    let off = number(text)?;
    ensure!(off < LINE, "a destination begins at most {} bytes behind a line", LINE - 1);
    Ok(off)
}

fn numbers(text: &str) -> Result<Vec<usize>> {
    let mut numbers = text.split(',').map(number).collect::<Result<Vec<_>>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

fn peers(text: &str) -> Result<Vec<String>> {
    let names = list(text);
    for name in &names {
        ensure!(PEERS.contains(&name.as_str()), "no peer is called `{name}`\n\n{USAGE}");
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Arguments> {
        Arguments::read(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn everything_at_once() {
        let arguments =
            read("--quick --cases A,B' --threads 2,1,2 --peers numpy --json f").unwrap();
        assert_eq!(arguments.size, Size::Quick);
        assert_eq!((arguments.cases, arguments.threads), (list("A,B'"), vec![1, 2]));
        assert_eq!((arguments.peers, arguments.json), (list("numpy"), Some("f".into())));
    }

    #[test]
    fn pairs_drawn_and_named() {
        let arguments =
            read("--random 20 --seed 7 --megabytes 64 --off 16 --pair a b --pair c d").unwrap();
        assert_eq!((arguments.random, arguments.seed), (Some(20), 7));
        assert_eq!((arguments.off, &*arguments.megabytes), (16, &[64][..]));
        assert_eq!(arguments.pairs, [["a", "b"], ["c", "d"]]);
        assert!(arguments.wants_pairs() && !read("").unwrap().wants_pairs());
        let arguments = read("--neighbours --off 16").unwrap();
        assert!(arguments.neighbours && arguments.wants_pairs());
    }

    #[test]
    fn mistakes_are_told() {
        for text in ["--fast", "--cases", "--threads 0", "--threads x", "--peers numpi"] {
            assert!(read(text).is_err(), "{text}");
        }
        for text in [
            "--random 0",
            "--seed x",
            "--megabytes 2",
            "--off 64",
            "--pair a",
            "--neighbours --random 2",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn no_python_wins() {
        assert_eq!(read("--no-python --python p s").unwrap().python, None);
        assert!(read("--python p s").unwrap().python.is_some());
    }

    #[test]
    fn usage_names_every_peer() {
        assert!(PEERS.iter().all(|peer| USAGE.contains(peer)));
    }
}
