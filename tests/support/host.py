"""Runs SQL statements with the loaded extension and prints their rows as SQL literals, exactly: argv[1] is the library,
stdin a JSON list of statements. Before each statement stands its marker line; an error is a line that starts with `!`."""

import json
import sqlite3
import sys


class Text(bytes):
    """TEXT as bytes, told apart from BLOB: nothing is lost, a NUL or a wrong byte included."""


def literal(value):
    if value is None:
        return b"NULL"
    if isinstance(value, Text):
        return b"'" + value.replace(b"'", b"''") + b"'"
    if isinstance(value, bytes):
        return b"X'" + value.hex().encode() + b"'"
    return repr(value).encode()


db = sqlite3.connect(":memory:", isolation_level=None)
db.text_factory = Text
db.enable_load_extension(True)
db.load_extension(sys.argv[1])
out = sys.stdout.buffer
for number, statement in enumerate(json.load(sys.stdin)):
    out.write(b"--8<-- %d\n" % number)
    try:
        for row in db.execute(statement):
            out.write(b",".join(map(literal, row)) + b"\n")
    except sqlite3.Error as error:
        out.write(b"!" + str(error).encode() + b"\n")
