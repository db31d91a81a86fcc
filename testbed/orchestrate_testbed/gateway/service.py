# SPDX-License-Identifier: Apache-2.0
"""Services, which run in the daemon beside logging (event routing, say), and what it offers them.

A service has no thread and never waits: the daemon calls it, and it calls its `Place`.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
from typing import Callable

from orchestrate_testbed.gateway import clocks, kept_file, protocol
from orchestrate_testbed.gateway.disk import Disk
from orchestrate_testbed.gateway.link import Link, Owner
from orchestrate_testbed.gateway.loop import Loop
from orchestrate_testbed.gateway.mote_log import MoteLog
from orchestrate_testbed.gateway.mote_port import MotePort
from orchestrate_testbed.gateway.protocol import Refusal

# Name -> module with a `service(place) -> Service`. It is imported when it is asked for.
SERVICES = {"event-service": "orchestrate_testbed.gateway.event_service.driver"}
LONGEST_LINE = 16 * 1024  # Cooja's


class Service(Owner):
    """The methods that a service overrides.

    An exception ends the service and is reported by `status`; the daemon goes on.
    """

    def start(self) -> None:
        """Start; the ports are open."""

    def line(self, mote: str, line: bytes) -> None:
        """Take a line that a mote printed, without its end."""

    def stop(self) -> None:
        """End; the service's connections are closed afterwards."""


class Place(Owner):
    """The daemon as one service sees it."""

    def __init__(
        self, loop: Loop, disk: Disk, folder: str, name: str, ports: dict[str, MotePort], settings: dict
    ):
        self.settings = settings
        self.error = self.unkept = ""
        self.links: list[Link] = []
        self._loop = loop
        self._ports = ports
        self._rests = {mote: b"" for mote in ports}
        self._listeners = {mote: self._from(mote) for mote in ports}
        self._doors: list[socket.socket] = []
        self._kept = os.path.join(folder, name + ".kept")
        self._new_log = lambda: MoteLog(folder, name, disk)
        self._service = Service()

    @property
    def motes(self) -> tuple:
        """The base stations, by name."""
        return tuple(self._ports)

    def begin(self, service: Service) -> None:
        """Begin to call the service."""
        self._service = service
        self._log = self._new_log()
        self._log.note(event="open", baud=0, boot=clocks.boot())
        for mote, port in self._ports.items():
            port.listeners.append(self._listeners[mote])
        self.call(service.start)

    def end(self) -> None:
        """End the calls of the service."""
        self.call(self._service.stop)
        self._service = Service()
        for mote, port in self._ports.items():
            if self._listeners[mote] in port.listeners:
                port.listeners.remove(self._listeners[mote])
        for link in list(self.links):
            link.close("the service ended")
        for door in self._doors:
            self._loop.watch(door)
            door.close()
        self._log.close()

    def now_us(self) -> int:
        """Return the monotonic clock."""
        return clocks.monotonic_us()

    def after(self, delay_us: int, call: Callable) -> list:
        """Call a function once, later; the result can be given to `cancel`."""
        return self._loop.after(delay_us, lambda: self.call(call))

    def cancel(self, entry: list) -> None:
        """Cancel the call."""
        self._loop.cancel(entry)

    def write(self, mote: str, content: bytes) -> bool:
        """Write to a base station's port; false if the port can't take it now."""
        try:
            self._ports[mote].write(content)
            return True
        except Refusal:
            return False

    def say(self, text: str) -> None:
        """Write a line into the service's own log, which is collected and merged like a mote's."""
        line = "".join(each if each.isprintable() else "?" for each in text)
        self._log.chunk(line.encode("utf-8") + b"\n")

    def keep(self, value: object) -> None:
        """Keep a JSON value for the service of the next daemon, if this one is killed.

        A full disk must not end the service: `unkept` then says why the next daemon won't know the value.
        """
        try:
            kept_file.write(self._kept, json.dumps(value))
            self.unkept = ""
        except Refusal as refusal:
            self.unkept = refusal.text

    def kept(self) -> object:
        """Return what `keep` remembered; None if nothing."""
        return kept_file.read_json(self._kept)

    def listen(self, address: str, number: int) -> int:
        """Let others connect; return the port (0 asks for any)."""
        door = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((address, number))
            door.listen(32)
        except OSError as error:
            door.close()
            text = f"{address}:{number} is not to be had: {error.strerror}."
            raise Refusal("address", text) from None
        door.setblocking(False)
        self._doors.append(door)
        self._loop.watch(door, read=lambda: self._accept(door))
        return door.getsockname()[1]

    def connect(self, name: str, address: str, number: int) -> Link:
        """Call another gateway or the controller. `linked` or `unlinked` comes later, never in this call."""
        link = Link(self._loop, self, name, f"{address}:{number}")
        self.links.append(link)
        link.call(address, number)
        return link

    def call(self, function: Callable, *arguments: object) -> None:
        """Call the service, which an error ends."""
        if self.error:
            return
        try:
            function(*arguments)
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"
            self._log.note(event="failed", why=self.error)

    def linked(self, link: Link) -> None:
        self.call(self._service.linked, link)

    def received(self, link: Link, content: bytes) -> None:
        self.call(self._service.received, link, content)

    def unlinked(self, link: Link, why: str) -> None:
        self.links.remove(link)
        self.call(self._service.unlinked, link, why)

    def _accept(self, door: socket.socket) -> None:
        try:
            connection, peer = door.accept()
        except OSError:
            return  # it left before it was let in
        link = Link(self._loop, self, "", f"{peer[0]}:{peer[1]}")
        self.links.append(link)
        link.take(connection)

    def _from(self, mote: str) -> Callable[[bytes], None]:
        def hear(content: bytes) -> None:
            lines = (self._rests[mote] + content).split(b"\n")
            self._rests[mote] = lines.pop()[-LONGEST_LINE:]
            for line in lines:
                self.call(self._service.line, mote, line)

        return hear


def made(name: str, place: Place) -> Service:
    """Return the service of that name, not started."""
    module = SERVICES.get(name)
    if module is None:
        raise Refusal("service", "The services are: {}.".format(", ".join(sorted(SERVICES))))
    try:
        return importlib.import_module(module).service(place)
    except ImportError as error:
        raise Refusal("service", f"This daemon lacks the service '{name}': {error}.") from None


def named(asked: dict) -> tuple:
    """Return (run, motes, service, settings) of a request."""
    motes = asked.get("motes")
    if not isinstance(motes, list) or not motes:
        raise Refusal("malformed", "'motes' has to be a list of the base stations' names.")
    settings = asked.get("settings", {})
    if not isinstance(settings, dict):
        raise Refusal("malformed", "'settings' has to be an object.")
    names = tuple(protocol.name({"mote": each}, "mote") for each in motes)
    return protocol.name(asked, "run"), names, protocol.name(asked, "service"), settings
