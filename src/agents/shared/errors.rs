//! `agent_errors`: every record that did not decode, in every table that it is missed in.

use crate::agents::{AGENTS, Agent, tables};
use crate::error::Result;
use crate::table::{AnyTable, Cursor, Layout, Rows, Scan, Source, Table, Weight};
use std::borrow::Cow;

crate::record! {
    /// One row with an error, of one table.
    pub struct ErrorRow {
        /// The table that has the row: a bad record is a row of every table that it would have filled.
        [key] table_name: &'static str,
        /// The program whose record it is. NULL where the table does not say.
        [key] agent: Option<String>,
        /// The session that the record belongs to. NULL when it is not known.
        session_id: Option<String>,
    }
}

pub static TABLE: Table<ErrorRow> = Table {
    name: "agent_errors",
    doc: "One row per row of any other table whose error is not NULL. It reads everything; `table_name =` reads one table.",
    weight: Weight::Documents,
    orders: &[],
    scan,
};

/// Columns that read every record to count them: no error shows only there.
const COUNTS: [&str; 2] = ["records", "errors"];

fn scan(scan: &Scan) -> Result<Rows<ErrorRow>> {
    let others = tables().into_iter().zip(1..).filter(|(table, _)| table.name() != TABLE.name);
    let mut wanted = others.filter(is_asked_for(scan));
    let Some((first, part)) = wanted.next() else { return Ok(Box::new(std::iter::empty())) };
    let first = errors_of(first, part, scan)?;
    let scan = scan.clone();
    // Every table takes the same roots, so a later one cannot fail where the first did not.
    let rest = wanted.flat_map(move |(table, part)| errors_of(table, part, &scan).into_iter().flatten());
    Ok(Box::new(first.chain(rest)))
}

fn is_asked_for(scan: &Scan) -> impl Fn(&(&'static dyn AnyTable, u32)) -> bool + use<> {
    let (names, agents) = (scan.keys("table_name"), scan.keys("agent"));
    let admits = |keys: &Option<Vec<String>>, word| keys.as_ref().is_none_or(|keys| keys.iter().any(|key| key == word));
    move |(table, _)| admits(&names, table.name()) && owner(*table).is_none_or(|agent| admits(&agents, agent))
}

/// The agent whose table it is; `None` for the tables over every agent.
fn owner(table: &dyn AnyTable) -> Option<&'static str> {
    let is_own = |agent: &&&dyn Agent| agent.tables().iter().any(|own| own.name() == table.name());
    AGENTS.iter().find(is_own).map(|agent| agent.name())
}

fn errors_of(table: &'static dyn AnyTable, part: u32, scan: &Scan) -> Result<impl Iterator<Item = ErrorRow> + use<>> {
    let layout = table.layout();
    let names = layout.columns().iter().map(|column| column.name).filter(|name| !COUNTS.contains(name));
    let columns = Some(names.map(str::to_owned).collect());
    let constraints = scan.constraints.iter().filter(|on| on.column == "agent").cloned().collect();
    let all = Scan { columns, constraints, ..Scan::all(scan.session.clone(), scan.root.clone()) };
    let errors = Errors { cursor: table.open(&all)?, layout, owner: owner(table) };
    Ok(errors.map(move |(agent, session_id, source)| {
        let part = source.part.wrapping_add(part << 20);
        ErrorRow { table_name: table.name(), agent, session_id, source: source.part(part) }
    }))
}

/// The rows of a table that have an error: agent, session, provenance.
struct Errors {
    cursor: Box<dyn Cursor>,
    layout: Layout,
    owner: Option<&'static str>,
}

impl Errors {
    fn text(&self, column: &str) -> Option<String> {
        self.cursor.cell(self.layout.position(column)?).into_text().map(Cow::into_owned)
    }
}

impl Iterator for Errors {
    type Item = (Option<String>, Option<String>, Source);

    fn next(&mut self) -> Option<Self::Item> {
        while self.cursor.advance() {
            if let Some(source) = self.cursor.source().filter(|source| source.error.is_some()) {
                let agent = self.owner.map(str::to_owned).or_else(|| self.text("agent"));
                return Some((agent, self.text("session_id"), source.into_owned()));
            }
        }
        None
    }
}
