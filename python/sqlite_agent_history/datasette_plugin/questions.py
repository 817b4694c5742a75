"""The cookbook's questions, and a search, as named queries that answer on anyone's history.

The cookbook asks about the demo home. Here its words are parameters, and one that is left empty has a default: the
newest session, the newest day, any text.
"""

import re

import sqlite_agent_history

SEARCH = """SELECT agent, session_id, message_index, turn_type, timestamp_utc, project_path, text
FROM agent_messages
WHERE text LIKE '%' || :words || '%' AND :words <> ''
LIMIT 200"""
NEWEST_DAY = "(SELECT max(updated_at) FROM agent_sessions)"
# What stands in the cookbook -> the parameter, what stands in its place, what it is when it is left empty.
PARAMETERS = {
    "'b5a0c0de-0000-4000-8000-000000000001'": (
        "session_id",
        "coalesce(nullif(:session_id, ''),\n"
        "    (SELECT session_id FROM {table} WHERE error IS NULL ORDER BY timestamp_utc DESC LIMIT 1))",
        "the newest session"),
    "'%dots%'": ("words", "'%' || :words || '%'", "any text"),
    "'dots'": ("words", "lower(:words)", "any text"),
    "'%benchmark%'": ("words", "'%' || :words || '%'", "any text"),
    "absolute_path = '/home/ana/api/src/login.rs' OR path LIKE '%src/login.rs'": (
        "path", "coalesce(absolute_path, path) LIKE '%' || :path", "any file"),
    "'*--dry-run*'": ("word", "'*' || coalesce(nullif(:word, ''), 'password') || '*'", "password"),
    "'2026-07-21'": ("day", f"date(coalesce(nullif(:day, ''), {NEWEST_DAY}))", "the newest day"),
    "'2026-07-22'": ("day", f"date(coalesce(nullif(:day, ''), {NEWEST_DAY}), '+1 day')", "the newest day"),
}


def queries():
    """Name -> title, SQL, parameters, description; in the cookbook's order."""
    found = {"search": {"title": "Search everything that was said", "sql": SEARCH, "parameters": ["words"]}}
    for path in sorted((sqlite_agent_history.sql_folder() / "examples").glob("*.sql")):
        lines = path.read_text(encoding="utf-8").splitlines()
        comment = " ".join(line[3:] for line in lines if line.startswith("-- "))
        sql = "\n".join(line for line in lines if not line.startswith("-- ")).rstrip().rstrip(";")
        # Datasette 1.0 sorts by title: with two digits that is the cookbook's order.
        title = f"{path.stem[:2]}. {re.sub(r'^[0-9]+[.] ', '', comment)}"
        found[path.stem] = {"title": title, **generic(sql)}
    return found


def generic(sql):
    """The SQL with the demo's words as parameters, and a description that names their defaults."""
    table = re.search(r"FROM (agent_\w+)", sql)
    defaults = {}
    for words, (name, expression, default) in PARAMETERS.items():
        if words in sql:
            sql = sql.replace(words, expression.format(table=table and table[1]))
            defaults[name] = default
    # Named, as Datasette 0.65 does not find those inside VALUES.
    found = {"sql": sql, "parameters": list(defaults)}
    if defaults:
        found["description"] = "; ".join(f"{name}: when empty, {default}" for name, default in defaults.items())
    return found
