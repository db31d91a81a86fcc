# SPDX-License-Identifier: Apache-2.0
"""Explanations are given where the counts bear them out, and nowhere else."""

from pathlib import Path

import pandas as pd
import pytest

from orchestrator.features.aggregation.paper import explanations
from orchestrator.features.aggregation.paper.causes import AIR, losses
from orchestrator.report.data import Results


def results(**cells: dict) -> Results:
    """Two runs of each cell, alike but for what is given as a pair; metrics as METRIC or METRIC/KEY."""
    rows = []
    for cell, metrics in cells.items():
        for name, value in metrics.items():
            metric, _, key = name.partition("/")
            for seed, one in enumerate(value if isinstance(value, tuple) else (value, value), 1):
                rows.append(("x", cell, seed, f"{cell}{seed}", metric, key or "total", float(one)))
    frame = pd.DataFrame(rows, columns=["experiment", "cell", "seed", "run_id", "metric", "key", "value"])
    return Results("x", Path(), frame, (), "", tuple(cells))


def packets(sent: int, lost: int | tuple[int, int], **refused: int | tuple[int, int]) -> dict:
    rate = tuple(one / sent for one in lost) if isinstance(lost, tuple) else lost / sent
    return {
        "events_transmitted": sent,
        "packet_loss_rate": rate,
        **{f"dropped/{cause.replace('_', '-')}": count for cause, count in refused.items()},
    }


def test_losses_are_by_the_macs_counts_and_the_rest_on_the_air():
    found = losses(results(H10=packets(1000, (100, 300), queue=50, channel_access=(10, 30))), "H10")
    assert found.rate == pytest.approx(0.2) and not found.nothing
    assert (
        found.by[AIR].tolist() == [40, 220]
        and found.share("queue") == pytest.approx(0.25)
        and found.share("collision") == 0
    )
    assert losses(results(H10=packets(1000, 0)), "H10").nothing
    assert not losses(results(H10=packets(1000, (0, 1))), "H10").nothing
    assert losses(results(H10=packets(1000, 0)), "H5") is None


def test_what_sent_nothing_lost_no_share():
    nothing = {"events_transmitted": 0, "packet_loss_rate": 0.0}
    found = losses(results(H10=nothing), "H10")
    assert (found.rate, found.share("queue"), found.nothing) == (0.0, 0.0, True)
    assert losses(results(H10=packets(1000, 0)), "H10").share(AIR) == 0.0


def test_aggregation_may_lose_one_packet_in_a_thousand():
    """More, and what it saves isn't explained by the losses without it."""
    saved = {"reduction": 0.65, "events_published": 50, "events_transmitted/P5": 10}
    for lost, explained in ((1, True), (2, False)):
        found = results(H5=packets(300, 3), H5A=packets(1000, lost) | saved)
        assert (explanations.few_losses(found) is not None) is explained


def test_queues_are_blamed_only_where_most_is_lost_in_them():
    text = explanations.queues(results(H10=packets(1000, 100, queue=90, channel_access=7))).text
    assert (
        "Of 100 packets lost in a run, 90 found no room" in text
        and "7.0 found the channel busy" in text
        and "3.0 were sent" in text
    )
    assert explanations.queues(results(H10=packets(1000, 100, queue=50))) is None
    assert explanations.queues(results(H10=packets(1000, 0))) is None


def test_overtaking_is_the_cause_only_where_no_run_lost_a_packet():
    counts = {"aggregates": 100, "full_aggregates": 90, "forwarded/contained": 12, "forwarded/timeout": 3}
    found = explanations.overtaken(results(H10A=packets(1000, 0) | counts))
    assert "10 messages of a run were not full: 12 stored" in found.text and found.covers == {
        "others-H10A",
        "full-H10A",
    }
    assert explanations.overtaken(results(H10A=packets(1000, (0, 1)) | counts)) is None
    assert explanations.overtaken(results(H10A=packets(1000, 0) | counts | {"full_aggregates": 100})) is None


def test_savings_are_explained_by_losses_only_where_ours_lose_less_than_the_papers_saving_needs():
    merged = packets(100, 0) | {"reduction": 0.65, "events_published": 50, "events_transmitted/P5": 10}
    found = explanations.few_losses(results(H5=packets(300, 3), H5A=merged))
    assert {
        "reduction-H5",
        "reduction-counted-H5",
    } == found.covers and "H5 1.00 % (a saving of 32.1 % implies 9 % or 58 %" in found.text
    assert explanations.few_losses(results(H5=packets(300, 200), H5A=merged)) is None  # more than 58 %
    assert explanations.few_losses(results(H5=packets(300, 3))) is None  # there is nothing to compare with
    assert explanations.few_losses(results(H5A=merged)) is None
    assert (
        explanations.few_losses(results(H5=packets(300, 3), H5A=merged | packets(100, 1))) is None
    )  # aggregation loses too
    assert (
        explanations.few_losses(
            results(H5=packets(300, 3), H5A=merged | {"reduction": 0.3, "events_published": 300})
        )
        is None
    )


def test_the_step_is_the_cause_only_where_nothing_is_lost_and_the_sweep_encloses_the_papers_share():
    def swept(*shares):
        return results(
            **{cell: {"aggregated_share": share} for (_, cell), share in zip(explanations.STEPS, shares)}
        )

    whole = results(L10AD=packets(900, 0))
    found = explanations.step(whole, swept(0.87, 0.41, 0.2, 0))
    assert "87.0 % with a step of 0.6 s, 41.0 % with a step of 1.25 s" in found.text and found.covers == {
        "aggregated-L10AD"
    }
    assert explanations.step(whole, swept(0.855, 0.41)) is None
    assert explanations.step(whole, swept(0.87, 0.855)) is None
    assert explanations.step(whole, swept(0.8, 0.41)) is None and explanations.step(whole, swept()) is None
    assert (
        explanations.step(whole, None) is None
        and explanations.step(results(L10AD=packets(900, 1)), swept(0.87, 0.41)) is None
    )


def test_equal_losses_are_explained_only_by_none():
    def sides(lost):
        return results(
            L5=packets(450, lost) | {"event_loss_rate": lost / 450},
            L5A=packets(150, lost / 3) | {"event_loss_rate": lost / 450},
        )

    assert explanations.nothing_lost(sides(0)).covers == {"event-loss-L5", "packet-loss-L5"}
    assert explanations.nothing_lost(sides(45)) is None


def test_nothing_measured_explains_nothing():
    assert explanations.explanations(results(x={"aggregates": 1}), None) == []
