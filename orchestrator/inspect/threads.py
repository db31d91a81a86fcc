# SPDX-License-Identifier: Apache-2.0
"""What motes with threads and a blackboard dumped of them, as plain values. Modelled, as cpu_use is."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

TABLES = ("threads", "subscriptions")


def threads(tables, names: dict[int, str]) -> list[dict[str, Any]]:
    """By mote and thread; `share`: of the CPU's time, the idle thread's included. `names`: mote -> its
    name."""
    rows = tables["threads"].to_dicts()
    whole: dict[int, int] = defaultdict(int)
    for row in rows:
        whole[row["mote"]] += row["cpu_us"]
    return [
        {
            "mote": names.get(row["mote"], f"mote {row['mote']}"),
            "thread": row["name"],
            "priority": row["priority"],
            "cpu_us": row["cpu_us"],
            "share": row["cpu_us"] / whole[row["mote"]] if whole[row["mote"]] else None,
            "switches": row["switches"],
            "stack_used": row["stack_used"],
            "stack_size": row["stack_size"],
        }
        for row in rows
    ]


def notifications(tables, names: dict[int, str]) -> list[dict[str, Any]]:
    """By subscription; times in us, `mean_us` and `max_us` None where there was no notification,
    `deadline_us` for none.
    """
    return [
        {
            "mote": names.get(row["mote"], f"mote {row['mote']}"),
            "event": row["event"],
            "subscriber": row["subscriber"],
            "thread": row["thread"],
            "deadline_us": row["deadline_us"] or None,
            "notified": row["notified"],
            "missed": row["missed"] if row["deadline_us"] else None,
            "mean_us": row["total_us"] / row["notified"] if row["notified"] else None,
            "max_us": row["max_us"] if row["notified"] else None,
        }
        for row in tables["subscriptions"].to_dicts()
    ]
