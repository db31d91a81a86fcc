# SPDX-License-Identifier: Apache-2.0
"""Do the tests notice a change?"""

from __future__ import annotations

import re
from enum import Enum

from tools.mutants.areas import Area
from tools.mutants.change import Change
from tools.mutants.replica import Ran, Replica

_CANT_FIND = 4  # pytest's status where the tests of its arguments can't be found, or not be imported any more
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


class Fate(Enum):
    NOTICED = "noticed"
    SURVIVED = "survived"
    NOT_COMPILED = "does not compile"  # not counted


def tried(replica: Replica, area: Area, change: Change, usual: Ran) -> tuple[Fate, str]:
    """The verdict, and the test that noticed. The copy is as before afterwards."""
    path = replica.root / change.file
    unchanged = path.read_bytes()
    try:
        path.write_text(change.text, encoding="utf-8")
        nearest = replica.nearest(change.file, change.line)
        ran = replica.run(nearest, usual) if nearest else None
        if ran is None or ran.status in (0, _CANT_FIND):
            ran = replica.run(area.test_files(replica.root, change.file), usual)
    finally:
        path.write_bytes(unchanged)
    if ran.status is None:
        return Fate.NOTICED, "never ended"
    if ran.status == 0:
        return Fate.SURVIVED, ""
    if re.search(rf"{re.escape(path.name)}:\d+:(?:\d+:)? (?:fatal )?error:", ran.output):
        return Fate.NOT_COMPILED, ""
    failed = _FAILED.search(ran.output)
    return Fate.NOTICED, failed[1] if failed else f"pytest ended with {ran.status}"
