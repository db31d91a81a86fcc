# SPDX-License-Identifier: Apache-2.0
"""Runs the gateways' part of a run: the routing between them, and the instructor's serial commands."""

from __future__ import annotations

import threading
from pathlib import Path

from orchestrate_testbed.errors import LabError
from orchestrate_testbed.gateway.event_service.counters import are_last_words
from orchestrate_testbed.gateway.event_service.topology import Tree
from orchestrate_testbed.ssh import Network

from orchestrator.engines.deployment import Deployment
from orchestrator.features.testbed.engine.casting import Cast
from orchestrator.features.testbed.engine.unfinished import now_us
from orchestrator.features.testbed.engine.watching import Watch
from orchestrator.features.testbed.gateways import AtGateway
from orchestrator.features.testbed.routing import SERVICE, Routing, Station


class EventService:
    """The event service of one run. It does nothing for a deployment whose motes have no gateways."""

    def __init__(self, deployment: Deployment, run: str, network: Network):
        self._spec = deployment.partners
        self._run, self._network = run, network
        self._start_delay_us = deployment.start_delay_us
        self._routing: Routing | None = None
        self._instructor: AtGateway | None = None
        self._ended = threading.Event()
        self._typist: threading.Thread | None = None
        self._faults: list[str] = []
        self._waited = ""  # what the tree's formation waited for, if it wasn't formed

    def __enter__(self) -> EventService:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def begin(self, parts: Cast, watch: Watch) -> None:
        """Form the tree of gateways; ports are open, and no base station speaks yet. Raises RunFailed."""
        if self._spec is None:
            return
        motes = {base: parts.parts[base] for base in self._spec.base_stations}
        stations = [Station(mote.name, watch.gateways[mote.gateway].place) for mote in motes.values()]
        for base, mote in motes.items():
            watch.gateways[mote.gateway].services = {SERVICE: base}
        tree = Tree(len(stations), dict(self._spec.parents))
        spec = self._spec
        self._routing = Routing(
            self._run,
            tree,
            spec.readings,
            stations,
            patience_us=spec.patience_us,
            renewal_us=spec.renewal_us,
        )
        self._routing.begin()
        # The thread that types has its own stream, which is opened now because opening takes a while.
        instructor = watch.gateways[parts.parts[self._spec.instructor].gateway]
        self._instructor = AtGateway(instructor.place.gateway, self._network)
        self._instructor.daemon.hello()

    def instruct(self, parts: Cast, booted_us: int) -> None:
        """Type the instructor's commands at their times after the last mote's boot (by our clock, us)."""
        if self._spec is None:
            return
        mote = parts.parts[self._spec.instructor].name
        self._typist = threading.Thread(target=self._type, args=(mote, booted_us), daemon=True)
        self._typist.start()

    def _type(self, mote: str, booted_us: int) -> None:
        assert self._spec is not None and self._instructor is not None
        free_us = 0
        with self._instructor as at:
            for time_us, line in self._spec.commands:
                due_us = max(booted_us + time_us - self._start_delay_us, free_us)
                if self._ended.wait(max(0, due_us - now_us()) / 1e6):
                    return
                try:
                    at.daemon.write(self._run, mote, f"{line}\n".encode("ascii"))
                except LabError as error:
                    why = str(error).split("\n")[0]
                    self._faults.append(f"The instructor's command {line} did not reach {mote}: {why}.")
                    at.disconnect()
                # A late command delays the next ones, because the mote takes one after the other.
                free_us = now_us() + self._spec.apart_us

    def end(self) -> list[str]:
        """End the controller; return sentences about what did not work.

        The routing still answers the motes.
        """
        self._ended.set()
        if self._typist is not None:
            self._typist.join()
        if self._routing is not None:
            self._faults += self._routing.failures()
            self._waited = self._routing.waiting()
            self._routing.end()
            self._routing = None
        return self._faults

    def last_words(self, merged: Path, end_us: int) -> list[tuple[int, str]]:
        """Return what gateways said when their routing was stopped, after the run's end: (mote, line)."""
        if self._spec is None:
            return []
        stations = {f"ID:{base}": base for base in self._spec.base_stations}
        words = []
        with merged.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                time_us, _, rest = line.rstrip("\n").partition("\t")
                mote, _, text = rest.partition("\t")
                if int(time_us) > end_us and mote in stations and are_last_words(text):
                    words.append((stations[mote], text))
        if self._waited:
            reason = f"the tree of gateways was not formed: {self._waited}"
            words.append((self._spec.base_stations[0], reason))
        return words
