# SPDX-License-Identifier: Apache-2.0
"""Flashing: a tool runs beside the loop, while the mote's port is lent to it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import time
from typing import Callable, NamedTuple

from orchestrate_testbed.gateway import clocks, protocol, serial_image
from orchestrate_testbed.gateway.daemon import Daemon
from orchestrate_testbed.gateway.flashing import TOOLS, versions
from orchestrate_testbed.gateway.flashing.tool import Job, Tool, by_serial, started
from orchestrate_testbed.gateway.protocol import Refusal

RECORD = "flashed.jsonl"  # one line for each flashing
MOST_OUTPUT = 64 * 1024  # bytes of a tool's output, the last ones
LOOK_US = 20 * 1000  # between two looks whether a tool that closed its output has ended


def tools() -> dict:
    """Return the program of each tool on this gateway; empty if it isn't installed.

    Tools without an entry need no program.
    """
    return {name: _program(tool) for name, tool in TOOLS.items() if tool.programs}


def request(daemon: Daemon, asked: dict) -> Callable:
    """Start a tool; the answer is sent when the tool has ended."""
    tool = TOOLS.get(protocol.text(asked, "tool"))
    if tool is None:
        raise Refusal("tool", "The tools are: {}.".format(", ".join(sorted(TOOLS))))
    device, firmware = protocol.text(asked, "device"), os.path.abspath(protocol.text(asked, "firmware"))
    path = protocol.text(asked, "image", "")
    options = asked.get("options", {})
    if not isinstance(options, dict):
        raise Refusal("malformed", "'options' has to be an object.")
    _check(firmware, protocol.text(asked, "sha256"), tool)
    job = Job(firmware, device, os.path.abspath(path) if path else "", options)
    command = tool.arguments(job)
    image = image_at(job.image) if by_serial(tool, job) else b""
    baud = protocol.number(asked, "baud", 1, 1 << 24)
    if tool.programs:
        program = _program(tool)
        if not program:
            raise Refusal("tool", "None of {} is on this gateway's PATH.".format(", ".join(tool.programs)))
        command = [program, *command]
    timeout_s = protocol.number(asked, "timeout_s", 1, 3600, 300)

    def begin(answer: Callable) -> None:
        Flashing(daemon, Task(tool, job, command, asked["sha256"], timeout_s, image, baud), answer)

    if tool.version and command[0] not in daemon.versions:
        return lambda answer: _ask_version(daemon, [command[0], *tool.version], begin, answer)
    return begin


def send_image(daemon: Daemon, asked: dict) -> Callable:
    """Send a mote its image by the serial line: one that keeps it in RAM has lost it as it was reset."""
    device, content = protocol.text(asked, "device"), image_at(os.path.abspath(protocol.text(asked, "image")))
    baud = protocol.number(asked, "baud", 1, 1 << 24)

    def begin(answer: Callable) -> None:
        if device in daemon.flashing:
            raise Refusal("busy", f"{device} is being flashed.")

        def then(failure: str) -> None:
            daemon.flashing.discard(device)
            answer({"answer": {"failure": failure}})

        serial_image.Sent(daemon, device, baud, content, then)
        daemon.flashing.add(device)

    return begin


def image_at(path: str) -> bytes:
    """Return an image that goes by the serial line. Raises Refusal."""
    try:
        with open(path, "rb") as file:
            found = file.read(serial_image.LONGEST + 1)
    except OSError as error:
        raise Refusal("image", f"{path} can't be read: {error.strerror}.") from None
    if not 2 <= len(found) <= serial_image.LONGEST:
        raise Refusal("image", f"{path} is no image: it has {len(found)} bytes.")
    return found


def _ask_version(daemon: Daemon, command: list, begin: Callable, answer: Callable) -> None:
    """Ask a tool for its version, once in the daemon's life, and then flash."""

    def then(version: str) -> None:
        daemon.versions[command[0]] = version
        try:
            begin(answer)
        except Refusal as refusal:
            answer({"error": {"kind": refusal.kind, "text": refusal.text}})

    try:
        versions.Asking(daemon.loop, command, then)
    except OSError as error:
        raise Refusal("tool", f"{command[0]} can't be started: {error.strerror}.") from None


def _program(tool: Tool) -> str:
    return next((found for found in map(shutil.which, tool.programs) if found), "")


def _check(firmware: str, sha256: str, tool: Tool) -> None:
    """Check that the file is the intended one: firmware cut in its transfer could ruin the mote."""
    if tool.suffixes and not firmware.endswith(tool.suffixes):
        text = "{} takes files that end in {}.".format(tool.name, ", ".join(tool.suffixes))
        raise Refusal("firmware", text)
    try:
        with open(firmware, "rb") as file:
            found = hashlib.sha256(file.read()).hexdigest()
    except OSError as error:
        raise Refusal("firmware", f"{firmware} can't be read: {error.strerror}.") from None
    if found != sha256:
        raise Refusal("firmware", f"{firmware} isn't the file that was sent: its SHA-256 is {found}.")


class Task(NamedTuple):
    """What a tool is to do. `sha256`: of the firmware; `image`: what goes by the serial line after it."""

    tool: Tool
    job: Job
    command: list
    sha256: str
    timeout_s: int
    image: bytes
    baud: int


class Flashing:
    """A tool that runs."""

    def __init__(self, daemon: Daemon, task: Task, answer: Callable):
        self._daemon = daemon
        self._task = task
        self._device = task.job.device
        self._answer = answer
        self._output = b""
        self._late = False
        self._began = time.monotonic()
        self._port = daemon.runs.on_device(self._device)
        if self._device in daemon.flashing:
            raise Refusal("busy", f"{self._device} is being flashed.")
        if self._port is not None:
            self._port.lend()
        try:
            self._process = started(task.command)
        except OSError as error:
            if self._port is not None:
                self._port.take_back()
            raise Refusal("tool", f"{task.command[0]} can't be started: {error.strerror}.") from None
        daemon.flashing.add(self._device)
        self._limit = daemon.loop.after(task.timeout_s * 1000 * 1000, self._too_long)
        daemon.loop.watch(self._process.stdout, read=self._read)

    def _read(self) -> None:
        part = os.read(self._process.stdout.fileno(), 65536)
        self._output = (self._output + part)[-MOST_OUTPUT:]
        if not part:
            self._daemon.loop.watch(self._process.stdout)
            self._process.stdout.close()
            self._end()

    def _too_long(self) -> None:
        self._late = True
        os.killpg(self._process.pid, signal.SIGKILL)

    def _end(self) -> None:
        if self._process.poll() is None:
            self._daemon.loop.after(LOOK_US, self._end)
            return
        self._daemon.loop.cancel(self._limit)
        output = self._output.decode("utf-8", "replace")
        failure = (
            "it took too long" if self._late else self._task.tool.failure(self._process.returncode, output)
        )
        if failure or not self._task.image:
            self._finish(output, failure)
            return
        self._take_back()
        try:
            serial_image.Sent(
                self._daemon,
                self._device,
                self._task.baud,
                self._task.image,
                lambda why: self._finish(output, why),
            )
        except Refusal as refusal:
            self._finish(output, refusal.text)

    def _finish(self, output: str, failure: str) -> None:
        self._daemon.flashing.discard(self._device)
        found = {
            "tool": self._task.tool.name,
            "device": self._device,
            "firmware": self._task.job.firmware,
            "sha256": self._task.sha256,
            "version": self._daemon.versions.get(self._task.command[0]) or versions.read(output, False),
            "failure": failure,
            "seconds": round(time.monotonic() - self._began, 3),
            "at_us": clocks.wall_us(),
        }
        if self._task.image:
            found["image"] = {"sha256": hashlib.sha256(self._task.image).hexdigest(), "by": "serial line"}
        if self._port is not None:
            self._port.log.note(event="flashed", **found)
        self._take_back()
        _note(found)
        self._answer({"answer": dict(found, output=output[-4096:], untested=self._task.tool.untested)})

    def _take_back(self) -> None:
        if self._port is not None and self._port.state == "lent":
            self._port.take_back()


def _note(found: dict) -> None:
    try:
        with open(RECORD, "a", encoding="ascii") as file:
            file.write(json.dumps(found, sort_keys=True) + "\n")
    except OSError:
        pass  # a full disk must not stop flashing; the answer has the same facts
