# SPDX-License-Identifier: Apache-2.0
"""The machine of contiki-apps/middleware/policy-bytecode: its instructions, limits and form of a program."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from orchestrator.features.policies.types import Record, Type, Vector

FORMAT = 1
SIZE, CELLS, STACK = 256, 16, 14  # POLICY_BYTECODE_SIZE, _CELLS, _STACK
FORWARD = 255  # bytes that a jump spans at most
START, TIME = 0xFF, 0x20  # points: first values; POLICY_POINT_TIME

# In the order of their codes, as policy-bytecode-instructions.h has them.
NAMES = (
    "no_rule accept discard with arguments operate call unless_state jump unless both either again push8 "
    "push16 push32 load store load_at store_at argument node pop not truth negate complement int8 uint8 "
    "int16 uint16 add subtract multiply divide modulo unsigned_divide unsigned_modulo and or xor left right "
    "unsigned_right equal less at_most unsigned_less unsigned_at_most distance16 distance32"
).split()
CODES = {name: code for code, name in enumerate(NAMES)}
TYPES = {name: code for code, name in enumerate("bool int8 uint8 int uint16 long uint32".split())}


def cells(kind: Type) -> int:
    """How many numbers a value of that type holds."""
    if isinstance(kind, Vector):
        return kind.size * cells(kind.of)
    if isinstance(kind, Record):
        return sum(cells(of) for _, of in kind.fields)
    return 1


class TooLarge(Exception):
    """A jump spans too much. It says how far."""


@dataclass
class Label:
    """A place in the code; `at`: its byte, once it is known."""

    at: int | None = None


@dataclass
class Code:
    """Instructions one after the other. Jumps to labels are filled in when their place is known."""

    data: bytearray = field(default_factory=bytearray)
    waiting: list[tuple[int, Label]] = field(default_factory=list)

    def emit(self, name: str, *operands: int) -> None:
        """Write an instruction with operands of one byte each."""
        self.data += bytes([CODES[name], *(operand & 0xFF for operand in operands)])

    def push(self, value: int) -> None:
        """Write a number, in the shortest form."""
        for name, form, least, most in (("push8", "<b", -128, 127), ("push16", "<h", -(1 << 15), 32767)):
            if least <= value <= most:
                self.data += bytes([CODES[name]]) + struct.pack(form, value)
                return
        self.data += bytes([CODES["push32"]]) + struct.pack("<i", value)

    def forward(self, name: str, label: Label, *operands: int) -> None:
        """Write a jump to a label that comes later."""
        self.emit(name, *operands, 0)
        self.waiting.append((len(self.data) - 1, label))

    def again(self, label: Label) -> None:
        """Write a jump back."""
        distance = len(self.data) - label.at
        if distance > FORWARD:
            raise TooLarge(distance)
        self.emit("again", distance)

    def here(self, label: Label) -> None:
        """Set the label here."""
        label.at = len(self.data)
        for place, jump in self.waiting:
            if jump is label:
                distance = label.at - place - 1
                if distance > FORWARD:
                    raise TooLarge(distance)
                self.data[place] = distance
        self.waiting = [jump for jump in self.waiting if jump[1] is not label]


@dataclass(frozen=True)
class Handler:
    """Code for an event. `key`: point and topic; `period`: of a time-out, ms."""

    key: tuple[int, int]
    code: bytes
    period: int | None = None


def program(fingerprint: int, cells: int, handlers: list[Handler]) -> bytes:
    """Return a whole program."""
    ordered = sorted(handlers, key=lambda handler: handler.key)
    table = 5 + sum(4 if handler.period is None else 8 for handler in ordered)
    head, code = struct.pack("<BHBB", FORMAT, fingerprint, cells, len(ordered)), b""
    for handler in ordered:
        head += struct.pack("<BBH", *handler.key, table + len(code))
        if handler.period is not None:
            head += struct.pack("<I", handler.period)
        code += handler.code
    return head + code
