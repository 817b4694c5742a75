//! A plan: what the planner chose, as text that EXPLAIN QUERY PLAN prints and the scan reads back.
//!
//! `session_id=? AND timestamp_utc>=? ORDER BY timestamp_utc DESC -> session_id,text`: the constraints in the order
//! of their arguments, the order that the scan keeps, and the columns that will be read.

use std::fmt;

const AND: &str = " AND ";

/// How a constraint compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// `= ?`
    Eq,
    /// `IN (…)`, the whole list in one argument.
    In,
    /// `> ?`
    Gt,
    /// `>= ?`
    Ge,
    /// `< ?`
    Lt,
    /// `<= ?`
    Le,
    /// `LIKE ?`
    Like,
    /// `GLOB ?`
    Glob,
}

impl Op {
    /// Longer spellings first: a prefix must not win over them.
    const SPELLINGS: [(&'static str, Self); 8] = [
        (" IN(?)", Self::In),
        (" LIKE ?", Self::Like),
        (" GLOB ?", Self::Glob),
        (">=?", Self::Ge),
        ("<=?", Self::Le),
        (">?", Self::Gt),
        ("<?", Self::Lt),
        ("=?", Self::Eq),
    ];

    fn spelling(self) -> &'static str {
        Self::SPELLINGS.iter().find(|(_, op)| *op == self).map_or("", |(text, _)| text)
    }
}

/// Rows in the order of this column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// The column's name.
    pub column: String,
    /// Largest first, NULL last; otherwise smallest first, NULL first.
    pub descending: bool,
}

/// What the planner chose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Constraints that reach the scan, in the order of their arguments.
    pub constraints: Vec<(String, Op)>,
    /// The order that the scan keeps, if the statement asks for one.
    pub order: Option<Order>,
    /// The columns that may be read, in table order.
    pub columns: Vec<String>,
}

impl Plan {
    /// Reads back what [`Display`](fmt::Display) wrote; `None` for any other text.
    pub fn decode(text: &str) -> Option<Self> {
        let (how, columns) = text.split_once("-> ")?;
        let (constraints, order) = match how.split_once("ORDER BY ") {
            None => (how, None),
            Some((constraints, order)) => (constraints, Some(decode_order(order)?)),
        };
        Some(Self {
            constraints: constraints
                .split(AND)
                .filter(|constraint| !constraint.trim().is_empty())
                .map(|constraint| decode_constraint(constraint.trim_end()))
                .collect::<Option<_>>()?,
            order,
            columns: columns.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        })
    }
}

fn decode_constraint(text: &str) -> Option<(String, Op)> {
    let (spelling, op) = Op::SPELLINGS.iter().find(|(spelling, _)| text.ends_with(spelling))?;
    let name = text.strip_suffix(spelling)?;
    (!name.is_empty()).then(|| (name.to_owned(), *op))
}

fn decode_order(text: &str) -> Option<Order> {
    let (column, direction) = text.trim_end().split_once(' ')?;
    let descending = match direction {
        "ASC" => false,
        "DESC" => true,
        _ => return None,
    };
    Some(Order { column: column.to_owned(), descending })
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (column, op)) in self.constraints.iter().enumerate() {
            write!(f, "{}{column}{}", if index == 0 { "" } else { AND }, op.spelling())?;
        }
        if !self.constraints.is_empty() {
            f.write_str(" ")?;
        }
        if let Some(Order { column, descending }) = &self.order {
            write!(f, "ORDER BY {column} {} ", if *descending { "DESC" } else { "ASC" })?;
        }
        write!(f, "-> {}", self.columns.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_reads_back() {
        let plan = Plan {
            constraints: vec![
                ("session_id".into(), Op::In),
                ("updated_at".into(), Op::Ge),
                ("updated_at".into(), Op::Lt),
                ("text".into(), Op::Like),
                ("rowid".into(), Op::Eq),
            ],
            order: Some(Order { column: "updated_at".into(), descending: true }),
            columns: vec!["session_id".into(), "text".into()],
        };
        let text = plan.to_string();
        assert_eq!(
            text,
            "session_id IN(?) AND updated_at>=? AND updated_at<? AND text LIKE ? AND rowid=? ORDER BY updated_at DESC \
             -> session_id,text"
        );
        assert_eq!(Plan::decode(&text), Some(plan));
        assert_eq!(Plan::default().to_string(), "-> ");
        assert_eq!(Plan::decode("-> "), Some(Plan::default()));
    }

    #[test]
    fn other_text_is_no_plan() {
        for text in ["", "session_id=?", "=? -> a", "session_id -> a", "ORDER BY a UP -> b"] {
            assert_eq!(Plan::decode(text), None, "{text}");
        }
    }
}
