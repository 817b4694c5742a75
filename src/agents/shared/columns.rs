//! `agent_columns`: the documentation, selectable.

use crate::error::Result;
use crate::table::{Access, AnyTable, Place, Rows, Scan, Source, Table, Weight};
use std::sync::Arc;

crate::record! {
    /// One column of one table.
    pub struct ColumnDoc {
        /// The table.
        table_name: &'static str,
        /// Position in the table, from 0.
        position: i64,
        /// The column.
        name: &'static str,
        /// The declared type: `INTEGER` or `TEXT`.
        r#type: &'static str,
        /// What it means, its unit, its source, when it is NULL.
        doc: String,
        /// 1 where `=` and `IN` read only the records asked for.
        is_key: bool,
        /// 1 where the column is left out of `SELECT *`.
        is_hidden: bool,
    }
}

pub static TABLE: Table<ColumnDoc> = Table {
    name: "agent_columns",
    doc: "The documentation of every table: one row per column.",
    weight: Weight::Metadata,
    orders: &[],
    scan,
};

fn scan(scan: &Scan) -> Result<Rows<ColumnDoc>> {
    // No file: the documentation is compiled in. A root is echoed, as everywhere.
    let place = Arc::new(Place { root: scan.root.clone(), path: String::new() });
    Ok(Box::new(crate::agents::tables().into_iter().flat_map(move |table| columns_of(table, &place))))
}

fn columns_of(table: &'static dyn AnyTable, place: &Arc<Place>) -> Vec<ColumnDoc> {
    let layout = table.layout();
    let columns = layout.columns().iter().zip(0_i64..);
    let row = columns.map(|(column, position)| ColumnDoc {
        table_name: table.name(),
        position,
        name: column.name,
        r#type: column.ty.keyword(),
        doc: column.doc.trim().to_owned(),
        is_key: column.access == Access::Key,
        is_hidden: column.access == Access::Hidden,
        source: Source::new(place, Some(format!("{}.{}", table.name(), column.name).into())),
    });
    row.collect()
}
