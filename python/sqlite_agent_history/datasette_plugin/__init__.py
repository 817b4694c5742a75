"""Datasette: the extension on every connection, and a database `agents` that shows the history without any file.

Works on Datasette 0.65 and on the 1.0 alphas, which keep metadata, facets and queries in other places. Plugin setting
`root` says whose history is shown; without it, the user's own.
"""

import re

from datasette import hookimpl
from datasette.database import Database
from markupsafe import Markup

import sqlite_agent_history
from sqlite_agent_history.datasette_plugin import cells, session
from sqlite_agent_history.datasette_plugin.questions import queries

DATABASE = "agents"
PLUGIN = "sqlite_agent_history"
# Above the list of tables: where a person starts. Datasette 1.0 shows five of the queries beneath it, and search is not
# among them.
ABOUT = Markup("""The local history of AI coding agents, read from their own stores as you look. Start with
<a href="{sessions}">the sessions</a>, or <a href="{search}">search everything that was said</a>;
<a href="{sources}">the sources</a> say what was found where.""")
# Columns with few values: what a person narrows by.
FACETS = {
    "messages": ["agent", "turn_type", "kind", "project_path", "tool_name"],
    "tool_calls": ["agent", "tool_name", "status", "project_path"],
    "edits": ["agent", "operation", "status", "project_path"],
    "permissions": ["agent", "kind", "decision", "scope"],
    "token_usage": ["model", "provider", "basis", "is_best"],
    "sessions": ["agent", "project_path", "is_archived", "is_orphan"],
    "threads": ["project_path", "model", "profile"],
    "chats": ["product", "store", "project_path"],
    "timeline": ["agent", "kind", "project_path"],
    "sources": ["agent", "kind", "status"],
    "errors": ["table_name", "agent"],
    "columns": ["table_name", "type"],
}
# Newest first, where sorting needs no document decoded.
NEWEST_FIRST = {"agent_sessions": "updated_at", "zed_threads": "updated_at", "cody_chats": "created_at"}
# The first page of a table that Datasette sorts by one column.
SORTED = re.compile(r"(select rowid, .+ order by (?!rowid\b)\S+(?: desc)?)( limit \d+)", re.DOTALL)
# Table -> metadata, filled at the start.
TABLES = {}


class History(Database):
    """The database without a file. Sorted pages of its tables hold every row once."""

    async def execute(self, sql, *arguments, **options):
        """Rows of the same value stand by rowid on the first page too, as Datasette takes it for granted on the next:
        in a table of a file they do so unasked, here they come in the order of the conversation."""
        sorted_page = SORTED.fullmatch(sql)
        if sorted_page:
            sql = f"{sorted_page[1]}, rowid{sorted_page[2]}"
        return await super().execute(sql, *arguments, **options)


@hookimpl
def prepare_connection(conn):
    """Loads the extension."""
    sqlite_agent_history.load(conn)


@hookimpl
def startup(datasette):
    """Adds the database, and tells Datasette 1.0 what 0.65 asks for by hooks."""

    async def add():
        root = (datasette.plugin_config(PLUGIN) or {}).get("root")
        database = datasette.add_database(History(datasette, memory_name=DATABASE), name=DATABASE)
        await database.execute_write_fn(lambda conn: create_tables(conn, root))
        documented = await database.execute_fn(table_docs)
        TABLES.update(documented)
        if hasattr(datasette, "set_column_metadata"):
            await tell_datasette_1(datasette, documented)

    return add


def create_tables(conn, root):
    """sql/browse.sql, with a root: a table that has one shows no hidden columns, and Datasette would list them."""
    script = (sqlite_agent_history.sql_folder() / "browse.sql").read_text(encoding="utf-8")
    value = "'{}'".format(root.replace("'", "''")) if root else "NULL"
    for table in re.findall(r"^CREATE VIRTUAL TABLE IF NOT EXISTS (\w+)", script, re.MULTILINE):
        conn.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {table} USING {table}(root={value})")


def table_docs(conn):
    """Table -> Datasette's metadata for it."""
    found = {}
    rows = conn.execute("SELECT table_name, name, doc FROM agent_columns WHERE is_hidden = 0")
    for table, column, doc in rows:
        found.setdefault(table, {"columns": {}})["columns"][column] = doc
    for table, metadata in found.items():
        facets = FACETS.get(table.partition("_")[2], [])
        metadata["facets"] = [column for column in facets if column in metadata["columns"]]
        if table in NEWEST_FIRST:
            metadata["sort_desc"] = NEWEST_FIRST[table]
    return found


async def tell_datasette_1(datasette, documented):
    """Descriptions, facets and queries where Datasette 1.0 keeps them."""
    await datasette.set_database_metadata(DATABASE, "description_html", about(datasette))
    config = datasette.config.setdefault("databases", {}).setdefault(DATABASE, {}).setdefault("tables", {})
    for table, metadata in documented.items():
        for column, doc in metadata["columns"].items():
            await datasette.set_column_metadata(DATABASE, table, column, "description", doc)
        shown = {key: value for key, value in metadata.items() if key != "columns"}
        config[table] = {**shown, **config.get(table, {})}
    for name, query in queries().items():
        await datasette.add_query(DATABASE, name, **query)


def about(datasette):
    """The HTML above the list of tables."""
    pages = {"sessions": "agent_sessions", "search": "search", "sources": "agent_sources"}
    return str(ABOUT.format(**{name: datasette.urls.path(f"/{DATABASE}/{page}") for name, page in pages.items()}))


def get_metadata(datasette):
    """What Datasette 0.65 shows above tables and columns."""
    return {"databases": {DATABASE: {"description_html": about(datasette), "tables": TABLES}}}


def canned_queries(database):
    """The queries of the database's page in Datasette 0.65."""
    if database != DATABASE:
        return {}
    return {name: {**query, "params": query["parameters"]} for name, query in queries().items()}


# Datasette 1.0 has neither hook, and refuses to know them.
for hook in [get_metadata, canned_queries]:
    globals()[hook.__name__] = hookimpl(optionalhook=True)(hook)


@hookimpl
def render_cell(row, value, column, table, database, datasette):
    """Sessions are links."""
    return cells.render(datasette.urls.path, row, value, column, table) if database == DATABASE else None


@hookimpl
def extra_css_urls(datasette, database):
    """Wraps long texts in the tables of this database."""
    return [datasette.urls.static_plugins(PLUGIN, "table.css")] if database == DATABASE else []


@hookimpl
def register_routes():
    """The page of one session."""
    return [(rf"^/{DATABASE}/-/session$", session.page)]
