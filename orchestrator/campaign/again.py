# SPDX-License-Identifier: Apache-2.0
"""A stored run made again from its own folder, to look into it: same .csc, firmware and seed, so the same
bytes.

What is recorded on the way (of radios: kernel/observation/observer.h) is of the stored run only if the log
is the same, so that is checked. It is kept in the run's folder, as RUN_ID/radio, and goes when the run goes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrator.campaign import rebuild
from orchestrator.csc.model import Simulation
from orchestrator.csc.read import read
from orchestrator.durable import sha256
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import Engine, engine, run_one
from orchestrator.errors import NoSuchThing, RunFailed, StorageFailed
from orchestrator.runs.manifest import CSC_FILE, LOG_FILE, Manifest
from orchestrator.runs.model import VERDICTS, Outcome

RADIO = "radio"
FRAMES, EVENTS, STATES = "radio.pcap", "events.csv", "states.csv"
CUT_STATES = "states-cut.csv"  # in place of STATES: of a run that stopped before its end, up to there
_WALL_LIMIT_S = 600.0


def record(folder: Path, manifest: Manifest, say: Callable[[str], None] = lambda _: None) -> Path:
    """The folder with the record of the radios of the run in `folder`; made by simulating the run again if it
    isn't there.

    The embedded engine makes it, also of a run of another engine. Raises RunFailed (another log than the
    stored one), and what builds raise.
    """
    kept = folder / RADIO
    if (kept / FRAMES).is_file():
        return kept
    if manifest.outcome not in {Outcome.OK, Outcome.CRASH, *VERDICTS}:
        raise RunFailed(
            f"run {manifest.run_id[:12]} ended with: {manifest.outcome.value}; what its radios did can't be "
            "told\n"
            "    run the scenario again"
        )
    chosen = engine("embedded")
    simulation = simulation_of(folder)
    firmware = rebuild.libraries(manifest, folder.parent.parent, simulation, say=say)
    say(f"simulating {manifest.cell} seed {manifest.seed} again, with a record of its radios")
    chosen.prepare()
    with _work(folder) as work:
        (work / RADIO).mkdir()
        result = run_one(
            chosen,
            Job(
                simulation,
                manifest.seed,
                firmware,
                work / LOG_FILE,
                manifest.engine.rules,
                _WALL_LIMIT_S,
                work / RADIO,
            ),
        )
        if result.outcome is not manifest.outcome or sha256(work / LOG_FILE) != manifest.log_sha256:
            raise RunFailed(
                "\n    ".join(
                    [
                        f"run {manifest.run_id[:12]} made again is not the same run: "
                        f"{result.outcome.value}, and another log",
                        *result.evidence,
                        *differences(manifest, firmware, chosen),
                        "run its scenario again, and look into that run",
                    ]
                )
            )
        try:
            os.rename(work / RADIO, kept)
        except OSError:
            if not (kept / FRAMES).is_file():  # else another process was faster
                raise
    return kept


def simulation_of(folder: Path) -> Simulation:
    """The simulation of a stored run."""
    csc = folder / CSC_FILE
    if not csc.is_file():
        raise NoSuchThing(f"no {csc}\n    a run is made again from its .csc; name a run of a store")
    return read(csc)


def differences(manifest: Manifest, firmware: dict[str, Path], chosen: Engine) -> list[str]:
    """What is not as it was when the run was made."""
    found = [
        f"firmware {name} is another than the run's"
        for name, path in sorted(firmware.items())
        if sha256(path) != manifest.firmware.get(name)
    ]
    if chosen.name == manifest.engine.name and chosen.version() != manifest.engine.version:
        found.append("the engine is another version than the run's")
    return found


@contextmanager
def _work(folder: Path):
    """A folder on the store's file system that is gone afterwards; after a kill, the experiment's next sweep
    removes it.
    """
    try:
        with TemporaryDirectory(
            prefix=f".tmp-{os.getpid()}-", dir=folder.parent.parent, ignore_cleanup_errors=True
        ) as work:
            yield Path(work)
    except (OSError, shutil.Error) as error:
        raise StorageFailed(
            f"{folder} can't be written: {error.strerror or error}\n    free space, or copy the run to "
            "where you may write"
        ) from error
