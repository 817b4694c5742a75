"""sqlite-utils loads the extension on every connection."""

from sqlite_utils import hookimpl

import sqlite_agent_history


@hookimpl
def prepare_connection(conn):
    """Called by sqlite-utils with each new connection."""
    sqlite_agent_history.load(conn)
