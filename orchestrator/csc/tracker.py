# SPDX-License-Identifier: Apache-2.0
"""What a .csc's PowerTracker means without a window: it does nothing unless the script asks it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.csc.model import EndScript, JavaScript

if TYPE_CHECKING:
    from lxml.etree import _Element

    from orchestrator.csc.faults import Faults

_ASKS_COOJA = re.compile(r"\bgetCooja\b|\.cooja\b")
_CHANGES_MOTES = re.compile(r"\b(addMote|removeMote)\s*\(")


def counts(plugin: _Element | None, script: EndScript | JavaScript | None, faults: Faults) -> bool:
    """Return whether the plugin has to count, since the script may ask it."""
    code = script.code if isinstance(script, JavaScript) else ""
    if plugin is None:
        return False
    if changes := _CHANGES_MOTES.search(code):
        faults.unsupported(
            plugin,
            f"a PowerTracker beside a script that calls {changes[1]}(), where Cooja stops with an error",
            "remove the PowerTracker; --radio records the radios' times",
        )
    if _ASKS_COOJA.search(code):
        return True
    faults.note(
        plugin,
        "plugin PowerTracker: no script reads it, so it changes nothing",
        "--radio records how long each radio was on, sent and received",
    )
    return False
