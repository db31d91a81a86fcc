# SPDX-License-Identifier: Apache-2.0
"""Types of application parameters that name files of ESCAPE policies."""

from __future__ import annotations

import re

from orchestrator.vocabulary.parameters import MOST_TEXT, NO_MOTES, ParameterType
from orchestrator.vocabulary.units import NotAQuantity, short

_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,63}\.escape", re.ASCII)


def _files(text: str) -> str:
    """Return names of files, each once, with one space between them."""
    names = text.split()
    strange = [name for name in names if not _FILE.fullmatch(name)]
    if len(text) > MOST_TEXT or (names != [NO_MOTES] and strange):
        raise NotAQuantity(
            f"{short(strange[0] if strange else text)} is not a file of policies",
            "write the names of .escape files with spaces between them, or none",
        )
    return " ".join(dict.fromkeys(names))


def _file(text: str) -> str:
    """Return the name of one file, or none."""
    if text != NO_MOTES and not _FILE.fullmatch(text):
        raise NotAQuantity(
            f"{short(text)} is not a file of policies", "write the name of one .escape file, or none"
        )
    return text


POLICIES = ParameterType(_files, f"{_FILE.pattern}( +{_FILE.pattern})*|{NO_MOTES}")
BYTECODE = ParameterType(_file, f"{_FILE.pattern}|{NO_MOTES}")
