# SPDX-License-Identifier: Apache-2.0
"""The records of motes about their threads and blackboards, as plain values.

Times are modelled by cpu_use().
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = ("threads", "subscriptions")


def threads(tables: Mapping[str, pa.Table], names: dict[int, str]) -> list[dict[str, Any]]:
    """Return a dict for each thread of each mote; `share` is of the CPU's time, the idle thread's included.

    `names`: of the motes, by number.
    """
    rows = tables["threads"].to_pylist()
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


def notifications(tables: Mapping[str, pa.Table], names: dict[int, str]) -> list[dict[str, Any]]:
    """Return a dict for each subscription, with times in us.

    `mean_us` and `max_us` are None without a notification, `deadline_us` without a deadline.
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
        for row in tables["subscriptions"].to_pylist()
    ]


class ThreadsView:
    """Threads and notifications, for `orchestrate show`."""

    tables = TABLES

    def rows(self, tables: Mapping[str, pa.Table], names: Mapping[int, str]) -> dict[str, list[dict]]:
        return {"threads": threads(tables, names), "notifications": notifications(tables, names)}

    def shown(self, rows: Mapping[str, Any]) -> Iterator:
        from orchestrator.features.blackboard.commands.show_threads import of_notifications, of_threads

        if rows["threads"]:
            yield of_threads(rows["threads"])
        if rows["notifications"]:
            yield of_notifications(rows["notifications"])


VIEW = ThreadsView()
