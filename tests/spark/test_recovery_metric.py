# SPDX-License-Identifier: Apache-2.0
"""Delivery by window around a mote's death, of traces whose numbers are known."""

from __future__ import annotations

import pandas as pd
import pytest
from measured_runs import DIES_S, LAST_S, WINDOWS

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def found(measured) -> pd.DataFrame:
    return pd.read_parquet(measured / "metrics" / "per_run")


def values(found: pd.DataFrame, cell: str, metric: str) -> dict[str, float]:
    rows = found[(found.cell == cell) & (found.metric == metric)]
    assert rows.key.is_unique
    return dict(zip(rows.key, rows.value))


def test_the_ratio_of_each_window(found):
    ratios = values(found, "repaired", "delivery_ratio")
    assert sorted(float(key.removeprefix("S/")) for key in ratios if key.startswith("S/")) == [
        n / 2 for n in range(-8, 8)
    ]
    for at, ratio in {"-4.0": 1, "-0.5": 1, "+0.0": 0, "+0.5": 0, "+1.0": 0.6, "+1.5": 1, "+3.5": 1}.items():
        assert ratios[f"S/{at}"] == ratios[f"total/{at}"] == pytest.approx(ratio)


def test_recovery_is_where_delivery_stays_back(found):
    assert values(found, "repaired", "recovery_renewals") == {"S": 1.5, "total": 1.5}
    assert values(found, "unhurt", "recovery_renewals") == {"S": 0, "total": 0}
    assert values(found, "lost", "recovery_renewals") == {}


def test_a_window_counts_if_it_has_half_of_the_fullest_and_is_good_at_nine_tenths_of_before(found):
    """S is good at exactly that, for good from the third window on; P2, which got less before, from the
    second on; P3 in the last one alone.
    """
    ratios = values(found, "windows", "delivery_ratio")
    for mote, node in ((1, "S"), (3, "P2"), (4, "P3")):
        wanted = [delivered / owed for owed, delivered in WINDOWS[mote] if owed >= 10]
        keys = [f"{node}/{(at - 2) / 2:+.1f}" for at in range(len(wanted))]
        mine = {key: ratio for key, ratio in ratios.items() if key.startswith(f"{node}/")}
        assert mine == pytest.approx(dict(zip(keys, wanted, strict=True)))
    found = values(found, "windows", "recovery_renewals")
    assert (found["S"], found["P2"], found["P3"]) == (1.0, 0.5, 1.5)


def test_interests_that_are_never_renewed_have_no_windows(found):
    ratios = values(found, "windows", "delivery_ratio")
    assert ratios["P4/+0.0"] == 1 and not any(key.startswith("P5/") for key in ratios)


def test_without_a_death_there_is_neither(found):
    assert values(found, "lives", "delivery_ratio") == values(found, "lives", "recovery_renewals") == {}


def test_frames_for_several_next_hops_have_no_packet_loss_rate(found):
    assert values(found, "repaired", "packet_loss_rate") == {}


def test_a_subscriber_is_owed_what_is_published_on_its_subject_and_no_more(found):
    published = LAST_S * 4 - 1
    lost = 4 * (52 - DIES_S)
    assert values(found, "repaired", "events_published") == {
        "P1": published,
        "P2": published,
        "total": 2 * published,
    }
    assert values(found, "repaired", "events_delivered") == {
        "P1": published - lost,
        "P2": 0,
        "total": published - lost,
    }
    assert values(found, "repaired", "events_lost") == {"P1": lost, "P2": 0, "total": lost}
    assert values(found, "repaired", "event_loss_rate") == {
        "P1": pytest.approx(lost / published),
        "total": pytest.approx(lost / published),
    }
    assert values(found, "repaired", "events_duplicated")["total"] == 0


def test_delays_of_a_trace_are_its_own(found):
    assert values(found, "unhurt", "delay_ms") == dict.fromkeys(
        ("p05", "p50", "p95", "mean"), 0.002
    )  # 2 us each
    assert values(found, "unhurt", "delay_histogram") == {"0": LAST_S * 4 - 1 - 8}


def test_no_record_of_received_messages_is_not_a_zero(found):
    assert values(found, "repaired", "aggregates") == values(found, "repaired", "full_aggregates") == {}
