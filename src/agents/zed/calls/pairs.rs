//! Which result answers which call.
//!
//! Ids repeat in a thread, so a call and its result pair inside one message only. In 0.1.0 the results of a message
//! stand in the user message behind it, which carries nothing else.

use crate::agents::zed::thread::item::{Call, Content, Item, Place, ToolResult};
use crate::agents::zed::thread::message::Message;
use crate::error::Error;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

/// A call with its result, a call alone, a result alone, or one of them that did not decode.
#[derive(Debug, Clone)]
pub struct Pair<'m, 'd> {
    /// The item whose place the row has: the call's, else the result's.
    pub item: &'m Item<'d>,
    /// The position of that item in its message.
    pub index: usize,
    /// The call.
    pub call: Option<&'m Call<'d>>,
    /// Its result.
    pub result: Option<&'m ToolResult<'d>>,
    /// Why the item did not decode.
    pub error: Option<&'m Error>,
}

/// The pairs of a message, in the order of its items. `before` is the message in front of it, `after` the one behind.
pub fn pairs<'m, 'd>(
    message: &'m Message<'d>,
    before: Option<&'m Message<'d>>,
    after: Option<&'m Message<'d>>,
) -> Vec<Pair<'m, 'd>> {
    let mut own = Results::of(message);
    if let Some(before) = before.filter(|_| message.is_carrier) {
        // These are told with the calls that they answer.
        let mut earlier = Results::of(before);
        for call in calls(before) {
            let _ = earlier.claim(call).or_else(|| own.claim(call));
        }
    }
    let mut carried = after.filter(|after| after.is_carrier).map(Results::of);
    let mut pairs = Vec::new();
    for (index, item) in message.items.iter().enumerate() {
        let pair = Pair { item, index, call: None, result: None, error: None };
        match &item.content {
            Content::Call(call) => {
                let result = own.claim(call).or_else(|| carried.as_mut()?.claim(call));
                pairs.push(Pair { call: Some(call), result, ..pair });
            }
            Content::Result(result) => pairs.push(Pair { result: Some(result), ..pair }),
            Content::Damaged(error) if is_about_calls(item) => pairs.push(Pair { error: Some(error), ..pair }),
            _ => {}
        }
    }
    // Results stand behind the calls, so that it is known by now which of them are alone.
    pairs.retain(|pair| pair.call.is_some() || pair.error.is_some() || !own.claimed.contains(&pair.index));
    pairs
}

fn calls<'m, 'd>(message: &'m Message<'d>) -> impl Iterator<Item = &'m Call<'d>> {
    message.items.iter().filter_map(|item| if let Content::Call(call) = &item.content { Some(call) } else { None })
}

/// Would this item be a call or a result, had it decoded?
fn is_about_calls(item: &Item<'_>) -> bool {
    match item.place {
        Place::VariantEntry(..) => true,
        Place::VariantElement(..) => item.raw.get("ToolUse").is_some(),
        Place::Element(name, _) | Place::Member(name) | Place::VariantMember(_, name) => {
            matches!(name, "tool_uses" | "tool_results")
        }
        Place::Whole => false,
    }
}

/// The results of a message by the id of their call; each answers one call.
struct Results<'m, 'd> {
    open: HashMap<Cow<'d, str>, VecDeque<(usize, &'m ToolResult<'d>)>>,
    claimed: HashSet<usize>,
}

impl<'m, 'd> Results<'m, 'd> {
    fn of(message: &'m Message<'d>) -> Self {
        let mut open: HashMap<_, VecDeque<_>> = HashMap::new();
        for (index, item) in message.items.iter().enumerate() {
            if let Content::Result(result) = &item.content
                && let Some(id) = id(result)
            {
                open.entry(id).or_default().push_back((index, result));
            }
        }
        Self { open, claimed: HashSet::new() }
    }

    /// The first result of `call` that no call before it has.
    fn claim(&mut self, call: &Call<'d>) -> Option<&'m ToolResult<'d>> {
        let (index, result) = self.open.get_mut(&call.id?.as_str()?)?.pop_front()?;
        self.claimed.insert(index);
        Some(result)
    }
}

/// The key under which a result stands counts, where it has one.
fn id<'d>(result: &ToolResult<'d>) -> Option<Cow<'d, str>> {
    result.key.map(|key| key.as_str()).or_else(|| result.id?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::zed::thread::message::read;
    use crate::json::Document;

    /// `index name result` of each pair of each message.
    fn told(messages: &str) -> Vec<String> {
        let document = Document::parse(messages.as_bytes().to_vec()).unwrap();
        let values: Vec<_> = document.root().items().collect();
        let before = |at: usize| at.checked_sub(1).and_then(|at| values.get(at).copied());
        let messages: Vec<_> = (0..values.len()).map(|at| read(values[at], before(at))).collect();
        let mut lines = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| messages.get(at));
            for pair in pairs(message, before, messages.get(at + 1)) {
                let call = pair.call.map_or_else(|| "-".into(), |call| call.name.unwrap().as_str().unwrap());
                let result = pair.result.map_or_else(|| "-".into(), |result| result.text().0.unwrap().to_string());
                let error = pair.error.map(|error| format!(" {}", error.what())).unwrap_or_default();
                lines.push(format!("{at}.{} {call} {result}{error}", pair.index));
            }
        }
        lines
    }

    #[test]
    fn pairs_stand_in_one_message() {
        let agent = |calls: &[(&str, &str)], results: &[(&str, &str)]| {
            let call = |(id, name): &(&str, &str)| format!(r#"{{"ToolUse":{{"id":"{id}","name":"{name}"}}}}"#);
            let result = |(id, text): &(&str, &str)| format!(r#""{id}":{{"tool_use_id":"{id}","content":"{text}"}}"#);
            let calls: Vec<_> = calls.iter().map(call).collect();
            let results: Vec<_> = results.iter().map(result).collect();
            format!(r#"{{"Agent":{{"content":[{}],"tool_results":{{{}}}}}}}"#, calls.join(","), results.join(","))
        };
        let messages = [
            agent(&[("c", "one")], &[("c", "r1")]),
            agent(&[("c", "two"), ("d", "three"), ("c", "four")], &[("x", "lost"), ("d", "r3"), ("c", "r2")]),
            agent(&[("c", "five")], &[]),
        ];
        assert_eq!(
            told(&format!("[{}]", messages.join(","))),
            ["0.0 one r1", "1.0 two r2", "1.1 three r3", "1.2 four -", "1.3 - lost", "2.0 five -"]
        );
    }

    /// Z03: results of 0.1.0 in the message behind, beside some that were folded in.
    #[test]
    fn carriers_answer_the_message_before() {
        assert_eq!(
            told(
                r#"[{"role":"assistant","tool_uses":[{"id":"t1","name":"a"},{"id":"t2","name":"b"},{"id":"t1","name":"c"}],
                     "tool_results":[{"tool_use_id":"t2","content":"r2"},{"tool_use_id":"t8","content":"lost"}]},
                    {"role":"user","tool_results":[{"tool_use_id":"t1","content":"r1"},{"tool_use_id":"t2","content":"again"},
                     {"tool_use_id":"t1","content":"r3"},{"tool_use_id":"t9","content":"of none"}]},
                    {"role":"user","segments":[{"type":"text","text":"on"}]},
                    {"role":"user","tool_results":[{"tool_use_id":"t1","content":"far away"}]}]"#
            ),
            ["0.0 a r1", "0.1 b r2", "0.2 c r3", "0.4 - lost", "1.1 - again", "1.3 - of none", "3.0 - far away"]
        );
    }

    #[test]
    fn what_did_not_decode_is_told() {
        assert_eq!(
            told(
                r#"[{"Agent":{"content":[{"ToolUse":4},{"Text":5},{"ToolUse":{"id":"a","name":"n"}}],"tool_results":{"a":7}}},
                    {"Agent":{"content":[],"tool_results":[]}}, {"Robot":{}}, {"role":"assistant","tool_uses":[5],"tool_results":6}]"#
            ),
            [
                "0.0 - - expected an object in a tool call, found 4",
                "0.2 n -",
                "0.3 - - expected an object in a tool result, found 7",
                "1.0 - - expected an object in tool_results, found an array",
                "3.0 - - expected an object in a tool call, found 5",
                "3.1 - - expected an array in tool_results, found 6",
            ]
        );
    }
}
