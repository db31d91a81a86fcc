# SPDX-License-Identifier: Apache-2.0
"""TSCH: when motes associate, and which cells of the schedule are used, from beacons and the time of frames.

An enhanced beacon has the absolute slot number (ASN). That of another frame follows from the time since the
last beacon and the length of a slot. The channel offset follows from ASN, channel and hopping sequence (IEEE
802.15.4-2015, 6.2.6.3), the timeslot from ASN and the slotframe's length. Contiki-NG's beacons name neither
sequence nor length, so the experiment's settings have them. Without a length, the timeslot is unknown, unless
all frames are at one place of a period: then that is the only cell of a slotframe of this length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

HOPPING = (15, 25, 26, 20)  # Contiki-NG's TSCH_HOPPING_SEQUENCE_4_4, its default
BEACONS, BROADCAST, UNICAST = "beacons", "broadcast", "unicast"
KINDS = (BEACONS, BROADCAST, UNICAST)
FEWEST = 20  # frames from which a period is derived
EARLY = 0.1  # of a slot: clocks of motes differ by less
_EVERYBODY = "0xffff"


def tables(frames: pa.Table, receptions: pa.Table, plain: Mapping[str, Any]) -> dict[str, pa.Table]:
    """Return the rows of `tsch_motes` and `tsch_cells`; nothing if no frame has an ASN.

    `plain`: the experiment's settings (air.json), with slot_us, hopping and slotframes.
    """
    known = pc.is_valid(frames["asn"])
    if not pc.any(known).as_py():
        return {}
    pans = pc.unique(frames["pan"].filter(known))
    return {
        "tsch_motes": _association(frames, receptions, known),
        # Several coordinators count slots each for itself.
        **({"tsch_cells": _cells(frames, plain)} if len(pans) < 2 else {}),
    }


def _association(frames: pa.Table, receptions: pa.Table, known: pa.ChunkedArray) -> pa.Table:
    """Return for each mote when it had received its first beacon; a coordinator has sent one before."""
    beacons = frames.filter(known)
    ends = np.full(frames.num_rows, -1, np.int64)
    ends[_numbers(beacons, "frame")] = _numbers(beacons, "end_us")
    heard = receptions.filter(pc.equal(receptions["outcome"], "received"))
    heard_end, heard_by = ends[_numbers(heard, "frame")], _numbers(heard, "mote")
    of_beacons = heard_end >= 0
    first = _first(heard_by[of_beacons], heard_end[of_beacons])
    sent = _first(_numbers(beacons, "mote"), _numbers(beacons, "t_us"))
    every = sorted({*_numbers(heard, "mote").tolist(), *sent, *first} - {-1})
    coordinator = [mote in sent and (mote not in first or sent[mote] < first[mote]) for mote in every]
    return pa.table(
        {
            "mote": pa.array(every, pa.int32()),
            "coordinator": pa.array(coordinator, pa.bool_()),
            "associated_us": pa.array(
                [None if root else first.get(mote) for mote, root in zip(every, coordinator)], pa.int64()
            ),
        }
    )


def _first(motes: np.ndarray, times: np.ndarray) -> dict[int, int]:
    """Return the earliest of the times by mote."""
    order = np.argsort(times, kind="stable")[::-1]
    return dict(zip(motes[order].tolist(), times[order].tolist()))


def _numbers(table: pa.Table, name: str) -> np.ndarray:
    return pc.fill_null(table[name], -1).to_numpy().astype(np.int64)


def _cells(frames: pa.Table, plain: Mapping[str, Any]) -> pa.Table:
    """Count frames, slots and senders by slotframe, timeslot and channel offset, without acknowledgements."""
    chosen = frames.filter(pc.invert(pc.equal(frames["type"], "ack")))
    asn = _asn(frames, _numbers(chosen, "t_us"), plain.get("slot_us", 10_000))
    kind = _kinds(chosen)
    channel, mote = _numbers(chosen, "channel"), _numbers(chosen, "mote")
    offset = _offsets(asn, channel, plain.get("hopping", HOPPING))
    length = _lengths(asn, kind, plain.get("slotframes", {}))
    timeslot = np.where(length > 0, asn % np.maximum(length, 1), -1)
    spans = int(asn.max() - asn.min() + 1)
    places = np.stack([length, timeslot, offset], axis=1)
    rows = []
    for place, at in _groups(places):
        slots = np.unique(asn[at])
        rows.append(
            {
                "slotframe": None if place[0] <= 0 else place[0],
                "timeslot": None if place[1] < 0 else place[1],
                "channel_offset": None if place[2] < 0 else place[2],
                **{name: int((kind[at] == number).sum()) for number, name in enumerate(KINDS)},
                "slots": len(slots),
                "occurrences": None if place[0] <= 0 else -(-spans // place[0]),
                "senders": len(np.unique(mote[at][mote[at] >= 0])) or None,
            }
        )
    return pa.Table.from_pylist(rows)


def _asn(frames: pa.Table, t_us: np.ndarray, slot_us: int) -> np.ndarray:
    """Return the ASN of the slot in which each frame begins, by the last beacon before it (or the first)."""
    beacons = frames.filter(pc.is_valid(frames["asn"]))
    at, number = _numbers(beacons, "t_us"), _numbers(beacons, "asn")
    last = np.clip(np.searchsorted(at, t_us, side="right") - 1, 0, len(at) - 1)
    return number[last] + np.floor((t_us - at[last]) / slot_us + EARLY).astype(np.int64)


def _kinds(frames: pa.Table) -> np.ndarray:
    beacon = pc.equal(frames["type"], "beacon").to_numpy()
    everybody = pc.fill_null(pc.equal(frames["dst"], _EVERYBODY), True).to_numpy()
    return np.where(beacon, 0, np.where(everybody, 1, 2))


def _offsets(asn: np.ndarray, channel: np.ndarray, sequence: Sequence[int]) -> np.ndarray:
    """Return the channel offsets; -1 for all if a frame has a channel that isn't once in the sequence."""
    places = {number: place for place, number in enumerate(sequence)}
    if len(places) != len(sequence) or not {*np.unique(channel).tolist()} <= places.keys():
        return np.full(len(asn), -1)
    place = np.array([places[number] for number in channel.tolist()])
    return (place - asn) % len(sequence)


def _lengths(asn: np.ndarray, kind: np.ndarray, slotframes: Mapping[str, int]) -> np.ndarray:
    """Return the length of each frame's slotframe, 0 if it isn't known.

    A length that the settings give holds unless frames contradict it: the cells of an experiment may differ
    in their schedules.
    """
    period = int(np.gcd.reduce(asn - asn.min())) if len(asn) >= FEWEST else 0
    if period > 1 and (not slotframes or any(length % period for length in slotframes.values())):
        return np.full(len(asn), period)
    return np.array([slotframes.get(name, 0) for name in KINDS])[kind]


def _groups(places: np.ndarray) -> Iterator[tuple[list[int], np.ndarray]]:
    """Yield each different row, and where it is."""
    different, numbers, counts = np.unique(places, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(numbers.ravel(), kind="stable")
    yield from zip(different.tolist(), np.split(order, np.cumsum(counts)[:-1]))
