# SPDX-License-Identifier: Apache-2.0
"""Metrics of radios, from a record of two motes whose times in states are known."""

from __future__ import annotations

import pytest
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.jobs.metrics import compute
from orchestrate_spark.load import load_metrics
from synthetic import Chain, write_run

from tests.features.air.network import LISTENING, OFF, TRANSMITTING, Record, beacon, zigzag

pytestmark = pytest.mark.spark

CC2420 = {"transmit": 17.4, "listen": 18.8}  # mA at 3 V


def test_times_in_states_give_duty_cycles_energy_and_lifetime(spark, tmp_path):
    """Mote 1 listens for 40 s of 100 s, mote 2 transmits for 10 s and listens else."""
    record = Record()
    for second, mote, state in ((0, 1, LISTENING), (0, 2, TRANSMITTING), (10, 2, LISTENING), (40, 1, OFF)):
        record.item(state, second * 1_000_000, zigzag(mote))
    run = write_run(tmp_path / "exp", Chain("A"), 1)
    (run / "air").write_bytes(record.end(100_000_000))
    ingest(tmp_path / "exp", spark)
    compute(tmp_path / "exp", spark=spark)
    rows = load_metrics(tmp_path / "exp", "arrow")["per_run"].to_pylist()
    values = {(row["metric"], row["key"]): row["value"] for row in rows}
    shares = sorted(value for (metric, _), value in values.items() if metric == "radio_duty_cycle_by_mote")
    assert shares == [0.4, 1.0] and values["radio_duty_cycle", "total"] == 0.7
    states = {key: value for (metric, key), value in values.items() if metric == "radio_state_s"}
    assert states == {"off": 30, "listening": 65, "transmitting": 5}
    ma_s = 10 * CC2420["transmit"] + 130 * CC2420["listen"]
    assert values["radio_energy_mj", "cc2420"] == pytest.approx(ma_s * 3 / 2)
    assert values["radio_lifetime_days", "cc2420"] == pytest.approx(2500 / (ma_s / 200) / 24)


def test_motes_associate_with_a_beacon_and_cells_are_used(spark, tmp_path):
    """Mote 1 sends 30 beacons in a slotframe of 5 slots with one cell; mote 2 hears all but the first two."""
    record = Record()
    record.item(LISTENING, 0, zigzag(1))
    for number in range(30):
        frame = beacon(10 + 5 * number * (number + 1) // 2)
        t_us = 1_002_120 + 10_000 * (5 * number * (number + 1) // 2)
        record.frame(1, t_us, frame, {2: 0 if number > 1 else 1}, 1120)
    run = write_run(tmp_path / "exp", Chain("A", publishers=2), 1)
    (run / "air").write_bytes(record.end(100_000_000))
    ingest(tmp_path / "exp", spark)
    compute(tmp_path / "exp", spark=spark)
    rows = load_metrics(tmp_path / "exp", "arrow")["per_run"].to_pylist()
    values = {(row["metric"], row["key"]): row["value"] for row in rows}
    third_s = (1_002_120 + 10_000 * 15 + 1120) / 1e6
    assert values["tsch_association_s", "P1"] == values["all_associated_s", "total"] == third_s
    assert values["not_associated", "total"] == 2, "P2 and the control node heard nothing"
    frames = {key: value for (metric, key), value in values.items() if metric == "tsch_cell_frames"}
    assert sum(frames.values()) == 30
    assert all(key.startswith("0, ") and key.endswith(" of 5") for key in frames), frames
