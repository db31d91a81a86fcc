# SPDX-License-Identifier: Apache-2.0
"""Reads the record of a run's radios: time and energy in each state, events, frames.

execution/again.py makes the record; kernel/observation/observer.h describes it.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from orchestrate_spark.metrics.energy_model import RADIO_STATES, energy_mj
from orchestrate_spark.metrics.processors import CURRENTS
from orchestrate_spark.profiles import Profile, profiles

from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.execution.again import CUT_STATES, EVENTS, FRAMES, PROCESSORS, STATES
from orchestrator.inspect import pcap
from orchestrator.inspect.find import Found
from orchestrator.inspect.overview import measured_us
from orchestrator.inspect.tables import read

EMULATED = "cc2420"  # whose currents emulated motes take: they are Tmote Skys


@dataclass(frozen=True)
class Event:
    """A row of events.csv; `frame` is 0 and `signal_dbm` None for a row without one."""

    time_us: int
    mote: int
    event: str
    frame: int
    channel: int
    power: int
    signal_dbm: int | None


def times(stored_run: Found, record: Path) -> dict[str, Any]:
    """Return for each mote the times and the energy of its radio's states.

    `states_us` add up to the simulated time; `energy_mj` is theirs. `measured_us` and `measured_mj` are what
    the mote counted itself over the measured time (None: nothing). `cpu_us` and `cpu_mj`: of an emulated
    mote's processor by its modes; all energy of such a mote is by the currents of EMULATED. `cut`: the run
    stopped early, and times are up to then. Raises NoSuchThing if the times aren't known.
    """
    cut = not (record / STATES).is_file()
    path = record / (CUT_STATES if cut else STATES)
    if not path.is_file():
        raise NoSuchThing(
            f"no {STATES} of this run: it did not come to an end\n"
            f"    `orchestrate pcap` writes its frames up to then; if you remove the folder {record}, the "
            "record is made again"
        )
    counted: dict[int, dict[str, int]] = defaultdict(dict)
    for row in read(stored_run.where, ("states",))["states"].to_pylist():
        counted[row["mote"]][row["state"]] = row["state_us"]
    names = {node.mote: node.name for node in stored_run.manifest.motes} if stored_run.manifest else {}
    processors, emulated = _processors(record), profiles()[EMULATED]
    motes = []
    with path.open(newline="", encoding="ascii") as stream:
        for row in csv.DictReader(stream):
            number = int(row.pop("mote"))
            states = {name.removesuffix("_us"): int(value) for name, value in row.items()}
            modes = processors.get(number)
            motes.append(
                {
                    "mote": number,
                    "name": names.get(number, f"mote {number}"),
                    "states_us": states,
                    "energy_mj": energy_mj(states, RADIO_STATES)
                    if modes is None
                    else _of_transceiver(states, emulated),
                    "cpu_us": modes,
                    "cpu_mj": None if modes is None else _of_processor(modes, emulated),
                    "measured_us": measured_us(counted[number]),
                    "measured_mj": energy_mj(counted[number]),
                }
            )
    return {
        "record": str(record),
        "cut": cut,
        "sim_us": sum(motes[0]["states_us"].values()) if motes else 0,
        "motes": motes,
    }


def _processors(record: Path) -> dict[int, dict[str, int]]:
    """Return the times of emulated motes' processors by mode."""
    path = record / PROCESSORS
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="ascii") as stream:
        return {
            int(row.pop("mote")): {name.removesuffix("_us"): int(value) for name, value in row.items()}
            for row in csv.DictReader(stream)
        }


def _of_transceiver(states_us: dict[str, int], profile: Profile) -> float:
    """Return its energy in mJ; receiving takes what listening takes."""
    current = profile.currents_ma
    sending = states_us["transmitting"]
    listening = sum(states_us.values()) - sending - states_us["off"]
    return (sending * current["transmit"] + listening * current["listen"]) * profile.volts / 1e6


def _of_processor(modes_us: dict[str, int], profile: Profile) -> float:
    charge = sum(
        modes_us[mode] * profile.currents_ma[name.removesuffix("_ma")]
        for name, modes in CURRENTS.items()
        for mode in modes
    )
    return charge * profile.volts / 1e6


def events(record: Path) -> Iterator[Event]:
    """Read what radios did, in order of time; a row that was cut short at the end is left out.

    Raises StorageFailed for other damage.
    """
    path = record / EVENTS
    with path.open(newline="", encoding="ascii", errors="replace") as stream:
        rows = csv.reader(stream)
        next(rows, None)
        held: list[str] | None = None  # the row before, because the last one may be cut
        for row in rows:
            if held is not None:
                yield _event(held, path, rows.line_num - 1)
            held = row
        if held is not None and _ends_with_newline(path):
            yield _event(held, path, rows.line_num)


def capture_of(record: Path, mote: int) -> Iterator[pcap.Frame]:
    """Return the frames that a mote sent or received intact, with signal strengths, by their beginning."""
    took: dict[int, Event] = {}
    for event in events(record):
        if event.mote == mote and event.frame and event.event in ("transmitting", "received"):
            took[event.frame] = event
    for number, frame in enumerate(pcap.read(record / FRAMES), 1):
        if (event := took.get(number)) is not None:
            yield replace(frame, channel=event.channel, signal_dbm=event.signal_dbm)


def _event(row: list[str], path: Path, line: int) -> Event:
    try:
        time_us, mote, event, frame, channel, power, signal_dbm = row
        signal = int(signal_dbm) if signal_dbm else None
        return Event(int(time_us), int(mote), event, int(frame or 0), int(channel), int(power), signal)
    except ValueError:
        raise StorageFailed(
            f"{path}:{line}: not a row of the engine's record\n    remove the folder {path.parent}; "
            "the record is made again"
        ) from None


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as stream:
        stream.seek(-1, 2)
        return stream.read() == b"\n"
