# SPDX-License-Identifier: Apache-2.0
"""Runs a mote type's build commands as Cooja does: without a shell, in the source's folder, with its environment.

Cooja clears the environment but for PATH and a few names, replaces $(MAKE) and $(CPUS), splits at white space outside
of quotes, and expects the library in build/cooja/IDENTIFIER.cooja beside the source.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from orchestrator.build import calls, compiler
from orchestrator.build.host import first_errors
from orchestrator.build.recipe import COOJA_VERSION
from orchestrator.errors import BuildFailed, MissingTool, NoSuchThing, Unsupported

_ARGUMENT = re.compile(r"""[^\s"']+|"[^"]*"|'[^']*'""")
_IDENTIFIER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,80}")
_PASSED_ON = ("CI", "COOJA_CI", "RELSTR", "QUIET", "EXTRA_CC_ARGS")
# Our own form: make of one target with variables; builds in the cache instead of in the user's tree.
_OURS = re.compile(r"\$\(MAKE\)((?:\s+\S+)*)")


def library(source: Path, identifier: str) -> Path:
    """Where Cooja expects the library. Raises Unsupported for an identifier that is no file name."""
    if not _IDENTIFIER.fullmatch(identifier):
        raise Unsupported(f"mote type identifier {identifier!r}: it names a file, so use letters, digits and _.-")
    return source.parent / "build" / "cooja" / f"{identifier}.cooja"


def our_variant(commands: str, name: str) -> dict[str, str] | None:
    """The make variables of a command that builds NAME.cooja in our form, None if it does anything else."""
    lines = [line.strip() for line in commands.splitlines() if line.strip()]
    found = _OURS.fullmatch(lines[0]) if len(lines) == 1 else None
    if found is None:
        return None
    words = [word for word in found[1].split() if not re.fullmatch(r"-j(\$\(CPUS\)|\d*)", word)]
    if f"{name}.cooja" not in words:
        return None
    words.remove(f"{name}.cooja")
    variant = {}
    for word in words:
        matched = re.fullmatch(r"([A-Z][A-Z0-9_]{0,63})=([A-Za-z0-9_.,:+-]{0,64})", word)
        if matched is None:
            return None
        variant[matched[1]] = matched[2]
    return variant if variant.pop("TARGET", None) == "cooja" else None


def split(commands: str, make_flags: list[str]) -> list[list[str]]:
    """The commands as argument lists, Cooja's variables replaced."""
    make = " ".join(["make", *make_flags])
    made = []
    for line in commands.split("\n"):
        text = line.strip().replace("$(MAKE)", make).replace("$(CPUS)", str(os.cpu_count() or 1))
        words = []
        for word in _ARGUMENT.findall(text):
            words.append(word[1:-1] if len(word) > 1 and word[0] in "\"'" else word)
        if words:
            made.append(words)
    return made


def build(
    source: Path, identifier: str, commands: str, make_flags: list[str], *, cc: str | None = None, cflags: str = "",
    show: Callable[[str], None] = lambda _: None,
) -> Path:
    """Runs the commands and returns the library. `cflags` follow those of $EXTRA_CC_ARGS. `show` gets each command
    before it runs.

    Raises NoSuchThing (no source), MissingTool, BuildFailed or Unsupported.
    """
    expected = library(source, identifier)
    if not source.is_file():
        raise NoSuchThing(f"{source}: no such source file; correct the .csc, or name its folder with --contiki")
    environment = {
        "LIBNAME": f"$(BUILD_DIR_BOARD)/{identifier}.cooja", "COOJA_VERSION": COOJA_VERSION,
        "CC": compiler.find(cc).shell, "PATH": os.environ.get("PATH", ""),
    } | {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    if cflags:
        environment["EXTRA_CC_ARGS"] = f"{environment.get('EXTRA_CC_ARGS', '')} {cflags}".strip()
    for words in split(commands, make_flags):
        show("> " + " ".join(words))
        try:
            code, output = calls.run(words, source.parent, environment)
        except FileNotFoundError:
            raise MissingTool(f"{words[0]}: no such program; the .csc's build commands need it") from None
        except (PermissionError, ValueError) as error:
            raise BuildFailed(f"{words[0]}: {error}") from None
        if code != 0:
            raise BuildFailed(f"the .csc's build command failed: {' '.join(words)}\n{first_errors(output)}")
    if not expected.is_file():
        raise BuildFailed(f"the .csc's build commands left no {expected}\n"
                          "    its Makefile must obey LIBNAME from the environment, as Contiki-NG's does")
    return expected
