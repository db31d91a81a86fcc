# SPDX-License-Identifier: Apache-2.0
"""The recordings of what real Contiki-NG 5.0 did with the firmware recorded-*.c: the cases, their
simulations and the places of their logs.

`record.py` records them, `test_recorded.py` holds the embedded Contiki to them. A firmware or a case is never
changed once its log is in use without recording it anew on a tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.runs.model import Outcome
from orchestrator.scenario.model import EngineOptions

FOLDER = Path(__file__).resolve().parent / "recorded"
# Not -O2: with it, the embedded Contiki is optimised when it is linked, and the linker then finds no call of
# random_rand() that it could replace. The log is the same with any.
FLAGS = "-Og"
APART_M = 10.0


@dataclass(frozen=True)
class Case:
    """`timed`: what is printed when is the same, too. Contiki-NG goes on with events in a later tick when
    there are many, and its log has room for 1,023 bytes a tick."""

    name: str
    motes: int
    seconds: int
    timed: bool = True

    @property
    def project(self) -> str:
        return f"recorded-{self.name}"

    @property
    def log(self) -> Path:
        return FOLDER / f"{self.name}.testlog"

    def simulation(self) -> Simulation:
        kind = MoteType(self.project, self.project, f"{self.project}.c", "", STANDARD_INTERFACES)
        motes = tuple(
            Mote(self.project, number, APART_M * number, 0.0) for number in range(1, self.motes + 1)
        )
        return Simulation(
            self.project, 1, 50_000, Udgm(), (kind,), motes, EndScript(1_000_000 * self.seconds)
        )

    def run(
        self, library: Path, log: Path, name: str = "embedded", options: EngineOptions | None = None
    ) -> bytes:
        """The log of this firmware in that engine."""
        result = run_one(engine(name, options), Job(self.simulation(), 1, {self.project: library}, log))
        assert result.outcome is Outcome.OK, result.evidence
        return log.read_bytes()

    def comparable(self, log: bytes) -> list[bytes]:
        lines = log.splitlines()
        return (
            lines
            if self.timed
            else [line.partition(b"\t")[2] if b"\tID:" in line else line for line in lines]
        )


CASES = (
    Case("timers", 1, 8),
    Case("processes", 1, 2, timed=False),
    Case("framer", 1, 2, timed=False),
    Case("log", 1, 1, timed=False),
    Case("devices", 1, 1, timed=False),
    Case("receive", 2, 25),
    Case("send", 4, 60),
)
