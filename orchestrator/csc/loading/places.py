# SPDX-License-Identifier: Apache-2.0
"""The files that a .csc names: sources, firmware, scripts, position files. Are they there?"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from orchestrator.csc.loading.names import MoteKind
from orchestrator.csc.loading.report import Findings
from orchestrator.csc.paths import resolve
from orchestrator.errors import NoSuchThing

_BUILD_RULES = Path("arch/platform/cooja/Makefile.cooja")  # of a Contiki-NG tree; older Contiki's libraries don't load
_MAKES = ("make", "$(MAKE)", "gmake")
_GONE_TOKEN = "[APPS_DIR]"


@dataclass(frozen=True)
class Places:
    """What the path tokens stand for; None where the user did not say."""

    config_dir: Path
    contiki: Path | None = None
    cooja: Path | None = None

    def find(self, element, what: str, findings: Findings) -> Path | None:
        """The path that an element's text names, or None after a finding: the folder is not known, or has no such file."""
        text = element.text or ""
        if text != text.strip():
            findings.fault(element, f"{what}: white space around the path {text.strip()[:80]!r}", "remove it: Cooja does not")
            return None
        if "\x00" in text or len(text) > 4000:
            findings.fault(element, f"{what}: no path", "correct it")
            return None
        if text.startswith(_GONE_TOKEN):
            findings.fault(element, f"{what} {text[:120]}: {_GONE_TOKEN} is of extensions that Cooja has within itself now",
                           "correct the path")
            return None
        try:
            path = resolve(text, self.config_dir, self.contiki, self.cooja)
            there = path.exists()
        except NoSuchThing as unknown:
            findings.note(element, f"{what} was not looked for: {unknown}", "then say it and check again")
            return None
        except OSError:
            there = False
        if not there:
            findings.fault(element, f"{what} {text[:120]} is not there", "correct the path, or bring the file there")
            return None
        return path


def check_tree(contiki: Path | None, findings: Findings) -> None:
    """Is what the user named a tree that Cooja of today builds from?"""
    if contiki is not None and not (contiki / _BUILD_RULES).is_file():
        findings.fault(0, f"{contiki} is no Contiki-NG tree (no {_BUILD_RULES})",
                       "name a Contiki-NG tree with --contiki; Contiki 3.0 and older don't build for Cooja of today")


def check_build(element, kind: MoteKind, source: Path | None, commands: str | None, places: Places, findings: Findings) -> None:
    """Would the mote type's build commands start? `source`: the file, if it was found."""
    for line in (commands or "").split("\n"):
        words = line.split()
        if not words:
            continue
        target = next((word.removeprefix("TARGET=") for word in words if word.startswith("TARGET=")), None)
        if target is not None and target != kind.target:
            findings.fault(element, f"the commands build for TARGET={target}, the mote type runs {kind.target} firmware",
                           f"write TARGET={kind.target}")
        if words[0] not in _MAKES and "/" not in words[0] and shutil.which(words[0]) is None:
            findings.fault(element, f"the build command {words[0][:40]!r} is not a program here", "correct <commands>, or install it")
        if words[0] in _MAKES and not any(word.startswith(("-C", "-f", "--directory", "--file")) for word in words) \
                and source is not None and not any((source.parent / name).is_file() for name in ("GNUmakefile", "makefile", "Makefile")):
            findings.fault(element, f"no Makefile beside {source.name}", "correct <source>, or write a Makefile there")
        if words[0] in _MAKES and kind.compiler is not None and shutil.which(kind.compiler) is None:
            findings.fault(element, f"{kind.compiler}, which builds {kind.target} firmware, is not here",
                           "install it, or run this where it is (the image contiker/contiki-ng has it)")
