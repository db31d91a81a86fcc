# SPDX-License-Identifier: Apache-2.0
"""orchestrate log try: patterns tried on a log, without a store."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

DESCRIPTION = """Try patterns on a log: how many lines each matches, what its groups are, which
deliveries follow, and which lines nothing matches.

  orchestrate log try rpl-udp energest --log COOJA.testlog
  orchestrate log try ./mine.yaml --log serial.txt --form serialdump
  orchestrate log try rpl-udp --log some/store/my-experiment

The log is a file in Cooja's form or in another one (--form, or `lines:` in the
pattern file), a run folder, or the folder of an experiment with tables. Nothing
is written. The exit code is 1 if a pattern of your own matches nothing or
everything, or a key fits no line."""
SHAPES = 15  # kinds of lines without a pattern that are listed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate log try`."""
    parser.add_argument(
        "patterns", nargs="+", metavar="FILE.yaml|SET", help="pattern files and ready-made sets"
    )
    parser.add_argument("--log", required=True, type=Path, metavar="PATH", help="the log, run or experiment")
    parser.add_argument("--form", metavar="NAME", help="the form of the log's lines (default: found out)")
    parser.add_argument("--profile", metavar="NAME", help="the platform whose currents count, such as cc2538")
    parser.add_argument("--lines", type=int, metavar="N", help="try the first N lines only")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Try the patterns; return 1 if something is wrong with them."""
    import polars as pl
    from orchestrate_spark.sources.log_patterns.rows import Tried

    from orchestrator.features.patterns import told
    from orchestrator.features.patterns.load import load

    patterns = load(args.patterns, profile=args.profile)
    rows, damaged = _rows(args, patterns)
    tried = Tried(rows, patterns.spec)
    deliveries = pl.from_arrow(tried.deliveries())
    tried.values()
    states = pl.from_arrow(tried.states())
    matches = pl.from_arrow(tried.matches())
    wrong = list(told.of_patterns(patterns.spec, matches, deliveries, rows.num_rows))
    shapes = _shapes(tried, rows)
    found = {
        "lines": rows.num_rows,
        "damaged": damaged,
        "events": _events(patterns.spec, tried, matches),
        "deliveries": _deliveries(patterns.spec, deliveries),
        "energy": _states(states),
        "unmatched": shapes,
        "wrong": wrong,
    }
    if args.json:
        print(json.dumps(found, indent=2))
    else:
        _show(found)
    return 1 if wrong else 0


def _rows(args: argparse.Namespace, patterns: Any) -> tuple[pa.Table, int]:
    """Return the lines to try, as rows of `text`, and how many others the log has."""
    import tempfile

    from orchestrate_spark.load import load
    from orchestrate_spark.tables import KEYS

    from orchestrator.errors import NoSuchThing
    from orchestrator.features.patterns import lines
    from orchestrator.words import did_you_mean

    if args.form is not None and args.form not in lines.FORMS:
        raise NoSuchThing(f"no form {args.form!r} of lines; {did_you_mean(args.form, lines.FORMS)}")
    where, form = args.log, None
    if where.is_file():
        form = lines.FORMS[args.form] if args.form else patterns.form or lines.form_of(where)
    with tempfile.TemporaryDirectory(prefix="orchestrate-log-") as place:
        if form is not None and form.name != "cooja":
            where = Path(place) / "log"
            with open(where, "wb") as stream:
                for part in lines.converted([(args.log, form)]):
                    stream.write(part)
        tables = load(where, "arrow", ["text", "damage"])
    order = (*(name for name, _ in KEYS), "line")
    rows = tables["text"].sort_by([(name, "ascending") for name in order])
    damaged = sum(row["count"] for row in tables["damage"].to_pylist() if not row["kept"])
    return rows if args.lines is None else rows.slice(0, max(0, args.lines)), damaged


def _events(spec: dict[str, Any], tried: Any, matches: Any) -> list[dict[str, Any]]:
    from orchestrator.features.patterns.told import by_pattern

    found = by_pattern(matches)
    events = []
    for name, event in spec["events"].items():
        matched, misfit = found.get((name, "matched")), found.get((name, "misfit"))
        lines = tried.events.get(name)
        first = {}
        if lines is not None and lines.height:
            row = lines.row(0, named=True)
            first = {
                field: row.get(field) if type_ not in ("text", "own-address") else row.get(f"group:{field}")
                for field, type_ in event["fields"].items()
            }
        events.append(
            {
                "event": name,
                "lines": matched["lines"] if matched else 0,
                "misfits": misfit["lines"] if misfit else 0,
                "motes": lines["mote"].n_unique() if lines is not None else 0,
                "first": {field: value for field, value in first.items() if value not in (None, "")},
                "sample": (matched or misfit or {"sample": ""})["sample"],
            }
        )
    return events


def _deliveries(spec: dict[str, Any], rows: Any) -> list[dict[str, Any]]:
    import polars as pl

    found = []
    for name in spec["deliveries"]:
        mine = rows.filter(pl.col("delivery") == name)
        sent = mine.filter(pl.col("sent_line").is_not_null())
        each = sent.group_by("run_id", "sent_line").agg(pl.col("receiver").is_not_null().any().alias("there"))
        latency = sent["latency_us"].drop_nulls()
        count, delivered = each.height, int(each["there"].sum() or 0)
        found.append(
            {
                "delivery": name,
                "sent": count,
                "delivered": delivered,
                "ratio": delivered / count if count else None,
                "duplicates": int((sent["copies"].drop_nulls() - 1).sum() or 0),
                "not_sent": mine.height - sent.height,
                "latency_median_ms": latency.median() / 1000 if len(latency) else None,
            }
        )
    return found


def _states(rows: Any) -> list[dict[str, Any]]:
    import polars as pl

    shares = rows.filter(pl.col("whole") > 0).with_columns((pl.col("ticks") / pl.col("whole")).alias("share"))
    return (
        shares.group_by("energy", "state", maintain_order=True)
        .agg(pl.len().alias("motes"), pl.col("share").mean().alias("mean_share"))
        .to_dicts()
    )


def _shapes(tried: Any, rows: pa.Table) -> list[dict[str, Any]]:
    """Return the kinds of lines that nothing matches, most frequent first; numbers make no difference."""
    import polars as pl

    taken = [lines.select("run_id", "line") for lines in tried.events.values()]
    text = pl.from_arrow(rows.select(["run_id", "line", "text"]))
    if taken:
        text = text.join(pl.concat(taken).unique(), on=["run_id", "line"], how="anti")
    shape = pl.col("text").str.replace_all(
        r"(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}|(?:[0-9a-f]{4}\.){3}[0-9a-f]{4}", "ADDR"
    )
    shape = shape.str.replace_all(r"0x[0-9a-fA-F]+|[0-9]+", "#")
    return (
        text.with_columns(shape.alias("shape"))
        .group_by("shape", maintain_order=True)
        .agg(pl.len().alias("lines"), pl.col("text").first().alias("sample"))
        .sort("lines", descending=True, maintain_order=True)
        .to_dicts()
    )


def _show(found: dict[str, Any]) -> None:
    from orchestrator.cli.numbers import count, measured
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import show
    from orchestrator.words import counted

    unmatched = sum(one["lines"] for one in found["unmatched"])
    print(
        f"{counted(found['lines'], 'line')} tried, {count(unmatched)} without a pattern"
        + (f"; {counted(found['damaged'], 'line')} of another form left out" if found["damaged"] else "")
    )
    rows = [
        (
            one["event"],
            count(one["lines"]),
            count(one["misfits"]),
            count(one["motes"]),
            " ".join(f"{name}={_shown(value)}" for name, value in one["first"].items())[:90],
        )
        for one in found["events"]
    ]
    show(
        Table(
            "Events",
            (Column("event", key=True), *numbers("lines", "misfits", "motes"), Column("first", prose=True)),
            rows,
        )
    )
    if found["deliveries"]:
        rows = [
            (
                one["delivery"],
                count(one["sent"]),
                count(one["delivered"]),
                "-" if one["ratio"] is None else f"{100 * one['ratio']:.1f} %",
                count(one["duplicates"]),
                count(one["not_sent"]),
                "-" if one["latency_median_ms"] is None else f"{measured(one['latency_median_ms'])} ms",
            )
            for one in found["deliveries"]
        ]
        heads = numbers("sent", "delivered", "ratio", "duplicates", "received, not sent", "median latency")
        show(Table("Deliveries", (Column("delivery", key=True), *heads), rows))
    if found["energy"]:
        rows = [
            (one["energy"], one["state"], count(one["motes"]), f"{100 * one['mean_share']:.3f} %")
            for one in found["energy"]
        ]
        columns = (Column("energy", key=True), Column("state", key=True), *numbers("motes", "share of time"))
        show(Table("Times in states", columns, rows))
    if found["unmatched"]:
        rows = [(count(one["lines"]), one["sample"][:100]) for one in found["unmatched"][:SHAPES]]
        more = len(found["unmatched"]) - SHAPES
        title = "Lines without a pattern" + (f" (and {count(more)} more kinds)" if more > 0 else "")
        show(Table(title, (*numbers("lines"), Column("such as", prose=True)), rows))
    sys.stdout.flush()
    for sentence in found["wrong"]:
        print(f"orchestrate: {sentence}", file=sys.stderr)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
