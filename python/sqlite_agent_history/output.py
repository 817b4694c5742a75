"""Rows as CSV, JSON or Markdown, written as they come; a blob is its bytes in hexadecimal."""

import csv
import json


def write_csv(out, columns, rows):
    """CSV with a header; NULL is an empty field."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_plain(cell) for cell in row] for row in rows)


def write_json(out, columns, rows):
    """A JSON array with one object a row, each on a line of its own."""
    out.write("[")
    for number, row in enumerate(rows):
        out.write(",\n" if number else "\n")
        json.dump(dict(zip(columns, map(_plain, row))), out, ensure_ascii=False)
    out.write("\n]\n")


def write_markdown(out, columns, rows):
    """A Markdown table; line breaks in a cell become spaces, so that a row stays a row."""
    _write_row(out, columns)
    _write_row(out, ["---"] * len(columns))
    for row in rows:
        _write_row(out, row)


def _write_row(out, cells):
    out.write("| " + " | ".join(_cell(cell) for cell in cells) + " |\n")


def _plain(value):
    return value.hex() if isinstance(value, bytes) else value


def _cell(value):
    text = "" if value is None else str(_plain(value))
    return " ".join(text.replace("|", "\\|").split())


WRITERS = {"csv": write_csv, "json": write_json, "markdown": write_markdown}
