//! Arguments of `CREATE VIRTUAL TABLE … USING module(root='…')`.

use super::module_error;
use rusqlite::Result;
use rusqlite::vtab::dequote;
use std::sync::Arc;

/// The `root` argument; any other is refused by name. `root=NULL` is the user's own home, spelled out.
pub fn root(table: &str, args: &[&[u8]]) -> Result<Option<Arc<str>>> {
    let mut root = None;
    for arg in args {
        let arg = std::str::from_utf8(arg)?.trim();
        if arg.is_empty() {
            continue;
        }
        match arg.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
            Some(("root", value)) if value.eq_ignore_ascii_case("null") => root = None,
            Some(("root", value)) => root = Some(dequote(value).into()),
            _ => return Err(module_error(format!("{table}: unknown argument {arg}; expected root='…'"))),
        }
    }
    Ok(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_the_only_argument() {
        assert_eq!(root("t", &[]).unwrap(), None);
        assert_eq!(root("t", &[b""]).unwrap(), None);
        assert_eq!(root("t", &[b" root = '/mnt/it''s' "]).unwrap().as_deref(), Some("/mnt/it's"));
        assert_eq!(root("t", &[b"root=NULL"]).unwrap(), None);
        assert_eq!(root("t", &[b"root=/mnt"]).unwrap().as_deref(), Some("/mnt"));
        let error = root("t", &[b"home='/mnt'"]).unwrap_err().to_string();
        assert_eq!(error, "t: unknown argument home='/mnt'; expected root='…'");
    }
}
