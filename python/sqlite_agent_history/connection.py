"""A connection with the extension loaded, from whichever SQLite of this Python can do that."""

import sqlite3

import sqlite_agent_history

NO_HOST = (
    "this Python's sqlite3 cannot load extensions, and apsw is not installed: "
    "pip install 'sqlite-agent-history[shell]'"
)


class CannotLoad(Exception):
    """No SQLite here can load the extension; the text says what to install."""


def connect(path=":memory:"):
    """A connection of sqlite3, else of apsw, that leaves transactions to the SQL."""
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        conn = sqlite3.connect(path, isolation_level=None)
    else:
        conn = apsw().Connection(path)
    sqlite_agent_history.load(conn)
    return conn


def apsw():
    """The apsw module, which brings a SQLite of its own."""
    try:
        import apsw
        import apsw.ext
    except ImportError:
        raise CannotLoad(NO_HOST) from None
    return apsw


def is_sql_error(error):
    """Whether an exception is SQLite's, of either module."""
    return isinstance(error, sqlite3.Error) or type(error).__module__.startswith("apsw")


def ask(conn, sql):
    """The names of the columns and an iterator over the rows."""
    if isinstance(conn, sqlite3.Connection):
        cursor = conn.execute(sql)
        return [column[0] for column in cursor.description or []], cursor
    # Asked before it runs: apsw forgets the columns of a statement that gave no rows.
    columns = apsw().ext.query_info(conn, sql).description
    return [column[0] for column in columns], conn.execute(sql)
