# SPDX-License-Identifier: Apache-2.0
"""Plays a script's process by its messages (kernel/script/javascript.h): a test says what it answers to each
line.
"""

from __future__ import annotations

import json
import socket
import struct
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LINE, TIMEOUT, WAIT, VERDICT, LOG, MOVE, SET_ID = 1, 2, 10, 11, 20, 21, 22
ADD, REMOVE, WRITE, GENERATE, PRESS, RELEASE, CLICK, SIGNAL_PIR, VIBRATE = range(30, 39)
GENERATE_MOTE, MOTES, MOTE, IS_PRESSED = range(40, 44)
_MESSAGE = struct.Struct("=IIqdddII")  # kind, mote, number, x, y, z, length, zero


@dataclass(frozen=True)
class Message:
    kind: int
    mote: int = 0
    number: int = 0
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    text: bytes = b""


@dataclass(frozen=True)
class Played:
    status: int
    report: dict
    log: list[str]
    errors: str


def play(
    kernel: Path,
    description: bytes,
    log: Path,
    script: Callable[[Message], Iterator[Message]],
    *arguments: str,
) -> Played:
    """`script` yields what it tells the simulation at a line; its yield returns a question's answer."""
    ours, theirs = socket.socketpair()
    with ours, ours.makefile("rb") as stream:
        with theirs:
            process = subprocess.Popen(
                [kernel, "--log", log, "--script", str(theirs.fileno()), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
            )
        process.stdin.write(description)
        process.stdin.close()

        def say(message: Message) -> None:
            head = (message.kind, message.mote, message.number, *message.place, len(message.text), 0)
            ours.sendall(_MESSAGE.pack(*head) + message.text)

        def hear() -> Message | None:
            head = stream.read(_MESSAGE.size)
            if len(head) < _MESSAGE.size:
                return None
            kind, mote, number, x, y, z, length, _ = _MESSAGE.unpack(head)
            return Message(kind, mote, number, (x, y, z), stream.read(length))

        try:
            say(Message(WAIT))  # it has no code before the first line
            while (heard := hear()) is not None:
                answer, told = None, script(heard)
                while (message := _next(told, answer)) is not None:
                    say(message)
                    answer = hear() if message.kind >= GENERATE_MOTE else None
                say(Message(VERDICT, number=1) if heard.kind == TIMEOUT else Message(WAIT))
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has ended by itself, and its report says why
        output, errors = process.stdout.read(), process.stderr.read().decode()
        process.stdout.close()
        process.stderr.close()
    status = process.wait()
    lines = log.read_text().splitlines() if log.exists() else []
    return Played(status, json.loads(output or "{}"), lines, errors)


def _next(told: Iterator[Message], answer: Message | None) -> Message | None:
    try:
        return told.send(answer)
    except StopIteration:
        return None
