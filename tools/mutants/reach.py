# SPDX-License-Identifier: Apache-2.0
"""Which tests run a line of Python: those are asked first whether they notice its change.

It is learnt while the tests run on the unchanged sources, where pytest-cov is installed. What a test does in
other processes isn't seen, so the others have to run after them.
"""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from pathlib import Path

_MOST = 40  # tests that are asked first; all of them run if none of these notices
_SETTINGS = "[run]\nsource = {sources}\ndata_file = {data}\n[report]\nskip_empty = true\n"


def learning(folder: Path, sources: list[Path]) -> list[str]:
    """Arguments of pytest with which it learns that, in a folder; none where it can't."""
    if find_spec("pytest_cov") is None:
        return []
    settings = folder / "reach.ini"
    settings.write_text(
        _SETTINGS.format(sources=",".join(map(str, sources)), data=folder / "reach"), encoding="utf-8"
    )
    return ["--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report="]


def nearest(folder: Path, file: Path, line: int) -> list[str]:
    """The tests that run a line, up to 40: first those that run the least of its file besides."""
    if not (folder / "reach").is_file():
        return []
    from coverage import CoverageData

    data = CoverageData(str(folder / "reach"))
    data.read()
    ran = data.contexts_by_lineno(str(file))
    lines = Counter(context for contexts in ran.values() for context in contexts)
    # A statement of several lines is known by its first one.
    there = max(
        (number for number, contexts in ran.items() if number <= line and any(contexts)), default=None
    )
    contexts = [context for context in ran.get(there, ()) if context]
    by_reach = sorted(contexts, key=lambda context: (lines[context], context))
    return list(dict.fromkeys(context.rpartition("|")[0] for context in by_reach))[:_MOST]
