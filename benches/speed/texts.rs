//! What people, models and tools write: prose, code, logs, diffs, pictures. Own words, drawn from a seed.

use super::random::Random;
use std::fmt::Write as _;

/// A vocabulary, and the files of a project that tools read again and again.
pub struct Texts {
    words: Vec<String>,
    names: Vec<String>,
    files: Vec<(String, String)>,
}

const SYLLABLES: [&str; 40] = [
    "ba", "con", "de", "er", "fi", "gra", "ho", "in", "ju", "ka", "lo", "men", "na", "or", "pre", "qui", "re", "sta",
    "ter", "un", "ver", "wa", "xi", "yo", "ze", "al", "be", "cor", "di", "en", "fo", "ge", "im", "la", "mo", "nu",
    "pa", "ri", "so", "ti",
];
const SMALL: [&str; 24] = [
    "the", "a", "to", "of", "and", "is", "it", "that", "in", "we", "for", "on", "not", "this", "with", "as", "so",
    "be", "are", "when", "if", "then", "which", "now",
];

impl Texts {
    /// The texts of a seed.
    pub fn new(random: &mut Random) -> Self {
        let word = |random: &mut Random, most: usize| -> String {
            (0..2 + random.below(most)).map(|_| *random.pick(&SYLLABLES)).collect()
        };
        let words = (0..4000).map(|_| word(random, 3)).collect();
        let names = (0..400).map(|_| format!("{}_{}", word(random, 2), word(random, 1))).collect();
        let mut texts = Self { words, names, files: Vec::new() };
        for _ in 0..600 {
            let path = format!("src/{}/{}.rs", random.pick(&texts.words), random.pick(&texts.names));
            let bytes = random.lognormal(5_000, 0.8);
            let file = texts.code(random, bytes);
            texts.files.push((path, file));
        }
        texts
    }

    /// Words drawn so that the first of the vocabulary are by far the most frequent.
    fn word<'a>(&'a self, random: &mut Random, of: &'a [String]) -> &'a str {
        let rank = random.below(of.len() + 1) * random.below(of.len() + 1) / (of.len() + 1);
        &of[rank.min(of.len() - 1)]
    }

    /// Prose in paragraphs, with quotes, code words and now and then a character that is not ASCII.
    pub fn prose(&self, random: &mut Random, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 32);
        while text.len() < bytes {
            match random.below(40) {
                0 => text.push_str(".\n\n"),
                1 => text.push_str(", "),
                2 => {
                    let _ = write!(text, "`{}` ", self.word(random, &self.names));
                }
                3 => {
                    let _ = write!(text, "\"{}\" ", self.word(random, &self.words));
                }
                4 => text.push_str("\n- "),
                5 => text.push_str("naïve – "),
                6..=22 => {
                    text.push_str(SMALL[random.below(24)]);
                    text.push(' ');
                }
                _ => {
                    text.push_str(self.word(random, &self.words));
                    text.push(' ');
                }
            }
        }
        text
    }

    /// Source code.
    pub fn code(&self, random: &mut Random, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 128);
        while text.len() < bytes {
            let (a, b, c) =
                (self.word(random, &self.names), self.word(random, &self.names), self.word(random, &self.words));
            let _ = match random.below(7) {
                0 => write!(text, "}}\n\n/// {c} {a}.\npub fn {a}({b}: &str) -> Result<(), Error> {{\n"),
                1 => writeln!(text, "    let {a} = {b}.{c}();"),
                2 => writeln!(text, "    if {a}.is_{c}() {{\n        return Err(Error::new(\"{a} {c}\"));\n    }}"),
                3 => writeln!(text, "    assert_eq!({a}({b}), \"{c}\\n\");"),
                4 => writeln!(text, "\tself.{a}.push({b}[{}]);", random.below(100)),
                5 => writeln!(text, "    // {c} {a} {b}"),
                _ => writeln!(text, "    {a}({b}, {}, \"{c}\");", random.below(10_000)),
            };
        }
        text
    }

    /// A terminal's output, in colours.
    pub fn log(&self, random: &mut Random, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 128);
        while text.len() < bytes {
            let (a, b) = (self.word(random, &self.names), self.word(random, &self.words));
            let _ = match random.below(5) {
                0 => writeln!(text, "\u{1b}[32m   Compiling\u{1b}[0m {a} v0.{}.{}", random.below(20), random.below(9)),
                1 => writeln!(text, "test {b}::{a} ... \u{1b}[32mok\u{1b}[0m"),
                2 => writeln!(text, "\u{1b}[31merror\u{1b}[0m: expected \"{a}\", found \"{b}\"\r"),
                3 => writeln!(text, "  --> src/{b}/{a}.rs:{}:{}", random.below(900), random.below(90)),
                _ => writeln!(text, "{:08x} {b} {a} {} ms", random.below(1 << 32), random.below(5000)),
            };
        }
        text
    }

    /// A file of the project: its path and its text.
    pub fn file(&self, random: &mut Random) -> (&str, &str) {
        let (path, text) = random.pick(&self.files);
        (path, text)
    }

    /// A file, the file with some lines changed, and the diff.
    pub fn edit(&self, random: &mut Random) -> (&str, &str, String, String) {
        let (path, old) = self.file(random);
        let (mut new, mut diff) = (String::with_capacity(old.len()), String::new());
        for (number, line) in old.lines().enumerate() {
            if random.percent(5) {
                let fresh = self.code(random, 40);
                let fresh = fresh.lines().next().unwrap_or_default();
                let _ = write!(diff, "@@ -{number},1 +{number},1 @@\n-{line}\n+{fresh}\n");
                new.push_str(fresh);
            } else {
                new.push_str(line);
            }
            new.push('\n');
        }
        (path, old, new, diff)
    }

    /// A picture in base64, which nothing compresses.
    pub fn picture(&self, random: &mut Random, bytes: usize) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::with_capacity(bytes + 8);
        while text.len() < bytes {
            let mut bits = random.bits();
            for _ in 0..10 {
                text.push(char::from(DIGITS[(bits & 63) as usize]));
                bits >>= 6;
            }
        }
        text
    }

    /// A few words.
    pub fn title(&self, random: &mut Random) -> String {
        let words: Vec<&str> = (0..3).map(|_| self.word(random, &self.words)).collect();
        words.join(" ")
    }
}
