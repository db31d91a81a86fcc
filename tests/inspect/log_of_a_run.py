# SPDX-License-Identifier: Apache-2.0
"""A log written by hand that has every kind of record once, in a store as a run's."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.inspect.find import find
from orchestrator.runs.store import Store
from orchestrator.topology.model import Node
from tests.runs.conftest import make_result, make_spec, put

MOTES = (
    Node(1, "S", "subscriber", 0, 0),
    Node(2, "P1", "publisher", 5, 0, 1, also="relay"),
    Node(3, "P2", "publisher", 9, 0, 2),
)
COUNTERS = {
    1: {"packets_sent": 1, "packets_received": 8, "event_packets_received": 7, "delay_total_ms": 90},
    2: {
        "packets_sent": 1500,
        "packets_received": 4,
        "packets_off_topology": 5,
        "events_published": 6,
        "events_transmitted": 9,
        "event_packets_received": 2,
        "mac_sent": 11,
        "merged": 3,
        "events_pending": 1,
        "merges_undone": 2,
        "queue_dropped": 2,
        "mac_channel_access_failure": 3,
        "mac_collision": 4,
        "pool_exhausted": 0,
        "no_route": 6,
        "packets_malformed": 7,
        "forward_timeout": 1,
        "forward_full": 2,
        "forward_contained": 3,
        "forward_frame": 4,
    },
}
LINES = (
    (5, 3, "hello"),
    (6, 3, "boot\tx"),
    (7, 3, "ready"),
    (10, 1, "!node,subscriber,0,0,0"),
    (10, 2, "!node,publisher,1,1,2"),
    (11, 2, "!run,start,2"),
    (2_000_000, 2, "!run,end,0"),
    *(
        (2_500_000, mote, f"!cnt,{name},{value}")
        for mote, those in COUNTERS.items()
        for name, value in those.items()
    ),
    (2_500_000, 1, "!from,1,4,2"),
    (2_500_000, 1, "!from,9,1,0"),
    (2_500_000, 1, "!agg,1,1500"),
    (2_500_000, 2, "!agg,1,1500"),
    (2_500_000, 1, "!agg,3,30"),
    (2_500_000, 1, "!agg,4,0"),
    (2_500_000, 1, "!dly,10,18"),
    (2_500_000, 1, "!dly,20,1"),
    (2_500_000, 1, "!dly,40,1"),
    (2_500_000, 2, "!nrg,listen,1500000"),
    (2_500_000, 2, "!nrg,transmit,500000"),
    (2_500_000, 2, "!nrg,off,0"),
    (2_500_000, 2, "!nrg,cpu,7000000"),
    (2_500_000, 2, "!what"),
)
ENDS = "TEST OK\nTest ended at simulation time: 3000000\n"


def log(lines=LINES, ends=ENDS) -> bytes:
    return (
        "Random seed: 1\n" + "".join(f"{time}\tID:{mote}\t{text}\n" for time, mote, text in lines) + ends
    ).encode()


def stored(folder, lines=LINES, result=None):
    """The run of a new store in `folder`."""
    store = Store(folder)
    result = result or replace(make_result(), sim_us=3_000_000, wall_s=0.5)
    put(store, replace(make_spec(), motes=MOTES), result, log(lines))
    return find(store, ["trial"])
