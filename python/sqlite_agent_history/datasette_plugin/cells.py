"""Cells of Datasette's tables: sessions are links to their page. Datasette escapes and cuts all others itself."""

from urllib.parse import urlencode

from markupsafe import Markup

SESSIONS = {"session_id", "parent_session_id", "root_session_id", "child_session_id"}


def session_path(agent, session_id):
    """The path of a session's page."""
    return "/agents/-/session?" + urlencode({"agent": agent, "session_id": session_id})


def render(url, row, value, column, table):
    """The HTML of a cell, or None where Datasette's own will do."""
    agent = agent_of(row, table)
    if column not in SESSIONS or not value or not agent:
        return None
    return Markup('<a href="{}">{}</a>').format(url(session_path(agent, value)), value)


def agent_of(row, table):
    """The agent of a row: its column, else the first word of the table's name."""
    if "agent" in row.keys():
        return row["agent"]
    first = (table or "").partition("_")[0]
    return first if first not in ("", "agent") else None
