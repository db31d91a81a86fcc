# SPDX-License-Identifier: Apache-2.0
"""Metrics of patterns are metrics like any others: computed by Spark, kept up to date, shown and queried."""

from __future__ import annotations

import json

import pytest
from orchestrate_spark.jobs import metrics as job
from orchestrate_spark.load import load, load_metrics

from orchestrator.cli import app

pytestmark = pytest.mark.spark

PATTERNS = r"""
events:
  sent: {match: 'send (?P<seq>[0-9]+)', fields: {seq: int}}
  got: {match: 'got (?P<seq>[0-9]+) from (?P<origin>\S+)', fields: {seq: int, origin: node}}
  rank: {match: 'rank (?P<rank>[0-9]+)', fields: {rank: int}}
  power:
    match: 'tx (?P<tx>[0-9]+) rx (?P<rx>[0-9]+) of (?P<all>[0-9]+)'
    fields: {tx: int, rx: int, all: int}
deliveries:
  hello: {sent: sent, received: got, key: {mote: origin, seq: seq}}
energy:
  power: {event: power, whole: all, states: {transmit: tx, listen: rx}}
metrics:
  ranks: {event: rank, unit: lines}
  rank_least: {event: rank, value: rank, statistic: min}
  rank_mean: {event: rank, value: rank}
  rank_most: {event: rank, value: rank, statistic: max}
  rank_first: {event: rank, value: rank, statistic: first}
  rank_last: {event: rank, value: rank, statistic: last, unit: ranks, better: lower}
  rank_sum: {event: rank, value: rank, statistic: sum}
  rank_growth: {event: rank, value: rank, statistic: rate}
  rank_rate: {event: rank, statistic: rate}
profile: own
profiles: {own: {volts: 2, currents-ma: {transmit: 10, listen: 5}}}
"""
LINES = [
    (0, 2, "send 1"),
    (10, 1, "got 1 from fd00::202:2:2:2"),
    (20, 3, "send 1"),
    (30, 3, "send 2"),
    (50, 1, "got 2 from fd00::203:3:3:3"),
    (51, 1, "got 2 from fd00::203:3:3:3"),
    (1000, 2, "rank 512"),
    (3000, 2, "rank 256"),
    (4000, 3, "rank 1024"),
    (10_000, 2, "tx 10 rx 20 of 100"),
    (20_000, 2, "tx 30 rx 40 of 100"),
]
EXPECTED = {
    ("hello_sent", "total"): 3,
    ("hello_delivered", "total"): 2,
    ("hello_delivery_ratio", "total"): 2 / 3,
    ("hello_delivery_ratio", "mote 2"): 1,
    ("hello_delivery_ratio", "mote 3"): 0.5,
    ("hello_duplicates", "total"): 1,
    ("hello_unmatched", "total"): 0,
    ("hello_latency_ms", "total"): 15,
    ("hello_latency_ms", "mote 3"): 20,
    ("hello_latency_quantiles_ms", "p95"): 20,
    ("ranks", "total"): 3,
    ("ranks", "mote 1"): 0,
    ("ranks", "mote 2"): 2,
    ("rank_least", "mote 2"): 256,
    ("rank_least", "total"): 256,
    ("rank_mean", "mote 2"): 384,
    ("rank_mean", "total"): 1792 / 3,
    ("rank_most", "total"): 1024,
    ("rank_first", "mote 2"): 512,
    ("rank_last", "mote 2"): 256,
    ("rank_last", "total"): 640,
    ("rank_sum", "total"): 1792,
    ("rank_growth", "mote 2"): -128,
    ("rank_rate", "mote 2"): 0.5,
    ("power_share", "transmit"): 0.2,
    ("power_duty_cycle", "mote 2"): 0.5,
    ("power_power_mw", "mote 2"): 2 * (0.2 * 10 + 0.3 * 5),
    ("power_energy_mj", "total"): 20 * 2 * (0.2 * 10 + 0.3 * 5),
}


@pytest.fixture
def ingested(tmp_path, monkeypatch):
    """A function that ingests the log with patterns into a store, and returns the experiment's folder."""
    few = [family for family in job.families() if family.name == "faults"]
    monkeypatch.setattr(job, "families", lambda: few)
    log = tmp_path / "a.log"
    log.write_text("".join(f"{ms * 1000}\tID:{mote}\t{text}\n" for ms, mote, text in LINES), encoding="utf-8")

    def ingest(patterns: str | None, *more: str) -> object:
        call = ["ingest", "e", "--log", str(log), "--metrics", "--store", str(tmp_path / "store"), *more]
        if patterns is not None:
            (tmp_path / "p.yaml").write_text(patterns, encoding="utf-8")
            call += ["--pattern", str(tmp_path / "p.yaml")]
        assert app.main(call) == 0
        return tmp_path / "store" / "e"

    return ingest


def values(folder) -> dict[tuple[str, str], float]:
    rows = load_metrics(folder, "arrow")["per_run"].to_pylist()
    return {(row["metric"], row["key"]): row["value"] for row in rows}


def test_patterns_give_metrics_that_all_commands_know(ingested, tmp_path, capsys):
    folder = ingested(PATTERNS)
    found = values(folder)
    assert {key: found.get(key) for key in EXPECTED} == pytest.approx(EXPECTED)
    declared = job.own_metrics_in(folder)
    assert (declared["rank_last"].unit, declared["rank_last"].better) == ("ranks", "lower")
    assert declared["hello_delivery_ratio"].unit == "share"
    capsys.readouterr()
    assert app.main(["metrics", "e", "--json", "--store", str(tmp_path / "store")]) == 0
    assert {"rank_last", "hello_delivery_ratio"} <= {
        row["metric"] for row in json.loads(capsys.readouterr().out)
    }
    assert app.main(["report", "e", "--no-replays", "--store", str(tmp_path / "store")]) == 0
    page = (folder / "report" / "index.html").read_text(encoding="utf-8")
    assert "Lines that patterns matched" in page and "Rank mean, over time" in page


def test_other_patterns_make_other_metrics_and_none_removes_them(ingested):
    folder = ingested(PATTERNS)
    ingested(None)  # they stay
    assert ("ranks", "total") in values(folder)
    ingested("events: {rank: {match: 'rank'}}\nmetrics: {lines_with_rank: {event: rank}}")
    found = values(folder)
    assert found["lines_with_rank", "total"] == 3 and ("ranks", "total") not in found
    ingested(None, "--pattern", "none")
    assert not any(metric == "lines_with_rank" for metric, _ in values(folder))
    assert load(folder, "arrow", ["log_events"])["log_events"].num_rows == 0


def test_apache_spark_gives_the_same_values(ingested, apache):
    folder = ingested(PATTERNS)
    before = values(folder)
    (folder / "metrics").unlink()
    job.compute(folder, spark=apache)
    assert values(folder) == before


def test_a_scenarios_patterns_give_metrics_of_its_runs(tmp_path, monkeypatch, capsys):
    few = [family for family in job.families() if family.name == "faults"]
    monkeypatch.setattr(job, "families", lambda: few)
    (tmp_path / "p.yaml").write_text(
        "events: {any: {match: 'Contiki'}}\nmetrics: {lines_of_contiki: {event: any}}\n",
        encoding="utf-8",
    )
    scenario = tmp_path / "s.yaml"
    scenario.write_text(
        "experiment: p\ntopology: {shape: chain, publishers: 1, spacing: 5 m}\n"
        "radio: {medium: udgm, range: 50 m}\nduration: 1 min\nseeds: 1\nlog: ./p.yaml\n"
        "application: {name: aggregation, rate: high, aggregate: true}\n",
        encoding="utf-8",
    )
    call = ["--store", str(tmp_path / "store")]
    assert app.main(["run", str(scenario), "--no-report", *call]) == 0
    capsys.readouterr()
    assert app.main(["metrics", str(scenario), "--json", *call]) == 0
    assert "lines_of_contiki" in {row["metric"] for row in json.loads(capsys.readouterr().out)}
    assert app.main(["ingest", "p", *call]) == 0
    assert "no line to try its log patterns on" in capsys.readouterr().err  # it prints records only
    # a search may have it as its goal
    wrong = [
        "search",
        str(scenario),
        "--minimise",
        "lines_of_nothing",
        "--over",
        "application.delay=0..1 s",
        *call,
    ]
    assert app.main(wrong) == 2
    said = capsys.readouterr().err
    assert "no metric 'lines_of_nothing'; did you mean lines_of_contiki?" in said
