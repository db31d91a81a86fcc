# SPDX-License-Identifier: Apache-2.0
"""Times in radio states of a run that didn't come to its end, by its record of events: what is known up to
where it stopped.

The kernel sums states up at the end (kernel/observation/observer.h), which a crash leaves out. The file has
another name than the kernel's, so that nobody takes it for that of a whole run; its columns are the same.
"""

from __future__ import annotations

import csv
from pathlib import Path

from orchestrator.durable import write

EVENTS, WHOLE, CUT = "events.csv", "states.csv", "states-cut.csv"
_STATES = ("off", "listening", "receiving", "interfered", "transmitting")


def keep(folder: Path, end_us: int) -> None:
    """Writes CUT for a record in `folder` that has no WHOLE; its run stopped at `end_us`."""
    if (folder / WHOLE).exists() or not (folder / EVENTS).is_file():
        return
    times = cut(folder / EVENTS, end_us)
    rows = [
        ("mote", *(f"{state}_us" for state in _STATES)),
        *((mote, *times[mote]) for mote in sorted(times)),
    ]
    write(folder / CUT, "".join(",".join(map(str, row)) + "\n" for row in rows).encode("ascii"))


def cut(events: Path, end_us: int) -> dict[int, list[int]]:
    """Mote -> us in each state until `end_us`; their sum is that. A row that was cut short doesn't count."""
    times: dict[int, list[int]] = {}
    last: dict[int, tuple[int, int]] = {}  # mote -> state, since when; off before the first
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
