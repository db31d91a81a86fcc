# SPDX-License-Identifier: Apache-2.0
"""Metrics of the air, from records of networks whose datagrams and times in states are known."""

from __future__ import annotations

import struct
from collections import defaultdict
from statistics import mean

import pytest
from orchestrate_spark.jobs.ingest import ingest
from orchestrate_spark.jobs.metrics import compute
from orchestrate_spark.load import load, load_metrics
from synthetic import Chain, write_run

from tests.features.air.network import (
    LISTENING,
    OFF,
    TRANSMITTING,
    Network,
    Record,
    beacon,
    ipv6,
    link,
    zigzag,
)

pytestmark = pytest.mark.spark

CC2420 = {"transmit": 17.4, "listen": 18.8}  # mA at 3 V


def metrics_of(record: Record, spark, folder) -> dict[tuple[str, str], float]:
    """Return the metrics of a run of 100 s with this record, by name and key."""
    run = write_run(folder / "exp", Chain("A"), 1)
    (run / "air").write_bytes(record.end(100_000_000))
    ingest(folder / "exp", spark)
    compute(folder / "exp", spark=spark)
    rows = load_metrics(folder / "exp", "arrow")["per_run"].to_pylist()
    return {(row["metric"], row["key"]): row["value"] for row in rows}


def test_times_in_states_give_duty_cycles_energy_and_lifetime(spark, tmp_path):
    """Mote 1 listens for 40 s of 100 s, mote 2 transmits for 10 s and listens else."""
    record = Record()
    for second, mote, state in ((0, 1, LISTENING), (0, 2, TRANSMITTING), (10, 2, LISTENING), (40, 1, OFF)):
        record.item(state, second * 1_000_000, zigzag(mote))
    values = metrics_of(record, spark, tmp_path)
    shares = sorted(value for (metric, _), value in values.items() if metric == "radio_duty_cycle_by_mote")
    assert shares == [0.4, 1.0] and values["radio_duty_cycle", "total"] == 0.7
    states = {key: value for (metric, key), value in values.items() if metric == "radio_state_s"}
    assert states == {"off": 30, "listening": 65, "transmitting": 5}
    ma_s = 10 * CC2420["transmit"] + 130 * CC2420["listen"]
    assert values["radio_energy_mj", "cc2420"] == pytest.approx(ma_s * 3 / 2)
    assert values["radio_lifetime_days", "cc2420"] == pytest.approx(2500 / (ma_s / 200) / 24)
    each_ma_s = sorted((40 * CC2420["listen"], 10 * CC2420["transmit"] + 90 * CC2420["listen"]))
    energies = sorted(
        mj for (metric, key), mj in values.items() if metric == "mote_energy_mj" and key != "total"
    )
    assert energies == pytest.approx([3 * each for each in each_ma_s])
    assert values["first_death_days", "total"] == pytest.approx(2500 / (each_ma_s[-1] / 100) / 24)


def test_processors_of_emulated_motes_take_energy_by_their_modes(spark, tmp_path):
    """Mote 1 is active for 30 s and in LPM0 for 70 s, mote 2 for 10 s and in LPM3; both always listen."""
    record = Record()
    for mote in (1, 2):
        record.item(LISTENING, 0, zigzag(mote))
    for mote, times in ((1, (30, 70, 0, 0, 0, 0)), (2, (10, 0, 0, 0, 90, 0))):
        record.item(7, 100_000_000, 5, zigzag(mote), *(1_000_000 * time for time in times))
    values = metrics_of(record, spark, tmp_path)
    modes = {key: value for (metric, key), value in values.items() if metric == "mcu_mode_s" and value}
    assert modes == {"active": 20, "lpm0": 35, "lpm3": 45}
    wanted = {1: 3 * (30 * 1.8 + 70 * 0.0545), 2: 3 * (10 * 1.8 + 90 * 0.0051)}  # Tmote Sky, 3 V
    assert values["mcu_energy_mj", "total"] == pytest.approx(sum(wanted.values()) / 2)
    for metric, more in (("mcu_energy_mj", 0), ("board_energy_mj", 3 * 100 * CC2420["listen"])):
        by_mote = [value for (name, key), value in values.items() if name == metric and key != "total"]
        assert sorted(by_mote) == pytest.approx(sorted(each + more for each in wanted.values()))


def test_delivery_is_that_of_the_network_by_origin_flow_and_hops(spark, tmp_path):
    network = Network(3, motes=5)
    run = write_run(tmp_path / "exp", Chain("A", publishers=4), 1)
    (run / "air").write_bytes(network.run())
    ingest(tmp_path / "exp", spark)
    compute(tmp_path / "exp", spark=spark)
    tables = load(tmp_path / "exp", "arrow", ["motes", "datagrams"])
    names = {row["mote"]: row["name"] for row in tables["motes"].to_pylist()}
    values = defaultdict(dict)
    for row in load_metrics(tmp_path / "exp", "arrow")["per_run"].to_pylist():
        values[row["metric"]][row["key"]] = row["value"]
    of_origin, of_hops, latencies = defaultdict(list), defaultdict(list), defaultdict(list)
    for truth in network.truth.values():
        of_origin[truth["origin"]].append(truth)
    for sent in of_origin.values():
        if hops := [truth["hops"] for truth in sent if truth["delivered"]]:
            of_hops[f"{round(mean(hops))}"] += sent
    for row in tables["datagrams"].to_pylist():
        if row["fate"] == "delivered":
            latencies[names[row["origin"]]].append((row["end_us"] - row["t_us"]) / 1000)

    def ratio(sent):
        return mean(truth["delivered"] for truth in sent)

    by_origin = {names[origin]: ratio(sent) for origin, sent in of_origin.items()}
    assert values["pdr_by_mote"] == pytest.approx(by_origin)
    assert values["pdr_by_flow"] == pytest.approx(
        {f"{name} > {names[1]}": by_origin[name] for name in by_origin}
    )
    assert values["pdr_by_hops"] == pytest.approx({hops: ratio(sent) for hops, sent in of_hops.items()})
    wanted = {name: mean(each) for name, each in latencies.items()}
    assert values["latency_by_mote_ms"] == pytest.approx(wanted)
    assert values["latency_by_flow_ms"] == pytest.approx(
        {f"{name} > {names[1]}": wanted[name] for name in wanted}
    )


def test_a_multicast_datagram_has_its_mean_number_of_receivers(spark, tmp_path):
    """One reaches two motes, one three, and they count in no delivery ratio."""
    record = Record()
    for number, heard in enumerate(((2, 3), (2, 3, 4))):
        udp = struct.pack(">HHHH", 1234, 1234, 8 + 4, 0) + struct.pack(">I", number)
        header = struct.pack(">IHBB", 6 << 28, len(udp), 17, 64) + ipv6(1) + bytes.fromhex(f"ff02{1:028x}")
        mac = struct.pack("<HBH", 0xC841, number, 0xABCD) + b"\xff\xff" + link(1)[::-1]
        record.frame(1, 1_000_000 * number, mac + b"\x41" + header + udp, dict.fromkeys(heard, 0), 3000)
    run = write_run(tmp_path / "exp", Chain("A"), 1)
    (run / "air").write_bytes(record.end(100_000_000))
    ingest(tmp_path / "exp", spark)
    compute(tmp_path / "exp", spark=spark)
    rows = load_metrics(tmp_path / "exp", "arrow")["per_run"].to_pylist()
    values = {row["metric"]: row["value"] for row in rows}
    assert values["multicast_receivers"] == 2.5 and "pdr" not in values


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
