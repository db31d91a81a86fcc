# SPDX-License-Identifier: Apache-2.0
"""Sums up the radios' states of a run that stopped before its end, from its record of events.

The kernel sums states up at the end of a run (kernel/observation/observer.h), to which a crash doesn't come.
This file has the same columns and another name, so that nobody takes it for that of a complete run.
"""

from __future__ import annotations

import csv
from pathlib import Path

from orchestrator.durable import write

EVENTS, WHOLE, CUT = "events.csv", "states.csv", "states-cut.csv"
_STATES = ("off", "listening", "receiving", "interfered", "transmitting")


def keep(folder: Path, end_us: int) -> None:
    """Write CUT for a record in `folder` without WHOLE, of a run that stopped at `end_us`."""
    if (folder / WHOLE).exists() or not (folder / EVENTS).is_file():
        return
    times = cut(folder / EVENTS, end_us)
    rows = [
        ("mote", *(f"{state}_us" for state in _STATES)),
        *((mote, *times[mote]) for mote in sorted(times)),
    ]
    write(folder / CUT, "".join(",".join(map(str, row)) + "\n" for row in rows).encode("ascii"))


def cut(events: Path, end_us: int) -> dict[int, list[int]]:
    """Return for each mote the us in each state until `end_us`; a row that was cut short doesn't count."""
    times: dict[int, list[int]] = {}
    last: dict[int, tuple[int, int]] = {}  # mote -> its state and since when; a radio is off at first
    with events.open("rb") as stream:
        whole = (line.decode("ascii", "replace") for line in stream if line.endswith(b"\n"))
        for row in csv.DictReader(whole):
            if row["event"] not in _STATES:
                continue
            mote, time = int(row["mote"]), int(row["time_us"])
            state, since = last.get(mote, (0, 0))
            times.setdefault(mote, [0] * len(_STATES))[state] += time - since
            last[mote] = _STATES.index(row["event"]), time
    for mote, (state, since) in last.items():
        times[mote][state] += end_us - since
    return times
