//! SQLite's callbacks on one side, [`AnyTable`] on the other: one virtual table and one cursor serve every table.
//!
//! Nobody needs to edit this to add a table. Nothing unwinds into SQLite: a panic in a callback would abort the
//! host, so each body runs in `guard` and a panic becomes an SQL error.
#![allow(unsafe_code, reason = "rusqlite's VTab traits are unsafe: they promise repr(C) with SQLite's base first")]

mod arguments;
mod cell;
pub mod functions;
mod host;
mod plan;
pub mod regexp;

use self::cell::Desk;
pub use host::session as interruptible_session;

use crate::interrupt;
use crate::table::{AnyTable, Cursor, Layout, Plan, Scan, Session};
use rusqlite::ffi::sqlite3_module;
use rusqlite::vtab::{
    Context, CreateVTab, Filters, IndexInfo, Module, VTab, VTabConfig, VTabConnection, VTabCursor, VTabKind,
    sqlite3_vtab, sqlite3_vtab_cursor,
};
use rusqlite::{Connection, Error, Result};
use std::any::Any;
use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_int};
use std::mem::transmute;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What SQLite keeps for a module: the table, and the connection's session.
pub struct Aux {
    table: &'static dyn AnyTable,
    session: Arc<Session>,
}

/// Registers a table as an eponymous virtual table that can also be created.
pub fn register(db: &Connection, table: &'static dyn AnyTable, session: &Arc<Session>) -> Result<()> {
    let aux = Aux { table, session: Arc::clone(session) };
    db.create_module(table.name(), &MODULE, Some(aux))
}

/// rusqlite's callbacks, with our own xColumn.
const MODULE: Module<'static, TableTab> = {
    // SAFETY: `Module` is repr(transparent) over SQLite's struct.
    let mut callbacks: sqlite3_module = unsafe { transmute(Module::<TableTab>::read_only_module()) };
    callbacks.xColumn = Some(cell::column);
    // SAFETY: as above; the cursors that it is called with are those of `TableTab`.
    unsafe { transmute(callbacks) }
};

/// Runs a callback's body. A panic is a fault of ours: the host gets an SQL error and lives.
fn guard<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| Err(Error::ModuleError(panic_words(&*panic))))
}

/// The SQL error that a panic becomes.
fn panic_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    format!("internal error, please report it: {text}")
}

/// [`guard`] for work that the host may want to end: it gives rows until then, and SQLite's own error after. Between
/// callbacks SQLite finds out by itself.
fn work<T>(session: &Session, body: impl FnOnce() -> Result<T>) -> Result<T> {
    let until_asked = || {
        let done = body();
        if interrupt::was_asked() {
            return Err(Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_INTERRUPT), None));
        }
        done
    };
    guard(|| interrupt::within(&session.ask(), until_asked))
}

fn module_error(error: impl std::fmt::Display) -> Error {
    Error::ModuleError(error.to_string())
}

/// A connected table.
#[repr(C)]
pub struct TableTab {
    base: sqlite3_vtab,
    table: &'static dyn AnyTable,
    session: Arc<Session>,
    layout: Arc<Layout>,
    /// `root` of a created table; the eponymous one has a hidden column instead.
    root: Option<Arc<str>>,
}

// SAFETY: `TableTab` is repr(C) and starts with `sqlite3_vtab`.
unsafe impl<'vtab> VTab<'vtab> for TableTab {
    type Aux = Aux;
    type Cursor = TableCursor;

    fn connect(
        db: &mut VTabConnection,
        aux: Option<&Aux>,
        module: &[u8],
        _database: &[u8],
        table: &[u8],
        args: &[&[u8]],
    ) -> Result<(Cow<'static, CStr>, Self)> {
        guard(|| {
            let aux = aux.ok_or_else(|| module_error("registered without a table"))?;
            // These tables read the user's files: a view or trigger in a foreign database must not reach them.
            db.config(VTabConfig::DirectOnly)?;
            regexp::offer(db, &aux.session);
            let root = arguments::root(aux.table.name(), args)?;
            let eponymous = args.is_empty() && module == table;
            let layout = aux.table.layout();
            let sql = CString::new(layout.create_sql("x", eponymous))?;
            let (table, session) = (aux.table, Arc::clone(&aux.session));
            Ok((sql.into(), Self { base: sqlite3_vtab::default(), table, session, layout: Arc::new(layout), root }))
        })
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        guard(|| plan::choose(self.table, &self.layout, info))
    }

    fn open(&'vtab mut self) -> Result<TableCursor> {
        Ok(TableCursor {
            base: sqlite3_vtab_cursor::default(),
            table: self.table,
            session: Arc::clone(&self.session),
            root: self.root.clone(),
            rows: None,
            asked: None,
            eof: true,
            desk: RefCell::default(),
        })
    }
}

impl CreateVTab<'_> for TableTab {
    const KIND: VTabKind = VTabKind::Eponymous;
}

/// A scan that SQLite steps through.
#[repr(C)]
pub struct TableCursor {
    base: sqlite3_vtab_cursor,
    table: &'static dyn AnyTable,
    session: Arc<Session>,
    root: Option<Arc<str>>,
    rows: Option<Box<dyn Cursor>>,
    /// What the rows were asked with.
    asked: Option<Scan>,
    eof: bool,
    /// Where the cells' texts are made.
    desk: RefCell<Desk>,
}

impl TableCursor {
    fn advance(&mut self) -> Result<()> {
        let more = self.rows.as_mut().is_some_and(|rows| rows.advance());
        self.eof = !more;
        Ok(())
    }

    fn scan(&self, plan: Plan, args: &Filters<'_>) -> Result<Scan> {
        let (root, constraints) = plan::values(&plan, args)?;
        Ok(Scan {
            session: Arc::clone(&self.session),
            root: root.or_else(|| self.root.clone()),
            constraints,
            order: plan.order,
            columns: Some(plan.columns),
            heads: None,
        })
    }
}

// SAFETY: `TableCursor` is repr(C) and starts with `sqlite3_vtab_cursor`.
unsafe impl VTabCursor for TableCursor {
    fn filter(&mut self, _: c_int, plan: Option<&str>, args: &Filters<'_>) -> Result<()> {
        let session = Arc::clone(&self.session);
        work(&session, || {
            let plan = plan.and_then(Plan::decode).ok_or_else(|| module_error("a plan that is none"))?;
            let scan = self.scan(plan, args)?;
            // A cursor lives as long as a run of its statement. A join asks it the same for each row of its other side,
            // and all of these see the same rows.
            let is_same = self.asked.as_ref().is_some_and(|asked| asked.asks_the_same(&scan));
            if !(is_same && self.rows.as_mut().is_some_and(|rows| rows.rewind())) {
                self.rows = None;
                self.rows = Some(self.table.open(&scan).map_err(module_error)?);
                self.asked = Some(scan);
            }
            self.advance()
        })
    }

    fn next(&mut self) -> Result<()> {
        let session = Arc::clone(&self.session);
        work(&session, || self.advance())
    }

    fn eof(&self) -> bool {
        self.eof
    }

    fn column(&self, _: &mut Context, _: c_int) -> Result<()> {
        Err(module_error("SQLite calls `cell::column` instead"))
    }

    fn rowid(&self) -> Result<i64> {
        guard(|| Ok(self.rows.as_ref().and_then(|rows| rows.source()).map_or(0, |source| source.rowid())))
    }
}

impl Drop for TableCursor {
    fn drop(&mut self) {
        // A panic in a destructor would unwind through SQLite as well.
        let rows = self.rows.take();
        let _ = guard(move || {
            drop(rows);
            Ok(())
        });
    }
}

#[cfg(test)]
#[cfg(feature = "bundled")]
mod tests;
