# SPDX-License-Identifier: Apache-2.0
"""MAC=radio-csma: CSMA/CA, acknowledgements and retransmissions by the radio, for which the processor
waits."""

import re

import pytest

OK, COLLISION, NOACK, ERR = 0, 1, 2, 4  # MAC_TX_*
PERIOD, CCA, TX_DELAY, SHR = 320, 128, 16, 160  # us
CONTENTION = CCA + TX_DELAY  # a clear channel: no backoff before the first assessment
MOVE = 12  # to move the shortest of these frames, 23 bytes and FCS, between buffers: half a us a byte
ACK_DELAY, ACK_WAIT, ACK_AIR = 192, 864, 96
MOST_PERIODS = 0 + 1 + 3 + 7 + 15 + 31  # backoff exponents 0 to 5


@pytest.fixture
def mac(firmware, run):
    def _mac(*options, motes=3, until=1000, **build):
        lines = run(
            firmware("mac", mac="radio-csma", **build),
            "--motes",
            str(motes),
            "--frames",
            "--until",
            str(until),
            *options,
        )
        return [line for line in lines if "payload" not in line.text]

    return _mac


def of(lines, word, mote=None):
    return [line for line in lines if line.text.startswith(word) and mote in (None, line.mote)]


def on_air(frame):
    return len(frame.text.split()[2]) // 2 * 32


def moving(frame):
    return (on_air(frame) // 32 + 2) // 2


def counted(lines, mote):
    [line] = of(lines, "counted", mote)
    values = re.fullmatch(
        r"counted (\d+) assessments, (\d+) busy, (\d+) missed, (\d+) overflow, (\d+) no-ack, (\d+) us deaf",
        line.text,
    )
    return dict(
        zip(
            ("assessments", "busy", "missed", "overflow", "no_ack", "deaf_us"),
            map(int, values.groups()),
            strict=True,
        )
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_clear_channel_is_assessed_once_without_a_backoff(mac, seed):
    lines = mac("--input", "1:100:b 1", "--seed", str(seed), "--input", "1:200:c")
    [frame] = of(lines, "frame")
    assert frame.time == 100_000 + MOVE + CONTENTION
    head, rest = frame.text[8:12], frame.text[14:]
    assert (head, rest) == ("41d8", "cdabffff" + "0000000000000001" + "01000000" + "00000000")
    end = frame.time + on_air(frame)
    assert [(line.time, line.mote, line.text) for line in of(lines, "heard")] == [  # moved twice
        (end + 2 * MOVE, 2, "heard 1 from 1 to 0 rssi -50"),
        (end + 2 * MOVE, 3, "heard 1 from 1 to 0 rssi -50"),
    ]
    assert [(line.time, line.text) for line in of(lines, "sent")] == [
        (end, f"sent 1: status {OK}, 1 transmissions")
    ]
    assert counted(lines, 1) == {
        "assessments": 1,
        "busy": 0,
        "missed": 0,
        "overflow": 0,
        "no_ack": 0,
        "deaf_us": end - 100_000 - MOVE,
    }


def test_the_numbers_of_a_motes_frames_begin_at_random_and_count_up(mac):
    """So that what a mote sends after a reboot is not taken for what it sent before."""
    orders = [f"{mote}:{100 * mote + 30 * turn}:b 1" for mote in (1, 2, 3) for turn in (0, 1)]
    first = set()
    for seed in ("1", "2"):
        lines = mac(*(word for order in orders for word in ("--input", order)), "--seed", seed)
        for mote in (1, 2, 3):
            one, next_one = (int(frame.text[12:14], 16) for frame in of(lines, f"frame {mote} "))
            assert next_one == (one + 1) % 256
            first.add(one)
    assert len(first) > 3


def test_it_takes_the_energy_of_sending_while_it_contends_and_sends_and_no_longer(mac):
    lines = mac("--input", "1:100:b 1", "--input", "1:200:c", "--input", "1:500:c")
    assert [line.text for line in of(lines, "energy", 1)] == [
        f"energy: {CONTENTION + on_air(of(lines, 'frame')[0])} us of sending"
    ] * 2


def test_a_packet_has_been_sent_when_the_call_returns(mac):
    lines = mac("--input", "1:100:b 3", motes=1)
    said = [line.text.split(":")[0] for line in lines if line.mote == 1]
    assert said == ["send 1", "sent 1", "send 2", "sent 2", "send 3", "sent 3"]  # no queue
    frames = of(lines, "frame")
    assert [later.time - earlier.time for earlier, later in zip(frames, frames[1:], strict=False)] == [
        on_air(frames[0]) + MOVE + CONTENTION
    ] * 2


def test_a_busy_channel_is_assessed_six_times_with_growing_backoffs(mac):
    backoffs = []
    for seed in range(200):
        lines = mac(
            "--input",
            "1:100:b 1",
            "--set",
            "1:90:simSignalStrength=-50",
            "--input",
            "1:200:c",
            "--seed",
            str(seed),
            motes=1,
        )
        assert of(lines, "frame") == []
        [sent] = of(lines, "sent")
        assert sent.text == f"sent 1: status {COLLISION}, 0 transmissions"
        seen = counted(lines, 1)
        assert (seen["assessments"], seen["busy"], seen["deaf_us"]) == (6, 6, sent.time - 100_000 - MOVE)
        periods, rest = divmod(sent.time - 100_000 - MOVE - 6 * CCA, PERIOD)
        assert rest == 0
        backoffs.append(periods)
    assert 0 <= min(backoffs) < 12
    assert MOST_PERIODS - 12 < max(backoffs) <= MOST_PERIODS
    assert 26 < sum(backoffs) / len(backoffs) < 31  # half of the most, 28.5; standard error 0.75


@pytest.mark.parametrize(("busy_until_us", "attempts"), [(50, 1), (250, 2)])
def test_backoffs_begin_at_none_and_double(mac, busy_until_us, attempts):
    """Busy for the first assessments, then clear: what the next one may wait."""
    starts = set()
    for seed in range(60):
        lines = mac(
            "--input",
            "1:100:b 1",
            "--set",
            "1:90:simSignalStrength=-50",
            "--set",
            f"1:{100 + busy_until_us / 1000}:simSignalStrength=-100",
            "--seed",
            str(seed),
            motes=1,
        )
        starts.add(of(lines, "frame")[0].time - 100_000 - MOVE - TX_DELAY)
    second = {2 * CCA, 2 * CCA + PERIOD}  # BE 1: 0 or 1 periods
    third = {2 * CCA + CCA + n * PERIOD for n in range(4)}  # BE 2, where the second came at once and was busy
    assert starts == (second if attempts == 1 else third | {2 * CCA + PERIOD})


@pytest.mark.parametrize(
    ("orders", "busy"),
    [
        (("100.064:simSignalStrength=-50",), True),  # begins within the assessment
        (("90:simSignalStrength=-50", "100.064:simSignalStrength=-100"), True),  # ends within
        (("90:simSignalStrength=-50", "99.999:simSignalStrength=-100"), False),
        (("100.145:simSignalStrength=-50",), False),  # begins when the decision is made: turning to send
        (("90:simSignalStrength=-94",), True),
        (("90:simSignalStrength=-95",), False),  # Cooja's edge of the range
    ],
)
def test_the_channel_is_busy_if_there_is_a_signal_at_either_end(mac, orders, busy):
    sets = [word for order in orders for word in ("--set", f"1:{order}")]
    lines = mac("--input", "1:100:b 1", "--input", "1:100.120:c", *sets, "--input", "1:300:c", motes=1)
    assert (of(lines, "counted")[-1].text.split()[3] != "0") == busy


@pytest.mark.parametrize(("signal", "busy_at"), [(-75, {-96, -95, -76}), (-76, {-96, -95}), (-95, {-96})])
def test_the_channel_is_busy_above_the_threshold_that_the_build_was_given(mac, signal, busy_at):
    orders = ("--set", f"1:90:simSignalStrength={signal}", "--input", "1:100:b 1", "--input", "1:100.120:c")
    for cca in (-96, -95, -76):
        lines = mac(*orders, "--input", "1:300:c", motes=1, cca=cca)
        assert (of(lines, "counted")[-1].text.split()[3] != "0") == (cca in busy_at)


def test_what_begins_while_the_radio_contends_is_missed_and_counted(mac):
    """Mote 2 finds the channel busy; mote 1's frame begins before, while and after it contends."""
    outcomes = set()
    for begin in range(96, 124, 2):
        for seed in (1, 2):
            lines = mac(
                "--set",
                "2:90:simSignalStrength=-50",
                "--input",
                "2:100:b 1",
                "--input",
                f"1:{begin}:b 1l",
                "--input",
                "2:300:c",
                "--seed",
                str(seed),
                motes=2,
            )
            [frame] = of(lines, "frame 1")
            [sent] = of(lines, "sent", 2)
            own = of(lines, "frame 2")
            before = frame.time < 100_000
            missed = not before and frame.time < sent.time and not (own and own[0].time <= frame.time)
            heard = of(lines, "heard", 2)
            assert counted(lines, 2)["missed"] == missed
            assert bool(heard) == (before or frame.time >= sent.time)
            outcomes.add((before, missed, sent.time < frame.time + on_air(frame)))
    assert {
        (True, False, False),
        (False, True, False),
        (False, True, True),
    } <= outcomes  # the last: it gave up meanwhile


def test_a_frame_under_way_is_received_before_the_radio_contends(mac):
    lines = mac("--input", "1:100:b 1l", "--input", "2:101:b 1", "--input", "2:200:c", motes=2)
    first, second = of(lines, "frame")
    end = first.time + on_air(first)
    assert second.time == end + moving(first) + CONTENTION  # the interrupt moves it first
    assert [
        (line.time, line.text[:5]) for line in lines if line.mote == 2 and line.text[:5] in ("heard", "sent ")
    ] == [
        (second.time + on_air(second), "sent "),
        (second.time + on_air(second) + moving(first), "heard"),
    ]  # the processor waited
    assert counted(lines, 2)["missed"] == 0


@pytest.mark.parametrize(("after", "waits"), [(SHR - 1, False), (SHR, True)])
def test_a_frame_is_under_way_only_behind_its_synchronisation_header(mac, after, waits):
    at = (100_000 + 58 + CONTENTION + after - MOVE) / 1000  # 115 bytes and FCS are moved in 58 us
    lines = mac("--input", "1:100:b 1l", "--input", f"2:{at}:b 1", "--input", "2:200:c", motes=2)
    assert bool(of(lines, "heard", 2)) == waits
    seen = counted(lines, 2)
    assert seen["missed"] == (not waits)
    assert (seen["busy"] == 0) == waits


def test_unread_frames_are_overwritten_by_the_fourth(mac):
    lines = mac("--input", "2:99:w 5", "--input", "1:100:b 5", "--input", "2:300:c", motes=2)
    assert [line.text.split()[1] for line in of(lines, "heard", 2)] == [
        "4",
        "5",
        "3",
    ]  # read from the first buffer on
    assert counted(lines, 2)["overflow"] == 2


def test_three_frames_wait_for_the_processor(mac):
    lines = mac("--input", "2:99:w 5", "--input", "1:100:b 3", "--input", "2:300:c", motes=2)
    assert [(line.text.split()[1], line.time) for line in of(lines, "heard", 2)] == [
        (str(i), 149_000 + i * MOVE) for i in (1, 2, 3)
    ]
    assert counted(lines, 2)["overflow"] == 0


@pytest.mark.parametrize("waiting", [(), ("--input", "2:99:w 2")])
def test_unicast_is_acknowledged_by_the_radio(mac, waiting):
    lines = mac("--input", "1:100:u 1", *waiting, "--input", "1:200:c")
    frame, ack = of(lines, "frame")
    assert (
        frame.text.startswith("frame 1 61dc")
        and "cdab" + "0000000000000002" + "0000000000000001" in frame.text
    )
    assert ack.text == "frame 2 0200" + frame.text[12:14]
    assert ack.time == frame.time + on_air(frame) + ACK_DELAY  # also while its processor waits
    [sent] = of(lines, "sent")
    assert (sent.time, sent.text) == (ack.time + ACK_AIR, f"sent 1: status {OK}, 1 transmissions")
    assert [(line.mote, line.text[:15]) for line in of(lines, "heard")] == [(2, "heard 1 from 1 ")]
    assert counted(lines, 1)["no_ack"] == 0


def test_a_mote_that_owes_an_ack_sends_it_first(mac):
    end = 100_000 + 15 + CONTENTION + 29 * 32
    lines = mac("--input", "1:100:u 1", "--input", f"2:{(end + 50) / 1000}:b 1", motes=2)
    first, ack, second = of(lines, "frame")
    assert first.time + on_air(first) == end
    assert (ack.time, second.time) == (end + ACK_DELAY, end + ACK_DELAY + ACK_AIR + CONTENTION)


def test_without_ack_the_radio_sends_once_more(mac):
    lines = mac("--input", "1:100:u 1", "--deaf", "2:0:99999", "--input", "1:200:c")
    first, second = of(lines, "frame")
    assert first.text == second.text
    assert second.time == first.time + on_air(first) + ACK_WAIT + CONTENTION
    [sent] = of(lines, "sent")
    assert (sent.time, sent.text) == (
        second.time + on_air(second) + ACK_WAIT,
        f"sent 1: status {NOACK}, 2 transmissions",
    )
    assert counted(lines, 1)["no_ack"] == 1


def test_a_frame_whose_ack_was_lost_comes_twice(mac):
    lines = mac("--input", "1:100:u 1", "--lose", "2")
    assert [line.text[:12] for line in of(lines, "frame")] == ["frame 1 61dc", "frame 2 0200"] * 2
    assert len(of(lines, "heard")) == 2  # sicslowmac knows no duplicates
    assert [line.text for line in of(lines, "sent")] == [f"sent 1: status {OK}, 2 transmissions"]


@pytest.mark.parametrize(("offset", "status", "missed"), [(0, OK, 0), (1, NOACK, 1)])
def test_an_ack_has_the_frames_number(mac, offset, status, missed):
    [frame, *_] = of(mac("--input", "1:100:u 1", "--deaf", "2:0:99999"), "frame")
    number = (int(frame.text[12:14], 16) + offset) % 256
    lines = mac(
        "--input",
        "1:100:u 1",
        "--deaf",
        "2:0:99999",
        "--raw",
        f"1:101.3:0200{number:02x}",
        "--input",
        "1:200:c",
    )
    [sent] = of(lines, "sent")
    assert sent.text.startswith(f"sent 1: status {status},")
    assert (sent.time == 101_300) == (status == OK)
    assert counted(lines, 1)["missed"] == missed


def test_a_frame_that_begins_while_the_radio_turns_to_send_is_cut_off(mac):
    lines = mac("--input", "1:99.990:b 1", "--input", "2:100:b 1", "--input", "1:200:c", "--input", "2:200:c")
    first, second = of(lines, "frame")
    assert (first.text[:7], second.text[:7], second.time - first.time) == ("frame 1", "frame 2", 10)
    assert of(lines, "heard") == []
    assert [counted(lines, mote)["missed"] for mote in (1, 2)] == [0, 1]


def test_a_radio_that_is_off_is_on_for_its_frame_only(mac):
    lines = mac("--set", "1:90:simRadioHWOn=0", "--input", "1:100:b 1", "--input", "2:110:b 1", motes=2)
    assert [line.text for line in of(lines, "sent")] == [f"sent 1: status {OK}, 1 transmissions"] * 2
    assert [line.mote for line in of(lines, "heard")] == [2]


def test_who_waits_for_an_ack_hears_nothing_else(mac):
    lines = mac(
        "--input",
        "1:100:u 1",
        "--deaf",
        "2:0:99999",
        "--raw",
        "1:101.5:41d801cdabffff0000000000000009aa",
        "--input",
        "1:200:c",
    )
    frame = of(lines, "frame")[0]
    assert 0 < 101_500 - (frame.time + on_air(frame)) < ACK_WAIT
    assert of(lines, "heard", 1) == []
    assert counted(lines, 1)["missed"] == 1


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


def test_a_packet_that_fits_no_frame(mac):
    assert [line.text for line in of(mac("--input", "1:100:b 1x"), "sent")] == [
        "sent 1: status 5, 0 transmissions"
    ]


def test_time_outs_wait_with_the_processor_and_a_coarse_clock_changes_nothing(mac):
    lines = mac("--input", "1:100:b 1", clock=128, phase="drawn")
    assert of(lines, "frame")[0].time == 100_000 + MOVE + CONTENTION
