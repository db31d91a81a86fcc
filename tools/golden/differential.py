#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random simulations of the probes, run by the embedded engine and by a real Cooja, logs compared byte for
byte.

    differential.py --rules 5.0 COOJA [--medium directed-graph] [--operated] [--first 0] [--count 50] [--keep
    DIR]

A simulation is determined by its number, its medium and whether scripts and the Mobility plugin operate its
motes. COOJA as for record.py; exit 1 if any log differs.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "golden"))
import operations
from golden_cases import RULES, first_difference
from probes import NAMES, PROBES, firmware
from record import command, run_cooja

from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import (
    BIT_RATE,
    DirectedGraph,
    Edge,
    EndScript,
    LogisticLoss,
    Medium,
    Mote,
    MoteType,
    Silent,
    Simulation,
    Udgm,
    UdgmConstantLoss,
)
from orchestrator.csc.read import read
from orchestrator.csc.write import write
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one

# Simulated ms: enough for some hundred frames in each.
DURATION_MS = {
    "chain": 9000,
    "lossy-grid": 6000,
    "collisions": 6000,
    "radios-off": 2500,
    "two-channels": 1800,
    "devices": 3000,
}


def places(draw: random.Random, count: int, reach: float) -> list[tuple[float, float]]:
    """Positions in m of a random shape; some at exactly the range, some on one spot."""
    step = draw.choice([10.0, 15.0, 20.0, reach, reach / 2])
    shapes: list[Callable[[int], tuple[float, float]]] = [
        lambda i: (step * i, 0.0),
        lambda i: (step * (i % 4), step * (i // 4)),
        lambda _: (round(draw.uniform(0, 90), 3), round(draw.uniform(0, 90), 3)),
        lambda i: (0.0, step * (i // 3)),
    ]
    shape = draw.choice(shapes)
    return [shape(i) for i in range(count)]


def eeprom(case: str, draw: random.Random, index: int, count: int) -> bytes:
    """What the probe's first comment says its EEPROM holds; every tick of few motes is traced."""
    traced = int(draw.random() < 0.2)
    if case == "chain":
        return bytes([index, index + 2 if index < count - 1 else 0, draw.randrange(256)])
    if case == "radios-off":
        return bytes([traced, draw.choice([0, 0, 1, 10]), int(draw.random() < 0.3)])
    if case == "devices":
        return bytes([traced, draw.randrange(8), draw.randrange(4)]) + draw.randbytes(
            draw.choice([0, 0, 40, 1021])
        )
    if case == "two-channels":
        return bytes([traced, int(draw.random() < 0.15)])
    return bytes([traced])


def random_graph(draw: random.Random, count: int) -> DirectedGraph:
    """Edges in any order; a third of the graphs have channels, a third have delays, up to longer than a
    frame.
    """
    share = draw.choice([1.0, 0.6, 0.3])
    ratios = draw.choice([[1.0], [1.0, 0.9], [1.0, 0.5, 0.0]])
    channels = draw.choice([[-1], [-1], [-1, -1, 15, 20, 26, -2]])
    delays = draw.choice([[0], [0], [0, 0, 1, 7, 320, 5000]])
    signals, lqis = [-10.0, 0.0, 3.3, -55.5, -94.9, -95.5, -100.7, -120.0], [105, 105, 0, 60, 255, 300, -4]
    pairs = [
        (one, other)
        for one in range(1, count + 1)
        for other in range(1, count + 1)
        if one != other or one % 3 == 0
    ]
    draw.shuffle(pairs)
    pairs.sort(
        key=max
    )  # those of the last motes at the end, else Cooja often fails to load it (record.run_cooja)
    return DirectedGraph(
        tuple(
            Edge(
                *pair,
                draw.choice(ratios),
                draw.choice(signals),
                draw.choice(lqis),
                draw.choice(delays),
                draw.choice(channels),
            )
            for pair in pairs
            if draw.random() < share
            for _ in range(draw.choice([1, 1, 1, 2, 3]))
        )
    )


def other_medium(name: str, udgm: Udgm, number: int, count: int) -> Medium:
    if name == "directed-graph":
        return random_graph(random.Random(f"{name} {number}"), count)
    if name == "silent":
        return Silent()
    if name == "logistic-loss":
        draw = random.Random(f"{name} {number}")
        return LogisticLoss(
            udgm.transmitting_range * draw.choice([1.0, 1.5, 3.0]),
            udgm.success_ratio_tx,
            draw.choice([-100.0, -97.3]),
            draw.choice([-92.0, -80.5]),
            draw.choice([3.0, 2.2]),
            draw.choice([3.0, 0.0, 1.2, 8.0]),
        )
    return UdgmConstantLoss(**vars(udgm)) if name == "udgm-constant-loss" else udgm


def interfaces(draw: random.Random, needed: set[str]) -> tuple[str, ...]:
    """Half of the time those of a new mote type, else any in any order, with the needed ones."""
    if draw.random() < 0.5:
        return STANDARD_INTERFACES
    share = draw.choice([0.3, 0.7, 1.0])
    chosen = [name for name in STANDARD_INTERFACES if name in needed or draw.random() < share]
    draw.shuffle(chosen)
    return tuple(chosen)


def random_simulation(number: int, medium_name: str, operated: bool) -> Simulation:
    """Up to four mote types, most of them with probes of their own, in a random place with random losses."""
    draw = random.Random(number)
    case = NAMES[number % len(NAMES)]
    cases = [case, *draw.choices(NAMES, k=draw.choice([0, 0, 1, 1, 2, 3]))]
    count = draw.choice([2, 3, 5, 8, 12, 16, 25])
    reach = draw.choice([30.0, 42.5, 50.0, 50.0])
    medium = Udgm(
        reach,
        draw.choice([0.0, 20.0, reach, reach * 1.5, 100.0]),
        draw.choice([1.0, 1.0, 0.8]),
        draw.choice([1.0, 1.0, 0.9, 0.5, 0.0]),
    )
    needed = {"Position", "ContikiMoteID", "ContikiClock"} | (
        {"ContikiRadio"} if medium_name == "directed-graph" else set()
    )
    needed |= operations.NEEDED if operated else set()
    types = tuple(
        MoteType(
            f"type{n}",
            name,
            str(PROBES / f"{name}.c"),
            f"$(MAKE) {name}.cooja TARGET=cooja",
            interfaces(draw, needed),
        )
        for n, name in enumerate(cases)
    )
    owners = [draw.randrange(len(types)) for _ in range(count)]
    slow = random.Random(f"rates {number}")
    rates = slow.choice([[BIT_RATE], [BIT_RATE], [BIT_RATE, BIT_RATE, 19.2, 1000.0, 0.75, 33333.3]])
    motes = tuple(
        Mote(
            types[owner].identifier,
            index + 1,
            x,
            y,
            draw.choice([0.0, 0.0, 7.5]),
            eeprom(cases[owner], draw, index, count) if "ContikiEEPROM" in types[owner].interfaces else None,
            slow.choice(rates) if "ContikiRadio" in types[owner].interfaces else BIT_RATE,
        )
        for index, ((x, y), owner) in enumerate(zip(places(draw, count, reach), owners))
    )
    return Simulation(
        f"differential {number}",
        draw.choice([1, -5, 2**40 + 3, draw.randrange(10**6)]),
        draw.choice([0, 1, 999, 50_000, 1_000_000, 2_500_000]),
        other_medium(medium_name, medium, number, count),
        types,
        motes,
        EndScript(timeout_us=DURATION_MS[case] * 1000),
        Path(),
    )


def csc_of(number: int, medium_name: str, operated: bool, folder: Path) -> bytes:
    simulation = random_simulation(number, medium_name, operated)
    csc = write(simulation)
    if operated:
        duration_ms = simulation.script.timeout_us // 1000
        csc = operations.operate(
            csc, random.Random(f"operated {number}"), duration_ms, folder / f"{number}.dat"
        )
    return csc


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rules", required=True, choices=RULES, help="the rule set this Cooja follows")
    parser.add_argument("--java", default="java", help="the JVM for a Cooja folder")
    parser.add_argument(
        "--medium",
        default="udgm",
        choices=("udgm", "udgm-constant-loss", "directed-graph", "logistic-loss", "silent"),
    )
    parser.add_argument(
        "--operated", action="store_true", help="a script or the Mobility plugin operates the motes"
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--keep", type=Path, help="keep simulation and both logs of those that differ here")
    parser.add_argument("cooja", type=Path)
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.count)
    embedded = engine("embedded")
    embedded.prepare()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        simulations = {}
        for number in numbers:
            simulations[number] = folder / f"{number}.csc"
            simulations[number].write_bytes(csc_of(number, options.medium, options.operated, folder))
        logs = run_cooja(
            command(options.cooja, options.rules, options.java), list(simulations.values()), folder
        )
        different = []
        for number, theirs in zip(numbers, logs):
            simulation = read(simulations[number])
            log = folder / f"{number}.testlog"
            run_one(
                embedded,
                Job(simulation, simulation.seed, firmware(simulation, folder), log, ruleset=options.rules),
            )
            if log.read_bytes() != theirs:
                different.append(number)
                print(
                    f"{number} ({', '.join(t.description for t in simulation.mote_types)}): "
                    + first_difference(theirs, log.read_bytes())
                )
                if options.keep:
                    kept = options.keep / f"{options.rules}-{number}"
                    kept.mkdir(parents=True, exist_ok=True)
                    (kept / "simulation.csc").write_bytes(simulations[number].read_bytes())
                    if (folder / f"{number}.dat").exists():
                        (kept / f"{number}.dat").write_bytes((folder / f"{number}.dat").read_bytes())
                    (kept / "cooja.testlog").write_bytes(theirs)
                    (kept / "embedded.testlog").write_bytes(log.read_bytes())
    print(
        f"{len(logs) - len(different)} of {len(logs)} logs are the same bytes with {options.medium} under "
        f"{options.rules}"
    )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
