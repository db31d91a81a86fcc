# SPDX-License-Identifier: Apache-2.0
"""An event's way through logs written by hand: every hop, delivery and end of it."""

from __future__ import annotations

import itertools
import struct
from dataclasses import replace

import pytest

from orchestrator.errors import NoSuchThing, RunFailed, WrongUsage
from orchestrator.execution import again
from orchestrator.inspect.find import Found, find
from orchestrator.inspect.journey import Untraced, journey, parse_event
from orchestrator.runs.store import Store
from orchestrator.scenario.model import RadioSpec
from orchestrator.topology.model import Node
from tests.inspect.test_air import frame
from tests.runs.conftest import make_cell, make_spec, put

# S <- P1 <- P2, by their routes.
MOTES = (
    Node(1, "S", "subscriber", 0, 0),
    Node(2, "P1", "publisher", 5, 0, 1),
    Node(3, "P2", "publisher", 9, 0, 2),
)
PUBLISHED = (
    (0, 2, "!node,publisher,1,1,2"),
    (0, 3, "!node,publisher,2,2,1"),
    (1_000_000, 3, "!pub,reading,2,1,20"),
)
SENT = (
    (1_200_000, 3, "!fwd,reading,full,2.1"),
    (1_500_000, 3, "!fwd,reading,timeout,2.1"),
    (1_500_000, 3, "!snd,reading,2,7,2.1"),
)
ARRIVED = (*PUBLISHED, *SENT, (1_504_000, 2, "!rcv,reading,3,7,2.1"))


def log(lines) -> bytes:
    printed = "".join(f"{time}\tID:{mote}\t{text}\n" for time, mote, text in lines)
    return f"Random seed: 1\n{printed}".encode()


@pytest.fixture
def found(tmp_path):
    turns = itertools.count()  # tables are read once for a path

    def made(lines, radio=None):
        store = Store(tmp_path / f"store{next(turns)}")
        put(store, replace(make_spec(make_cell(radio=radio or RadioSpec())), motes=MOTES), log=log(lines))
        return find(store, ["trial"])

    return made


def end(fate, where, to, time_us, why):
    return {
        "fate": fate,
        "where": where,
        "to": to,
        "time_us": time_us,
        "why": why,
        "others": [],
        "heard_by": [],
        "window_us": None,
    }


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("P3/17", ("P3", 17)),
        ("P3.17", ("P3", 17)),
        ("3.17", ("3", 17)),
        (f"{'a' * 40}/{'9' * 18}", ("a" * 40, int("9" * 18))),
    ],
)
def test_an_event_is_named_by_publisher_and_number(text, event):
    assert parse_event(text) == event


@pytest.mark.parametrize(
    "text", ["P3", "P3/", "/1", "P3/x", "P3/1 ", "a b/1", "a" * 41 + "/1", "P1/" + "9" * 19]
)
def test_what_names_no_event_is_refused(text):
    with pytest.raises(
        WrongUsage, match="names no event\n    name it by publisher and sequence number, as P3/17"
    ):
        parse_event(text)


def test_a_delivered_event_s_whole_way(found):
    way = journey(
        found(
            (
                *ARRIVED,
                (1_504_000, 2, "!mrg,reading,1.1+1.2,2.1"),
                (1_900_000, 2, "!snd,reading,1,9,1.1+1.2+2.1"),
                (1_905_000, 1, "!rcv,reading,2,9,1.1+1.2+2.1"),
                (1_905_000, 1, "!dlv,reading,2,1.1+1.2+2.1"),
                (2_000_000, 1, "!dlv,reading,2,2.1"),
            )
        ),
        "P2/1",
    )
    timeline = way.pop("timeline")
    assert way == {
        "event": "P2/1",
        "subject": "reading",
        "value": 20,
        "published": {"mote": "P2", "time_us": 1_000_000},
        "delivered": True,
        "deliveries": [
            {
                "mote": "S",
                "time_us": 1_905_000,
                "with": ["P1/1", "P1/2"],
                "delay_us": 905_000,
                "duplicate": False,
            },
            {"mote": "S", "time_us": 2_000_000, "with": [], "delay_us": 1_000_000, "duplicate": True},
        ],
        "hops": [
            {
                "from": "P2",
                "to": "P1",
                "frame": 7,
                "events": 1,
                "with": [],
                "sent_us": 1_500_000,
                "held_us": 500_000,
                "why": "timeout",
                "received_us": 1_504_000,
                "hop_us": 4_000,
                "fate": "received",
            },
            {
                "from": "P1",
                "to": "S",
                "frame": 9,
                "events": 3,
                "with": ["P1/1", "P1/2"],
                "sent_us": 1_900_000,
                "held_us": 396_000,
                "why": None,
                "received_us": 1_905_000,
                "hop_us": 5_000,
                "fate": "received",
            },
        ],
        "ends": [],
    }
    assert [(each["time_us"], each["since_us"], each["step_us"]) for each in timeline] == [
        (1_000_000, 0, 0),
        (1_200_000, 200_000, 200_000),
        (1_500_000, 500_000, 300_000),
        (1_500_000, 500_000, 0),
        (1_504_000, 504_000, 4_000),
        (1_504_000, 504_000, 0),
        (1_900_000, 900_000, 396_000),
        (1_905_000, 905_000, 5_000),
        (1_905_000, 905_000, 0),
        (2_000_000, 1_000_000, 95_000),
    ]
    assert [(each["mote"], each["what"]) for each in timeline] == [
        ("P2", "published in reading, value 20"),
        ("P2", "forwarded: it held every publisher that can pass there"),
        ("P2", "forwarded: the merge function's time-out passed"),
        ("P2", "handed to the MAC for P1, frame 7"),
        ("P1", "received from P2, frame 7"),
        ("P1", "merged into the stored P1/1, P1/2"),
        ("P1", "handed to the MAC for S, frame 9 with P1/1, P1/2"),
        ("S", "received from P1, frame 9 with P1/1, P1/2"),
        ("S", "delivered to the subscriber with P1/1, P1/2"),
        ("S", "delivered to the subscriber"),
    ]


def test_the_stored_event_takes_in_what_arrives(found):
    way = journey(
        found((*PUBLISHED, (1_100_000, 3, "!mrg,reading,2.1,1.4+1.5"))),
        "P2/1",
    )
    assert [each["what"] for each in way["timeline"]] == [
        "published in reading, value 20",
        "took in P1/4, P1/5",
        "HELD: its merge function still held it when the measured time ended",
    ]


@pytest.mark.parametrize(
    ("further", "fate", "expected"),
    [
        (
            ((1_500_000, 3, "!drp,no-ack,3,7"),),
            "dropped: no-ack",
            end("no-ack", "P2", "P1", 1_500_000, "the next hop acknowledged none of the MAC's transmissions"),
        ),
        (
            ((1_500_000, 3, "!drp,odd,3,7"), (1_500_001, 3, "!drp,queue,3,7")),
            "dropped: odd",
            end("odd", "P2", "P1", 1_500_000, "odd"),
        ),
    ],
)
def test_what_its_own_mac_gave_up_ends_there(found, further, fate, expected):
    way = journey(found((*PUBLISHED, *SENT, *further)), "P2/1")
    assert (way["hops"][0]["fate"], way["hops"][0]["received_us"], way["ends"]) == (fate, None, [expected])
    assert way["delivered"] is False and way["deliveries"] == []
    assert way["timeline"][-1]["what"] == f"LOST: {expected['why']}"


@pytest.mark.parametrize(
    ("lines", "fate", "why"),
    [
        (
            ((1_504_000, 2, "!drp,no-route,2,0"),),
            "no-route",
            "the mote has neither a next hop nor a subscriber",
        ),
        (
            ((1_504_000, 3, "!drp,no-route,3,0"),),  # another mote's
            "unknown",
            "the trace has no later record of it",
        ),
        (
            ((3_000_000, 2, "!cnt,events_pending,1"),),
            "held",
            "its merge function still held it when the measured time ended",
        ),
        (((3_000_000, 2, "!cnt,events_pending,0"),), "unknown", "the trace has no later record of it"),
    ],
)
def test_where_an_event_stays(found, lines, fate, why):
    way = journey(found((*ARRIVED, *lines)), "P2/1")
    assert way["ends"] == [end(fate, "P1", None, 1_504_000, why)]
    assert way["timeline"][-1] == {
        "time_us": 1_504_000,
        "since_us": 504_000,
        "step_us": 0,
        "mote": "P1",
        "what": f"{'HELD' if fate == 'held' else 'LOST'}: {why}",
    }


def test_a_frame_for_everybody_and_one_whose_receiver_does_not_know_its_number(found):
    lines = (
        *PUBLISHED,
        (1_500_000, 3, "!snd,reading,65535,7,2.1"),
        (1_504_000, 1, "!rcv,reading,3,0,1.1"),  # another event's
        (1_505_000, 1, "!rcv,reading,3,0,2.1"),
        (1_505_000, 1, "!dlv,reading,3,2.1"),
    )
    hop = journey(found(lines), "P2/1")["hops"][0]
    assert (hop["to"], hop["fate"], hop["hop_us"], hop["held_us"]) == (
        "everybody",
        "received",
        5_000,
        500_000,
    )


def test_without_a_record_of_the_radios_it_says_why(found, monkeypatch, tmp_path):
    def nothing(*_):
        raise RunFailed("it can't be made again\n    why")

    monkeypatch.setattr(again, "record", nothing)
    way = journey(found((*PUBLISHED, *SENT)), "P2/1")
    why = "sent and not received; there is no record of the radios: it can't be made again"
    assert way["ends"] == [end("air", "P2", "P1", 1_500_000, why)]
    (tmp_path / "COOJA.testlog").write_bytes(log((*PUBLISHED, *SENT)))
    way = journey(Found(tmp_path / "COOJA.testlog", None), "2/1")
    why = "sent and not received; a log without its run doesn't tell why"
    assert way["ends"] == [end("air", "P2", "P1", 1_500_000, why)]


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """A record of the radios in which mote 3 sends frame 7 while mote 1 sends frame 4."""
    content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 195)
    for data in (frame(7), frame(4)):
        content += struct.pack("<IIII", 0, 0, len(data), len(data)) + data
    folder = tmp_path / "radio"
    folder.mkdir()
    (folder / "radio.pcap").write_bytes(content)

    def made(*rows):
        (folder / "events.csv").write_text(
            "time_us,mote,event,frame,channel,power,signal_dbm\n"
            + "".join(f"{time},{mote},{event},{number or ''},26,31,\n" for time, mote, event, number in rows)
        )
        monkeypatch.setattr(again, "record", lambda *_: folder)

    return made


AIR = (
    (1_501_000, 3, "transmitting", 1),
    (1_501_000, 2, "receiving", 1),
    (1_502_000, 1, "transmitting", 2),
    (1_502_000, 2, "interfered", 0),
    (1_503_000, 3, "sent", 1),
    (1_503_000, 1, "received", 1),
    (1_504_000, 1, "sent", 2),
)


@pytest.mark.parametrize(
    ("line", "to", "events"),
    [
        ((1_400_000, 1, "!snd,reading,2,4,1.1+2.9"), "P1", ["P1/1", "P2/9"]),
        ((1_502_001, 1, "!snd,reading,2,4,1.1"), None, []),  # later than its transmission
        ((1_400_000, 1, "!snd,reading,2,5,1.1"), None, []),  # another frame
    ],
)
def test_a_frame_lost_on_the_air_names_the_others_there(found, recorded, line, to, events):
    recorded(*AIR)
    way = journey(found(sorted((*PUBLISHED, *SENT, line), key=lambda each: each[0])), "P2/1")
    why = "sent and not received: a collision at the next hop with another frame on the air"
    assert way["ends"] == [
        end("air", "P2", "P1", 1_503_000, why)
        | {
            "others": [
                {
                    "from": "S",
                    "to": to,
                    "frame": 4,
                    "events": events,
                    "by_next_hop": False,
                    "window_us": [1_502_000, 1_504_000],
                }
            ],
            "heard_by": ["S"],
            "window_us": [1_501_000, 1_503_000],
        }
    ]


def test_a_frame_that_was_never_sent(found, recorded):
    recorded(AIR[2], AIR[6])
    way = journey(found((*PUBLISHED, *SENT)), "P2/1")
    assert way["ends"] == [end("air", "P2", "P1", 1_500_000, "its MAC never sent it")]


@pytest.mark.parametrize(
    ("radio", "said"),
    [
        (RadioSpec(rx_ratio=0.9), "the medium's reception ratio is 0.9"),
        (RadioSpec(rx_ratio=0.0), "the medium's reception ratio is 0"),
        (RadioSpec(), "with no other frame on the air"),
    ],
)
def test_the_medium_s_ratios_are_told(found, recorded, radio, said):
    recorded(AIR[0], AIR[1], AIR[4])
    assert journey(found((*PUBLISHED, *SENT), radio), "P2/1")["ends"][0]["why"].endswith(said)


def test_a_run_without_trace_and_one_with_threads_alone(found):
    with pytest.raises(Untraced, match="was made without trace, so it does not know single events$"):
        journey(found(PUBLISHED[:2]), "P2/1")
    with pytest.raises(
        NoSuchThing, match="its trace has threads, and no events between motes\n.*--diagram"
    ) as raised:
        journey(found((*PUBLISHED[:2], (5, 2, "!sch,idle,start"))), "P2/1")
    assert not isinstance(raised.value, Untraced)
