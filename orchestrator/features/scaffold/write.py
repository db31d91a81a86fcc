# SPDX-License-Identifier: Apache-2.0
"""Writes a kind's filled templates into a new folder, which appears whole by one rename or not at all."""

from __future__ import annotations

import os
import re
from pathlib import Path

from orchestrator.durable import replacing, sync, write
from orchestrator.errors import NoSuchThing, WrongUsage, writing
from orchestrator.features.scaffold.kinds import Kind

NAME = re.compile(
    r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII
)  # an application's name, and a C name with _ for -
MOST_NAME = 24
_ENDING = ".template"


def scaffold(kind: Kind, name: str, folder: Path) -> list[Path]:
    """Write the files of a kind into `folder`, which must not be there yet; return their paths in it, sorted.

    Raises NoSuchThing (no such parent folder), WrongUsage (a name that can't be one or is taken, a folder
    that already exists) or StorageFailed (it can't be written).
    """
    _check(kind, name)
    return written(rendered(kind, name), folder)


def written(files: dict[Path, bytes], folder: Path) -> list[Path]:
    """Write files, by their paths in it, into a new folder; return these paths, sorted.

    Raises what `scaffold` raises, but for the name.
    """
    folder = Path(os.path.abspath(folder))
    if folder.exists() or folder.is_symlink():
        raise WrongUsage(f"{folder} already exists\n    choose another name, or another folder with --folder")
    if not folder.parent.is_dir():
        raise NoSuchThing(f"there is no folder {folder.parent}\n    make it, or choose another with --folder")
    with writing(folder, "choose another folder with --folder"):
        with replacing(folder) as draft:
            draft.mkdir()
            for path, data in files.items():
                (draft / path).parent.mkdir(parents=True, exist_ok=True)
                write(draft / path, data)
        sync(folder.parent)
    return sorted(files)


def rendered(kind: Kind, name: str) -> dict[Path, bytes]:
    """Return the content of each new file, by its path in the new folder."""
    words = {"@name@": name, "@identifier@": name.replace("-", "_"), "@NAME@": name.replace("-", "_").upper()}

    def filled(text: str) -> str:
        return re.sub("|".join(words), lambda match: words[match[0]], text)

    return {
        Path(filled(path.name.removesuffix(_ENDING))): filled(path.read_text("utf-8")).encode()
        for path in sorted(kind.templates.glob(f"*{_ENDING}"))
    }


def _check(kind: Kind, name: str) -> None:
    if not NAME.fullmatch(name) or len(name) > MOST_NAME:
        raise WrongUsage(
            f"{name!r} can't be its name: files and C functions are called after it\n"
            "    use lower-case letters, digits and single `-` between them, a letter first, at most "
            f"{MOST_NAME}"
        )
    taken = {"null": "YAML reads it as no value"} | kind.taken()
    if name in taken:
        other = f", such as my-{name}" if len(f"my-{name}") <= MOST_NAME else ""
        raise WrongUsage(f"the name {name} is taken: {taken[name]}\n    choose another{other}")
