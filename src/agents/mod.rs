//! The agents whose history is read: where their stores are, what they mean, which tables they fill.

use crate::table::AnyTable;

/// Every table, in the order of documentation.
pub fn tables() -> Vec<&'static dyn AnyTable> {
    Vec::new()
}
