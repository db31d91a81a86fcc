# SPDX-License-Identifier: Apache-2.0
"""What the embedded engine says of radios beside the log: the times that real Cooja's PowerTracker told, the
numbers that its medium counted, and the work that this was.
"""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from golden_cases import RULES, TRACKED, frames, log_for, radios_for, simulation
from probes import firmware

from orchestrator.build import kernel
from orchestrator.csc.read import read
from orchestrator.engines.embedded.description import describe
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from tests.recorded import same

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


def assert_numbered(events) -> None:
    """A frame has its number where it begins, at the sender and at all receivers that hear it at once."""
    begun: dict[str, str] = {}
    for row in events:
        if row["event"] == "transmitting":
            assert row["frame"] == str(len(begun) + 1)
            begun[row["frame"]] = row["time_us"]
        elif row["event"] == "receiving":
            assert row["frame"] == "" or begun[row["frame"]] == row["time_us"]
        else:
            assert (row["frame"] != "") == (row["event"] in ("sent", "received", "lost"))


@pytest.mark.parametrize("case", TRACKED)
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
        assert_numbered(events)
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


@pytest.fixture(scope="module")
def ended(tmp_path_factory) -> dict[tuple[str, str], tuple[dict, bytes]]:
    """The kernel's report of each case's end, and the events of its radios."""
    folder, found = tmp_path_factory.mktemp("ended"), {}
    for case in TRACKED:
        run = read(simulation(case))
        for rules in RULES:
            done = subprocess.run(
                [kernel.executable(), "--log", folder / "log", "--radio", folder],
                input=describe(run, run.seed, firmware(run, folder), rules),
                capture_output=True,
                check=True,
            )
            found[case, rules] = json.loads(done.stdout), (folder / "events.csv").read_bytes()
    return found


@pytest.mark.parametrize("rules", RULES)
def test_the_medium_counts_as_cooja_s_does(rules, ended):
    counted = ("transmissions", "receptions", "interferences")
    assert {case: tuple(ended[case, rules][0][name] for name in counted) for case in TRACKED} == frames(rules)


def test_the_work_is_as_it_was(ended):
    """Work that grows without need would make long runs slow, and no log shows it. Each case's last column is
    a digest of the radios' events, with the signal at each.
    """
    counted = ("events", "ticks", "queue_steps", "neighbours", "bytes")
    rows = [("case", "rules", *counted, "radios")]
    for (case, rules), (report, events) in ended.items():
        digest = hashlib.sha256(events).hexdigest()[:12]
        rows.append((case, rules, *(str(report[name]) for name in counted), digest))
    text = "".join(",".join(row) + "\n" for row in rows)
    same(text, Path(__file__).parent / "recorded" / "work.csv")
