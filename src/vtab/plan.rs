//! The planner's question (xBestIndex) to a [`Plan`], and a plan's arguments (xFilter) to values.
//!
//! Each rule here is a silent wrong answer when broken:
//! * `omit` stays false: SQLite checks every row again, so a scan that ignores a constraint is slow, never wrong.
//! * Only BINARY collation is taken.
//! * A constraint on `root` that is not usable makes the plan impossible: the rows would come from another place.
//! * LIMIT is not taken at all: scans are lazy, and hosts of 3.40 offer it where other filters still drop rows.

use super::module_error;
use crate::table::{Access, AnyTable, Column, Constraint, Layout, Op, Order, Plan, Value, Weight};
use rusqlite::Result;
use rusqlite::types::ValueRef;
use rusqlite::vtab::{Filters, IndexConstraintOp, IndexFlags, IndexInfo};
use std::sync::Arc;

const ROWID: &str = "rowid";
const ROOT: &str = "root";

/// Writes the plan into `info`; false when these constraints allow none.
pub fn choose(table: &dyn AnyTable, layout: &Layout, info: &mut IndexInfo) -> Result<bool> {
    let mut plan = Plan::default();
    let asked: Vec<(i32, IndexConstraintOp, bool)> =
        info.constraints().map(|c| (c.column(), c.operator(), c.is_usable())).collect();
    for (index, (column, operator, usable)) in asked.into_iter().enumerate() {
        let Some((name, access)) = named(layout, column) else { continue };
        let is_root = name == ROOT && operator == IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ;
        if !usable {
            if is_root {
                return Ok(false);
            }
            continue;
        }
        let Some(mut op) = taken(name, access, &operator) else { continue };
        if matches!(op, Op::Eq) && name != ROWID && info.collation(index)? != "BINARY" {
            continue;
        }
        // A lookup by rowid promises one row at most, so SQLite must ask for the members of a list one by one.
        if op == Op::Eq && access == Access::Key && name != ROWID && info.set_in_constraint(index, true)? {
            op = Op::In;
        }
        plan.constraints.push((name.to_owned(), op));
        let argument = i32::try_from(plan.constraints.len()).map_err(module_error)?;
        info.constraint_usage(index).set_argv_index(argument);
    }
    plan.order = order(table, layout, info);
    info.set_order_by_consumed(plan.order.is_some());
    plan.columns = used(layout, info.col_used()).map(|column| column.name.to_owned()).collect();
    estimate(table.weight(), &plan, info);
    info.set_idx_str(&plan.to_string());
    Ok(true)
}

fn named(layout: &Layout, column: i32) -> Option<(&'static str, Access)> {
    match usize::try_from(column) {
        Err(_) => Some((ROWID, Access::Key)),
        Ok(position) => layout.columns().get(position).map(|column| (column.name, column.access)),
    }
}

/// What a constraint is good for, by the column's access.
fn taken(name: &str, access: Access, operator: &IndexConstraintOp) -> Option<Op> {
    use IndexConstraintOp as C;
    let op = match operator {
        C::SQLITE_INDEX_CONSTRAINT_EQ => Op::Eq,
        C::SQLITE_INDEX_CONSTRAINT_GT => Op::Gt,
        C::SQLITE_INDEX_CONSTRAINT_GE => Op::Ge,
        C::SQLITE_INDEX_CONSTRAINT_LT => Op::Lt,
        C::SQLITE_INDEX_CONSTRAINT_LE => Op::Le,
        C::SQLITE_INDEX_CONSTRAINT_LIKE => Op::Like,
        C::SQLITE_INDEX_CONSTRAINT_GLOB => Op::Glob,
        _ => return None,
    };
    let taken = match access {
        Access::Key => op == Op::Eq,
        Access::Range => !matches!(op, Op::Like | Op::Glob),
        Access::Search => matches!(op, Op::Like | Op::Glob),
        Access::Hidden => op == Op::Eq && name == ROOT,
        Access::Plain => false,
    };
    taken.then_some(op)
}

/// The order, if the scan can keep it.
fn order(table: &dyn AnyTable, layout: &Layout, info: &IndexInfo) -> Option<Order> {
    let mut terms = info.order_bys();
    let (first, second) = (terms.next()?, terms.next());
    let name = usize::try_from(first.column()).ok().and_then(|position| layout.columns().get(position))?.name;
    (second.is_none() && table.orders().contains(&name))
        .then(|| Order { column: name.to_owned(), descending: first.is_order_by_desc() })
}

/// The columns of SQLite's mask: bit 63 stands for column 63 and all behind it.
fn used(layout: &Layout, mask: u64) -> impl Iterator<Item = &Column> {
    layout.columns().iter().enumerate().filter(move |(index, _)| mask >> (*index).min(63) & 1 == 1).map(|(_, c)| c)
}

/// Costs in orders of magnitude: a keyed lookup, a range, everything; documents weigh more than metadata.
fn estimate(weight: Weight, plan: &Plan, info: &mut IndexInfo) {
    let has = |test: fn(&str, Op) -> bool| plan.constraints.iter().any(|(name, op)| test(name, *op));
    // A lookup of metadata still lists its store; one of a document inflates that document alone. So a join asks the
    // metadata once, outside, and the documents by key.
    let (full_cost, lookup_cost, full_rows) = match weight {
        Weight::Metadata => (1e4, 1e2, 1_000),
        Weight::Documents => (1e8, 3e4, 100_000),
    };
    let (cost, rows) = if has(|name, _| name == ROWID) {
        info.set_idx_flags(IndexFlags::SQLITE_INDEX_SCAN_UNIQUE);
        (full_cost / 1e4, 1)
    } else if has(|name, op| matches!(op, Op::Eq | Op::In) && name != ROOT) {
        (lookup_cost, full_rows / 1_000 + 10)
    } else if has(|_, op| matches!(op, Op::Gt | Op::Ge | Op::Lt | Op::Le)) {
        (full_cost / 10.0, full_rows / 10)
    } else {
        (full_cost, full_rows)
    };
    info.set_estimated_cost(cost);
    info.set_estimated_rows(rows);
}

/// The `root` argument, and the other constraints with their values.
pub fn values(plan: &Plan, args: &Filters<'_>) -> Result<(Option<Arc<str>>, Vec<Constraint>)> {
    let mut root = None;
    let mut constraints = Vec::with_capacity(plan.constraints.len());
    for (index, ((column, op), arg)) in plan.constraints.iter().zip(args.iter()).enumerate() {
        if column == ROOT {
            match arg {
                ValueRef::Text(text) => root = Some(Arc::from(String::from_utf8_lossy(text))),
                ValueRef::Null => {}
                _ => return Err(module_error("root must be text: a path")),
            }
            continue;
        }
        let values = if *op == Op::In { list(args, index)? } else { vec![value(arg)] };
        constraints.push(Constraint { column: column.clone(), op: *op, values });
    }
    Ok((root, constraints))
}

fn list(args: &Filters<'_>, index: usize) -> Result<Vec<Value>> {
    use fallible_streaming_iterator::FallibleStreamingIterator as _;
    let mut values = args.in_values(index)?;
    let mut list = Vec::new();
    while let Some(item) = values.next()? {
        list.push(value(ValueRef::from(item)));
    }
    Ok(list)
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => std::str::from_utf8(text).map_or(Value::Blob, |text| Value::Text(text.to_owned())),
        ValueRef::Blob(_) => Value::Blob,
    }
}
