# SPDX-License-Identifier: Apache-2.0
"""Finds the sources of a firmware.

A source tree has the layout of contiki-apps: os/, middleware/, Makefile.embedded and apps/NAME/. An
application folder that stands elsewhere is put into our tree's layout as apps/NAME.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from orchestrator.applications import descriptor, eeprom_header
from orchestrator.applications import folder as folders
from orchestrator.applications.extension import extensions
from orchestrator.build.content import Sources
from orchestrator.errors import FaultyInput, NoSuchThing
from orchestrator.resources import contiki_apps
from orchestrator.words import did_you_mean

MARKER = (
    "Makefile.contiki-ng"  # at the root of a tree of ours; a Contiki-NG tree has a Makefile.embedded, too
)
_SHARED = ("os", "middleware")


def application_folder(application: object) -> Path:
    """Return an application's folder: of a name in contiki-apps/apps, a folder, or a descriptor's `file`.

    Raises NoSuchThing with the names that there are.
    """
    file = getattr(application, "file", None)
    if file is not None:
        return Path(file).resolve().parent
    text = os.fspath(application)
    folder = contiki_apps() / "apps" / text if os.sep not in text and text not in (".", "..") else Path(text)
    if not folder.is_dir() and Path(text).is_dir():
        folder = Path(text)
    if not (folder / "Makefile").is_file():
        names = sorted(path.parent.name for path in (contiki_apps() / "apps").glob("*/Makefile"))
        raise NoSuchThing(f"no application {text!r} (a folder with a Makefile); {did_you_mean(text, names)}")
    return folder.resolve()


def is_ours(folder: Path) -> bool:
    """Whether a folder builds with our recipe: in a tree of ours, or described by application.yaml."""
    return (folder / "Makefile").is_file() and (
        _root(folder) is not None or (folder / "application.yaml").is_file()
    )


def is_installed(folder: Path) -> bool:
    """Whether the application in `folder` has the sources of an installed one, unchanged."""
    own = contiki_apps() / "apps" / folder.name
    if own.resolve() == folder.resolve():
        return (own / "Makefile").is_file()
    try:
        return (own / "Makefile").is_file() and collect(folder).digest() == collect(own).digest()
    except FaultyInput:  # a folder of the same name, but nothing to build from
        return False


def collect(folder: Path, generated: Mapping[str, bytes] | None = None) -> Sources:
    """All files that the firmware of the application in `folder` is built from.

    `made`: files of its folder that are made for this build.

    Raises FaultyInput if an application outside of our tree lacks what it needs or leads out of its folder,
    or if it reads its EEPROM's fields by name and its descriptor is faulty.
    """
    folder = folder.resolve()
    root = _root(folder)
    if root is None:
        root = contiki_apps()
        if faults := folders.faults(folder, folder.name):
            raise FaultyInput(faults)
    files: dict[str, Path] = {}
    for path in sorted(root.glob("Makefile*")):
        if path.is_file():
            files[path.name] = path
    for shared in _SHARED:
        files |= {f"{shared}/{path}": source for path, source in folders.files(root / shared).items()}
    own = folders.files(folder)
    files |= {f"apps/{folder.name}/{path}": source for path, source in own.items()}
    given = generated or {
        name: text
        for extension in extensions()
        for name, text in extension.generated_by_default(folder, own).items()
    }
    return Sources(
        folder.name,
        files,
        _made(folder, own) | {f"apps/{folder.name}/{path}": content for path, content in given.items()},
    )


def _made(folder: Path, own: dict[str, Path]) -> dict[str, bytes]:
    """Return the generated headers that a file of the application includes."""
    texts = [source.read_bytes() for path, source in own.items() if path.endswith((".c", ".h"))]

    def wanted(header: str, described: str) -> bool:
        wants = f'"{header}"'.encode()
        return (folder / described).is_file() and any(wants in text for text in texts)

    headers = {}
    if wanted(eeprom_header.FILE, descriptor.FILE):
        headers[eeprom_header.FILE] = eeprom_header.header(descriptor.load(folder))
    for extension in extensions():
        headers |= extension.headers(folder, wanted)
    return {f"apps/{folder.name}/{name}": text.encode() for name, text in headers.items()}


def _root(folder: Path) -> Path | None:
    tree = folder.parent.parent
    return tree if folder.parent.name == "apps" and (tree / MARKER).is_file() else None
