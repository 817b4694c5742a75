//! `cody_history.xml`: the chats that the JetBrains plugin kept itself, from February to August 2024.
//!
//! Later versions copied complete pairs of messages into the agent's store and left the file. Pure functions from its
//! text to chats. A bean property is its own element around another of the same name, a list an element around
//! `<list>`; chats stand below an account, or in files of before April 2024 at the top.

use crate::error::Error;
use crate::store::xml::{Element, Event, Reader};
use crate::table::{Pointer, Step};
use crate::time::Time;
use std::collections::HashSet;
use std::sync::Arc;

/// A chat.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LegacyChat {
    /// The plugin's own id.
    pub internal_id: Option<Arc<str>>,
    /// The account's id, which is not the account's key of the agent store.
    pub account: Option<Arc<str>>,
    /// As stored: a local time without a zone.
    pub updated_at: Option<Arc<str>>,
    /// The model that the chat is set to. Migrations rewrote it, so it need not be the one that answered.
    pub model: Option<Arc<str>>,
    /// Its messages in order; none for a tab that was opened and not used.
    pub messages: Vec<LegacyMessage>,
    /// Where it stands: the elements that lead to it.
    pub pointer: Pointer,
    /// Why what the chat says of itself, or all behind some message, is missing. A cut costs what stands behind it.
    pub error: Option<Error>,
}

/// A message of a chat.
#[derive(Debug, Clone, PartialEq)]
pub struct LegacyMessage {
    /// `HUMAN` or `ASSISTANT`.
    pub speaker: Option<Arc<str>>,
    /// What was said.
    pub text: Option<Arc<str>>,
    /// Why one of the two is missing.
    pub error: Option<Error>,
}

impl LegacyChat {
    /// What the agent store's copy has as its id: the time of the last change. `internal_id` where there is none.
    pub fn session_id(&self) -> Option<Arc<str>> {
        self.updated_at.clone().or_else(|| self.internal_id.clone())
    }

    /// The chat's own key in the file: `internal_id`.
    pub fn record(&self) -> Option<Arc<str>> {
        self.internal_id.clone().or_else(|| self.updated_at.clone())
    }

    /// When it was last changed, read as UTC. The flag says that the zone is not known.
    pub fn time(&self) -> Option<(Time, bool)> {
        Time::parse_chat_id(self.updated_at.as_deref()?)
    }

    /// Where a message stands.
    pub fn message_pointer(&self, position: usize) -> Pointer {
        let step = match position {
            0 => Step::Name("message"),
            _ => Step::Key(format!("message[{}]", position + 1).into()),
        };
        self.pointer.join("messages").join("list").join(step)
    }

    /// The first thing in it that does not read, and where: in a message, else in the chat.
    pub fn damage(&self) -> Option<Damage> {
        let mut messages = self.messages.iter().enumerate();
        let in_message = messages.find_map(|(position, message)| {
            Some(Damage { error: message.error.clone()?, pointer: self.message_pointer(position) })
        });
        in_message.or_else(|| Some(Damage { error: self.error.clone()?, pointer: self.pointer.clone() }))
    }

    fn of(element: &Element, account: Option<&Arc<str>>, path: &str) -> Self {
        let llm_model = element.child("llm").and_then(|llm| value(llm.descendant("model")));
        let list = element.child("messages").and_then(|messages| messages.child("list"));
        let mut messages: Vec<_> =
            list.into_iter().flat_map(|list| list.children_named("message")).map(LegacyMessage::of).collect();
        // Of the message that a cut is in, the text is behind the cut.
        messages.pop_if(|last| element.error.is_some() && last.text.is_none() && last.error.is_none());
        let error = element.error.as_ref().or_else(|| beside_messages(element));
        Self {
            internal_id: value(element.child("internalId")),
            account: value(element.child("accountId")).or_else(|| account.cloned()),
            updated_at: value(element.child("updatedAt")),
            model: llm_model.or_else(|| value(element.child("model"))),
            messages,
            pointer: pointer(path),
            error: error.cloned(),
        }
    }
}

impl LegacyMessage {
    fn of(element: &Element) -> Self {
        Self {
            speaker: value(element.child("speaker")),
            text: element.child("text").and_then(|text| text.attribute("value")).map(Into::into),
            error: element.first_error().cloned(),
        }
    }
}

/// The first error in a chat that is none of a message.
fn beside_messages(chat: &Element) -> Option<&Error> {
    chat.children.iter().find_map(|child| match &*child.name {
        "message" => None,
        "messages" | "list" => child.error.as_ref().or_else(|| beside_messages(child)),
        _ => child.first_error(),
    })
}

/// The attribute `value` in which every scalar stands; an empty one is none.
fn value(element: Option<&Element>) -> Option<Arc<str>> {
    element?.attribute("value").filter(|value| !value.is_empty()).map(Into::into)
}

fn pointer(path: &str) -> Pointer {
    path.split('/').skip(1).fold(Pointer::record(), |pointer, step| pointer.join(Arc::<str>::from(step)))
}

/// Something that does not read, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Damage {
    /// What is wrong.
    pub error: Error,
    /// The chat, or where the text is cut.
    pub pointer: Pointer,
}

/// The chats of a file in order, and damage that stands outside of them. A file that is cut gives what stands before
/// the cut.
///
/// The step that put chats under accounts copied them: of two chats with one `internalId` the first is given.
pub fn chats(text: &str) -> Vec<Result<LegacyChat, Damage>> {
    let mut reader = Reader::new(text);
    let mut account = Account::default();
    let (mut seen, mut found, mut gaps) = (HashSet::new(), Vec::new(), 0);
    loop {
        match reader.read() {
            Ok(None) => return found,
            Ok(Some(Event::Close)) => account.close(reader.depth()),
            Ok(Some(Event::Open(element))) if element.name == "chat" => {
                let path = reader.path();
                for (chat, path) in apart(reader.tree(element), path) {
                    let chat = LegacyChat::of(&chat, account.id.as_ref(), &path);
                    match chat.damage() {
                        _ if chat.internal_id.clone().is_none_or(|id| seen.insert(id)) => found.push(Ok(chat)),
                        Some(damage) => found.push(Err(damage)),
                        None => {}
                    }
                }
            }
            Ok(Some(Event::Open(element))) => account.open(&element, reader.depth()),
            Err(error) => {
                account.close(reader.depth());
                // Damage between two chats is told once, each time in a place of its own.
                if !matches!(found.last(), Some(Err(_))) {
                    gaps += 1;
                    let at = pointer(&reader.path());
                    let pointer = if gaps == 1 { at } else { at.join(Arc::<str>::from(format!("text()[{gaps}]"))) };
                    found.push(Err(Damage { error, pointer }));
                }
            }
        }
    }
}

/// A chat and those that stand in it, each with its path: the ends of a damaged chat may be missing.
fn apart(chat: Element, path: String) -> Vec<(Element, String)> {
    let mut found = vec![(chat, path)];
    let mut at = 0;
    while let Some((chat, path)) = found.get_mut(at) {
        let mut inner = Vec::new();
        take_chats(chat, &mut inner);
        let path = path.clone();
        found.extend(inner.into_iter().zip(1..).map(|(chat, number)| (chat, format!("{path}/chat[{number}]"))));
        at += 1;
    }
    found
}

/// Moves the chats below an element out of it.
fn take_chats(element: &mut Element, chats: &mut Vec<Element>) {
    chats.extend(element.children.extract_if(.., |child| child.name == "chat"));
    element.children.iter_mut().for_each(|child| take_chats(child, chats));
}

/// The account whose chats are read.
#[derive(Default)]
struct Account {
    depth: usize,
    id: Option<Arc<str>>,
}

impl Account {
    fn open(&mut self, element: &Element, depth: usize) {
        match &*element.name {
            "AccountData" => *self = Self { depth, id: None },
            "accountId" if depth == self.depth + 1 => self.id = value(Some(element)),
            _ => {}
        }
    }

    fn close(&mut self, depth: usize) {
        if depth < self.depth {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(chats: &str, rest: &str) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<project version=\"4\">\n  <component name=\"ChatHistory\">
            <accountData><list><AccountData><accountId value=\"VXNlcjo0Mg==\" /><chats><list>{chats}</list></chats>
            <defaultLlm><llm><model value=\"x\" /></llm></defaultLlm></AccountData></list></accountData>{rest}
            </component></project>"
        )
    }

    fn chat(id: &str, rest: &str) -> String {
        format!("<chat><internalId value=\"{id}\" />{rest}</chat>")
    }

    fn messages(texts: &[(&str, &str)]) -> String {
        let message = |(speaker, text): &(&str, &str)| {
            format!("<message><speaker value=\"{speaker}\" /><text value=\"{text}\" /></message>")
        };
        format!("<messages><list>{}</list></messages>", texts.iter().map(message).collect::<String>())
    }

    fn read(text: &str) -> Vec<LegacyChat> {
        chats(text).into_iter().map(Result::unwrap).collect()
    }

    /// K12.
    #[test]
    fn both_layouts_are_read() {
        let model = "<llm><llm><model value=\"anthropic/claude-3-5\" /><title value=\"t\" /></llm></llm>";
        let talk = messages(&[("HUMAN", "line one&#10;line &quot;two&quot; &lt;b&gt;&amp;"), ("ASSISTANT", "hello")]);
        let new = chat("id-p1", &format!("{model}{talk}<model value=\"old name\" /><updatedAt value=\"2024-01-31T01:06:18.524621\" />"));
        let old = format!(
            "<chats><list><chat><accountId value=\"acc\" /><internalId value=\"id-old\" />{}<model value=\"Claude 2.0\" /></chat>{}</list></chats>",
            messages(&[("HUMAN", "")]),
            chat("id-p1", "")
        );
        let found = read(&file(&format!("{new}{}", chat("shell", "")), &old));
        let [first, shell, top] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(first.messages[0].text.as_deref(), Some("line one\nline \"two\" <b>&"));
        assert_eq!(first.messages[1].speaker.as_deref(), Some("ASSISTANT"));
        assert_eq!(first.account.as_deref(), Some("VXNlcjo0Mg=="));
        assert_eq!(first.model.as_deref(), Some("anthropic/claude-3-5"));
        assert_eq!(first.session_id().as_deref(), Some("2024-01-31T01:06:18.524621"));
        assert_eq!(first.time().unwrap().0.to_string(), "2024-01-31T01:06:18.524Z");
        assert_eq!(
            first.message_pointer(1).to_string(),
            "/project/component/accountData/list/AccountData/chats/list/chat/messages/list/message[2]"
        );
        assert_eq!((shell.session_id().as_deref(), shell.messages.len(), shell.time()), (Some("shell"), 0, None));
        assert_eq!(shell.pointer.to_string(), "/project/component/accountData/list/AccountData/chats/list/chat[2]");
        assert_eq!((top.account.as_deref(), top.model.as_deref()), (Some("acc"), Some("Claude 2.0")));
        assert_eq!(top.messages[0].text.as_deref(), Some(""), "present and empty");
        assert_eq!(top.pointer.to_string(), "/project/component/chats/list/chat");
    }

    #[test]
    fn an_account_reaches_no_further_than_its_element() {
        let found = read(&file(&chat("a", ""), &format!("<chats><list>{}</list></chats>", chat("b", ""))));
        let accounts: Vec<_> = found.iter().map(|chat| chat.account.as_deref()).collect();
        assert_eq!(accounts, [Some("VXNlcjo0Mg=="), None]);
    }

    /// K14.
    #[test]
    fn a_chat_without_a_time_goes_by_its_id() {
        let found = read(&file(&format!("{}{}", chat("a", ""), chat("b", "<updatedAt value=\"soon\" />")), ""));
        let ids: Vec<_> = found.iter().map(|chat| (chat.session_id(), chat.time())).collect();
        assert_eq!(ids, [(Some("a".into()), None), (Some("soon".into()), None)]);
    }

    /// K13.
    #[test]
    fn a_cut_costs_what_stands_behind_it() {
        let talk = [("HUMAN", "one"), ("ASSISTANT", "two"), ("HUMAN", "three")];
        let whole = file(&format!("{}{}", chat("a", ""), chat("b", &messages(&talk))), "");
        let texts = |chat: &LegacyChat| chat.messages.iter().filter_map(|m| m.text.clone()).collect::<Vec<_>>();
        for (cut, want, count) in [
            ("three", &["one", "two"][..], 2),
            ("<text value=\"two", &["one"], 1),
            ("<speaker value=\"ASSIS", &["one"], 1),
            ("</message><message><speaker value=\"ASSIS", &["one"], 1),
            ("<messages>", &[], 0),
            ("</list></messages>", &["one", "two", "three"], 3),
        ] {
            let found = chats(&whole[..whole.find(cut).unwrap()]);
            let [Ok(a), Ok(b)] = found.as_slice() else { panic!("{cut}: {found:?}") };
            assert_eq!((a.internal_id.as_deref(), a.damage()), (Some("a"), None), "{cut}");
            assert_eq!((texts(b), b.messages.len()), (want.iter().map(|&t| t.into()).collect(), count), "{cut}");
            assert_eq!(b.session_id().as_deref(), Some("b"), "the time stands behind the messages");
            let damage = b.damage().unwrap();
            assert!(damage.error.to_string().starts_with("xml: "), "{damage:?}");
            assert!(damage.pointer.to_string().ends_with("/list/chat[2]"), "{damage:?}");
        }
        let copied = format!("<chats><list>{}", chat("a", &messages(&talk)));
        let cut = file(&chat("a", ""), &copied);
        let found = chats(&cut[..cut.find("three").unwrap()]);
        assert!(matches!(found.as_slice(), [Ok(_), Err(_)]), "a cut copy is no chat, but it is told: {found:?}");
    }

    /// K13: an entity that a document type declares is unknown here.
    #[test]
    fn a_message_that_does_not_read_costs_no_other() {
        let talk = [("HUMAN", "before"), ("HUMAN", "&lol9;"), ("ASSISTANT", "behind")];
        let bomb = file(&format!("{}{}", chat("a", &messages(&talk)), chat("b", "<updatedAt value=\"&lol9;\" />")), "");
        let bomb = bomb.replace("<project", "<!DOCTYPE lolz [<!ENTITY lol9 \"&lol8;&lol8;\">]><project");
        let found = read(&bomb);
        let texts: Vec<_> = found[0].messages.iter().map(|m| (m.text.as_deref(), m.error.is_some())).collect();
        assert_eq!(texts, [(Some("before"), false), (None, true), (Some("behind"), false)]);
        assert_eq!(found[0].error, None);
        assert!(found[0].damage().unwrap().pointer.to_string().ends_with("/chat/messages/list/message[2]"));
        assert_eq!((found[1].session_id().as_deref(), found[1].error.is_some()), (Some("b"), true));
    }

    /// The file is often committed, and then merged; a block of it may be lost.
    #[test]
    fn damage_in_the_middle_costs_little() {
        let texts = |text: &str| {
            let chat = |chat: &LegacyChat| {
                let said: Vec<_> = chat.messages.iter().filter_map(|m| m.text.as_deref()).collect();
                let mark = if chat.damage().is_some() { "!" } else { "" };
                format!("{}{mark}: {}", chat.internal_id.as_deref().unwrap_or_default(), said.join(","))
            };
            chats(text).iter().map(|found| found.as_ref().map_or("!".to_owned(), chat)).collect::<Vec<_>>()
        };
        let (one, two) = (chat("a", &messages(&[("HUMAN", "one")])), chat("b", &messages(&[("HUMAN", "two")])));
        let merged = format!("\n<<<<<<< HEAD\n{one}\n=======\n{one}{two}\n>>>>>>> theirs\n{}", chat("c", ""));
        assert_eq!(texts(&file(&merged, "")), ["!", "a: one", "b: two", "c: "]);
        let twice = chats(&file(&format!("{merged}{}", merged.replace("\"c\"", "\"d\"")), ""));
        let places: Vec<_> = twice.iter().flat_map(|chat| chat.as_ref().err()).map(|d| d.pointer.to_string()).collect();
        assert_eq!(places.len(), 2);
        assert_ne!(places[0], places[1]);
        let inside = messages(&[("HUMAN", "one"), ("HUMAN", "two")]).replace("<message>", "\n<<<<<<< HEAD\n<message>");
        assert_eq!(texts(&file(&format!("{}{two}", chat("a", &inside)), "")), ["a!: one,two", "b: two"]);
        let three = chat("a", &messages(&[("HUMAN", "one"), ("HUMAN", "two"), ("HUMAN", "three")]));
        let lost_ends = three.split_once("</message></list>").unwrap().0;
        assert_eq!(texts(&file(&format!("{lost_ends}{two}"), "")), ["a!: one,two,three", "b: two"]);
        let lost_quote = three.replace("value=\"two\"", "value=\"two");
        assert_eq!(texts(&file(&format!("{lost_quote}{two}"), "")), ["a!: one,three", "b: two"]);
        let lost_block = three.split_once("tw").unwrap().0;
        assert_eq!(texts(&file(&format!("{lost_block}{two}"), "")), ["a!: one", "b: two"]);
    }

    /// A byte lost or put anywhere costs the chat that it stands in at the most, and is told.
    #[test]
    fn no_byte_costs_more_than_a_chat() {
        let talk = [("HUMAN", "one"), ("ASSISTANT", "two"), ("HUMAN", "three")];
        let sound = file(&(0..4).map(|number| chat(&format!("id-{number}"), &messages(&talk))).collect::<String>(), "");
        let start = sound.find("<list><chat>").unwrap();
        for at in start..sound.find("<defaultLlm>").unwrap() {
            for change in ["", "<", ">", "\"", "&", "/"] {
                let behind = sound.get(at + usize::from(change.is_empty())..).unwrap();
                let found = chats(&format!("{}{change}{behind}", &sound[..at]));
                let read = found.iter().flatten().filter(|chat| chat.damage().is_none());
                let whole = read.filter(|chat| chat.messages.iter().filter(|m| m.text.is_some()).count() == 3).count();
                let damaged = found.iter().filter(|chat| chat.as_ref().map_or(true, |chat| chat.damage().is_some()));
                assert!(whole >= 3, "{whole} whole chats with {change:?} at {at}: {}", &sound[at - 20..at + 20]);
                assert!(damaged.count() <= 3, "{change:?} at {at}");
            }
        }
    }
}
