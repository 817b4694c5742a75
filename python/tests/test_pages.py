"""Every page of every table, and every query, in both Datasettes, against what SQLite itself answers."""

import csv
import io
import re
import sqlite3
import unittest
from collections import Counter
from html import unescape
from urllib.parse import quote

import sqlite_agent_history
from homes import DEMO, LOGIN
from pages import Pages
from sqlite_agent_history.datasette_plugin import FACETS
from sqlite_agent_history.datasette_plugin.questions import queries


class EveryTable(Pages):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sqlite = sqlite3.connect(":memory:")
        cls.addClassCleanup(cls.sqlite.close)
        sqlite_agent_history.load(cls.sqlite)
        found = cls.sqlite.execute("SELECT DISTINCT table_name FROM agent_columns").fetchall()
        cls.tables = [name for name, in found]

    def every_table(self):
        """(name, columns, rows by rowid) of each, as SQLite answers."""
        for table in self.tables:
            cursor = self.sqlite.execute(f"SELECT rowid, * FROM {table}")
            rows = {row[0]: row[1:] for row in cursor}
            yield table, [column[0] for column in cursor.description[1:]], rows

    def test_the_database_lists_them_all(self):
        html = self.get("/agents").text
        listed = set(re.findall(r'<h3><a href="/agents/(\w+)"', html))
        self.assertEqual((len(self.tables) > 25, listed), (True, set(self.tables)))

    def test_the_page_and_its_json_have_every_row(self):
        for table, columns, want in self.every_table():
            html = self.get(f"/agents/{table}").text
            self.assertRegex(html, rf"\b{len(want)}\s+rows?\b")
            self.assertEqual(len(re.findall("<td[^>]* class=\"col-Link ", html)), min(len(want), 100), table)
            rows = self.rows(f"/agents/{table}.json?_size=1000")
            self.assertEqual({row["rowid"]: tuple(row[name] for name in columns) for row in rows}, want)
            self.assertEqual(len(rows), len(want))

    def test_a_page_after_the_other_gives_every_row_once(self):
        for table, columns, want in self.every_table():
            for sort in ["", f"&_sort={columns[1]}", f"&_sort_desc={columns[2]}"]:
                seen, path = [], f"/agents/{table}.json?_size={max(3, len(want) // 4)}{sort}"
                while path:
                    page = self.json(path)
                    seen += [row["rowid"] for row in page["rows"]]
                    path = (page.get("next_url") or "").replace("http://localhost", "").replace("&_shape=objects", "")
                self.assertEqual((len(seen), set(seen)), (len(want), set(want)), (table, sort))

    def test_sorting_is_sqlites_with_ties_by_rowid(self):
        for table, columns, want in self.every_table():
            for at in [0, 1, len(columns) // 2, len(columns) - 1]:
                def key(rowid):
                    cell = want[rowid][at]
                    return cell is not None, isinstance(cell, str), 0 if cell is None else cell

                for sort in ["_sort", "_sort_desc"]:
                    rows = self.rows(f"/agents/{table}.json?_size=5&{sort}={columns[at]}")
                    rowids = sorted(sorted(want), key=key, reverse=sort == "_sort_desc")[:5]
                    self.assertEqual([row["rowid"] for row in rows], rowids, (table, sort, columns[at]))

    def test_a_facet_counts_and_narrows(self):
        for table, columns, want in self.every_table():
            for facet in set(FACETS.get(table.partition("_")[2], [])) & set(columns):
                counts = Counter(row[columns.index(facet)] for row in want.values())
                html = unescape(self.get(f"/agents/{table}").text)
                for value in set(counts) - {None}:
                    self.assertIn(f"{facet}={quote(str(value), safe='').replace('%20', '+')}", html)
                    narrowed = self.rows(f"/agents/{table}.json?_size=1000&{facet}={quote(str(value))}")
                    self.assertEqual(len(narrowed), counts[value], (table, facet, value))

    def test_every_row_has_a_page(self):
        for table, columns, want in self.every_table():
            for rowid in list(want)[:3] + list(want)[-1:]:
                row = self.rows(f"/agents/{table}/{rowid}.json")[0]
                self.assertEqual(tuple(row[name] for name in columns), want[rowid])
                text = next(str(cell) for cell in want[rowid] if cell not in (None, ""))
                self.assertIn(text[:20], unescape(self.get(f"/agents/{table}/{rowid}").text))

    def test_csv_has_every_row(self):
        for table, columns, want in self.every_table():
            found = list(csv.reader(io.StringIO(self.get(f"/agents/{table}.csv?_stream=on").text, newline="")))
            self.assertEqual(found[0], ["rowid", *columns])
            lines = {int(row[0]): row[1:] for row in found[1:]}
            self.assertEqual((len(found) - 1, lines), (len(want), {
                rowid: ["" if cell is None else str(cell) for cell in row] for rowid, row in want.items()}))


class EveryQuery(Pages):
    # Asked as they stand there are none in the demo home: a search without words, and keys where nobody left one.
    EMPTY = {"search", "27_keys_in_history"}

    def test_each_answers_on_anyones_history_without_parameters(self):
        for name, query in queries().items():
            with self.subTest(name):
                self.assertNotRegex(query["sql"], r"b5a0c0de|/home/ana|dots|2026-|benchmark|dry-run", "a word of the demo")
                rows = self.rows(f"/agents/{name}.json")
                self.assertEqual(bool([row for row in rows if any(row.values())]), name not in self.EMPTY, rows)
                html = self.get(f"/agents/{name}").text
                for parameter in query["parameters"]:
                    self.assertIn(f'name="{parameter}"', html)

    def test_parameters_narrow(self):
        for name, parameters, want in [
            ("search", "words=12+tests+pass", 1), ("01_search_content", "words=Dots", 6),
            ("05_thread_cost", f"session_id={LOGIN}", 1), ("09_tool_output", f"session_id={LOGIN}", 6),
            ("19_export_markdown", f"session_id={LOGIN}", 1), ("10_file_history", "path=src/login.rs", 2),
            ("21_search_cody", "words=benchmark", 2), ("27_keys_in_history", "word=--dry-run", 1),
            ("28_one_day", "day=2026-07-21", 26),
        ]:
            with self.subTest(name):
                self.assertEqual(len(self.rows(f"/agents/{name}.json?{parameters}")), want)

    def test_the_pages_list_every_query(self):
        html = self.get("/agents").text
        self.assertIn('<a href="/agents/search">search everything that was said</a>', html)
        # Datasette 1.0 shows five of them, and links to pages of the others.
        more = re.search(r'"(/agents/-/queries)">View (\d+) queries', html)
        path, listed = more[1] if more else None, set(re.findall(r'href="/agents/(search|\d\d_\w+)"', html))
        while path:
            html = unescape(self.get(path).text)
            listed |= set(re.findall(r'href="/agents/(search|\d\d_\w+)"', html))
            following = re.search(r'href="(?:http://localhost)?(/agents/-/queries\?_next=[^"]+)"', html)
            path = following and following[1]
        self.assertEqual(listed, set(queries()))


if __name__ == "__main__":
    unittest.main()
