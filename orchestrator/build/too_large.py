# SPDX-License-Identifier: Apache-2.0
"""Says by how many bytes firmware is too large for a Tmote Sky, from what ld.lld prints about its regions."""

from __future__ import annotations

import re

from orchestrator.errors import BuildFailed

_OVER = re.compile(r"will not fit in region '(flash|ram)': overflowed by (\d+) bytes")
_FEW_FOR_THE_STACK = "bytes of RAM are left for the stack"
_STACK = 512  # bytes, sky.ld
_NAMES = {"flash": "program memory (48 KB)", "ram": "RAM (10 KB)"}


def explained(failed: BuildFailed, name: str) -> BuildFailed:
    """Return the error of a link that failed for want of memory in these words; any other as it is."""
    over: dict[str, int] = {}
    for region, count in _OVER.findall(failed.output):
        over[region] = max(over.get(region, 0), int(count))
    if "ram" in over:
        over["ram"] += _STACK
    parts = [f"{over[region]:,} bytes of {what}" for region, what in _NAMES.items() if region in over]
    if not over and _FEW_FOR_THE_STACK in failed.output:
        parts = [f"less than {_STACK} bytes of RAM are left for the stack"]
    if not parts:
        return failed
    much = "" if not over else " too much"
    return BuildFailed(
        f"firmware {name} is too large for a Tmote Sky: {' and '.join(parts)}{much}\n"
        "    choose parameters that need less (its README.md may name some), or leave `platform` out",
        failed.output,
    )
