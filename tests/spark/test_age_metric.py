# SPDX-License-Identifier: Apache-2.0
"""Ages of the newest value at a subscriber, of traces whose numbers are known."""

from __future__ import annotations

import pandas as pd
import pytest
from measured_runs import AGES, DIES_S

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def found(measured) -> pd.DataFrame:
    return pd.read_parquet(measured / "metrics" / "per_run")


def ages(found: pd.DataFrame, cell: str) -> dict[tuple[str, str], float]:
    rows = found[(found.cell == cell) & found.metric.isin(["age_mean_ms", "age_peak_ms"])]
    return {(row.metric, row.key): row.value for row in rows.itertuples()}


def test_an_age_grows_until_the_next_newer_event(found):
    """P1's event of 0 ms arrives at 10 ms, that of 200 ms at 230, that of 100 ms (which is older) at 250, and
    that of 300 ms at 310: ages go from 10 to 230 ms in the first 220 ms, and from 30 to 110 in the next 80.
    """
    assert AGES.count(b"!dlv") == 5
    mean = (220 * (10 + 230) / 2 + 80 * (30 + 110) / 2) / 300
    # P2's event of 0 ms arrives once, so that nothing is known between two deliveries of it.
    assert ages(found, "ages") == {
        ("age_mean_ms", "S"): pytest.approx(mean),
        ("age_mean_ms", "total"): pytest.approx(mean),
        ("age_peak_ms", "S"): pytest.approx(230),
        ("age_peak_ms", "total"): pytest.approx(230),
    }


def test_lost_events_make_data_old(found):
    """Events come every 250 ms, and none of the seconds from a mote's death to 52 s."""
    peak = ages(found, "repaired")["age_peak_ms", "S"]
    last_before, first_after = DIES_S * 1000 - 250 + 1, 52_000 + 1
    assert peak == pytest.approx(first_after - last_before + 0.002)


def test_where_no_mote_says_that_it_subscribes_all_that_is_delivered_counts(found):
    assert ages(found, "unasked") == ages(found, "ages")


def test_notifications_of_a_blackboard_have_ages(found):
    """Subscriber 0's value of 0 ms is there from 1 to 9 ms; subscriber 1's of 7 ms from 12 to 30 ms."""
    mean = (8 * (1 + 9) / 2 + 18 * (5 + 23) / 2) / 26
    assert ages(found, "notified") == {
        ("age_mean_ms", "S"): pytest.approx(mean),
        ("age_mean_ms", "total"): pytest.approx(mean),
        ("age_peak_ms", "S"): pytest.approx(23),
        ("age_peak_ms", "total"): pytest.approx(23),
    }


def test_without_times_of_publication_nothing_is_known(found):
    assert ages(found, "counted") == {}
