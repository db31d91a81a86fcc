# SPDX-License-Identifier: Apache-2.0
import math
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.features.aggregation import paper as aggregation
from orchestrator.features.aggregation.paper import data, hypotheses, ideal, sensitivity
from orchestrator.features.aggregation.paper.cells import CELLS, configuration
from orchestrator.features.aggregation.paper.checks import CLAIMS, checks
from orchestrator.features.aggregation.paper.contradictions import contradictions
from orchestrator.features.aggregation.paper.measures import MEASURES
from orchestrator.report.data import Results, read
from orchestrator.report.model import Gallery, Text
from orchestrator.report.plot import Plot
from orchestrator.scenario.load import loads
from tests.manifests import manifest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "report"))
import metrics_store

SECOND = 1_000_000


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Results:
    return read(metrics_store.store(tmp_path_factory.mktemp("store"), seeds=range(1, 4)), "aggregation-paper")


def made(*rows) -> Results:
    """Results of (cell, metric, key, one value a seed)."""
    frame = pd.DataFrame(
        [
            ("x", cell, seed, f"{cell}{seed}", metric, key, float(value))
            for cell, metric, key, values in rows
            for seed, value in enumerate(values, 1)
        ],
        columns=["experiment", "cell", "seed", "run_id", "metric", "key", "value"],
    )
    return Results("x", Path(), frame, (), "", tuple(sorted(set(frame["cell"]))))


# --- the scenarios
# ---------------------------------------------------------------------------------------------------
def test_the_scenario_is_the_papers_twelve_configurations():
    scenario = loads(*reversed(aggregation.scenarios()[0]))
    assert scenario.experiment == aggregation.EXPERIMENT and scenario.seeds == tuple(range(1, 31))
    assert sorted(cell.name for cell in scenario.cells) == sorted(CELLS)
    for cell in scenario.cells:
        shape, given_ = configuration(cell.name), cell.application.parameters
        assert cell.topology.shape == "chain" and cell.topology.parameters["publishers"] == shape.publishers
        assert cell.duration_us == (15 if shape.high else 30) * 60 * SECOND
        assert given_["rate"] == ("high" if shape.high else "low") and given_["aggregate"] is shape.aggregate
        assert given_["delay"] == (1_250_000 if shape.delay else 0)
        assert given_["timeout"] == 5 * SECOND and given_["full"] == "route" and given_["mac"] == "csma"
        # larger than time-out over publishers, for both sizes
        assert not shape.delay or given_["delay"] > given_["timeout"] / shape.publishers
        # all motes hear each other: the chain is one by configuration
        assert cell.topology.parameters["spacing"] * shape.publishers <= cell.radio.range_m


def test_the_sensitivity_scenario_has_every_variant_of_the_figure_and_one_factor_each():
    scenario = loads(*reversed(aggregation.scenarios()[2]))
    cells = {cell.name: cell for cell in scenario.cells}
    named = {cell for _, variants in sensitivity.VARIANTS for _, cell in variants}
    assert set(cells) == named | {f"{cell}-A" for cell in named}
    assert scenario.experiment == sensitivity.EXPERIMENT
    main = {cell.name: cell for cell in loads(*reversed(aggregation.scenarios()[0])).cells}
    for base, twin in (("H10", "H10"), ("H10-A", "H10A"), ("L10D-1.25", "L10D"), ("L10D-1.25-A", "L10AD")):
        for part in ("topology", "radio", "application", "duration_us", "drain_us", "ruleset"):
            assert getattr(cells[base], part) == getattr(main[twin], part), (base, part)


def test_what_is_shown_of_one_kind_of_run_has_all_percents_on_its_axis():
    """The range of two kinds is that of their values, or the loss of a few percent couldn't be read."""
    rows = [
        (f"H10{suffix}", f"{kind}_loss_rate", "total", (0.02, 0.03))
        for suffix in ("", "-A")
        for kind in ("event", "packet")
    ]
    swept = made(*rows, ("H10-A", "reduction", "total", (0.5, 0.6)))
    (gallery,) = (block for block in sensitivity.blocks(swept, swept) if isinstance(block, Gallery))
    ends = {}
    for figure in gallery.figures:
        plot = Plot(400, 300)
        figure.drawing.paint(plot)
        ends[figure.name.removeprefix("sensitivity-")] = (plot.x.low, plot.x.high)
    assert ends["reduction"] == ends["full"] == ends["aggregated-share"] == (0, 100)
    assert ends["event-loss"] == ends["packet-loss"] != (0, 100)


@pytest.mark.parametrize(
    ("main", "swept", "told"), [("a", "ab", False), ("ab", "a", True), ("ab", "bc", True), ("a", "", False)]
)
def test_the_sweep_says_if_it_lacks_firmware_of_the_main_runs(main, swept, told):
    """Its own additional firmware, without CSMA, is no reason for a warning; nor is it that nothing ran."""

    def ran(firmware: str) -> Results:
        runs = tuple(manifest(f"r{one}", firmware={"app": one * 64}) for one in firmware)
        return replace(made(("H10", "reduction", "total", [0.5])), manifests=runs)

    blocks = sensitivity.blocks(ran(main), ran(swept))
    warned = [block for block in blocks if isinstance(block, Text) and block.kind == "warning"]
    assert bool(warned) is told


# --- the theory
# ------------------------------------------------------------------------------------------------------
def test_the_ideal_is_section_5_1_2s():
    assert ideal.transmissions(5, False) == 15 and ideal.transmissions(5, True) == 5
    assert sum(ideal.sent_by(10, place, False) for place in range(1, 11)) == ideal.transmissions(10, False)
    assert [ideal.received_by(10, place, False) for place in (0, 1, 10)] == [10, 9, 0]
    assert ideal.reduction(10) == pytest.approx(1 - 10 / 55) and ideal.counted(10) == 19


@given(st.integers(2, 30), st.floats(0.05, 1.0))
def test_the_implied_hop_is_the_one_that_gives_the_reduction(publishers, hop):
    plain = ideal.plain_transmissions(publishers, hop)
    aggregated = publishers / 2
    found = ideal.implied_hop(publishers, 1 - aggregated / plain, aggregated)
    assert found == pytest.approx(hop, abs=1e-6)


def test_no_loss_gives_every_transmission_and_impossible_reductions_give_nothing():
    assert ideal.plain_transmissions(10, 1.0) == 55
    assert math.isnan(ideal.implied_hop(5, 0.99, 5))


@pytest.mark.parametrize(
    ("reduction", "hop"),
    [(-0.01, math.nan), (0.0, 0.0), (2 / 3, 1.0), (0.667, math.nan), (1 - 5 / 8.0625, 0.5)],
)
def test_reductions_that_lossy_hops_can_and_cannot_give(reduction, hop):
    """Of five publishers at least five and at most fifteen messages are sent without aggregation.

    Where each hop delivers half, each publisher's event is sent 1, 1.5, 1.75, 1.875 and 1.9375 times.
    """
    found = ideal.implied_hop(5, reduction, 5)
    assert found == pytest.approx(hop, abs=1e-6, nan_ok=True)


def test_what_each_node_of_a_chain_sends_and_receives_in_a_round():
    def both(aggregate: bool) -> list[tuple[int, int]]:
        sent = [ideal.sent_by(3, place, aggregate) for place in (1, 2, 3)]
        received = [ideal.received_by(3, place, aggregate) for place in (0, 1, 2, 3)]
        return [sent, received]

    assert both(False) == [[3, 2, 1], [3, 2, 1, 0]] and both(True) == [[1, 1, 1], [1, 1, 1, 0]]
    assert [ideal.transmissions(3, aggregate) for aggregate in (False, True)] == [6, 3]
    assert ideal.reduction(3) == 0.5 and ideal.reduction(3, 4) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("name", "plain", "told"),
    [
        ("H10A", "H10", (True, 10, True, False)),
        ("L5AD", "L5D", (False, 5, True, True)),
        ("L10", "L10", (False, 10, False, False)),
    ],
)
def test_a_name_says_what_its_configuration_is(name, plain, told):
    shape = configuration(name)
    assert (shape.high, shape.publishers, shape.aggregate, shape.delay) == told
    assert (shape.name, shape.plain) == (name, plain)


# --- the data
# --------------------------------------------------------------------------------------------------------
def test_the_published_numbers_are_those_of_the_issue_and_measurable():
    rows = {row["id"]: row for row in data.numbers()}
    assert len(rows) == len(data.numbers())
    assert [rows[f"reduction-{name}"]["value"] for name in ("H10", "H5", "L10", "L5")] == [
        50.4,
        32.1,
        45.3,
        34.1,
    ]
    assert (rows["full-H10A"]["value"], rows["others-H10A"]["value"]) == (2372, 49)
    assert (rows["aggregated-L10AD"]["value"], rows["full-L10AD"]["value"]) == (85.5, 0)
    assert rows["full-share-counts-H10A"]["value"] == pytest.approx(100 * 2372 / 2421, abs=5e-4)
    for row in rows.values():
        assert row["measure"] in MEASURES and row["cell"] in CELLS and row["where"]


def test_what_ran_beside_the_main_experiment_is_read_from_its_store(tmp_path):
    def only(experiment: str) -> Results:
        store = metrics_store.store(tmp_path, experiment, ("H5",), (1,), {"H5": "csma-line-4-H5"})
        return read(store, experiment)

    main = only("aggregation-paper")
    assert sensitivity.read_beside(main) is None and hypotheses.read_beside(main) is None
    only(sensitivity.EXPERIMENT), only(hypotheses.EXPERIMENT)
    swept, supposed = sensitivity.read_beside(main), hypotheses.read_beside(main)
    assert swept.experiment == "aggregation-paper-sensitivity" and swept.cells == ("csma-line-4-H5",)
    assert [one.experiment for one in supposed.experiments] == ["aggregation-paper-hypotheses"]
    assert supposed.seeds == 1
    assert [stack.key for stack in supposed.stacks] == ["csma"]


def test_every_contradiction_has_readings_of_which_one_is_held(results):
    found = contradictions(results, None)
    titles = {entry["id"] for entry in data.load("contradictions.yaml")}
    assert {"figure-7a", "figure-7c", "share-95", "loss-definition", "total-events"} <= titles
    for entry in found:
        assert len(entry.readings) >= 2 and sum(reading.held for reading in entry.readings) == 1 and entry.why
    text = "\n".join(line for entry in found for reading in entry.readings for line in reading.numbers)
    assert "of H5 implies that 58 % of the packets are lost" in text  # as transmissions
    assert "of H5 implies that 9 % of the packets are lost" in text  # as generated plus forwarded
    assert "not measured" in text  # the sensitivity runs are not in this store


def test_a_contradiction_has_our_number_where_it_was_measured(results):
    def ours(found) -> list[str]:
        readings = [reading for entry in contradictions(found, None) for reading in entry.readings]
        lines = [" ".join(line.split()) for reading in readings for line in reading.numbers]
        return [line for line in lines if line.startswith("Ours, ")]

    told = ours(results)
    for line in told:
        cell = line.removeprefix("Ours, ").partition(":")[0]
        assert line.endswith(" not measured") == (cell not in results.cells), line
    assert any(line.startswith("Ours, L10AD: reduction, generated plus forwarded ") for line in told)
    # A cell that ran, without the metric.
    assert all(line.endswith(" not measured") for line in ours(made(("H10", "queue_drops", "total", [1]))))


# --- the measures
# ----------------------------------------------------------------------------------------------------
def test_generated_plus_forwarded_takes_out_the_last_publishers_own(results):
    seed = results.seeds("H10A")[0]
    total, last = (results.values("H10A", "events_transmitted", key)[seed] for key in ("total", "P10"))
    counted = results.values("H10A", "events_published")[seed] + total - last
    plain = results.values("H10", "events_transmitted")[seed]
    assert MEASURES["reduction_counted"].of(results, "H10A")[seed] == pytest.approx(
        100 * (1 - counted / plain)
    )


def test_in_the_ideal_both_counts_give_the_theorys_reduction():
    rounds = 30
    rows = [
        ("L10", "events_transmitted", "total", [55 * rounds] * 2),
        ("L10A", "events_transmitted", "total", [10 * rounds] * 2),
        ("L10A", "events_transmitted", "P10", [rounds] * 2),
        ("L10A", "events_published", "total", [10 * rounds] * 2),
    ]
    assert MEASURES["reduction_counted"].of(made(*rows), "L10A").tolist() == pytest.approx(
        [100 * (1 - 19 / 55)] * 2
    )


# --- the checks
# ------------------------------------------------------------------------------------------------------
def checked(found: Results, id: str) -> tuple[str, list[bool]]:
    """The verdict over the seeds, and whether each run shows it."""
    claim = next(claim for claim in CLAIMS if claim.id == id)
    return claim.check(found).verdict, claim.in_runs(found).tolist()


def sent(cell: str, *runs: list[float]) -> list[tuple]:
    """Event messages sent by P1, P2, ... in each run."""
    return [
        (cell, "events_transmitted", f"P{place}", [run[place - 1] for run in runs])
        for place in range(1, len(runs[0]) + 1)
    ]


LINE = [100.0 * place for place in range(10, 0, -1)]
FLATTENED = [500, 480, 460, 440, 410, 380, 330, 270, 190, 100]


def saving(cell: str, *saved: float) -> list[tuple]:
    """Runs of a configuration and the one without aggregation, which save this share by either count."""
    shape = configuration(cell)
    return [
        (shape.plain, "events_transmitted", "total", [1000] * len(saved)),
        (cell, "events_transmitted", "total", [1000 * (1 - one) for one in saved]),
        (cell, "events_transmitted", f"P{shape.publishers}", [100] * len(saved)),
        (cell, "events_published", "total", [100] * len(saved)),
    ]


CONTRADICTED = [
    # (claim, what bears it out, what contradicts it): each has to be able to hold and to fail
    ("grows-H10", sent("H10", LINE, LINE), sent("H10", [100] * 10, [101] * 10)),
    ("bends-H10", sent("H10", FLATTENED, FLATTENED), sent("H10", LINE, LINE)),
    ("constant-H10A", sent("H10A", [100] * 10, [101] * 10), sent("H10A", LINE, LINE)),
    ("tenfold-L10D", sent("L10D", LINE, LINE), sent("L10D", FLATTENED, FLATTENED)),
    ("straight-L10D", sent("L10D", LINE, LINE), sent("L10D", FLATTENED, FLATTENED)),
    ("full-95-H10A", [("H10A", "full_aggregates", "total", [98, 98]), ("H10A", "aggregates", "total", [100, 100])],  # noqa: E501
     [("H10A", "full_aggregates", "total", [90, 90]), ("H10A", "aggregates", "total", [100, 100])]),
    ("no-full-L10AD", [("L10AD", "full_aggregates", "total", [0, 0])], [("L10AD", "full_aggregates", "total", [2, 2])]),  # noqa: E501
    *((f"reduction-{load}", saving(f"{load}10A", 0.8, 0.81) + saving(f"{load}5A", 0.6, 0.6),
       saving(f"{load}10A", 0.6, 0.6) + saving(f"{load}5A", 0.8, 0.81)) for load in "HL"),
    *((f"throughput-{size}", saving(f"H{size}A", 0.5, 0.5) + saving(f"L{size}A", 0.47, 0.47),
       saving(f"H{size}A", 0.5, 0.5) + saving(f"L{size}A", 0.4, 0.4)) for size in (5, 10)),
    *((f"{name}-{plain}", [(plain, f"{metric}_loss_rate", "total", [0.3, 0.31]), (f"{plain}A", f"{metric}_loss_rate", "total", [0.1, 0.1])],  # noqa: E501
       [(plain, f"{metric}_loss_rate", "total", [0.1, 0.1]), (f"{plain}A", f"{metric}_loss_rate", "total", [0.3, 0.31])])  # noqa: E501
      for name, metric in (("event-loss", "event"), ("packet-loss", "packet")) for plain in ("H5", "H10", "L5", "L10")),  # noqa: E501
    *((f"delay-helps-L{size}", [(f"L{size}", "packet_loss_rate", "total", [0.2, 0.2]), (f"L{size}D", "packet_loss_rate", "total", [0, 0])],  # noqa: E501
       [(f"L{size}", "packet_loss_rate", "total", [0.1, 0.1]), (f"L{size}D", "packet_loss_rate", "total", [0.2, 0.21])]) for size in (5, 10)),  # noqa: E501
    *((f"{name}-L{size}D", [(f"L{size}AD", f"{metric}_loss_rate", "total", [0.2, 0.2]), (f"L{size}D", f"{metric}_loss_rate", "total", [0, 0])],  # noqa: E501
       [(f"L{size}AD", f"{metric}_loss_rate", "total", [0, 0]), (f"L{size}D", f"{metric}_loss_rate", "total", [0.2, 0.21])])  # noqa: E501
      for name, metric in (("event-loss", "event"), ("packet-loss", "packet")) for size in (5, 10)),
]  # fmt: skip


@pytest.mark.parametrize(("id", "so", "not_so"), CONTRADICTED)
def test_every_claim_can_hold_and_can_fail(id, so, not_so):
    verdict, runs = checked(made(*so), id)
    assert verdict == "holds" and runs == [True, True]
    verdict, runs = checked(made(*not_so), id)
    assert verdict in ("does not hold", "reversed") and runs == [False, False]


def test_no_claim_is_without_data_that_contradict_it():
    assert {claim.id for claim in CLAIMS} == {case[0] for case in CONTRADICTED}


@pytest.mark.parametrize(
    ("plain", "aggregated", "expected"),
    [
        ([0.30, 0.32, 0.31], [0.10, 0.11, 0.12], "holds"),
        ([0.10, 0.11, 0.12], [0.30, 0.32, 0.31], "reversed"),
        ([0.10, 0.30, 0.20], [0.11, 0.19, 0.25], "no difference shown"),
        ([0.1], [0.2], "no difference shown"),
        ([0.1, 0.2], [0.1, 0.2], "equal in every seed"),
        ([], [], "not measured"),
    ],
)
def test_an_order_is_judged_by_the_paired_interval(plain, aggregated, expected):
    rows = [
        ("H10", "event_loss_rate", "total", plain),
        ("H10A", "event_loss_rate", "total", aggregated),
        ("L5", "aggregates", "total", [1]),
    ]
    assert checked(made(*rows), "event-loss-H10") == (expected, [a > b for a, b in zip(plain, aggregated)])


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        ([0.975, 0.98, 0.985], "holds"),
        ([0.90, 0.91, 0.92], "does not hold"),
        ([0.93, 0.95, 0.97], "no difference shown"),
    ],
)
def test_a_bound_needs_the_whole_interval(share, expected):
    rows = [
        ("H10A", "full_aggregates", "total", [2400 * value for value in share]),
        ("H10A", "aggregates", "total", [2400] * len(share)),
    ]
    assert checked(made(*rows), "full-95-H10A") == (expected, [value >= 0.95 for value in share])


def test_nothing_measured_says_so(results):
    for claim in CLAIMS:
        found = made(("x", "aggregates", "total", [1]))
        assert claim.check(found).verdict == "not measured" and not len(claim.in_runs(found)), claim.id


def test_ids_of_checks_and_numbers_are_unique(results):
    ids = [check.id for check in checks(results)] + [row["id"] for row in data.numbers()]
    assert len(ids) == len(set(ids)), ids
