# SPDX-License-Identifier: Apache-2.0
"""What runs for the calibration of the nightly verdict: a small matrix, unchanged and with each fault.

The applications are copies of the repository's in the folder of the calibration: a fault is one line of such
a copy, or of its scenario. Every run has a seed of its own, so no two nights share one.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

APPLICATIONS = Path(__file__).resolve().parents[2] / "contiki-apps" / "apps"
SEEDS = 6  # of each cell, a night
BASELINE_NIGHTS = 5  # whose runs a baseline pools
STREAM_NIGHTS = 20  # that are compared with one baseline
STREAMS = 50
FAULTY_SEEDS = 1000

CHAIN = """\
experiment: EXPERIMENT
topology: {shape: chain, publishers: 3, spacing: 40 m}
radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: RX}
application: {name: ./aggregation, rate: high, timeout: 400 ms}
duration: 20 s
drain: 5 s
seeds: 1..SEEDS
matrix:
  application.aggregate: [{label: plain, value: false}, {label: merged, value: true}]
"""
MESH = """\
experiment: EXPERIMENT
topology: {shape: chain, publishers: 3, spacing: 40 m}
radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: RX}
application: {name: ./mesh, publishers: P3}
duration: 30 s
drain: 5 s
seeds: 1..SEEDS
"""
RETRIES = "#define CSMA_CONF_MAX_FRAME_RETRIES {}\n\n#endif\n"  # IEEE 802.15.4's default is 3
TIMEOUT = "(uint64_t)configuration.timeout * CLOCK_SECOND / 1000"


@dataclass(frozen=True)
class Case:
    """One firmware and medium: its scenarios by part, and what is wrong with it."""

    name: str
    what: str
    parts: tuple[str, ...]
    chain_rx: str = "85 %"
    mesh_rx: str = "60 %"
    retries: int = 3
    timeout: str = TIMEOUT

    def experiment(self, part: str) -> str:
        return f"{self.name}-{part}"

    def write(self, folder: Path, seeds: int) -> dict[str, Path]:
        """Its applications and scenarios in a folder of its own; the scenarios by part."""
        here = folder / self.name
        shutil.rmtree(here, ignore_errors=True)
        here.mkdir(parents=True)
        for application, source, old, new in (
            ("mesh", "project-conf.h", "#endif\n", RETRIES.format(self.retries)),
            ("aggregation", "publisher.c", TIMEOUT, self.timeout),
        ):
            shutil.copytree(
                APPLICATIONS / application, here / application, ignore=shutil.ignore_patterns("build")
            )
            path = here / application / source
            text = path.read_text(encoding="utf-8")
            if text.count(old) != 1:
                raise ValueError(f"{path} has not exactly one {old!r}")
            path.write_text(text.replace(old, new), encoding="utf-8")
        found = {}
        for part in self.parts:
            text, rx = {"chain": (CHAIN, self.chain_rx), "mesh": (MESH, self.mesh_rx)}[part]
            found[part] = here / f"{part}.yaml"
            found[part].write_text(
                text.replace("EXPERIMENT", self.experiment(part))
                .replace("RX", rx)
                .replace("SEEDS", str(seeds)),
                encoding="utf-8",
            )
        return found


UNCHANGED = Case("unchanged", "nothing", ("chain", "mesh"))
FAULTS = (
    Case("retry", "a retry less: CSMA gives a frame up after 2 retries instead of 3", ("mesh",), retries=2),
    Case(
        "loss",
        "2 % more loss: of a frame at the edge of the range arrive 2 points fewer",
        ("chain", "mesh"),
        chain_rx="83 %",
        mesh_rx="58 %",
    ),
    Case(
        "timeout",
        "a time-out 10 % longer: the merge function keeps an event 440 ms instead of 400 ms",
        ("chain",),
        timeout=TIMEOUT + " * 11 / 10",
    ),
)


def unchanged_seeds() -> int:
    return STREAMS * (BASELINE_NIGHTS + STREAM_NIGHTS) * SEEDS
