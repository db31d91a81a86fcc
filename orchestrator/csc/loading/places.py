# SPDX-License-Identifier: Apache-2.0
"""Check whether the files exist that a .csc names: sources, firmware, scripts, position files."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from orchestrator.csc import makefiles
from orchestrator.csc.classes import MoteKind
from orchestrator.csc.faults import Faults
from orchestrator.csc.paths import note_of_relative, resolve
from orchestrator.errors import NoSuchThing

if TYPE_CHECKING:
    from lxml.etree import _Element

_GONE_TOKEN = "[APPS_DIR]"


class Places(NamedTuple):
    """The folders that the path tokens stand for; None if the user did not name one.

    `look`: whether files are looked for at all.
    """

    config_dir: Path
    contiki: Path | None = None
    cooja: Path | None = None
    look: bool = True

    def resolved(self, text: str) -> Path:
        """Return the path that a text names. Raises NoSuchThing, also if files are not looked for."""
        if not self.look:
            raise NoSuchThing(f"{text}: files are not looked for")
        return resolve(text, self.config_dir, self.contiki, self.cooja)

    def find(self, element: _Element, what: str, faults: Faults) -> Path | None:
        """Return the path that an element's text names, or None after a finding.

        Its folder may be unknown, or may have no such file.
        """
        path = self._resolved(element, what, faults) if self.look else None
        if path is not None and not _there(path):
            self._missing(element, what, faults)
            return None
        return path

    def source(self, element: _Element, commands: str | None, faults: Faults) -> Path | None:
        """Return the folder in which the build commands run: that of the mote type's source.

        Cooja does not look at the source itself.
        """
        path = self._resolved(element, "source", faults) if self.look else None
        if path is None:
            return None
        if not _there(path.parent) or not _there(path) and not _other_source(path.parent, commands):
            self._missing(element, "source", faults)
            return None
        if not _there(path):
            faults.note(
                element,
                f"source {(element.text or '')[:120]} is not there; what the commands name is",
                "correct <source>",
            )
        return path.parent

    def _resolved(self, element: _Element, what: str, faults: Faults) -> Path | None:
        text = element.text or ""
        if "\x00" in text or len(text) > 4000 or not text:
            faults.faulty(element, f"{what}: no path", "correct it")
            return None
        if text.startswith(_GONE_TOKEN):
            faults.faulty(
                element,
                f"{what} {text[:120]}: {_GONE_TOKEN} belongs to extensions that are part of Cooja now",
                "correct the path",
            )
            return None
        if note := note_of_relative(text, self.config_dir):
            faults.note(element, f"{what} {note[0]}", note[1])
        try:
            return resolve(text, self.config_dir, self.contiki, self.cooja)
        except NoSuchThing as unknown:
            faults.note(element, f"{what} was not searched for: {unknown}", "name it and check again")
        except (OSError, RuntimeError):
            self._missing(element, what, faults)
        return None

    def _missing(self, element: _Element, what: str, faults: Faults) -> None:
        text = element.text or ""
        space = ", with white space around it" if text != text.strip() else ""
        near = makefiles.nearest(text, self.config_dir, self.contiki)
        faults.faulty(
            element,
            f"{what} {text.strip()[:120]!r}{space} is not there",
            f"write {near}, which is there" if near else "correct the path, or bring the file there",
        )


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _other_source(folder: Path, commands: str | None) -> bool:
    """Whether the commands make something else than the present source, or aren't make's at all."""
    for words in map(str.split, (commands or "").split("\n")):
        if words and words[0] not in makefiles.MAKES:
            return True
        if any(
            _there(folder / (word.rsplit(".", 1)[0] + ".c"))
            for word in words[1:]
            if "." in word and "=" not in word
        ):
            return True
    return False


def check_tree(contiki: Path | None, faults: Faults) -> None:
    """Check that `contiki` is a Contiki-NG tree; its version only matters to Cooja motes (check_build)."""
    if contiki is not None and (fault := makefiles.not_a_tree(contiki)):
        faults.faulty(0, *fault)


def check_shell(element: _Element, faults: Faults) -> None:
    """Check that no build command needs a shell."""
    for line in (element.text or "").split("\n"):
        if fault := makefiles.needs_shell(line):
            faults.faulty(element, *fault)


def check_build(
    element: _Element, kind: MoteKind, folder: Path | None, commands: str | None, faults: Faults
) -> None:
    """Would the mote type's build commands start? `folder`: where they run, if it was found."""
    for line in (commands or "").split("\n"):
        words = line.split()
        if not words or makefiles.needs_shell(line):
            continue
        if folder is not None and words[0] in makefiles.MAKES and kind.target == "cooja":
            fault = makefiles.tree_fault(folder, words, None)
            if fault is not None:
                faults.faulty(element, *fault)
        target = next((word.removeprefix("TARGET=") for word in words if word.startswith("TARGET=")), None)
        if target is not None and target != kind.target:
            faults.faulty(
                element,
                f"the commands build for TARGET={target}, the mote type runs {kind.target} firmware",
                f"write TARGET={kind.target}",
            )
        if words[0] not in makefiles.MAKES and "/" not in words[0] and shutil.which(words[0]) is None:
            faults.faulty(
                element,
                f"the build command {words[0][:40]!r} is not a program here",
                "correct <commands>, or install it",
            )
        if (
            words[0] in makefiles.MAKES
            and not any(word.startswith(("-C", "-f", "--directory", "--file")) for word in words)
            and folder is not None
            and not any((folder / name).is_file() for name in makefiles.MAKEFILES)
        ):
            faults.faulty(
                element, "no Makefile beside the source", "correct <source>, or write a Makefile there"
            )
        if words[0] in makefiles.MAKES and kind.compiler is not None and shutil.which(kind.compiler) is None:
            faults.faulty(
                element,
                f"{kind.compiler}, which builds {kind.target} firmware, is not here",
                "install it, or run this where it is (the image contiker/contiki-ng has it)"
                + ("; `orchestrate simulate` can do with clang" if kind.target == "sky" else ""),
            )
