# SPDX-License-Identifier: Apache-2.0
"""Texts as they were when somebody last looked at them, of what a user reads as a whole: a table, a picture.

`ORCHESTRATE_GOLDEN=1 pytest TEST` writes them anew, to be looked at with `git diff`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_LONG = re.compile(r"-?[0-9]+\.[0-9]{7,}(?:e[+-]?[0-9]+)?")


def same(text: str, recorded: Path) -> None:
    """Fail unless the text is the recorded one."""
    if os.environ.get("ORCHESTRATE_GOLDEN"):
        recorded.parent.mkdir(exist_ok=True)
        recorded.write_text(text, encoding="utf-8")
    known = recorded.read_text(encoding="utf-8") if recorded.exists() else None
    assert text == known, f"ORCHESTRATE_GOLDEN=1 renews {recorded}"


def rounded(text: str) -> str:
    """Write long decimals with seven digits: libraries of another version differ in the last ones."""
    return _LONG.sub(lambda number: f"{float(number[0]):.7g}", text)
