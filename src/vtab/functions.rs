//! SQL functions that every connection gets.

use super::guard;
use crate::table::{Argument, Function, Session, Setting};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Result};
use std::sync::Arc;

/// The crate's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// `agent_history_version()`, and `agent_history_config(name [, value])`: the value of a setting, before the change.
pub fn register(db: &Connection, session: &Arc<Session>) -> Result<()> {
    let pure = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    db.create_scalar_function("agent_history_version", 0, pure, |_| Ok(VERSION))?;
    let direct = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
    for arguments in [1, 2] {
        let session = Arc::clone(session);
        db.create_scalar_function("agent_history_config", arguments, direct, move |context| config(&session, context))?;
    }
    Ok(())
}

/// An agent's function.
pub fn add(db: &Connection, function: &'static Function) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let arguments = i32::try_from(function.arguments.len()).unwrap_or(-1);
    db.create_scalar_function(function.name, arguments, flags, |context| {
        guard(|| {
            let arguments: Vec<Argument<'_>> = (0..context.len()).map(|at| argument(context.get_raw(at))).collect();
            Ok((function.call)(&arguments))
        })
    })
}

fn argument(value: ValueRef<'_>) -> Argument<'_> {
    match value {
        ValueRef::Null => Argument::Null,
        ValueRef::Integer(_) | ValueRef::Real(_) => Argument::Number,
        ValueRef::Text(bytes) => Argument::Text(bytes),
        ValueRef::Blob(bytes) => Argument::Blob(bytes),
    }
}

fn config(session: &Session, context: &Context<'_>) -> Result<i64> {
    let name: String = context.get(0)?;
    let setting = Setting::named(&name).ok_or_else(|| unknown(&name))?;
    if context.len() == 1 {
        return Ok(session.setting(setting));
    }
    let value: i64 = context.get(1)?;
    if value < 0 {
        return Err(Error::UserFunctionError(format!("{name} must not be negative, found {value}").into()));
    }
    Ok(session.set(setting, value))
}

fn unknown(name: &str) -> Error {
    let known = Setting::ALL.map(|(_, name, ..)| name).join(", ");
    Error::UserFunctionError(format!("no setting {name}; there are {known}").into())
}
