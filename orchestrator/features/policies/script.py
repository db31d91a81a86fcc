# SPDX-License-Identifier: Apache-2.0
"""Reads lists of events for the reference interpreter, for `orchestrate policy run`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from orchestrator.errors import WrongUsage
from orchestrator.features.policies.extensions import Function, Library
from orchestrator.features.policies.interpreter import Caller, Event, Value, nothing
from orchestrator.features.policies.manager import Manager, Told
from orchestrator.features.policies.model import DIRECTIONS, OPERATIONS, Point
from orchestrator.vocabulary.faults import Faults
from orchestrator.words import did_you_mean

_EVENT = re.compile(r"(\S+)\s+(\w+)\s+([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_TIME = re.compile(r"[0-9]{1,18}")
MOST_MS = 86_400_000  # that one line can let pass: a day


def returning(given: Sequence[str], library: Library) -> Caller:
    """Return an extension whose functions have fixed results, given as FUNCTION=N. Raises WrongUsage."""
    results: dict[str, float] = {}
    for statement in given:
        name, _, value = statement.partition("=")
        if name not in library.functions or not _NUMBER.fullmatch(value):
            raise WrongUsage(
                f"--return {statement} is not FUNCTION=N with a function that an extension declares\n"
                f"    those are {', '.join(sorted(library.functions))}"
            )
        results[name] = float(value) if "." in value else int(value)

    def call(function: Function, arguments: Sequence[Value]) -> Value:
        return results[function.name] if function.name in results else nothing(function, arguments)

    return call


def play(manager: Manager, path: Path) -> Iterator[str]:
    """Yield the manager's actions for each line. Raises FaultyInput before the first action."""
    for line, step in _read(path):
        yield f"{manager.now} ms  {line}"
        begin = len(manager.told)
        if isinstance(step, int):
            manager.advance(manager.now + step)
        else:
            manager.event(Event(step[0], list(step[1])))
        yield from (f"    {_as_line(record)}" for record in manager.told[begin:])


def _as_line(record: Told) -> str:
    values = ", ".join(
        value.hex() if isinstance(value, bytes) else f"{value:g}" for value in record.arguments
    )
    text = record.where + (f"({values})" if values else "")
    if record.extensions:
        text += f" with {', '.join(record.extensions)}"
    return f"{record.what}: {record.policy + ': ' if record.policy else ''}{text}"


def _read(path: Path) -> list[tuple[str, int | tuple[Point, list[Value]]]]:
    faults, steps = Faults(str(path)), []
    text = path.read_bytes().decode("utf-8", "replace")
    for number, line in enumerate(text.splitlines(), 1):
        step = line.split("//")[0].strip()
        if not step:
            continue
        words = step.split()
        if (
            words[0] == "advance"
            and len(words) == 2
            and _TIME.fullmatch(words[1])
            and int(words[1]) <= MOST_MS
        ):
            steps.append((step, int(words[1])))
            continue
        match = _EVENT.fullmatch(step)
        values = [] if not match or not match[4] else [text.strip() for text in match[4].split(",")]
        if not match or not all(_NUMBER.fullmatch(value) for value in values):
            faults.add(
                number, f"{step!r} is not an event", "write C-B notify Topic(1, 2.5), or advance MILLISECONDS"
            )
            continue
        for given, choices in ((match[1], DIRECTIONS), (match[2], OPERATIONS)):
            if given not in choices:
                faults.add(
                    number, f"there is no {given}", did_you_mean(given, choices) or f"{', '.join(choices)}"
                )
        numbers = [float(value) if "." in value else int(value) for value in values]
        steps.append((step, (Point(match[1], match[2], match[3]), numbers)))
    faults.raise_any()
    return steps
