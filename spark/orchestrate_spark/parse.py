# SPDX-License-Identifier: Apache-2.0
"""Parses logs into typed tables, vectorised with NumPy and Arrow, without Python code for each line.

It is used by ingestion (batches.py) and without it (load.py), so that both get equal rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from orchestrate_spark.damage import DAMAGE_COLUMNS, SAMPLES, Damage
from orchestrate_spark.lines import BLOCK, Chunk, Found, blocks
from orchestrate_spark.log_format import (
    DAMAGE,
    FRAME_LINES,
    MARKER,
    MAX_LINE,
    MAX_STR,
    OWN_KIND,
    RECORDS,
)
from orchestrate_spark.tables import COLUMNS, EVENT_LIST, TARGETS, TRACES
from orchestrate_spark.text import Text, lists

_MOST_MOTE = _MOST_PUBLISHER = (1 << 31) - 1
_FRAMES = [(re.compile(pattern, re.ASCII), name) for pattern, name in FRAME_LINES.items()]
_OWN = re.compile(OWN_KIND, re.ASCII)
_MARK, _CODE = ord(MARKER), 8  # bytes of a kind that are compared as one number
_BAD = np.zeros(256, bool)  # bytes that no line of text has; a tab is a separator
_BAD[[*range(9), *range(10, 32), 127]] = True


def _number_of(kind: str) -> int:
    assert len(kind) <= _CODE
    return int.from_bytes(kind.encode(), "little")


_KINDS = sorted(RECORDS, key=_number_of)
_NUMBERS = np.array([_number_of(kind) for kind in _KINDS], np.uint64)
_OF_TABLE = {
    table: [number for number, kind in enumerate(_KINDS) if TARGETS[kind].table == table]
    for table in dict.fromkeys(target.table for target in TARGETS.values())
}
# table and column -> the kinds that fill it, each with the place of its field
_FILLED = {
    (table, name): [
        (number, place)
        for number in numbers
        for place, (field, _) in enumerate(RECORDS[_KINDS[number]])
        if TARGETS[_KINDS[number]].rename.get(field, field) == name
    ]
    for table, numbers in _OF_TABLE.items()
    for name, _ in COLUMNS[table]
}
_WIDTHS = np.array([len(RECORDS[kind]) for kind in _KINDS])


@dataclass
class _Lines:
    """Lines of a block: places of start, end and text, and what each says before its text."""

    log: np.ndarray
    line: np.ndarray
    start: np.ndarray
    end: np.ndarray
    text: np.ndarray | None = None
    time: np.ndarray | None = None
    mote: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.log)

    def where(self, wanted: np.ndarray) -> _Lines:
        """Return the lines of a mask, or at these places."""
        return _Lines(
            *(
                None if (column := getattr(self, name)) is None else column[wanted]
                for name in self.__dataclass_fields__
            )
        )


class LogParser:
    """Reads logs, numbered by their place in the list, as tables with a column `log` in place of KEYS.

    `stream()` yields (table, rows) for the long tables (TRACES, `records` and `text`) in the order of logs
    and lines. After it, `tables` has the short ones, `damage` has the damage, and `logs` has a row for each
    log: log_bytes, lines, malformed, clock_jumps, and the columns of FRAME_LINES. With `seen`, `motes` has
    the motes that printed a line, by log.
    """

    def __init__(self, paths: Sequence[Path], block: int = BLOCK, seen: bool = False):
        self._seen = seen
        self._paths = paths
        self._block = block
        self._found = Found()
        self._parts: dict[str, list[pa.Table]] = {}
        self._damage = Damage()
        self._lines = np.zeros(len(paths), np.int64)
        self._last_time = np.full(len(paths), -1, np.int64)
        self._latest_time = np.full(len(paths), -1, np.int64)
        self._latest_line: dict[int, tuple[int, str]] = {}
        self._frames: dict[int, dict[str, str]] = {}
        self._motes = np.zeros(0, np.int64)  # the log, and in the lower 32 bits the mote
        self.tables: dict[str, pa.Table] = {}
        self.motes = pa.table({"log": pa.array([], pa.int32()), "mote": pa.array([], pa.int64())})
        self.damage = DAMAGE_COLUMNS.empty_table()
        self.logs: dict[str, list] = {}

    def stream(self) -> Iterator[tuple[str, pa.Table]]:
        for chunks in blocks(self._paths, self._found, self._block):
            text = Text(b"\n".join([*(chunk.content for chunk in chunks), b""]))
            lines = self._split(text, chunks)
            good = self._checked(text, lines, all(chunk.clean for chunk in chunks))
            if self._seen:
                self._motes = np.union1d(self._motes, (good.log.astype(np.int64) << 32) | good.mote)
            record = (good.text < good.end) & (text.bytes[good.text] == _MARK)
            if not record.all():
                yield "text", _texts(text, good.where(~record))
            yield from self._records(text, good.where(record))
        self._finish()

    # --- lines
    def _split(self, text: Text, chunks: list[Chunk]) -> _Lines:
        end = text.places("\n")
        start = np.zeros_like(end)
        start[1:] = end[:-1] + 1
        counts = [chunk.content.count(b"\n") + 1 for chunk in chunks]
        logs = np.array([chunk.log for chunk in chunks], np.int32)
        np.add.at(self._lines, logs, counts)
        first = np.array([chunk.first_line for chunk in chunks], np.int64)
        line = np.arange(len(end)) + np.repeat(first - (np.cumsum(counts) - counts), counts)
        returned = (end > start) & (text.bytes[end - 1] == ord("\r"))
        return _Lines(np.repeat(logs, counts), line, start, end - returned)

    def _checked(self, text: Text, lines: _Lines, clean: bool) -> _Lines:
        """Return the lines that have time, mote and text, and note the others as damage or Cooja's own."""
        if not clean:
            lines = self._without(text, lines, "junk", _has(_bad_places(text), lines))
        lines = self._without(text, lines, "long", lines.end - lines.start > MAX_LINE)
        tabs = np.append(text.places("\t"), [len(text.content)] * 2)
        at = tabs.searchsorted(lines.start)
        whole = tabs[at + 1] < lines.end
        if not whole.all():
            self._odd(text, lines.where(~whole))
            lines, at = lines.where(whole), at[whole]
        first, second = tabs[at], tabs[at + 1]
        lines.text = second + 1
        lines.time, good = text.numbers(lines.start, first, signed=False)
        if not good.all():
            lines, first, second = self._without(text, lines, "time", ~good), first[good], second[good]
        named = second - first > 4  # at least ID:, a digit and the tab
        for place, sign in enumerate(b"ID:", 1):
            named &= text.bytes[np.minimum(first + place, len(text.bytes) - 1)] == sign
        lines.mote, good = text.numbers(np.minimum(first + 4, second), second, signed=False, most=_MOST_MOTE)
        lines = self._without(text, lines, "mote", ~(named & good & (lines.mote >= 1)))
        self._clock(text, lines)
        return lines

    def _odd(self, text: Text, lines: _Lines) -> None:
        """Take what Cooja itself says from these lines; the others are damage."""
        framed = np.zeros(len(lines), bool)
        for place, (log, start, end) in enumerate(zip(lines.log, lines.start, lines.end)):
            line = text.one(start, end)
            for pattern, name in _FRAMES:
                if found := pattern.fullmatch(line):
                    framed[place] = True
                    self._frames.setdefault(int(log), {})[name] = found[1]
        self._note(text, lines.where(~framed), "line")

    def _clock(self, text: Text, lines: _Lines) -> None:
        if not len(lines):
            return
        log, time = lines.log, lines.time
        before = np.empty_like(time)
        before[1:] = time[:-1]
        first = np.flatnonzero(np.r_[True, log[1:] != log[:-1]])
        before[first] = self._last_time[log[first]]
        last = np.r_[first[1:] - 1, len(log) - 1]
        self._last_time[log[last]] = time[last]
        for at, end, most in zip(first, last + 1, np.maximum.reduceat(time, first)):
            if most > self._latest_time[log[at]]:
                where = int(at + np.argmax(time[at:end]))
                self._latest_time[log[at]] = most
                told = text.one(lines.start[where], lines.end[where])
                self._latest_line[int(log[at])] = (int(lines.line[where]), told)
        back = time < before
        if back.any():
            self._note(text, lines.where(back), "clock")

    # --- records
    def _records(self, text: Text, records: _Lines) -> Iterator[tuple[str, pa.Table]]:
        if not len(records):
            return
        commas = np.append(text.places(","), len(text.content))
        first = commas.searchsorted(records.text)  # the line's first comma is this one
        fields = commas.searchsorted(records.end) - first
        begin = records.text + 1
        length = np.minimum(commas[first], records.end) - begin
        number = np.zeros(len(records), np.uint64)
        for place in range(min(_CODE, int(length.max(initial=0)))):
            byte = text.bytes[np.where(length > place, begin + place, 0)].astype(np.uint64)
            number |= np.where(length > place, byte, np.uint64(0)) << np.uint64(8 * place)
        kind = np.minimum(_NUMBERS.searchsorted(number), len(_KINDS) - 1)
        known = (_NUMBERS[kind] == number) & (length <= _CODE)
        if not known.all():
            odd = records.where(~known)
            yield from self._own(text, odd, begin[~known], length[~known], fields[~known])
        for reason, wrong in (("few", fields < _WIDTHS[kind]), ("many", fields > _WIDTHS[kind])):
            if (wrong := wrong & known).any():
                self._note(text, records.where(wrong), reason)
                known &= ~wrong
        for table, numbers in _OF_TABLE.items():
            mine = np.flatnonzero(known & np.isin(kind, numbers))
            if len(mine):
                rows = self._table(text, table, records.where(mine), kind[mine], commas, first[mine])
                if table in TRACES:
                    yield table, rows.drop_columns("line")
                else:
                    self._parts.setdefault(table, []).append(rows)

    def _own(
        self, text: Text, odd: _Lines, begin: np.ndarray, length: np.ndarray, fields: np.ndarray
    ) -> Iterator[tuple[str, pa.Table]]:
        """Yield the records of kinds that the application defines; kinds without a valid name are damage."""
        names = text.strings(begin, begin + length)
        known = {name: bool(_OWN.fullmatch(name)) for name in names.unique().to_pylist()}
        good = np.array([known[name] for name in names.to_pylist()], bool)
        self._note(text, odd.where(~good), "kind")
        own, begin, fields = odd.where(good), (begin + length)[good], fields[good]
        if not len(own):
            return
        some = fields > 0
        counts = np.zeros(len(own), np.int32)
        counts[some], start, end = text.split(begin[some] + 1, own.end[some], ",")
        columns = {
            **_where(own),
            "kind": names.filter(pa.array(good)),
            "fields": lists(counts, text.strings(start, end)),
        }
        yield "records", pa.table(columns)

    def _table(
        self, text: Text, table: str, rows: _Lines, kind: np.ndarray, commas: np.ndarray, first: np.ndarray
    ) -> pa.Table:
        """Return the rows of one table, of one or several kinds; note and leave out those of wrong types.

        `commas`: their places in the text. `first`: which of them is the first one of each row.
        """
        bad = np.zeros(len(rows), bool)
        columns = _where(rows)
        if table in TRACES:
            columns["kind"] = pa.array(_KINDS).take(pa.array(kind))
        for name, type_ in COLUMNS[table]:
            if name in columns:
                continue
            start, end, null = rows.end.copy(), rows.end.copy(), np.ones(len(rows), bool)
            for number, place in _FILLED[table, name]:
                mine = slice(None) if len(_OF_TABLE[table]) == 1 else np.flatnonzero(kind == number)
                at, null[mine] = first[mine] + place, False
                start[mine] = commas[at] + 1
                if place + 1 < _WIDTHS[number]:
                    end[mine] = commas[at + 1]
            if type_ == pa.int64():
                value, fits = np.zeros(len(rows), np.int64), null.copy()
                value[~null], fits[~null] = text.numbers(start[~null], end[~null])
                columns[name] = pa.array(value, mask=null)
                bad |= ~fits
                if table == TARGETS["cnt"].table and name == "value":
                    bad |= value < 0  # nothing counts below 0
            elif type_ == EVENT_LIST:
                counts = np.zeros(len(rows), np.int32)
                counts[~null], wrong, items = _events(text, start[~null], end[~null])
                columns[name] = lists(counts, items, null)
                bad[~null] |= wrong
            else:
                columns[name] = text.strings(start, end, null)
                length = end - start
                bad |= ~null & ((length == 0) | (length > MAX_STR) | _has(text.unprinted, start, end))
        made = pa.table(columns)
        if not bad.any():
            return made
        self._note(text, rows.where(bad), "type")
        return made.filter(pa.array(~bad))

    # --- damage, and facts about whole logs
    def _without(self, text: Text, lines: _Lines, reason: str, bad: np.ndarray) -> _Lines:
        if not bad.any():
            return lines
        self._note(text, lines.where(bad), reason)
        return lines.where(~bad)

    def _note(self, text: Text, lines: _Lines, reason: str) -> None:
        if not len(lines):
            return
        for log, first, count in zip(*np.unique(lines.log, return_index=True, return_counts=True)):
            told = (
                (int(lines.line[at]), text.one(lines.start[at], lines.end[at]))
                for at in range(first, first + min(count, SAMPLES))
            )
            self._damage.add(int(log), reason, int(count), told)

    def _finish(self) -> None:
        for kind, target in TARGETS.items():
            if target.table not in TRACES and target.table in self._parts:
                rows = pa.concat_tables(self._parts.pop(target.table))
                if target.unique is not None:
                    rows = self._latest(rows, ["log", "mote", *target.unique], kind)
                self.tables[target.table] = rows.drop_columns("line")
        for log, reason, line, raw in self._found.rows:
            self._damage.add(log, reason, 1, iter([(line, raw)]))
        for log, said in self._frames.items():
            if "ended_us" in said and self._latest_time[log] > int(said["ended_us"]):
                self._damage.add(log, "clock", 1, iter([self._latest_line[log]]))
        self.damage = self._damage.rows()
        self.motes = pa.table(
            {
                "log": pa.array((self._motes >> 32).astype(np.int32)),
                "mote": pa.array(self._motes & _MOST_MOTE),
            }
        )
        self.logs = self._facts()

    def _latest(self, rows: pa.Table, key: list[str], kind: str) -> pa.Table:
        """Return the last row of each key, in the old order; the others are damage."""
        numbered = rows.select(key).append_column("row", pa.array(np.arange(rows.num_rows)))
        last = numbered.group_by(key, use_threads=False).aggregate([("row", "max")])["row_max"]
        if len(last) == rows.num_rows:
            return rows
        stays = np.zeros(rows.num_rows, bool)
        stays[last.to_numpy()] = True
        repeated = rows.filter(pa.array(~stays))
        logs = repeated["log"].to_numpy()
        for log, first, count in zip(*np.unique(logs, return_index=True, return_counts=True)):
            few = repeated.slice(first, min(count, SAMPLES)).to_pylist()
            self._damage.add(
                int(log), "repeated", int(count), ((row["line"], _shown(row, kind)) for row in few)
            )
        return rows.filter(pa.array(stays))

    def _facts(self) -> dict[str, list]:
        """Return the columns of `logs`: what each log is like, and what Cooja's own lines say of it."""
        count = len(self._paths)
        lines, malformed, jumps = self._lines.tolist(), [0] * count, [0] * count
        for log, reason, *_ in self._found.rows:
            lines[log] += reason in ("cut", "long")
        for log, reason, number in self._damage.counts():
            if reason == "clock":
                jumps[log] += number
            if not DAMAGE[reason][0]:
                malformed[log] += number
        said = [self._frames.get(log, {}) for log in range(count)]
        return {
            "log_bytes": [self._found.bytes.get(log, 0) for log in range(count)],
            "lines": lines,
            "malformed": malformed,
            "clock_jumps": jumps,
            "log_seed": [int(of["log_seed"]) if "log_seed" in of else None for of in said],
            "verdict": [of.get("verdict") for of in said],
            "ended_us": [int(of["ended_us"]) if "ended_us" in of else None for of in said],
        }


def _where(lines: _Lines) -> dict[str, pa.Array]:
    columns = {"log": lines.log, "line": lines.line, "time_us": lines.time, "mote": lines.mote}
    return {name: pa.array(column) for name, column in columns.items()}


def _texts(text: Text, lines: _Lines) -> pa.Table:
    return pa.table({**_where(lines), "text": text.strings(lines.text, lines.end)})


def _has(places: np.ndarray, of: _Lines | np.ndarray, end: np.ndarray | None = None) -> np.ndarray:
    """Return which lines or slices have one of these places."""
    start, end = (of.start, of.end) if isinstance(of, _Lines) else (of, end)
    if not len(places):
        return np.zeros(len(start), bool)
    return places.searchsorted(end) > places.searchsorted(start)


def _bad_places(text: Text) -> np.ndarray:
    """Return the places of control characters but tabs, and of U+FFFD, which stands for no UTF-8."""
    content = text.bytes
    bad = _BAD[content]
    bad[:-2] |= (content[:-2] == 0xEF) & (content[1:-1] == 0xBF) & (content[2:] == 0xBD)
    return np.flatnonzero(bad)


def _events(text: Text, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray, pa.Array]:
    """Return how many events each slice lists, which is no such list, and all events one after the other.

    `3.17+4.17` lists the events [{publisher: 3, sequence: 17}, {publisher: 4, sequence: 17}].
    """
    counts, begin, stop = text.split(start, end, "+")
    dots = np.append(text.places("."), len(text.content))
    dot = np.minimum(dots[dots.searchsorted(begin)], stop)  # a text without a dot has no sequence
    publisher, fits = text.numbers(begin, dot, signed=False, most=_MOST_PUBLISHER)
    sequence, also = text.numbers(np.minimum(dot + 1, stop), stop, signed=False)
    wrong = ~(fits & also & (publisher >= 1))
    bad = np.zeros(len(counts), bool)
    bad[np.repeat(np.arange(len(counts)), counts)[wrong]] = True
    items = pa.StructArray.from_arrays(
        [pa.array(publisher.astype(np.int32)), pa.array(sequence)], ["publisher", "sequence"]
    )
    return counts, bad, items


def _shown(row: Mapping[str, Any], kind: str) -> str:
    """Return a record as its line in the log."""
    fields = [str(value) for name, value in row.items() if name not in ("log", "line", "time_us", "mote")]
    return f"{row['time_us']}\tID:{row['mote']}\t{MARKER}{','.join([kind, *fields])}"
