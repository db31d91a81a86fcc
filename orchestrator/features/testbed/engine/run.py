# SPDX-License-Identifier: Apache-2.0
"""Runs one job on a lab: deploys, starts, watches and judges it, or goes on with it for a lost controller."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from orchestrate_testbed.client import Refused
from orchestrate_testbed.errors import LabError
from orchestrate_testbed.model import Mote
from orchestrate_testbed.ssh import together

from orchestrator.engines.model import Job
from orchestrator.errors import RunFailed, Unsupported
from orchestrator.features.testbed.check import GatewayFound, check
from orchestrator.features.testbed.engine import collected_logs
from orchestrator.features.testbed.engine.casting import Bed, Cast, cast, enough
from orchestrator.features.testbed.engine.ending import Course, ended, epoch_of, late_of
from orchestrator.features.testbed.engine.event_service import EventService
from orchestrator.features.testbed.engine.going_on import Earlier, find, watched_at
from orchestrator.features.testbed.engine.starting import Start
from orchestrator.features.testbed.engine.unfinished import Record, key_of, name_of, new, now_us
from orchestrator.features.testbed.engine.watching import Watch
from orchestrator.features.testbed.pool import why_out
from orchestrator.features.testbed.reservation import RUN, reserve
from orchestrator.runs.model import RunResult

MARGIN_S = 600  # a reservation is longer by this, for deploying before a run and collecting after it
PATIENCE_S = 60.0  # how long a gateway that does not answer at a run's end is tried
LOOK_S, LOOK_WITH_LOGS_S = 5.0, 2.0  # between two looks at a run; the second applies if a line may end it
LOOK_BY_SHELL_S = 1.0  # applies if a gateway's lines have the time at which they are fetched


class TestbedRun:
    """One job on the lab.

    `wait(s)`: waits so many s, unless somebody wants all runs to end. `stopped()`: whether somebody does.
    """

    __test__ = False  # the name begins as those that pytest collects

    def __init__(
        self,
        bed: Bed,
        version: str,
        job: Job,
        folder: Path,
        wait: Callable[[float], None],
        stopped: Callable[[], bool],
    ):
        if not hasattr(job.deployment, "ends"):
            raise Unsupported("a testbed runs scenarios, not the simulations of .csc files")
        if (beside := job.deployment.partners) is not None and not beside.runs_on_gateways:
            what, remedy = beside.why_not
            raise Unsupported(f"a testbed can't have {what} between its motes\n    {remedy}")
        self.bed, self.job, self.folder = bed, job, folder
        self.script = job.deployment.ends
        self.missing: list[str] = []
        self._key = key_of(job, version)
        self._name = name_of(self._key)
        self._logs = collected_logs.of_run(self._name)
        self._event_service = EventService(job.deployment, self._name, bed.network)
        self._wait, self._stopped = wait, stopped
        self._watch: Watch | None = None
        self._ended = False

    def result(self, begun: float) -> RunResult:
        """Make the run. Its logs stay on the gateways until `remove`. Raises LabError, OrchestrateError."""
        with self._event_service:
            return self._result(begun)

    def _result(self, begun: float) -> RunResult:
        length_s = self.script.timeout_us // 1_000_000 + 1
        reserve(self.bed.lab, self.bed.network, length_s + MARGIN_S, f"{RUN}{self.job.deployment.title}")
        reserved_until = time.monotonic() + length_s + MARGIN_S
        silent = self._look()
        earlier = find(self.bed.lab, self.bed.places, self._key)
        if earlier is not None:
            record, watch = self._go_on(earlier)
        else:
            record, watch = self._begin(silent)
        reached_us = self._watched(watch, epoch_of(record), late_of(record), reserved_until)
        self.missing += self._event_service.end()
        watch.close(0 if self._stopped() else PATIENCE_S)
        spent, last_words = time.monotonic() - begun, self._event_service.last_words
        course = Course(reached_us, spent, self.missing, self._stopped(), last_words)
        result = ended(record, watch, self.folder, self.job.log, course)
        self._ended = not self._stopped()
        return result

    def remove(self) -> None:
        """Remove the run from the gateways, once its result is safe.

        If a gateway was silent at the end, or somebody stopped the run, it stays on all of them, so that the
        next call can fetch all of it.
        """
        if self._watch is not None and self._watch.complete and self._ended:
            self._watch.remove()

    def _go_on(self, earlier: Earlier) -> tuple[Record, Watch]:
        self._watch = earlier.watch
        self.missing += earlier.missing
        return earlier.record, earlier.watch

    def _begin(self, silent: Mapping[str, str]) -> tuple[Record, Watch]:
        """Deploy and start.

        The record on the gateways first has who takes part, and later when the run began.
        """
        parts = self._cast(silent)
        watch = self._watch = self._listening(parts)
        start = Start(
            self.bed, self.job, parts, watch, self.folder,
            lambda name: watched_at(self.bed.places[name], {}, self._logs), self._event_service,
        )  # fmt: skip
        try:
            watch.keep(self._record(parts, watch))
            epoch_us, boots = start.begin()
            record = self._record(parts, watch).begun(epoch_us, boots, start.tools)
            watch.keep(record)
            self._event_service.instruct(parts, record.last_us)
        except Refused as refused:
            watch.remove()
            if refused.kind == "port-held" and " of run " in refused.text:
                raise RunFailed(
                    f"{refused}\n    its controller is gone: run that scenario again, which goes on with it, "
                    "or bring its logs by `orchestrate testbed collect LAB`"
                ) from None
            raise
        except Exception:
            watch.remove()
            raise
        return record, watch

    def _record(self, parts: Cast, watch: Watch) -> Record:
        played = [
            (number, mote.name, mote.gateway, mote.eui64) for number, mote in sorted(parts.parts.items())
        ]
        record = new(self.job, self._key, self.bed.lab.name, self.bed.layout, played, parts.replaced)
        services = (
            (gateway, service, number)
            for gateway, watched in watch.gateways.items()
            for service, number in watched.services.items()
        )
        return dataclasses.replace(record, services=tuple(services))

    def _look(self) -> dict[str, str]:
        """Ask all gateways what they keep, and bring the daemon there; return why some failed, by name."""
        answers = together(self.bed.places.values(), lambda place: place.deliver([]))
        return {
            name: str(answer).split("\n")[0]
            for name, answer in zip(self.bed.places, answers, strict=True)
            if isinstance(answer, LabError)
        }

    def _cast(self, silent: Mapping[str, str]) -> Cast:
        """Return who plays what.

        Raises RunFailed if there are too few: nothing runs on fewer motes than asked.
        """
        gateways = check(self.bed.lab, self.bed.network)
        unfit = {
            mote.mote.name: mote.detail or mote.state if not mote.present else f"it is {mote.other_platform}"
            for gateway in gateways
            for mote in gateway.motes
            if not mote.present or mote.other_platform
        }
        for gateway in gateways:
            unfit.update(self._unfit_behind(gateway, unfit))
        for name, place in self.bed.places.items():
            for mote in self.bed.lab.behind(name):
                out = why_out(self.bed.lab, place.kept.failed.get(mote.name))
                if name in silent:
                    unfit[mote.name] = silent[name]
                elif out is not None:
                    unfit[mote.name] = out
        assignment = cast(
            self.bed.lab, self.bed.layout, [mote.id for mote in self.job.deployment.motes], unfit
        )
        enough(assignment)
        return assignment

    def _unfit_behind(self, gateway: GatewayFound, names: Iterable[str]) -> dict[str, str]:
        place = self.bed.places[gateway.gateway.name]
        place.plain = place.plain or gateway.without_python
        lacks = [] if gateway.error else gateway.lacks()
        if gateway.error:
            return {mote.mote.name: gateway.error.split("\n")[0] for mote in gateway.motes}
        return {
            mote.mote.name: "; ".join(lacks)
            for mote in gateway.motes
            if lacks and mote.mote.name not in names
        }

    def _listening(self, parts: Cast) -> Watch:
        by_gateway: dict[str, dict[int, Mote]] = {}
        for number, mote in parts.parts.items():
            by_gateway.setdefault(mote.gateway, {})[number] = mote
        return Watch(
            self._name,
            {
                name: watched_at(self.bed.places[name], motes, self._logs)
                for name, motes in sorted(by_gateway.items())
            },
        )

    def _watched(self, watch: Watch, epoch_us: int, late_us: int, reserved_until: float) -> int:
        """Wait until the run is over; return how far it got, in us.

        `late_us`: by how much motes may be late.
        """
        logs = self.script.ends_at_verdict
        deciding = (self.script.success_line, self.script.fail_line)
        timeout_us = epoch_us + self.script.timeout_us
        # Only a run that waits for a line may last longer than in a simulation.
        end_us = timeout_us + (late_us if self.script.success_line is not None else 0)
        while (now := now_us()) < end_us and not self._stopped():
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
            wait_s = LOOK_BY_SHELL_S if watch.by_shell else LOOK_WITH_LOGS_S if logs else LOOK_S
            self._wait(min(wait_s, max(0.0, (until_us - now_us()) / 1e6)))
        return now_us() - epoch_us
