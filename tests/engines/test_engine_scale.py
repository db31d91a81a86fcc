# SPDX-License-Identifier: Apache-2.0
"""Who hears whom is found among few, whatever the positions; the end's report counts what events cost."""

from __future__ import annotations

import json
import math
import random
import subprocess

import pytest
from engine_firmware import compile_firmware, simulation
from engine_harness import SANITIZED, build_kernel

from orchestrator.csc.model import Udgm
from orchestrator.engines.embedded.description import describe

# Mote n sends once, n * 10 ms after its boot, and every mote says what arrives.
BODY = """void cooja_tick(void) {
  if(first()) { etimer(simMoteID * 10); return; }
  if(due()) { simOutSize = 4; memcpy(simOutDataBuffer, &simMoteID, 4); }
  if(!simReceiving && simInSize > 0) { int from; memcpy(&from, simInDataBuffer, 4); SAY("from %d\\n", from); simInSize = 0; }
}"""  # noqa: E501


@pytest.fixture(scope="module")
def kernel():
    return build_kernel(SANITIZED)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compile_firmware(tmp_path_factory.mktemp("firmware"), "once", BODY)


def run(kernel, library, places, reach, log):
    simulated = simulation(places, round(0.02 + 0.01 * len(places), 3), medium=Udgm(reach, reach, 1.0, 1.0))
    done = subprocess.run(
        [kernel, "--log", log],
        input=describe(simulated, 1, {"t": library}, "5.0"),
        check=False,
        capture_output=True,
    )
    return json.loads(done.stdout)


def heard(log) -> set[tuple[int, int]]:
    lines = [line.split("\t") for line in log.read_text().splitlines() if "from" in line]
    return {(int(text[5:]), int(mote[3:])) for _, mote, text in lines}


@pytest.mark.parametrize(
    ("scale", "origin", "reach"),
    [
        (100.0, 0.0, 30.0),
        (1.0, 0.0, 30.0),
        (100.0, -50.0, 30.0),
        (100.0, 1e9, 30.0),
        (100.0, -1e15, 30.0),
        (1e-3, 0.0, 3e-4),
        (100.0, 0.0, 0.7),
        (4.0, 0.0, 1.0),
    ],
)
def test_everyone_in_range_is_found_and_nobody_else(scale, origin, reach, kernel, library, tmp_path):
    draw = random.Random(f"{scale} {origin} {reach}")
    places = [(origin + draw.random() * scale, origin + draw.random() * scale) for _ in range(60)]
    places += [(origin + i * reach, origin) for i in range(4)]  # at just the range, and on the strips' edges
    end = run(kernel, library, places, reach, tmp_path / "log")
    assert end["report"] == "end", end
    # At the rim reception is certain to fail in no case: the ratio is 1. Strictly nearer than the range.
    expected = {
        (i + 1, j + 1)
        for i, a in enumerate(places)
        for j, b in enumerate(places)
        if i != j and math.sqrt(abs(a[0] - b[0]) ** 2 + abs(a[1] - b[1]) ** 2) < reach
    }
    assert heard(tmp_path / "log") == expected


@pytest.mark.parametrize("reach", [0.3, 30.0, 1000.0])
@pytest.mark.parametrize("origin", [0.0, 7.0, -1000.0])
def test_whoever_is_just_in_range_is_found_on_each_side(origin, reach, kernel, library, tmp_path):
    inside, outside = reach * (1 - 1e-7), reach * (1 + 1e-7)
    sides = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    places = [(origin, origin)] + [
        (origin + x * away, origin + y * away) for away in (inside, outside) for x, y in sides
    ]
    assert run(kernel, library, places, reach, tmp_path / "log")["report"] == "end"
    assert {to for of, to in heard(tmp_path / "log") if of == 1} == {2, 3, 4, 5}
    assert {of for of, to in heard(tmp_path / "log") if to == 1} == {2, 3, 4, 5}


def test_a_transmission_looks_at_as_many_radios_in_a_large_grid(kernel, library, tmp_path):
    def looked_at(side):
        end = run(
            kernel,
            library,
            [(i % side * 10, i // side * 10) for i in range(side * side)],
            15.0,
            tmp_path / "log",
        )
        assert end["transmissions"] == side * side
        return end["neighbours"] / end["transmissions"], end["bytes"], end["lines"]

    (small, _, _), (large, copied, lines) = looked_at(6), looked_at(24)
    assert large < 1.5 * small
    assert copied > lines * len("10000\tID:1\tfrom 1\n")
