# SPDX-License-Identifier: Apache-2.0
"""TSCH's cells and associations are those of a network whose schedule is known."""

import random

import pyarrow as pa
import pytest
from orchestrate_spark.sources.air import TABLES, tsch
from orchestrate_spark.tables import fitted

SLOT, TX_OFFSET, BOOT = 10_000, 2120, 345_678
SEQUENCE = tsch.HOPPING


def record(schedule, count=200, seed=0, length=7, first_asn=12, pans=(1,), late=()):
    """(frames, receptions) of frames in random cells (timeslot, channel offset, kind) of a slotframe.

    Mote 1 is the coordinator; the motes 2 to 5 hear every beacon, those in `late` from ASN 2000 on.
    """
    draw, frames, heard = random.Random(seed), [], []
    used = sorted(draw.sample(range(3000), count))
    for number, slotframe in enumerate(used):
        timeslot, offset, kind = schedule[draw.randrange(len(schedule))] if number else schedule[0]
        asn = first_asn + slotframe * length
        asn += (timeslot - asn) % length
        beacon = kind == "beacons"
        t_us = BOOT + asn * SLOT + TX_OFFSET + draw.randrange(-300, 300) * (number > 0)
        frames.append(
            {
                "frame": number,
                "t_us": t_us,
                "end_us": t_us + 1000,
                "mote": 1 if beacon else draw.randint(1, 5),
                "channel": SEQUENCE[(asn + offset) % len(SEQUENCE)],
                "type": "beacon" if beacon else "data",
                "dst": "0x0003" if kind == "unicast" else "0xffff",
                "asn": asn if beacon else None,
                "pan": pans[number % len(pans)] if beacon else None,
            }
        )
        for mote in range(2, 6) if beacon else ():
            here = mote not in late or asn > 2000
            heard.append({"frame": number, "mote": mote, "outcome": "received" if here else "radio-off"})
    table = pa.Table.from_pylist(
        frames,
        pa.schema(
            [field for field in map(lambda f: pa.field(*f), TABLES["frames"]) if field.name in frames[0]]
        ),
    )
    return table, pa.Table.from_pylist(heard), frames


def rows(tables, name):
    return fitted(name, tables[name]).drop_columns(["experiment", "cell", "seed", "run_id"]).to_pylist()


def test_frames_are_counted_in_their_cells():
    schedule = [(0, 0, "beacons"), (3, 2, "broadcast"), (5, 1, "unicast"), (6, 3, "unicast")]
    frames, heard, _ = record(schedule)
    found = rows(tsch.tables(frames, heard, {"slotframes": dict.fromkeys(tsch.KINDS, 7)}), "tsch_cells")
    assert {(row["timeslot"], row["channel_offset"]) for row in found} == {cell[:2] for cell in schedule}
    kinds = {(timeslot, offset): kind for timeslot, offset, kind in schedule}
    for row in found:
        kind = kinds[row["timeslot"], row["channel_offset"]]
        assert row[kind] == row["beacons"] + row["broadcast"] + row["unicast"] == row["slots"] > 0
        assert row["slotframe"] == 7 and row["slots"] <= row["occurrences"]
    assert sum(row["slots"] for row in found) == frames.num_rows


def test_a_single_cell_gives_the_length_of_the_slotframe():
    """Also against settings of another cell's schedule; several cells leave it unknown without settings."""
    frames, heard, _ = record([(4, 2, "beacons"), (4, 2, "unicast")])
    for plain in ({}, {"slotframes": {"beacons": 397, "unicast": 17}}):
        (row,) = rows(tsch.tables(frames, heard, plain), "tsch_cells")
        assert (row["slotframe"], row["timeslot"], row["channel_offset"]) == (7, 4, 2)
    frames, heard, _ = record([(0, 1, "beacons"), (3, 2, "unicast")])
    for row in rows(tsch.tables(frames, heard, {}), "tsch_cells"):
        assert row["slotframe"] is row["timeslot"] is row["occurrences"] is None
        assert (row["channel_offset"] == 1) == (row["beacons"] > 0)


def test_what_can_t_be_derived_is_left_out():
    frames, heard, _ = record([(0, 0, "beacons")])
    (row,) = rows(tsch.tables(frames, heard, {"hopping": [11, 12]}), "tsch_cells")
    assert row["channel_offset"] is None, "the channels are not in the sequence"
    frames, heard, _ = record([(0, 0, "beacons")], pans=(1, 2))
    assert "tsch_cells" not in tsch.tables(frames, heard, {}), "each coordinator counts slots for itself"
    no_asn = frames.set_column(frames.column_names.index("asn"), "asn", pa.nulls(frames.num_rows, pa.int64()))
    assert tsch.tables(no_asn, heard, {}) == {}


def test_a_mote_associates_with_the_first_beacon_that_it_hears():
    frames, heard, every = record([(0, 0, "beacons"), (3, 2, "unicast")], late=(5,))
    found = {row["mote"]: row for row in rows(tsch.tables(frames, heard, {}), "tsch_motes")}
    ends = [frame["end_us"] for frame in every if frame["asn"] is not None]
    later = min(frame["end_us"] for frame in every if (frame["asn"] or 0) > 2000)
    assert found[1]["coordinator"] and found[1]["associated_us"] is None
    assert {found[mote]["associated_us"] for mote in (2, 3, 4)} == {min(ends)}
    assert found[5]["associated_us"] == later > min(ends)


@pytest.mark.parametrize("asn", [0, 2**40 - 1])
def test_beacons_that_lie_do_no_harm(asn):
    frames, heard, _ = record([(0, 0, "beacons")], count=40)
    place = frames.column_names.index("asn")
    lying = pa.array([asn if number % 2 else 3 for number in range(frames.num_rows)], pa.int64())
    tables = tsch.tables(frames.set_column(place, "asn", lying), heard, {"slotframes": {"beacons": 65_535}})
    assert rows(tables, "tsch_cells")
