# SPDX-License-Identifier: Apache-2.0
"""Delivery by subscriber and publisher in a run whose motes print their subscriptions (record `sub`).

orchestrate_spark.metrics.owed has the definition, and computes the same for many runs. Starting its engine
takes longer than all of this does for one run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyarrow import Table

_PLACES = {"sub": 0, "die": 1, "pub": 2, "dlv": 3}


def delivery(events: Table, names: dict[int, str]) -> list[dict[str, Any]]:
    """Return the rows that overview has; `published` counts the events that the subscriber should get.

    `events`: the table. Without `sub` records there are no rows.
    """
    from orchestrator.inspect.tables import having

    # At one time, a subscription counts before a death, and both before an event.
    rows = sorted(
        having(events, kind=list(_PLACES)).to_pylist(), key=lambda row: (row["time_us"], _PLACES[row["kind"]])
    )
    wants: dict[str, set[int]] = defaultdict(set)  # subject -> the motes that subscribe to it now
    owed: Counter = Counter()
    source, promised, arrivals = {}, set(), Counter()
    for row in rows:
        mote, subject = row["mote"], row["subject"]
        if row["kind"] == "sub":
            wants[subject].add(mote)
        elif row["kind"] == "die":
            for motes in wants.values():
                motes.discard(mote)
        elif row["kind"] == "pub":
            source[row["publisher"]] = mote
            for to in wants[subject]:
                owed[to, row["publisher"]] += 1
                promised.add((to, subject, row["publisher"], row["sequence"]))
        else:
            arrivals.update((mote, subject, event["publisher"], event["sequence"]) for event in row["events"])
    got, again = Counter(), Counter()
    for event, times in arrivals.items():
        if event in promised:
            got[event[0], event[2]] += 1
            again[event[0], event[2]] += times - 1
    return [
        {
            "subscriber": names.get(to),
            "publisher": names.get(source[publisher], f"publisher {publisher}"),
            "published": count,
            "delivered": got[to, publisher],
            "duplicates": again[to, publisher],
            "lost": count - got[to, publisher],
        }
        for (to, publisher), count in sorted(owed.items())
    ]
