//! `cody_edits`: which files were changed, from what to what.

use super::call_rows::{self, CallRows};
use super::calls::edit;
use super::origin::Origin;
use crate::error::Result;
use crate::model::Edit;
use crate::table::{Rows, Scan, Table, Weight, With};

/// The table.
pub static TABLE: Table<With<Edit, Origin>> = Table {
    name: "cody_edits",
    doc: "One row per change of a file that Cody's chats record: calls of the editor tool, and diffs that the chat's edit mode proposed. Edits made in the editor itself leave no record.",
    weight: Weight::Documents,
    orders: &[],
    scan,
};

/// The rows.
///
/// # Errors
/// The root does not exist.
pub fn scan(scan: &Scan) -> Result<Rows<With<Edit, Origin>>> {
    let kind = CallRows { of_call: edit::of_call, of_message: edit::proposed, of_failure: |base| edit::beside(&base) };
    call_rows::scan(scan, kind)
}
