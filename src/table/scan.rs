//! A scan: one execution of a plan, with the values that the statement gave.

use super::heads::HeadColumns;
use super::plan::{Op, Order};
use super::row::rowid_is_of;
use super::session::Session;
use std::borrow::Cow;
use std::sync::Arc;

/// A value as the statement gave it: no affinity has been applied.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// A real number.
    Real(f64),
    /// Text.
    Text(String),
    /// A BLOB, which equals no text.
    Blob,
}

impl Value {
    /// The value as a column of TEXT affinity compares it: `None` where it is not text, or where only SQLite
    /// knows the spelling (a real number).
    fn as_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Integer(number) => Some(Cow::Owned(number.to_string())),
            Self::Null | Self::Real(_) | Self::Blob => None,
        }
    }

    /// The value as an INTEGER column compares it: the integer that it is, whatever its storage.
    fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Real(number) if number.fract() == 0.0 && number.abs() < 9e15 => Some(*number as i64),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Null | Self::Real(_) | Self::Blob => None,
        }
    }
}

/// A constraint with its values: one, or the list of an IN.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// The column's name, or `rowid`.
    pub column: String,
    /// How it compares.
    pub op: Op,
    /// One value; any number for [`Op::In`].
    pub values: Vec<Value>,
}

/// Bounds on a text column; both inclusive, since SQLite checks every row again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Range {
    /// Values below are not asked for.
    pub low: Option<String>,
    /// Values above are not asked for.
    pub high: Option<String>,
}

impl Range {
    /// Can `value` be inside? NULL never is, once there is a bound.
    pub fn admits(&self, value: Option<&str>) -> bool {
        match value {
            None => self.low.is_none() && self.high.is_none(),
            Some(value) => {
                self.low.as_deref().is_none_or(|low| low <= value)
                    && self.high.as_deref().is_none_or(|high| value <= high)
            }
        }
    }
}

/// One execution of a plan.
#[derive(Debug, Clone)]
pub struct Scan {
    /// The connection's state.
    pub session: Arc<Session>,
    /// Where to look, byte for byte as given; `None` is the user's own home.
    pub root: Option<Arc<str>>,
    /// Constraints that may narrow the scan. SQLite checks them all again.
    pub constraints: Vec<Constraint>,
    /// The order that the rows must have.
    pub order: Option<Order>,
    /// Columns that may be read; `None` for all.
    pub columns: Option<Vec<String>>,
    /// Those, where all are short and the reader takes rows that stand for kept ones: [`Heads`](super::Heads).
    pub heads: Option<Arc<HeadColumns>>,
}

impl Scan {
    /// A scan of everything below `root`.
    pub fn all(session: Arc<Session>, root: Option<Arc<str>>) -> Self {
        Self { session, root, constraints: Vec::new(), order: None, columns: None, heads: None }
    }

    /// Is the other scan, of the same table and session, one for the same rows?
    pub fn asks_the_same(&self, other: &Self) -> bool {
        self.root == other.root
            && self.constraints == other.constraints
            && self.order == other.order
            && self.columns == other.columns
    }

    /// Will this column be read?
    pub fn wants(&self, column: &str) -> bool {
        self.columns.as_ref().is_none_or(|columns| columns.iter().any(|name| name == column))
    }

    /// Will one of these columns be read?
    pub fn wants_any(&self, columns: &[&str]) -> bool {
        columns.iter().any(|column| self.wants(column))
    }

    fn on<'a>(&'a self, column: &'a str) -> impl Iterator<Item = &'a Constraint> {
        self.constraints.iter().filter(move |constraint| constraint.column == column)
    }

    /// The texts that a TEXT column may have; `None` when any may. An empty list means no rows.
    pub fn keys(&self, column: &str) -> Option<Vec<String>> {
        let mut keys: Option<Vec<String>> = None;
        for constraint in self.on(column).filter(|constraint| matches!(constraint.op, Op::Eq | Op::In)) {
            if constraint.values.iter().any(|value| matches!(value, Value::Real(_))) {
                continue;
            }
            let mut listed: Vec<String> = Vec::new();
            for text in constraint.values.iter().filter_map(Value::as_text) {
                if !listed.iter().any(|known| *known == text) {
                    listed.push(text.into_owned());
                }
            }
            keys = Some(match keys {
                None => listed,
                Some(before) => before.into_iter().filter(|key| listed.contains(key)).collect(),
            });
        }
        keys
    }

    /// The bounds of a TEXT column.
    pub fn range(&self, column: &str) -> Range {
        let mut range = Range::default();
        for constraint in self.on(column) {
            let Some(text) = constraint.values.first().and_then(Value::as_text) else { continue };
            if matches!(constraint.op, Op::Eq | Op::Gt | Op::Ge) && range.low.as_deref().is_none_or(|low| low < &*text)
            {
                range.low = Some(text.to_string());
            }
            if matches!(constraint.op, Op::Eq | Op::Lt | Op::Le)
                && range.high.as_deref().is_none_or(|high| high > &*text)
            {
                range.high = Some(text.into_owned());
            }
        }
        range
    }

    /// The bounds of an INTEGER column, both inclusive: `(lowest, highest)`.
    pub fn integer_range(&self, column: &str) -> (i64, i64) {
        let mut bounds = (i64::MIN, i64::MAX);
        for constraint in self.on(column) {
            let Some(number) = constraint.values.first().and_then(Value::as_integer) else { continue };
            if matches!(constraint.op, Op::Eq | Op::Gt | Op::Ge) {
                bounds.0 = bounds.0.max(number);
            }
            if matches!(constraint.op, Op::Eq | Op::Lt | Op::Le) {
                bounds.1 = bounds.1.min(number);
            }
        }
        bounds
    }

    /// The patterns that a column must match, with [`Op::Like`] or [`Op::Glob`].
    pub fn patterns<'a>(&'a self, column: &'a str) -> impl Iterator<Item = (Op, &'a str)> {
        self.on(column).filter_map(|constraint| match (constraint.op, constraint.values.first()) {
            (op @ (Op::Like | Op::Glob), Some(Value::Text(pattern))) => Some((op, pattern.as_str())),
            _ => None,
        })
    }

    /// Can `record` of the file `path` hold a row that the statement asks for by rowid?
    pub fn admits_record(&self, path: &str, record: Option<&str>) -> bool {
        self.on("rowid").filter(|constraint| constraint.op == Op::Eq).all(|constraint| {
            constraint.values.iter().filter_map(Value::as_integer).any(|rowid| rowid_is_of(rowid, path, record))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(constraints: Vec<(&str, Op, Vec<Value>)>) -> Scan {
        let mut scan = Scan::all(Arc::default(), None);
        scan.constraints = constraints
            .into_iter()
            .map(|(column, op, values)| Constraint { column: column.into(), op, values })
            .collect();
        scan
    }

    #[test]
    fn keys_take_text_affinity() {
        let text = |t: &str| Value::Text(t.into());
        assert_eq!(scan(vec![]).keys("id"), None);
        assert_eq!(scan(vec![("id", Op::Eq, vec![Value::Integer(5)])]).keys("id"), Some(vec!["5".into()]));
        assert_eq!(scan(vec![("id", Op::Eq, vec![Value::Null])]).keys("id"), Some(vec![]));
        assert_eq!(scan(vec![("id", Op::Eq, vec![Value::Real(5.0)])]).keys("id"), None);
        let both = scan(vec![
            ("id", Op::In, vec![text("a"), text("b"), text("a"), Value::Null]),
            ("id", Op::Eq, vec![text("b")]),
        ]);
        assert_eq!(both.keys("id"), Some(vec!["b".into()]));
    }

    #[test]
    fn ranges_are_inclusive() {
        let scan =
            scan(vec![("t", Op::Gt, vec![Value::Text("b".into())]), ("t", Op::Le, vec![Value::Text("d".into())])]);
        let range = scan.range("t");
        assert!(range.admits(Some("b")) && range.admits(Some("d")));
        assert!(!range.admits(Some("a")) && !range.admits(Some("e")) && !range.admits(None));
    }

    #[test]
    fn integer_bounds_take_integers_in_any_storage() {
        let scan = scan(vec![
            ("n", Op::Ge, vec![Value::Text("3".into())]),
            ("n", Op::Lt, vec![Value::Real(9.0)]),
            ("n", Op::Lt, vec![Value::Real(1.5)]),
        ]);
        assert_eq!(scan.integer_range("n"), (3, 9));
    }
}
