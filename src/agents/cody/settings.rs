//! The standing settings of a file: what the agent may do without asking.
//!
//! Pure functions from a parsed file to settings. Only the keys that hold rules are looked at. What stands beside them
//! (a server's `env`, `headers`, `args`, `url` and `command`, `cody.customHeaders`, tokens) is never read.

use crate::error::{Error, Result};
use crate::store::{hocon, jsonc, setting, xml};
use crate::table::{Pointer, Step};
use crate::text::Text;
use serde_json::{Map, Value};
use std::sync::Arc;

/// An object whose every leaf is a rule: `shell.allow`, `shell.block`.
const OPTIONS: &str = "cody.agentic.context.experimentalOptions";
/// An object of servers by name, of which only `disabled` and `disabledTools` are read.
const SERVERS: &str = "cody.mcpServers";
/// The last is the name that the documentation of 2026 gives to the one before it.
const SWITCHES: [&str; 3] =
    ["cody.agentic.context.experimentalShell", "cody.chat.agenticContext", "cody.agenticContext"];

/// Steps to a rule. Real files need six; deeper objects stay values.
const MAX_STEPS: usize = 16;
/// No key is longer. It bounds the work: every rule below one huge key would carry it.
const MAX_KEY_BYTES: usize = 1024;

/// A key that holds a rule, or a list of rules.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The override block, `[python]`; `None` for the top level.
    pub layer: Option<Arc<str>>,
    /// Dotted, however the file nests it, without layer.
    pub key: Arc<str>,
    /// Where the value stands.
    pub pointer: Pointer,
    value: Value,
}

impl Setting {
    /// The whole value: plain text where it is a string, else compact JSON.
    pub fn text(&self) -> Text {
        setting::text(self.value.clone())
    }

    /// The value, or each entry of a list, with its place.
    pub fn entries(self) -> impl Iterator<Item = (Pointer, Text)> {
        setting::entries(self.value, self.pointer)
    }
}

/// The settings of an editor's `settings.json`, JSON with comments, in the file's order.
///
/// # Errors
/// The text is not JSON with comments, or no object.
pub fn of_jsonc(file: &str) -> Result<Vec<Setting>> {
    settings(jsonc::parse(file)?, Pointer::record())
}

/// The settings in a `*.code-workspace` file, JSON with comments, in the file's order.
///
/// # Errors
/// The text is not JSON with comments, or no object.
pub fn of_workspace(file: &str) -> Result<Vec<Setting>> {
    match jsonc::parse(file)? {
        Some(Value::Object(mut file)) => settings(file.remove("settings"), Pointer::record().join("settings")),
        other => settings(other, Pointer::record()),
    }
}

/// The settings of a `cody_settings.json`, HOCON, in the file's order.
///
/// # Errors
/// The text is not HOCON, or no object.
pub fn of_hocon(file: &str) -> Result<Vec<Setting>> {
    settings(hocon::parse(file).map_err(|error| unquoted(error, "not HOCON"))?, Pointer::record())
}

/// The settings in the option `jsonConfig`, HOCON, of a `cody.xml`.
///
/// # Errors
/// The text is not XML, or the option not HOCON, or no object.
pub fn of_xml(file: &str) -> Result<Vec<Setting>> {
    let mut reader = xml::Reader::new(file);
    let mut is_ours = false;
    while let Some(event) = reader.read().map_err(|error| unquoted(error, "not XML"))? {
        let xml::Event::Open(element) = event else { continue };
        match &*element.name {
            "component" => is_ours = element.attribute("name") == Some("GlobalCodySettings"),
            "option" if is_ours && element.attribute("name") == Some("jsonConfig") => {
                let config = element.attribute("value").unwrap_or_default();
                let config = hocon::parse(config).map_err(|error| unquoted(error, "the option is not HOCON"))?;
                return settings(config, Pointer::from(["application", "component", "option"].map(Step::from)));
            }
            _ => {}
        }
    }
    Ok(Vec::new())
}

/// The libraries' words may quote the text, and so a secret in it. The place is kept.
fn unquoted(error: Error, what: &str) -> Error {
    let words = error.what();
    let place = [" at line ", " at byte "].iter().find_map(|mark| words.get(words.rfind(mark)?..));
    Error::new(error.kind(), format!("{what}{}", place.unwrap_or_default()))
}

/// The settings of a parsed file; none of a file without content.
fn settings(file: Option<Value>, at: Pointer) -> Result<Vec<Setting>> {
    let mut found = Vec::new();
    match file {
        None => {}
        Some(Value::Object(file)) => Walk { layer: None, found: &mut found }.below("", &at, file),
        Some(_) => return Err(Error::shape("expected a JSON object, found another value")),
    }
    Ok(found)
}

/// `true` or `false`, which a client may write as a text. A lost bracket may put anything else under a switch's name.
fn is_switch(value: &Value) -> bool {
    value.is_boolean() || value.as_str().is_some_and(|text| matches!(text, "true" | "false"))
}

fn is_server_rule(name: &str, value: &Value) -> bool {
    match name {
        "disabled" => is_switch(value),
        "disabledTools" => value.is_array(),
        _ => false,
    }
}

/// Collects the settings of one settings object.
struct Walk<'f> {
    layer: Option<Arc<str>>,
    found: &'f mut Vec<Setting>,
}

impl Walk<'_> {
    /// The members of an object that stands under `prefix`. A key may hold dots, and then is several steps in one.
    fn below(&mut self, prefix: &str, at: &Pointer, members: Map<String, Value>) {
        for (name, value) in members {
            let at = at.join(Arc::<str>::from(&*name));
            match value {
                // A block for one language, `[python]`, holds settings of its own.
                Value::Object(block) if prefix.is_empty() && name.starts_with('[') && self.layer.is_none() => {
                    Walk { layer: Some(name.into()), found: self.found }.below("", &at, block);
                }
                value if prefix.is_empty() => self.member(name, at, value),
                value => self.member(format!("{prefix}.{name}"), at, value),
            }
        }
    }

    fn member(&mut self, key: String, at: Pointer, value: Value) {
        let is_part_of = |known: &str| known.strip_prefix(&*key).is_some_and(|rest| rest.starts_with('.'));
        if SWITCHES.contains(&&*key) {
            if is_switch(&value) {
                self.push(key, at, value);
            }
        } else if key == SERVERS {
            let Value::Object(servers) = value else { return };
            for (name, server) in servers {
                self.server(&name, &at.join(Arc::<str>::from(&*name)), server);
            }
        } else if let Some(rest) = key.strip_prefix(SERVERS).and_then(|rest| rest.strip_prefix('.')) {
            match rest.split_once('.') {
                None => self.server(rest, &at, value),
                Some((_, rule)) if is_server_rule(rule, &value) => self.push(key, at, value),
                Some(_) => {}
            }
        } else if key == OPTIONS || key.strip_prefix(OPTIONS).is_some_and(|rest| rest.starts_with('.')) {
            self.leaves(key, at, value);
        } else if let Value::Object(members) = value
            && SWITCHES.iter().chain([&SERVERS, &OPTIONS]).any(|known| is_part_of(known))
        {
            self.below(&key, &at, members);
        }
    }

    fn server(&mut self, name: &str, at: &Pointer, server: Value) {
        let Value::Object(members) = server else { return };
        for (rule, value) in members {
            if is_server_rule(&rule, &value) {
                self.push(format!("{SERVERS}.{name}.{rule}"), at.join(Arc::<str>::from(&*rule)), value);
            }
        }
    }

    fn leaves(&mut self, key: String, at: Pointer, value: Value) {
        match value {
            Value::Object(members) if at.len() < MAX_STEPS && key.len() <= MAX_KEY_BYTES => {
                for (name, value) in members {
                    self.leaves(format!("{key}.{name}"), at.join(Arc::<str>::from(&*name)), value);
                }
            }
            leaf => self.push(key, at, leaf),
        }
    }

    /// A client that writes back what it was told writes null for what is not set.
    fn push(&mut self, key: String, pointer: Pointer, value: Value) {
        if !value.is_null() {
            self.found.push(Setting { layer: self.layer.clone(), key: key.into(), pointer, value });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `layer|key=value @pointer`, a line an entry.
    fn lines(settings: Result<Vec<Setting>>) -> Vec<String> {
        let entries = settings.unwrap().into_iter().flat_map(|setting| {
            let (layer, key) = (setting.layer.clone().unwrap_or_default(), Arc::clone(&setting.key));
            setting.entries().map(move |(at, value)| format!("{layer}|{key}={value} @{at}"))
        });
        entries.collect()
    }

    /// K05.
    #[test]
    fn an_editors_settings() {
        let file = "\u{FEFF}{ // user settings
            \"editor.fontSize\": 12,
            \"cody.customHeaders\": {\"Authorization\": \"SECRET\"},
            \"cody.override.authToken\": \"SECRET\",
            \"cody.chat.agenticContext\": false,
            \"cody.agentic.context.experimentalOptions\": {\"shell\": {\"allow\": [\"git\", \"ls\"], \"block\": [\"curl\"]}},
            \"cody.agentic.context.experimentalShell\": true,
            \"cody.mcpServers\": {
              \"tracker\": {\"command\": \"SECRET\", \"args\": [\"SECRET\"], \"env\": {\"disabled\": \"SECRET\"},
                            \"disabledTools\": [\"delete_item\"]},
              \"web\": {\"url\": \"SECRET\", \"headers\": {\"disabledTools\": [\"SECRET\"]}, \"disabled\": true},
              \"odd\": \"SECRET\",
            },
            \"[python]\": {\"cody.agenticContext\": true},
        }";
        let options = "cody.agentic.context.experimentalOptions.shell";
        let at = "@/cody.agentic.context.experimentalOptions/shell";
        assert_eq!(
            lines(of_jsonc(file)),
            [
                "|cody.chat.agenticContext=false @/cody.chat.agenticContext".to_owned(),
                format!("|{options}.allow=git {at}/allow/0"),
                format!("|{options}.allow=ls {at}/allow/1"),
                format!("|{options}.block=curl {at}/block/0"),
                "|cody.agentic.context.experimentalShell=true @/cody.agentic.context.experimentalShell".to_owned(),
                "|cody.mcpServers.tracker.disabledTools=delete_item @/cody.mcpServers/tracker/disabledTools/0".to_owned(),
                "|cody.mcpServers.web.disabled=true @/cody.mcpServers/web/disabled".to_owned(),
                "[python]|cody.agenticContext=true @/[python]/cody.agenticContext".to_owned(),
            ]
        );
    }

    #[test]
    fn a_workspaces_settings() {
        let file = "{ // two folders
            \"folders\": [{\"path\": \"api\"}, {\"path\": \"web\"}],
            \"cody.chat.agenticContext\": true,
            \"settings\": {\"cody.chat.agenticContext\": false, \"[python]\": {\"cody.agenticContext\": true}},
        }";
        let want = [
            "|cody.chat.agenticContext=false @/settings/cody.chat.agenticContext",
            "[python]|cody.agenticContext=true @/settings/[python]/cody.agenticContext",
        ];
        assert_eq!(lines(of_workspace(file)), want);
        assert_eq!(lines(of_workspace("{\"folders\": []}")), [""; 0]);
        let error = of_workspace("{\"settings\": [\"cody.\"]}").unwrap_err().to_string();
        assert_eq!(error, "shape: expected a JSON object, found another value");
    }

    /// K10: HOCON nests as it likes.
    #[test]
    fn nested_dotted_and_mixed_keys_are_one_key() {
        let nested = r#"
            cody {
              agentic.context.experimentalOptions.shell { allow = ["git"], block = [sudo] }
              mcpServers.tracker {
                env { TOKEN = SECRET, disabled = SECRET }
                disabledTools = ["delete_item"]
              }
              advanced.agent.process.node : null
            }
            "cody.chat.agenticContext" : "true"
        "#;
        assert_eq!(
            lines(of_hocon(nested)),
            [
                "|cody.agentic.context.experimentalOptions.shell.allow=git @/cody/agentic/context/experimentalOptions/shell/allow/0",
                "|cody.agentic.context.experimentalOptions.shell.block=sudo @/cody/agentic/context/experimentalOptions/shell/block/0",
                "|cody.mcpServers.tracker.disabledTools=delete_item @/cody/mcpServers/tracker/disabledTools/0",
                "|cody.chat.agenticContext=true @/cody.chat.agenticContext",
            ]
        );
        let mixed = r#"{"cody": {"agentic.context.experimentalOptions": {"shell.allow": ["git"], "x": {}},
            "mcpServers.a.b.disabled": true, "mcpServers.a.env.disabled": "SECRET", "mcpServers.c.disabled": "false",
            "mcpServers.d": {"disabled": true}, "mcpServers.e": {"disabled": "SECRET", "disabledTools": "SECRET"}, "chat": {"agenticContext": null, "other": 1}},
            "cody.agentic.context.experimentalOptions.shell.block": "curl", "cody.agentic.contextual": {"x": 1}}"#;
        assert_eq!(
            lines(of_jsonc(mixed)),
            [
                "|cody.agentic.context.experimentalOptions.shell.allow=git @/cody/agentic.context.experimentalOptions/shell.allow/0",
                "|cody.mcpServers.c.disabled=false @/cody/mcpServers.c.disabled",
                "|cody.mcpServers.d.disabled=true @/cody/mcpServers.d/disabled",
                "|cody.agentic.context.experimentalOptions.shell.block=curl @/cody.agentic.context.experimentalOptions.shell.block",
            ]
        );
    }

    #[test]
    fn the_option_of_an_ides_file() {
        let file = "<application>
            <component name=\"Other\"><option name=\"jsonConfig\" value=\"{cody.agenticContext: false}\" /></component>
            <component name=\"GlobalCodySettings\">
              <option name=\"jsonConfig\" value=\"{&quot;cody.chat.agenticContext&quot;:true}\" />
            </component></application>";
        assert_eq!(
            lines(of_xml(file)),
            ["|cody.chat.agenticContext=true @/application/component/option/cody.chat.agenticContext"]
        );
        assert_eq!(lines(of_xml("<application><component name=\"GlobalCodySettings\"/></application>")), [""; 0]);
        assert_eq!(of_xml("<application>").unwrap_err().kind(), crate::error::Kind::Xml);
    }

    #[test]
    fn odd_files() {
        for blank in ["", " \n", "// only a comment"] {
            assert_eq!(of_jsonc(blank), Ok(Vec::new()), "{blank:?}");
            assert_eq!(of_hocon(blank), Ok(Vec::new()), "{blank:?}");
        }
        let error = of_jsonc("[\"cody.\"]").unwrap_err().to_string();
        assert_eq!(error, "shape: expected a JSON object, found another value");
    }

    #[test]
    fn an_error_quotes_nothing() {
        for (error, expected) in [
            (of_hocon("cody.x : TOKEN+TOKEN"), "json: not HOCON at line 1 column 15"),
            (of_hocon("a = [TOKEN"), "json: not HOCON at line 1 column 11"),
            (of_jsonc("{\"a\": TOKEN}"), "json: expected value at line 1 column 7"),
            (of_xml("<a x=\"&TOKEN;\"/>"), "xml: not XML at byte 0"),
            (
                of_xml(
                    "<component name=\"GlobalCodySettings\"><option name=\"jsonConfig\" value=\"a = [TOKEN\"/></component>",
                ),
                "json: the option is not HOCON at line 1 column 11",
            ),
        ] {
            assert_eq!(error.unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn a_list_is_one_text_on_the_timeline() {
        let [setting] = of_jsonc(r#"{"cody.mcpServers": {"a": {"disabledTools": ["x", "y"]}}}"#).unwrap().try_into().unwrap();
        assert_eq!(setting.text(), r#"["x","y"]"#);
    }

    #[test]
    fn work_is_bounded() {
        let deep = "{\"a\":".repeat(60) + "1" + &"}".repeat(60);
        let file = format!("{{\"{OPTIONS}\": {deep}}}");
        let [setting] = of_jsonc(&file).unwrap().try_into().unwrap();
        assert_eq!(setting.pointer.len(), MAX_STEPS);
    }
}
