# SPDX-License-Identifier: Apache-2.0
"""The policies that an application's firmware has linked, and which of them a mote loads when it boots.

Parameters of type policies name the files. All of a cell's are compiled together into its firmware; which are
loaded is data in the mote's EEPROM: a bit for each by its number. A parameter of type bytecode names a file
that isn't compiled in. Its policy comes to motes while they run, if the parameters ask for a firmware with a
place for one by the make variable BYTECODE=1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.applications import descriptor
from orchestrator.applications.model import Application
from orchestrator.errors import Fault, FaultyInput, NoSuchThing
from orchestrator.resources import contiki_apps
from orchestrator.vocabulary.parameters import listed
from orchestrator.vocabulary.units import short

if TYPE_CHECKING:  # the language takes time to import, and few applications have policies
    from orchestrator.features.policies.checks.firmware import Components
    from orchestrator.features.policies.extensions import Library
    from orchestrator.features.policies.meaning import Application as Policies

FOLDER = "policies"  # of contiki-apps: the figures of the paper
PLACE = ("BYTECODE", "1")


def find(file: str, app: Application, folder: Path | None) -> Path:
    """Find a file of policies: in the scenario's folder, the application's, or contiki-apps/policies.

    Raises NoSuchThing.
    """
    own = [] if folder is None else [folder]
    for place in (*own, app.file.parent, contiki_apps() / FOLDER):
        if _is_file_inside(place, file):
            return place / file
    seen = "beside the scenario" if folder is not None else "in the application's folder"
    raise NoSuchThing(f"there is no file {short(file)}\nput it {seen}, or name one of contiki-apps/{FOLDER}")


def has_place(app: Application, parameters: Mapping[str, Any]) -> bool:
    """Whether these parameters' firmware has a place for a policy in bytecode."""
    return PLACE in app.variant(parameters).items()


def checked(files: Mapping[str, Path], app: Application, place: bool = False) -> dict[str, str]:
    """Return the texts of policies, by the names of their files. `place`: as in has_place().

    Raises FaultyInput with every fault of theirs, at its own line.
    """
    from orchestrator.features.policies.application import text

    texts = {name: text(path) for name, path in files.items()}
    try:
        compiled(texts, app, place)
    except FaultyInput as faulty:
        raise FaultyInput(
            [replace(fault, file=str(files.get(fault.file, fault.file))) for fault in faulty.faults]
        ) from None
    return texts


def compiled(texts: Mapping[str, str], app: Application, place: bool = False) -> dict[str, bytes]:
    """Return the C of policies, by the names of its files. `place`: as in has_place().

    Raises FaultyInput, whose files are as in `texts`.
    """
    from orchestrator.features.policies import components

    return _compiled(tuple(texts.items()), _own_extensions(app), components.read(app.file.parent), place)


def program(path: Path, texts: Mapping[str, str], app: Application) -> bytes:
    """Return the bytecode of the one policy in a file.

    It is for the firmware that has the policies `texts` and a place for it. Raises FaultyInput with every
    fault, at its own line.
    """
    from orchestrator.features.policies import components
    from orchestrator.features.policies.application import text
    from orchestrator.features.policies.bytecode import compiler
    from orchestrator.features.policies.bytecode.firmware import firmware

    own, linking = _own_extensions(app), components.read(app.file.parent)
    new, library = _bound(((str(path), text(path)),), own, linking)
    if len(new.policies) != 1:
        what = f"the file holds {len(new.policies)} policies, a mote has a place for one in bytecode"
        raise FaultyInput([Fault(str(path), 1, what, "put each into a file of its own")])
    offers = firmware(_bound(tuple(texts.items()), own, linking)[0], library)
    return compiler.compiled(new.policies[0], offers, library)


def numbers(texts: Mapping[str, str]) -> dict[str, int]:
    """Return the bits of the policies in each file; a policy's bit is its number in the firmware."""
    return dict(_numbers(tuple(texts.items())))


def by_default(folder: Path, own: Mapping[str, Path]) -> dict[str, bytes]:
    """Return the C of the policies that an application's parameters name by default.

    Empty if its folder has some already, as a store's copy has.
    """
    from orchestrator.features.policies.c_code.files import SOURCE

    makefile = own.get("Makefile")
    if SOURCE in own or makefile is None or SOURCE.encode() not in makefile.read_bytes():
        return {}
    app = descriptor.load(folder)
    named = [parameter for parameter in app.parameters.values() if parameter.type == "policies"]
    if not named:
        return {}
    files = {
        file: find(file, app, None) for parameter in named for file in listed(parameter.default or "none")
    }
    place = has_place(app, {})
    return compiled(checked(files, app, place), app, place)


def _is_file_inside(place: Path, file: str) -> bool:
    """Whether a folder has this file, and neither `..` nor a link leads out of the folder."""
    return (place / file).is_file() and (place / file).resolve().is_relative_to(place.resolve())


def _own_extensions(app: Application) -> Path | None:
    from orchestrator.features.policies.extensions import FILE

    path = app.file.parent / FILE
    return path if path.is_file() and not path.resolve().is_relative_to(contiki_apps().resolve()) else None


@lru_cache(maxsize=64)
def _compiled(
    texts: tuple[tuple[str, str], ...], extensions: Path | None, components: Components, has_place: bool
) -> dict[str, bytes]:
    from orchestrator.features.policies.bytecode.firmware import firmware
    from orchestrator.features.policies.c_code.table import code

    application, library = _bound(texts, extensions, components)
    place = firmware(application, library) if has_place else None
    return {
        name: text.encode() for name, text in code(application, library, switched=True, place=place).items()
    }


@lru_cache(maxsize=64)
def _bound(
    texts: tuple[tuple[str, str], ...], extensions: Path | None, components: Components
) -> tuple[Policies, Library]:
    """Return the policies that texts have together. Raises FaultyInput, whose files are as in `texts`."""
    from orchestrator.features.policies import extensions as known
    from orchestrator.features.policies.application import together
    from orchestrator.features.policies.findings import ERROR
    from orchestrator.features.policies.parse import parse

    read = [parse(text, name) for name, text in texts]
    library: Library = known.with_more([extensions] if extensions else [])
    faults = [fault for _, many in read for fault in many]
    application, findings = together([source for source, _ in read], faults, library, components)
    errors = [finding for finding in findings if finding.severity == ERROR]
    if errors:
        raise FaultyInput(
            [
                Fault(error.file, error.at.line, f"column {error.at.column}: {error.what}", error.remedy)
                for error in errors
            ]
        )
    return application, library


@lru_cache(maxsize=64)
def _numbers(texts: tuple[tuple[str, str], ...]) -> tuple[tuple[str, int], ...]:
    from orchestrator.features.policies.parse import parse

    names: dict[str, int] = {}
    bits = []
    for file, text in texts:
        source, _ = parse(text, file)
        bits.append((file, sum(1 << names.setdefault(policy.name, len(names)) for policy in source.policies)))
    return tuple(bits)
