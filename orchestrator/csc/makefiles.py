# SPDX-License-Identifier: Apache-2.0
"""The needs of a mote type's build commands, checked before make runs: no shell, a Makefile, a tree.

A Makefile is read as text and never run. What only make knows ($(shell ...), other functions) is not judged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from orchestrator.vocabulary.simulators import COOJA_VERSION

MAKES = ("make", "$(MAKE)", "gmake")
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
BUILD_RULES = Path("arch/platform/cooja/Makefile.cooja")  # of a Contiki-NG tree
_ASSIGNED = re.compile(r"^[ ]*(?:export\s+|override\s+)*(\w+)\s*(?:\?|::?|:::)?=\s*(.*?)\s*(?:#.*)?$")
_VARIABLE = re.compile(r"\$(?:\((\w+)\)|\{(\w+)\})")
_EXPECTED = re.compile(r"^\s*EXPECTED_COOJA_VERSION\s*:?=\s*(\S+)", re.MULTILINE)
_QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
_OPERATORS = frozenset({"&&", "||", ";", "|", "&", ">", ">>", "<", "2>", "2>&1"})
_BUILTINS = frozenset({"cd", "export", "set", "source", ".", "if", "for", "ulimit", "unset"})
_VARIABLE_FIRST = re.compile(r"[A-Za-z_]\w*=")
_LARGEST = 1 << 20  # bytes of a Makefile that are read
_DEEPEST = 6  # folders above or below one in which a lost file is looked for
_MOST_LOOKED_AT = 20_000  # files


class Obstacle(NamedTuple):
    """An obstacle to a build, and its remedy."""

    what: str
    remedy: str


class Tree(NamedTuple):
    """The Contiki-NG tree that a Makefile names: as it is `written` there, in which `file` and line."""

    folder: Path
    written: str
    file: Path
    line: int


def needs_shell(command: str) -> Obstacle | None:
    """Return why a command needs a shell, which Cooja doesn't start; None if it needs none."""
    words = _QUOTED.sub("quoted", command).split()  # Cooja keeps what is quoted together
    if not words:
        return None
    shown = " ".join(command.split())[:80]
    told = f"Cooja starts the build command `{shown}` without a shell, "
    if _VARIABLE_FIRST.match(words[0]):
        rest = " ".join(words[1:])[:60]
        return Obstacle(
            f"{told}so {words[0][:40]!r} is no setting of a variable",
            f"write the variable behind make's target, or `env {words[0][:40]} {rest}`",
        )
    if words[0] in _BUILTINS:
        return Obstacle(
            f"{told}which alone has {words[0]!r}",
            "write `make -C FOLDER ...` for another folder, or put the commands into a script: `sh SCRIPT`",
        )
    for word in words[1:]:
        if word in _OPERATORS or (word.endswith(";")):
            sign = word if word in _OPERATORS else ";"
            return Obstacle(
                f"{told}which alone knows {sign!r}",
                "write each command on a line of its own, or put them into a script: `sh SCRIPT`",
            )
    return None


def folder_of(folder: Path, words: list[str]) -> Path:
    """Return the folder in which make works that is started in `folder`."""
    for word, after in zip(words, [*words[1:], ""]):
        if word.startswith("--directory="):
            return folder / word.partition("=")[2]
        if word == "-C":
            return folder / after
        if word.startswith("-C") and not word.startswith("-C="):
            return folder / word[2:]
    return folder


def tree_of(folder: Path, words: list[str]) -> Tree | None:
    """Return the tree that make builds with in this folder; None if that can't be seen."""
    folder = folder_of(folder, words)
    given = next((word for word in words if word.startswith("CONTIKI=")), None)
    file = next((folder / name for name in MAKEFILES if (folder / name).is_file()), None)
    if file is None or any(word.startswith(("-f", "--file")) for word in words):
        return None
    values = {"CURDIR": str(folder)}
    found = None
    for number, line in enumerate(_text(file).split("\n"), 1):
        if match := _ASSIGNED.match(line):
            values[match[1]] = match[2]
            found = (match[2], number) if match[1] == "CONTIKI" else found
    if given is not None:
        found = (given.partition("=")[2], 0)
    path = None if found is None else _expanded(found[0], values)
    if path is None:
        return None
    return Tree((folder / os.path.expanduser(path)).resolve(), found[0], file, found[1])


def _expanded(text: str, values: dict[str, str], depth: int = 0) -> str | None:
    """Return a value as make sees it under Cooja, which passes nearly no environment on; None if unknown."""

    def value(match: re.Match) -> str:
        name = match[1] or match[2]
        return (_expanded(values.get(name, ""), values, depth + 1) if depth < 10 else None) or ""

    made = _VARIABLE.sub(value, text)
    return None if "$" in made or "`" in made else made


def tree_fault(folder: Path, words: list[str], contiki: Path | None) -> Obstacle | None:
    """Return why make can't build with the tree that its Makefile names; None if it can, or is not seen.

    `contiki`: the tree that the user names, which takes the place of one that is not there.
    """
    tree = tree_of(folder, words)
    if tree is None or (tree.folder / "Makefile.include").is_file():
        return None if tree is None else version_fault(tree.folder)
    if contiki is not None:
        return version_fault(contiki)
    where = (
        f"{tree.file}, line {tree.line}: CONTIKI is {tree.written!r}"
        if tree.line
        else f"CONTIKI is {tree.written!r}"
    )
    unset = "; Cooja passes no such variable on to make" if "$" in tree.written else ""
    around = _tree_around(folder)
    return Obstacle(
        f"{where}CONTIKI is {tree.written!r}, and there is no Contiki-NG tree{unset}",
        f"correct the Makefile, or let `orchestrate simulate` build with --contiki {around or 'DIR'}",
    )


def not_a_tree(folder: Path) -> Obstacle | None:
    """Return the missing parts of a Contiki-NG tree with Cooja motes; None if the folder is such a tree."""
    if (folder / BUILD_RULES).is_file():
        return None
    return Obstacle(
        f"{folder} is not a Contiki-NG tree (no {BUILD_RULES})",
        "name a Contiki-NG tree with --contiki; Contiki 3.0 and older don't build for Cooja of today",
    )


def version_fault(tree: Path) -> Obstacle | None:
    """Return why firmware of a tree is none for today's Cooja; None if it is."""
    if fault := not_a_tree(tree):
        return fault
    found = _EXPECTED.search(_text(tree / BUILD_RULES))
    if found is not None and found[1] == COOJA_VERSION:
        return None
    of = "an older Cooja (it has no EXPECTED_COOJA_VERSION)" if found is None else f"Cooja {found[1]}"
    return Obstacle(
        f"the tree {tree} builds for {of}, and this is Cooja {COOJA_VERSION}",
        "name the tree of Contiki-NG 5.0 with --contiki, or move the application there",
    )


def _text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return stream.read(_LARGEST).decode("utf-8", "replace").replace("\\\n", " ")
    except OSError:
        return ""


def _tree_around(folder: Path) -> Path | None:
    """Return the Contiki-NG tree in which a folder lies, or beside which it does."""
    for above in list(folder.resolve().parents)[:_DEEPEST]:
        for place in (above, above / "contiki-ng"):
            if (place / BUILD_RULES).is_file():
                return place
    return None


def nearest(text: str, config_dir: Path, contiki: Path | None) -> str | None:
    """Return a path that would work for a file that is not where a .csc says; None if none was found.

    The longest end of the path that exists counts: beside the .csc, above it, in the tree. Then the name.
    """
    parts = Path(re.sub(r"^\[\w+\]/?", "", text.strip())).parts
    parts = parts[1:] if parts[:1] == ("/",) else parts
    here = config_dir.resolve()
    roots = [here, *list(here.parents)[:_DEEPEST]] + ([] if contiki is None else [contiki])
    for count in range(len(parts), 0, -1):
        for root in roots:
            path = root.joinpath(*parts[-count:])
            if ".." not in parts[-count:] and path.is_file():
                return _written(path, here, contiki)
    below = [here] + ([] if contiki is None else [contiki / "examples"])
    found = next((path for root in below for path in _below(root) if parts and path.name == parts[-1]), None)
    return None if found is None else _written(found, here, contiki)


def _below(folder: Path) -> Iterator[Path]:
    looked_at = 0
    for here, folders, files in os.walk(folder):
        deep = len(Path(here).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if deep < _DEEPEST and not name.startswith("."))
        for name in sorted(files):
            looked_at += 1
            if looked_at > _MOST_LOOKED_AT:
                return
            yield Path(here, name)


def _written(path: Path, config_dir: Path, contiki: Path | None) -> str:
    """Return a path as a .csc names it."""
    if contiki is not None and path.is_relative_to(contiki) and not path.is_relative_to(config_dir):
        return f"[CONTIKI_DIR]/{path.relative_to(contiki)}"
    return f"[CONFIG_DIR]/{os.path.relpath(path, config_dir)}"
