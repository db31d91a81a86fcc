# SPDX-License-Identifier: Apache-2.0
"""The run store: STORE/EXPERIMENT/runs/RUN_ID/{manifest.json, simulation.csc, COOJA.testlog}.

A run appears by one rename of a complete, synced folder. Until then it is in
STORE/EXPERIMENT/.tmp-PID-atHOST-RUN_ID, which nothing reads and which is removed once its process is gone.
"""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from orchestrator import __version__
from orchestrator.durable import alone, sha256, sweep, sync, work_prefix, write
from orchestrator.errors import AGAIN, NoSuchThing, StorageFailed, WrongUsage, writing
from orchestrator.runs import manifest as manifests
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.decided import outcomes
from orchestrator.runs.manifest import CSC_FILE, FILE, LOG_FILE, Manifest
from orchestrator.runs.model import UNDECIDED, Outcome, RunResult
from orchestrator.runs.spec import RunSpec
from orchestrator.words import did_you_mean, natural

DEFAULT = "orchestrate-store"
FIRMWARE = "firmware"  # the folder beside the experiments that holds the sources of their firmware
CAMPAIGNS = "campaigns"  # the folder beside them that holds campaigns over many experiments
_ATTEMPTS = 5  # at putting a run in its place while other processes do the same
_RESERVED = (FIRMWARE, CAMPAIGNS)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def default_store(option: str | os.PathLike | None = None) -> Path:
    """Return the store's folder: the option, else $ORCHESTRATE_STORE, else ./orchestrate-store."""
    return Path(option or os.environ.get("ORCHESTRATE_STORE") or DEFAULT)


@dataclass(frozen=True)
class Damage:
    """One fault that `verify` found in a stored run."""

    experiment: str
    run_id: str
    what: str


class Store:
    """A folder of experiments.

    Readers need no lock, and writers of different runs touch different folders. Of two campaigns of one
    experiment the second waits (`working`).
    """

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)

    def experiments(self) -> list[str]:
        """Return the sorted names of the experiments that have a folder of runs, or of logs without runs."""
        if not self.path.is_dir():
            return []
        return sorted(
            entry.name
            for entry in os.scandir(self.path)
            if entry.name not in _RESERVED
            and any(Path(entry.path, kind).is_dir() for kind in ("runs", "logs"))
        )

    def there(self) -> None:
        """Raise NoSuchThing if the store's folder does not exist."""
        if not self.path.is_dir():
            raise NoSuchThing(
                f"no store {self.path}\n"
                "    name its folder with --store; `orchestrate run SCENARIO.yaml` makes one"
            )

    def known(self, name: str) -> str:
        """Return `name` if there is such an experiment. Raises NoSuchThing, which suggests similar names."""
        there = self.experiments()
        if name in there:
            return name
        self.there()
        raise NoSuchThing(f"no experiment {name!r} in {self.path}; {did_you_mean(name, there)}")

    def experiment(self, name: str) -> Path:
        """Return an experiment's folder, which need not exist. Raises WrongUsage for an unusable name."""
        if not _NAME.fullmatch(name) or name in _RESERVED:
            raise WrongUsage(
                f"an experiment can't be called {name!r}\n"
                f"    use letters, digits, `.`, `_` and `-`, and neither {' nor '.join(map(repr, _RESERVED))}"
            )
        return self.path / name

    def folder(self, experiment: str, run_id: str) -> Path:
        """Return a run's folder, which need not exist. Raises NoSuchThing if `run_id` can't be an id."""
        if not re.fullmatch(r"[0-9a-f]+", run_id):
            raise NoSuchThing(f"{run_id!r} is not a run's id; `orchestrate runs list {experiment}` has them")
        return self.experiment(experiment) / "runs" / run_id

    def ids(self, experiment: str) -> list[str]:
        """Return the sorted ids of all finished runs."""
        runs = self.experiment(experiment) / "runs"
        if not runs.is_dir():
            return []
        return sorted(
            entry.name for entry in os.scandir(runs) if os.path.exists(os.path.join(entry.path, FILE))
        )

    def runs(self, experiment: str, only: Collection[str] | None = None) -> list[Manifest]:
        """Return the finished runs (all, or those with these ids) by cell, in the scenario's order, and seed.

        Cells that the present run list doesn't have come last, by name.
        Raises StorageFailed if one of their manifests can't be read.
        """
        all_manifests, unreadable = self.readable(experiment, only)
        if unreadable:
            raise unreadable[0]
        return all_manifests

    def readable(
        self, experiment: str, only: Collection[str] | None = None
    ) -> tuple[list[Manifest], list[StorageFailed]]:
        """Return the finished runs as `runs` does, and an error for each manifest that can't be read."""
        folder, readable_manifests, unreadable = self.experiment(experiment), [], []
        for run_id in self.ids(experiment):
            if only is not None and run_id not in only:
                continue
            try:
                readable_manifests.append(self.manifest(experiment, run_id))
            except StorageFailed as error:
                unreadable.append(error)
        place = {run_id: number for number, run_id in enumerate(run_lists.readable(folder).runs)}
        first: dict[str, int] = {}  # the place of a cell's first run in the plan
        for run in readable_manifests:
            first[run.cell] = min(first.get(run.cell, len(place)), place.get(run.run_id, len(place)))
        readable_manifests.sort(
            key=lambda run: (first[run.cell], natural(run.cell), run.cell, run.seed, run.run_id)
        )
        return readable_manifests, unreadable

    def cells(self, experiment: str) -> list[str]:
        """Return the cells of the finished runs whose manifests can be read, in the order of `runs`."""
        return list(dict.fromkeys(run.cell for run in self.readable(experiment)[0]))

    def manifest(self, experiment: str, run_id: str) -> Manifest:
        """Read the manifest of a run. Raises NoSuchThing and StorageFailed."""
        try:
            return manifests.read(
                self.folder(experiment, run_id) / FILE,
                f"remove the run (`orchestrate runs remove {experiment} {run_id}`) and run the "
                "scenario again",
            )
        except FileNotFoundError:
            raise NoSuchThing(
                f"no run {run_id} in {experiment}; `orchestrate runs list {experiment}` shows them"
            ) from None

    def find(self, experiment: str, prefix: str) -> str:
        """Return the run id that starts with `prefix`. Raises NoSuchThing if none or several do."""
        matching = [run_id for run_id in self.ids(experiment) if run_id.startswith(prefix)]
        if len(matching) == 1:
            return matching[0]
        if not matching:
            raise NoSuchThing(
                f"no run of {experiment} starts with {prefix!r}; `orchestrate runs list {experiment}` shows "
                "them"
            )
        raise NoSuchThing(
            f"{len(matching)} runs of {experiment} start with {prefix!r}: {', '.join(matching[:5])}"
        )

    def decided(self, experiment: str) -> dict[str, Outcome]:
        """Return the outcomes, by id, of the runs that need not be made again: those that are not UNDECIDED.

        A run whose manifest can't be read has to be made again.
        """
        by_run = outcomes(
            self.experiment(experiment), lambda run_id: self.manifest(experiment, run_id).outcome
        )
        return {run_id: outcome for run_id, outcome in by_run.items() if outcome not in UNDECIDED}

    def remember(self, experiment: str, ended: Mapping[str, Outcome]) -> None:
        """Note the outcomes of runs that this process has just committed, for the next `decided`."""

        def outcome(run_id: str) -> Outcome:
            return ended.get(run_id) or self.manifest(experiment, run_id).outcome

        outcomes(self.experiment(experiment), outcome)

    def working(
        self, experiment: str, say: Callable[[str], None] = lambda _: None
    ) -> AbstractContextManager[None]:
        """Hold the experiment's lock. A second command says that it waits; it then finds these runs made."""
        return self._locked(experiment, say, " (its runs are not made again)")

    def sharing(
        self, experiment: str, say: Callable[[str], None] = lambda _: None
    ) -> AbstractContextManager[None]:
        """Make runs beside others that share the experiment, such as another shard of the same campaign.

        A process that wants the experiment alone (`working`) waits for all of them, and they wait for it.
        """
        return self._locked(experiment, say, shared=True)

    @contextmanager
    def _locked(
        self, experiment: str, say: Callable[[str], None], hint: str = "", shared: bool = False
    ) -> Iterator[None]:
        folder = self.experiment(experiment)
        with self._writing():
            folder.mkdir(parents=True, exist_ok=True)
        text = f"another process is running {experiment} in {self.path}; waiting for it to end{hint}"
        with alone(folder, lambda: say(text), shared=shared):
            yield

    def open(self, experiment: str, run_id: str) -> Path:
        """Make an empty work folder for a run, on the store's file system."""
        with self._writing():
            (self.experiment(experiment) / "runs").mkdir(parents=True, exist_ok=True)
            work = self.experiment(experiment) / f"{work_prefix()}{run_id}"
            if work.exists():
                shutil.rmtree(work)
            work.mkdir()
            return work

    def commit(
        self,
        work: Path,
        spec: RunSpec,
        result: RunResult,
        *,
        started: datetime,
        finished: datetime | None = None,
    ) -> Manifest:
        """Make the work folder with its log the run's folder, in place of an earlier one of the same id.

        A try of which nothing was logged doesn't take the log of an earlier one away: that stays as it is.
        """
        with self._writing():
            log = work / LOG_FILE
            if not log.exists():
                log.touch()
            if result.outcome in UNDECIDED and not log.stat().st_size:
                with suppress(StorageFailed, NoSuchThing, OSError):
                    earlier = self.manifest(spec.experiment, spec.run_id)
                    if (self.folder(spec.experiment, spec.run_id) / LOG_FILE).stat().st_size:
                        self.abandon(work)
                        return earlier
            new_manifest = manifests.make(
                spec,
                result,
                csc_sha256=hashlib.sha256(spec.csc_text).hexdigest(),
                log_sha256=sha256(log),
                host=host(),
                started=started,
                finished=finished or datetime.now(UTC),
                version=__version__,
            )
            write(work / CSC_FILE, spec.csc_text)
            write(work / FILE, new_manifest.to_json().encode("ascii"))
            sync(log)
            target = self.folder(spec.experiment, spec.run_id)
            for _ in range(_ATTEMPTS):
                if target.exists():
                    self._discard(target, spec.experiment)
                try:
                    os.rename(work, target)
                    break
                except OSError as error:  # another process has just committed the same run
                    if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                        raise
            return new_manifest

    def abandon(self, work: Path) -> None:
        """Remove a work folder."""
        shutil.rmtree(work, ignore_errors=True)

    def remove(self, experiment: str, run_id: str) -> None:
        """Remove a run: one rename takes it out of the store, then its files are deleted."""
        target = self.folder(experiment, run_id)
        if not target.is_dir():
            raise NoSuchThing(
                f"no run {run_id} in {experiment}; `orchestrate runs list {experiment}` shows them"
            )
        with self._writing():
            self._discard(target, experiment)

    def sweep(self, experiment: str) -> int:
        """Remove work folders whose process is gone; return how many."""
        return sweep(self.experiment(experiment))

    def verify(self, experiment: str, run_ids: list[str] | None = None) -> list[Damage]:
        """Check the files of these runs (default: of all) against the hashes in their manifests."""
        damage = []
        for run_id in self.ids(experiment) if run_ids is None else run_ids:
            damage += [Damage(experiment, run_id, what) for what in self._faults(experiment, run_id)]
        return damage

    def _faults(self, experiment: str, run_id: str) -> Iterator[str]:
        try:
            checked_manifest = self.manifest(experiment, run_id)
        except StorageFailed as error:
            yield str(error).split("\n")[0]
            return
        if checked_manifest.run_id != run_id:
            yield f"the manifest is of run {checked_manifest.run_id}"
        elif checked_manifest.expected_run_id() != run_id:
            yield "the manifest's content does not give its run id: it was changed"
        folder = self.folder(experiment, run_id)
        for name, expected in (
            (CSC_FILE, checked_manifest.csc_sha256),
            (LOG_FILE, checked_manifest.log_sha256),
        ):
            try:
                if sha256(folder / name) != expected:
                    yield f"{name} is not what the run wrote"
            except OSError as error:
                yield f"{name}: {error.strerror}"

    def _discard(self, target: Path, experiment: str) -> None:
        aside = self.experiment(experiment) / f"{work_prefix()}removed-{target.name}"
        if aside.exists():
            shutil.rmtree(aside)
        try:
            os.rename(target, aside)
        except FileNotFoundError:
            return  # another process was faster
        shutil.rmtree(aside, ignore_errors=True)

    def _writing(self) -> AbstractContextManager[None]:
        return writing(f"the store {self.path}", f"{AGAIN}; finished runs are kept")


@cache
def host() -> dict[str, str | int]:
    """Describe this machine, for a run's manifest."""
    return {
        "name": platform.node(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "cores": os.cpu_count() or 0,
        "python": platform.python_version(),
        "byteorder": sys.byteorder,
    }
