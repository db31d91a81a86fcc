# SPDX-License-Identifier: Apache-2.0
"""What identifies the gateways' code in a run: a digest of its sources."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from orchestrate_testbed.gateway import distribution, event_service

_DIGITS = 16


@cache
def digest() -> str:
    """Return the digest of the gateways' own code and its driver here: either can change a run's bytes."""
    made = hashlib.sha256()
    for folder in (
        *(Path(core.__file__).parent for core in (event_service, distribution)),
        Path(__file__).parent,
    ):
        for path in sorted(folder.glob("*.py")):
            made.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return made.hexdigest()[:_DIGITS]
