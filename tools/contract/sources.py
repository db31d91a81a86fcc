# SPDX-License-Identifier: Apache-2.0
"""A case run on the embedded engine with the firmware of both sources, the same .csc and seeds."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from orchestrator.applications import descriptor
from orchestrator.build import firmware
from orchestrator.build.cache import Built
from orchestrator.csc.write import write
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.errors import RunFailed
from orchestrator.runs.model import Outcome
from orchestrator.scenario.model import CONTIKI_NG, FirmwareOptions
from tests.placed import simulation
from tools.contract import judge
from tools.contract.cases import LINES, Case
from tools.contract.measure import Measured, measured
from tools.contract.store import Store

_WALL_LIMIT_S = 300.0
_BETWEEN_SAVES = 200  # runs of one source
_FURTHER_ROUNDS = 2


class NotMeasured(Exception):
    """The store lacks runs of this case, and none are to be made."""


@dataclass(frozen=True)
class Compared:
    rows: list[judge.Row]
    apart: list[str]  # what only one source prints


class Sources:
    """The embedded Contiki and the Contiki-NG tree `tree`. Raises what builders raise."""

    def __init__(self, tree: str, workers: int, store: Path) -> None:
        self._builders = {
            source: firmware.builder(options)
            for source, options in (
                ("embedded", FirmwareOptions()),
                ("contiki-ng", FirmwareOptions(source=CONTIKI_NG, tree=tree)),
            )
        }
        self._workers = workers
        self._store = Store(store)
        self._engine = engine("embedded")
        self._engine.prepare()

    def compare(
        self, case: Case, seeds: Sequence[int], scratch: Path, further: int = 0, run: bool = True
    ) -> Compared:
        """Where `seeds` don't tell, as many seeds after them as their spread asks for are judged alone, if
        `further` allows so many; where these don't tell either, once more so.

        `run` False: only what is in the store. Raises NotMeasured if it lacks one of `seeds`, RunFailed for a
        run that doesn't end well.
        """
        sides = self._sides(case, seeds, scratch, run)
        rows, every = judge.rows(case.name, case.shape, *sides), sides
        last = seeds[-1]
        for _ in range(_FURTHER_ROUNDS):
            needed = judge.further_seeds(rows)
            if not 0 < needed <= further:
                break
            try:
                sides = self._sides(case, range(last + 1, last + 1 + needed), scratch, run)
            except NotMeasured:
                break
            last += needed
            rows, every = (
                judge.rows(case.name, case.shape, *sides),
                [seen | more for seen, more in zip(every, sides, strict=True)],
            )
        return Compared(
            rows, judge.one_sided(*every)
        )  # the counter of a rare error is printed in some runs only

    def _sides(self, case: Case, seeds: Iterable[int], scratch: Path, run: bool) -> list[dict[int, Measured]]:
        app = descriptor.load(case.application)
        variant = app.variant(case.cell.application.parameters)
        return [
            self._side(case, source, builder.firmware(app, variant), list(seeds), scratch, run)
            for source, builder in self._builders.items()
        ]

    def _side(
        self, case: Case, source: str, built: Built, seeds: list[int], scratch: Path, run: bool
    ) -> dict[int, Measured]:
        lines = {metric: form.pattern for metric, form in LINES.get(case.application, {}).items()}
        name = re.sub(r"[^a-z0-9]+", "-", f"{case.name} {case.shape} {source}".lower())
        path = self._store.path(
            name,
            write(simulation(case.cell, 1)),
            built.sha256.encode(),
            self._engine.version().encode(),
            repr(lines).encode(),
        )
        runs = self._store.load(path)
        lacking = [seed for seed in seeds if seed not in runs]
        if lacking and not run:
            raise NotMeasured
        with ThreadPoolExecutor(self._workers) as pool:
            for start in range(0, len(lacking), _BETWEEN_SAVES):
                some = lacking[start : start + _BETWEEN_SAVES]
                runs |= zip(
                    some, pool.map(lambda seed: self._run(case, seed, built.path, scratch), some), strict=True
                )
                self._store.keep(path, runs)
        return {seed: runs[seed] for seed in seeds}

    def _run(self, case: Case, seed: int, library: Path, scratch: Path) -> Measured:
        made = simulation(case.cell, seed)
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            log, radio = Path(folder, "log"), Path(folder, "radio")
            radio.mkdir()
            firmware_of = {one.identifier: library for one in made.mote_types}
            result = run_one(
                self._engine, Job(made, seed, firmware_of, log, wall_limit_s=_WALL_LIMIT_S, radio=radio)
            )
            if result.outcome is not Outcome.OK:
                raise RunFailed(
                    f"{case.name} on {case.shape}, seed {seed}, {library}: {result.outcome.value}\n    "
                    + "\n    ".join(result.evidence)
                )
            return measured(log, radio, LINES.get(case.application, {}))
