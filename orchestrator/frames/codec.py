# SPDX-License-Identifier: Apache-2.0
"""Reads and writes the middleware's frames by their description.

A frame is a dict: `frame` (its kind's name), the header's fields, the body's. A structure is a dict, an array
a list, an array of bytes `bytes`. A field that only counts is left out: the list says it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orchestrator.frames import description
from orchestrator.frames.description import BITS, REST, TYPES_OF_A_VERSION, Description, Field

KIND = "frame"


class NotAFrame(ValueError):
    """The input is no frame of this description; the message says where and why."""


def decode(data: bytes, described: Description | None = None) -> dict[str, Any]:
    """Decode a frame. Raises NotAFrame unless every byte is as the description says."""
    described = described or description.load()
    if len(data) > described.largest:
        raise NotAFrame(f"it has {len(data)} bytes, {described.largest} at most")
    reader = _Reader(data, described)
    head = reader.fields(described.header)
    if head["version"] not in described.versions:
        raise NotAFrame(f"its version is {head['version']}, not {' or '.join(map(str, described.versions))}")
    number = head["type"] + TYPES_OF_A_VERSION * (head["version"] - described.version)
    kind = described.kind(number)
    if kind is None:
        raise NotAFrame(f"no frame has the type {number}")
    body = reader.fields(kind.body)
    if reader.at != len(data):
        raise NotAFrame(f"{len(data) - reader.at} bytes lie behind the end of its {kind.name}")
    del head["version"], head["type"]
    return {KIND: kind.name, **head, **_without_counts(body, kind.body, described)}


def encode(frame: Mapping[str, Any], described: Description | None = None) -> bytes:
    """Encode a frame.

    Raises NotAFrame for a field that is missing, unknown or out of its range, and for a frame that is too
    long.
    """
    described = described or description.load()
    kind = described.kind(frame.get(KIND, ""))
    if kind is None:
        raise NotAFrame(f"there is no frame {frame.get(KIND)!r}")
    further, number = divmod(kind.type, TYPES_OF_A_VERSION)
    head = {"version": described.version + further, "type": number}
    body = {name: value for name, value in frame.items() if name != KIND}
    for field in described.header:
        if field.name not in head and field.name in body:
            head[field.name] = body.pop(field.name)
    data = _encoded(described.header, head, described) + _encoded(kind.body, body, described)
    if len(data) > described.largest:
        raise NotAFrame(f"it takes {len(data)} bytes, {described.largest} at most")
    return data


def counts(fields: Sequence[Field]) -> set[str]:
    """Return the fields that only say how many there are of another."""
    return {field.count for field in fields if field.count and field.count != REST and "." not in field.count}


class _Reader:
    def __init__(self, data: bytes, described: Description):
        self.data, self.described = data, described
        self.at = 0
        self.half = False  # the high half of the byte at `at` was read

    def fields(self, fields: Sequence[Field]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for field in fields:
            if not field.count:
                values[field.name] = self.one(field)
            else:
                values[field.name] = items = self.items(field, values)
                _check_how_many(field, len(items))
        return values

    def items(self, field: Field, values: Mapping[str, Any]) -> list[Any]:
        if field.count != REST:
            return [self.one(field) for _ in range(_counted(values, field.count))]
        items = []
        while self.at < len(self.data):
            items.append(self.one(field))
        return items

    def one(self, field: Field) -> Any:
        if not field.is_number:
            return self.fields(self.described.structures[field.type])
        number = self.number(field)
        _check_range(field, number)
        return number

    def number(self, field: Field) -> int:
        end = self.at + (BITS[field.type] + 7) // 8
        if end > len(self.data):
            raise NotAFrame(f"it is cut short in {field.name}")
        number = int.from_bytes(self.data[self.at : end], "little")
        if field.type == "u4":
            self.half = not self.half
            if self.half:
                return number >> 4
            number &= 15
        self.at = end
        return number


def _counted(values: Mapping[str, Any], count: str) -> int:
    value: Any = values
    for name in count.split("."):
        value = value[name]
    return value


def _check_range(field: Field, number: Any) -> None:
    if not isinstance(number, int) or isinstance(number, bool):
        raise NotAFrame(f"{field.name} is not a whole number: {number!r}")
    if not field.allows(number):
        raise NotAFrame(f"{field.name} is {number}")


def _check_how_many(field: Field, many: int) -> None:
    if not field.is_number and many < field.min:
        raise NotAFrame(f"it has no {field.name}")


def _without_counts(
    values: Mapping[str, Any], fields: Sequence[Field], described: Description
) -> dict[str, Any]:
    only_counts, visible = counts(fields), {}
    for field in fields:
        value = values[field.name]
        if field.name in only_counts:
            continue
        if field.type == "u8" and field.count:
            value = bytes(value)
        elif not field.is_number:
            inner = described.structures[field.type]
            if field.count:
                value = [_without_counts(item, inner, described) for item in value]
            else:
                value = _without_counts(value, inner, described)
        visible[field.name] = value
    return visible


def _encoded(fields: Sequence[Field], given: Any, described: Description) -> bytes:
    if not isinstance(given, Mapping):
        raise NotAFrame(f"{given!r} has no fields")
    values = dict(given)
    for field in fields:
        if field.count and field.count != REST and field.name in values:
            many = len(values[field.name])
            *path, last = field.count.split(".")
            if not path:
                values[last] = many
            elif many != (there := len(_array_counted(fields, path[0], last, values, described))):
                raise NotAFrame(f"{field.name} has {many} items, there are {there} to go with")
    if values.keys() != (names := {field.name for field in fields}):
        wrong = sorted(values.keys() ^ names)
        raise NotAFrame(f"{', '.join(map(str, wrong))}: missing or unknown")
    data, half = bytearray(), False  # half: only the high half of the last byte is written
    for field in fields:
        items = values[field.name] if field.count else [values[field.name]]
        if field.count:
            _check_how_many(field, len(items))
        for item in items:
            if not field.is_number:
                data += _encoded(described.structures[field.type], item, described)
                continue
            _check_range(field, item)
            if field.type != "u4":
                data += item.to_bytes(BITS[field.type] // 8, "little")
                continue
            if half:
                data[-1] |= item
            else:
                data.append(item << 4)
            half = not half
    return bytes(data)


def _array_counted(
    fields: Sequence[Field], name: str, count: str, values: Mapping[str, Any], described: Description
) -> Any:
    """Return the array within the structure `name` whose number of items its field `count` is."""
    inner = described.structures[next(field.type for field in fields if field.name == name)]
    array = next(field.name for field in inner if field.count == count)
    return values.get(name, {}).get(array, ())
