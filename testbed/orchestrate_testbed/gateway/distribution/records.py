# SPDX-License-Identifier: Apache-2.0
"""What a node leaves in the log: the records `job`, `age` and `cnt`, as motes print them."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrate_testbed.gateway.distribution.work import CAUSES


def text(said: dict) -> str | None:
    """Return the log's line of what a task said; None if it only counts."""
    for kind in ("job", "age"):
        if kind in said:
            return f"!{kind}," + ",".join(map(str, said[kind]))
    return None


def counters(said: Iterable[dict], node: dict) -> list[str]:
    """Return the lines at the run's end, of all that a node's tasks said and of what the node counted."""
    found = {f"misses_{cause}": 0 for cause in CAUSES}
    found["reads_without_data"] = 0
    for one in said:
        if one.get("cause"):
            found[f"misses_{one['cause']}"] += 1
        found["reads_without_data"] += "none" in one
    found.update(
        clock_steps=node["steps"],
        clock_error_us=node["error"],
        clock_exchanges=node["exchanges"],
        values_malformed=node["malformed"],
    )
    return [f"!cnt,{name},{value}" for name, value in found.items()]
