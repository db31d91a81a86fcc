# SPDX-License-Identifier: Apache-2.0
"""Reads measured links from a CSV file beside the scenario: from,to,ratio[,rssi,lqi,delay,channel].

Each line is one direction of a link. `from` and `to` are names of nodes; `ratio` is that of frames received,
0 to 1 or in %; `rssi` is in dBm; `lqi` is 0 to 255; `delay` is in us unless a unit is written; `channel` is a
radio channel, or any if it is empty. Cooja's defaults stand for what is left out.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from orchestrator.scenario.model import Link
from orchestrator.topology.model import Layout
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter, check
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

_VALUES = {
    "ratio": Parameter("ratio", "ratio", None, 0.0, 1.0),
    "rssi": Parameter("rssi", "number", -10.0, -200.0, 50.0),
    "lqi": Parameter("lqi", "int", 105, 0, 255),
    "delay": Parameter("delay", "time", 0, 0, 1_000_000),
    "channel": Parameter("channel", "int", -1, 0, 255),
}
COLUMNS = ("from", "to", *_VALUES)
HEAD = "the first line is: from,to,ratio and, if wanted, rssi,lqi,delay,channel"
_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)
MOST_LINKS = 100_000


def read(path: Path, name: str) -> tuple[Link, ...]:
    """Return the links of a file; `name` is what messages call it. Raises FaultyInput with every fault."""
    faults = Faults(name)
    try:
        with path.open("rb") as file:
            data = file.read(64 * document.MOST_BYTES + 1)
    except OSError as error:
        faults.add(0, f"cannot be read: {error.strerror}", "name a file beside the scenario")
        faults.raise_any()
        raise AssertionError from error
    if len(data) > 64 * document.MOST_BYTES:
        faults.add(
            0, f"larger than {64 * document.MOST_BYTES >> 20} MB", f"at most {MOST_LINKS} links are simulated"
        )
        faults.raise_any()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        faults.add(data.count(b"\n", 0, error.start) + 1, "not UTF-8", "save the file as UTF-8")
        faults.raise_any()
        raise AssertionError from error
    links: list[Link] = []
    first: dict[tuple[str, str], tuple[int, int]] = {}
    for line, row in _rows(text, faults):
        link = _link(line, row, faults)
        if link is None:
            continue
        pair = (link.source, link.destination)
        if pair in first:
            faults.add(
                line,
                f"the link from {' to '.join(short(end)[1:-1] for end in pair)} appears twice (first in "
                f"line {first[pair][0]})",
                "keep that of the channel that the motes use"
                if link.channel != first[pair][1]
                else "keep one of them, such as the mean of both measurements",
            )
        first.setdefault(pair, (line, link.channel))
        links.append(link)
    if len(links) > MOST_LINKS:
        faults.add(0, f"{len(links)} links", f"at most {MOST_LINKS} are simulated")
    faults.raise_any()
    return tuple(links)


def _rows(text: str, faults: Faults):
    """Yield each row's line number and its fields by column."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    head: list[str] | None = None
    rows = 0
    try:
        for written in reader:
            fields, line = [field.strip() for field in written], reader.line_num
            if not any(fields) or fields[0].startswith("#"):
                continue
            if head is None:
                head, before = fields, len(faults)
                for word in head:
                    if word not in COLUMNS:
                        faults.add(line, f"column {word[:40]!r} is unknown", did_you_mean(word, COLUMNS))
                if missing := [word for word in COLUMNS[:3] if word not in head]:
                    faults.add(line, f"no column {', '.join(missing)}", HEAD)
                if len(set(head)) != len(head):
                    faults.add(line, "a column appears twice", "keep one of them")
                if len(faults) > before:
                    return
            elif len(fields) > len(head):
                faults.add(
                    line, f"{len(fields)} fields under {len(head)} columns", "remove the commas too many"
                )
            else:
                rows += 1
                yield line, dict(zip(head, fields, strict=False))
    except csv.Error as error:
        faults.add(reader.line_num, f"not CSV: {error}", "look for an unclosed quote in this line")
    if not rows and not len(faults):
        faults.add(1, "the file holds no links", HEAD)


def _link(line: int, row: dict[str, str], faults: Faults) -> Link | None:
    before = len(faults)
    for word in COLUMNS[:3]:
        if not row.get(word):
            faults.add(line, f"no {word}", "every link has from, to and ratio")
    values = {}
    for name, declared in _VALUES.items():
        text = row.get(name, "")
        if name == "delay" and _WHOLE.fullmatch(text):
            text += " us"
        values[name] = check(declared, Scalar(text, line), name, faults) if text else declared.default
    if row.get("from") and row.get("from") == row.get("to"):
        faults.add(
            line, f"a link from {row['from'][:40]} to itself", "remove it: no radio receives its own frames"
        )
    if len(faults) > before:
        return None
    return Link(
        row["from"],
        row["to"],
        values["ratio"],
        values["rssi"],
        values["lqi"],
        values["delay"],
        values["channel"],
    )


def unknown(links: tuple[Link, ...], layout: Layout) -> list[str]:
    """Return the sorted names in links that no node has.

    A control node may be named, whether the layout has one or not.
    """
    names = {node.name for node in layout.nodes} | {"C"}
    return sorted({end for link in links for end in (link.source, link.destination)} - names)


def with_control(links: tuple[Link, ...], layout: Layout) -> tuple[Link, ...]:
    """Return the links between nodes of the layout.

    A control node that no link names stands beside the subscriber: it has the subscriber's links, and
    lossless ones from and to it.
    """
    names = {node.name for node in layout.nodes}
    known = tuple(link for link in links if link.source in names and link.destination in names)
    control = next((node.name for node in layout.nodes if node.role == "control"), None)
    if control is None or any(control in (link.source, link.destination) for link in known):
        return known
    root = next(node.name for node in layout.nodes if node.role == "subscriber")
    copies = [
        Link(
            control if link.source == root else link.source,
            control if link.destination == root else link.destination,
            link.ratio,
            link.rssi_dbm,
            link.lqi,
            link.delay_us,
            link.channel,
        )
        for link in known
        if root in (link.source, link.destination)
    ]
    return (*known, *copies, Link(root, control, 1.0), Link(control, root, 1.0))
