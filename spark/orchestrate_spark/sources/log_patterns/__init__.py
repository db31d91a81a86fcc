# SPDX-License-Identifier: Apache-2.0
"""Log patterns: typed events of any line, deliveries, values over time and times in states, from `text`.

An experiment's patterns are in EXPERIMENT/log-patterns.json, which the command line makes of pattern files
(orchestrator/features/patterns). They are part of no run's identity: other patterns make other rows of the
same runs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from orchestrate_spark.errors import TablesFailed
from orchestrate_spark.sources import Source

FILE, FORMAT = "log-patterns.json", 1
MARKS = "marks"  # part of the file that rows don't depend on: where each pattern is written
_HERE = "orchestrate_spark.sources.log_patterns"
_INT, _STR, _NUMBER = pa.int64(), pa.string(), pa.float64()

TABLES = {
    # one row for each line that matches a pattern: its typed groups, numbers and texts apart; a group that
    # matched nothing is absent
    "log_events": (
        ("line", _INT),
        ("time_us", _INT),
        ("mote", _INT),
        ("event", _STR),
        ("numbers", pa.map_(_STR, _NUMBER)),
        ("texts", pa.map_(_STR, _STR)),
    ),
    # values over time: one row for each value of a metric
    "log_values": (("line", _INT), ("time_us", _INT), ("mote", _INT), ("metric", _STR), ("value", _NUMBER)),
    # one row for each line "sent" and mote that got it: the first line "received", and how many there were.
    # What nobody got has no receiver; what was received and never sent has no origin.
    "log_deliveries": (
        ("delivery", _STR),
        ("key", _STR),
        ("mote", _INT),
        ("sent_line", _INT),
        ("sent_us", _INT),
        ("receiver", _INT),
        ("received_line", _INT),
        ("received_us", _INT),
        ("latency_us", _INT),
        ("copies", _INT),
    ),
    # one row for each mote and state: ticks in the state, ticks in which it was looked at, and how many
    # seconds these are by the log's clock (null with fewer than two lines)
    "log_states": (
        ("mote", _INT),
        ("energy", _STR),
        ("state", _STR),
        ("ticks", _NUMBER),
        ("whole", _NUMBER),
        ("seconds", _NUMBER),
    ),
    # what the patterns made of the lines: one row for each run, pattern and result (RESULTS)
    "log_matches": (
        ("pattern", _STR),
        ("result", _STR),
        ("lines", _INT),
        ("first_line", _INT),
        ("sample", _STR),
    ),
}
MATCHED, MISFIT, NO_KEY, NO_VALUE, UNMATCHED = "matched", "misfit", "no key", "no value", "unmatched"
RESULTS = {
    MATCHED: "lines that match",
    MISFIT: "lines that match, with a group that is not of its type; they are no events",
    NO_KEY: "events that lack a part of the key, or name a node that is not known; they are in no delivery",
    NO_VALUE: "events from which the value can't be computed (a group is absent, or a division by zero)",
    UNMATCHED: "lines that no pattern matches",
}
NUMBERS = ("int", "hex", "float", "node")  # types of groups that are numbers
TYPES = {
    "int": "a decimal integer",
    "hex": "a hexadecimal integer, with or without 0x",
    "float": "a decimal number",
    "node": "a node: its number, or an address, which is resolved to it",
    "own-address": "the address of the node that prints the line; `node` is resolved by it",
    "text": "any text",
}

SOURCE = Source(
    "log-patterns",
    TABLES,
    f"{_HERE}.rows:read",
    of="text",
    settings=f"{_HERE}:settings",
    family=f"{_HERE}.family:family",
)


def stored(experiment: Path) -> dict[str, Any] | None:
    """Return an experiment's patterns; None if it has none. Raises TablesFailed if the file is damaged."""
    try:
        text = (experiment / FILE).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise TablesFailed(f"{experiment / FILE}: {error.strerror or error}") from error
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise TablesFailed(
            f"{experiment / FILE}: not log patterns of format {FORMAT}\n    write them anew: "
            f"`orchestrate ingest {experiment.name} --pattern PATTERNS`, or remove the file"
        )
    return found


def settings(experiment: Path) -> bytes | None:
    """Return what an experiment's rows of log patterns depend on; None if it has no patterns."""
    found = stored(experiment)
    if found is None:
        return None
    return json.dumps({key: value for key, value in found.items() if key != MARKS}, sort_keys=True).encode()
