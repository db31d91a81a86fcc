# SPDX-License-Identifier: Apache-2.0
"""Metrics of threads and of the blackboard against what the modelled mote counted itself."""

from __future__ import annotations

import pandas as pd
import pytest
from measured_runs import MOTES
from orchestrate_spark.load import load
from orchestrate_spark.log_format import COUNTERS
from orchestrate_spark.metrics.blackboard import ERRORS
from orchestrate_spark.metrics.energy_model import MCU_MA, SUPPLY_V
from synthetic import Chain, log_lines

from tests import threaded_log

pytestmark = pytest.mark.spark
FIRST, SECOND = "S/3/0 subscriber1/10 ms", "S/3/1 subscriber2/20 ms"


@pytest.fixture(scope="module")
def per_run(measured):
    return pd.read_parquet(measured / "metrics" / "per_run")


def values(per_run, cell, metric, seed=1):
    found = per_run[(per_run.cell == cell) & (per_run.seed == seed) & (per_run.metric == metric)]
    assert found.key.is_unique
    return dict(zip(found.key, found.value))


@pytest.mark.parametrize("seed", MOTES)
def test_cpu_shares_and_switches(per_run, seed):
    shares = values(per_run, "traced", "cpu_share", seed)
    for node, mote in zip(("S", "P1"), MOTES[seed].values()):
        whole = sum(mote.cpu_us.values())
        for name, us in mote.cpu_us.items():
            assert shares.pop(f"{node}/{name}") == pytest.approx(us / whole)
    assert not shares
    switches = values(per_run, "traced", "context_switches", seed)
    counts = [sum(mote.switches.values()) for mote in MOTES[seed].values()]
    assert switches == {"S": counts[0], "P1": counts[1], "total": sum(counts)}
    assert values(per_run, "traced", "thread_stack_bytes", seed)["P1/idle"] == 64


@pytest.mark.parametrize("seed", MOTES)
def test_delays_and_misses_by_subscriber_and_deadline(per_run, seed):
    delays = {FIRST: MOTES[seed][1].delays_us[0], SECOND: MOTES[seed][1].delays_us[1]}
    found = values(per_run, "traced", "notification_delay_ms", seed)
    for key, us in delays.items():
        ordered = sorted(us)
        assert found[f"{key}/mean"] == pytest.approx(sum(us) / len(us) / 1000)
        assert found[f"{key}/max"] == max(us) / 1000
        assert [found[f"{key}/{name}"] for name in ("p05", "p50", "p95")] == [
            ordered[i] / 1000 for i in (0, 9, 18)
        ]
    assert len(found) == 20  # five of two subscribers of two motes
    misses = values(per_run, "traced", "notification_misses", seed)
    expected = {
        FIRST: sum(us > 10_000 for us in delays[FIRST]),
        SECOND: sum(us > 20_000 for us in delays[SECOND]),
    }
    assert expected[FIRST] == 8 and expected[SECOND] == 4
    assert {key: misses[key] for key in expected} == expected
    assert misses["total"] == sum(value for key, value in misses.items() if key != "total")
    rates = values(per_run, "traced", "notification_miss_rate", seed)
    assert rates[FIRST] == 0.4 and rates["total"] == pytest.approx(misses["total"] / 60)


def test_without_a_trace_the_counted_ones_are_the_same(per_run):
    for metric in (
        "cpu_share",
        "context_switches",
        "notification_misses",
        "notification_miss_rate",
        "cpu_energy_mj",
    ):
        assert values(per_run, "counted", metric) == values(per_run, "traced", metric) != {}
    counted, traced = (values(per_run, cell, "notification_delay_ms") for cell in ("counted", "traced"))
    assert {key.rsplit("/", 1)[1] for key in counted} == {"mean", "max"} and counted.items() <= traced.items()


def test_memory_samples_and_energy(per_run):
    assert values(per_run, "traced", "blackboard_bytes_high_water") == {"S": 48, "P1": 48}
    assert values(per_run, "traced", "samples_taken") == {"S": 20, "P1": 10, "total": 30}
    mote = MOTES[1][2]
    busy = sum(us for name, us in mote.cpu_us.items() if name != "idle")
    assert values(per_run, "traced", "cpu_energy_mj")["P1"] == pytest.approx(
        (busy * MCU_MA["cpu"] + mote.cpu_us["idle"] * MCU_MA["lpm"]) * SUPPLY_V * 1e-6
    )


def test_odd_ones(per_run):
    """No time used, no notification, no deadline, a deadline that changed, a slash in a name, a mote that no
    manifest lists, errors counted.
    """
    assert values(per_run, "odd", "cpu_share") == {"mote 9/idle": 1}
    assert values(per_run, "odd", "notification_delay_ms") == {
        "S/4/3 a_b/2.5 ms/mean": 2.25,
        "S/4/3 a_b/2.5 ms/max": 3,
        "S/4/3 a_b/5 ms/mean": 4,
        "S/4/3 a_b/5 ms/max": 4,
    }
    assert values(per_run, "odd", "notification_misses") == {
        "S/4/3 a_b/2.5 ms": 1,
        "S/4/3 a_b/5 ms": 0,
        "total": 1,
    }
    assert values(per_run, "odd", "cpu_energy_mj") == {}
    assert values(per_run, "odd", "samples_taken") == {"S": 4, "mote 9": 5, "total": 9}
    assert values(per_run, "odd", "counted_errors") == dict.fromkeys(ERRORS, 2) and set(ERRORS) <= set(
        COUNTERS
    )


def test_runs_without_threads_have_none_of_them(per_run):
    ours = {
        "cpu_share",
        "context_switches",
        "thread_stack_bytes",
        "cpu_energy_mj",
        "notification_delay_ms",
        "notification_misses",
        "notification_miss_rate",
        "blackboard_bytes_high_water",
        "samples_taken",
        "counted_errors",
    }
    assert not ours & set(per_run[per_run.cell == "without"].metric)
    assert "energy_mj" in set(per_run[per_run.cell == "without"].metric)
    assert any("!nrg,cpu" in line for line in log_lines(Chain("without", 3), 1))  # whose states would give it


def test_the_trace_keeps_the_logs_order(measured):
    run = next(
        folder
        for folder in (measured / "runs").iterdir()
        if (folder / "COOJA.testlog").read_bytes() == threaded_log.log(MOTES[1])
    )
    rows = load(run, tables=["execution"])["execution"]
    mine = rows[rows.mote == 1]
    assert list(mine.kind[1:7]) == ["sch", "bpb", "sch", "sch", "ntf", "sch"]
    assert len(mine) == len(MOTES[1][1].lines)
