//! The standing rules of a settings file: what the agent may do without asking, and what it may not.
//!
//! A pure function from the parsed file to rules. Only keys that hold rules are looked at, so that no credential can
//! show (`language_models` hold `api_key` and `custom_headers`, `agent_servers` environments). Tool switches of agent
//! profiles (`agent.profiles`) are no rules: they say which tools a model is offered, not what it may do with them.

use crate::error::{Error, Result};
use crate::store::setting;
use crate::table::Pointer;
use crate::text::Text;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Blocks of a user's file that hold for one release channel or one platform only.
const OVERRIDES: [&str; 7] = ["dev", "nightly", "preview", "stable", "macos", "linux", "windows"];

/// Steps to a rule. Real files need eight; deeper objects stay values.
const MAX_STEPS: usize = 16;

/// No key is longer. It bounds the work: every rule below one huge key would carry it.
const MAX_KEY_BYTES: usize = 1024;

/// A key that holds a rule, or a list of rules.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The override block, `stable` or `profiles.demo`; `None` for the top level.
    pub layer: Option<Arc<str>>,
    /// Dotted, without layer.
    pub key: Arc<str>,
    /// The tool that it is about, as the file names it.
    pub tool: Option<Arc<str>>,
    /// Where the value stands.
    pub pointer: Pointer,
    value: Value,
}

impl Rule {
    /// The value, or each entry of a list, with its place.
    pub fn entries(self) -> impl Iterator<Item = (Pointer, Text)> {
        setting::entries(self.value, self.pointer)
    }
}

/// The rules of a settings file, in the file's order.
///
/// # Errors
/// The file is not one object.
pub fn rules(file: Value) -> Result<Vec<Rule>> {
    let Value::Object(file) = file else {
        return Err(Error::shape(format!("expected a JSON object, found {}", described(&file))));
    };
    let mut rules = Vec::new();
    for (name, value) in file {
        let Value::Object(block) = value else { continue };
        match &*name {
            "profiles" => block.into_iter().for_each(|(name, profile)| profile_rules(&name, profile, &mut rules)),
            _ if OVERRIDES.contains(&&*name) => {
                let at = Pointer::record().join(Arc::<str>::from(&*name));
                Walk { layer: Some(name.into()), at, rules: &mut rules }.settings(block);
            }
            _ => Walk { layer: None, at: Pointer::record(), rules: &mut rules }.section(&name, block),
        }
    }
    Ok(rules)
}

/// A settings profile holds a whole settings object, until April 2026 directly, since then under `settings`.
fn profile_rules(name: &str, profile: Value, rules: &mut Vec<Rule>) {
    let Value::Object(mut profile) = profile else { return };
    let mut at = Pointer::record().join("profiles").join(Arc::<str>::from(name));
    let is_current = profile.contains_key("settings") || profile.contains_key("base");
    if is_current {
        at = at.join("settings");
        let Some(Value::Object(settings)) = profile.remove("settings") else { return };
        profile = settings;
    }
    Walk { layer: Some(format!("profiles.{name}").into()), at, rules }.settings(profile);
}

const fn described(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Collects the rules of one settings object.
struct Walk<'r> {
    layer: Option<Arc<str>>,
    at: Pointer,
    rules: &'r mut Vec<Rule>,
}

impl Walk<'_> {
    fn settings(mut self, settings: Map<String, Value>) {
        for (name, value) in settings {
            if let Value::Object(block) = value {
                self.section(&name, block);
            }
        }
    }

    /// A top-level key. `assistant` is the name of `agent` before May 2025.
    fn section(&mut self, name: &str, block: Map<String, Value>) {
        match name {
            "agent" | "assistant" => self.agent(name, block),
            "agent_servers" => self.agent_servers(block),
            "session" => self.pick(&[name], block, "trust_all_worktrees"),
            _ => {}
        }
    }

    fn agent(&mut self, section: &str, block: Map<String, Value>) {
        for (name, value) in block {
            let path = [section, name.as_str()];
            match &*name {
                "tool_permissions" | "sandbox_permissions" => {
                    let at = self.pointer(&path);
                    self.leaves(path.join("."), at, None, value);
                }
                "always_allow_tool_actions" => self.push(&path, value),
                _ => {}
            }
        }
    }

    /// The mode that an external agent starts in; what else stands there tells how to start it, with environment.
    fn agent_servers(&mut self, servers: Map<String, Value>) {
        for (id, server) in servers {
            if let Value::Object(server) = server {
                self.pick(&["agent_servers", &id], server, "default_mode");
            }
        }
    }

    fn pick(&mut self, path: &[&str], mut block: Map<String, Value>, name: &str) {
        if let Some(value) = block.remove(name) {
            self.push(&[path, &[name]].concat(), value);
        }
    }

    fn push(&mut self, path: &[&str], value: Value) {
        let pointer = self.pointer(path);
        self.add(path.join("."), pointer, None, value);
    }

    fn pointer(&self, path: &[&str]) -> Pointer {
        path.iter().fold(self.at.clone(), |at, name| at.join(Arc::<str>::from(*name)))
    }

    fn leaves(&mut self, key: String, at: Pointer, tool: Option<Arc<str>>, value: Value) {
        match value {
            Value::Object(inner) if at.len() < MAX_STEPS && key.len() <= MAX_KEY_BYTES => {
                for (name, value) in inner {
                    let step: Arc<str> = name.as_str().into();
                    let named = key.ends_with(".tool_permissions.tools").then(|| Arc::clone(&step));
                    self.leaves(format!("{key}.{name}"), at.join(step), tool.clone().or(named), value);
                }
            }
            leaf => self.add(key, at, tool, leaf),
        }
    }

    fn add(&mut self, key: String, pointer: Pointer, tool: Option<Arc<str>>, value: Value) {
        self.rules.push(Rule { layer: self.layer.clone(), key: key.into(), tool, pointer, value });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::jsonc;

    /// `layer|key=value @pointer`, a line an entry.
    fn lines(file: &str) -> Vec<String> {
        let rules = rules(jsonc::parse(file).unwrap().unwrap()).unwrap();
        let entries = rules.into_iter().flat_map(|rule| {
            let (layer, key) = (rule.layer.clone().unwrap_or_default(), Arc::clone(&rule.key));
            rule.entries().map(move |(at, value)| format!("{layer}|{key}={value} @{at}"))
        });
        entries.collect()
    }

    #[test]
    fn every_entry_is_a_rule() {
        let file = r#"{ // mine
            "agent": {
              "default_profile": "write",
              "profiles": {"write": {"tools": {"terminal": true}}},
              "tool_permissions": {"default": "confirm", "tools": {
                "terminal": {
                  "default": "confirm",
                  "always_allow": [{"pattern": "^make (test|lint)$"}, {"pattern":"^ls", "case_sensitive": true},],
                  "always_deny": [{"pattern": "rm\\s+-rf // no comment"}],
                  "always_confirm": [],
                },
                "mcp:github:create_issue": {"default_mode": "deny"},
              }},
              "sandbox_permissions": {
                "network_hosts": ["*.npmjs.org", "pypi.example"],
                "write_paths": ["/tmp/out", {"requested": "/a", "resolved": "/b"}],
                "allow_unsandboxed": false, /* never */
              },
            },
        }"#;
        let tools = "agent.tool_permissions.tools";
        let at = "@/agent/tool_permissions/tools";
        let sandbox = "agent.sandbox_permissions";
        assert_eq!(
            lines(file),
            [
                "|agent.tool_permissions.default=confirm @/agent/tool_permissions/default".to_owned(),
                format!("|{tools}.terminal.default=confirm {at}/terminal/default"),
                format!(
                    r#"|{tools}.terminal.always_allow={{"pattern":"^make (test|lint)$"}} {at}/terminal/always_allow/0"#
                ),
                format!(
                    r#"|{tools}.terminal.always_allow={{"pattern":"^ls","case_sensitive":true}} {at}/terminal/always_allow/1"#
                ),
                format!(
                    r#"|{tools}.terminal.always_deny={{"pattern":"rm\\s+-rf // no comment"}} {at}/terminal/always_deny/0"#
                ),
                format!("|{tools}.mcp:github:create_issue.default_mode=deny {at}/mcp:github:create_issue/default_mode"),
                format!("|{sandbox}.network_hosts=*.npmjs.org @/agent/sandbox_permissions/network_hosts/0"),
                format!("|{sandbox}.network_hosts=pypi.example @/agent/sandbox_permissions/network_hosts/1"),
                format!("|{sandbox}.write_paths=/tmp/out @/agent/sandbox_permissions/write_paths/0"),
                format!(
                    r#"|{sandbox}.write_paths={{"requested":"/a","resolved":"/b"}} @/agent/sandbox_permissions/write_paths/1"#
                ),
                format!("|{sandbox}.allow_unsandboxed=false @/agent/sandbox_permissions/allow_unsandboxed"),
            ]
        );
    }

    #[test]
    fn every_layer_is_read() {
        let file = r#"{
            "assistant": {"version": "2", "always_allow_tool_actions": true},
            "session": {"trust_all_worktrees": true, "restore_unsaved_buffers": true},
            "preview": {"agent": {"tool_permissions": {"default": "allow"}}},
            "linux": {"agent_servers": {"claude-acp": {"default_mode": "plan", "env": {"KEY": "secret"}}}},
            "profiles": {
              "demo": {"base": "user", "settings": {"agent": {"tool_permissions": {"default": "deny"}}}},
              "bare": {"base": "default"},
              "a/b": {"agent": {"always_allow_tool_actions": false}},
            },
            "theme": {"agent": {"tool_permissions": {"default": "allow"}}},
        }"#;
        assert_eq!(
            lines(file),
            [
                "|assistant.always_allow_tool_actions=true @/assistant/always_allow_tool_actions",
                "|session.trust_all_worktrees=true @/session/trust_all_worktrees",
                "preview|agent.tool_permissions.default=allow @/preview/agent/tool_permissions/default",
                "linux|agent_servers.claude-acp.default_mode=plan @/linux/agent_servers/claude-acp/default_mode",
                "profiles.demo|agent.tool_permissions.default=deny @/profiles/demo/settings/agent/tool_permissions/default",
                "profiles.a/b|agent.always_allow_tool_actions=false @/profiles/a~1b/agent/always_allow_tool_actions",
            ]
        );
    }

    #[test]
    fn what_has_another_shape_costs_nothing() {
        let file = r#"{"agent": 5, "session": ["x"], "profiles": {"a": 1}, "stable": null,
            "macos": {"agent": {"tool_permissions": "allow", "sandbox_permissions": {"x": null, "y": {}, "z": 1.50}}}}"#;
        assert_eq!(
            lines(file),
            [
                "macos|agent.tool_permissions=allow @/macos/agent/tool_permissions",
                "macos|agent.sandbox_permissions.x=null @/macos/agent/sandbox_permissions/x",
                "macos|agent.sandbox_permissions.z=1.5 @/macos/agent/sandbox_permissions/z",
            ]
        );
        let error = rules(serde_json::json!(["agent"])).unwrap_err().to_string();
        assert_eq!(error, "shape: expected a JSON object, found an array");
    }

    #[test]
    fn a_rule_knows_its_tool() {
        let file = serde_json::json!({"agent": {"tool_permissions": {
            "default": "deny", "tools": {"terminal": {"default": "allow", "always_deny": [1]}}}}});
        let tools: Vec<_> = rules(file).unwrap().into_iter().map(|rule| rule.tool).collect();
        assert_eq!(tools, [None, Some("terminal".into()), Some("terminal".into())]);
    }

    #[test]
    fn work_is_bounded() {
        let deep = (0..100).fold(serde_json::json!(1), |value, _| serde_json::json!({"a": value}));
        let [rule] = rules(serde_json::json!({"agent": {"tool_permissions": deep}})).unwrap().try_into().unwrap();
        assert_eq!(rule.pointer.len(), MAX_STEPS);
        let long = "k".repeat(MAX_KEY_BYTES);
        let file = serde_json::json!({"agent": {"sandbox_permissions": {long: {"a": 1, "b": 2}}}});
        assert_eq!(rules(file).unwrap().len(), 1);
    }
}
