# SPDX-License-Identifier: Apache-2.0
"""The fire alarm (5.1 of the policies paper) end to end: policies as files, C in the firmware, records in the
log, rows in tables.
"""

from __future__ import annotations

import polars as pl
import pytest
from lorry_runs import run

from tests import needs

needs.a_compiler()
FIRE = "script: fire, event-at: 5 s"
SPRINKLER, HOT = 1, 2


@pytest.fixture(scope="module")
def fire(tmp_path_factory):
    return run(tmp_path_factory.mktemp("fire"), FIRE, trace=True)


def rows(run, **wanted):
    table = run.tables["policy_events"]
    for column, value in wanted.items():
        table = table.filter(pl.col(column) == value)
    return table


def test_the_sprinkler_opens_once_there_is_heat_and_smoke(fire):
    """20 to 80 degrees in 10 s from 5 s on: 50 are there after 10 s; there is smoke after 9 s. A detector
    without smoke that answers first sends Figure 15 back to its state 1, so that it takes more readings.
    """
    ((time, mote),) = fire.said("sprinkler opened")
    assert mote == SPRINKLER
    began = min(row["time_us"] for row in rows(fire, policy="SprinklerPolicy").iter_rows(named=True))
    assert 9_500_000 < time - began < 14_000_000


def test_the_sprinkler_stays_shut_without_smoke(tmp_path):
    sun = run(tmp_path, "script: sun, event-at: 0 s", seconds=25, trace=True)
    assert sun.said("sprinkler opened") == []
    hot = rows(sun, policy="SprinklerPolicy", topic="TempForFireAlarm", outcome="discard")
    assert hot.height > 0, "it was hot and the smoke detectors were asked"


def test_its_policy_keeps_what_is_not_hot_off_the_air(fire, tmp_path):
    every = run(tmp_path, f"{FIRE}, temperature-policies: none", trace=True)

    def sent(run):
        events = run.tables["events"]
        return events.filter((pl.col("kind") == "snd") & pl.col("subject").str.starts_with("TempFo")).height

    assert 0 < sent(fire) < sent(every) / 3
    said = fire.tables["policies"].filter(pl.col("policy") == "FATempPolicy")
    assert set(said["mote"]) == {HOT, 4}, "the motes with a temperature sensor"
    assert said["discarded"].min() > 20


def test_what_a_policy_was_asked_is_in_the_log_and_in_the_tables(fire):
    """The record of every answer, and the counts of each mote, which have to agree."""
    assert fire.tables["damage"].height == 0
    told = (
        rows(fire, kind="pev")
        .group_by("mote", "policy")
        .agg(
            (pl.col("outcome") == "accept").sum().alias("accepted"),
            (pl.col("outcome") == "discard").sum().alias("discarded"),
            (pl.col("outcome") == "none").sum().alias("no_rule"),
        )
    )
    columns = ["mote", "policy", "accepted", "discarded", "no_rule"]
    said = fire.tables["policies"].select(columns)
    assert said.filter(pl.sum_horizontal(columns[2:]) > 0).sort("mote", "policy").rows() == (
        told.select(columns).sort("mote", "policy").rows()
    )


def test_states_follow_figure_15(fire):
    """0 before the component subscribes, 1 then, 2 when it is hot, 3 or 1 when the smoke detectors answer."""
    states = rows(fire, mote=SPRINKLER, policy="SprinklerPolicy").filter(pl.col("outcome") != "none")
    changes = [
        (row["operation"], row["topic"], row["state"]) for row in states.sort("time_us").iter_rows(named=True)
    ]
    assert changes[0] == ("subscribe", "FireAlarm", 1)
    assert changes[1] == ("notify", "TempForFireAlarm", 2)
    assert changes[-1] == ("notify", "Smoke", 3)


def test_a_run_without_a_trace_counts_the_same(fire, tmp_path):
    quiet = run(tmp_path, FIRE)
    assert "policy_events" not in quiet.tables
    columns = ["mote", "policy", "loaded", "state", "accepted", "discarded", "no_rule"]
    assert quiet.tables["policies"].select(columns).rows() == fire.tables["policies"].select(columns).rows()
