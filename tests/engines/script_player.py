# SPDX-License-Identifier: Apache-2.0
"""Plays a script's process by its messages (kernel/script/javascript.h): a test says what it answers to each
line.
"""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from script_messages import Kind

from orchestrator.engines.embedded.script.host import MESSAGE


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
            ours.sendall(MESSAGE.pack(*head) + message.text)

        def hear() -> Message | None:
            head = stream.read(MESSAGE.size)
            if len(head) < MESSAGE.size:
                return None
            kind, mote, number, x, y, z, length, _ = MESSAGE.unpack(head)
            return Message(kind, mote, number, (x, y, z), stream.read(length))

        try:
            say(Message(Kind.WAIT))  # it has no code before the first line
            while (heard := hear()) is not None:
                answer, told = None, script(heard)
                while (message := _next(told, answer)) is not None:
                    say(message)
                    answer = hear() if message.kind >= Kind.GENERATE_MOTE else None
                say(Message(Kind.VERDICT, number=1) if heard.kind == Kind.TIMEOUT else Message(Kind.WAIT))
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
