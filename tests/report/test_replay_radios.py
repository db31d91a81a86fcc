# SPDX-License-Identifier: Apache-2.0
"""A replay with what radios did: the strips' columns say, mote by mote, what the engine recorded."""

from __future__ import annotations

import csv

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from test_replay import opened

from orchestrator.cli.app import main
from orchestrator.report.replay.columns import Trace
from orchestrator.report.replay.radios import STATES, with_radios
from tests import needs
from tests.lossy_chain import scenario

needs.a_compiler()

SCENARIO = scenario(
    "strips",
    """\
duration: 10 s
trace: true
seeds: 1
""",
)


def told(facts, columns) -> list[tuple[int, int, str]]:
    """(time, mote, state) of every row, in order of motes."""
    found = []
    for place, mote in enumerate(facts["motes"]):
        rows = slice(columns["radio_first"][place], columns["radio_first"][place + 1])
        times = np.cumsum(columns["radio_step"][rows], dtype=np.int64)
        found += [
            (int(time), mote[0], STATES[state]) for time, state in zip(times, columns["radio_state"][rows])
        ]
    return found


def test_a_replay_has_every_change_of_every_radio(tmp_path, capsys):
    (tmp_path / "strips.yaml").write_text(SCENARIO)
    store = tmp_path / "store"
    assert main(["run", str(tmp_path / "strips.yaml"), "--store", str(store), "--no-report"]) == 0
    run = next((store / "strips" / "runs").iterdir())
    assert main(["replay", "strips", run.name, "--store", str(store), "--radio"]) == 0
    facts, columns = opened(
        (store / "strips" / "report" / f"replay-{run.name}.html").read_text(encoding="utf-8")
    )
    with (run / "radio" / "events.csv").open() as stream:
        recorded = [
            (int(row["time_us"]), int(row["mote"]), row["event"])
            for row in csv.DictReader(stream)
            if row["event"] in STATES
        ]
    order = {mote[0]: place for place, mote in enumerate(facts["motes"])}
    assert told(facts, columns) == sorted(recorded, key=lambda change: order[change[1]]), (
        "sorted() keeps their order in time"
    )
    assert len(recorded) > 500 and facts["radio_us"] > 0
    assert main(["replay", "strips", run.name, "--store", str(store)]) == 0
    facts, columns = opened(
        (store / "strips" / "report" / f"replay-{run.name}.html").read_text(encoding="utf-8")
    )
    assert facts["radio_us"] == 0 and "radio_step" not in columns, "nothing of it unless asked for"


@given(
    st.lists(st.tuples(st.integers(0, 2**35), st.sampled_from([3, 5]), st.sampled_from(STATES)), max_size=20)
)
def test_times_of_days_come_back(changes):
    changes.sort(key=lambda change: change[0])
    made = with_radios(
        Trace({"motes": [[5, "a"], [3, "b"]]}, {}), [*changes, (0, 9, "off"), (0, 3, "sent")], 2**36
    )
    back = told(made.facts, made.columns)
    for mote in (3, 5):
        mine = [(time, state) for time, one, state in changes if one == mote]
        assert [
            each for each in mine if each not in [(time, state) for time, one, state in back if one == mote]
        ] == []
