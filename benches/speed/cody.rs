//! A Cody history as VS Code keeps it: one value that holds every chat.

use super::random::Random;
use super::texts::Texts;
use rusqlite::{Connection, params};
use serde_json::json;
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Writes a `state.vscdb` whose Cody value is about `bytes` long.
pub fn write(path: &Path, texts: &Texts, random: &mut Random, bytes: usize) -> Result<()> {
    let mut value = String::from(
        r#"{"SOURCEGRAPH_CODY_ENDPOINT":"https://sourcegraph.com/","cody-local-chatHistory-v2":{"https://sourcegraph.com/-ana":{"chat":{"#,
    );
    let mut index = 0;
    while index == 0 || value.len() < bytes {
        if index > 0 {
            value.push(',');
        }
        let (day, hour) = (index / 24, index % 24);
        let id = format!(
            "{:02} {} {} {hour:02}:15:00 GMT",
            1 + day % 28,
            ["Jan", "Feb", "Mar"][day / 28 % 3],
            2023 + day / 84
        );
        let id = format!("Mon, {id}");
        let most = random.lognormal(40_000, 0.9);
        let chat = chat(texts, random, &id, most);
        value.push_str(&format!("{}:{chat}", json!(id)));
        index += 1;
    }
    value.push_str("}}},\"telemetry\":true}");
    let db = Connection::open(path)?;
    db.execute_batch(
        "PRAGMA synchronous=0;
         CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
         INSERT INTO ItemTable VALUES ('workbench.telemetryOptOutShown', 'true')",
    )?;
    db.execute("INSERT INTO ItemTable VALUES ('sourcegraph.cody-ai', ?1)", params![value])?;
    Ok(())
}

fn chat(texts: &Texts, random: &mut Random, id: &str, bytes: usize) -> String {
    let (mut interactions, mut length) = (Vec::new(), 0);
    while length == 0 || length < bytes {
        let asked = random.lognormal(300, 0.9);
        let answered = random.lognormal(1_500, 0.8);
        let files: Vec<_> = (0..random.below(4))
            .map(|_| {
                let (path, text) = texts.file(random);
                json!({"type": "file", "uri": {"$mid": 1, "path": format!("/home/ana/api/{path}"), "scheme": "file"},
                    "source": "search", "size": text.len() / 4, "content": text})
            })
            .collect();
        let code = texts.code(random, answered / 2);
        let interaction = json!({
            "humanMessage": {"speaker": "human", "text": texts.prose(random, asked), "contextFiles": files,
                "editorState": null, "intent": "chat"},
            "assistantMessage": {"speaker": "assistant", "model": "anthropic::2024-10-22::claude-sonnet-4-latest",
                "text": format!("{}\n```rust\n{code}```", texts.prose(random, answered))},
        });
        let interaction = interaction.to_string();
        length += interaction.len();
        interactions.push(interaction);
    }
    let title = json!(texts.title(random));
    format!(
        r#"{{"id":{},"chatTitle":{title},"lastInteractionTimestamp":{},"interactions":[{}]}}"#,
        json!(id),
        json!(id),
        interactions.join(",")
    )
}
