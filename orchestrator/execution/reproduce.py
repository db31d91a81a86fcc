# SPDX-License-Identifier: Apache-2.0
"""Makes stored runs again from their manifests alone, and compares them byte for byte with the stored files.

The .csc is written again from the manifest's cell, firmware is compiled again outside of the build cache, and
the engine runs again. Firmware is made of the sources that the store keeps (STORE/firmware/KEY), or of the
present ones if it has lost them. Nothing is written to the store.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from orchestrator.applications import place
from orchestrator.build import cache, firmware, stage
from orchestrator.csc import deployed
from orchestrator.csc.read import read
from orchestrator.csc.write import write
from orchestrator.durable import sha256
from orchestrator.engines.deployment import Deployment
from orchestrator.engines.protocol import Engine, engine
from orchestrator.errors import NoSuchThing, OrchestrateError, RunFailed, StorageFailed
from orchestrator.execution import again, rebuild
from orchestrator.execution import origin as origins
from orchestrator.execution.execute import cores
from orchestrator.execution.once import Once
from orchestrator.execution.origin import HALF_KEPT, KEPT, PRESENT, Origin
from orchestrator.execution.workers import Workers
from orchestrator.runs.manifest import CSC_FILE, LOG_FILE, Manifest
from orchestrator.runs.model import UNDECIDED
from orchestrator.runs.store import Store
from orchestrator.scenario.model import EngineOptions, SimulationCell
from orchestrator.vocabulary.simulators import RULES

SAME, DIFFERS, NOT_MADE = "same", "differs", "not made"
OTHER = "other version"  # of an engine, or another engine: the log decides whether that matters
CSC, ENGINE, LOG, OUTCOME = CSC_FILE, "engine", LOG_FILE, "outcome"
_NO_CSC = RunFailed("the .csc could not be written, so it is not known what to build and run")
_NO_FIRMWARE = RunFailed("there is no firmware to run")
_NO_ENGINE = RunFailed("there is no engine to run it")
_OF_THE_SAME = "built of the same sources; the compiler, its headers or how this version calls it are others"
_FIRMWARE_WHY = {KEPT: _OF_THE_SAME, HALF_KEPT: _OF_THE_SAME, PRESENT: "built of the present sources"}
_LINE = 100  # characters that are shown of a line


@dataclass(frozen=True)
class Part:
    """One thing that was made again; `then` and `now`: digests or words; `error`: why it was not made."""

    name: str
    then: str
    now: str
    verdict: str
    why: str = ""
    error: OrchestrateError | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Reproduced:
    """The result for one run. `sources`: KEPT, HALF_KEPT, PRESENT, or "" if there are none.

    `changed`: the files that are otherwise today; None if either of the two is not there. `damage`: what of
    the stored run is not what its manifest says.
    """

    folder: Path
    manifest: Manifest
    parts: tuple[Part, ...]
    sources: str
    changed: tuple[str, ...] | None
    damage: tuple[str, ...] = ()

    @cached_property
    def same(self) -> bool:
        """Whether everything that decides was made and is the same, and what is stored is undamaged."""
        return not self.damage and all(part.verdict in (SAME, OTHER) for part in self.parts)

    def codes(self, deciding: Collection[str] | None = None) -> list[int]:
        """Return the exit codes of differing parts, among these parts or all."""
        return [StorageFailed.exit_code] * bool(self.damage) + [
            1 if part.verdict == DIFFERS else (part.error or RunFailed("")).exit_code
            for part in self.parts
            if part.verdict in (DIFFERS, NOT_MADE) and (deciding is None or part.name in deciding)
        ]


def reproduce(
    runs: Sequence[tuple[Path, Manifest]],
    *,
    engine_name: str | None = None,
    options: EngineOptions | None = None,
    workers: int | None = None,
    show: Callable[[int, int], None] = lambda done, total: None,
    say: Callable[[str], None] = lambda _: None,
) -> list[Reproduced]:
    """Make runs (folder and manifest) again; `engine_name`: on this engine instead of the one of each run.

    What cannot be made is part of the result; only an interruption is raised.
    """
    with TemporaryDirectory(prefix="orchestrate-reproduce-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        maker = _Maker(home, engine_name, options, say)
        waiting = deque(enumerate(runs))
        made: dict[int, Reproduced] = {}
        failed: list[BaseException] = []

        def work() -> None:
            while not failed:
                try:
                    number, (where, manifest) = waiting.popleft()
                except IndexError:
                    return
                try:
                    made[number] = maker.run(number, where, manifest)
                except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
                    failed.append(error)

        def stop() -> None:
            waiting.clear()
            maker.stop()

        def show_made() -> None:
            show(len(made), len(runs))

        with cache.anew("firmware", home / "firmware"), cache.anew("foreign", home / "foreign"):
            Workers().run(min(workers or cores(), len(runs)), work, show_made, stop)
        show_made()
        if failed:
            raise failed[0]
        return [made[number] for number in range(len(runs))]


class _Maker:
    """The shared state of one call's runs: engines, and firmware that several of them use."""

    def __init__(
        self,
        home: Path,
        engine_name: str | None,
        options: EngineOptions | None,
        say: Callable[[str], None],
    ):
        self._home, self._engine_name, self._options, self._say = home, engine_name, options, say
        self._once = Once()
        self._engines: list[Engine] = []

    def stop(self) -> None:
        """End the simulations under way."""
        for one in tuple(self._engines):
            one.stop()

    def run(self, number: int, folder: Path, manifest: Manifest) -> Reproduced:
        """Make one run again."""
        if isinstance(manifest.resolved, SimulationCell):
            return self._simulation(number, folder, manifest)
        experiment = again.experiment_of(folder)
        parts: list[Part] = []
        origin, deployment = None, None
        try:
            origin = origins.origin(folder, manifest, self._once)
            placed, deployment, text = _described(folder, manifest, origin)
            digest = hashlib.sha256(text).hexdigest()
            why = partial(_csc_why, folder, manifest, text, origin.used)
            parts.append(_compared(CSC, manifest.csc_sha256, digest, why))
        except OrchestrateError as error:
            parts.append(_not_made(CSC, manifest.csc_sha256, error))
        made: dict[str, Path] = {}
        if deployment is not None:
            made = self._firmware(experiment, manifest, placed, origin, parts)
        else:
            parts += [
                _not_made(f"firmware {name}", then, _NO_CSC) for name, then in manifest.firmware.items()
            ]
        chosen = self._engine(manifest, parts)
        if deployment is not None and made and chosen is not None:
            parts += self._log(number, again.Again(folder, manifest, deployment, made), chosen)
        else:
            lacking = _NO_CSC if deployment is None else _NO_FIRMWARE if not made else _NO_ENGINE
            parts += _not_run(manifest, lacking)
        return Reproduced(
            folder,
            manifest,
            tuple(parts),
            "" if origin is None else origin.used,
            None if origin is None else origin.changed,
            tuple(_damage(folder, experiment, manifest)),
        )

    def _simulation(self, number: int, folder: Path, manifest: Manifest) -> Reproduced:
        """Make a run of a whole simulation again: of the stored .csc, with its firmware built anew."""
        experiment = again.experiment_of(folder)
        parts: list[Part] = []
        simulation, made = None, {}
        try:
            simulation = read(folder / CSC)
            why = "the stored file was changed since; its manifest has another digest"
            parts.append(_compared(CSC, manifest.csc_sha256, sha256(folder / CSC), lambda: why))
        except OrchestrateError as error:
            parts.append(_not_made(CSC, manifest.csc_sha256, error))
        except OSError as error:
            lost = NoSuchThing(f"{folder / CSC}: {error.strerror}")
            parts.append(_not_made(CSC, manifest.csc_sha256, lost))
        error = _NO_CSC
        if simulation is not None:
            of = (simulation.mote_types, manifest.built, experiment)
            try:
                made = self._once(
                    ("libraries", *of),
                    lambda: rebuild.libraries(
                        manifest, experiment, simulation, cflags=manifest.built.flags, say=self._say
                    ),
                )
            except OrchestrateError as failed:
                error = failed
        for name, then in manifest.firmware.items():
            if name in made:
                parts.append(
                    _compared(f"firmware {name}", then, sha256(made[name]), lambda: _FIRMWARE_WHY[PRESENT])
                )
            else:
                parts.append(_not_made(f"firmware {name}", then, error))
        chosen = self._engine(manifest, parts)
        if made and chosen is not None:
            parts += self._log(number, again.Again(folder, manifest, simulation, made), chosen)
        else:
            parts += _not_run(manifest, error if not made else _NO_ENGINE)
        damage = tuple(_damage(folder, experiment, manifest))
        return Reproduced(folder, manifest, tuple(parts), PRESENT if made else "", None, damage)

    def _firmware(
        self,
        experiment: Path,
        manifest: Manifest,
        placed: place.PlacedCell,
        origin: Origin,
        parts: list[Part],
    ) -> dict[str, Path]:
        """Build the firmware of a run; the outcome goes to `parts`."""
        flags, variant = manifest.built.flags, placed.variant
        identifier = placed.application.identifier

        def build() -> cache.Built:
            options = rebuild.options(manifest, experiment)
            builder = firmware.builder(options, say=self._say)
            # A copy in the store has the C of the run's policies; today's folder has none.
            application = placed.application if origin.used == PRESENT else origin.folder
            return builder.firmware(application, variant, cflags=flags)

        of = (origin.key, origin.folder, tuple(sorted(variant.items())), manifest.built, experiment)
        made: dict[str, Path] = {}
        for name, then in manifest.firmware.items():
            if name != identifier:
                error = NoSuchThing(f"the application has no mote type {name}, only {identifier}")
                parts.append(_not_made(f"firmware {name}", then, error))
                continue
            try:
                built = self._once(("firmware", *of), build)
                made[name] = built.path
                why = _FIRMWARE_WHY[origin.used]
                parts.append(_compared(f"firmware {name}", then, built.sha256, lambda why=why: why))
            except OrchestrateError as error:
                parts.append(_not_made(f"firmware {name}", then, error))
        return made if len(made) == len(manifest.firmware) else {}

    def _engine(self, manifest: Manifest, parts: list[Part]) -> Engine | None:
        """Find the engine for a run; the outcome goes to `parts`."""
        then = manifest.engine
        name = self._engine_name or then.name

        def find() -> Engine:
            found = engine(name, self._options)
            found.prepare(self._say)
            self._engines.append(found)
            return found

        told = f"{then.name} {then.version}"
        try:
            chosen = self._once(("engine", name), find)
            now = f"{chosen.name} {chosen.version()}"
            follows = chosen.rules(then.rules)
            if follows != then.rules:
                raise NoSuchThing(f"the run followed the rules {then.rules}, this {name} follows {follows}")
            if name != then.name and follows not in RULES:
                raise NoSuchThing(f"which rules the run's {then.name} followed is not known to {name}")
        except OrchestrateError as error:
            hint = "; `--engine embedded` compares by the embedded engine" if name != "embedded" else ""
            parts.append(_not_made(ENGINE, told, type(error)(f"{str(error).splitlines()[0]}{hint}")))
            return None
        why = "" if now == told else "the log says whether that matters"
        parts.append(Part(ENGINE, told, now, SAME if now == told else OTHER, why))
        return chosen

    def _log(self, number: int, run: again.Again, chosen: Engine) -> list[Part]:
        """Run the engine again and compare log and outcome."""
        manifest = run.manifest
        work = self._home / "runs" / str(number)
        work.mkdir(parents=True)
        try:
            result = run.make(work, run.simulation, chosen=chosen)
        except OrchestrateError as error:
            return _not_run(manifest, error)
        log = work / LOG_FILE
        log.touch()
        then, now = manifest.outcome, result.outcome
        compared = _compared(
            LOG,
            manifest.log_sha256,
            sha256(log),
            lambda: first_difference(run.folder / LOG_FILE, log, manifest),
        )
        told = Part(OUTCOME, then.value, now.value, SAME if then is now else DIFFERS)
        log.unlink()
        for one in (then, now):
            if one in UNDECIDED:
                why = f"a run that ended with {one.value!r} may end otherwise at another time"
                return [
                    Part(part.name, part.then, part.now, NOT_MADE, why, RunFailed(why))
                    if part.verdict == DIFFERS
                    else part
                    for part in (compared, told)
                ]
        return [compared, told]


def _damage(folder: Path, experiment: Path, manifest: Manifest) -> list[str]:
    """List a stored run's deviations from its manifest; for a traced repetition, only the manifest's."""
    if folder.parent.name != again.TRACE:
        found = Store(experiment.parent).verify(experiment.name, [folder.name])
        return [one.what for one in found]
    wrong = manifest.expected_run_id() != manifest.run_id
    return ["the manifest's content does not give its run id: it was changed"] if wrong else []


def _described(
    folder: Path, manifest: Manifest, origin: Origin
) -> tuple[place.PlacedCell, Deployment, bytes]:
    """Place a run's cell again and write its .csc. Raises StorageFailed or FaultyInput."""
    found = manifest.usable(str(origin.description))
    try:
        placed = place.place(found)
        source = stage.source(origin.key, placed.application.name)
        if folder.parent.name == again.TRACE:
            source = again.from_traced(source)
        deployment = placed.deployment(manifest.seed, source=source)
        text = write(deployed.simulation(deployment))
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise manifest.unusable() from error  # a scenario's values were checked, these are a file's
    return placed, deployment, text


def _compared(name: str, then: str, now: str, why: Callable[[], str]) -> Part:
    return Part(name, then, now, SAME) if then == now else Part(name, then, now, DIFFERS, why())


def _not_made(name: str, then: str, error: OrchestrateError) -> Part:
    return Part(name, then, "", NOT_MADE, str(error), error)


def _not_run(manifest: Manifest, error: OrchestrateError) -> list[Part]:
    return [
        _not_made(LOG, manifest.log_sha256, error),
        _not_made(OUTCOME, manifest.outcome.value, error),
    ]


def _csc_why(folder: Path, manifest: Manifest, text: bytes, used: str) -> str:
    if used == PRESENT:
        return "the store has lost the firmware's sources, and the present ones are others"
    return first_difference(folder / CSC_FILE, text, manifest)


def first_difference(stored: Path, made: Path | bytes, manifest: Manifest) -> str:
    """Name the first line in which a file that was made again differs from the stored one."""
    expected = manifest.csc_sha256 if stored.name == CSC_FILE else manifest.log_sha256
    try:
        if sha256(stored) != expected:
            return f"the stored {stored.name} was changed since; its manifest has another digest"
        with stored.open("rb") as before:
            lines: Iterable[bytes] = made.splitlines(True) if isinstance(made, bytes) else made.open("rb")
            for number, (old, new) in enumerate(zip_longest(before, lines), 1):
                if old != new:
                    return f"line {number}: {_line(old)} then, {_line(new)} now"
    except OSError as error:
        return f"the stored {stored.name}: {error.strerror}"
    return ""


def _line(line: bytes | None) -> str:
    if line is None:
        return "no line"
    text = line.decode("utf-8", "replace").rstrip("\n").replace("\t", " ")
    return repr(text if len(text) <= _LINE else text[: _LINE - 3] + "...")
