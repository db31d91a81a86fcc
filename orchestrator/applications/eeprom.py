# SPDX-License-Identifier: Apache-2.0
"""The EEPROM image of a mote: little-endian, no padding, in the order of the application's descriptor.

Role, configured routes and parameters are data in the mote's EEPROM, not code (Schiefer, Steup, Kaiser, 2013,
section 5.2: "configured statically in the EEPROM of the node").
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from orchestrator.applications import extension
from orchestrator.applications.extension import Source
from orchestrator.applications.model import Application, EepromField
from orchestrator.errors import Fault, FaultyInput
from orchestrator.vocabulary import units

SIZE = 1024  # bytes: Cooja's EEPROM interface
RANGES = {
    "u8": (0, 2**8 - 1),
    "u16": (0, 2**16 - 1),
    "u32": (0, 2**32 - 1),
    "i16": (-(2**15), 2**15 - 1),
    "i32": (-(2**31), 2**31 - 1),
}
_OF_THE_LAYOUT = {
    **dict.fromkeys(
        ("role", "id", "index", "parent", "control", "subscriber", "publishers", "publishers_through")
        + ("depth", "deepest", "topic", "second_parent", "second_through"),
        Source(section="topology"),
    ),
    **dict.fromkeys(("children", "neighbours", "motes"), Source(is_list=True, section="topology")),
}
TIMES = ("duration", "drain", "begins")
_SOURCES = {**_OF_THE_LAYOUT, **dict.fromkeys((*TIMES, "seed", "trace"), Source())}


def sources(app: Application) -> dict[str, Source]:
    """Return what a field of the application's image may name as its source.

    A parameter that lists motes gives a mote's place in the list (from 1; 0: it is not in it), any other its
    value; a text is no source.
    """
    extended = extension.sources(app)
    handled = {name.partition(".")[2] for name in extended if "." in name}
    return {
        **_SOURCES,
        **{
            f"{'listed' if declared.type == 'motes' else 'parameter'}.{name}": Source()
            for name, declared in app.parameters.items()
            if declared.type != "text" and name not in handled
        },
        **extended,
    }


class _DoesNotFit(ValueError):
    def __init__(self, what: str, remedy: str = "change the setting, or the field's type or unit"):
        super().__init__(what)
        self.remedy = remedy


class Encoder:
    """Images of motes that share some facts, `common`: what those say is encoded once.

    Facts are the values of the sources (int, bool, a word, or a list of mote ids), parameters as
    "parameter.NAME" with inner values. If neither has the seed, it is left open, so that images of many
    seeds are made at once.
    """

    def __init__(self, application: Application, common: Mapping[str, Any]):
        self._application, self._common = application, common
        self._shared: dict[int, bytes] = {}

    def parts(self, own: Mapping[str, Any], mote: str) -> tuple[bytes | EepromField, ...]:
        """Return an image in pieces: bytes, and the fields that hold the seed.

        `own`: facts of this mote alone; `mote` is what messages call it. Raises FaultyInput with all that do
        not fit.
        """
        pieces: list[bytes | EepromField] = []
        run, size, faults = bytearray(), 0, []
        for number, field in enumerate(self._application.eeprom):
            if field.source == "seed" and "seed" not in own and "seed" not in self._common:
                pieces += [bytes(run), field]
                run = bytearray()
                size += RANGES[field.type][1].bit_length() // 8
                continue
            try:
                part = self._field(number, field, own)
            except _DoesNotFit as wrong:
                faults.append(self._fault(field, mote, wrong))
                continue
            run += part
            size += len(part)
        if size > SIZE:
            what = f"EEPROM of {mote}: the image has {size} bytes, {SIZE} fit"
            faults.append(Fault(str(self._application.file), 0, what, "use fewer motes, or smaller fields"))
        if faults:
            raise FaultyInput(faults)
        return (*pieces, bytes(run))

    def seeded(self, motes: Mapping[str, tuple[bytes | EepromField, ...]], seed: int) -> list[bytes]:
        """Return the images of motes with a seed, by what messages call them.

        Raises FaultyInput if it does not fit.
        """
        held: dict[str, bytes] = {}
        faults = []
        for field in self._application.eeprom:
            if field.source == "seed":
                try:
                    held[field.name] = _bytes(field, _numbers(self._application, field, {"seed": seed}))
                except _DoesNotFit as wrong:
                    faults += [self._fault(field, mote, wrong) for mote in motes]
        if faults:
            raise FaultyInput(faults)
        return [
            b"".join([piece if isinstance(piece, bytes) else held[piece.name] for piece in pieces])
            for pieces in motes.values()
        ]

    def _field(self, number: int, field: EepromField, own: Mapping[str, Any]) -> bytes:
        if field.value is None and field.source not in self._common:
            return _bytes(field, _numbers(self._application, field, own))
        values = self._shared.get(number)
        if values is None:
            values = _bytes(field, _numbers(self._application, field, self._common))
            self._shared[number] = values
        return values

    def _fault(self, field: EepromField, mote: str, wrong: _DoesNotFit) -> Fault:
        what = f"EEPROM of {mote}: {field.name} {wrong}"
        return Fault(str(self._application.file), field.line, what, wrong.remedy)


def encode(application: Application, facts: Mapping[str, Any], mote: str) -> bytes:
    """Return the image of one mote, from all its facts. Raises FaultyInput with all that do not fit."""
    return b"".join(Encoder(application, facts).parts({}, mote))


def _bytes(field: EepromField, numbers: list[int]) -> bytes:
    low, high = RANGES[field.type]
    size = int(field.type[1:]) // 8
    many = len(numbers) if field.array else max(numbers)
    if field.most is not None and many > field.most:
        what = f"has {many} items" if field.array else f"is {many}"
        raise _DoesNotFit(
            f"{what}, the firmware has room for {field.most}", f"{field.most} {field.source} at most"
        )
    for number in numbers:
        if not low <= number <= high:
            raise _DoesNotFit(f"is {number}, a {field.type} holds {low} to {high}")
    items = b"".join(number.to_bytes(size, "little", signed=low < 0) for number in numbers)
    if not field.array:
        return items
    if len(numbers) > 255:
        raise _DoesNotFit(f"has {len(numbers)} items, its count (u8) goes to 255")
    return bytes([len(numbers)]) + items


def _numbers(application: Application, field: EepromField, facts: Mapping[str, Any]) -> list[int]:
    if field.value is not None:
        return [field.value]
    value = facts[field.source]
    if field.array:
        return list(value)
    if field.map:
        word = ("true" if value else "false") if isinstance(value, bool) else str(value)
        if word not in field.map:
            raise _DoesNotFit(f"has no number for {field.source} {word!r} in its map")
        return [field.map[word]]
    if field.unit:
        return [_in_unit(value, dimension(application, field.source), field.unit)]
    return [int(value)]


def dimension(application: Application, source: str) -> str:
    """Return the dimension of a source ("time", "length", "ratio", "rate"); "" for a plain number or word."""
    if source in TIMES:
        return units.TIME
    declared = application.parameters.get(source.removeprefix("parameter."))
    return (
        declared.type if declared and source.startswith("parameter.") and declared.type in units.UNITS else ""
    )


def _in_unit(value: float, of: str, unit: str) -> int:
    number = Decimal(repr(value)) / units.UNITS[of][unit]
    if number != number.to_integral_value():
        raise _DoesNotFit(f"is {units.show(value, of)}, no whole number of {unit}")
    return int(number)
