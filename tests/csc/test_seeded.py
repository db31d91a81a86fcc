# SPDX-License-Identifier: Apache-2.0
"""The .csc of a cell's seeds: the bytes that write.py gives, whether they are filled in or written."""

from dataclasses import replace

import pytest

from orchestrator.csc import seeded
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.csc.seeded import Seeded
from orchestrator.csc.write import write


def simulation(seed: int, images, title: str = "t") -> Simulation:
    return Simulation(
        title=title,
        seed=seed,
        motedelay_us=1_000_000,
        medium=Udgm(),
        mote_types=(MoteType("app", "an app", "app.c", "make", STANDARD_INTERFACES),),
        motes=tuple(
            Mote("app", number, float(number), 0.0, eeprom=image or None)
            for number, image in enumerate(images, 1)
        ),
        script=EndScript(1000),
    )


def images_of(seed: int) -> list[bytes]:
    return [seed.to_bytes(4, "little") + bytes([mote]) for mote in range(3)]


@pytest.mark.parametrize(
    "images",
    [images_of, lambda seed: [b"same", b"", b"other"], lambda seed: [], lambda seed: [b"x" * (1 + seed % 3)]],
)
def test_every_seed_has_the_bytes_that_are_written(images, monkeypatch):
    written = []
    monkeypatch.setattr(seeded, "write", lambda one: written.append(one.seed) or write(one))
    made = Seeded(lambda seed: simulation(seed, images(seed)), images, 1)
    written.clear()
    for seed in (1, 2, 77, 2**31 - 1):
        assert made.text(seed) == write(simulation(seed, images(seed)))
    assert written == [], "filled in"


@pytest.mark.parametrize(
    "odd",
    [
        lambda seed: simulation(seed, images_of(seed), title=f"seed {seed}"),
        lambda seed: simulation(seed, images_of(seed), title="<randomseed>1</randomseed>"),
        lambda seed: simulation(seed, images_of(seed)[: 2 if seed % 2 else 3]),
        lambda seed: replace(simulation(seed, images_of(seed)), motedelay_us=seed),
    ],
)
def test_where_more_differs_all_are_written(odd):
    made = Seeded(odd, images_of, 1)
    for seed in (1, 2, 3, 1000):
        assert made.text(seed) == write(odd(seed))


def test_the_last_seed_has_another_before_it():
    made = Seeded(lambda seed: simulation(seed, images_of(seed)), images_of, 2**31 - 1)
    assert made.text(5) == write(simulation(5, images_of(5)))
