//! Threads as Zed keeps them: documents of every generation, and the database that holds them.

use super::random::Random;
use super::texts::Texts;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Writes a `threads.db` of about `bytes` of decoded JSON in `threads` threads; the last of them is `giant` bytes long,
/// where that is not 0.
pub fn write(
    path: &Path,
    texts: &Texts,
    random: &mut Random,
    threads: usize,
    bytes: usize,
    giant: usize,
) -> Result<()> {
    let db = Connection::open(path)?;
    db.execute_batch(
        "PRAGMA synchronous=0; PRAGMA journal_mode=delete;
         CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL,
           data_type TEXT NOT NULL, data BLOB NOT NULL);
         ALTER TABLE threads ADD COLUMN parent_id TEXT;
         ALTER TABLE threads ADD COLUMN folder_paths TEXT;
         ALTER TABLE threads ADD COLUMN folder_paths_order TEXT;
         ALTER TABLE threads ADD COLUMN created_at TEXT;
         BEGIN",
    )?;
    let mut written = 0;
    for index in 0..threads {
        let left = bytes.saturating_sub(written) / (threads - index);
        let most = if giant > 0 && index + 1 == threads { giant } else { random.lognormal(left * 2 / 3, 0.9) };
        let document = document(texts, random, most);
        written += document.len();
        // A few rows are plain JSON, and a tenth of the frames tell their size, as other versions of zstd do.
        let (data_type, data) = match random.below(100) {
            0..3 => ("json", document.into_bytes()),
            3..13 => ("zstd", zstd::bulk::compress(document.as_bytes(), 3)?),
            _ => ("zstd", zstd::encode_all(document.as_bytes(), 3)?),
        };
        let updated = format!(
            "2026-{:02}-{:02}T{:02}:00:{:02}.5+00:00",
            1 + index * 12 / threads,
            1 + random.below(28),
            random.below(24),
            random.below(60)
        );
        db.execute(
            "INSERT INTO threads VALUES (?1, ?2, ?3, ?4, ?5, NULL, '/home/ana/api', '0', '2025-12-01T09:00:00+00:00')",
            params![random.uuid(), texts.title(random), updated, data_type, data],
        )?;
    }
    db.execute_batch("COMMIT")?;
    Ok(())
}

/// The text of one thread, of at least `bytes` once it has a message.
fn document(texts: &Texts, random: &mut Random, bytes: usize) -> String {
    let generation = random.below(100);
    let title = serde_json::json!(texts.title(random));
    let mut text = format!(r#"{{"title":{title},"messages":["#);
    let mut index = 0;
    while index == 0 || text.len() < bytes {
        if index > 0 {
            text.push(',');
        }
        let is_user = index == 0 || random.percent(12);
        let message = match generation {
            0..82 if is_user => user(texts, random),
            0..82 => agent(texts, random),
            _ => old(texts, random, index, is_user),
        };
        text.push_str(&message.to_string());
        index += 1;
    }
    let version = match generation {
        0..82 => r#","version":"0.3.0""#,
        82..95 => r#","version":"0.2.0""#,
        _ => "",
    };
    let behind = json!({
        "updated_at": "2026-03-01T09:01:05.5Z",
        "initial_project_snapshot": {"worktree_snapshots": [{"worktree_path": "/home/ana/api", "git_state":
            {"remote_url": null, "head_sha": "1f2e3d", "current_branch": "main", "diff": null}}],
            "timestamp": "2026-03-01T09:00:00Z"},
        "cumulative_token_usage": {"input_tokens": 1000, "output_tokens": 200},
        "request_token_usage": {},
        "model": {"provider": "anthropic", "model": "claude-sonnet-4-5"},
        "profile": "write",
    });
    let behind = behind.to_string();
    text.push_str("],");
    text.push_str(&behind[1..behind.len() - 1]);
    text.push_str(version);
    text.push('}');
    text
}

fn user(texts: &Texts, random: &mut Random) -> Value {
    let bytes = random.lognormal(300, 1.0);
    let mut content = vec![json!({"Text": texts.prose(random, bytes)})];
    if random.percent(30) {
        let (path, text) = texts.file(random);
        content.push(
            json!({"Mention": {"uri": {"File": {"abs_path": format!("/home/ana/api/{path}")}}, "content": text}}),
        );
    }
    if random.percent(3) {
        let bytes = random.lognormal(30_000, 0.6);
        content.push(json!({"Image": {"source": texts.picture(random, bytes), "size": null}}));
    }
    json!({"User": {"id": random.uuid(), "content": content}})
}

fn agent(texts: &Texts, random: &mut Random) -> Value {
    let mut content = Vec::new();
    if random.percent(40) {
        let bytes = random.lognormal(500, 0.9);
        content
            .push(json!({"Thinking": {"text": texts.prose(random, bytes), "signature": texts.picture(random, 300)}}));
    }
    if random.percent(60) {
        let bytes = random.lognormal(400, 1.0);
        content.push(json!({"Text": texts.prose(random, bytes)}));
    }
    let mut results = serde_json::Map::new();
    for _ in 0..1 + random.below(2) {
        let id = format!("toolu_{:016x}", random.bits());
        let call = call(texts, random);
        content.push(json!({"ToolUse": {"id": id, "name": call.name, "raw_input": call.input.to_string(),
            "input": call.input, "is_input_complete": true, "thought_signature": null}}));
        // A few calls were cut off: no result.
        if !random.percent(3) {
            results.insert(
                id.clone(),
                json!({"tool_use_id": id, "tool_name": call.name, "is_error": random.percent(6),
                "content": [{"Text": call.result}], "output": call.output}),
            );
        }
    }
    json!({"Agent": {"content": content, "tool_results": results, "reasoning_details": null}})
}

/// A tool call with what came of it.
struct Call {
    name: &'static str,
    input: Value,
    result: String,
    output: Value,
}

fn call(texts: &Texts, random: &mut Random) -> Call {
    match random.below(10) {
        0..3 => {
            let (path, old, new, diff) = texts.edit(random);
            Call {
                name: "edit_file",
                input: json!({"path": path, "display_description": texts.title(random), "mode": "edit"}),
                result: format!("Edited {path}:\n\n```diff\n{diff}\n```"),
                output: json!({"original_path": path, "new_text": new, "old_text": old, "diff": diff}),
            }
        }
        3..6 => {
            let (path, text) = texts.file(random);
            Call {
                name: "read_file",
                input: json!({"path": path, "start_line": random.below(50)}),
                result: text.to_owned(),
                output: json!(text),
            }
        }
        6..9 => {
            let bytes = random.lognormal(1_200, 1.1);
            let log = texts.log(random, bytes);
            Call {
                name: "terminal",
                input: json!({"command": format!("cargo test {}", texts.title(random)), "cd": "api"}),
                result: format!("```\n{log}\n```"),
                output: json!(log),
            }
        }
        _ => {
            let bytes = random.lognormal(700, 0.9);
            Call {
                name: "grep",
                input: json!({"regex": texts.title(random)}),
                result: texts.code(random, bytes),
                output: Value::Null,
            }
        }
    }
}

/// A message of the generations that had roles.
fn old(texts: &Texts, random: &mut Random, index: usize, is_user: bool) -> Value {
    let bytes = random.lognormal(450, 1.0);
    let segments = json!([{"type": "text", "text": texts.prose(random, bytes)}]);
    if is_user {
        return json!({"id": index, "role": "user", "segments": segments, "tool_uses": [], "tool_results": [],
            "context": "", "creases": [], "is_hidden": false});
    }
    let id = format!("toolu_{:016x}", random.bits());
    let call = call(texts, random);
    json!({"id": index, "role": "assistant", "segments": segments,
        "tool_uses": [{"id": id, "name": call.name, "input": call.input}],
        "tool_results": [{"tool_use_id": id, "is_error": false, "content": {"Text": call.result}, "output": call.output}],
        "context": "", "creases": [], "is_hidden": false})
}
