# SPDX-License-Identifier: Apache-2.0
"""Computes the language's arithmetic as contiki-apps/middleware/policies/policy-arithmetic.h does on motes.

Each function gets values of the type and returns one; what C leaves undefined counts a fault.
"""

from __future__ import annotations

import math
import operator as operators
import struct
from collections.abc import Callable

from orchestrator.features.policies.types import BOOL, FLOAT, LONG, ULONG, Scalar, Type

DIVISION, INDEX, TURNS, ARGUMENT, RANGE, QUEUE = (
    "division",
    "index",
    "turns",
    "argument",
    "range",
    "queue",
)
MOST_TURNS = 1000  # POLICY_MOST_TURNS
Count = Callable[[str], None]  # is called with the name of a fault


def single(value: float) -> float:
    """Return the nearest value that a float of 32 bits holds."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def wrapped(kind: Scalar, value: int) -> int:
    """Return an integer in two's complement."""
    bits = 1 << kind.bits
    value &= bits - 1
    return value - bits if value > kind.most else value


def convert(kind: Scalar, source: Type, value: float, count: Count) -> int | float:
    """Return a number of one type as a number of another."""
    if kind is BOOL:
        return int(value != 0)
    if kind is FLOAT:
        return single(value)
    if source is FLOAT:
        value = _whole(value, kind, count)
    return wrapped(kind, int(value))


def _whole(value: float, wanted: Scalar, count: Count) -> int:
    """Return a float as a uint32 if that is wanted, else as a long."""
    kind = ULONG if wanted is ULONG else LONG
    if math.isnan(value):
        count(RANGE)
        return 0
    if value == math.inf or value >= kind.most + 1:
        count(RANGE)
        return kind.most
    if value == -math.inf or (value < kind.least if kind.least else value <= -1):
        count(RANGE)
        return kind.least
    return math.trunc(value)


def compute(kind: Scalar, operator: str, left: float, right: float, count: Count) -> int | float:
    """Return the result of + - * / % & | or ^."""
    if operator in "/%":
        if right == 0 or right != right:  # noqa: PLR0124 - NaN
            count(DIVISION)
            return 0.0 if kind is FLOAT else 0
        if kind is FLOAT:
            return single(left / right)
        quotient = abs(left) // abs(right)
        if (left < 0) != (right < 0):
            quotient = -quotient
        return wrapped(kind, quotient if operator == "/" else left - quotient * right)
    value = PLAIN[operator](left, right)
    return single(value) if kind is FLOAT else wrapped(kind, value)


PLAIN = {
    "+": operators.add,
    "-": operators.sub,
    "*": operators.mul,
    "&": operators.and_,
    "|": operators.or_,
    "^": operators.xor,
}
COMPARE = {
    "==": operators.eq,
    "!=": operators.ne,
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
}


def shift(kind: Scalar, operator: str, left: int, by: int) -> int:
    """Return the result of << or >>. A shift by the width or more, or by less than 0, shifts all bits out."""
    by = kind.bits if by < 0 or by > kind.bits else by
    return wrapped(kind, left << by if operator == "<<" else left >> by)


def change(kind: Scalar, operator: str, value: float) -> int | float:
    """Return the result of a unary - or ~."""
    if kind is FLOAT:
        return -value
    return wrapped(kind, -value if operator == "-" else ~value)


def distance(kind: Scalar, left: int, other: int) -> int:
    """Return |one - other|, at most the type's largest number."""
    return min(abs(left - other), kind.most)


def index(value: int, size: int, count: Count) -> int:
    """Return an index into a vector of that size: the nearest element's."""
    if 0 <= value < size:
        return value
    count(INDEX)
    return min(max(value, 0), size - 1)


def argument(kind: Scalar, value: object, count: Count) -> object:
    """Return an event's argument as a value of a parameter's type.

    A sealed value is bytes; None is an argument that is missing.
    """
    if kind.name == "sealed":
        if isinstance(value, bytes):
            return value
        count(ARGUMENT)
        return bytes(SEALED_SIZE)
    if not isinstance(value, int | float):
        count(ARGUMENT)
        return 0.0 if kind is FLOAT else 0
    if kind is FLOAT:
        return single(value)
    if isinstance(value, float):
        value = _whole(value, kind, count)
    if kind is BOOL:
        return int(value != 0)
    if kind.bits == 32:
        return wrapped(kind, value)
    if not kind.least <= value <= kind.most:
        count(RANGE)
    return min(max(value, kind.least), kind.most)


SEALED_SIZE = 12  # POLICY_SEALED_SIZE
