"""One session as the conversation that it was.

Everything stored is text to this page: the template escapes it, nothing is turned into a link or markup, and the
page's policy allows neither scripts nor anything from elsewhere.
"""

from datasette import Forbidden, NotFound, Response

from sqlite_agent_history.datasette_plugin.cells import session_path

# Messages of a page, and characters of a text that are shown.
PAGE = 200
LONGEST = 20_000
POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
TITLES = {
    "user": "User",
    "assistant": "Assistant",
    "thinking": "Thinking",
    "tool_use": "Tool",
    "tool_result": "Tool result",
    "system": "System",
}
# Words of a status that say that the call did not do its work.
FAILED = {"error", "denied", "auto_denied", "canceled"}
PLACE = ["source_path", "source_record", "message_index", "item_index"]


async def page(datasette, request):
    """GET /agents/-/session?agent=…&session_id=…&from=…"""
    if not await may_see(datasette, request.actor):
        raise Forbidden("view-database")
    agent, session_id = request.args.get("agent"), request.args.get("session_id")
    start = request.args.get("from") or "0"
    if not agent or not session_id or not start.isdecimal():
        raise NotFound("A session is named by agent= and session_id=")
    database = datasette.get_database("agents")
    found = await database.execute_fn(lambda conn: read(conn, agent, session_id, int(start)))
    if not found["session"] and not found["messages"]:
        raise NotFound(f"No session {session_id!r} of {agent!r}")
    context = {
        "session": found["session"],
        "session_id": session_id,
        "items": items(found),
        "children": [(text, session_path(agent, text)) for text in found["children"]],
        "parent": parent_path(found["session"], agent),
        "next": next_path(found, agent, session_id, int(start)),
        "first": session_path(agent, session_id) if int(start) else None,
        "css": datasette.urls.static_plugins("sqlite_agent_history", "session.css"),
    }
    html = await datasette.render_template("agent_session.html", context, request=request)
    headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
    return Response.html(html, headers=headers)


async def may_see(datasette, actor):
    """Whether the actor may see the database, by the rules of this Datasette."""
    if hasattr(datasette, "permission_allowed"):
        return await datasette.permission_allowed(actor, "view-database", "agents", default=True)
    from datasette.resources import DatabaseResource

    return await datasette.allowed(action="view-database", resource=DatabaseResource("agents"), actor=actor)


def read(conn, agent, session_id, start):
    """The rows of one page of a session; records that did not decode stand on the first."""
    key, window = (agent, session_id), (agent, session_id, start, start + PAGE)
    mine = "WHERE agent = ? AND session_id = ?"
    here = f"{mine} AND message_index >= ? AND message_index < ?"
    messages = rows(conn, f"SELECT rowid, * FROM agent_messages {here}", window)
    if start == 0:
        messages += rows(conn, f"SELECT rowid, * FROM agent_messages {mine} AND message_index IS NULL", key)
    return {
        "session": next(iter(rows(conn, f"SELECT * FROM agent_sessions {mine}", key)), None),
        "messages": sorted(messages, key=lambda row: [(row[name] is None, row[name]) for name in PLACE]),
        "calls": rows(conn, f"SELECT * FROM agent_tool_calls {here}", window),
        "edits": rows(conn, f"SELECT * FROM agent_edits {here}", window),
        "has_more": bool(rows(conn, f"SELECT 1 AS one FROM agent_messages {mine} AND message_index >= ? LIMIT 1",
                              (*key, start + PAGE))),
        "children": [row["session_id"] for row in rows(
            conn, "SELECT session_id FROM agent_sessions WHERE agent = ? AND parent_session_id = ?", key)],
    }


def rows(conn, sql, parameters):
    """Rows as dictionaries."""
    cursor = conn.execute(sql, parameters)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row)) for row in cursor.fetchall()]


def items(found):
    """What the template shows, in order: a call has its result and its edits inside, a result alone stands alone."""
    calls = {place(call): call for call in found["calls"]}
    edits = {}
    for edit in found["edits"]:
        edits.setdefault(place(edit), []).append(edit)
    inside = {(call["tool_use_id"], call["result"]) for call in found["calls"] if call["result"]}
    shown = []
    for message in found["messages"]:
        if message["turn_type"] == "tool_result" and (message["tool_use_id"], message["text"]) in inside:
            continue
        shown.append(item(message, calls.get(place(message)), edits.get(place(message), [])))
    return shown


def place(row):
    """Where a row stands."""
    return tuple(row[name] for name in PLACE)


def item(message, call, edits):
    """One message item."""
    status = call["status"] if call else "error" if message["is_error"] else None
    turn = message["turn_type"] or "error"
    what = message["kind"] if message["kind"] not in (turn, "text") else None
    return {
        "turn": "error" if message["error"] else turn,
        "is_folded": turn in {"thinking", "system"} or message["kind"] in {"mention", "context"},
        "is_failed": status in FAILED,
        "title": TITLES.get(turn, "Not readable"),
        "what": message["tool_name"] or what,
        "status": status,
        "exit_code": call["exit_code"] if call else None,
        "reason": call["decision_reason"] if call else None,
        "command": call["command"] if call else None,
        "text": cut(message["text"]),
        "uri": message["uri"],
        "result": cut(call["result"]) if call else None,
        "edits": [{**edit, "lines": diff_lines(edit)} for edit in edits],
        "error": message["error"],
        "source": message["source_path"],
        "row": f"/agents/agent_messages/{message['rowid']}",
    }


def cut(text):
    """A text that a browser can bear."""
    if text is None or len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n… {len(text) - LONGEST} more characters: see the row"


def diff_lines(edit):
    """(class, line) of an edit: its diff, else what was and what is."""
    diff = edit["diff"]
    if not diff:
        old, new = (edit["old_text"] or "").splitlines(), (edit["new_text"] or "").splitlines()
        diff = "\n".join(["-" + line for line in old] + ["+" + line for line in new])
    kinds = {"+": "added", "-": "removed", "@": "hunk"}
    return [(kinds.get(line[:1], "same"), line) for line in cut(diff).splitlines()]


def parent_path(session, agent):
    """The page of the session that started this one."""
    parent = session and session["parent_session_id"]
    return session_path(agent, parent) if parent else None


def next_path(found, agent, session_id, start):
    """The page after this one."""
    return f"{session_path(agent, session_id)}&from={start + PAGE}" if found["has_more"] else None
