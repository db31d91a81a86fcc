# SPDX-License-Identifier: Apache-2.0
"""Reads measured links from a CSV file beside the scenario: from,to,ratio[,rssi,lqi,delay,channel].

Each line is one direction of a link. `from` and `to` are names of nodes; `ratio` is that of frames received,
0 to 1 or in %; `rssi` is in dBm; `lqi` is 0 to 255; `delay` is in us unless a unit is written; `channel` is a
radio channel, or any if it is empty. Cooja's defaults stand for what is left out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from orchestrator.scenario.model import Link
from orchestrator.topology import csv_rows
from orchestrator.topology.model import Layout
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter, check
from orchestrator.vocabulary.units import short

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
    data = csv_rows.content(path, 64 * document.MOST_BYTES, faults)
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
    for line, row in csv_rows.rows(text, COLUMNS, 3, "links", HEAD, faults):
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
    if not links and not len(faults):
        faults.add(1, "the file holds no links", HEAD)
    if len(links) > MOST_LINKS:
        faults.add(0, f"{len(links)} links", f"at most {MOST_LINKS} are simulated")
    faults.raise_any()
    return tuple(links)


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
    return Link(row["from"], row["to"], *values.values())


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
    present = tuple(link for link in links if link.source in names and link.destination in names)
    control = next((node.name for node in layout.nodes if node.role == "control"), None)
    if control is None or any(control in (link.source, link.destination) for link in present):
        return present
    root = next(node.name for node in layout.nodes if node.role == "subscriber")
    copies = [
        replace(
            link,
            source=control if link.source == root else link.source,
            destination=control if link.destination == root else link.destination,
        )
        for link in present
        if root in (link.source, link.destination)
    ]
    return (*present, *copies, Link(root, control, 1.0), Link(control, root, 1.0))
