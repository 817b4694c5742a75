use super::*;
use crate::agents::cody::transcript::{Form, Role, Said, Turn};
use crate::json::Document;
use crate::model::ToolCall;
use crate::table::{Place, Pointer, Source};
use std::sync::Arc;

/// The calls of a chat, given as its messages, the person's first.
fn calls(messages: &[&str]) -> Vec<Call> {
    let documents: Vec<Document> =
        messages.iter().map(|message| Document::parse(message.as_bytes().to_vec()).unwrap()).collect();
    let place = Arc::new(Place { root: None, path: "/h/chats".into() });
    let source = Source::new(&place, Some("chat".into()));
    let mut pairing = Pairing::default();
    let mut found = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        let role = if document.root().get("speaker").is_some_and(|s| s.is_str("human")) { Role::Human } else { Role::Assistant };
        let said = Said { index: index as i64, role, value: document.root(), field: None };
        let source = source.at(Pointer::record().join(index));
        let model = document.root().get("model").and_then(|model| model.as_str()).map(Arc::from);
        let base = ToolCall { message_index: Some(index as i64), model, source, ..ToolCall::default() };
        found.extend(pairing.next(&said, &base));
    }
    found.extend(pairing.end(true));
    found
}

fn lines(calls: &[Call]) -> Vec<String> {
    let text = |text: &Option<crate::text::Text>| text.as_ref().map_or("-".to_owned(), ToString::to_string);
    let line = |call: &Call| {
        let row = &call.row;
        let item = row.item_index.map_or("-".to_owned(), |item| item.to_string());
        let place = format!("{}.{item} {}", row.message_index.unwrap(), row.source.pointer);
        let status = row.status.unwrap().as_str();
        format!(
            "{place} | {} {} | {} | {} | {status} {}",
            text(&row.tool_use_id),
            text(&row.tool_name),
            text(&row.arguments),
            text(&row.result),
            row.status_basis.unwrap()
        )
    };
    calls.iter().map(line).collect()
}

/// K21.
#[test]
fn results_stand_in_the_next_prompt() {
    let state = |id: &str, name: &str, content: &str| {
        format!(
            r#"{{"type":"tool-state","toolId":"{id}","toolName":"{name}","status":"done","outputType":"x",
            "content":"{content}","uri":{{"path":"/","scheme":"file"}}}}"#
        )
    };
    let states = format!(
        "[{}, {}]",
        state("toolu_1", "run_terminal_command", "1 failed<sterr>error</sterr>"),
        state("toolu_2", "text_editor", "Edited src/x.py")
    );
    let answer = format!(
        r#"{{"speaker":"assistant","model":"anthropic::v::m","text":"Running.","content":[
            {{"type":"text","text":"Running."}},
            {{"type":"tool_call","tool_call":{{"id":"toolu_1","name":"run_terminal_command","arguments":"{{\"command\":\"pytest -q\"}}"}}}},
            {{"type":"tool_call","tool_call":{{"id":"toolu_2","name":"text_editor","arguments":"{{\"command\":\"insert\",\"path\":\"src/x.py\"}}"}}}}],
          "contextFiles":{states}}}"#
    );
    let results = format!(
        r#"{{"speaker":"human","intent":"agentic","content":[
            {{"type":"tool_result","tool_result":{{"id":"toolu_1","content":"1 failed<sterr>error</sterr>"}}}},
            {{"type":"tool_result","tool_result":{{"id":"toolu_2","content":"Edited src/x.py"}}}}],
          "contextFiles":{states}}}"#
    );
    let found = calls(&[r#"{"speaker":"human","text":"run the tests"}"#, &answer, &results]);
    assert_eq!(
        lines(&found),
        [
            r#"1.1 /1/content/1 | toolu_1 run_terminal_command | {"command":"pytest -q"} | 1 failed<sterr>error</sterr> | error sterr_suffix"#,
            r#"1.2 /1/content/2 | toolu_2 text_editor | {"command":"insert","path":"src/x.py"} | Edited src/x.py | ok result"#,
        ]
    );
    let [terminal, editor] = found.as_slice() else { panic!() };
    assert_eq!(terminal.row.command.as_ref().unwrap(), "pytest -q");
    assert_eq!((terminal.row.path.as_ref(), editor.row.command.as_ref()), (None, None));
    assert_eq!(editor.row.path.as_ref().unwrap(), "src/x.py");
    assert_eq!(terminal.row.model.as_deref(), Some("anthropic::v::m"));
    assert!(terminal.row.output.as_ref().unwrap().to_str().starts_with(r#"{"type":"tool-state","toolId":"toolu_1""#));
    let done = [answer.replace(">error<", ">done<"), results.replace(">error<", ">done<")];
    let [terminal, _] = calls(&[&done[0], &done[1]]).try_into().unwrap();
    assert_eq!((terminal.row.status_basis, terminal.row.exit_code), (Some("sterr_suffix"), Some(0)));
}

#[test]
fn ids_pair_two_messages_only() {
    let call = |id: &str| {
        format!(r#"{{"content":[{{"type":"tool_call","tool_call":{{"id":"{id}","name":"t","arguments":""}}}}]}}"#)
    };
    let result = |id: &str, text: &str| {
        format!(r#"{{"content":[{{"type":"tool_result","tool_result":{{"id":"{id}","content":"{text}"}}}}]}}"#)
    };
    let (first, second) = (result("a", "r1"), result("b", "r2"));
    assert_eq!(
        lines(&calls(&[&call("a"), &first, &call("a"), &second, &call("b")])),
        [
            "0.0 /0/content/0 | a t | {} | r1 | ok result",
            "2.0 /2/content/0 | a t | {} | - | unknown no_result",
            "3.0 /3/content/0 | b - | - | r2 | ok result",
            "4.0 /4/content/0 | b t | {} | - | pending no_result",
        ]
    );
}

#[test]
fn records_of_tools_count_without_parts() {
    let message = |status: &str, content: &str| {
        format!(
            r#"{{"content":[],"contextFiles":[{{"type":"file","uri":"x"}},
            {{"type":"tool-state","toolId":"a","toolName":"code_search","status":"{status}","content":"{content}"}}]}}"#
        )
    };
    let (begun, over) = (message("pending", "{}"), message("done", "3 files"));
    assert_eq!(
        lines(&calls(&[&begun, &over])),
        ["0.- /0/contextFiles/1 | a code_search | - | 3 files | ok result"]
    );
    assert_eq!(lines(&calls(&[&begun])), ["0.- /0/contextFiles/1 | a code_search | - | - | pending no_result"]);
}

/// The parts of one week in March 2025 hold their result.
#[test]
fn function_parts_hold_their_result() {
    let part = |rest: &str| {
        format!(r#"{{"content":[{{"type":"function","id":"f","function":{{"name":"get_file","arguments":"{{\"name\":\"a.ts\"}}"}}{rest}}}]}}"#)
    };
    let all = [
        part(r#","status":"done","result":"text""#),
        part(r#","status":"error","result":"no such file""#),
        part(r#","status":"done","result":{"n": 1}"#),
        part(r#","status":"pending""#),
    ];
    let found = calls(&all.each_ref().map(String::as_str));
    assert_eq!(
        lines(&found),
        [
            r#"0.0 /0/content/0 | f get_file | {"name":"a.ts"} | text | ok result"#,
            r#"1.0 /1/content/0 | f get_file | {"name":"a.ts"} | no such file | error state"#,
            r#"2.0 /2/content/0 | f get_file | {"name":"a.ts"} | {"n":1} | ok result"#,
            r#"3.0 /3/content/0 | f get_file | {"name":"a.ts"} | - | pending no_result"#,
        ]
    );
    assert_eq!(found[0].row.path.as_ref().unwrap(), "a.ts");
}

/// K23.
#[test]
fn steps_are_calls() {
    let prompt = r#"{"speaker":"human","text":"what changed?","processes":[
        {"type":"step","id":"deep-cody","title":"Thinking","state":"success"},
        {"type":"tool","id":"TOOLCLI","title":"Terminal","content":"git log","state":"pending",
         "items":[{"type":"file","source":"terminal","title":"Terminal Output","content":"abc","uri":{"path":"/git log"}}]},
        {"type":"tool","id":"TOOLFILE","title":"Codebase File","content":"a.ts","state":"error",
         "error":{"name":"Error","message":"not found"}},
        {"type":"confirmation","id":"TOOLCLI-1","title":"Terminal","content":"git log","state":"pending"}]}"#;
    let found = calls(&[prompt, r#"{"speaker":"assistant","text":"Nothing."}"#]);
    assert_eq!(
        lines(&found),
        [
            r#"0.2 /0/processes/1 | TOOLCLI Terminal | "git log" | abc | ok items"#,
            r#"0.3 /0/processes/2 | TOOLFILE Codebase File | "a.ts" | not found | error state"#,
        ]
    );
    let [terminal, file] = found.as_slice() else { panic!() };
    assert_eq!((terminal.row.command.as_ref().unwrap(), terminal.row.decision), (&"git log".into(), Some("approved")));
    assert_eq!((file.row.path.as_ref().unwrap(), file.row.decision), (&"a.ts".into(), None));
}

/// The fixture of seed 004: a step that tells of the call beside it.
#[test]
fn a_step_with_the_id_of_a_call_is_that_call() {
    let answer = r#"{"text":"Running tests.","content":[{"type":"text","text":"Running tests."},
        {"type":"tool_call","tool_call":{"id":"toolu_01","name":"run_terminal_command","arguments":"{\"command\":\"pytest -q\"}"}}],
        "processes":[{"type":"tool","id":"toolu_01","title":"run_terminal_command","content":"pytest -q","state":"success"}]}"#;
    assert_eq!(
        lines(&calls(&[answer])),
        [r#"0.1 /0/content/1 | toolu_01 run_terminal_command | {"command":"pytest -q"} | - | ok state"#]
    );
}

#[test]
fn what_has_another_shape_is_no_call() {
    let odd = r#"{"content":[5,null,"x",{"type":"tool_call"},{"type":"tool_call","tool_call":7},{"type":"hologram"},
        {"type":"tool_result","tool_result":{"id":"x","content":null}}],
        "processes":[5,{"type":"tool"},{"type":7}],"contextFiles":{"type":"tool-state"}}"#;
    assert_eq!(
        lines(&calls(&[odd, "{\"content\":{},\"processes\":\"x\"}", "5"])),
        [
            "0.6 /0/content/6 | x - | - |  | ok result",
            "0.8 /0/processes/1 | - - | - | - | unknown no_result",
        ]
    );
}

/// The changes of one call of the editor tool: its arguments, its answer, what else its record holds.
fn edits(arguments: &str, answer: &str, rest: &str) -> crate::model::Edit {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let call = format!(
        r#"{{"content":[{{"type":"tool_call","tool_call":{{"id":"t","name":"text_editor","arguments":{}}}}}]}}"#,
        quoted(arguments)
    );
    let result = format!(
        r#"{{"content":[{{"type":"tool_result","tool_result":{{"id":"t","content":{}}}}}],"contextFiles":[
            {{"type":"tool-state","toolId":"t","toolName":"text_editor","status":"done"{rest}}}]}}"#,
        quoted(answer)
    );
    let found = calls(&[&call, &result]);
    edit::of_call(&found[0]).unwrap()
}

fn row(edit: &crate::model::Edit) -> Vec<String> {
    use crate::table::{Cell, Row};
    let shown = ["operation", "path", "absolute_path", "old_text", "new_text", "diff", "lines_added", "lines_removed", "status", "basis"];
    let columns = crate::model::Edit::COLUMNS.iter().enumerate().filter(|(_, column)| shown.contains(&column.name));
    let cell = |cell| match cell {
        Cell::Null => "-".to_owned(),
        Cell::Integer(number) => number.to_string(),
        cell => cell.into_text().unwrap_or_default().into_owned(),
    };
    columns.map(|(index, _)| cell(edit.cell(index))).collect()
}

/// K22, and the tool's other commands.
#[test]
fn the_editor_tool_changes_files() {
    let replace = r#"{"command":"str_replace","path":"src/x.py","old_str":"a","new_str":"b"}"#;
    let diff = "Edited src/x.py\n```diff\n1 - a = 1\n1 + b = 1\n2   - c\n```";
    let file = r#","uri":{"$mid":1,"path":"/c:/p/src/x.py","scheme":"file"},"metadata":["a = 1\n","b = 1\n"]"#;
    let numbered = "1 - a = 1\n1 + b = 1\n2   - c";
    let whole = edits(replace, diff, file);
    assert_eq!(
        row(&whole),
        ["src/x.py", "c:\\p\\src\\x.py", "edit", "a = 1\n", "b = 1\n", numbered, "1", "1", "applied", "metadata"]
    );
    assert_eq!(whole.tool_use_id.as_ref().unwrap(), "t");
    let nothing = r#","uri":{"path":"/","scheme":"file"}"#;
    for (arguments, answer, rest, expected) in [
        (replace, diff, "", ["src/x.py", "-", "edit", "a", "b", numbered, "1", "1", "applied", "input"]),
        (
            replace,
            "Failed: No replacement performed: text not found in x.py.",
            nothing,
            ["src/x.py", "-", "edit", "a", "b", "-", "-", "-", "failed", "input"],
        ),
        (
            r#"{"command":"str_replace","path":"x","old_str":"a"}"#,
            "Edited x",
            "",
            ["x", "-", "edit", "a", "", "-", "0", "1", "applied", "input"],
        ),
        (
            r#"{"command":"create","path":"n.py","file_text":"1\n2\n"}"#,
            "File created successfully at: n.py",
            "",
            ["n.py", "-", "create", "-", "1\n2\n", "-", "2", "0", "applied", "input"],
        ),
        (
            r#"{"command":"insert","path":"x","insert_line":0,"new_str":"1\n2"}"#,
            "Inserted content at line 0 in x.",
            "",
            ["x", "-", "edit", "-", "1\n2", "-", "2", "0", "applied", "input"],
        ),
        (
            r#"{"command":"undo_edit","path":"x"}"#,
            "Undo is not supported directly. Use the Source Control UI to revert changes.",
            "",
            ["x", "-", "edit", "-", "-", "-", "-", "-", "failed", "input"],
        ),
        (
            r#"{"command":"str_replace","path":"x","old_str":"a","new_str":"a"}"#,
            "Edited x\n```diff\n// No changes detected\n```",
            r#","metadata":["a","a"]"#,
            ["x", "-", "edit", "a", "a", "// No changes detected", "0", "0", "unchanged", "metadata"],
        ),
        (
            r#"{"command":"str_rep"#,
            diff,
            "",
            ["-", "-", "edit", "-", "-", numbered, "1", "1", "applied", "diff_fence"],
        ),
    ] {
        assert_eq!(row(&edits(arguments, answer, rest)), expected, "{arguments} {answer}");
    }
}

#[test]
fn an_answer_of_the_edit_mode_proposes() {
    let proposed = |prompt: &str, answer: &str| {
        let pair = format!(r#"{{"humanMessage":{{{prompt}}},"assistantMessage":{{{answer}}}}}"#);
        let document = Document::parse(pair.into_bytes()).unwrap();
        let turn = Turn { form: Form::Pair, position: 0, document, pointer: Pointer::record() };
        let rows: Vec<_> =
            turn.messages().filter_map(|said| edit::proposed(&turn, &said, &ToolCall::default())).collect();
        rows.iter().map(row).collect::<Vec<_>>()
    };
    let text = r#""text":"Here is the proposed change:\n\n```diff\n def f():\n- old\n-    1\n+ new\n```""#;
    let diff = " def f():\n- old\n-    1\n+ new";
    let want = [["-", "-", "edit", "-", "-", diff, "1", "2", "unknown", "diff_fence"].map(str::to_owned).to_vec()];
    for (prompt, own, is_edit) in [
        ("edit", Some("edit"), true),
        ("edit", None, true),
        ("insert", None, true),
        ("chat", Some("insert"), true),
        ("edit", Some("chat"), false),
        ("chat", None, false),
    ] {
        let own = own.map(|own| format!(r#""intent":"{own}","#)).unwrap_or_default();
        let found = proposed(&format!(r#""intent":"{prompt}","text":"```diff\n- x\n```""#), &format!("{own}{text}"));
        assert_eq!(found, if is_edit { &want[..] } else { &[] }, "{prompt} {own}");
    }
    assert!(proposed(r#""intent":"edit""#, r#""text":"No change.""#).is_empty());
}
