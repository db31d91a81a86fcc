# SPDX-License-Identifier: Apache-2.0
"""Reads the log format line by line in plain Python, slowly, by the words of log_format.py. The vectorised
parser is compared with it."""

from __future__ import annotations

import re

from orchestrate_spark.log_format import FRAME_LINES, RECORDS
from orchestrate_spark.tables import TARGETS, TRACES

LAST, SMALLEST = 2**63 - 1, -(2**63)


def read(data: bytes) -> dict:
    """{"rows": {table: [row, ...]}, "damage": {reason: count}, "lines": n} of one log."""
    rows: dict[str, list[dict]] = {}
    damage: dict[str, int] = {}
    latest: dict[tuple, dict] = {}
    before = latest_time = -1
    ended = None

    def note(reason: str) -> None:
        damage[reason] = damage.get(reason, 0) + 1

    *lines, tail = data.split(b"\n")
    if tail:
        note("cut")
    for number, raw in enumerate(lines, 1):
        raw = raw.removesuffix(b"\r")
        line = raw.decode("utf-8", "replace")
        if any((ord(c) < 32 and c != "\t") or c in "\x7f\ufffd" for c in line):
            note("junk")
            continue
        if len(raw) > 4096:
            note("long")
            continue
        parts = line.split("\t", 2)
        if len(parts) < 3:
            if not any(re.fullmatch(pattern, line) for pattern in FRAME_LINES):
                note("line")
            if found := re.fullmatch(r"Test ended at simulation time: ([0-9]{1,18})", line, re.ASCII):
                ended = int(found[1])
            continue
        time = number_of(parts[0], signed=False)
        if time is None:
            note("time")
            continue
        mote = number_of(parts[1][3:], signed=False) if parts[1].startswith("ID:") else None
        if mote is None or not 1 <= mote < 2**31:
            note("mote")
            continue
        if time < before:
            note("clock")
        before = time
        latest_time = max(latest_time, time)
        where = {"time_us": time, "mote": mote}
        if not parts[2].startswith("!"):
            rows.setdefault("text", []).append({"line": number, **where, "text": parts[2]})
            continue
        kind, *texts = parts[2][1:].split(",")
        if kind not in RECORDS and re.fullmatch("[a-z][a-z0-9_-]{0,31}", kind, re.ASCII):
            rows.setdefault("records", []).append({"line": number, **where, "kind": kind, "fields": texts})
            continue
        if kind not in RECORDS:
            note("kind")
            continue
        fields = RECORDS[kind]
        if len(texts) != len(fields):
            note("few" if len(texts) < len(fields) else "many")
            continue
        values = [value_of(type_, text) for (_, type_), text in zip(fields, texts)]
        if None in values or (kind == "cnt" and values[1] < 0):
            note("type")
            continue
        target = TARGETS[kind]
        row = {**where, **{target.rename.get(name, name): value for (name, _), value in zip(fields, values)}}
        if target.table in TRACES:
            row["kind"] = kind
        rows.setdefault(target.table, []).append(row)
        if target.unique is not None:
            key = (target.table, mote, *(row[name] for name in target.unique))
            if key in latest:
                note("repeated")
                rows[target.table].remove(latest[key])
            latest[key] = row
    if ended is not None and latest_time > ended:
        note("clock")
    return {"rows": rows, "damage": damage, "lines": len(lines) + bool(tail)}


def number_of(text: str, signed: bool = True) -> int | None:
    if not re.fullmatch("-?[0-9]+" if signed else "[0-9]+", text, re.ASCII):
        return None
    return int(text) if SMALLEST <= int(text) <= LAST else None


def value_of(type_: str, text: str):
    if type_ == "int":
        return number_of(text)
    if type_ == "str":
        return text if re.fullmatch(r"[ -~]{1,64}", text) else None
    events = []
    for part in text.split("+"):
        found = re.fullmatch(r"([0-9]+)\.([0-9]+)", part, re.ASCII)
        if not found or not 1 <= int(found[1]) < 2**31 or int(found[2]) > LAST:
            return None
        events.append({"publisher": int(found[1]), "sequence": int(found[2])})
    return events
