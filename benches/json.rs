//! The JSON core against what bounds it: copying, inflating, and `serde_json`.
//!
//! `cargo bench --no-default-features --features bundled --bench json`. Trust the ratios, not the numbers: the floor
//! is `inflate`, and every `inflate_and_…` is to be read as a multiple of it.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a benchmark that cannot run may stop")]

use std::fmt::Write;
use std::hint::black_box;
use std::sync::{Arc, LazyLock};

use agent_history::json::{Document, Needle, Reader, Source, Value, may_contain};
use agent_history::store::zstd::Decoder;
use divan::Bencher;
use divan::counter::BytesCount;

fn main() {
    divan::main();
}

/// About 20 MB of threads as Zed keeps them: prose, code and terminal output, an escape every 25 bytes.
struct Corpus {
    texts: Vec<Arc<Vec<u8>>>,
    frames: Vec<Vec<u8>>,
}

static CORPUS: LazyLock<Corpus> = LazyLock::new(|| {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let texts: Vec<_> = (0..60).map(|_| Arc::new(thread(&mut random).into_bytes())).collect();
    let frames = texts.iter().map(|text| zstd::encode_all(&text[..], 3).expect("zstd")).collect();
    Corpus { texts, frames }
});

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

fn thread(random: &mut Random) -> String {
    let mut out = String::from(r#"{"title":"A thread","messages":["#);
    for index in 0..60 {
        if index > 0 {
            out.push(',');
        }
        let (text, result) = (literal(random), literal(random));
        let _ = if index % 2 == 0 {
            write!(out, r#"{{"User":{{"id":"{:016x}","content":[{{"Text":{text}}}]}}}}"#, random.0)
        } else {
            let id = format!("toolu_{:016x}", random.0);
            write!(
                out,
                r#"{{"Agent":{{"content":[{{"Text":{text}}},{{"ToolUse":{{"id":"{id}","name":"read_file",
"raw_input":"{{}}","input":{{"path":"src/main.rs","start_line":{index}}},"is_input_complete":true}}}}],
"tool_results":{{"{id}":{{"tool_use_id":"{id}","is_error":false,"content":{{"Text":{result}}},"output":null}}}}}}}}"#
            )
        };
    }
    out.push_str(r#"],"updated_at":"2026-03-01T09:01:05.123456789Z","version":"0.3.0"}"#);
    out
}

/// A string literal of 100 to 10,000 bytes.
fn literal(random: &mut Random) -> String {
    const WORDS: [&str; 16] = [
        "the",
        "error",
        "fn",
        "return",
        "value",
        "window",
        "we",
        "to",
        "let",
        "self",
        "index",
        "panic",
        "build",
        "message",
        "na\u{ef}ve",
        "offset",
    ];
    let bytes = [100, 400, 1_000, 3_000, 10_000][random.below(5) as usize];
    let kind = random.below(3);
    let mut text = String::new();
    while text.len() < bytes {
        match (kind, random.below(8)) {
            (0, 0) | (1, 0..=1) => text.push_str("\n    "),
            (1, 2) => text.push('"'),
            (2, 0) => text.push_str("\n\u{1b}[32m"),
            _ => {}
        }
        text.push_str(WORDS[random.below(16) as usize]);
        text.push(' ');
    }
    serde_json::to_string(&text).expect("a string")
}

/// Speeds are of JSON whatever is measured.
fn measure<T>(bencher: Bencher<'_, '_>, job: impl FnMut() -> T) {
    let bytes: usize = CORPUS.texts.iter().map(|text| text.len()).sum();
    bencher.counter(BytesCount::new(bytes)).bench_local(job);
}

/// Captures message after message and skips what is beside them.
fn messages(mut reader: Reader<impl Source>, mut each: impl FnMut(Value<'_>)) {
    let mut walk = || {
        reader.begin_object()?;
        while let Some(key) = reader.next_key()? {
            if key != "messages" {
                reader.skip()?;
                continue;
            }
            reader.begin_array()?;
            while reader.next_item()? {
                each(reader.value()?.root());
            }
        }
        reader.finish()
    };
    walk().expect("sound");
}

fn read_texts(value: Value<'_>, out: &mut String) {
    if let Some(text) = value.text() {
        out.clear();
        text.write_to(out);
        black_box(&out);
    }
    value.items().chain(value.entries().map(|(_, value)| value)).for_each(|value| read_texts(value, out));
}

fn inflated(frame: &[u8]) -> Reader<Decoder<&[u8]>> {
    Reader::new(Decoder::new(frame).expect("a context"))
}

#[divan::bench]
fn copy(bencher: Bencher) {
    let mut to = Vec::new();
    measure(bencher, || {
        for text in &CORPUS.texts {
            to.clear();
            to.extend_from_slice(text);
            black_box(&to);
        }
    });
}

#[divan::bench]
fn skip(bencher: Bencher) {
    measure(bencher, || {
        CORPUS.texts.iter().for_each(|text| Reader::from_bytes(Arc::clone(text)).skip().expect("sound"));
    });
}

#[divan::bench]
fn capture_whole(bencher: Bencher) {
    measure(bencher, || {
        CORPUS.texts.iter().for_each(|text| drop(black_box(Document::parse(Arc::clone(text)))));
    });
}

#[divan::bench]
fn look_for_absent_needle(bencher: Bencher) {
    let needle = Needle::of_like("%quixotic window%").expect("long enough");
    measure(bencher, || CORPUS.texts.iter().filter(|text| may_contain(text, &needle)).count());
}

#[divan::bench]
fn serde_json_ignored(bencher: Bencher) {
    let read = |text: &Arc<Vec<u8>>| serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok();
    measure(bencher, || CORPUS.texts.iter().all(read));
}

#[divan::bench]
fn inflate(bencher: Bencher) {
    let mut piece = vec![0; 128 << 10];
    measure(bencher, || {
        for frame in &CORPUS.frames {
            let mut decoder = Decoder::new(&frame[..]).expect("a context");
            while decoder.fill(&mut piece).expect("sound") > 0 {}
        }
    });
}

#[divan::bench]
fn inflate_and_skip(bencher: Bencher) {
    measure(bencher, || CORPUS.frames.iter().for_each(|frame| inflated(frame).skip().expect("sound")));
}

#[divan::bench]
fn inflate_and_capture_messages(bencher: Bencher) {
    measure(bencher, || CORPUS.frames.iter().for_each(|frame| messages(inflated(frame), |_| {})));
}

#[divan::bench]
fn inflate_and_read_all_text(bencher: Bencher) {
    let mut out = String::new();
    measure(bencher, || {
        CORPUS.frames.iter().for_each(|frame| messages(inflated(frame), |message| read_texts(message, &mut out)));
    });
}

#[divan::bench]
fn inflate_and_serde_json_value(bencher: Bencher) {
    measure(bencher, || {
        for frame in &CORPUS.frames {
            let text = zstd::decode_all(&frame[..]).expect("sound");
            black_box(serde_json::from_slice::<serde_json::Value>(&text).expect("sound"));
        }
    });
}
