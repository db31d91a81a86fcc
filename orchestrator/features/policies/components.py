# SPDX-License-Identifier: Apache-2.0
"""Reads from an application's sources what its components do with topics, and which modules it links."""

from __future__ import annotations

import re
from pathlib import Path

from orchestrator.applications import folder as folders
from orchestrator.features.policies.checks.firmware import Components

_MODULES = re.compile(r"^[ \t]*MODULES[ \t]*[:+?]?=((?:[^\n\\]|\\\n)*)", re.MULTILINE)
_CALL = re.compile(r'\bpubsub_(announce|subscribe)\s*\(\s*policy_subject\s*\(\s*"([^"\n]*)"')


def read(folder: Path) -> Components:
    """Read the Makefile and the C files of an application's folder."""
    topics: dict[str, set[str]] = {"announce": set(), "subscribe": set()}
    modules = None  # a store keeps descriptions of applications without their Makefiles
    for name, path in folders.files(folder).items():
        if name == "Makefile":
            modules = _modules(path.read_text(encoding="utf-8", errors="replace"))
        elif path.suffix in (".c", ".h"):
            for call, topic in _CALL.findall(path.read_text(encoding="utf-8", errors="replace")):
                topics[call].add(topic)
    return Components(modules, frozenset(topics["announce"]), frozenset(topics["subscribe"]))


def _modules(makefile: str) -> frozenset[str] | None:
    values = [value.replace("\\\n", " ").split("#")[0] for value in _MODULES.findall(makefile)]
    return None if any("$" in value for value in values) else frozenset(" ".join(values).split())
