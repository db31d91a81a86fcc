# SPDX-License-Identifier: Apache-2.0
"""Finds the differences in meaning between two .csc files, whatever their formatting, age and order."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from orchestrator.csc.classes import short
from orchestrator.csc.survey import SeenMote, SeenType, Survey
from orchestrator.words import counted

# Source and image of a mote -> its fields by name, None if nobody knows them.
Decoder = Callable[[str, bytes], Mapping[str, object] | None]


@dataclass(frozen=True)
class Difference:
    """One difference; `part`: settings, medium, edge, mote type, mote, script, plugin.

    `of` which one. `before`, `after`: None: not there.
    """

    part: str
    of: str
    what: str
    before: str | None
    after: str | None


def differences(
    first: Survey, other: Survey, decode: Decoder = lambda source, image: None
) -> list[Difference]:
    """All of them, in the file's order. `decode` names the fields of EEPROM images."""
    all_differences: list[Difference] = []
    for key in first.settings:
        _values(all_differences, "settings", "", key, first.settings[key], other.settings[key])
    _medium(all_differences, first, other)
    same = _matched(first.types, other.types)
    _types(all_differences, first, other, same)
    _motes(all_differences, first, other, same, decode)
    _scripts(all_differences, first, other)
    _plugins(all_differences, first, other)
    return all_differences


def _values(differences_: list, part: str, of: str, what: str, before: object, after: object) -> None:
    if before != after:
        differences_.append(Difference(part, of, what, _as_text(before), _as_text(after)))


def _as_text(value: object) -> str | None:
    if value is None:
        return None
    return repr(value) if isinstance(value, float) else str(value)


def _mappings(differences_: list, part: str, of: str, before: Mapping, after: Mapping) -> None:
    for key in dict.fromkeys([*before, *after]):
        _values(differences_, part, of, key, before.get(key), after.get(key))


def _medium(differences_: list, first: Survey, other: Survey) -> None:
    _values(differences_, "medium", "", "class", first.medium, other.medium)
    _mappings(differences_, "medium", "", first.values, other.values)
    edges = [{(edge.source, edge.destination): edge for edge in each.edges} for each in (first, other)]
    for pair in dict.fromkeys([*edges[0], *edges[1]]):
        of = f"{pair[0]} to {pair[1]}"
        if pair not in edges[1]:
            differences_.append(Difference("edge", of, "removed", "there", None))
        elif pair not in edges[0]:
            differences_.append(Difference("edge", of, "added", None, "there"))
        else:
            _mappings(differences_, "edge", of, edges[0][pair].values, edges[1][pair].values)


def _matched(ones: tuple[SeenType, ...], others: tuple[SeenType, ...]) -> dict[int, int]:
    """Match the mote types of two files: first equal types, then those of one source, then by place."""
    pairs: dict[int, int] = {}
    for alike in (
        lambda a, b: a == b,
        lambda a, b: a.made_of == b.made_of and a.title == b.title,
        lambda a, b: a.made_of == b.made_of,
        lambda a, b: ones.index(a) == others.index(b),
    ):
        for index, mote_type in enumerate(ones):
            if index in pairs:
                continue
            free = (place for place in range(len(others)) if place not in pairs.values())
            match = next((place for place in free if alike(mote_type, others[place])), None)
            if match is not None:
                pairs[index] = match
    return pairs


def _types(differences_: list, first: Survey, other: Survey, same: dict[int, int]) -> None:
    for index, mote_type in enumerate(first.types):
        of = mote_type.title
        if index not in same:
            differences_.append(Difference("mote type", of, "removed", "there", None))
            continue
        match = other.types[same[index]]
        _values(differences_, "mote type", of, "class", mote_type.kind, match.kind)
        _mappings(differences_, "mote type", of, mote_type.texts, match.texts)
        before, after = mote_type.interfaces, match.interfaces
        for name in dict.fromkeys([*before, *after]):
            there = ("there" if name in listed else None for listed in (before, after))
            _values(differences_, "mote type", of, f"interface {short(name)}", *there)
        if set(before) == set(after):
            _values(differences_, "mote type", of, "order of interfaces", _names(before), _names(after))
    for place, mote_type in enumerate(other.types):
        if place not in same.values():
            differences_.append(Difference("mote type", mote_type.title, "added", None, "there"))


def _names(interfaces: tuple[str, ...]) -> str:
    return " ".join(short(name) for name in interfaces)


def _motes(differences_: list, first: Survey, other: Survey, same: dict[int, int], decode: Decoder) -> None:
    """Motes by their ids; where one has several, by their order."""
    before, after = _by_id(first), _by_id(other)
    for key in dict.fromkeys([*before, *after]):
        of = str(key[0])
        if key not in after:
            differences_.append(Difference("mote", of, "removed", _place(before[key]), None))
        elif key not in before:
            differences_.append(Difference("mote", of, "added", None, _place(after[key])))
        else:
            moved = same.get(before[key].type, -1) != after[key].type
            _mote(differences_, of, Seen(first, before[key]), Seen(other, after[key]), moved, decode)
    order = [[key for key in each if key in before and key in after] for each in (before, after)]
    if order[0] != order[1]:
        texts = (" ".join(str(key[0]) for key in each) for each in order)
        differences_.append(Difference("mote", "", "order (start delays are drawn in it)", *texts))


def _by_id(survey: Survey) -> dict[tuple, SeenMote]:
    counted: dict = {}
    by_id = {}
    for mote in survey.motes:
        counted[mote.id] = counted.get(mote.id, 0) + 1
        by_id[mote.id, counted[mote.id]] = mote
    return by_id


def _place(mote: SeenMote) -> str:
    return f"({mote.x}, {mote.y}" + (f", {mote.z})" if mote.z != 0.0 else ")")


class Seen(NamedTuple):
    """A mote and the file that has it."""

    survey: Survey
    mote: SeenMote

    @property
    def title(self) -> str:
        """The name of its type."""
        return self.survey.types[self.mote.type].title if self.mote.type >= 0 else "none"

    @property
    def source(self) -> str:
        """The source of its firmware."""
        return self.survey.types[self.mote.type].texts.get("source", "") if self.mote.type >= 0 else ""


def _mote(differences_: list, of: str, before: Seen, after: Seen, other_type: bool, decode: Decoder) -> None:
    places = _place(before.mote), _place(after.mote)
    if places[0] != places[1]:
        differences_.append(Difference("mote", of, "moved", *places))
    if other_type:
        _values(differences_, "mote", of, "mote type", before.title, after.title)
    if before.mote.eeprom != after.mote.eeprom:
        _eeprom(differences_, of, before, after, decode)
    _mappings(differences_, "mote", of, before.mote.settings, after.mote.settings)


def _eeprom(differences_: list, of: str, before: Seen, after: Seen, decode: Decoder) -> None:
    """Add the fields that differ, or the bytes if an image can't be decoded."""
    images = (before.mote.eeprom, after.mote.eeprom)
    fields = [
        decode(source, image) if isinstance(image, bytes) else None
        for source, image in zip((before.source, after.source), images, strict=True)
    ]
    if None not in fields and fields[0] != fields[1]:
        for name in dict.fromkeys([*fields[0], *fields[1]]):
            _values(differences_, "mote", of, f"EEPROM {name}", fields[0].get(name), fields[1].get(name))
        return
    _values(differences_, "mote", of, "EEPROM", *(_image(image, images) for image in images))


def _image(image: bytes | str | None, both: tuple) -> str | None:
    if not isinstance(image, bytes):
        return image
    other = both[1] if image is both[0] else both[0]
    if not isinstance(other, bytes):
        return counted(len(image), "byte")
    first = next(
        (place for place, (a, b) in enumerate(zip(*both, strict=False)) if a != b), min(map(len, both))
    )
    return (
        f"{counted(len(image), 'byte')}, from byte {first} on: "
        f"{image[first : first + 8].hex(' ') or 'nothing'}"
    )


def _scripts(differences_: list, first: Survey, other: Survey) -> None:
    texts = [
        "\n".join(script.strip("\r\n") for script in each.scripts).replace("\r\n", "\n").split("\n")
        for each in (first, other)
    ]
    if texts[0] != texts[1]:
        lines = difflib.unified_diff(*texts, fromfile=first.file, tofile=other.file, lineterm="")
        differences_.append(Difference("script", "", "changed", None, "\n".join(lines)))


def _plugins(differences_: list, first: Survey, other: Survey) -> None:
    """Compare the plugins of each class together: a simulation may have several viewers of a kind."""
    listed = [
        {name: [settings for each, settings in survey.plugins if each == name] for name, _ in survey.plugins}
        for survey in (first, other)
    ]
    for name in dict.fromkeys([*listed[0], *listed[1]]):
        before, after = listed[0].get(name), listed[1].get(name)
        if before is None or after is None or len(before) != len(after):
            _values(differences_, "plugin", short(name), "count", len(before or ()), len(after or ()))
        elif before != after:
            _values(
                differences_, "plugin", short(name), "configuration", " | ".join(before), " | ".join(after)
            )
