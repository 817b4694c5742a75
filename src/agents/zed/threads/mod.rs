//! `zed_threads`: the threads themselves, from the table's columns, and from their documents where a statement asks.

mod document;
mod record;
mod tree;

use self::document::{FIELDS, count, drain, fill};
pub use self::record::ThreadRow;
use self::record::{COUNT_COLUMNS, FIELD_COLUMNS};
use self::tree::Tree;
use super::blob::{Inflater, Opened, type_error};
use super::context;
use super::history::{Unit, units};
use super::stores::StoreKind;
use super::text_threads;
use super::thread::document::ThreadReader;
use super::thread::fields::folders;
use super::threads_db::{Asked, Thread, Wanted};
use super::walk::bounds;
use crate::error::Result;
use crate::store::find::Found;
use crate::store::sqlite::Blob;
use crate::table::{Rows, Scan, Source, Table, Weight};
use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

pub static TABLE: Table<ThreadRow> = Table {
    name: "zed_threads",
    doc: "One row per thread of Zed's own agent, and per old text thread. What stands in the row of threads.db never touches the thread's document; a column that stands in the document inflates it.",
    weight: Weight::Metadata,
    orders: &["updated_at"],
    scan: rows,
};

/// Every thread that the scan asks for.
pub fn rows(scan: &Scan) -> Result<Rows<ThreadRow>> {
    let wants_tree = scan.wants_any(&["depth", "root_session_id"]);
    let behind = Behind {
        fields: scan.wants_any(FIELD_COLUMNS),
        counts: scan.wants_any(COUNT_COLUMNS),
        bytes: scan.wants("document_bytes"),
        text: scan.wants("document"),
    };
    let wanted = Wanted {
        title: scan.wants_any(&["title", "title_is_shared"]),
        bytes: scan.wants("blob_bytes"),
        parent: wants_tree || scan.wants("parent_session_id"),
        folders: behind.fields || scan.wants_any(&["project_path", "folders", "folder_paths", "folder_paths_order"]),
        created: scan.wants_any(&["created_at", "created_at_basis"]),
    };
    let asked = Asked { wanted, time: "updated_at", late_from: None };
    let units = units(scan, asked, &[StoreKind::ThreadsDb, StoreKind::TextThread])?;
    let wants_project = scan.wants("project_path");
    let (inflater, tree) = (Inflater::default(), Tree::default());
    let mut reading = Reading { scan: scan.clone(), wanted, wants_tree, wants_project, behind, inflater, tree };
    Ok(Box::new(units.filter_map(move |unit| reading.row(unit))))
}

/// What is read behind the row.
#[derive(Debug, Clone, Copy)]
struct Behind {
    /// The members around the messages.
    fields: bool,
    /// The messages, to count them.
    counts: bool,
    /// The length of the text.
    bytes: bool,
    /// The text.
    text: bool,
}

struct Reading {
    scan: Scan,
    wanted: Wanted,
    wants_tree: bool,
    wants_project: bool,
    behind: Behind,
    inflater: Inflater,
    tree: Tree,
}

impl Reading {
    fn row(&mut self, unit: Unit) -> Option<ThreadRow> {
        match unit {
            Unit::Failed(source) => Some(ThreadRow { store: "threads_db", source, ..ThreadRow::default() }),
            Unit::TextThread(found, time) => text_thread(&self.scan, &found, time),
            Unit::Thread(thread) => Some(self.thread(&thread)),
        }
    }

    fn thread(&mut self, thread: &Thread) -> ThreadRow {
        let mut row = of_head(thread);
        let read = self.read(thread, &mut row);
        let placed = if self.wants_tree { self.place(thread, &mut row) } else { Ok(()) };
        if let Err(error) = read.and(placed) {
            row.source = std::mem::take(&mut row.source).failed(error);
        }
        row
    }

    /// Fills `depth` and `root_session_id`.
    fn place(&mut self, thread: &Thread, row: &mut ThreadRow) -> Result<()> {
        let Some(id) = &row.session_id else { return Ok(()) };
        let above = match &row.parent_session_id {
            None => Some((0, Arc::clone(id))),
            // Without the column nothing tells what is above the parent, and Zed never nested deeper.
            Some(parent) if !thread.head.has_parent_column => Some((row.depth.unwrap_or(1), Arc::clone(parent))),
            Some(parent) => self.tree.above(&self.scan.session, thread.store.path(), id, parent)?,
        };
        (row.depth, row.root_session_id) = above.unzip();
        Ok(())
    }

    /// Fills what stands in the document. What was read before an error stays.
    fn read(&mut self, thread: &Thread, row: &mut ThreadRow) -> Result<()> {
        let without_project = self.wants_project && row.project_path.is_none();
        let without_parent = self.wanted.parent && !thread.head.has_parent_column;
        let with_fields = self.behind.fields || without_project || without_parent;
        let opened = match self.measured(thread, row)? {
            Some(opened) => Some(opened),
            None if with_fields || self.behind.counts => self.inflate(thread)?,
            None => None,
        };
        let Some(opened) = opened.filter(|_| with_fields || self.behind.counts) else { return Ok(()) };
        let mut reader = ThreadReader::new(opened.into_reader(), FIELDS);
        let damage = if self.behind.counts {
            count(&mut reader, row)
        } else {
            reader = reader.without_messages();
            drain(&mut reader)
        };
        let fields = reader.fields();
        if reader.elements().is_some() {
            fill(row, fields);
        }
        if without_parent {
            let subagent = fields.subagent();
            row.parent_session_id = subagent.as_ref().and_then(|(parent, _)| parent.as_deref()).map(Arc::from);
            row.depth = subagent.and_then(|(_, depth)| depth);
        }
        let version = || fields.version_error().map(|error| error.at("/version"));
        let kind = || type_error(thread.head.data_type.as_deref());
        damage.or_else(version).or_else(kind).map_or(Ok(()), Err)
    }

    /// Fills the text or its length; gives the document, if it is still to be read.
    fn measured(&mut self, thread: &Thread, row: &mut ThreadRow) -> Result<Option<Opened<Blob>>> {
        if !self.behind.bytes && !self.behind.text {
            return Ok(None);
        }
        let Some(opened) = self.inflate(thread)? else { return Ok(None) };
        if self.behind.text {
            let text = Arc::new(opened.into_bytes()?);
            row.document_bytes = i64::try_from(text.len()).ok();
            row.document = Some(document::text(&text)?);
            return Ok(Some(Opened::of(text, bounds(&self.scan.session))));
        }
        if opened.is_whole() {
            row.document_bytes = i64::try_from(opened.text.len()).ok();
            return Ok(Some(opened));
        }
        row.document_bytes = i64::try_from(opened.count_bytes()?).ok();
        Ok(None)
    }

    fn inflate(&mut self, thread: &Thread) -> Result<Option<Opened<Blob>>> {
        let Some(blob) = thread.blob()? else { return Ok(None) };
        let bounds = bounds(&self.scan.session).of_stored(blob.len());
        self.inflater.open(blob, thread.head.data_type.as_deref(), bounds).map(Some)
    }
}

/// What the row of the table tells.
fn of_head(thread: &Thread) -> ThreadRow {
    let (head, trailing) = (&thread.head, &thread.head.trailing);
    let folders = folders(trailing.folder_paths.as_deref(), trailing.folder_paths_order.as_deref());
    let title = head.title.as_ref().filter(|title| !title.is_empty());
    ThreadRow {
        session_id: head.session_id.clone(),
        parent_session_id: trailing.parent_id.clone(),
        title: title.cloned().map(Text::Shared),
        created_at: trailing.created_at,
        updated_at: head.updated_at,
        data_type: head.data_type.clone(),
        blob_bytes: head.blob_bytes,
        project_path: folders.first().map(|folder| Arc::from(*folder)),
        folders: (!folders.is_empty()).then(|| serde_json::json!(folders).to_string().into()),
        folder_paths: trailing.folder_paths.as_deref().map(Text::from),
        folder_paths_order: trailing.folder_paths_order.as_deref().map(Text::from),
        title_is_shared: Some(title.is_some_and(|title| is_shared(title))),
        created_at_basis: trailing.created_at.map(|_| "thread_created_at"),
        updated_at_basis: head.updated_at.map(|_| context::TIME_BASIS),
        store: "threads_db",
        source: thread.source(),
        ..ThreadRow::default()
    }
}

/// Zed marks pasted and shared threads in their title.
fn is_shared(title: &str) -> bool {
    title.starts_with("🔗 ")
}

/// The row of a text thread; `None` where the scan asks for other ids.
fn text_thread(scan: &Scan, found: &Found<StoreKind>, time: Option<Time>) -> Option<ThreadRow> {
    let keys = scan.keys("session_id");
    let row = ThreadRow {
        updated_at: time,
        updated_at_basis: time.map(|_| text_threads::TIME_BASIS),
        store: "text_thread",
        source: Source::new(&found.place, None),
        ..ThreadRow::default()
    };
    let thread = match text_threads::read(found, keys.as_deref(), &scan.session, bounds(&scan.session).document_bytes) {
        Ok(thread) => thread?,
        Err(error) => return Some(ThreadRow { source: row.source.clone().failed(error), ..row }),
    };
    let title = thread.get("summary").and_then(|title| title.as_str()).filter(|title| !title.is_empty());
    let is_prompt = |message: &text_threads::TextMessage<'_>| message.role.is_some_and(|role| role.is_str("user"));
    Some(ThreadRow {
        session_id: Some(Arc::clone(&thread.id)),
        depth: Some(0),
        root_session_id: Some(Arc::clone(&thread.id)),
        title_is_shared: Some(title.as_deref().is_some_and(is_shared)),
        title: title.map(Text::from),
        document_version: thread.get("version").and_then(|version| version.text()),
        document_bytes: i64::try_from(thread.bytes).ok(),
        model: thread.get("model").and_then(|model| model.text()),
        message_count: i64::try_from(thread.messages().count()).ok(),
        prompt_count: i64::try_from(thread.messages().filter(is_prompt).count()).ok(),
        tool_call_count: Some(0),
        document: scan.wants("document").then(|| thread.verbatim()),
        ..row
    })
}
