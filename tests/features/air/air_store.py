# SPDX-License-Identifier: Apache-2.0
"""A store of runs whose record of the air is that of a Network, which knows what became of each datagram."""

from pathlib import Path

from tests.features.air.network import LISTENING, Network, zigzag
from tests.spark.synthetic import Chain, write_run

MOTES = 6


def store(
    folder: Path, packets: int = 60, cells=("A", "B"), seeds=(1, 2), equal: bool = False
) -> dict[tuple[str, int], Network]:
    """Write the runs of FOLDER/net; return the network of each cell and seed."""
    networks = {}
    for cell in cells:
        for seed in seeds:
            network = Network(ord(cell) + seed, motes=MOTES, packets=packets, equal=equal)
            for mote in range(1, MOTES + 1):
                network.record.item(LISTENING, 0, zigzag(mote))
            run = write_run(folder / "net", Chain(cell), seed, log=b"")
            (run / "air").write_bytes(network.run())
            networks[cell, seed] = network
    return networks


def ratio(network: Network) -> float:
    """Return the share of its datagrams that were delivered."""
    return sum(truth["delivered"] for truth in network.truth.values()) / len(network.truth)
