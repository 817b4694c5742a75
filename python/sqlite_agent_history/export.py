"""Writes tables as files, one a table, without holding a table in memory."""

import itertools
from pathlib import Path

from sqlite_agent_history.connection import CannotLoad, ask, connect
from sqlite_agent_history.output import WRITERS

# Rows of a Parquet row group: texts of agents are long.
GROUP = 2000


def export(folder, file_format, tables, out):
    """Writes `<folder>/<table>.<format>` for the tables named, or for all, and tells `out` of each."""
    write = write_parquet if file_format == "parquet" else write_text
    if file_format == "parquet":
        pyarrow()
    conn = connect()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for table, types in columns_of(conn, tables).items():
        path = folder / f"{table}.{file_format}"
        columns = ", ".join(f'"{name}"' for name in types)
        names, rows = ask(conn, f"SELECT {columns} FROM {table}")
        count = itertools.count()
        # zip asks for the row first, so the counter ends at their number.
        counted = (row for row, _ in zip(rows, count))
        write(path, file_format, names, counted, types)
        print(f"{path}: {next(count)} rows", file=out, flush=True)


def columns_of(conn, tables):
    """Table -> column -> declared type, of the tables named or of all."""
    found = {}
    _, rows = ask(conn, "SELECT table_name, name, type FROM agent_columns WHERE is_hidden = 0")
    for table, name, declared in rows:
        found.setdefault(table, {})[name] = declared
    unknown = [table for table in tables if table not in found]
    if unknown:
        raise SystemExit(f"no such table: {', '.join(unknown)}; there are {', '.join(found)}")
    return {table: found[table] for table in tables or found}


def write_text(path, file_format, names, rows, _types):
    """A CSV or JSON file."""
    with open(path, "w", encoding="utf-8", newline="") as out:
        WRITERS[file_format](out, names, rows)


def write_parquet(path, _format, names, rows, types):
    """A Parquet file whose columns have the declared types."""
    pa, parquet = pyarrow()
    kinds = {"INTEGER": pa.int64(), "REAL": pa.float64()}
    schema = pa.schema([(name, kinds.get(types[name], pa.string())) for name in names])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while group := list(itertools.islice(rows, GROUP)):
            columns = [pa.array(column, type=field.type) for column, field in zip(zip(*group), schema)]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def pyarrow():
    """pyarrow and its Parquet writer."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise CannotLoad("Parquet needs pyarrow: pip install 'sqlite-agent-history[parquet]'") from None
    return pyarrow, pyarrow.parquet
