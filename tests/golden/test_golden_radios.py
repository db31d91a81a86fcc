# SPDX-License-Identifier: Apache-2.0
"""The embedded engine's record of radios: the times that real Cooja's PowerTracker told, and the log as
without it.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from itertools import pairwise

import pytest
from golden_cases import CASES, RULES, log_for, radios_for, simulation
from probes import firmware

from orchestrator.csc.read import read
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one

STATES = ("off", "listening", "receiving", "interfered", "transmitting")


def rows(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def spent(events, mote: int, until: int) -> dict[str, int]:
    """Time in states up to a time, from the events alone."""
    changes = [
        (int(row["time_us"]), row["event"])
        for row in events
        if int(row["mote"]) == mote and row["event"] in STATES
    ]
    found: dict[str, int] = defaultdict(int)
    for (start, state), (end, _) in pairwise([*changes, (until, "end")]):
        found[state] += max(0, min(end, until) - min(start, until))
    return found


@pytest.mark.parametrize("case", CASES)
def test_times_in_states_are_power_tracker_s(case, tmp_path):
    run = read(simulation(case))
    embedded = engine("embedded")
    embedded.prepare()
    for rules in RULES:
        record = tmp_path / rules
        record.mkdir()
        result = run_one(
            embedded,
            Job(run, run.seed, firmware(run, tmp_path), tmp_path / "log", ruleset=rules, radio=record),
        )
        assert (tmp_path / "log").read_bytes() == log_for(case, rules).read_bytes(), (
            "a record changes nothing"
        )
        events = rows(record / "events.csv")
        theirs = {
            int(row["mote"]): {name: int(time) for name, time in row.items()}
            for row in rows(radios_for(case, rules))
        }
        ours = {
            int(row["mote"]): {name: int(row[f"{name}_us"]) for name in STATES}
            for row in rows(record / "states.csv")
        }
        assert ours.keys() == theirs.keys()
        for mote, states in ours.items():
            assert sum(states.values()) == result.sim_us
            whole = spent(events, mote, result.sim_us)
            assert states == {name: whole[name] for name in STATES}
            told, there = spent(events, mote, theirs[mote]["until_us"]), theirs[mote]
            assert (
                sum(told.values()) - told["off"],
                told["transmitting"],
                told["receiving"],
                told["interfered"],
            ) == (there["on_us"], there["transmitting_us"], there["receiving_us"], there["interfered_us"]), (
                f"mote {mote}, {rules}"
            )
