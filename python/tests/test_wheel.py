"""The installed wheel: loading, the command line, the copy, the exports, sqlite-utils."""

import csv
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import sqlite_agent_history
from homes import DEMO, SESSIONS
from sqlite_agent_history.materialize import statements

PROJECT = Path(__file__).resolve().parent.parent.parent
OLDEST = "SELECT agent, title, message_count FROM agent_sessions WHERE created_at > '2026-07-20' ORDER BY created_at"
WANT = [("cody", "Slow parser", 4), ("zed", "Fix login", 8)]


def run(*arguments, stdin=""):
    """(exit code, stdout, stderr) of `python -m sqlite_agent_history`."""
    done = subprocess.run([sys.executable, "-m", "sqlite_agent_history", *arguments], input=stdin,
                          capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


class Loading(unittest.TestCase):
    def setUp(self):
        self.conn = sqlite3.connect(":memory:")
        sqlite_agent_history.load(self.conn)

    def test_rows_of_the_demo_home(self):
        sql = f"{OLDEST} LIMIT 2".replace("agent_sessions", "agent_sessions(?)")
        self.assertEqual(self.conn.execute(sql, [DEMO]).fetchall(), WANT)

    def test_loading_is_forbidden_again(self):
        with self.assertRaisesRegex(sqlite3.OperationalError, "not authorized"):
            self.conn.execute("SELECT load_extension('x')")

    def test_the_path_has_no_suffix_and_names_a_file(self):
        path = Path(sqlite_agent_history.loadable_path())
        self.assertEqual(path.name, "agent_history")
        self.assertEqual(len(list(path.parent.glob("agent_history.*"))), 1)

    def test_the_versions_agree(self):
        cargo = re.search(r'^version = "(.+)"$', (PROJECT / "Cargo.toml").read_text(), re.MULTILINE)[1]
        self.assertEqual(sqlite_agent_history.__version__, cargo)
        self.assertIn(cargo, self.conn.execute("SELECT agent_history_version()").fetchone()[0])


class Queries(unittest.TestCase):
    def ask(self, *arguments):
        code, out, err = run(f"{OLDEST} LIMIT 2", "--root", DEMO, *arguments)
        self.assertEqual((code, err), (0, ""))
        return out

    def test_csv(self):
        self.assertEqual(self.ask("--csv"), "agent,title,message_count\ncody,Slow parser,4\nzed,Fix login,8\n")

    def test_json(self):
        want = [dict(zip(["agent", "title", "message_count"], row)) for row in WANT]
        self.assertEqual(json.loads(self.ask("--json")), want)

    def test_markdown_is_what_comes_unasked(self):
        want = "| agent | title | message_count |\n| --- | --- | --- |\n| cody | Slow parser | 4 |\n| zed | Fix login | 8 |\n"
        self.assertEqual(self.ask("--markdown"), want)
        self.assertEqual(self.ask(), want)

    def test_markdown_cells_keep_their_row(self):
        code, out, _ = run("SELECT 'a|b' || char(10) || 'c' AS x, NULL AS y")
        self.assertEqual((code, out), (0, "| x | y |\n| --- | --- |\n| a\\|b c |  |\n"))

    def test_no_rows_are_an_empty_array(self):
        self.assertEqual(json.loads(run("SELECT 1 AS x WHERE 0", "--json")[1]), [])

    def test_blobs_are_hexadecimal(self):
        sql = "SELECT x'00ff' AS b, 1 AS n"
        self.assertEqual(run(sql, "--csv")[1], "b,n\n00ff,1\n")
        self.assertEqual(json.loads(run(sql, "--json")[1]), [{"b": "00ff", "n": 1}])
        self.assertIn("| 00ff | 1 |", run(sql)[1])

    def test_a_mistyped_table_is_told_what_there_is(self):
        code, _, err = run("SELECT * FROM agent_mesages")
        self.assertEqual((code, err), (1, "sqlite_agent_history: no such table: agent_mesages; there are: "
                                          "SELECT DISTINCT table_name FROM agent_columns\n"))

    def test_an_error_is_words_and_a_code(self):
        self.assertEqual(run("SELECT nope"), (1, "", "sqlite_agent_history: no such column: nope\n"))
        code, _, err = run("SELECT * FROM agent_sources", "--root", "/no/such/home")
        self.assertEqual(code, 1)
        self.assertIn("no such file or directory", err)

    def test_the_shell_has_the_tables(self):
        with mock.patch.dict(os.environ, AGENT_HISTORY_ROOT=DEMO):
            code, out, _ = run(stdin="SELECT count(*) FROM agent_sessions;\n")
        self.assertEqual((code, out.splitlines()[-1]), (0, str(SESSIONS)))


class OtherHosts(unittest.TestCase):
    """A Python whose sqlite3 cannot load extensions."""

    def run_without(self, missing, *arguments):
        code = ("import runpy, sqlite3, sys\n"
                "sqlite3.Connection = type('Connection', (), {})\n"
                f"sys.modules.update(dict.fromkeys({missing!r}))\n"
                "runpy.run_module('sqlite_agent_history', run_name='__main__', alter_sys=True)\n")
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def test_apsw_answers_instead(self):
        want = "agent,title,message_count\ncody,Slow parser,4\nzed,Fix login,8\n"
        self.assertEqual(self.run_without([], f"{OLDEST} LIMIT 2", "--csv", "--root", DEMO), (0, want, ""))
        self.assertEqual(self.run_without([], "SELECT 1 AS x WHERE 0", "--csv"), (0, "x\n", ""))
        code, _, err = self.run_without([], "SELECT nope")
        self.assertEqual((code, "no such column: nope" in err), (1, True))

    def test_apsw_materializes(self):
        with tempfile.TemporaryDirectory() as folder:
            code, out, _ = self.run_without([], "materialize", f"{folder}/history.db", "--root", DEMO)
        self.assertEqual((code, out), (0, "sessions_rewritten 12, sessions 12, sessions_missing 0, messages 70\n"))

    def test_without_apsw_it_says_what_to_install(self):
        code, out, err = self.run_without(["apsw"], "SELECT 1")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("pip install 'sqlite-agent-history[shell]'", err)


class Copies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_materialize_copies_then_finds_nothing_to_do(self):
        path = self.folder / "history.db"
        code, out, err = run("materialize", str(path), "--root", DEMO)
        self.assertEqual((code, out), (0, "sessions_rewritten 12, sessions 12, sessions_missing 0, messages 70\n"))
        self.assertEqual([line.split()[-1] for line in err.splitlines()],
                         ["sessions", "messages", "tool_calls", "edits", "token_usage"])
        self.assertEqual(run("materialize", str(path), "--root", DEMO)[1],
                         "sessions_rewritten 0, sessions 12, sessions_missing 0, messages 70\n")
        conn = sqlite3.connect(path)
        found = conn.execute("SELECT m.turn_type, m.text FROM messages_search('retries') AS s "
                             "JOIN messages AS m ON m.id = s.rowid").fetchall()
        conn.close()
        self.assertEqual(found, [("user", "How do I cap retries?")])

    def test_a_file_that_is_no_database_is_words_and_harms_no_host(self):
        path = self.folder / "notes.txt"
        path.write_text("no database\n" * 100)
        self.assertEqual(run("materialize", str(path), "--root", DEMO),
                         (1, "", f"sqlite_agent_history: {path}: file is not a database\n"))
        code, _, err = run("materialize", str(self.folder / "nowhere" / "history.db"))
        self.assertEqual((code, err), (1, f"sqlite_agent_history: {self.folder}/nowhere/history.db: unable to open database file\n"))

    def test_statements_end_outside_triggers_and_comments(self):
        script = "-- a; b\nSELECT ';';\nCREATE TRIGGER t AFTER INSERT ON x BEGIN\n  SELECT 1;\nEND;\n"
        self.assertEqual([part.splitlines()[-1] for part in statements(script)], ["SELECT ';';", "END;"])

    def export(self, file_format):
        code, _, err = run("export", str(self.folder), "--format", file_format, "--table", "agent_token_usage",
                           "--table", "agent_sessions", "--root", DEMO)
        self.assertEqual((code, len(err.splitlines())), (0, 2), err)
        return self.folder / f"agent_sessions.{file_format}"

    def test_csv(self):
        with open(self.export("csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual((len(rows), rows[0]["title"]), (SESSIONS, "Fix login"))

    def test_json(self):
        rows = json.loads(self.export("json").read_text())
        self.assertEqual((len(rows), rows[0]["title"], rows[0]["message_count"]), (SESSIONS, "Fix login", 8))

    def test_parquet_has_the_declared_types(self):
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(self.export("parquet"))
        self.assertEqual((table.num_rows, table["title"][0].as_py(), table["message_count"][0].as_py()),
                         (SESSIONS, "Fix login", 8))
        self.assertEqual(str(table.schema.field("message_count").type), "int64")

    def test_every_table_is_exported_unasked(self):
        code, _, err = run("export", str(self.folder), "--root", DEMO)
        self.assertEqual(code, 0, err)
        tables = [path.stem for path in self.folder.glob("*.csv")]
        self.assertIn("zed_messages", tables)
        self.assertIn("agent_columns", tables)

    def test_a_folder_that_cannot_be_made_is_words(self):
        (self.folder / "file").touch()
        code, _, err = run("export", str(self.folder / "file" / "out"), "--root", DEMO)
        self.assertEqual((code, err), (1, f"sqlite_agent_history: Not a directory: {self.folder}/file/out\n"))

    def test_an_unknown_table_is_named(self):
        code, _, err = run("export", str(self.folder), "--table", "nope", "--root", DEMO)
        self.assertEqual(code, 1)
        self.assertTrue(err.startswith("no such table: nope; there are "), err)


class Skill(unittest.TestCase):
    def test_every_command_answers(self):
        text = (PROJECT / "skills" / "agent-history" / "SKILL.md").read_text(encoding="utf-8")
        commands = re.findall(r"^```sh\n(.+)\n```$", text, re.MULTILINE)
        self.assertEqual(len(commands), 7)
        folder = os.path.dirname(sys.executable)
        environment = {**os.environ, "AGENT_HISTORY_ROOT": DEMO, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
        for command in commands:
            done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)
            self.assertGreater(len(done.stdout.splitlines()), 1, command)
            # A page of text, not a session of it.
            self.assertLess(len(done.stdout), 5000, command)


class SqliteUtils(unittest.TestCase):
    def test_every_connection_has_the_tables(self):
        done = subprocess.run([sys.executable, "-m", "sqlite_utils", "memory", "SELECT count(*) AS n FROM agent_sessions"],
                              capture_output=True, text=True, env={**os.environ, "AGENT_HISTORY_ROOT": DEMO}, timeout=60)
        self.assertEqual((done.stdout, done.stderr), (f'[{{"n": {SESSIONS}}}]\n', ""))


if __name__ == "__main__":
    unittest.main()
