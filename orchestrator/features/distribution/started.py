# SPDX-License-Identifier: Apache-2.0
"""Nodes of a system that were started, on this machine or on gateways: lines of JSON in both directions.

Nothing that a node says is believed beyond its form: it may be on a gateway.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Queue
from typing import Any, BinaryIO, Protocol

from orchestrate_testbed.gateway import protocol
from orchestrate_testbed.gateway.distribution.table import KINDS, NodeTable
from orchestrate_testbed.gateway.distribution.work import CAUSES
from orchestrate_testbed.untrusted import shown

from orchestrator.errors import RunFailed

_NODE = "orchestrate_testbed.gateway.distribution.node"
START_S = 120.0  # for a node to say where it listens
GRACE_S = 300.0  # beyond the duration: for nodes to find each other, and to hand over what they logged
LONGEST_LINE = 4096  # bytes
MOST_LINES = 5_000_000  # of a node: half a day of the paper's scenarios
_MOST_FAULT = 300  # characters


class Streams(Protocol):
    """The interface of a started process, here or at the other end of a connection."""

    stdin: BinaryIO
    stdout: BinaryIO
    stderr: BinaryIO


class Started:
    """One node. `end`: ends the process; it ends by itself, too, when its standard input is closed."""

    def __init__(self, name: str, streams: Streams, end: Callable[[], None]):
        self.name, self._streams, self._end = name, streams, end
        self._lines: Queue[bytes] = Queue()
        self._errors = bytearray()
        self._threads = [
            threading.Thread(target=each, name=f"{name}'s output", daemon=True)
            for each in (self._read, self._read_errors)
        ]
        for each in self._threads:
            each.start()

    def tell(self, message: dict) -> None:
        """Send a line. One that the node doesn't take is noticed by its silence."""
        with suppress(OSError, EOFError):
            self._streams.stdin.write(json.dumps(message).encode("ascii") + b"\n")
            self._streams.stdin.flush()

    def line(self, timeout_s: float) -> bytes | None:
        """Return the next line, b"" at the end; None if none comes in that many s."""
        try:
            return self._lines.get(timeout=timeout_s)
        except Empty:
            return None

    def failed(self, why: str) -> RunFailed:
        """Return the error, with the last that the node wrote to standard error."""
        self._threads[1].join(1)
        last = shown(self._errors.decode("utf-8", "replace").strip()[-_MOST_FAULT:])
        return RunFailed(f"{self.name}: {why}" + (f": {last}" if last else ""))

    def end(self) -> None:
        """End the node."""
        self._end()
        for each in self._threads:
            each.join(5)

    def _read(self) -> None:
        with suppress(OSError, ValueError, EOFError):
            for _ in range(MOST_LINES):
                line = self._streams.stdout.readline(LONGEST_LINE + 1)
                self._lines.put(line)
                if not line:
                    return
        self._lines.put(b"")

    def _read_errors(self) -> None:
        with suppress(OSError, ValueError, EOFError):
            while data := self._streams.stderr.readline(LONGEST_LINE):
                self._errors += data
                del self._errors[:-LONGEST_LINE]


def here(name: str) -> Started:
    """Start a node on this machine."""
    process = subprocess.Popen(
        [sys.executable, "-m", _NODE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )

    def end() -> None:
        process.kill()  # its tasks end with it
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):  # the part that it didn't read
                stream.close()  # type: ignore[union-attr]

    return Started(name, process, end)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Here:
    """The address on which a node listens.

    `place`: of it among the nodes of its machine, from 0 on; `shares`: whether there are more of them than
    processors. `refused`: why it has no real-time priorities, "" if it has.
    """

    control: list
    place: int
    shares: bool
    refused: str


class Steps:
    """The protocol of the nodes, in the order of a run."""

    def __init__(self, nodes: Sequence[Started], tables: Sequence[NodeTable]):
        self._nodes, self._tables = nodes, tables

    def listening(self) -> list[Here]:
        """Wait for all nodes to say where they listen. Raises RunFailed."""
        listeners: list[Here] = []
        boots: list[str] = []
        for started in self._nodes:
            message = _message(started, started.line(START_S))
            if message is None:
                raise started.failed("the node did not start")
            control, boot = message.get("control"), message.get("boot")
            processors, refused = message.get("processors"), message.get("refused")
            if not (
                isinstance(control, list)
                and [type(each) for each in control] == [str, int]
                and isinstance(boot, str)
                and type(processors) is int
                and isinstance(refused, str)
            ):
                raise started.failed("what answers is no node of this version")
            place = boots.count(boot)
            boots.append(boot)
            listeners.append(Here(control, place, place >= processors, shown(refused[:_MOST_FAULT])))
        return listeners

    def ended(self, lasts_s: float) -> list[list[dict]]:
        """Wait for the logs of all nodes. Raises RunFailed."""
        return [
            self._records(started, table, lasts_s + GRACE_S)
            for started, table in zip(self._nodes, self._tables)
        ]

    def _records(self, started: Started, table: NodeTable, patience_s: float) -> list[dict]:
        records: list[dict] = []
        last: dict | None = None
        names = {task.name for task in table.tasks}
        while line := started.line(patience_s):
            message = _message(started, line) or {}
            record = _record(message, names)
            if record is None:
                raise started.failed("it logged something that its table has not")
            if record:
                records.append(record)
            last = record if "steps" in record else last
        if line is None:
            raise started.failed("it said nothing for too long")
        if last is None:
            raise started.failed("it ended before the system did")
        return records


def _message(started: Started, line: bytes | None) -> dict | None:
    """Return a line's message; None if there is none. Raises RunFailed for a fault that the node tells."""
    if not line:
        return None
    try:
        record = protocol.record(line)
    except ValueError:
        raise started.failed("it wrote a line that is not a message") from None
    if "fault" in record:
        raise started.failed(shown(str(record["fault"])[:_MOST_FAULT]))
    return record


def _numbers(values: Sequence[Any]) -> bool:
    return all(type(value) is int and abs(value) < 1 << 62 for value in values)


def _record(message: dict, names: set[str]) -> dict | None:
    """Return what a node logged, with nothing else in it; {} of what doesn't count; None if it is faulty.

    `names`: of its tasks.
    """
    if "malformed" in message and "steps" not in message:
        return {}
    if "steps" in message:
        values = {name: message.get(name) for name in ("steps", "error", "exchanges", "malformed")}
        return values if _numbers(list(values.values())) else None
    if not _numbers([message.get("at")]):
        return None
    none, job, age, cause = message.get("none"), message.get("job"), message.get("age"), message.get("cause")
    if isinstance(none, str) and none in names:
        return {"at": message["at"], "none": none}
    if _fields(job, 2, 6) and job[0] in names and job[1] in KINDS and cause in ("", *CAUSES):
        return {"at": message["at"], "job": job, "cause": cause}
    if _fields(age, 1, 5) and age[0] in names:
        return {"at": message["at"], "age": age}
    return None


def _fields(values: Any, texts: int, many: int) -> bool:
    """Whether these are so many fields, the first of them texts and the others numbers."""
    return (
        isinstance(values, list)
        and len(values) == many
        and all(isinstance(value, str) for value in values[:texts])
        and _numbers(values[texts:])
    )
