# SPDX-License-Identifier: Apache-2.0
"""Find the application that a scenario names: an installed one by its name, or a user's own by its path."""

from __future__ import annotations

import os
from pathlib import Path

from orchestrator.applications import descriptor, folder
from orchestrator.applications.model import Application
from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

_NEW = "`orchestrate new app NAME` writes an application to start from"


def is_path(written: str) -> bool:
    """Whether a scenario's application.name is a path: it has a `/`, or is `.` or `..`. No name has."""
    return "/" in written or written in (".", "..")


def load_installed(name: str) -> Application:
    """Return the installed application of that name. Raises NoSuchThing or FaultyInput."""
    if name not in descriptor.names():
        hint = did_you_mean(name, descriptor.names())
        raise NoSuchThing(
            f"no application {short(name)}\n{hint}; one of your own is named by its path, such as "
            f"./{short(name)}"
            if descriptor.NAME.fullmatch(name)
            else f"no application {short(name)}\n{hint}"
        )
    return descriptor.load(name)


def load_own(written: str, scenario_folder: Path | None) -> Application:
    """Return the application in a folder, named absolutely or as seen from the scenario's folder.

    Raises NoSuchThing (what, a line, the remedy) if it is not there, FaultyInput with every fault of its
    descriptor and of its folder.
    """
    if not os.path.isabs(written) and scenario_folder is None:
        raise NoSuchThing(
            f"the application {short(written)} is named as seen from the scenario's folder, and it has none"
            "\nwrite the path from / on, or put the scenario into a file"
        )
    try:
        where = Path(os.path.abspath((scenario_folder or Path()) / written))
        there, described = where.is_dir(), (where / descriptor.FILE).is_file()
        if not there:
            what = "a file, not a folder" if where.exists() else "no folder"
    except (OSError, ValueError):
        raise NoSuchThing(f"the application {short(written)} can't be a path\n{_NEW}") from None
    if not there:
        near = (
            "`~` is not replaced: write the path from / on"
            if written.startswith("~")
            else (
                "name the folder that has application.yaml, "
                + ("" if os.path.isabs(written) else "as seen from the scenario's folder")
            )
        )
        raise NoSuchThing(f"the application {short(written)}: {what} ({where})\n{near.rstrip(', ')}")
    if not described:
        raise NoSuchThing(f"the application {short(written)}: no {descriptor.FILE} in {where}\n{_NEW}")
    application, faults = None, []
    try:
        application = descriptor.load(where)
    except FaultyInput as faulty:
        faults += faulty.faults
    faults += folder.faults(where, application.name if application else where.resolve().name)
    if faults:
        raise FaultyInput(faults)
    return application
