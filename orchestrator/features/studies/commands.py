# SPDX-License-Identifier: Apache-2.0
"""Build commands of a mote type with further macros (Contiki's make variable DEFINES) and make variables.

A macro's value passes through Cooja, which splits commands at white space and quotes, through make, which
splits DEFINES at commas, and through a shell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}", re.ASCII)
RESERVED = {
    "TARGET": "the mote type has it",
    "CONTIKI": "name the tree with --contiki-ng or `firmware: {tree: ...}`",
    "DEFINES": "write the macros as `defines:`",
    "LIBNAME": "Cooja sets it",
    "COOJA_VERSION": "Cooja sets it",
}
_MAKES = ("$(MAKE)", "make", "gmake")
_DEFINES = re.compile(r"""(?<!\S)(?:"DEFINES=([^"\n]*)"|DEFINES=(\S*))""")
_BARE = re.compile(r"[A-Za-z0-9_.+-]*", re.ASCII)
_SPACE = re.compile(r"\s*([^\w\s])\s*")


class Unfit(ValueError):
    """A value that the build commands can't hold: what is wrong, and a remedy."""

    def __init__(self, what: str, remedy: str):
        self.remedy = remedy
        super().__init__(what)


def define(name: str, value: str) -> str:
    """Return a macro as DEFINES takes it. Raises Unfit."""
    text = _SPACE.sub(r"\1", value.strip())
    if re.search(r"""[,"'\\$`\s]""", text) or not text.isprintable():
        raise Unfit(
            f"the macro {name} can't be {value[:60]!r}: DEFINES of Contiki takes no text, comma or backslash",
            "write a number or an expression, or define the macro in project-conf.h",
        )
    return f"{name}={text if _BARE.fullmatch(text) else chr(39) + text + chr(39)}" if text else name


def variable(name: str, value: str) -> str:
    """Return a make variable as a command has it. Raises Unfit."""
    if re.search(r"""["'\\$`\s]""", value) or not value.isprintable():
        raise Unfit(
            f"the make variable {name} can't be {value[:60]!r}",
            "write it without spaces, quotes, backslashes and dollar signs, or set it in the Makefile",
        )
    return f"{name}={value}"


def changed(commands: str, defines: Mapping[str, str], variables: Mapping[str, str]) -> str:
    """Return commands in which each make, apart from those that clean, has these macros and variables.

    Raises Unfit.
    """
    macros = [define(name, value) for name, value in defines.items()]
    words = [variable(name, value) for name, value in variables.items()]
    if not macros and not words:
        return commands
    lines = []
    for line in commands.split("\n"):
        listed = line.split()
        if listed and listed[0] in _MAKES and "clean" not in listed:
            line = _with(line, macros, words)
        lines.append(line)
    return "\n".join(lines)


def _with(line: str, macros: list[str], words: list[str]) -> str:
    own = _DEFINES.search(line)
    if macros and own is not None:
        names = {macro.partition("=")[0] for macro in macros}
        before = (own[1] or own[2] or "").split(",")
        macros = [macro for macro in before if macro and macro.partition("=")[0] not in names] + macros
        line = line[: own.start()] + line[own.end() :]
    if macros:
        text = "DEFINES=" + ",".join(macros)
        words = [f'"{text}"' if "'" in text else text, *words]
    names = {word.partition("=")[0] for word in words}
    others = [word for word in line.split(" ") if word.partition("=")[0] not in names or "=" not in word]
    return " ".join([" ".join(others).rstrip(), *words])
