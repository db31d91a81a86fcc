# SPDX-License-Identifier: Apache-2.0
"""Delivery by window around a mote's death, of traces whose numbers are known."""

from __future__ import annotations

import pandas as pd
import pytest
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.jobs.metrics import compute
from synthetic import Chain, write_run

pytestmark = pytest.mark.spark
DIES_S, RENEWAL_S, LAST_S = 40, 10, 80  # windows are 5 s long


def trace(lost, dies=True) -> bytes:
    """P1 publishes `t` four times a second; S subscribes to it. Events of the seconds in `lost` don't
    arrive."""
    lines = [
        f"1\tID:1\t!sub,t,{RENEWAL_S * 1000}",
        "2\tID:1\t!cnt,interests_received,3",
        "3\tID:3\t!cnt,merged,0",
    ]
    for sequence in range(1, LAST_S * 4):
        at = sequence * 250_000 + 1000
        lines.append(f"{at}\tID:2\t!pub,t,1,{sequence},0")
        lines.append(f"{at + 1}\tID:3\t!pub,other,2,{sequence},0")  # nobody wants it
        if at // 1_000_000 not in lost:
            lines.append(f"{at + 2}\tID:1\t!dlv,t,2,1.{sequence}")
    if dies:
        lines.append(f"{DIES_S * 1_000_000}\tID:3\t!die,planned")
    return ("\n".join(lines) + "\n").encode()


@pytest.fixture(scope="module")
def found(tmp_path_factory, spark) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("store") / "exp"
    logs = {
        "repaired": trace(range(DIES_S, 52)),  # two windows and a part of the third
        "unhurt": trace([10, 62]),
        "lost": trace(range(DIES_S, LAST_S)),
        "lives": trace(range(DIES_S, 52), dies=False),
    }
    for cell, log in logs.items():
        write_run(folder, Chain(cell, 2), 1, log)
    ingest(folder, spark, cores=2)
    compute(folder, spark=spark)
    return pd.read_parquet(folder / "metrics" / "per_run")


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
