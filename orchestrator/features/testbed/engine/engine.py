# SPDX-License-Identifier: Apache-2.0
"""The engine `testbed` runs a deployment on motes behind gateways.

One run at a time has the lab. What simulators write into a log, motes print over their serial lines; gateways
log it, and their clocks are aligned. A run whose controller disappears goes on, and the next call of the same
scenario takes it over.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrate_testbed.errors import LabError
from orchestrate_testbed.model import Lab
from orchestrate_testbed.ssh import Network

from orchestrator.errors import NoSuchThing, OrchestrateError, Unsupported, WrongUsage
from orchestrator.features.testbed import twin
from orchestrator.features.testbed.engine.casting import Bed
from orchestrator.features.testbed.engine.run import TestbedRun
from orchestrator.features.testbed.gateways import AtGateway
from orchestrator.features.testbed.inventory import load
from orchestrator.features.testbed.reservation import mine, of_a_run, release
from orchestrator.runs.model import Outcome, RunResult
from orchestrator.words import did_you_mean

if TYPE_CHECKING:
    from orchestrator.engines.model import Job
    from orchestrator.engines.protocol import Done
    from orchestrator.scenario.model import EngineOptions

ALL = "all"


class TestbedEngine:
    """A testbed as an engine. Threads that call `run` take turns."""

    name = "testbed"
    __test__ = False  # the name begins as those that pytest collects

    def __init__(self, inventory: Path, layout: str | None = None) -> None:
        """Read the inventory. Raises FaultyInput, NoSuchThing."""
        self.lab: Lab = load(inventory)
        self.layout = layout or ALL
        names = [layout.name for layout in self.lab.layouts]
        if self.layout not in names:
            raise NoSuchThing(
                f"the lab {self.lab.name} has no layout {self.layout!r}; {did_you_mean(self.layout, names)}"
            )
        self._text = inventory.read_bytes()
        self._turn = threading.Lock()
        self._stopped = threading.Event()

    def version(self) -> str:
        """Return the lab, the layout and a hash of the inventory: another lab gives another run."""
        return f"{self.lab.name}/{self.layout}/{hashlib.sha256(self._text).hexdigest()[:16]}"

    @property
    def targets(self) -> tuple[str, ...]:
        """The platforms of Contiki for which its motes need firmware: those of the layout and of spares.

        A virtual mote runs what a simulator does.
        """
        inside = {spot.mote for spot in self.lab.layout(self.layout).spots}
        motes = [mote for mote in self.lab.motes if mote.spare or mote.name in inside]
        return tuple(sorted({mote.platform for mote in motes} - twin.SIMULATED))

    def described(self) -> dict[str, str]:
        """Return nothing: a run's manifest has its own record of the testbed (runs.model.OnTestbed)."""
        return {}

    def rules(self, written: str | None) -> str:
        """Return what a manifest has in place of a simulator's rules.

        Raises Unsupported if the user wants some.
        """
        if written is not None:
            raise Unsupported("a testbed follows no rules of a simulator\n    leave out `rules`")
        return "real radios and clocks"

    def prepare(self, say: Callable[[str], None] = lambda _: None) -> None:
        """Do nothing, because gateways are asked when a run begins."""

    def stop(self) -> None:
        """See protocol.Engine; what was logged so far is collected."""
        self._stopped.set()

    def run(self, jobs: Iterable[Job], done: Done) -> None:
        """See protocol.Engine; the jobs run one after the other.

        A run's logs go from the gateways when `done` has its result.
        """
        with self._turn, Network(self.lab.known_hosts) as network:
            places = {gateway.name: AtGateway(gateway, network) for gateway in self.lab.gateways}
            bed = Bed(self.lab, self.layout, network, places)
            own = {name for name, reservation in mine(self.lab, network).items() if not of_a_run(reservation)}
            try:
                for job in jobs:
                    with tempfile.TemporaryDirectory(prefix="orchestrate-testbed-") as folder:
                        self._run(job, done, bed, Path(folder))
            finally:
                for place in places.values():
                    try:
                        place.end()
                    except LabError:
                        pass
                held = {
                    name: reservation
                    for name, reservation in mine(self.lab, network).items()
                    if name not in own
                }
                release(self.lab, network, held)

    def _run(self, job: Job, done: Done, bed: Bed, folder: Path) -> None:
        begun = time.monotonic()
        run = None
        try:
            run = TestbedRun(bed, self.version(), job, folder, self._stopped.wait, self._stopped.is_set)
            result = run.result(begun)
        except (LabError, OrchestrateError) as error:
            evidence = tuple(str(error).splitlines())
            result = RunResult(Outcome.TESTBED, 0, time.monotonic() - begun, 0, 0, evidence)
        done(job, result)
        if run is not None:
            run.remove()


def engine(options: EngineOptions | None) -> TestbedEngine:
    """Return the engine of a lab. Raises WrongUsage if no inventory is named, and what reading it raises."""
    if options is None or options.inventory is None:
        raise WrongUsage("the engine testbed needs a lab: --inventory LAB.yaml")
    return _engine(options.inventory, options.layout)


@cache
def _engine(inventory: str, layout: str | None) -> TestbedEngine:
    return TestbedEngine(Path(inventory), layout)
