//! What the reader gives, step by step, and what it refuses.

use super::*;

/// Gives a few bytes at a time.
struct Dribble<'a>(&'a [u8], usize);

impl Source for Dribble<'_> {
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize> {
        let count = buf.len().min(self.1);
        self.0.fill(&mut buf[..count])
    }
}

#[test]
fn walks_a_text_in_any_pieces() {
    let text = br#"{"title":"a\"b","messages":[{"x":1},[2,3],"s",-4.5e+3,true],"n":null} "#;
    for piece in 1..text.len() {
        let mut reader = Reader::new(Dribble(text, piece));
        reader.begin_object().unwrap();
        assert_eq!(reader.next_key().unwrap().as_deref(), Some("title"));
        assert_eq!(reader.value().unwrap().root().as_str().unwrap(), "a\"b");
        assert_eq!(reader.next_key().unwrap().as_deref(), Some("messages"));
        reader.begin_array().unwrap();
        let mut items = Vec::new();
        while reader.next_item().unwrap() {
            items.push(reader.value().unwrap().root().raw().to_owned());
        }
        assert_eq!(items, [r#"{"x":1}"#, "[2,3]", r#""s""#, "-4.5e+3", "true"]);
        assert_eq!(reader.next_key().unwrap().as_deref(), Some("n"));
        reader.skip().unwrap();
        assert_eq!(text[64..68], *b"null");
        assert_eq!(reader.span(), 64..68);
        assert_eq!(reader.next_key().unwrap(), None);
        reader.finish().unwrap();
    }
}

#[test]
fn a_part_of_a_text_is_read_in_place() {
    let text = br#"{"a":[1,x]}"#;
    let mut reader = Reader::new(&text[5..]).starting_at(5);
    reader.begin_array().unwrap();
    assert!(reader.next_item().unwrap());
    reader.skip().unwrap();
    assert_eq!(reader.span(), 6..7);
    assert!(reader.next_item().unwrap());
    assert_eq!(reader.value().unwrap_err().to_string(), "json: expected a value at byte 8, found `x`");
    let mut reader = Reader::new(&text[8..]).starting_at(8).inside(Kind::Array);
    assert!(reader.value().is_err());
    assert_eq!(reader.recover(), Ok(8..9));
    assert_eq!(reader.next_item(), Ok(false));
}

#[test]
fn a_text_may_begin_in_memory() {
    let text = br#"["in memory",{"then":"a stream"}]"#;
    for cut in 0..text.len() {
        let (head, rest) = text.split_at(cut);
        let mut reader = Reader::starting_with(head.to_vec(), Some(Dribble(rest, 3)));
        assert_eq!(reader.value().unwrap().root().bytes(), text);
        reader.finish().unwrap();
    }
    let mut whole = Reader::starting_with(text.to_vec(), None::<&[u8]>);
    assert_eq!(whole.value().unwrap().root().bytes(), text);
}

/// The elements of an array, or the members of an object, of text `text`: each as stored, `!` for damage.
fn elements(mut reader: Reader<impl Source>, skip: bool) -> Result<Vec<String>> {
    let is_object = reader.kind()? == Kind::Object;
    if is_object {
        reader.begin_object()?
    } else {
        reader.begin_array()?
    }
    let mut seen = Vec::new();
    loop {
        let element = element(&mut reader, is_object, skip);
        match element {
            Ok(Some(element)) => seen.push(element),
            Ok(None) => break,
            Err(error) => {
                if reader.recover().is_err() {
                    seen.push(format!("lost: {error}"));
                    return Ok(seen);
                }
                seen.push("!".to_owned());
            }
        }
    }
    reader.finish()?;
    Ok(seen)
}

fn element(reader: &mut Reader<impl Source>, is_object: bool, skip: bool) -> Result<Option<String>> {
    let key = if is_object {
        let Some(key) = reader.next_key()? else { return Ok(None) };
        key + ":"
    } else if reader.next_item()? {
        String::new()
    } else {
        return Ok(None);
    };
    if skip {
        reader.skip()?;
        return Ok(Some(key));
    }
    Ok(Some(key + reader.value()?.root().raw()))
}

fn check(text: &[u8], expected: &[&str]) {
    let shown = String::from_utf8_lossy(text);
    assert_eq!(elements(Reader::from_bytes(text.to_vec()), false).unwrap(), expected, "{shown}");
    for piece in [1, 2, 3, 7] {
        assert_eq!(elements(Reader::new(Dribble(text, piece)), false).unwrap(), expected, "{shown} by {piece}");
    }
    let keys = |element: &String| element.split_once(':').map_or("", |(key, _)| key).to_owned();
    let marks =
        |list: Vec<String>| list.iter().map(|e| if e == "!" { "!".into() } else { keys(e) }).collect::<Vec<_>>();
    let skipped = elements(Reader::from_bytes(text.to_vec()), true).unwrap();
    if text.first() == Some(&b'{') {
        assert_eq!(marks(skipped), marks(expected.iter().map(ToString::to_string).collect()), "{shown} skipped");
    } else {
        assert_eq!(skipped.len(), expected.len(), "{shown} skipped");
    }
}

#[test]
fn one_damaged_item_costs_no_other() {
    let damaged: &[&[u8]] = &[
        // a token that is none
        b"nope",
        b"undefined",
        b"2x",
        br#"{"a":tru}"#,
        br#"{"a":nope,"b":[1,2]}"#,
        br#"{"a":01,"b":"x, y"}"#,
        // a quote too few: the closing one, the opening one, of a key or a value
        br#"{"text":"abc}"#,
        br#"{"text":abc"}"#,
        br#"{"text":a b c"}"#,
        br#"{text":"abc"}"#,
        br#"{"text:"abc"}"#,
        br#"{"text":"abc,"more":"x, {[ y"}"#,
        br#"{"p":"C:\","q":1}"#,
        // characters that a string may not hold
        b"{\"a\":\"x\ny\"}",
        b"{\"a\":\"x\ny\nz, {\",\"b\":[\"\"]}",
        b"{\"a\":\"x\0\"}",
        br#"{"a":"\q"}"#,
        br#"{"a":"\u12"}"#,
        b"{\"a\":\"x\xff, {y\"}",
        b"\"\xc3\"",
        b"{\"a\":\"\xe2\x82\",\"b\":[{}]}",
        // signs that are missing or too many
        br#"{"a":1 "b":2}"#,
        br#"{"a" 1}"#,
        br#"{"a":[1 2]}"#,
        br#"{"a":[1,2}"#,
        br#"{"a":1]}"#,
        br#"{"a":1,}"#,
        br#"{"a":[1,]}"#,
        br#"{"a":1:2}"#,
        br#"{,}"#,
    ];
    for bad in damaged {
        let array = [br#"[{"m":1},"#, *bad, br#",{"m":2}, "s"]"#].concat();
        check(&array, &[r#"{"m":1}"#, "!", r#"{"m":2}"#, r#""s""#]);
        let object = [br#"{"k":{"m":1},"l":"#, *bad, br#" ,"m":{"m":2}, "n":"s"}"#].concat();
        check(&object, &[r#"k:{"m":1}"#, "!", r#"m:{"m":2}"#, r#"n:"s""#]);
    }
}
