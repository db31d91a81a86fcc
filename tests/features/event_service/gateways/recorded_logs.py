# SPDX-License-Identifier: Apache-2.0
"""Digests of the logs of boards with gateways: any change of the event service that a mote or a gateway could
notice shows in one of them.

`ORCHESTRATE_GOLDEN=1 pytest TEST` (in one process) records the runs of TEST anew, after a change that is
meant to show.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

_RECORDED = Path(__file__).with_name("recorded-logs.txt")


def same(run: str, log: bytes) -> None:
    """Fail unless this run's log is the recorded one."""
    line = f"{run}: {len(log.splitlines())} lines, {hashlib.sha256(log).hexdigest()[:32]}"
    known = _RECORDED.read_text(encoding="utf-8").splitlines() if _RECORDED.exists() else []
    if os.environ.get("ORCHESTRATE_GOLDEN"):
        others = [one for one in known if one.rpartition(": ")[0] != run]
        known = sorted([*others, line])
        _RECORDED.write_text("\n".join(known) + "\n", encoding="utf-8")
    assert line in known, f"{run}: the log has changed; ORCHESTRATE_GOLDEN=1 renews {_RECORDED.name}"
