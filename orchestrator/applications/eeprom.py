# SPDX-License-Identifier: Apache-2.0
"""The EEPROM image of a mote: little-endian, no padding, in the order of the application's descriptor.

Role, configured routes and parameters are data in the mote's EEPROM, not code (Schiefer, Steup, Kaiser, 2013,
section 5.2: "configured statically in the EEPROM of the node").
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

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
SCALARS = ("role", "id", "index", "parent", "control", "subscriber", "publishers", "publishers_through", "depth", "deepest", "topic",  # noqa: E501
           "second_parent", "second_through",
           "seed", "duration", "drain", "begins", "trace")  # fmt: skip
ARRAYS = ("children", "neighbours", "motes")
TIMES = ("duration", "drain", "begins")
OF_THE_LAYOUT = {*SCALARS, *ARRAYS} - {*TIMES, "seed", "trace"}


def of_parameters(parameters: Mapping[str, Any]) -> list[str]:
    """The sources that parameters are: a list of motes is a mote's place in it (1-based, 0: not in it),
    others their value.
    """
    return [
        f"{'listed' if declared.type == 'motes' else 'parameter'}.{name}"
        for name, declared in parameters.items()
    ]


class _DoesNotFit(ValueError):
    def __init__(self, what: str, remedy: str = "change the setting, or the field's type or unit"):
        super().__init__(what)
        self.remedy = remedy


def encode(application: Application, facts: Mapping[str, Any], mote: str) -> bytes:
    """The image of one mote. `facts`: each source's value (int, bool, a word, or a list of mote ids),
    parameters as "parameter.NAME" with inner values. `mote` is what messages call it. Raises FaultyInput with
    all that do not fit.
    """
    image = bytearray()
    faults = []
    for field in application.eeprom:
        try:
            image += _bytes(field, _numbers(application, field, facts))
        except _DoesNotFit as wrong:
            what = f"EEPROM of {mote}: {field.name} {wrong}"
            faults.append(Fault(str(application.file), field.line, what, wrong.remedy))
    if len(image) > SIZE:
        what = f"EEPROM of {mote}: the image has {len(image)} bytes, {SIZE} fit"
        faults.append(Fault(str(application.file), 0, what, "use fewer motes, or smaller fields"))
    if faults:
        raise FaultyInput(faults)
    return bytes(image)


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
    """The dimension of a source ("time", "length", "ratio", "rate") or "" if it is a plain number or word."""
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
