# SPDX-License-Identifier: Apache-2.0
"""The types of the language, and C's conversions between them where an int has 16 bits, as on a Tmote Sky."""

from __future__ import annotations

from typing import NamedTuple


class Scalar(NamedTuple):
    """A number or truth value.

    `c`: its name in C. `least`, `most`: the bounds of an integer; 0 and 0 for others.
    """

    name: str
    c: str
    least: int = 0
    most: int = 0

    @property
    def is_integer(self) -> bool:
        return self.most > 0

    @property
    def is_signed(self) -> bool:
        return self.least < 0

    @property
    def bits(self) -> int:
        return (self.most - self.least).bit_length()

    def __str__(self) -> str:
        return self.name


class Vector(NamedTuple):
    """`size` elements of a type."""

    of: Type
    size: int

    def __str__(self) -> str:
        return f"{self.of}[{self.size}]"


class Record(NamedTuple):
    """Named fields in order."""

    name: str
    fields: tuple[tuple[str, Type], ...]

    def __str__(self) -> str:
        return f"record {self.name}"

    def field(self, name: str) -> Type | None:
        return dict(self.fields).get(name)


Type = Scalar | Vector | Record


def _integer(name: str, c: str, bits: int, signed: bool) -> Scalar:
    return Scalar(name, c, -(1 << bits - 1) if signed else 0, (1 << bits - signed) - 1)


BOOL = Scalar("bool", "bool", 0, 1)
INT8, UINT8 = _integer("int8", "int8_t", 8, True), _integer("uint8", "uint8_t", 8, False)
INT, UINT = _integer("int", "int16_t", 16, True), _integer("uint16", "uint16_t", 16, False)
LONG, ULONG = _integer("long", "int32_t", 32, True), _integer("uint32", "uint32_t", 32, False)
FLOAT = Scalar("float", "float")
SEALED = Scalar("sealed", "struct policy_sealed")
VOID = Scalar("void", "void")

# The types by their written names. On the Tmote Sky a double has 32 bits like a float, and a char has a sign.
WRITTEN = {
    "bool": BOOL,
    "int8": INT8,
    "char": INT8,
    "signed char": INT8,
    "uint8": UINT8,
    "unsigned char": UINT8,
    "int16": INT,
    "int": INT,
    "short": INT,
    "short int": INT,
    "signed": INT,
    "signed int": INT,
    "uint16": UINT,
    "unsigned": UINT,
    "unsigned int": UINT,
    "unsigned short": UINT,
    "int32": LONG,
    "long": LONG,
    "long int": LONG,
    "signed long": LONG,
    "uint32": ULONG,
    "unsigned long": ULONG,
    "unsigned long int": ULONG,
    "float": FLOAT,
    "double": FLOAT,
    "sealed": SEALED,
}


def is_number(kind: Type) -> bool:
    """Return whether values of the type can be computed with."""
    return isinstance(kind, Scalar) and (kind.is_integer or kind is FLOAT)


def with_article(kind: Type) -> str:
    """Return the type with its article, for a sentence: "an int", "a uint8"."""
    name = str(kind)
    return f"{'an' if name.startswith('i') else 'a'} {name}"


def promoted(kind: Scalar) -> Scalar:
    """Return the type after C's integer promotion: integers narrower than an int become one."""
    return INT if kind.is_integer and kind.bits < 16 else kind


def common(first: Scalar, other: Scalar) -> Scalar:
    """Return the type in which two numbers meet, by C's usual arithmetic conversions."""
    if FLOAT in (first, other):
        return FLOAT
    first, other = promoted(first), promoted(other)
    if first.bits != other.bits:
        return first if first.bits > other.bits else other
    return other if first.is_signed else first


def of_constant(value: int, suffix: str, decimal: bool) -> Scalar | None:
    """Return the type of an integer constant: the first one that holds it. None: no type does."""
    fitting = [INT, UINT, LONG, ULONG]
    if "u" in suffix:
        fitting = [UINT, ULONG]
    elif decimal:
        fitting = [INT, LONG, ULONG]
    if "l" in suffix:
        fitting = [kind for kind in fitting if kind.bits == 32]
    return next((kind for kind in fitting if value <= kind.most), None)
