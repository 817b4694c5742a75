//! README.md's examples and generated parts: a ```sql block, and the ```text block after it with what it prints.

use super::{Result, repository};
use std::fs;

const SQL: &str = "```sql\n";
const TEXT: &str = "```text\n";
const END: &str = "```\n";

/// The README.
pub fn read() -> Result<String> {
    Ok(fs::read_to_string(repository().join("README.md"))?)
}

/// The README's queries that have an output: the line of words before each, and its SQL.
pub fn queries(readme: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (before, sql, _) in examples(readme) {
        let words = before.lines().rev().find(|line| !line.is_empty()).unwrap_or_default();
        found.push((words.trim_end_matches(':').to_owned(), sql.to_owned()));
    }
    found
}

/// The README with every example's output replaced by what `run` gives for its SQL.
pub fn with_outputs(readme: &str, run: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = readme;
    for (before, sql, old) in examples(readme) {
        out.push_str(&format!("{before}{SQL}{sql}{END}\n{TEXT}{}{END}", run(sql)));
        let length = before.len() + SQL.len() + sql.len() + END.len() + 1 + TEXT.len() + old.len() + END.len();
        rest = rest.get(length..).unwrap_or_default();
    }
    out + rest
}

/// The README with what stands between the markers `<!-- name -->` and `<!-- /name -->` replaced.
pub fn with_part(readme: &str, name: &str, part: &str) -> Result<String> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let missing = || format!("README.md has no part between {open:?} and {close:?}");
    let (before, rest) = readme.split_once(&open).ok_or_else(missing)?;
    let (_, after) = rest.split_once(&close).ok_or_else(missing)?;
    Ok(format!("{before}{open}{part}{close}{after}"))
}

/// Every example: what stands between it and the one before, its SQL, its output.
fn examples(readme: &str) -> Vec<(&str, &str, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(sql) = readme.get(at..).and_then(|rest| rest.find(SQL)).map(|found| at + found) {
        let block = readme.get(sql + SQL.len()..).unwrap_or_default();
        let Some((code, after)) = block.split_once(END) else { break };
        at = readme.len() - after.len();
        let output = after.strip_prefix('\n').and_then(|after| after.strip_prefix(TEXT));
        if let Some((output, rest)) = output.and_then(|output| output.split_once(END)) {
            found.push((readme.get(start..sql).unwrap_or_default(), code, output));
            start = readme.len() - rest.len();
            at = start;
        }
    }
    found
}
