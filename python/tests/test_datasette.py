"""The Datasette plugin, in process: pages, facets, queries, rows, paging, the page of a session."""

import re
import unittest
from html import unescape
from unittest import mock
from urllib.parse import quote

from datasette.app import Datasette
from homes import LOGIN, XSS
from pages import Pages
from sqlite_agent_history.datasette_plugin import session

IS_1 = hasattr(Datasette, "set_column_metadata")
CLASSES = re.compile(r'<article class="([\w ]+)"')


class Demo(Pages):
    def test_columns_are_described_and_facets_narrow(self):
        html = self.get("/agents/agent_sessions").text
        self.assertIn("The program whose history it is", html)
        self.assertIn("facet-results", html)
        self.assertIn("agent=cody", unescape(html))
        rows = self.rows("/agents/agent_sessions.json?agent=cody")
        self.assertEqual({row["agent"] for row in rows}, {"cody"})
        self.assertEqual(len(rows), 5)

    def test_sessions_stand_newest_first(self):
        rows = self.rows("/agents/agent_sessions.json?_size=2&updated_at__notnull=1&_sort_desc=updated_at")
        self.assertEqual([row["title"] for row in rows], ["Deploy notes", "Dark mode"])

    def test_texts_are_found(self):
        rows = self.rows("/agents/agent_messages.json?text__contains=tests&kind=text")
        self.assertEqual(sorted(row["text"][:20] for row in rows),
                         ["It copies every line", "Names may hold dots ", "Names with a dot can"])
        html = self.get("/agents/search?words=place-items").text
        self.assertIn("Use a grid with place-items: center.", html)

    def test_no_hidden_column_shows(self):
        row = self.rows("/agents/zed_threads.json?_size=1")[0]
        self.assertFalse({"root", "document"} & set(row))

    def test_sessions_are_links_to_their_page(self):
        html = unescape(self.get("/agents/agent_sessions").text)
        self.assertIn(f'<a href="/agents/-/session?agent=zed&session_id={LOGIN}">', html)

    def test_a_session_reads_as_the_conversation(self):
        response = self.get(f"/agents/-/session?agent=zed&session_id={LOGIN}")
        html = response.text
        self.assertEqual(CLASSES.findall(html), [
            "user", "user", "thinking", "assistant", "tool_use", "tool_use failed", "assistant", "tool_use", "tool_use",
            "tool_use", "assistant", "user", "tool_use", "assistant"])
        self.assertIn('<span class="status">error, exit code 101</span>', html)
        self.assertIn('<span class="removed">-    s.chars().all(char::is_alphanumeric)</span>', html)
        self.assertIn('<span class="added">+# Changelog</span>', html)
        self.assertIn('<details><summary>thinking</summary><div class="text">is_name refuses dots.</div></details>', html)
        self.assertIn('<pre class="command">cargo test login</pre>', html)
        self.assertIn("000000000002", html, "the subagent's session")
        self.assertIn("default-src 'none'", response.headers["Content-Security-Policy"])

    def test_results_in_the_next_message_stand_with_their_call(self):
        key = quote("Tue, 21 Jul 2026 11:30:00 GMT")
        html = self.get(f"/agents/-/session?agent=cody&session_id={key}").text
        self.assertEqual(CLASSES.findall(html), ["user", "assistant", "tool_use failed", "tool_use", "assistant"])

    def test_a_record_that_did_not_decode_is_visible(self):
        html = self.get("/agents/-/session?agent=zed&session_id=b5a0c0de-0000-4000-8000-000000000006").text
        self.assertEqual(CLASSES.findall(html), ["error"])
        self.assertIn("zstd: ", html)

    def test_a_session_that_is_not_there(self):
        self.get("/agents/-/session?agent=zed&session_id=nope", 404)
        self.get("/agents/-/session?agent=zed", 404)
        self.get(f"/agents/-/session?agent=zed&session_id={LOGIN}&from=x", 404)

    def test_later_messages_are_on_the_next_page(self):
        with mock.patch.object(session, "PAGE", 6):
            first = unescape(self.get(f"/agents/-/session?agent=zed&session_id={LOGIN}").text)
            self.assertIn(f"session_id={LOGIN}&from=6", first)
            self.assertNotIn("Write it into the changelog.", first)
            last = self.get(f"/agents/-/session?agent=zed&session_id={LOGIN}&from=6").text
        self.assertEqual(CLASSES.findall(last), ["user", "tool_use", "assistant"])
        self.assertNotIn("next messages", last)


class Denied(Pages):
    # 1.0 keeps it in the configuration.
    settings = {"config" if IS_1 else "metadata": {"databases": {"agents": {"allow": False}}}}

    def test_who_may_not_see_the_database_sees_no_session(self):
        self.get(f"/agents/-/session?agent=zed&session_id={LOGIN}", 403)


class HostileTexts(Pages):
    root = XSS

    def test_no_stored_text_becomes_markup(self):
        rows = self.rows("/agents/agent_sessions.json")
        key = rows[0]["session_id"]
        paths = [f"/agents/-/session?agent=zed&session_id={quote(key)}"]
        paths += [f"/agents/{name}" for name in
                  ["agent_sessions", "agent_messages", "agent_tool_calls", "agent_timeline", "zed_threads"]]
        for path in paths:
            html = self.get(path).text
            self.assertIn("window.ran=", html, path)
            for bad in ["<script>window.ran", "<img src=x", "<svg onload", "<iframe srcdoc", "<body onload", 'href="javascript', ">49<"]:
                self.assertNotIn(bad, html, path)


if __name__ == "__main__":
    unittest.main()
