"""The command line: python -m sqlite_agent_history.

    python -m sqlite_agent_history                                    a shell with the tables
    python -m sqlite_agent_history "SELECT …" [--csv|--json|--markdown]
    python -m sqlite_agent_history materialize history.db             copy into a file, again to update it
    python -m sqlite_agent_history export out/ --format parquet       one file a table
"""

import argparse
import os
import re
import sys

import sqlite_agent_history
from sqlite_agent_history.connection import CannotLoad, apsw, ask, connect, is_sql_error
from sqlite_agent_history.export import export
from sqlite_agent_history.materialize import materialize
from sqlite_agent_history.output import WRITERS


def main(arguments=None):
    """Runs one command; the exit code is 1 where it failed, with words on stderr."""
    arguments = sys.argv[1:] if arguments is None else arguments
    command = {"materialize": run_materialize, "export": run_export}.get(arguments[0] if arguments else "")
    try:
        return command(arguments[1:]) if command else run_query(arguments)
    except CannotLoad as error:
        return fail(error)
    except BrokenPipeError:
        # Somebody closed the pipe, `head` say; nothing more can be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return fail(f"{error.strerror}: {error.filename}")
    except Exception as error:
        if not is_sql_error(error):
            raise
        return fail(error)


def fail(error):
    """Says why, for the exit code 1."""
    words = str(error)
    if re.search(r"no such table: \w+$", words):
        words += "; there are: SELECT DISTINCT table_name FROM agent_columns"
    print(f"sqlite_agent_history: {words}", file=sys.stderr)
    return 1


def parser(name, description):
    """A parser with what every command knows."""
    found = argparse.ArgumentParser(prog=f"python -m sqlite_agent_history{name}", description=description)
    found.add_argument("--root", help="whose history: a home directory, or any folder or file with stores")
    return found


def set_root(root):
    """The default of every table's `root`."""
    if root:
        os.environ["AGENT_HISTORY_ROOT"] = os.path.abspath(root)


def run_query(arguments):
    """Answers a statement once, or opens the shell where there is none."""
    options = parser("", "Ask the history of AI coding agents. Other commands: materialize, export.")
    options.add_argument("sql", nargs="?", help="a statement; without one, a shell opens")
    formats = options.add_mutually_exclusive_group()
    for name in WRITERS:
        formats.add_argument(f"--{name}", dest="format", action="store_const", const=name)
    options.add_argument("--version", action="version", version=sqlite_agent_history.__version__)
    options = options.parse_args(arguments)
    set_root(options.root)
    if options.sql is None:
        return run_shell()
    columns, rows = ask(connect(), options.sql)
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    WRITERS[options.format or "markdown"](sys.stdout, columns, rows)
    return 0


def run_shell():
    """apsw's shell, with the extension loaded into its connection."""
    module = apsw()
    from apsw.shell import Shell

    conn = module.Connection(":memory:")
    sqlite_agent_history.load(conn)
    print("Tables: SELECT DISTINCT table_name FROM agent_columns;  Stores: SELECT * FROM agent_sources;")
    Shell(db=conn).cmdloop()
    return 0


def run_materialize(arguments):
    """Copies the history into a database file."""
    options = parser(" materialize", "Copy the history into ordinary tables with full-text search; again to update.")
    options.add_argument("database", help="the file to create or to bring up to date")
    options = options.parse_args(arguments)
    set_root(options.root)
    try:
        counts = materialize(options.database, sys.stderr)
    except Exception as error:
        if not is_sql_error(error):
            raise
        return fail(f"{options.database}: {error}")
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    return 0


def run_export(arguments):
    """Writes tables as files."""
    options = parser(" export", "Write tables as files, one a table.")
    options.add_argument("folder")
    options.add_argument("--format", choices=["parquet", "csv", "json"], default="csv")
    options.add_argument("--table", action="append", default=[], help="only this table; may be given again")
    options = options.parse_args(arguments)
    set_root(options.root)
    export(options.folder, options.format, options.table, sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
