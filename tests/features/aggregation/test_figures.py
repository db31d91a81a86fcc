# SPDX-License-Identifier: Apache-2.0
"""The paper's drawn topologies: the claims against runs of the engine, and checks that can fail."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from orchestrator.applications.descriptor import load as application
from orchestrator.build import host
from orchestrator.cli.app import main
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.features.aggregation.paper import deployment, figure_scenarios, figures
from orchestrator.papers.check import FAILS, HOLDS, MISSING
from orchestrator.report.data import Results
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from orchestrator.topology.shapes import layout
from tests.manifests import manifest
from tests.placed import simulation
from tests.waiting import HANG_S

ROUNDS = 10
SCENARIO = loads(figure_scenarios()[0][1], "figures.yaml")
CELLS = {cell.name: cell for cell in SCENARIO.cells}


def test_every_claim_has_its_two_cells():
    assert set(CELLS) == {claim.cell + suffix for claim in figures.CLAIMS for suffix in ("", "-A")}
    assert all(
        cell.application.parameters["aggregate"] == name.endswith("-A") for name, cell in CELLS.items()
    )


@pytest.mark.parametrize("claim", figures.CLAIMS, ids=lambda claim: claim.cell)
def test_without_aggregation_every_event_crosses_every_hop(claim):
    """The expected packets are the routes' hops, added up: independent of the claims' numbers."""
    cell = CELLS[claim.cell]
    nodes = {node.mote: node for node in layout(cell.topology, cell.radio.range_m).nodes}
    total = 0
    for node in nodes.values():
        on_way = node
        while node.role == "publisher" and on_way.parent:
            other = on_way.second if node.topic == 2 else 0
            total, on_way = total + 1, nodes[other or on_way.parent]
    assert total == claim.plain


@pytest.mark.parametrize("name", CELLS)
def test_the_engine_sends_what_the_claims_say(tmp_path, name):
    """One run of each cell, counted from the log's own counters, without the pipeline."""
    cell = CELLS[name]
    app = application(cell.application.name)
    firmware = host.firmware(app, app.variant(cell.application.parameters))
    made = simulation(cell, 7)
    kernel = engine("embedded")
    kernel.prepare()
    result = run_one(
        kernel,
        Job(made, 7, {made.mote_types[0].identifier: firmware.path}, tmp_path / "log", wall_limit_s=HANG_S),
    )
    assert result.outcome is Outcome.OK
    count = Counter()
    for line in (tmp_path / "log").read_text().splitlines():
        if "\t!cnt," in line:
            _, counter, value = line.split(",")
            count[counter] += int(value)
    claim = next(claim for claim in figures.CLAIMS if claim.cell == name.removesuffix("-A"))
    assert count["events_transmitted"] == ROUNDS * (claim.merged if name.endswith("-A") else claim.plain)
    assert count["events_pending"] == 0


def synthetic(tmp_path, change=None) -> Results:
    """Metrics just as claimed; `change` (cell, metric) -> another value."""
    rows = []
    for claim in figures.CLAIMS:
        for suffix, packets in (("", claim.plain), ("-A", claim.merged)):
            cell = claim.cell + suffix
            publishers = sum(node.role == "publisher" for node in layout(CELLS[cell].topology, 200).nodes)
            late = (sum(claim.later) / 2 if claim.later else 0) if suffix else 0
            values = {"events_published": ROUNDS * publishers, "events_delivered": ROUNDS * publishers,
                      "events_transmitted": ROUNDS * packets, "aggregates": ROUNDS * claim.messages, "delay_ms": 100 + late}  # fmt: skip  # noqa: E501
            for seed in (1, 2):
                for metric, value in values.items():
                    value = (change or {}).get((cell, metric), value) if seed == 2 else value
                    rows.append(
                        (cell, seed, metric, "mean" if metric == "delay_ms" else "total", float(value))
                    )
                rows += [
                    (cell, seed, "events_published", f"P{n}", float(ROUNDS)) for n in range(1, publishers + 1)
                ]
    frame = pd.DataFrame(rows, columns=["cell", "seed", "metric", "key", "value"])
    return Results(figures.EXPERIMENT, tmp_path, frame, (), "", tuple(CELLS))


def verdicts(results: Results) -> dict[str, str]:
    return {check.id.removeprefix("figure-"): check.verdict for check in figures.checks(results)}


def test_checks_hold_and_fail_by_one_packet_in_one_seed(tmp_path):
    right = verdicts(synthetic(tmp_path))
    assert {verdict for name, verdict in right.items() if name != "F5-order"} == {HOLDS}
    assert right["F5-order"] == MISSING  # there is no trace here
    for cell, metric, value in (("F5-A", "events_transmitted", 51), ("F5", "events_transmitted", 149), ("F6-A", "aggregates", 11),  # noqa: E501
                                ("F6-wide-A", "delay_ms", 100), ("F4-A", "delay_ms", 5100), ("F2-merged-A", "events_delivered", 19)):  # fmt: skip  # noqa: E501
        found = verdicts(synthetic(tmp_path, {(cell, metric): value}))
        assert found[cell.removesuffix("-A")] == FAILS, (cell, metric)
        assert sum(verdict == FAILS for verdict in found.values()) == 1


LATER_MS = {  # by how much aggregation may make the mean delay longer: the least and the most
    "F2-parallel": (-1, 1),
    "F4": (-1, 1),
    "F4-extended": (-1, 1),
    "F5-P1-first": (5000, 25_000),
    "F6": (-5000, 100),
    "F6-wide": (4990, 5010),
}


def test_how_much_longer_a_delay_may_be(tmp_path):
    for cell, bounds in LATER_MS.items():
        for bound, beyond in zip(bounds, (-0.25, 0.25)):
            for later, verdict in ((bound, HOLDS), (bound + beyond, FAILS)):
                found = verdicts(synthetic(tmp_path, {(f"{cell}-A", "delay_ms"): 100 + later}))
                assert found[cell] == verdict, (cell, later)
    found = verdicts(synthetic(tmp_path, {("F5-A", "delay_ms"): 99_999}))
    assert found["F5"] == HOLDS  # nothing is claimed of its delay


def test_what_was_not_run_is_not_measured(tmp_path):
    empty = replace(synthetic(tmp_path), per_run=synthetic(tmp_path).per_run.iloc[:0], cells=())
    assert set(verdicts(empty).values()) == {MISSING}


@pytest.mark.parametrize(("delivered", "verdict"), [([1], HOLDS), ([1, 2], FAILS), ([], FAILS)])
def test_the_order_of_packets_is_read_from_the_trace(tmp_path, delivered, verdict):
    import pyarrow as pa
    from pyarrow import parquet

    event = [{"publisher": 1, "sequence": 1}]
    rows = [
        {"seed": 1, "run_id": "r", "kind": "snd", "time_us": 10 * n, "events": event} for n in range(1, 8)
    ]
    rows += [
        {"seed": 1, "run_id": "r", "kind": "dlv", "time_us": 10 * n + 5, "events": event}
        for n in (*delivered, 6, 7)
    ]
    (tmp_path / "tables" / "events").mkdir(parents=True)
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "tables" / "events" / "x.parquet")
    results = replace(synthetic(tmp_path), manifests=(manifest("r", cell="F5-P1-first-A"),))
    assert verdicts(results)["F5-order"] == verdict


def test_saved_and_delivered_over_the_share_deployed(tmp_path):
    scenario = loads(figure_scenarios()[1][1], "deployment.yaml")
    names = {deployment.cell(where, share) for where in deployment.WHERE for share in deployment.SHARES}
    assert {cell.name for cell in scenario.cells} == names
    rows = [(name, seed, metric, "total", value) for name in names for seed in (1, 2, 3)
            for metric, value in (("events_transmitted", 1000.0 if name == "none" else 400.0), ("event_loss_rate", 0.25))]  # fmt: skip  # noqa: E501
    frame = pd.DataFrame(rows, columns=["cell", "seed", "metric", "key", "value"])
    results = Results(deployment.EXPERIMENT, tmp_path, frame, (), "", tuple(sorted(names)))
    assert deployment.saved(results, "near-40").mean == 60 and deployment.saved(results, "none").mean == 0
    assert deployment.delivered(results, "all").mean == 75
    section = deployment.sections(results)[0]
    assert len(section.blocks[1].figures) == 2 and len(section.blocks[2].rows) == 4 * 3 + 2


def test_the_command_runs_both_and_prints_the_claims(monkeypatch, tmp_path, capsys):
    from types import SimpleNamespace

    from orchestrator.execution import pipeline
    from orchestrator.execution.execute import Summary

    # Whoever takes `read` by name must have it before it is replaced, or keeps the replacement for the tests
    # that follow.
    from orchestrator.features.aggregation.paper import hypotheses, sensitivity  # noqa: F401
    from orchestrator.report import data, page  # noqa: F401

    asked = []

    def run(scenario, store, effort, **_):
        asked.append((scenario.experiment, len(scenario.seeds)))
        return SimpleNamespace(report=Path("index.html"), summary=Summary(["a"]), measured=["a"])

    monkeypatch.setattr(pipeline, "run", run)
    monkeypatch.setattr(data, "read", lambda store, experiment: synthetic(tmp_path))
    assert main(["paper", "aggregation", "--figures", "--seeds", "1..2", "--store", str(tmp_path)]) == 0
    assert asked == [("aggregation-figures", 2), ("aggregation-deployment", 2)]
    out = capsys.readouterr().out
    assert "What each figure should show" in out and out.count("holds") >= 9
    assert main(["paper", "aggregation", "--figures", "--json", "--store", str(tmp_path)]) == 0
    assert '"figure-F4-joined"' in capsys.readouterr().out
