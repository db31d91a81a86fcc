# SPDX-License-Identifier: Apache-2.0
"""Conditions on an event's data, in the form in which they travel (beyond the thesis).

A condition is code for a stack of truth values. 0x40 to 0x7f is a comparison: three bits of the integer's
type, three of the comparison, then the integer's offset in the data (a byte) and the constant, both as the
type says, little-endian. 1 is "and", 2 "or", 3 "not". Whoever evaluates it needs no description of the event.
contiki-apps/middleware/event-terms/event-condition.c is the same for motes; tests compare the two.
"""

from __future__ import annotations

import operator
import struct
from functools import lru_cache

AND, OR, NOT, COMPARISON = 1, 2, 3, 0x40
TYPES = ("u8", "u16", "u32", "i8", "i16", "i32")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
LONGEST = 32  # bytes of code
DEEPEST = 8  # truth values on the stack

_STRUCTS = tuple(map(struct.Struct, ("<B", "<H", "<I", "<b", "<h", "<i")))
_COMPARE = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


class NotACondition(ValueError):
    """The code is no condition; the message says why."""


@lru_cache(maxsize=1024)
def read(code: bytes) -> tuple:
    """Return the steps of a condition: (operation, type, offset, constant). Raises NotACondition."""
    if len(code) > LONGEST:
        raise NotACondition(f"a condition has {LONGEST} bytes at most, not {len(code)}")
    steps, at, depth = [], 0, 0
    while at < len(code):
        kind, comparison = code[at] >> 3 & 7, code[at] & 7
        if code[at] in (AND, OR, NOT):
            depth -= code[at] != NOT
            if depth < 1:
                raise NotACondition("a condition lacks an operand")
            steps.append((code[at], 0, 0, 0))
            at += 1
        elif code[at] >> 6 == 1 and kind < len(TYPES) and comparison < len(COMPARISONS):
            of = _STRUCTS[kind]
            if at + 2 + of.size > len(code):
                raise NotACondition("a condition is cut short")
            steps.append((code[at], kind, code[at + 1], of.unpack_from(code, at + 2)[0]))
            at += 2 + of.size
            depth += 1
            if depth > DEEPEST:
                raise NotACondition(f"a condition keeps more than {DEEPEST} values")
        else:
            raise NotACondition(f"a condition has the unknown operation {code[at]}")
    if code and depth != 1:
        raise NotACondition("a condition has no single result")
    return tuple(steps)


def holds(code: bytes, data: bytes) -> bool:
    """Whether an event with this data meets the condition; an empty one is always met.

    A comparison with what the data doesn't have is false.
    """
    stack = []
    for operation, kind, offset, constant in read(code):
        if operation == NOT:
            stack[-1] = not stack[-1]
        elif operation in (AND, OR):
            last = stack.pop()
            stack[-1] = (stack[-1] and last) if operation == AND else (stack[-1] or last)
        else:
            of = _STRUCTS[kind]
            there = offset + of.size <= len(data)
            stack.append(there and _COMPARE[operation & 7](of.unpack_from(data, offset)[0], constant))
    return stack[0] if stack else True
