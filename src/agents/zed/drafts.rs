//! `zed_drafts`: prompts that were written and not sent, in threads and in the agent panel.

use super::panel::{drafts, panels, prompt};
use super::threads::{self, ThreadRow};
use crate::error::Result;
use crate::json::Document;
use crate::table::{Pointer, Rows, Scan, Table, Weight};
use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

crate::record! {
    /// One unsent prompt.
    pub struct Draft {
        /// The release channel whose panel keeps it: `stable`, `preview`, `nightly`, `dev`. NULL for what stands in a thread.
        channel: Option<Arc<str>>,
        /// The id of its entry in `zed_sidebar_threads`. NULL where it is filed under something else.
        thread_id: Option<Arc<str>>,
        /// The thread that it would go on. NULL where no message was sent yet.
        [key] session_id: Option<Arc<str>>,
        /// What was written: text blocks as they are, links and attached files as `[mention] <uri>`, media as `[image]` and `[audio]`, joined by newlines.
        [search] text: Option<Text>,
        /// The folder that the user listed first in its entry or thread. NULL when the entry is gone.
        project_path: Option<Arc<str>>,
        /// UTC, fixed width; timestamp_basis says what it really is: no draft records its own time.
        [range] timestamp_utc: Option<Time>,
        /// What timestamp_utc is: `record` (updated_at of the sidebar entry), `thread_updated_at`, `file_mtime` where the entry is gone.
        timestamp_basis: Option<&'static str>,
        /// The blocks as stored, JSON text.
        raw: Option<Text>,
    }
}

pub static TABLE: Table<Draft> = Table {
    name: "zed_drafts",
    doc: "One row per prompt that was written and not sent: in a thread of Zed's own agent, or in a draft of the agent panel. It inflates every thread's document.",
    weight: Weight::Documents,
    orders: &[],
    scan,
};

const NAME: &str = "draft_prompt";

fn scan(scan: &Scan) -> Result<Rows<Draft>> {
    let columns = ["session_id", "project_path", "updated_at", "updated_at_basis", NAME];
    let constraints = scan.constraints.iter().filter(|on| on.column == "session_id").cloned().collect();
    let columns = Some(columns.map(str::to_owned).into());
    let threads = Scan { columns, constraints, ..Scan::all(Arc::clone(&scan.session), scan.root.clone()) };
    let keys = scan.keys("session_id");
    let is_asked = move |draft: &Draft| {
        let is_key = |id: &Arc<str>| keys.iter().flatten().any(|key| **key == **id);
        keys.is_none() || draft.session_id.as_ref().is_some_and(is_key)
    };
    let of_panels = panels(scan)?.flat_map(|panel| drafts::rows(&panel)).filter(is_asked);
    Ok(Box::new(threads::rows(&threads)?.filter_map(of_thread).chain(of_panels)))
}

/// The draft in a thread's document, or the document that cannot be read.
fn of_thread(thread: ThreadRow) -> Option<Draft> {
    let row = Draft {
        session_id: thread.session_id,
        project_path: thread.project_path,
        timestamp_utc: thread.updated_at,
        timestamp_basis: thread.updated_at_basis,
        source: thread.source,
        ..Draft::default()
    };
    let Some(stored) = thread.draft_prompt else {
        return row.source.error.is_some().then_some(row);
    };
    let blocks = Document::parse(stored.to_str().into_owned().into_bytes());
    if blocks.as_ref().is_ok_and(|blocks| prompt::is_nothing(blocks.root())) {
        return None;
    }
    let text = blocks.and_then(|blocks| prompt::text(blocks.root()));
    let source = row.source.at(Pointer::record().join(NAME));
    Some(Draft {
        text: text.as_ref().ok().cloned(),
        raw: Some(stored),
        source: match text {
            Ok(_) => source,
            Err(error) => source.failed(error),
        },
        ..row
    })
}
