# SPDX-License-Identifier: Apache-2.0
"""Reads EEPROM images back into the fields of their application's descriptor (eeprom.py writes them)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from orchestrator.applications import descriptor
from orchestrator.applications.eeprom import RANGES
from orchestrator.applications.model import Application
from orchestrator.errors import OrchestrateError

_CONFIG_DIR = "[CONFIG_DIR]"


def decode(application: Application, image: bytes) -> dict[str, object] | None:
    """Field -> number, word of its map, or list of numbers.

    None if the image is not one of that application.
    """
    values: dict[str, object] = {}
    at = 0
    for field in application.eeprom:
        size = int(field.type[1:]) // 8
        signed = RANGES[field.type][0] < 0
        count = 1
        if field.array:
            if at >= len(image):
                return None
            count, at = image[at], at + 1
        end = at + count * size
        if end > len(image):
            return None
        numbers = [
            int.from_bytes(image[place : place + size], "little", signed=signed)
            for place in range(at, end, size)
        ]
        at = end
        if field.value is not None and numbers != [field.value]:
            return None
        words = {number: word for word, number in (field.map or {}).items()}
        value: object = numbers if field.array else words.get(numbers[0], numbers[0])
        values[field.name] = value
    # Cooja itself saves the whole EEPROM, zeros behind what was written.
    return values if not any(image[at:]) else None


def decoder(folders: Sequence[Path]) -> Callable[[str, bytes], Mapping[str, object] | None]:
    """Return a function from a mote type's <source> and an image to its fields.

    `folders`: where [CONFIG_DIR] may be.
    """
    applications: dict[str, Application | None] = {}

    def fields(source: str, image: bytes) -> Mapping[str, object] | None:
        if source not in applications:
            applications[source] = _application(source, folders)
        application = applications[source]
        return None if application is None else decode(application, image)

    return fields


def _application(source: str, folders: Sequence[Path]) -> Application | None:
    """Return the application in whose folder the source lies, or the installed one of that folder's name."""
    places = (
        [folder / source[len(_CONFIG_DIR) :].lstrip("/") for folder in folders]
        if source.startswith(_CONFIG_DIR)
        else [Path(source)]
    )
    try:
        for place in places:
            if (place.parent / descriptor.FILE).is_file():
                return descriptor.load(place.parent)
        name = Path(source).parent.name
        return descriptor.load(name) if name in descriptor.names() else None
    except (OrchestrateError, OSError, ValueError):
        return None
