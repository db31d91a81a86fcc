# SPDX-License-Identifier: Apache-2.0
"""CSMA/CA, acknowledgements, queues, and the MAC without any of it."""

import re

import pytest

OK, COLLISION, NOACK, ERR_FATAL, QUEUE_FULL = 0, 1, 2, 5, 6  # MAC_TX_*
TURNAROUND_US = 2000
LONGEST_BACKOFF_US = {3: 41_000, 4: 89_000, 5: 185_000}  # by BE: (2^BE - 1) * 6 ms - 1 ms


@pytest.fixture
def mac(firmware, run):
    def _mac(*options, mac="csma", motes=3, until=5000, flags="-O2"):
        lines = run(
            firmware("mac", mac=mac, flags=flags),
            "--motes",
            str(motes),
            "--frames",
            "--until",
            str(until),
            *options,
        )
        return [line for line in lines if "payload" not in line.text]

    return _mac


def of(lines, word):
    return [line for line in lines if line.text.startswith(word)]


def test_broadcast_is_sent_once_and_heard_by_all(mac):
    lines = mac("--input", "1:100:b 1")
    [frame] = of(lines, "frame")
    # Data frame of version 2006 with PAN compression, to the short address ffff in PAN abcd, from the long
    # one.
    head, seqno, rest = frame.text[8:12], frame.text[12:14], frame.text[14:]
    assert (head, rest) == ("41d8", "cdabffff" + "0000000000000001" + "01000000" + "00000000")
    assert int(seqno, 16) >= 0
    end = frame.time + len(frame.text[8:]) // 2 * 32
    assert [(line.time, line.mote, line.text) for line in of(lines, "heard")] == [
        (end, 2, "heard 1 from 1 to 0 rssi -50"),
        (end, 3, "heard 1 from 1 to 0 rssi -50"),
    ]
    assert [line.text for line in of(lines, "sent")] == [f"sent 1: status {OK}, 1 transmissions"]


def test_unicast_is_acknowledged_after_one_turnaround(mac):
    lines = mac("--input", "1:100:u 1")
    frame, ack = of(lines, "frame")
    assert (
        frame.text.startswith("frame 1 61dc")
        and "cdab" + "0000000000000002" + "0000000000000001" in frame.text
    )
    assert ack.text == "frame 2 0200" + frame.text[12:14]
    assert ack.time == frame.time + len(frame.text[8:]) // 2 * 32 + 1000
    [sent] = of(lines, "sent")
    assert (sent.time, sent.text) == (ack.time + 96, f"sent 1: status {OK}, 1 transmissions")
    assert [(line.mote, line.text[:15]) for line in of(lines, "heard")] == [(2, "heard 1 from 1 ")]


def test_a_frame_whose_ack_was_lost_comes_again_but_is_delivered_once(mac):
    lines = mac("--input", "1:100:u 1", "--lose", "2")
    assert [line.text[:12] for line in of(lines, "frame")] == ["frame 1 61dc", "frame 2 0200"] * 2
    assert len(of(lines, "heard")) == 1
    assert [line.text for line in of(lines, "sent")] == [f"sent 1: status {OK}, 2 transmissions"]


def test_without_ack_seven_retries(mac):
    lines = mac("--input", "1:100:u 1", "--deaf", "2:0:99999")
    assert len(of(lines, "frame")) == 8
    assert len({line.text for line in of(lines, "frame")}) == 1
    assert [line.text for line in of(lines, "sent")] == [f"sent 1: status {NOACK}, 8 transmissions"]


@pytest.mark.parametrize(("flags", "rounds"), [("-O2", 8), ("-O2 -DCSMA_CONF_MAX_BROADCAST_RETRIES=0", 1)])
def test_broadcast_on_a_busy_channel_is_given_up_after_six_attempts_a_round(mac, flags, rounds):
    lines = mac("--input", "1:100:b 1", "--set", "1:90:simSignalStrength=-50", flags=flags, until=9000)
    assert of(lines, "frame") == []
    [sent] = of(lines, "sent")
    assert sent.text == f"sent 1: status {COLLISION}, {rounds} transmissions"
    most = LONGEST_BACKOFF_US[3] + LONGEST_BACKOFF_US[4] + 4 * LONGEST_BACKOFF_US[5] + 6 * TURNAROUND_US
    assert rounds * 6 * TURNAROUND_US <= sent.time - 100_000 <= rounds * most


def test_the_channel_is_clear_up_to_its_threshold(mac):
    assert of(mac("--input", "1:100:b 1", "--set", "1:90:simSignalStrength=-94"), "frame") == []
    assert len(of(mac("--input", "1:100:b 1", "--set", "1:90:simSignalStrength=-95"), "frame")) == 1


def test_first_backoffs_are_uniform_in_whole_ms(mac):
    delays = [
        of(mac("--input", "1:100:b 1", "--seed", str(seed), until=200), "frame")[0].time
        - 100_000
        - TURNAROUND_US
        for seed in range(200)
    ]
    assert all(delay % 1000 == 0 for delay in delays)
    assert 0 <= min(delays) <= 2_000 and LONGEST_BACKOFF_US[3] - 2_000 <= max(delays) <= LONGEST_BACKOFF_US[3]
    assert 18_000 < sum(delays) / len(delays) < 23_000  # 20.5 ms; standard error 0.85 ms


def test_a_full_queue_is_reported_at_once(mac):
    lines = mac("--input", "1:100:b 9")
    assert [line.text for line in of(lines, "sent")] == [
        f"sent 9: status {QUEUE_FULL}, 1 transmissions",
        *(f"sent {i}: status {OK}, 1 transmissions" for i in range(1, 9)),
    ]
    assert [line.text.split()[1] for line in of(lines, "heard") if line.mote == 2] == [
        str(i) for i in range(1, 9)
    ]


def test_a_packet_that_fits_no_frame(mac):
    assert [line.text for line in of(mac("--input", "1:100:b 1x"), "sent")] == [
        f"sent 1: status {ERR_FATAL}, 0 transmissions"
    ]


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "00",
        "41d8",
        "ffff" * 30,
        "41d801cdabffff",
        "69d801cdabffff0000000000000009aa",
        "41d801cdacffff0000000000000009aa",
        "020001",
        "42d801cdabffff0000000000000001aa",
    ],
)
def test_foreign_frames_do_no_harm(mac, raw):
    lines = mac("--raw", f"2:90:{raw}", "--input", "1:100:u 1")
    assert [line.text for line in of(lines, "sent")] == [f"sent 1: status {OK}, 1 transmissions"]
    assert [line.text[:14] for line in of(lines, "heard")] == ["heard 1 from 1"]


def test_the_log_says_what_became_of_each_frame(mac):
    """At the level of debugging. Mote 2 hears what is no frame, an ACK, a frame for mote 9, and one from
    mote 1 twice."""
    raw = {
        200: "00",
        300: "020001",
        400: "61dc07cdab0000000000000009000000000000000101",
        500: "41d809cdabffff0000000000000001aa",
        600: "41d809cdabffff0000000000000001aa",
    }
    options = [word for ms, frame in raw.items() for word in ("--raw", f"2:{ms}:{frame}")]
    lines = mac("--input", "1:700:u 1", *options, motes=2, flags="-O0 -DLOG_CONF_LEVEL_MAC=LOG_LEVEL_DBG")
    logged = [(line.mote, line.text) for line in lines if "CSMA" in line.text]
    assert [text for mote, text in logged if mote == 2] == [
        "[ERR : CSMA      ] 1 bytes are no frame",
        "[DBG : CSMA      ] an ACK that nobody waits for",
        "[DBG : CSMA      ] not for us",
        "[WARN: CSMA      ] a duplicate",
    ]
    backoff, outcome = [text for mote, text in logged if mote == 1]
    assert re.fullmatch(r"\[DBG : CSMA      \] backoff of \d+ ticks, NB 0, BE 3", backoff)
    assert outcome == (f"[INFO: CSMA      ] to 0200.0000.0000.0000: status {OK} after 1 transmissions")


def test_nullmac_sends_at_once_and_without_looking(mac):
    lines = mac("--input", "1:100:b 2", "--set", "1:90:simSignalStrength=-50", mac="nullmac")
    first, second = of(lines, "frame")
    on_air = len(first.text[8:]) // 2 * 32
    assert first.time == 100_000 + TURNAROUND_US
    assert second.time == first.time + on_air + TURNAROUND_US
    assert [line.text for line in of(lines, "sent")] == [
        f"sent {i}: status {OK}, 1 transmissions" for i in (1, 2)
    ]
    assert len(of(lines, "heard")) == 4


def test_nullmac_asks_for_no_ack(mac):
    lines = mac("--input", "1:100:u 1", "--deaf", "2:0:99999", mac="nullmac")
    [frame] = of(lines, "frame")
    assert frame.text.startswith("frame 1 41dc")
    assert [line.text for line in of(lines, "sent")] == [f"sent 1: status {OK}, 1 transmissions"]


def test_largest_payload(firmware, run):
    """125 bytes of frame, of which 15 are the header of a broadcast."""
    assert run(firmware("mac"), "--until", "50")[0].text == "CSMA, payload 110"
