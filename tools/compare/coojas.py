# SPDX-License-Identifier: Apache-2.0
"""The real Coojas at hand, each with the rule set it follows, and runs of .csc files as they are in them."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from orchestrator.engines.cooja import classes, find, java
from orchestrator.engines.cooja.command import HEAP, command, start
from orchestrator.engines.protocol import Engine, engine
from orchestrator.errors import MissingTool, WrongUsage
from orchestrator.scenario.model import EngineOptions
from orchestrator.vocabulary.simulators import RULES

LOG_FILE = "COOJA.testlog"
_TRIES, _ALONE = (
    10,
    5,
)  # to load a directed graph (tests/golden/README.md says why); the last ones in a warm JVM
_LIMIT_S = 600


@dataclass(frozen=True)
class Cooja:
    """`path` as the user names it; `rules` that it follows."""

    path: str
    rules: str

    @property
    def engine(self) -> Engine:
        return engine("cooja", EngineOptions(path=self.path))

    @cached_property
    def _found(self) -> tuple[find.Place, str, classes.Classes | None]:
        place = find.find(self.path)
        said = None if place.jar is None else classes.read(place.jar)
        return place, "" if said is None else str(java.find(said).executable), said

    @property
    def start(self) -> list[str]:
        """The command line up to Cooja's own arguments."""
        place, executable, said = self._found
        return start(place, executable, said, HEAP)

    def run_file(self, file: Path, folder: Path) -> tuple[bytes, float | None]:
        """The log of a .csc as it is, its own build commands included, and the seconds of a process with it
        alone.

        None for the seconds if it took more than one load in a process.
        Raises MissingTool with what Cooja said if there is no whole log in the end.
        """
        place, executable, said = self._found
        log = folder / LOG_FILE
        log.unlink(missing_ok=True)
        for attempt in range(_TRIES):
            loads = max(1, 2 + attempt - _ALONE)
            call = command(place, executable, said, HEAP, [f"{file},logdir={folder}"] * loads)
            started = time.monotonic()
            done = subprocess.run(
                call, cwd=folder, capture_output=True, text=True, timeout=_LIMIT_S, check=False
            )
            took = time.monotonic() - started
            if log.exists() and b"\nTest ended at simulation time: " in log.read_bytes():
                return log.read_bytes(), took if loads == 1 else None
        raise MissingTool(f"{place} doesn't run {file}:\n{done.stdout[-1500:]}{done.stderr[-1500:]}")


def cooja(text: str) -> Cooja:
    """From `[RULES=]PATH`; without RULES they are read from the Cooja's classes. Raises WrongUsage,
    MissingTool.
    """
    rules, equals, path = text.partition("=")
    if not (equals and rules in RULES):
        rules, path = "", text
    rules = engine("cooja", EngineOptions(path=path)).rules(rules or None)
    if rules not in RULES:
        raise WrongUsage(
            f"{path}: the rule set of this Cooja isn't known; name it: "
            f"{' or '.join(f'{r}={path}' for r in RULES)}"
        )
    return Cooja(path, rules)
