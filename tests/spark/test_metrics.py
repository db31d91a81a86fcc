# SPDX-License-Identifier: Apache-2.0
"""Metrics against numbers computed here from the same records, by other means."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from measured_runs import CHAINS, SEEDS, write
from orchestrate_spark.errors import NoRuns
from orchestrate_spark.jobs import metrics as job
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.jobs.metrics import choose, compute
from orchestrate_spark.load import load
from orchestrate_spark.metrics import built_in, families
from pyarrow import parquet
from scipy import stats

pytestmark = pytest.mark.spark
FEW = ("events", "transmitted", "ages")  # all of them take half a minute


@pytest.fixture(scope="module")
def per_run(measured) -> pd.DataFrame:
    found = pd.read_parquet(measured / "metrics" / "per_run")
    return found[found.cell.isin([chain.name for chain in CHAINS])]


@pytest.fixture(scope="module")
def summary(measured) -> pd.DataFrame:
    return pd.read_parquet(measured / "metrics" / "summary")


def values(per_run: pd.DataFrame, cell: str, seed: int, metric: str) -> dict[str, float]:
    found = per_run[(per_run.cell == cell) & (per_run.seed == seed) & (per_run.metric == metric)]
    assert found.key.is_unique
    return dict(zip(found.key, found.value))


def by_hand(experiment: Path, cell: str, seed: int) -> dict[str, pd.DataFrame]:
    run = next(
        run
        for run, (_, name) in choose(experiment).items()
        if name == cell and load(experiment / "runs" / run, tables=["runs"])["runs"].seed[0] == seed
    )
    tables = load(experiment / "runs" / run)
    names = dict(zip(tables["motes"].mote, tables["motes"].name))
    for table in ("counters", "states", "nodes"):
        tables[table]["node"] = tables[table].mote.map(names)
    return tables


def test_motes_that_say_their_role_and_count_nothing_are_measured_by_their_trace(measured):
    """Five events published, four of them delivered, the last one of these twice."""
    found = pd.read_parquet(measured / "metrics" / "per_run")
    events = {
        name: values(found, "roles", 1, f"events_{name}")["total"]
        for name in ("published", "delivered", "lost", "duplicated")
    }
    assert events == {"published": 5, "delivered": 4, "lost": 1, "duplicated": 1}
    assert values(found, "roles", 1, "delay_ms")["p50"] == pytest.approx(1.9)


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: chain.name)
@pytest.mark.parametrize("seed", [1, 4])
def test_every_metric_of_a_run(measured, per_run, chain, seed):
    tables = by_hand(measured, chain.name, seed)

    def got(metric):
        return values(per_run, chain.name, seed, metric)

    counters = tables["counters"].pivot(index="node", columns="name", values="value")
    for metric in ("packets_sent", "packets_received"):
        assert got(metric) == counters[metric].to_dict()
    sent = counters["events_transmitted"]
    assert got("events_transmitted") == {**sent.to_dict(), "total": sent.sum()}
    assert got("packet_loss_rate")["total"] == pytest.approx(
        1 - counters.event_packets_received.sum() / sent.sum()
    )
    came = tables["deliveries"].set_index("publisher")
    publishers = {f"P{i}": i for i in range(1, chain.publishers + 1)}
    delivered = {name: came.events[i] for name, i in publishers.items()}
    assert got("events_published") == {
        **dict.fromkeys(publishers, chain.events),
        "total": chain.events * len(publishers),
    }
    assert got("events_delivered") == {**delivered, "total": sum(delivered.values())}
    lost = {name: chain.events - n for name, n in got("events_delivered").items() if name != "total"}
    assert got("events_lost") == {**lost, "total": sum(lost.values())}
    assert got("event_loss_rate")["P2"] == pytest.approx(lost["P2"] / chain.events)
    assert got("event_loss_rate")["total"] == pytest.approx(
        sum(lost.values()) / chain.events / len(publishers)
    )
    assert got("events_duplicated")["total"] == came.duplicates.sum()
    sizes = tables["aggregates"].set_index("contributors")["count"]
    mine = {key: value for key, value in got("aggregate_size").items()}
    assert mine == {str(n): count for n, count in sizes.items()}
    assert got("aggregates") == {"total": sizes.sum()}
    assert got("full_aggregates") == {"total": sizes.get(chain.publishers, 0)}
    inside = sum(n * count for n, count in sizes.items() if n > 1)
    assert got("aggregated_share")["total"] == pytest.approx(
        inside / sum(n * count for n, count in sizes.items())
    )
    delays = np.repeat(tables["delays"].upper_ms, tables["delays"]["count"])
    for name, share in (("p05", 0.05), ("p50", 0.5), ("p95", 0.95)):
        assert got("delay_ms")[name] == np.quantile(delays, share, method="inverted_cdf")
    assert got("delay_ms")["mean"] == pytest.approx(delays.mean())
    assert sum(got("delay_histogram").values()) == len(delays)
    states = tables["states"].pivot(index="node", columns="state", values="state_us") / 1e6
    assert got("state_s") == pytest.approx(
        {f"{node}/{state}": states.loc[node, state] for node in states.index for state in states.columns}
    )
    milliamperes = states.listen * 12.5 + states.transmit * 14.5 + states.off * 0.00002
    assert got("energy_mj") == pytest.approx((milliamperes * 3.0).to_dict())
    assert got("malformed_lines") == {"total": 0}


def test_reduction_compares_the_same_seed_and_parameters(per_run):
    for seed in SEEDS:
        sent = {
            chain.name: values(per_run, chain.name, seed, "events_transmitted")["total"] for chain in CHAINS
        }
        assert values(per_run, "other, name", seed, "reduction") == {
            "total": pytest.approx(1 - sent["other, name"] / sent["anything"])
        }
        assert values(per_run, "H9", seed, "reduction") == {}  # nothing to compare with
        assert values(per_run, "anything", seed, "reduction") == {}


def test_every_metric_is_documented_and_every_documented_one_computed(per_run):
    documented = set(built_in())
    assert set(per_run.metric) <= documented
    documented -= {
        name
        for family in families()
        if family.name
        in (
            *("threads", "notifications", "blackboard", "ages", "jobs", "policies"),
            *("flows", "channel", "processors", "tsch"),
        )
        for name in family.metrics
    }
    # What these logs don't print: counters, the death of a mote (test_recovery_metric.py), threads
    # (test_thread_metrics.py), subscriptions (test_age_metric.py), jobs (test_job_metrics.py), a record of
    # the air (test_engines.py).
    assert documented - set(per_run.metric) <= {"forwarded", "dropped", "delivery_ratio", "recovery_renewals"}


def test_the_interval_is_students_t_over_seeds(per_run, summary):
    for row in summary[
        (summary.cell == "H9") & summary.metric.isin(["events_lost", "energy_mj"])
    ].itertuples():
        found = per_run[
            (per_run.cell == "H9") & (per_run.metric == row.metric) & (per_run.key == row.key)
        ].value
        assert (
            row.n == 4
            and row.mean == pytest.approx(found.mean())
            and row.sd == pytest.approx(found.std(), abs=1e-9)
        )
        if found.std() > 1e-9:
            low, high = stats.t.interval(0.95, 3, found.mean(), stats.sem(found))
            assert (row.ci_low, row.ci_high) == (pytest.approx(low), pytest.approx(high))


def test_a_size_that_a_run_lacks_counts_as_zero(measured):
    table = pd.read_parquet(measured / "metrics" / "summary")
    row = table[(table.cell == "sizes") & (table.metric == "aggregate_size") & (table.key == "3")].iloc[0]
    assert (row.n, row["mean"], row.sd) == (3, 2.0, pytest.approx(math.sqrt(12)))


def test_counters_of_forwarding_and_drops_and_the_exact_delay(measured):
    """A failed run does not count, and of one run there is no interval."""
    assert [cell for _, cell in choose(measured).values()].count("forwarded") == 1
    table = pd.read_parquet(measured / "metrics" / "per_run")
    found = table[table.cell == "forwarded"].set_index(["metric", "key"]).value
    assert found["delay_ms", "mean"] == 50 and found["delay_ms", "p05"] == 100
    assert found["forwarded", "full"] == 9 and found["dropped", "queue"] == 7
    assert found["malformed_lines", "total"] == 1
    # No `agg`, and nobody says that nothing came.
    assert "full_aggregates" not in found.index.get_level_values("metric")
    table = pd.read_parquet(measured / "metrics" / "summary")
    table = table[table.cell == "forwarded"]
    assert (table.n == 1).all() and table[["sd", "ci_low", "ci_high"]].isna().all().all()


def test_which_runs_count(measured, tmp_path):
    newest = choose(measured)
    assert sum(cell == "H9" for _, cell in newest.values()) == len(SEEDS)
    some = list(newest)[:5]
    assert list(choose(measured, some)) == some
    with pytest.raises(NoRuns, match="ingest"):
        choose(tmp_path)


def test_metrics_of_the_same_tables_are_not_computed_again(measured):
    def no_spark():
        raise AssertionError("nothing to compute")

    assert compute(measured, spark=no_spark).runs == len(choose(measured)) == 12 + 33


@pytest.mark.parametrize("names", [FEW, pytest.param((), marks=pytest.mark.full(instead="a few families"))])
def test_the_same_runs_give_the_same_bytes(names, measured, tmp_path, spark, monkeypatch):
    few = [one for one in families() if not names or one.name in names]
    monkeypatch.setattr(job, "families", lambda: few)
    write(tmp_path / "exp")
    ingest(tmp_path / "exp", spark, cores=1)
    compute(tmp_path / "exp", spark=spark)
    declared = [name for family in few for name in family.declared]
    for name in ("per_run", "summary"):
        file = f"metrics/{name}/part-0.parquet"
        made, whole = parquet.read_table(tmp_path / "exp" / file), parquet.read_table(measured / file)
        assert set(made["metric"].to_pylist()) > set(declared[:1])
        assert made.equals(whole.filter(pc.is_in(whole["metric"], pa.array(declared))))
        assert names or (measured / file).read_bytes() == (tmp_path / "exp" / file).read_bytes()
