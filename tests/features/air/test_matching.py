# SPDX-License-Identifier: Apache-2.0
"""Datagrams on the air are followed from their origin to their destination, and no others are seen.

The network of network.py knows what became of each of its datagrams.
"""

import random
import struct

import pytest
from orchestrate_spark.sources.air.dissect import Settings, dissect

from tests.features.air.network import FRAME_US, Network, Record, ipv6, link


@pytest.fixture
def datagrams(tmp_path):
    def of(record: bytes):
        file = tmp_path / "air"
        file.write_bytes(record)
        tables = dissect(file, Settings()).tables
        return {name: tables[name].to_pandas() for name in ("datagrams", "hops", "links")}

    return of


@pytest.mark.parametrize("equal", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_every_delivery_is_found_and_no_other(datagrams, seed, equal):
    network = Network(seed, equal=equal)
    tables = datagrams(network.run())
    seen = tables["datagrams"]

    def sorted_by(rows):
        return sorted(rows, key=repr)

    wanted = [
        (truth["origin"], truth["delivered"], truth["frames"], truth["hops"] or None, truth["end_us"])
        for truth in network.truth.values()
    ]
    measured = [
        (
            row.origin,
            row.fate == "delivered",
            row.transmissions,
            int(row.hops) if row.delivered else None,
            int(row.end_us) if row.delivered else None,
        )
        for row in seen.itertuples()
    ]
    assert sorted_by(measured) == sorted_by(wanted)
    assert seen["fate"].isin(["delivered", "lost", "not-forwarded"]).all()
    assert tables["links"]["frames"].sum() == sum(truth["frames"] for truth in network.truth.values())


def test_a_lost_hop_has_the_cause_at_its_receiver(datagrams):
    record, network = Record(), Network(0, packets=0)
    network.record, network.truth = record, {0: {"origin": 3, "frames": 0}}
    network.random.random = lambda: 0.1  # every frame is lost
    network.random.choice = lambda fates: fates[0]
    network.send(0, 3, 2, 64, 0)
    network.random = random.Random(1)
    record.frame(
        2, network.free_us, struct.pack("<HBH", 0x8841, 9, 0xABCD) + b"\xff\xff\x02\x10", {}, FRAME_US
    )
    # mote 2 must have sent something for its address to be known
    record.frame(
        2,
        network.free_us + 5000,
        struct.pack("<HBH", 0xCC41, 9, 0xABCD) + link(9)[::-1] + link(2)[::-1] + b"\x41",
        {},
        FRAME_US,
    )
    (row,) = [row for row in datagrams(record.end(60_000_000))["datagrams"].itertuples() if row.origin == 3]
    assert (row.fate, row.cause, row.fate_mote) == ("lost", "collided", 3)


def test_a_record_with_many_receptions_is_read_to_its_end(datagrams):
    """500 multicasts to 70 neighbours each: more receptions than a table of small memory has room for."""
    record, neighbours = Record(), range(3, 73)
    udp = struct.pack(">HHHH", 1234, 1234, 8 + 4, 0) + b"Test"
    header = struct.pack(">IHBB", 6 << 28, len(udp), 17, 64) + ipv6(2) + bytes.fromhex(f"ff02{1:028x}")
    for number in range(500):
        mac = struct.pack("<HBH", 0xC841, number % 256, 0xABCD) + b"\xff\xff" + link(2)[::-1]
        fates = dict.fromkeys(neighbours, 0)
        record.frame(2, 20_000_000 * number, mac + b"\x41" + header + udp, fates, FRAME_US)
    seen = datagrams(record.end(20_000_000 * 500))["datagrams"]
    assert seen["delivered"].tolist() == [len(neighbours)] * 500
