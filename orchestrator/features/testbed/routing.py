# SPDX-License-Identifier: Apache-2.0
"""Runs the event service between the gateways of a lab: the controller here, the routing in the daemons.

Gateways call the controller and each other by TCP, at the addresses that their own sshd knows: those that
SSH_CONNECTION gives for us and for the gateway. Behind a jump host, our address is the jump host's.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from orchestrate_testbed.client import Refused
from orchestrate_testbed.errors import LabError, RemoteFailed
from orchestrate_testbed.gateway.event_service.controller import PORT
from orchestrate_testbed.gateway.event_service.readings import Readings
from orchestrate_testbed.gateway.event_service.server import Server
from orchestrate_testbed.gateway.event_service.topology import Tree
from orchestrate_testbed.gateway.loop import Loop
from orchestrate_testbed.untrusted import shown

from orchestrator.errors import RunFailed
from orchestrator.features.testbed.gateways import AtGateway

SERVICE = "event-service"
CALL_S = 15.0  # for each gateway to call the controller, and after the last call for the tree to form
# Events of others that a gateway knows again where the tree can be rebuilt while they are under way.
REMEMBERS = 1000
_TURN_US = 100_000  # the controller's loop takes at most so long to see that it must end


@dataclass(frozen=True)
class Station:
    """A base station (a mote's name) and its gateway."""

    mote: str
    at: AtGateway


class Routing:
    """The event service of one run.

    Gateway k of the tree is that of the k-th station. This is a context manager.
    """

    def __init__(
        self,
        run: str,
        tree: Tree,
        readings: Mapping[str, str],
        stations: Sequence[Station],
        port: int | None = None,
        patience_us: int = 0,
        renewal_us: int = 0,
    ):
        """Begin to listen. Raises RunFailed.

        `port`: where to listen; None for the thesis's port or, if it is taken, any.
        `patience_us`: after so long a lost gateway is given up, and the tree is made without it; 0: never.
        `renewal_us`: how often motes renew their calls; 0: never.
        """
        self._patience_us, self._renewal_us = patience_us, renewal_us
        self.run, self.tree, self.stations = run, tree, stations
        self._readings = dict(readings)
        shared = {station.at.gateway.name for station in stations}
        if len(stations) != tree.size or len(shared) != tree.size:
            raise RunFailed(
                f"the tree has {tree.size} gateways, and there are {len(stations)} base stations behind "
                f"{len(shared)}\n    each base station needs a gateway of its own: list the layout's motes "
                "board by board, as the run numbers them"
            )
        self._loop = Loop()
        self._server = self._listening(port)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="controller", daemon=True)
        self._thread.start()

    def __enter__(self) -> Routing:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def port(self) -> int:
        """The port at which the controller listens."""
        return self._server.listens[1]

    @property
    def formed(self) -> bool:
        """Whether all connections of the tree are established."""
        return self._server.controller.formed

    def begin(self) -> None:
        """Start the routing, gateway after gateway, so that they connect in the stations' order.

        Raises RunFailed if one never calls, or if the tree isn't formed, unless the reading says that events
        may come before.
        """
        for number, station in enumerate(self.stations, 1):
            self._start(station)
            if not self._until(lambda number=number: len(self._server.controller.addresses) >= number):
                raise RunFailed(
                    f"{station.at.gateway.name} did not call the controller at {self._address(station)[0]}, "
                    f"port {self.port}, within {CALL_S:g} s\n    it must reach this machine by TCP: look at "
                    "firewalls, and whether it is behind a jump host"
                )
        if self._readings.get("formation") != "as-written" and not self._until(lambda: self.formed):
            raise RunFailed(
                f"the tree of gateways was not formed within {CALL_S:g} s: {self.waiting()}\n    gateways "
                "must reach each other by TCP"
            )

    def waiting(self) -> str:
        """Return what the tree's formation waits for; empty when the tree is formed."""
        entries = self._server.controller.waiting()
        return f"{entries}; refused: {'; '.join(self._server.refused)}" if self._server.refused else entries

    def failures(self) -> list[str]:
        """Return a sentence for each gateway whose routing ended by itself.

        A gateway that doesn't answer is left out.
        """
        failures_ = []
        for station in self.stations:
            try:
                service = station.at.daemon.status(self.run).get("services", {}).get(SERVICE, {})
            except LabError:
                continue
            if service.get("error"):
                name = station.at.gateway.name
                failures_.append(f"The routing on {name} ended: {shown(str(service['error']))}.")
        return failures_

    def end(self) -> None:
        """End the controller; the routing ends with the run's logging."""
        self._ended.set()
        self._thread.join()
        self._server.close()
        self._loop.close()

    def _start(self, station: Station) -> None:
        ours, its = self._address(station)
        settings = {
            "controller": ours,
            "port": self.port,
            "listen": its,
            "advertised": its,
            **self._readings,
        }
        if self._patience_us:
            settings.update(remembers=REMEMBERS, patience=self._patience_us)
        if self._renewal_us:
            settings["renewal"] = self._renewal_us
        try:
            station.at.daemon.serve(self.run, [station.mote], SERVICE, settings)
        except Refused as refused:
            raise RunFailed(f"{station.at.gateway.name} does not route: {refused}") from None

    def _address(self, station: Station) -> tuple[str, str]:
        """Return our address and the gateway's, as the gateway sees them."""
        ran = station.at.host.script('printf %s "$SSH_CONNECTION"')
        words = ran.out.decode("ascii", "replace").split()
        if len(words) != 4 or ":" in words[0] + words[2]:
            raise RemoteFailed(
                f"{station.at.gateway.name} doesn't say where we are: its SSH_CONNECTION is "
                f"{shown(' '.join(words)) or 'empty'}\n    the event service needs IPv4 to its gateways"
            )
        return words[0], words[2]

    def _until(self, true: Callable[[], bool]) -> bool:
        end = time.monotonic() + CALL_S
        while not true():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def _listening(self, port: int | None) -> Server:
        for number in (PORT, 0) if port is None else (port,):
            try:
                return Server(
                    self._loop,
                    self.tree,
                    "",
                    number,
                    Readings(**self._readings),
                    self._patience_us or None,
                )
            except OSError as error:
                why = error.strerror
        self._loop.close()
        raise RunFailed(f"the controller can't listen on port {port}: {why}\n    choose another --port")

    def _serve(self) -> None:
        while not self._ended.is_set():
            self._loop.turn(_TURN_US)
