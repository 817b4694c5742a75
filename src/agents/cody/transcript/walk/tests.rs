use super::*;
use crate::table::Session;

const ALL: Want = Want { chats: true, fields: true, turns: Some((0, i64::MAX)), inputs: true, members: true };

fn bytes(text: &str) -> Bytes {
    Bytes::whole(Arc::new(text.as_bytes().to_vec()), &Arc::new(Session::default()))
}

/// An event in a word or two.
fn shown(event: &Event) -> String {
    match event {
        Event::Chat(start) => {
            let account = start.account.as_deref().map_or(String::new(), |account| format!(" of {account}"));
            format!("chat {}{account} at {}", start.key.as_deref().unwrap_or("-"), start.pointer)
        }
        Event::Field(field, document) => format!("{field:?} {}", document.root().raw()),
        Event::Turn(turn) => format!("turn {} {}", turn.first_index(), turn.document.root().raw()),
        Event::End(end) => format!(
            "end of {}{}",
            end.elements,
            end.error.as_ref().map_or(String::new(), |error| format!(": {}", error.kind().token()))
        ),
        Event::Input(account, document, _) => {
            format!("input {}{}", document.root().raw(), account.as_deref().map_or("", |_| " of an account"))
        }
        Event::Member(key, document) => format!("member {key} {}", document.root().raw()),
        Event::Damage(damage) => {
            let index = damage.index.map_or(String::new(), |index| format!(" {index}"));
            let raw = damage.raw.as_ref().map_or(String::new(), |raw| format!(" in {raw}"));
            format!("damage{index}: {}{raw}", damage.error)
        }
    }
}

/// The events of a walk; each chat is walked alone as well, which must give the same.
fn walk(text: &str, shape: Shape) -> Vec<String> {
    let bytes = bytes(text);
    let events: Vec<Event> = Walk::new(&bytes, shape, ALL).unwrap().collect();
    let chats = |events: &[Event]| -> Vec<String> {
        events.iter().filter(|event| matches!(event, Event::Chat(_))).map(shown).collect()
    };
    let alone: Vec<Event> = Walk::new(&bytes, shape, Want { chats: true, ..Want::default() }).unwrap().collect();
    assert_eq!(chats(&alone), chats(&events), "{text}: chats do not depend on what else is wanted");
    for (at, event) in events.iter().enumerate() {
        let Event::Chat(start) = event else { continue };
        let whole: Vec<String> = events.iter().skip(at + 1).map(shown).collect();
        let end = events.iter().skip(at).find_map(|event| match event {
            // Where a damaged one ends, only what follows it tells.
            Event::End(end) => Some(if end.error.is_some() { u64::MAX } else { end.range.end }),
            _ => None,
        });
        let alone: Vec<String> =
            Walk::chat(start, end.unwrap(), shape == Shape::State, ALL).map(|event| shown(&event)).collect();
        assert_eq!(whole.get(..alone.len()), Some(alone.as_slice()), "{text}");
        assert!(alone.last().is_some_and(|last| last.starts_with("end of")), "{alone:?}");
    }
    events.iter().map(shown).collect()
}

#[test]
fn a_state_gives_its_chats_and_small_values() {
    let text = r#"{"cody-config":{"auth":{"credentials":{"token":"s"}}},"model":"m",
        "cody-local-chatHistory-v2":{"https://h/-a":{"chat":{"c":{"id":"c","chatTitle":"t","interactions":[{"humanMessage":{}}],"x":1}},"input":["p"]},"chat":{},"input":["q"]},
        "cody-local-chatHistory":null}"#;
    assert_eq!(
        walk(text, Shape::State),
        [
            r#"member model "m""#,
            "chat c of https://h/-a at /cody-local-chatHistory-v2/https:~1~1h~1-a/chat/c",
            r#"Id "c""#,
            r#"Title "t""#,
            r#"turn 0 {"humanMessage":{}}"#,
            "end of 1",
            r#"input "p" of an account"#,
            r#"input "q""#,
        ]
    );
}

#[test]
fn a_history_may_stand_in_a_string() {
    let history = r#"{"k":{"chat":{"c":{"interactions":[{"humanMessage":{"text":"say \"hi\""}}]}}}}"#;
    let text = format!(r#"{{"cody-local-chatHistory-v2":{}}}"#, serde_json::Value::from(history));
    let want = [
        "chat c of k at /cody-local-chatHistory-v2/k/chat/c",
        r#"turn 0 {"humanMessage":{"text":"say \"hi\""}}"#,
        "end of 1",
    ];
    assert_eq!(walk(&text, Shape::State), want);
}

#[test]
fn lists_and_single_chats() {
    let chat = r#"{"id":"a","interactions":[{"humanMessage":{}}]}"#;
    let inside = [r#"Id "a""#, r#"turn 0 {"humanMessage":{}}"#, "end of 1"];
    assert_eq!(walk(&format!("[{chat},null]"), Shape::List), [&["chat - at /0"], inside.as_slice()].concat());
    assert_eq!(walk(chat, Shape::Chat), [&["chat - at "], inside.as_slice()].concat());
    let wrapped = format!(r#"[{{"chatID":"b","transcript":{chat}}}]"#);
    assert_eq!(walk(&wrapped, Shape::List), [&["chat - at /0", r#"Id "b""#], inside.as_slice()].concat());
}

#[test]
fn an_import_has_its_chats_in_the_accounts_themselves() {
    let text = r#"{"u":{"c":{"id":"c","interactions":[{"humanMessage":{}}]},"d":null},"v":{},"w":null,"x":7}"#;
    assert_eq!(
        walk(text, Shape::Import),
        [
            "chat c of u at /u/c",
            r#"Id "c""#,
            r#"turn 0 {"humanMessage":{}}"#,
            "end of 1",
            "damage: shape: an account is a number"
        ]
    );
}

/// A damaged element costs itself; a missing comma costs nothing; a cut costs what is behind it.
#[test]
fn damage_costs_little() {
    let chats = |turns: &str| format!(r#"{{"k":{{"chat":{{"c":{{"interactions":[{turns}]}},"d":{{}}}}}}}}"#);
    let turn = |index| format!(r#"turn {index} {{"humanMessage":{{}}}}"#);
    let good = r#"{"humanMessage":{}}"#;
    let behind = ["chat d of k at /k/chat/d", "end of 0"];
    let damage = |index, error: &str, raw: &str| format!("damage {index}: {error} in {raw}");
    for (turns, want) in [
        (format!("{good},5,{good}"), [turn(0), damage(2, "shape: expected an object, found a number", "5"), turn(4), "end of 3".into()]),
        (
            format!("{good},{{\"a\":x}},{good}"),
            [turn(0), damage(2, "json: expected a value at byte 60, found `x`", "{\"a\":x}"), turn(4), "end of 3: json".into()],
        ),
        (
            format!("{good} {good}"),
            [turn(0), "damage 2: json: expected `,` or `]` at byte 55, found `{`".into(), turn(2), "end of 2: json".into()],
        ),
    ] {
        let got = walk(&chats(&turns), Shape::History);
        assert_eq!(got.get(1..5), Some(want.as_slice()), "{turns}");
        assert_eq!(got.get(5..), Some(behind.map(str::to_owned).as_slice()), "{turns}");
    }
    let whole = chats(good);
    let cut = whole.get(..whole.len() - 10).unwrap();
    assert_eq!(
        walk(cut, Shape::History),
        [
            "chat c of k at /k/chat/c".to_owned(),
            turn(0),
            "end of 1".into(),
            "damage: json: the text ends at byte 56, inside a value".into()
        ]
    );
}

/// A bracket too many or too few costs what is left of its chat, and no other chat.
#[test]
fn brackets_cost_one_chat_at_the_most() {
    let turn = r#"{"humanMessage":{"text":"q"}}"#;
    let chat = |id: &str, turns: &str| format!(r#""{id}":{{"id":"{id}","interactions":[{turns}]}}"#);
    let three = format!("{turn},{turn},{turn}");
    let text = |torn: &str| {
        let first = chat("c", &format!("{turn},{torn},{turn}"));
        format!(
            r#"{{"h-a":{{"chat":{{{first},{}}}}},"h-b":{{"chat":{{{}}}}}}}"#,
            chat("d", &three),
            chat("e", &three)
        )
    };
    for torn in [
        r#"{"humanMessage":{{"text":"q"}}"#,
        r#"{"humanMessage":{"text":"q"}"#,
        r#"{"humanMessage":["text":"q"}}"#,
        r#"{"humanMessage":{"text":{"q"}}"#,
        r#"{"humanMessage":{"text":"q"}}}"#,
        r#"{"humanMessage":{"text":"q}}"#,
        r#"[[{"humanMessage":{"text":"q"}}"#,
    ] {
        let events = walk(&text(torn), Shape::History);
        let of = |chat: &str| events.iter().any(|event| event.starts_with(chat));
        assert!(of("chat d of h-a at /h-a/chat/d") && of("chat e of h-b at /h-b/chat/e"), "{torn}: {events:?}");
        assert!(events.iter().filter(|event| event.starts_with("turn")).count() >= 7, "{torn}: {events:?}");
        assert!(of("damage"), "{torn}");
    }
}

/// Damage in every chat: all are found, or as many as reading the rest again and again may cost.
#[test]
fn every_chat_may_be_damaged() {
    let found = |count: usize, text: usize| {
        let text = "x".repeat(text);
        let chat = |id| format!(r#""c{id}":{{"id":"c{id}","interactions":[{{"humanMessage":{{{{"text":"{text}"}}}}]}}"#);
        let chats: Vec<String> = (0..count).map(chat).collect();
        let bytes = bytes(&format!(r#"{{"h-a":{{"chat":{{{}}}}}}}"#, chats.join(",")));
        Walk::new(&bytes, Shape::History, ALL).unwrap().filter(|event| matches!(event, Event::Chat(_))).count()
    };
    assert_eq!(found(20, 10), 20);
    assert!(found(200, 20_000) >= 4);
}

/// What is no chat is opened all the same, since its key is known.
#[test]
fn a_chat_may_be_none() {
    assert_eq!(
        walk(r#"{"chat":{"a":"text","b":nope,"c":null,"a":{}}}"#, Shape::History),
        [
            "chat a at /chat/a",
            "damage: shape: expected a chat, found a string",
            "end of 0: shape",
            "chat b at /chat/b",
            "damage: json: expected a value at byte 24, found `n` in nope",
            "end of 0: json",
            "chat a at /chat/a",
            "end of 0",
        ]
    );
}

/// A state holds the token as well: what a walk that may be lost meets is not shown.
#[test]
fn a_torn_state_shows_nothing_but_turns() {
    let text = r#"{"cody-local-chatHistory-v2":{"k":{"chat":{"c":{"interactions":[{"a":x},"secret",{"humanMessage":{}}]}}}}}"#;
    assert_eq!(
        walk(text, Shape::State),
        [
            "chat c of k at /cody-local-chatHistory-v2/k/chat/c",
            "damage 0: json: expected a value at byte 69",
            "damage 2: shape: expected an object, found a string",
            r#"turn 4 {"humanMessage":{}}"#,
            "end of 3: json",
        ]
    );
    let cut = r#"{"cody-config":{"token":"secr"#;
    let damage = |at: u64| format!("damage: json: a member that is not read is damaged or cut; it begins at byte {at}");
    assert_eq!(walk(cut, Shape::State), [damage(15)]);
    // However much of it is read before the damage is met, the place is the same.
    let long = format!(r#"{{"a":1, "token":["secret {}",}},"b":2}}"#, "x".repeat(1 << 20));
    assert_eq!(walk(&long, Shape::State), [damage(16)]);
}

/// Whatever is wrong with a value: the walk ends, and a chat read alone is as in the whole.
#[test]
fn a_chat_alone_is_as_in_the_whole_however_damaged() {
    let turn = r#"{"humanMessage":{"text":"a \"b\", [c]","contextFiles":[{"uri":{"path":"/x"}}]},"assistantMessage":null}"#;
    let chat = |id: u8| format!(r#""c{id}":{{"id":"c{id}","chatTitle":"t, {{","interactions":[{turn},{turn}]}}"#);
    let sound = format!(
        r#"{{"https://h/-a":{{"chat":{{{},{},"e":null}}}},"b":{{"chat":{{{}}},"input":["p"]}},"input":[1]}}"#,
        chat(1),
        chat(2),
        chat(3)
    );
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) as usize % bound
    };
    const SIGNS: &[u8] = b"\"\"\\{}[],:x1 n";
    for _ in 0..1_500 {
        let mut bytes = sound.clone().into_bytes();
        for _ in 0..=below(2) {
            let at = below(bytes.len());
            let sign = SIGNS[below(SIGNS.len())];
            match below(4) {
                0 => bytes.insert(at, sign),
                1 => drop(bytes.remove(at)),
                2 => bytes.truncate(at.max(1)),
                _ => bytes[at] = sign,
            }
        }
        let text = String::from_utf8(bytes).unwrap();
        if text.trim_start().starts_with('{') {
            walk(&text, Shape::History);
        }
    }
}
