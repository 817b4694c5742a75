"""The local history of AI coding agents as SQLite tables: a loadable extension and how to load it.

    import sqlite3, sqlite_agent_history
    db = sqlite3.connect(":memory:")
    sqlite_agent_history.load(db)
    db.execute("SELECT title, updated_at FROM agent_sessions").fetchall()
"""

from importlib.metadata import version
from pathlib import Path

__version__ = version("sqlite-agent-history")
__all__ = ["load", "loadable_path", "sql_folder"]


def loadable_path():
    """Path of the library for SQLite's load_extension: without the suffix, which SQLite adds."""
    return str(Path(__file__).with_name("agent_history"))


def load(conn):
    """Loads the extension into a connection of sqlite3, pysqlite3 or apsw, and forbids loading again."""
    conn.enable_load_extension(True)
    try:
        conn.load_extension(loadable_path())
    finally:
        conn.enable_load_extension(False)


def sql_folder():
    """The folder of the SQL files that come with the extension."""
    return Path(__file__).with_name("sql")
