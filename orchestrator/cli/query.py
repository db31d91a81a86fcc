# SPDX-License-Identifier: Apache-2.0
"""orchestrate query: SQL over the tables and metrics of a store."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.cli.options import add_store
from orchestrator.cli.spark_options import add_spark_options, session_before
from orchestrator.words import counted, did_you_mean

if TYPE_CHECKING:
    import pyarrow as pa

DESCRIPTION = """Answer a question in SQL (Spark's) from the tables and metrics of a store.

  orchestrate query --tables
      the tables, and with a name its columns
  orchestrate query "select cell, avg(value) from per_run
                     where metric = 'reduction' group by cell order by cell"
      over all experiments that have tables (their column `experiment`)
  orchestrate query -e chain "select * from events" --out events.parquet
      the rows of one experiment, into a file
  orchestrate query - < question.sql
      the query from standard input

A query only reads: whatever would change something, start a program, call the
engine's own process (reflect, java_method) or read other files is refused.
Tables are made by `orchestrate ingest EXPERIMENT --metrics`, and by `run`. A
query reads them as they are; how many finished runs are not in them yet is
said. In Python: from orchestrate_spark import open_store
(spark/README.md)."""
SHOWN_ROWS = 200  # of a result in the terminal
FORMS = (".csv", ".json", ".parquet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate query`."""
    parser.add_argument(
        "sql", nargs="?", metavar="SQL", help="the query, or - to read it from standard input"
    )
    parser.add_argument(
        "-e",
        "--experiment",
        action="append",
        metavar="NAME",
        help="only this experiment's rows; may be repeated (default: all that have tables)",
    )
    parser.add_argument(
        "--tables",
        nargs="?",
        const="",
        metavar="TABLE",
        help="list the tables, or this one's columns, instead of a query",
    )
    add_store(parser)
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="write all rows to this .csv, .json or .parquet"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_true", help="print all rows as CSV")
    form.add_argument("--json", action="store_true", help="print all rows as JSON")
    add_spark_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate query`; return the exit code."""
    from orchestrator.errors import WrongUsage

    if args.tables is not None:
        _tables(args)
        return 0
    query = sys.stdin.read() if args.sql == "-" else args.sql
    if not (query or "").strip():
        raise WrongUsage("no query\n    write one in SQL, or list the tables with --tables")
    if args.out is not None and args.out.suffix not in FORMS:
        raise WrongUsage(f"--out: {args.out} has an unknown format; its name must end in {', '.join(FORMS)}")
    rows = _asked(args, query)
    if args.out is not None:
        _write(rows, args.out)
        print(f"{counted(rows.num_rows, 'row')} in {args.out}")
    elif args.json:
        print(json.dumps(rows.to_pylist(), indent=2, default=str))
    elif args.csv:
        sys.stdout.write(_csv(rows))
    else:
        _show(rows)
    return 0


def _asked(args: argparse.Namespace, query: str) -> pa.Table:
    """Return the query's rows; as many as are shown and one more, if they are only shown."""
    from orchestrate_spark.errors import WrongQuery
    from orchestrate_spark.stores import open_store

    from orchestrator.console import stages
    from orchestrator.errors import WrongUsage
    from orchestrator.runs.store import Store, default_store

    store = Store(default_store(args.store))
    store.there()
    for name in args.experiment or ():
        store.known(name)
    shown_only = args.out is None and not args.json and not args.csv
    with stages("query") as stage:
        opened = open_store(
            store.path, args.experiment, spark=session_before("answering the query", stage, args.master)
        )
        for name, count in opened.unread().items():
            print(
                f"orchestrate: {name} has {counted(count, 'finished run')} that its tables don't have yet\n"
                f"    `orchestrate ingest {name} --metrics` reads them",
                file=sys.stderr,
            )
        try:
            return opened.arrow(query, SHOWN_ROWS + 1 if shown_only else None)
        except WrongQuery as error:
            raise WrongUsage(
                f"{error}\n    `orchestrate query --tables [TABLE]` lists tables and columns"
            ) from error


def _tables(args: argparse.Namespace) -> None:
    from orchestrate_spark.stores import names

    from orchestrator.cli.tables import Column, Table
    from orchestrator.console import show
    from orchestrator.errors import NoSuchThing

    tables = names()
    if args.tables and args.tables not in tables:
        raise NoSuchThing(f"no table {args.tables!r}; {did_you_mean(args.tables, sorted(tables))}")
    wanted = {args.tables: tables[args.tables]} if args.tables else tables
    columns = {name: {field.name: str(field.type) for field in schema} for name, schema in wanted.items()}
    if args.json:
        print(json.dumps(columns, indent=2))
    elif args.tables:
        show(Table("", ("column", "type"), list(columns[args.tables].items())))
    else:
        head = ("table", Column("columns", prose=True))
        show(Table("", head, [(name, ", ".join(types)) for name, types in columns.items()]))


def _write(rows: pa.Table, file: Path) -> None:
    """All rows into a file, whole or not at all."""
    from orchestrator.durable import rewrite
    from orchestrator.errors import writing

    if file.suffix == ".parquet":
        import io

        from pyarrow import parquet

        buffer = io.BytesIO()
        parquet.write_table(rows, buffer, compression="zstd")
        content = buffer.getvalue()
    else:
        text = (
            _csv(rows)
            if file.suffix == ".csv"
            else json.dumps(rows.to_pylist(), indent=2, default=str) + "\n"
        )
        content = text.encode()
    with writing(file, "name another file with --out"):
        rewrite(file, content)


def _csv(rows: pa.Table) -> str:
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows.column_names)
    writer.writerows([_plain(value) for value in row] for row in _rows(rows))
    return text.getvalue()


def _rows(rows: pa.Table) -> list[tuple]:
    """Return the rows as tuples: two columns of a result may have one name."""
    return list(zip(*(column.to_pylist() for column in rows.columns)))


def _plain(value: Any) -> Any:
    """Return a value as one cell: lists and structs as JSON."""
    return json.dumps(value, default=str) if isinstance(value, (list, dict)) else value


def _show(rows: pa.Table) -> None:
    import pyarrow as pa

    from orchestrator.cli.numbers import NOTHING, measured
    from orchestrator.cli.tables import Column, Table
    from orchestrator.console import show

    def numeric(kind: pa.DataType) -> bool:
        return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)

    def cell(value: Any) -> str:
        if isinstance(value, float):
            return measured(value)
        return NOTHING if value is None else str(_plain(value))

    columns = [
        Column(field.name, number=True) if numeric(field.type) else Column(field.name, prose=True)
        for field in rows.schema
    ]
    listed = [tuple(cell(value) for value in row) for row in _rows(rows.slice(0, SHOWN_ROWS))]
    show(Table("", columns, listed))
    if rows.num_rows > SHOWN_ROWS:
        print(f"the first {SHOWN_ROWS} rows; --csv, --json or --out FILE gives all")
    elif not rows.num_rows:
        print("no rows")
