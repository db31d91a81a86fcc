# SPDX-License-Identifier: Apache-2.0
"""The daemon: a loop, a socket in its folder, and the requests that arrive there."""

from __future__ import annotations

import os
import signal
import socket

from orchestrate_testbed.gateway import clocks, protocol
from orchestrate_testbed.gateway.disk import Disk
from orchestrate_testbed.gateway.doors import Doors
from orchestrate_testbed.gateway.lines import Lines
from orchestrate_testbed.gateway.loop import Loop, now_us
from orchestrate_testbed.gateway.protocol import Refusal
from orchestrate_testbed.gateway.runs import Runs

LOOK_US = 1000 * 1000  # between two looks at the disk


class Daemon:
    """The state that requests work on.

    The process's working directory is its folder, because a socket's path must be short.
    """

    def __init__(self, root: str, digest: str, quota: int, reserve: int, patience_s: int, requests: dict):
        self._requests = requests
        self.loop = Loop()
        self.root = root
        self.digest = digest
        self.started_us = clocks.wall_us()
        self.received_us = 0
        self.disk = Disk(root, quota, reserve)
        self.runs = Runs(self.loop, self.disk, root)
        self.doors = Doors(self.loop, self.disk, self.runs)
        self.versions: dict = {}  # of flashing tools, by program
        self.flashing: set = set()  # devices that a tool is using
        self._connections: list[Lines] = []
        self._patience_us = patience_s * 1000 * 1000
        self._heard_us = now_us()
        self._door = socket.socket(socket.AF_UNIX)

    def serve(self) -> None:
        """Run until `stop`, or until no request has come for longer than its patience."""
        signal.signal(signal.SIGTERM, lambda *_: self.stop())
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            os.unlink(protocol.SOCKET)
        except FileNotFoundError:
            pass
        self._door.bind(protocol.SOCKET)
        self._door.listen(8)
        self._door.setblocking(False)
        self.loop.watch(self._door, read=self._accept)
        self.runs.restore()
        self.doors.restore()
        self._look()
        self.loop.run()
        if self._deserted():
            return
        self.doors.end()
        self.runs.end()
        os.unlink(protocol.SOCKET)
        for each in list(self._connections):
            each.close()

    def stop(self) -> None:
        """End the daemon after this pass of the loop."""
        self.loop.after(0, self.loop.stop)

    def alarms(self) -> list:
        """Return what the user should know: a sentence for each fact."""
        found = [self.disk.alarm()]
        for (run, mote), port in sorted(self.runs.ports.items()):
            if port.log.error:
                found.append(f"the log of {mote}, run {run}, can't be written: {port.log.error}")
            if port.state == "gone":
                found.append(f"{mote} of run {run} is gone: {port.why}")
        failures = [f"the daemon's own fault: {each}" for each in self.loop.failures]
        return [each for each in found if each] + self.doors.alarms() + failures

    def answer(self, connection: Lines, received: bytes) -> None:
        """Handle one request. A fault in here is the request's own error and never ends the daemon."""
        number = None
        self._heard_us, self.received_us = now_us(), connection.read_us
        try:
            asked = protocol.message(received)
            number = asked.get("id")
            request = self._requests.get(asked.get("ask")) if isinstance(asked.get("ask"), str) else None
            if request is None:
                raise Refusal("unknown", "This daemon doesn't know that request.")
            found = request(self, asked)
            if callable(found):  # it takes a while, and answers by the function that it is given
                found(lambda later: connection.send(protocol.line(dict(later, id=number))))
                return
            message = {"id": number, "answer": found}
        except Refusal as refusal:
            message = {"id": number, "error": {"kind": refusal.kind, "text": refusal.text}}
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            message = {"id": number, "error": {"kind": "internal", "text": text}}
        connection.send(protocol.line(message))

    def _accept(self) -> None:
        try:
            connection = self._door.accept()[0]
        except OSError:
            return
        self._connections.append(
            Lines(self.loop, connection, self.answer, self._connections.remove, protocol.LONGEST_LINE)
        )

    def _look(self) -> None:
        self.loop.after(LOOK_US, self._look)
        if now_us() - self._heard_us > self._patience_us or self._deserted():
            self.stop()
            return
        self.disk.look()
        self.runs.flush()

    def _deserted(self) -> bool:
        """Return whether its folder or socket was removed.

        Nobody can reach it any more then, and it would still hold the ports.
        """
        return not os.path.exists(protocol.SOCKET)
