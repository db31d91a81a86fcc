# SPDX-License-Identifier: Apache-2.0
"""Makes a stored run again from its own folder: the same .csc, firmware and seed give the same bytes.

Everything that looks into a stored run goes through here: the record of its radios, its trace, the debugger,
Cooja's window, and firmware compiled with further flags (a sanitizer's, say). A record of the radios is valid
for the stored run only if the new log has the same bytes, which is checked. What is recorded is kept in the
run's folder and removed with it: the record of the radios (kernel/observation/observer.h) as RUN_ID/radio, a
traced run as RUN_ID/trace/TRACED_RUN_ID, which is a run folder itself.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrator import __version__
from orchestrator.applications import descriptor, place
from orchestrator.csc.model import Simulation
from orchestrator.csc.read import read
from orchestrator.csc.write import write
from orchestrator.durable import settle, sha256
from orchestrator.durable import write as write_whole
from orchestrator.engines.deployment import Deployment
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import Engine, engine, run_one
from orchestrator.errors import NoSuchThing, RunFailed, Unsupported, writing
from orchestrator.execution import rebuild
from orchestrator.execution.execute import WALL_LIMIT_S
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.identity import trend_id
from orchestrator.runs.manifest import AIR_FILE, CSC_FILE, FILE, LOG_FILE, Manifest, outcome
from orchestrator.runs.model import VERDICTS, Outcome, RunResult
from orchestrator.runs.spec import EngineUsed
from orchestrator.runs.store import host
from orchestrator.scenario.model import Cell, SimulationCell
from orchestrator.vocabulary import mote_images

RADIO, TRACE = "radio", "trace"
FRAMES, EVENTS, STATES = "radio.pcap", "events.csv", "states.csv"
PROCESSORS = "cpu.csv"  # of emulated motes
CUT_STATES = "states-cut.csv"  # in place of STATES if the run stopped before its end


@dataclass(frozen=True)
class Again:
    """A stored run, ready to be made again; `firmware`: the shared object of each mote type."""

    folder: Path
    manifest: Manifest
    simulation: Simulation | Deployment
    firmware: dict[str, Path]

    def differences(self, chosen: Engine) -> list[str]:
        """Say in which respects firmware and engine are not those that the run was made with."""
        found = [
            f"firmware {name} differs from the run's"
            for name, path in sorted(self.firmware.items())
            if sha256(path) != self.manifest.firmware.get(name)
        ]
        used = self.manifest.engine
        if chosen.name == used.name and chosen.version() != used.version:
            found.append("the engine's version differs from the run's")
        return found

    def make(
        self,
        work: Path,
        simulation: Simulation | Deployment,
        radio: Path | None = None,
        chosen: Engine | None = None,
        air: Path | None = None,
    ) -> RunResult:
        """Run it, by default in the embedded engine, whichever made it; the log is written to `work`."""
        rules = self.manifest.engine.rules
        log = work / LOG_FILE
        chosen = chosen or engine("embedded")
        chosen.prepare()
        return run_one(
            chosen, Job(simulation, self.manifest.seed, self.firmware, log, rules, WALL_LIMIT_S, radio, air)
        )


def again(
    folder: Path, manifest: Manifest, *, cflags: str = "", say: Callable[[str], None] = lambda _: None
) -> Again:
    """Prepare the run in `folder` to be made again: read its .csc and build its firmware.

    `cflags`: further flags of the compiler. Raises NoSuchThing if its .csc is missing, and what builds raise.
    """
    csc = folder / CSC_FILE
    if not csc.is_file():
        raise NoSuchThing(f"no {csc}\n    a run is made again from its .csc; name a run of a store")
    simulation = read(csc)
    cflags = f"{manifest.built.flags} {cflags}".strip()
    firmware = rebuild.libraries(manifest, experiment_of(folder), simulation, cflags=cflags, say=say)
    return Again(folder, manifest, simulation, firmware)


def experiment_of(folder: Path) -> Path:
    """Return the folder of the experiment that a run folder belongs to."""
    return folder.parents[3] if folder.parent.name == TRACE else folder.parent.parent


def record(folder: Path, manifest: Manifest, say: Callable[[str], None] = lambda _: None) -> Path:
    """Return the folder with the record of a run's radios; simulate the run again if there is none yet.

    Raises RunFailed if the new log differs from the stored one, and what `again` raises.
    """
    kept = folder / RADIO
    if not (kept / FRAMES).is_file():
        _repeat(folder, manifest, say, kept)
    return kept


def air(folder: Path, manifest: Manifest, say: Callable[[str], None] = lambda _: None) -> Path:
    """Return a run's record of what was on the air; simulate the run again if there is none yet.

    The embedded engine does, whichever made the run. Raises what `record` raises.
    """
    kept = folder / AIR_FILE
    if not kept.is_file():
        _repeat(folder, manifest, say, kept)
    return kept


def _repeat(folder: Path, manifest: Manifest, say: Callable[[str], None], kept: Path) -> None:
    """Make a run again, and keep its record as `kept`: of the radios, or of the air."""
    if manifest.outcome not in {Outcome.OK, Outcome.CRASH, *VERDICTS}:
        raise RunFailed(
            f"run {manifest.run_id[:12]} ended with: {manifest.outcome.value}; what its radios did can't be "
            "told\n"
            "    run the scenario again"
        )
    _refuse_more_than_a_simulation(folder, manifest)
    run = again(folder, manifest, say=say)
    say(f"simulating {manifest.cell} seed {manifest.seed} again, with a record of its radios")
    with _work(folder) as work:
        record = work / kept.name
        if kept.name == RADIO:
            record.mkdir()
            result = run.make(work, run.simulation, record)
        else:
            result = run.make(work, run.simulation, air=record)
        if result.outcome is not manifest.outcome or sha256(work / LOG_FILE) != manifest.log_sha256:
            raise RunFailed(
                "\n    ".join(
                    [
                        f"run {manifest.run_id[:12]} made again is not the same run: "
                        f"{result.outcome.value}, and another log",
                        *result.evidence,
                        *run.differences(engine("embedded")),
                        "run its scenario again, and look into that run",
                    ]
                )
            )
        settle(record, kept)


def trace(folder: Path, manifest: Manifest, say: Callable[[str], None] = lambda _: None) -> Path:
    """Make a run again with its trace on, and return the traced run's folder.

    Its motes read the same EEPROM images but for the trace. Raises RunFailed, and what `again` raises.
    """
    refuse_foreign(manifest)
    _refuse_more_than_a_simulation(folder, manifest)
    run = again(folder, manifest, say=say)
    traced, simulation = _traced(run)
    say(f"simulating {manifest.cell} seed {manifest.seed} again, with the trace on")
    started = datetime.now(UTC)
    with _work(folder) as above:
        work = above / TRACE
        work.mkdir()
        result = run.make(work, simulation)
        if result.outcome is not Outcome.OK:
            raise RunFailed(
                "\n    ".join([f"the traced run ended with: {result.outcome.value}", *result.evidence])
            )
        csc, chosen = write(simulation), engine("embedded")
        made = replace(
            traced,
            firmware={name: sha256(path) for name, path in sorted(run.firmware.items())},
            engine=EngineUsed(chosen.name, chosen.version(), manifest.engine.rules),
            **outcome(
                result,
                csc_sha256=hashlib.sha256(csc).hexdigest(),
                log_sha256=sha256(work / LOG_FILE),
                host=host(),
                started=started,
                finished=datetime.now(UTC),
                version=__version__,
            ),
        )
        made = replace(made, run_id=made.expected_run_id())
        write_whole(work / CSC_FILE, csc)
        write_whole(work / FILE, made.to_json().encode("ascii"))
        kept = folder / TRACE / made.run_id
        kept.parent.mkdir(exist_ok=True)
        settle(work, kept)
    return kept


def refuse_foreign(manifest: Manifest) -> None:
    """Raise Unsupported for a run whose firmware prints no trace, whatever its scenario says."""
    if isinstance(manifest.resolved, SimulationCell):
        raise Unsupported(
            f"run {manifest.run_id[:12]}: a trace is printed by firmware of orchestrate's applications, and "
            "this firmware is none of them\n"
            f"    `orchestrate pcap {manifest.run_id[:12]}` writes its frames"
        )


def _refuse_more_than_a_simulation(folder: Path, manifest: Manifest) -> None:
    """Raise Unsupported for a run that is more than its .csc: on a testbed, or with gateways."""
    if manifest.engine.name == "testbed":
        raise Unsupported(
            "it ran on a testbed: nobody recorded its radios, and it can't be made again\n"
            "    run its scenario with `trace: true`, on the testbed or in a simulation"
        )
    if isinstance(manifest.resolved, SimulationCell):
        return
    name = manifest.resolved.application.name
    remedy = "run the scenario file with `trace: true` and look into that run"
    if descriptor.load(application_folder(experiment_of(folder), name, remedy) or name).gateways:
        raise Unsupported(
            f"its gateways were simulated beside its motes, and a .csc has motes alone\n    {remedy}"
        )


def _traced(run: Again) -> tuple[Manifest, Simulation]:
    """Return the traced run's manifest (its parameters and trend id are set) and simulation.

    The simulation is the stored one with other EEPROM images; the paths of sources are relative to the traced
    run's folder.
    """
    manifest = run.manifest
    found = manifest.usable(
        application_folder(
            experiment_of(run.folder),
            manifest.resolved.application.name,
            "run the scenario file with `trace: true` (`orchestrate run`) and trace that run",
        ),
    )
    try:
        images = _images(found, manifest.seed)
        traced = _images(replace(found, trace=True), manifest.seed)
    # Nobody has checked the values in a stored manifest as those of a scenario are checked.
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise manifest.unusable() from error
    if not _has(run.simulation, images):
        raise RunFailed(
            f"the application {found.application.name} is described otherwise than when run "
            f"{manifest.run_id[:12]} was made\n    run its scenario again, and look into that run"
        )
    parameters = {**manifest.parameters, "trace": True}
    return (
        replace(manifest, parameters=parameters, trend_id=trend_id(parameters, manifest.seed)),
        _seen_from_traced(_with_images(run.simulation, traced)),
    )


def _has(simulation: Simulation, images: Mapping[int, bytes | None]) -> bool:
    """Return whether its motes have these images: Cooja motes as EEPROMs, Tmote Skys in their firmware."""
    if not simulation.emulated:
        return images == {mote.id: mote.eeprom for mote in simulation.motes}
    held = (mote_images.taken_out(one.commands)[1] for one in simulation.mote_types)
    return all(mote_images.table(one) == mote_images.table(_bytes(images)) for one in held)


def _with_images(simulation: Simulation, images: Mapping[int, bytes | None]) -> Simulation:
    """Return the simulation with other images of its motes."""
    if not simulation.emulated:
        motes = tuple(replace(mote, eeprom=images[mote.id]) for mote in simulation.motes)
        return replace(simulation, motes=motes)
    types = tuple(
        one._replace(commands=mote_images.with_table(mote_images.taken_out(one.commands)[0], _bytes(images)))
        for one in simulation.mote_types
    )
    return replace(simulation, mote_types=types)


def _bytes(images: Mapping[int, bytes | None]) -> dict[int, bytes]:
    return {mote: image or b"" for mote, image in images.items()}


def _seen_from_traced(simulation: Simulation) -> Simulation:
    types = tuple(one._replace(source=from_traced(one.source)) for one in simulation.mote_types)
    return replace(simulation, mote_types=types)


def from_traced(source: str) -> str:
    """Name a run's firmware source as seen from the folder of its traced repetition."""
    return source.replace("[CONFIG_DIR]/", "[CONFIG_DIR]/../../", 1)


def _images(found: Cell, seed: int) -> dict[int, bytes | None]:
    """Return the EEPROM image of each mote of a cell."""
    placed = place.place(found)
    images = zip(placed.acting.nodes, placed.images(seed), strict=True)
    return {node.mote: image or None for node, image in images}


def application_folder(experiment: Path, name: str, remedy: str) -> str:
    """Return the folder of the user's own application, as the run list notes it; "" for one of ours.

    Raises NoSuchThing, which ends with the remedy.
    """
    noted = run_lists.readable(experiment).applications.get(name)
    if noted is None:
        if name in descriptor.names():
            return ""
        raise NoSuchThing(
            f"the application {name!r} is none of ours, and where it was is not in {experiment}\n    {remedy}"
        )
    if not descriptor.file(noted).is_file():
        raise NoSuchThing(
            f"the application {name} is no longer in {noted}\n    put it back there, or {remedy}"
        )
    return noted


@contextmanager
def _work(folder: Path) -> Iterator[Path]:
    """Provide a temporary folder on the store's file system.

    If this process is killed, the next sweep of the experiment removes the folder.
    """
    with (
        writing(folder, "free space, or copy the run to where you may write"),
        TemporaryDirectory(
            prefix=f".tmp-{os.getpid()}-", dir=experiment_of(folder), ignore_cleanup_errors=True
        ) as work,
    ):
        yield Path(work)
