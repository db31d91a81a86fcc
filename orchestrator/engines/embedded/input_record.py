# SPDX-License-Identifier: Apache-2.0
"""Records of what came into a simulation from outside, with simulated times.

A run that is given a record instead of its sockets has the same log. A record is a file of lines of JSON. The
first says what was simulated, the others are the kernel's (kernel/outside/input.h).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.durable import sha256
from orchestrator.errors import Fault, FaultyInput, NoSuchThing, StorageFailed, WrongUsage

if TYPE_CHECKING:
    from orchestrator.engines.embedded.described import Described

NAME = "serial-input.jsonl"  # beside the log
_KIND = "orchestrate serial input"
_VERSION = 1
_LATEST_US = 1 << 53  # as of the kernel
_LONGEST = 1 << 20  # bytes of a line; the kernel reads 16 KB at once
_MOST_FAULTS = 20
_REMEDY = f"use a {NAME} as `orchestrate simulate` wrote it"


@dataclass(frozen=True)
class InputRecord:
    """A record. `inputs`: time in us, mote's place from 0, bytes in hexadecimal, in their order.

    `stop`: time and verdict of an end from outside. `whole`: the session had an end. `seed` and `rules` are
    the run's, `simulation` identifies what surrounds the input (identity()), `firmware` has hashes.
    """

    file: Path
    seed: int
    rules: str
    simulation: str
    firmware: dict[str, str]
    inputs: tuple[tuple[int, int, str], ...] = ()
    stop: tuple[int, bool] | None = None
    whole: bool = False


def head(file: Path, described: Described, seed: int, rules: str, firmware: dict[str, Path]) -> bytes:
    """Return the first line of a record that begins."""
    return (
        json.dumps(
            {
                "record": _KIND,
                "version": _VERSION,
                "file": file.name,
                "seed": seed,
                "rules": rules,
                "simulation": identity(described),
                "firmware": {name: sha256(path) for name, path in sorted(firmware.items())},
            }
        ).encode()
        + b"\n"
    )


def identity(described: Described) -> str:
    """Return a hash of the motes, their types and the radio medium. Script and firmware may change."""
    setting, _, _ = described.setting.partition(b"\ntimeout ")
    types = [(one.identifier, one.interfaces) for one in described.mote_types]
    return hashlib.sha256(repr((setting, types, described.motes)).encode()).hexdigest()


def read(path: Path) -> InputRecord:
    """Read a record. Raises NoSuchThing, and FaultyInput with every fault."""
    if not path.is_file():
        raise NoSuchThing(f"{path}: no such file; a session's record is {NAME} beside its log")
    with path.open("rb") as stream:
        return _Reading(path).read(iter(lambda: stream.readline(_LONGEST), b""))


def check(
    record: InputRecord, described: Described, rules: str, seed: int | None, firmware: dict[str, Path]
) -> tuple[str, ...]:
    """Return notes on a record for this simulation.

    Raises FaultyInput if it is of another one, and WrongUsage for another seed or other rules than its own.
    """
    if record.simulation != identity(described):
        raise FaultyInput(
            [
                Fault(
                    str(record.file),
                    1,
                    "this was recorded with another simulation: its motes, mote types or radio medium differ",
                    "name the .csc that it was recorded with, or record a session with this one",
                )
            ]
        )
    motes = len(described.mote_ids())
    if (most := max((mote for _, mote, _ in record.inputs), default=0)) >= motes:
        what = f"input for a mote at place {most}, and there are {motes}, from 0"
        raise FaultyInput([Fault(str(record.file), 0, what, _REMEDY)])
    if seed is not None and seed != record.seed:
        raise WrongUsage(f"{record.file} was recorded with the seed {record.seed}; leave --seed {seed} out")
    if rules != record.rules:
        raise WrongUsage(
            f"{record.file} was recorded with the rules {record.rules}, not {rules}: --rules {record.rules}"
        )
    notes = []
    changed = sorted(name for name, path in firmware.items() if record.firmware.get(name, "") != sha256(path))
    if changed:
        notes.append(
            f"{record.file}: the firmware of {', '.join(changed)} is not the one of the record, so the log "
            "may differ"
        )
    if not record.whole:
        notes.append(
            f"{record.file}: its session was cut off; after the last input the run goes on by itself"
        )
    return tuple(notes)


@dataclass
class _Reading:
    """Reads the lines of a record and collects their faults."""

    path: Path
    faults: list[Fault] = field(default_factory=list)
    inputs: list[tuple[int, int, str]] = field(default_factory=list)
    stop: tuple[int, bool] | None = None
    whole: bool = False
    at: int = 0  # us, of the line before

    def read(self, lines: Iterable[bytes]) -> InputRecord:
        first: dict | None = None
        for number, line in enumerate(lines, 1):
            value = self._value(number, line)
            if value is None:
                pass
            elif number == 1:
                first = self._head(value)
            else:
                self._line(number, value)
            if len(self.faults) >= _MOST_FAULTS or (number == 1 and first is None):
                break
        if first is None and not self.faults:
            self._fault(1, "the file is empty")
        if self.faults:
            raise FaultyInput(self.faults)
        return InputRecord(
            self.path,
            first["seed"],
            first["rules"],
            first["simulation"],
            first["firmware"],
            tuple(self.inputs),
            self.stop,
            self.whole,
        )

    def _fault(self, number: int, what: str) -> None:
        self.faults.append(Fault(str(self.path), number, what, _REMEDY))

    def _value(self, number: int, line: bytes) -> dict | None:
        if not line.endswith(b"\n") and number > 1:
            return None  # the session was killed while it wrote this
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            self._fault(number, "not a line of a record of serial input")
            return None
        return value

    def _head(self, value: dict) -> dict | None:
        if value.get("record") != _KIND:
            self._fault(1, "not a record of serial input")
        elif value.get("version") != _VERSION:
            self._fault(1, f"a record of version {str(value.get('version'))[:20]}, not {_VERSION}")
        elif not (
            type(value.get("seed")) is int
            and -(1 << 63) <= value["seed"] < 1 << 63
            and isinstance(value.get("rules"), str)
            and isinstance(value.get("simulation"), str)
            and isinstance(value.get("firmware"), dict)
        ):
            self._fault(1, "its first line lacks the seed, the rules, the simulation or the firmware")
        else:
            return value
        return None

    def _line(self, number: int, value: dict) -> None:
        time_us = value.get("us")
        if type(time_us) is not int or not 0 <= time_us <= _LATEST_US:
            self._fault(number, "no time in us")
            return
        if self.whole:
            self._fault(number, "a line behind the end of the session")
        elif time_us < self.at:
            self._fault(number, f"{time_us} us is before the line above")
        elif value.get("end") is True:
            self.whole = True
        elif self.stop is not None or time_us == 0:
            self._fault(number, "input when the run had ended, or before it had begun")
        elif type(value.get("stop")) is bool:
            self.stop = (time_us, value["stop"])
        else:
            self._input(number, time_us, value)
        self.at = max(self.at, time_us)

    def _input(self, number: int, time_us: int, value: dict) -> None:
        mote, text = value.get("mote"), value.get("hex")
        try:
            data = bytes.fromhex(text) if isinstance(text, str) else b""
        except ValueError:
            data = b""
        if type(mote) is not int or mote < 0 or not data:
            self._fault(number, "neither a mote's place and its bytes in hexadecimal, nor an end")
        else:
            self.inputs.append((time_us, mote, data.hex()))


def begin(path: Path, first: bytes) -> int:
    """Begin a record; return the open file. Raises StorageFailed."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_APPEND, 0o666)
        os.write(file, first)
    except OSError as error:
        raise StorageFailed(
            f"{path} can't be written: {error.strerror}\n    free space, or choose another folder (--logdir)"
        ) from error
    return file
