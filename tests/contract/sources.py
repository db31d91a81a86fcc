# SPDX-License-Identifier: Apache-2.0
"""A case run on the embedded engine with the firmware of both sources, the same .csc and seeds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from orchestrator.applications import place
from orchestrator.build import firmware
from orchestrator.engines.protocol import engine
from orchestrator.errors import RunFailed
from orchestrator.runs.model import Outcome
from orchestrator.scenario.model import CONTIKI_NG, FirmwareOptions
from tests.contract import judge
from tests.contract.cases import LINES, Case
from tests.contract.measure import Measured, measured

_WALL_LIMIT_S = 300.0


class Sources:
    """The embedded Contiki and the Contiki-NG tree `tree`. Raises what builders raise."""

    def __init__(self, tree: str, workers: int) -> None:
        self._builders = [firmware.builder(options) for options in (FirmwareOptions(), FirmwareOptions(source=CONTIKI_NG, tree=tree))]
        self._workers = workers
        self._engine = engine("embedded")
        self._engine.prepare()

    def compare(self, case: Case, seeds: Iterable[int], scratch: Path) -> tuple[list[judge.Row], list[str]]:
        """Rows, and what only one source prints. Raises RunFailed for a run that doesn't end well."""
        app = place.application(case.application)
        libraries = [one.firmware(app, app.variant(case.cell.application.parameters)).path for one in self._builders]
        seeds = list(seeds)
        with ThreadPoolExecutor(self._workers) as pool:
            sides = [dict(zip(seeds, pool.map(lambda seed, library=library: self._run(case, seed, library, scratch), seeds), strict=True))
                     for library in libraries]
        return judge.rows(case.name, case.shape, *sides), judge.one_sided(*sides)

    def _run(self, case: Case, seed: int, library: Path, scratch: Path) -> Measured:
        made = place.simulation(case.cell, seed)
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            log, radio = Path(folder, "log"), Path(folder, "radio")
            radio.mkdir()
            firmware_of = {one.identifier: library for one in made.mote_types}
            result = self._engine.run(made, seed, firmware_of, log, wall_limit_s=_WALL_LIMIT_S, radio=radio)
            if result.outcome is not Outcome.OK:
                raise RunFailed(f"{case.name} on {case.shape}, seed {seed}, {library}: {result.outcome.value}\n    " + "\n    ".join(result.evidence))
            return measured(log, radio, LINES.get(case.application, {}))
