use super::super::{Form, Turn};
use super::*;
use crate::json::Document;

/// Message index, turn type, kind, synthetic, tool name, id, text, pointer; an error instead of the text.
fn rows(form: Form, json: &str) -> Vec<String> {
    let document = Document::parse(json.as_bytes().to_vec()).unwrap();
    let turn = Turn { form, position: 0, document, pointer: Pointer::record() };
    let shown = |value: Option<Value<'_>>| value.and_then(|v| v.as_str()).unwrap_or("-".into()).into_owned();
    let mut out = Vec::new();
    for said in turn.messages() {
        for item in items(&said) {
            let text = item.text.and_then(Words::text).map_or("NULL".into(), |text| text.to_str().into_owned());
            out.push(format!(
                "{} {} {}{} {} {} {} {}",
                said.index,
                item.turn.as_str(),
                item.kind.as_str(),
                if item.is_synthetic { "*" } else { "" },
                shown(item.tool_name),
                shown(item.tool_use_id),
                item.error.map_or(text, |error| error.to_string()),
                item.place.pointer(&said.pointer(&turn)),
            ));
        }
    }
    out
}

fn pair(json: &str) -> Vec<String> {
    rows(Form::Pair, json)
}

#[test]
fn a_question_and_its_answer() {
    let got = pair(
        r#"{"humanMessage":{"speaker":"human","text":"why?","displayText":"why?"},
            "assistantMessage":{"speaker":"assistant","text":"Because."}}"#,
    );
    assert_eq!(
        got,
        ["0 user text - - why? /humanMessage/text", "1 assistant text - - Because. /assistantMessage/text"]
    );
}

/// K17: no answer, in every form; an answer that is only an error.
#[test]
fn an_answer_may_be_missing() {
    for answer in [r#","assistantMessage":null"#, r#","assistantMessage":{"speaker":"assistant"}"#, ""] {
        assert_eq!(pair(&format!(r#"{{"humanMessage":{{"text":"q"}}{answer}}}"#)), ["0 user text - - q /humanMessage/text"]);
    }
    assert_eq!(
        pair(r#"{"assistantMessage":{"speaker":"assistant","error":{"name":"RateLimitError","message":"Too many."}}}"#),
        ["1 system error - - Too many. /assistantMessage/error"]
    );
    assert_eq!(
        pair(r#"{"assistantMessage":{"error":"plain words"}}"#),
        ["1 system error - - plain words /assistantMessage/error"]
    );
}

/// K21: text once, calls, and the carrier of their results.
#[test]
fn an_agentic_turn() {
    assert_eq!(
        pair(
            r#"{"humanMessage":{"content":[{"type":"tool_result","tool_result":{"id":"toolu_0","content":"1 failed"}},{"type":"text","text":"go on"}]},
                "assistantMessage":{"text":"Running.","content":[{"type":"text","text":"Running."},
                    {"type":"tool_call","tool_call":{"id":"toolu_1","name":"run_terminal_command","arguments":"{\"command\":\"ls\"}"}},
                    {"type":"function","id":"f1","function":{"name":"get_file","arguments":"{}"},"status":"done"}]}}"#
        ),
        [
            "0 tool_result tool_result* - toolu_0 1 failed /humanMessage/content/0",
            "0 user text* - - go on /humanMessage/content/1",
            "1 assistant text - - Running. /assistantMessage/content/0",
            "1 tool_use tool_use run_terminal_command toolu_1 {\"command\":\"ls\"} /assistantMessage/content/1",
            "1 tool_use tool_use get_file f1 {} /assistantMessage/content/2",
        ]
    );
}

#[test]
fn content_without_a_text_part_does_not_hide_the_text() {
    let call = r#"{"type":"tool_call","tool_call":{"id":"t","name":"n","arguments":"{}"}}"#;
    assert_eq!(
        pair(&format!(r#"{{"assistantMessage":{{"text":"Said.","content":[{call}]}}}}"#)),
        ["1 tool_use tool_use n t {} /assistantMessage/content/0", "1 assistant text - - Said. /assistantMessage/text"]
    );
    assert_eq!(
        pair(&format!(r#"{{"assistantMessage":{{"text":"","content":[{call}]}}}}"#)),
        ["1 tool_use tool_use n t {} /assistantMessage/content/0"]
    );
    assert_eq!(
        pair(r#"{"assistantMessage":{"text":"","content":[]}}"#),
        ["1 assistant text - -  /assistantMessage/text"]
    );
}

/// K23.
#[test]
fn steps_stand_behind_the_text() {
    assert_eq!(
        pair(
            r#"{"humanMessage":{"processes":[
                {"type":"step","id":"deep-cody","title":"Deep Cody","content":"Reflecting","state":"success"},
                {"type":"tool","id":"TOOLCLI","title":"Terminal","content":"git log","state":"pending","items":[]},
                {"type":"confirmation","id":"TOOLCLI-1","title":"Terminal","content":"rm x","state":"error","error":{"message":"Command rejected"}},
                {"id":"old","content":"of v1.56","status":"success","step":1}, 7],
                "text":"look"}}"#
        ),
        [
            "0 user text - - look /humanMessage/text",
            "0 system step Deep Cody deep-cody Reflecting /humanMessage/processes/0",
            "0 tool_use step Terminal TOOLCLI git log /humanMessage/processes/1",
            "0 system confirmation Terminal TOOLCLI-1 rm x /humanMessage/processes/2",
            "0 system step - old of v1.56 /humanMessage/processes/3",
            "0 system unknown - - shape: a step is a number /humanMessage/processes/4",
        ]
    );
}

/// K25.
#[test]
fn other_parts() {
    assert_eq!(
        pair(
            r#"{"humanMessage":{"content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},
                {"type":"hologram"},{"type":"context_file","uri":"file:///p/a.ts","content":"x"},{"type":"context_repo","repoId":"R"},
                "loose",{"type":"tool_call"},{"x":1},{"type":"text","text":null}]},
                "assistantMessage":{"text":"Search found 2 results","search":{"query":"pool","response":null},
                "subMessages":[{"text":"part"},{"step":{"id":"tool_x","content":"Invoking"}}]}}"#
        ),
        [
            "0 user text - - see /humanMessage/content/0",
            "0 user media - - [image] /humanMessage/content/1",
            "0 system unknown - - shape: a part of an unknown type /humanMessage/content/2",
            "0 user context* - - x /humanMessage/content/3",
            "0 user context* - - NULL /humanMessage/content/4",
            "0 system unknown - - shape: a part is a string /humanMessage/content/5",
            "0 system unknown - - shape: a tool_call part without its tool_call /humanMessage/content/6",
            "0 system unknown - - shape: a part without a type /humanMessage/content/7",
            "0 user text - - NULL /humanMessage/content/8",
            "1 assistant text - - Search found 2 results /assistantMessage/text",
            "1 assistant text - - part /assistantMessage/subMessages/0/text",
            "1 system step - tool_x Invoking /assistantMessage/subMessages/1/step",
            "1 assistant search - - pool /assistantMessage/search",
        ]
    );
}

#[test]
fn a_message_of_another_shape() {
    assert_eq!(
        pair(r#"{"humanMessage":"hi","assistantMessage":{"text":{"a":1}}}"#),
        [
            "0 system unknown - - shape: a message is a string /humanMessage",
            "1 system unknown - - shape: the text is an object /assistantMessage/text"
        ]
    );
}

#[test]
fn speakers_of_2023() {
    assert_eq!(
        rows(Form::Lone, r#"{"speaker":"assistant","text":"hello","displayText":"hello"}"#),
        ["0 assistant text - - hello /text"]
    );
    assert_eq!(rows(Form::Lone, r#"{"displayText":"hi"}"#), ["0 user text - - hi /displayText"]);
    assert_eq!(rows(Form::Lone, r#"{"speaker":"system","text":"be kind"}"#), ["0 system text - - be kind /text"]);
}
