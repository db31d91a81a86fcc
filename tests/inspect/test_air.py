# SPDX-License-Identifier: Apache-2.0
"""What happened to a frame on the air, from records of radios written by hand."""

import struct

import pytest

from orchestrator.inspect.air import LATEST_US, Air, number_of, why

# Frame control (data, PAN ids compressed, 2006, long addresses), sequence number, PAN, two addresses.
HEADER = bytes.fromhex("41dc07cdab") + bytes(16)
COMMAND = bytes.fromhex("120900ffff0100040002030100000000000000000000")  # of the test vectors


def frame(number, header=HEADER):
    return header + COMMAND[:5] + struct.pack("<H", number) + COMMAND[7:] + b"\0\0"


@pytest.fixture
def air(tmp_path):
    def made(frames, rows):
        content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 195)
        for data in frames:
            content += struct.pack("<IIII", 0, 0, len(data), len(data)) + data
        (tmp_path / "radio.pcap").write_bytes(content)
        lines = ["time_us,mote,event,frame,channel,power,signal_dbm"]
        lines += [f"{time},{mote},{event},{number or ''},26,31," for time, mote, event, number in rows]
        (tmp_path / "events.csv").write_text("\n".join(lines) + "\n")
        return Air(tmp_path)

    return made


def test_the_middleware_s_number_is_found_behind_every_form_of_addresses():
    short = bytes.fromhex("419807cdab") + bytes(4)
    both_pans = bytes.fromhex("01dc07cdab") + bytes(8) + b"\xcd\xab" + bytes(8)
    nobody = bytes.fromhex("01c007") + b"\xcd\xab" + bytes(8)
    assert [number_of(frame(513, header)) for header in (HEADER, short, both_pans, nobody)] == [513] * 4
    assert number_of(bytes.fromhex("020007") + b"\0\0") is None  # an acknowledgement
    assert number_of(HEADER + b"other\0\0") is None and number_of(b"\x41") is None


def test_a_collision_names_the_other_frame(air):
    rows = [
        (0, 2, "listening", 0),
        (2000, 1, "transmitting", 1),
        (2000, 2, "receiving", 1),
        (3000, 3, "transmitting", 2),
        (3000, 2, "interfered", 0),
        (4000, 1, "sent", 1),
        (4000, 2, "lost", 1),
        (4000, 8, "received", 1),
        (5000, 3, "sent", 2),
        (5000, 1, "transmitting", 3),
        (6000, 1, "sent", 3),
    ]
    loss = air([frame(7), frame(4), frame(8)], rows).lost(1, 7, 1000, 2)
    assert (loss.sent.begin_us, loss.sent.end_us, loss.sent.heard_by) == (2000, 4000, (8,))
    assert [(one.sender, one.number) for one in loss.others] == [(3, 4)]
    assert "a collision" in why(loss, 2, (1.0, 0.9))
    assert loss.noticed and loss.state == "listening"


def test_what_the_next_hop_did_not_notice_is_no_collision(air):
    rows = [
        (0, 2, "listening", 0),
        (2000, 1, "transmitting", 1),
        (2000, 2, "interfered", 0),
        (3000, 9, "transmitting", 2),
        (4000, 1, "sent", 1),
        (5000, 9, "sent", 2),
        (6000, 2, "transmitting", 3),
    ]
    loss = air([frame(7), frame(4), frame(5)], rows).lost(1, 7, 1000, 2)
    assert loss.others == () and loss.noticed
    assert why(loss, 2, (1.0, 0.9)).endswith("by chance, the medium's reception ratio is 0.9")
    assert why(loss, 2, (1.0, 1.0)).endswith("no other frame on the air")


@pytest.mark.parametrize(
    ("rows", "cause"),
    [
        ([(1500, 2, "transmitting", 2), (2500, 2, "sent", 2)], "the next hop was itself sending"),
        ([(1500, 2, "off", 0)], "the next hop's radio was off"),
        ([(1500, 2, "listening", 0)], "nothing reached the next hop: lost by chance"),
        ([(4000, 2, "received", 1)], "its firmware did not take it"),
    ],
)
def test_other_causes(air, rows, cause):
    sent = [(2000, 1, "transmitting", 1), (4000, 1, "sent", 1)]
    loss = air([frame(7), frame(9)], sorted([*rows, *sent])).lost(1, 7, 1000, 2)
    assert cause in why(loss, 2, (0.9, 1.0))


def test_the_last_transmission_counts_and_one_that_never_was_is_none(air):
    rows = [
        (time, 1, event, number) for number, time in ((1, 2000), (2, 9000)) for event in ("transmitting",)
    ]
    rows += [(time + 2000, 1, "sent", number) for number, time in ((1, 2000), (2, 9000))]
    known = air([frame(7), frame(7)], sorted(rows))
    assert known.lost(1, 7, 1000, 2).sent.begin_us == 9000
    assert known.lost(1, 7, 2001, 2).sent.begin_us == 9000
    assert known.lost(1, 7, 9001, 2) is None and known.lost(1, 8, 1000, 2) is None


def test_frames_that_only_touch_the_lost_one_did_not_meet_it(air):
    rows = [
        (0, 2, "listening", 0),
        (1000, 3, "transmitting", 1),
        (1000, 2, "interfered", 0),
        (2000, 3, "sent", 1),
        (2000, 1, "transmitting", 2),
        (4000, 1, "sent", 2),
        (4000, 3, "transmitting", 3),
        (4000, 2, "interfered", 0),
        (5000, 3, "sent", 3),
    ]
    assert air([frame(4), frame(7), frame(5)], rows).lost(1, 7, 2000, 2).others == ()


def test_a_frame_is_sought_from_its_time_on(air):
    rows = [(2000, 1, "transmitting", 1), (4000, 1, "sent", 1)]
    known = air([frame(7)], rows)
    assert known.lost(1, 7, 2000, 2).sent.begin_us == 2000
    assert known.lost(1, 7, 2000 - LATEST_US, 2) is None and known.lost(1, 7, 2001 - LATEST_US, 2) is not None


SENT = [(2000, 1, "transmitting", 1), (4000, 1, "sent", 1)]
