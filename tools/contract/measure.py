# SPDX-License-Identifier: Apache-2.0
"""Measures one run for the comparison of the sources: the records that motes print, and counts of packets
and events.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrate_spark.log_format import MARKER, RECORDS

# The kind of these records is in their first field, a name; of others the number of fields is the form.
_NAMED = ("cnt", "nrg", "run", "node")
# What the operating system prints at boot is not the application's.
_BOOT = re.compile(r"\[INFO: Main +\] ")
# The driver of Contiki-NG on Cooja has no RADIO_PARAM_TXPOWER, so an application is not told a number there.
_NUMBER = re.compile(r"\d+|(?<= power )default")
# A base station's frame to its gateway, in hexadecimal digits: the first byte is its version and type.
_SERIAL_FRAME = re.compile(r"(#[0-9a-f]{2})(?:[0-9a-f]{2})+")
COUNTERS = (
    "packets_sent",
    "events_published",
    "events_delivered",
    "samples_taken",
    "blackboard_publications",
    "blackboard_notifications",
    "context_switches",
)


@dataclass(frozen=True)
class Measured:
    """`records`: (mote, form of a line). `counts`: by metric; those that the application says, and frames on
    the air.
    """

    records: frozenset[tuple[int, str]]
    counts: Mapping[str, int]
    malformed: tuple[str, ...]


def measured(log: Path, radio: Path, lines: Mapping[str, re.Pattern]) -> Measured:
    """`lines`: metric -> the text lines that it counts."""
    records, counts, malformed = set(), Counter(), []
    for line in log.read_text(encoding="utf-8").splitlines():
        parts = line.split("\t", 2)
        if len(parts) != 3 or _BOOT.match(parts[2]):
            continue
        mote, text = int(parts[1].removeprefix("ID:")), parts[2]
        if not text.startswith(MARKER):
            frame = _SERIAL_FRAME.fullmatch(text)
            records.add((mote, f"frames {frame[1]}" if frame else _NUMBER.sub("#", text)))
            for metric, form in lines.items():
                counts[metric] += form.match(text) is not None
            continue
        kind, *values = text[1:].split(",")
        if kind in RECORDS and not _form(kind).fullmatch(text):
            malformed.append(line)
            continue
        records.add((mote, f"!{kind} {values[0]}" if kind in _NAMED else f"!{kind} of {len(values)} fields"))
        if kind == "cnt" and values[0] in COUNTERS:
            counts[values[0]] += int(values[1])
        elif kind == "from":  # at a subscriber: an aggregate counts as the events that it holds
            counts["individual events delivered"] += int(values[1])
    counts["frames on the air"] = (radio / "events.csv").read_bytes().count(b",sent,")
    for metric in lines:
        counts.setdefault(metric, 0)
    return Measured(frozenset(records), counts, tuple(malformed))


@cache
def _form(kind: str) -> re.Pattern:
    """What a record of that kind is."""
    return re.compile(
        ",".join(
            [
                re.escape(MARKER + kind),
                *(r"-?[0-9]+" if form == "int" else "[^,]+" for _, form in RECORDS[kind]),
            ]
        )
    )
