"""Copies the history into an ordinary database file, with full-text search: sql/materialize.sql, with progress."""

import re
import sqlite3
import time

import sqlite_agent_history
from sqlite_agent_history.connection import ask, connect


def materialize(path, out):
    """Brings the copy in the file up to date, tells `out` of the longer steps, and gives the closing counts."""
    script = (sqlite_agent_history.sql_folder() / "materialize.sql").read_text(encoding="utf-8")
    conn = connect(path)
    start = time.monotonic()
    columns, row = [], ()
    try:
        for statement in statements(script):
            step = re.search(r"^INSERT (?:OR REPLACE )?INTO (\w+)", statement, re.MULTILINE)
            columns, rows = ask(conn, statement)
            row = next(iter(rows), ())
            if step:
                print(f"{time.monotonic() - start:6.1f} s  {step[1]}", file=out, flush=True)
    finally:
        conn.close()
    return dict(zip(columns, row))


def statements(script):
    """The statements of a script; the semicolons inside triggers, texts and comments do not end one."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
