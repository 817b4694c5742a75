//! The machine that a remote project is on.

use super::record::Record;
use crate::error::{Error, Result};
use crate::table::Source;
use serde_json::Value;
use std::sync::Arc;

/// Where a remote project is. Nothing else of `remote_connection` is kept: it holds passwords, arguments,
/// environments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Remote {
    /// `ssh`, `wsl`, `docker`, or another variant's name in lower case.
    pub kind: Option<Arc<str>>,
    /// The host, the distribution, the container.
    pub host: Option<Arc<str>>,
}

/// The remote of a row, none where it is on this machine, and the row's source, with the error where it does not read.
pub fn of(record: &Record, source: Source) -> (Remote, Source) {
    match record.text("remote_connection").map(|connection| parse(&connection)) {
        None => (Remote::default(), source),
        Some(Ok(remote)) => (remote, source),
        Some(Err(error)) => (Remote::default(), source.failed(error)),
    }
}

/// Reads a `remote_connection`, an object with the variant as its one key.
///
/// # Errors
/// It is no such object. The words repeat nothing of it.
fn parse(connection: &str) -> Result<Remote> {
    let value: Value =
        serde_json::from_str(connection).map_err(|error| Error::json(format!("remote_connection: {error}")))?;
    let variant = value.as_object().and_then(|object| object.iter().next());
    let Some((name, target)) = variant else { return Err(Error::shape("remote_connection: expected a variant")) };
    let host = match name.as_str() {
        "Ssh" => target.get("host").and_then(|host| text(host).or_else(|| host.as_object()?.values().find_map(text))),
        "Wsl" => target.get("distro_name").and_then(text),
        "Docker" => target.get("name").and_then(text).or_else(|| target.get("container_id").and_then(text)),
        _ => None,
    };
    Ok(Remote { kind: Some(name.to_lowercase().into()), host })
}

fn text(value: &Value) -> Option<Arc<str>> {
    value.as_str().filter(|text| !text.is_empty()).map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_kind_and_a_host() {
        for (connection, kind, host) in [
            (r#"{"Ssh":{"host":{"Hostname":"build.example"},"password":"p","args":["-x"]}}"#, "ssh", Some("build.example")),
            (r#"{"Ssh":{"host":{"IpAddr":"192.0.2.7"},"username":"ana"}}"#, "ssh", Some("192.0.2.7")),
            (r#"{"Ssh":{"host":"build.example"}}"#, "ssh", Some("build.example")),
            (r#"{"Ssh":{"password":"p"}}"#, "ssh", None),
            (r#"{"Wsl":{"distro_name":"Ubuntu","user":null}}"#, "wsl", Some("Ubuntu")),
            (r#"{"Docker":{"name":"","container_id":"abc","remote_env":{"K":"v"}}}"#, "docker", Some("abc")),
            (r#"{"Mock":{"id":1}}"#, "mock", None),
        ] {
            let want = Remote { kind: Some(kind.into()), host: host.map(Into::into) };
            assert_eq!(parse(connection), Ok(want), "{connection}");
        }
    }

    #[test]
    fn what_is_none_is_not_repeated() {
        for connection in ["secret", "{\"secret\"", "[\"secret\"]", "{}", "\"secret\""] {
            let error = parse(connection).unwrap_err().to_string();
            assert!(error.contains("remote_connection: ") && !error.contains("secret"), "{error}");
        }
    }
}
