# SPDX-License-Identifier: Apache-2.0
"""The engine `testbed`: a deployment on motes behind gateways. One run at a time has the lab.

What simulators leave in a log, motes print over their serial lines; gateways log it, and their clocks are
aligned. A run that lacks a mote or a part of the log has no verdict: what a dead mote didn't receive, no
radio lost.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrate_testbed.errors import LabError
from orchestrate_testbed.merge import MoteLines
from orchestrate_testbed.model import Lab, Mote
from orchestrate_testbed.ssh import Network, together
from orchestrate_testbed.transfer import Blob, blob

from orchestrator.engines.testbed.casting import Cast, cast, replace
from orchestrator.engines.testbed.verdict import judge, write
from orchestrator.engines.testbed.watching import Watch, Watched
from orchestrator.errors import NoSuchThing, OrchestrateError, RunFailed, Unsupported, WrongUsage
from orchestrator.runs.model import OnTestbed, Outcome, PlacedMote, RunResult
from orchestrator.testbed.check import check
from orchestrator.testbed.deploy import Wanted, deploy
from orchestrator.testbed.gateways import AtGateway
from orchestrator.testbed.inventory import load
from orchestrator.testbed.pool import why_out
from orchestrator.testbed.reservation import mine, release, reserve
from orchestrator.words import did_you_mean

if TYPE_CHECKING:
    from orchestrator.engines.model import Job
    from orchestrator.engines.protocol import Done
    from orchestrator.scenario.model import EngineOptions

ALL = "all"
MARGIN_S = 600  # of a reservation, for deploying before a run and collecting after it
PATIENCE_S = 60.0  # for a gateway that does not answer when a run is over
LOOK_S, LOOK_WITH_LOGS_S = 5.0, 2.0  # between two looks at a run; the second if a line may end it
# Of the end: 1.2 kB of counters take 0.1 s at 115,200 bit/s, 1.3 s at 9,600; a simulated mote prints at once.
LATE_US = 5_000_000
REPLACEMENTS = 3  # rounds of spares for motes that can't be flashed


class TestbedEngine:
    """A testbed as an engine. Threads may call `run`: they take turns."""

    name = "testbed"
    __test__ = False  # the name begins as those that pytest collects

    def __init__(self, inventory: Path, layout: str | None = None) -> None:
        """Read the inventory. Raises FaultyInput, NoSuchThing."""
        self.lab: Lab = load(inventory)
        self.layout = layout or ALL
        known = [one.name for one in self.lab.layouts]
        if self.layout not in known:
            raise NoSuchThing(
                f"the lab {self.lab.name} has no layout {self.layout!r}; {did_you_mean(self.layout, known)}"
            )
        self._text = inventory.read_bytes()
        self._turn = threading.Lock()
        self._stopped = threading.Event()

    def version(self) -> str:
        """Return the lab, the layout and a hash of the inventory: another lab gives another run."""
        return f"{self.lab.name}/{self.layout}/{hashlib.sha256(self._text).hexdigest()[:16]}"

    def described(self) -> dict[str, str]:
        """Return nothing: what a run rests on is in its own record (runs.model.OnTestbed)."""
        return {}

    def rules(self, written: str | None) -> str:
        """Return that no rules of a simulator are followed. Raises Unsupported if the user wants some."""
        if written is not None:
            raise Unsupported("a testbed follows no rules of a simulator\n    leave out `rules`")
        return "real radios and clocks"

    def prepare(self, say: Callable[[str], None] = lambda _: None) -> None:
        """Do nothing: gateways are asked when a run begins."""

    def stop(self) -> None:
        """See protocol.Engine; what was logged so far is collected."""
        self._stopped.set()

    def run(self, jobs: Iterable[Job], done: Done) -> None:
        """See protocol.Engine; the jobs run one after the other."""
        with self._turn, Network(self.lab.known_hosts) as network:
            places = {gateway.name: AtGateway(gateway, network) for gateway in self.lab.gateways}
            before = mine(self.lab, network)
            try:
                for job in jobs:
                    done(job, self._run(job, network, places))
            finally:
                for place in places.values():
                    try:
                        place.end()
                    except LabError:
                        pass
                held = {name: one for name, one in mine(self.lab, network).items() if name not in before}
                release(self.lab, network, held)

    def _run(self, job: Job, network: Network, places: Mapping[str, AtGateway]) -> RunResult:
        begun = time.monotonic()
        try:
            with tempfile.TemporaryDirectory(prefix="orchestrate-testbed-") as folder:
                return _Run(self, job, network, places, Path(folder)).result(begun)
        except (LabError, OrchestrateError) as error:
            return RunResult(
                Outcome.TESTBED, 0, time.monotonic() - begun, 0, 0, tuple(str(error).splitlines())
            )

    @property
    def stopped(self) -> bool:
        """Whether somebody wants all runs to end."""
        return self._stopped.is_set()

    def wait(self, seconds: float) -> None:
        """Wait, unless somebody wants all runs to end."""
        self._stopped.wait(seconds)


class _Run:
    """One job on the lab."""

    def __init__(
        self, engine: TestbedEngine, job: Job, network: Network, places: Mapping[str, AtGateway], folder: Path
    ):
        self.engine, self.job, self.network, self.places = engine, job, network, places
        self.lab, self.folder = engine.lab, folder
        self.deployment = job.deployment
        if not hasattr(self.deployment, "ends"):
            raise Unsupported("a testbed runs scenarios, not the simulations of .csc files")
        self.name = f"run-{time.time_ns() // 1000}-{job.seed}"
        self.script = self.deployment.ends
        self.missing: list[str] = []

    def result(self, begun: float) -> RunResult:
        """Deploy, start, watch, collect and judge."""
        length_s = self.script.timeout_us // 1_000_000 + 1
        held = reserve(self.lab, self.network, length_s + MARGIN_S, f"run {self.deployment.title}")
        reserved_until = time.monotonic() + length_s + MARGIN_S
        parts = self._cast()
        watch = self._watch(parts)
        watch.open()
        epoch_us, boots = self._start(parts, watch)
        late_us = LATE_US + (max(boots) - epoch_us if boots else 0)
        reached_us = self._watched(watch, epoch_us, late_us, reserved_until)
        watch.close(0 if self.engine.stopped else PATIENCE_S)
        merged = self.folder / "merged"
        told = watch.merge(epoch_us, merged)
        verdict = judge(self.script, merged, reached_us, late_us)
        lines = write(merged, self.job.log, self.job.seed, verdict)
        dead = self._dead(parts, told)
        self._incomplete(watch, told)
        outcome, evidence = verdict.outcome, ()
        if self.engine.stopped:
            outcome = Outcome.LOST
        elif dead:
            outcome, evidence = Outcome.TESTBED, (*dead, *self._why(verdict.outcome))
        elif self.missing:
            outcome, evidence = Outcome.TRUNCATED, tuple(self.missing)
        else:
            evidence = self._why(outcome)
        del held
        return RunResult(
            outcome,
            verdict.end_us,
            time.monotonic() - begun,
            lines,
            0,
            evidence,
            OnTestbed(
                self.lab.name,
                self.engine.layout,
                tuple(
                    PlacedMote(number, mote.name, mote.gateway, mote.eui64)
                    for number, mote in sorted(parts.parts.items())
                ),
                watch.clock_error_us(),
                max(boots) - min(boots) if boots else 0,
                tuple(parts.replaced),
                (*dead, *self.missing),
            ),
        )

    def _why(self, verdict: Outcome) -> tuple[str, ...]:
        """Return the lines of the log behind a failed verdict."""
        from orchestrator.engines.log import why_failed

        return () if verdict is Outcome.OK else why_failed(self.script, self.job.log)

    # -- before

    def _cast(self) -> Cast:
        """Who plays what. Raises RunFailed if there are too few: nothing runs on fewer motes than asked."""
        found = check(self.lab, self.network)
        unfit = {
            one.mote.name: one.detail or one.state if not one.present else f"it is {one.other_platform}"
            for gateway in found
            for one in gateway.motes
            if not one.present or one.other_platform
        }
        for gateway in found:
            lacks = [] if gateway.error else gateway.lacks()
            for one in gateway.motes:
                if gateway.error:
                    unfit[one.mote.name] = gateway.error.split("\n")[0]
                elif lacks:
                    unfit.setdefault(one.mote.name, "; ".join(lacks))
        for name, place in self.places.items():
            try:
                place.deliver([])
            except LabError as error:
                unfit.update({mote.name: str(error).split("\n")[0] for mote in self.lab.behind(name)})
                continue
            for mote in self.lab.behind(name):
                out = why_out(self.lab, place.kept.failed.get(mote.name))
                if out is not None:
                    unfit[mote.name] = out
        made = cast(self.lab, self.engine.layout, [mote.id for mote in self.deployment.motes], unfit)
        self._enough(made)
        return made

    def _enough(self, made: Cast) -> None:
        if made.lacking:
            raise RunFailed(
                "there is nobody to take the place of\n"
                + "\n".join(f"    {each}" for each in made.lacking)
                + "\n    mend them, name spares in the inventory, or choose another layout"
            )

    def _watch(self, parts: Cast) -> Watch:
        by_gateway: dict[str, dict[int, Mote]] = {}
        for number, mote in parts.parts.items():
            by_gateway.setdefault(mote.gateway, {})[number] = mote
        return Watch(
            self.name,
            {
                name: Watched(self.places[name], motes, self.folder / name)
                for name, motes in sorted(by_gateway.items())
            },
        )

    def _start(self, parts: Cast, watch: Watch) -> tuple[int, list[int]]:
        """Flash all motes, and start them together if they can be switched or reset; the epoch and when the
        first and the last started, in us of our clock.

        Where motes have no such commands, each starts as it is flashed.
        """
        epoch_us = _now_us()
        boots = self._flash(parts, watch)
        motes = parts.parts.values()
        if all(mote.power_off and mote.power_on for mote in motes):
            self._command(watch, "switched off", lambda mote: mote.power_off)
            epoch_us = _now_us()
            self._in_order(watch, "switched on", lambda mote: mote.power_on)
            return epoch_us, [epoch_us, _now_us()]
        if all(mote.reset for mote in motes):
            epoch_us = _now_us()
            self._in_order(watch, "reset", lambda mote: mote.reset)
            return epoch_us, [epoch_us, _now_us()]
        return epoch_us, boots

    def _in_order(self, watch: Watch, done: str, words: Callable[[Mote], tuple[str, ...]]) -> None:
        """Start all motes at once, and then the control node: it looks for the others as soon as it runs."""
        control = {mote.id for mote in self.deployment.motes if mote.role == "control"}
        self._command(watch, done, words, lambda number: number not in control)
        self._command(watch, done, words, lambda number: number in control)

    def _command(
        self,
        watch: Watch,
        done: str,
        words: Callable[[Mote], tuple[str, ...]],
        wanted: Callable[[int], bool] = lambda number: True,
    ) -> None:
        """Run a command of the wanted motes (by id), all at once. Raises RunFailed."""

        def one(watched: Watched) -> dict[str, str]:
            place = watched.place
            return place.commands(
                {
                    mote.name: mote.command(words(mote), place.device(mote))
                    for number, mote in watched.motes.items()
                    if wanted(number)
                }
            )

        failed: dict[str, str] = {}
        for answer in together(watch.gateways.values(), one):
            if isinstance(answer, LabError):
                raise answer
            failed |= answer
        if failed:
            raise RunFailed(
                f"motes could not be {done}:\n"
                + "\n".join(f"    {name}: {why}" for name, why in failed.items())
            )

    def _flash(self, parts: Cast, watch: Watch) -> list[int]:
        """Flash all motes; spares take the places of those that can't be flashed."""
        images = {mote.id: mote.image for mote in self.deployment.motes}
        firmware = blob(self.job.firmware[self.deployment.firmware.identifier])
        todo = dict(parts.parts)
        boots: list[int] = []
        out: set[str] = set()
        for _ in range(REPLACEMENTS + 1):
            wanted = [
                Wanted(mote, firmware, self._image(number, images[number]), number)
                for number, mote in todo.items()
            ]
            loaded = deploy(self.lab, self.places, wanted, again=True)
            boots += [one.at_us for one in loaded.motes.values() if one.good]
            failed = {one.mote.name: one.why for one in loaded.failures()}
            if not failed:
                return boots
            out |= set(failed)
            todo = {}
            for number, mote in list(parts.parts.items()):
                if mote.name in failed:
                    replace(parts, self.lab, number, failed[mote.name], out)
                    if number in parts.parts:
                        todo[number] = parts.parts[number]
            self._enough(parts)
            self._follow(watch, parts, todo)
        raise RunFailed(f"motes can't be flashed: {', '.join(sorted(out))}")

    def _follow(self, watch: Watch, parts: Cast, new: Mapping[int, Mote]) -> None:
        """Log spares instead of the motes whose parts they took."""
        for watched in watch.gateways.values():
            watched.motes = {
                number: mote for number, mote in watched.motes.items() if parts.parts.get(number) is mote
            }
        for number, mote in new.items():
            watched = watch.gateways.setdefault(
                mote.gateway, Watched(self.places[mote.gateway], {}, self.folder / mote.gateway)
            )
            watched.motes[number] = mote
        watch.open()

    def _image(self, number: int, image: bytes) -> Blob | None:
        if not image:
            return None
        path = self.folder / f"image-{number}"
        path.write_bytes(image)
        return blob(path)

    # -- under way and after

    def _watched(self, watch: Watch, epoch_us: int, late_us: int, reserved_until: float) -> int:
        """Wait until the run is over; how far it got, in us. `late_us`: by how much motes may be late."""
        logs = self.script.ends_at_verdict
        deciding = (self.script.success_line, self.script.fail_line)
        timeout_us = epoch_us + self.script.timeout_us
        # Only who waits for a line waits longer than the simulation would.
        end_us = timeout_us + (late_us if self.script.success_line is not None else 0)
        while (now := _now_us()) < end_us and not self.engine.stopped:
            logs = logs or now >= timeout_us
            if time.monotonic() > reserved_until:
                self.missing.append(
                    f"the reservation ran out {(now - epoch_us) / 1e6:.0f} s after the start; the run was to "
                    f"take {self.script.timeout_us / 1e6:.0f} s"
                )
                break
            watch.look(logs)
            if logs and watch.heard(deciding):
                break
            until_us = timeout_us if now < timeout_us else end_us
            wait_s = LOOK_WITH_LOGS_S if logs else LOOK_S
            self.engine.wait(min(wait_s, max(0.0, (until_us - _now_us()) / 1e6)))
        return _now_us() - epoch_us

    def _dead(self, parts: Cast, told: Mapping[int, MoteLines]) -> list[str]:
        """Sentences about motes of which nothing shows that they were alive to the end."""
        found = []
        for number, lines in sorted(told.items()):
            mote = parts.parts[number]
            if lines.lines == 0:
                found.append(
                    f"{mote.name} ({mote.gateway}), mote {number} of the run, said nothing, so that nothing "
                    "shows that it was alive."
                )
            elif any(gap.until_us is None for gap in lines.gaps):
                found.append(f"{mote.name} ({mote.gateway}), mote {number} of the run, was gone at the end.")
        return found

    def _incomplete(self, watch: Watch, told: Mapping[int, MoteLines]) -> None:
        for watched in watch.gateways.values():
            if not watched.complete:
                why = watched.errors[-1].split("\n")[0] if watched.errors else "it did not answer"
                self.missing.append(
                    f"{watched.place.gateway.name} was silent when the run was over, so the end of its "
                    f"motes' logs is still there (run {self.name}): {why}"
                )
        for lines in told.values():
            self.missing += lines.missing()


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def engine(options: EngineOptions | None) -> TestbedEngine:
    """Return the engine of a lab. Raises WrongUsage if no inventory is named, and what reading it raises."""
    if options is None or options.inventory is None:
        raise WrongUsage("the engine testbed needs a lab: --inventory LAB.yaml")
    return _engine(options.inventory, options.layout)


@cache
def _engine(inventory: str, layout: str | None) -> TestbedEngine:
    return TestbedEngine(Path(inventory), layout)
