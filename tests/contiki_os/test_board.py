# SPDX-License-Identifier: Apache-2.0
"""Serial line, LEDs, button, sensors, EEPROM, energest, logging, random numbers."""

from itertools import pairwise

import pytest

BOOT_US = 10_000


@pytest.fixture(scope="module")
def boot(firmware, run):
    return [line.text for line in run(firmware("board"), "--until", "100", "--eeprom", "01ff7f80")]


def test_the_board_at_boot(boot):
    assert boot[:3] == ["node 1", "leds 5 2 1", "eeprom 1 01ff7f80 1 1 cd 0"]
    assert boot[-1] == "sensors 1 1 1"


def test_logging_by_level(boot):
    assert boot[4:9] == [
        "[PRI : Board     ] printed",
        "[WARN: Board     ] warned 1 of it",
        "[INFO: Board     ] to 0100.0000.0000.0000 415a",
        "[ERR : Board     ] error Errors",
        "level 3 -1",
    ]


def test_a_sensor_says_whether_it_is_active(boot):
    """Active, ready and a question that it doesn't know: at first, activated and deactivated."""
    assert boot[9:11] == ["PIR 000 1 110 1 000 0", "Vibration 000 1 110 1 000 0"]


def draws(lines, mote):
    [line] = [line.text for line in lines if line.mote == mote and line.text.startswith("random")]
    return [int(word) for word in line.split()[1:]]


def test_random_numbers_are_a_motes_own(firmware, run):
    library = firmware("board")
    alone = draws(run(library, "--seed", "7", "--until", "200"), 1)
    three = run(library, "--seed", "7", "--motes", "3", "--until", "200")
    assert draws(three, 1) == alone
    # Mote 2 of seed 7 and mote 3 of seed 6 get the same simRandomSeed.
    other = run(library, "--seed", "6", "--motes", "3", "--until", "200")
    sequences = [draws(log, mote) for log in (three, other) for mote in (1, 2, 3)]
    assert len({tuple(sequence[:3]) for sequence in sequences}) == 6


def test_random_numbers_are_uniform(firmware, run):
    lines = run(firmware("board"), "--motes", "20", "--until", "400")
    numbers = [number for mote in range(1, 21) for number in draws(lines, mote)]
    counts = [0] * 64
    for number in numbers:
        assert 0 <= number <= 65535
        counts[number >> 10] += 1
    expected = len(numbers) / 64
    chi_square = sum((count - expected) ** 2 / expected for count in counts)
    assert 30 < chi_square < 110  # 63 degrees of freedom: 99.9 % below 104
    firsts = sorted(draws(lines, mote)[0] for mote in range(1, 21))
    assert min(b - a for a, b in pairwise(firsts)) > 0  # neighbouring seeds don't start alike


def test_serial_line(firmware, run):
    long = "x" * 200
    lines = run(
        firmware("board"),
        "--input",
        "1:200:hello there",
        "--input",
        f"1:300:{long}",
        "--input",
        "1:400:on",
        "--input",
        "1:500:again",
        "--until",
        "600",
    )
    told = [(line.time, line.text[:16]) for line in lines if line.text.startswith("line of")]
    # A ring of 128 bytes holds 127; the end of the long line found no room, so the next one is lost with it.
    assert told[0] == (200_000, "line of 11: hell")
    assert told[-1] == (500_000, "line of 5: again")


def test_a_line_that_comes_bit_by_bit_is_cut(firmware, run):
    """Of 200 bytes the line holds 127; the next line is whole."""
    lines = run(firmware("board"), "--input", "1:200:type", "--input", "1:300:next", "--until", "400")
    assert [line.text for line in lines if line.text.startswith("line of")] == [
        "line of 127: " + "a" * 50 + "b" * 50 + "c" * 27,
        "line of 4: next",
    ]


def test_button_and_sensors(firmware, run):
    orders = [
        "1:800:simPirChanged=1",
        "1:850:simVibChanged=1",
        "1:900:simButtonIsDown=1",
        "1:900:simButtonChanged=1",
        "1:3000:simButtonIsDown=0",
        "1:3000:simButtonChanged=1",
        "1:3100:simButtonChanged=1",
        "1:3300:simVibChanged=1",
        "1:3400:simVibChanged=1",
        "1:3500:simPirChanged=1",
    ]
    lines = run(
        firmware("board"),
        *(word for order in orders for word in ("--set", order)),
        "--input",
        "1:3200:vibration",
        "--until",
        "5000",
    )
    assert [(line.time, line.text) for line in lines if line.time >= 800_000] == [
        (800_000, "sensor PIR 1"),  # the vibration sensor isn't active
        (900_000, "pressed User button"),
        (1_900_000, "held 1"),
        (2_900_000, "held 2"),
        (3_000_000, "released"),
        (3_300_000, "sensor Vibration 1"),  # activated at 3.2 s
        (3_400_000, "sensor Vibration 2"),
        (3_500_000, "sensor PIR 2"),
    ]


def test_each_report_of_the_button_counts_once(firmware, run):
    """The first press is reported, the second one is not until later: a mote that had not taken the first
    report back would find the second press at once.
    """
    orders = [
        "1:200:simButtonIsDown=1",
        "1:200:simButtonChanged=1",
        "1:300:simButtonIsDown=0",
        "1:300:simButtonChanged=1",
        "1:400:simButtonIsDown=1",
        "1:500:simButtonChanged=1",
    ]
    lines = run(firmware("board"), *(word for order in orders for word in ("--set", order)), "--until", "600")
    assert [(line.time, line.text) for line in lines if line.time >= 200_000] == [
        (200_000, "pressed User button"),
        (300_000, "released"),
        (500_000, "pressed User button"),
    ]


def test_energest_adds_up(firmware, run):
    orders = ["1:200:energy", "1:300:off", "1:400:energy", "1:500:on", "1:600:send", "1:700:energy"]
    lines = run(
        firmware("board"), *(word for order in orders for word in ("--input", order)), "--until", "800"
    )
    states = []
    for line in lines:
        if line.text.startswith("energest"):
            words = line.text.split()[1:]
            state = dict(zip(words[::2], map(int, words[1::2]), strict=True))
            assert state["cpu"] + state["lpm"] == state["total"] == line.time - 11_000
            states.append(state)
    off, send = 100_000, 2_000 + 98 * 32  # 2 ms of turnaround, then 98 bytes at 32 us
    assert [state["rx"] for state in states] == [189_000, 389_000 - off, 689_000 - 2 * off - send]
    assert [state["tx"] for state in states] == [0, 0, send]
    assert states[2]["cpu"] == states[1]["cpu"] + send  # waiting for the radio is work


def test_the_radio_says_when_the_last_frame_came_and_has_no_other_object(firmware, run):
    """The frame begins after a turnaround of 2 ms. Another parameter is not supported (1); neither is
    setting this one; a wrong size and no place are invalid (2).
    """
    lines = run(
        firmware("board"),
        "--motes",
        "2",
        "--input",
        "1:200:send",
        "--input",
        "2:300:object",
        "--until",
        "400",
    )
    assert [line.text for line in lines if line.text.startswith("object")] == ["object 0 202000, 1 2 2 1"]


def test_what_a_process_prints_is_never_lost(firmware, run):
    lines = run(firmware("board"), "--input", "1:4000:much", "--until", "5000")
    many = [line for line in lines if line.text.endswith("of many")]
    assert [line.text for line in many] == [f"line {i:03} of many" for i in range(300)]
    assert many[-1].time <= 4_000_000 + 3_000  # 2048 bytes a ms
