# SPDX-License-Identifier: Apache-2.0
"""What met a lost frame on the air, from records written by hand."""

from orchestrator.inspect.air import Medium, lost

PLACES = {1: (0.0, 0.0), 2: (40.0, 0.0), 3: (80.0, 0.0), 9: (900.0, 0.0)}
MEDIUM = Medium(PLACES, 60.0)


def snd(time, mote, to, frame):
    return {
        "kind": "snd",
        "time_us": time,
        "mote": mote,
        "peer": to,
        "frame": frame,
        "reason": None,
        "events": [{"publisher": mote, "sequence": frame}],
    }


def heard(time, mote, sender, frame):
    return {
        "kind": "drp",
        "time_us": time,
        "mote": mote,
        "peer": sender,
        "frame": frame,
        "reason": "off-topology",
        "events": None,
    }


def test_another_frame_at_the_same_time_is_certain():
    rows = [snd(1000, 1, 2, 7), snd(1000, 3, 2, 4), heard(3216, 8, 1, 7), heard(3216, 9, 3, 4)]
    loss = lost(rows, 1, 7, 1000, 2, MEDIUM)
    assert loss.window == (2000, 3216) and loss.heard_by == (8,)
    assert [(one.frame.sender, one.certain) for one in loss.others] == [(3, True)]


def test_a_frame_waits_for_its_sender_s_frame_before():
    rows = [snd(1000, 1, 2, 7), heard(3216, 8, 1, 7), snd(1500, 1, 2, 8), snd(9000, 1, 2, 9)]
    assert lost(rows, 1, 8, 1500, 2, MEDIUM).window[0] == 3216
    assert lost(rows, 1, 9, 9000, 2, MEDIUM).window[0] == 9000


def test_far_late_refused_and_received_frames_are_not_to_blame():
    refused = {
        "kind": "drp",
        "time_us": 1000,
        "mote": 3,
        "peer": 3,
        "frame": 5,
        "reason": "queue",
        "events": None,
    }
    rows = [
        snd(1000, 1, 2, 7),
        snd(1000, 9, 2, 4),
        snd(1000, 3, 2, 5),
        refused,
        heard(3216, 8, 1, 7),
        heard(3216, 8, 9, 4),
        snd(9000, 3, 2, 6),
        heard(12216, 2, 3, 6),
    ]
    assert lost(rows, 1, 7, 1000, 2, MEDIUM).others == ()


def test_the_next_hop_sending_is_named_and_an_unknown_frame_is_none():
    rows = [snd(1000, 1, 2, 7), snd(1000, 2, 3, 4), heard(3216, 8, 1, 7), heard(3216, 3, 2, 4)]
    assert [one.by_next_hop for one in lost(rows, 1, 7, 1000, 2, MEDIUM).others] == [True]
    assert lost(rows, 1, 8, 1000, 2, MEDIUM) is None
