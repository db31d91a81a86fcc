# SPDX-License-Identifier: Apache-2.0
"""Definitions 1 to 3, what follows from them, and that our bytes are the compiler's."""

import re
import subprocess
from math import ceil
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.papers.blackboard import contradictions, definitions, figure_2, measured, storage
from orchestrator.papers.blackboard.definitions import (
    CONCEPTS,
    bits,
    data,
    frames,
    frames_with_forwarding,
    mixed,
)
from orchestrator.papers.check import FAILS, HOLDS
from tests import needs

counts, kept = st.integers(1, 200), st.integers(1, 8)


@pytest.mark.parametrize(("concept", "expected"), [("static", 616), ("dynamic", 776), ("mixed", 664)])
def test_six_subscribers_and_one_value_as_the_paper_has_them(concept, expected):
    assert bits(concept, 6) == expected


@given(counts, kept)
def test_the_definitions_are_as_section_2_5_writes_them(n, v):
    assert bits("static", n, v) == 97 * n + 2 + 32 * v
    assert bits("dynamic", n, v) - bits("static", n, v) == 160
    assert bits("mixed", n, v) == 32 * v + (56 + 6 * 96) * -(-n // 6)


@given(counts)
def test_frames_with_a_forwarding_place_hold_all_and_no_fewer_would(n):
    """Built up one subscriber at a time: a full frame gives one place to the next."""
    free, used = 6, 1
    for _ in range(n):
        if free == 0:
            used, free = (
                used + 1,
                6 - 1,
            )  # of the new one's six, one is for the subscriber whose place now forwards
        free -= 1
    assert frames_with_forwarding(n) == used
    assert frames_with_forwarding(n) >= frames(n)


def test_the_35_events_of_section_2_4_do_not_fit_definition_3():
    example = data.load("published.yaml")["example"]
    assert example["events"] * (example["frame"] + example["rest"]) == example["total"]
    assert example["events"] * ceil(mixed(1) / 8) == 2905 != example["total"]
    assert [definitions.events(concept, 6) for concept in CONCEPTS] == [53, 42, 49]


def test_the_paper_s_numbers_in_the_contradictions_are_computed():
    text = str(
        [reading.get("paper") for entry in data.load("contradictions.yaml") for reading in entry["readings"]]
    )
    for number in (
        f"{35 * 83}",
        f"{mixed(frames(12))} bits",
        f"{mixed(frames_with_forwarding(12))} bits",
        f"{bits('dynamic', 6)} bits",
        f"{bits('dynamic', 6) + 32} bits",
        f"{4096 // 103} such events",
        f"{4096 // 83} events",
        f"36: {frames(36)} frames",
        f"36: {frames_with_forwarding(36)} frames",
    ):
        assert number in text, number


def test_each_contradiction_has_both_readings_and_holds_one():
    for entry in data.load("contradictions.yaml"):
        assert (
            len(entry["readings"]) >= 2
            and sum(bool(reading.get("held")) for reading in entry["readings"]) == 1
        ), entry["id"]
        assert (
            entry["where"]
            and entry["why"]
            and {name for reading in entry["readings"] for name in reading.get("ours", ())}
            <= set(contradictions.OURS)
        )


def test_the_tables_sums_are_the_definitions():
    assert {check.verdict for check in storage._sum_of_tables()} == {HOLDS}


# --- ours
# ------------------------------------------------------------------------------------------------------------
def made(mixed_bytes: int) -> dict:
    """Bytes of every setting by the definitions, with others for the combination's eight events."""
    found = {}
    for setting in measured.settings():
        total = setting.events * ceil(bits(setting.concept, setting.subscribers, setting.values) / 8)
        if (setting.concept, setting.events, setting.subscribers) == ("mixed", 8, 6):
            total = mixed_bytes
        found[setting] = measured.Bytes({"array": total}, {"marks": 9})
    return found


@pytest.mark.parametrize(
    ("total", "verdict"), [(664, HOLDS), (730, HOLDS), (731, FAILS), (600, HOLDS), (597, FAILS)]
)
def test_within_ten_per_cent_is_judged_by_the_whole(monkeypatch, total, verdict):
    monkeypatch.setattr(storage, "_available", lambda: ({"avr": made(total)}, []))
    assert storage._within().verdict == verdict


def test_figure_2_of_ours_is_the_paper_s_where_the_bytes_are(monkeypatch):
    monkeypatch.setattr(storage, "_available", lambda: ({"avr": made(664)}, []))
    assert figure_2.ours("mixed", 6) == 49 and figure_2.ours("static", 6) == 53
    assert {check.id: check.verdict for check in figure_2.checks({})} == {
        "figure-2-paper": HOLDS,
        "combined-paper": FAILS,
        "figure-2-ours": HOLDS,
        "combined-ours": FAILS,
        "working-area": HOLDS,
    }


def test_the_combination_is_said_to_hold_fewer_events_than_the_wasteful_concept():
    """Section 2.4 combines the concepts to save space; by the definitions it costs space in most settings."""
    (check,) = [check for check in figure_2.checks({}) if check.id == "combined-paper"]
    assert check.verdict == FAILS
    assert "fewer events with 1 to 4, 7, 8, 13, 16 and 17, and more with 5, 6 and 12" in check.evidence


@pytest.mark.parametrize(
    ("there", "words"),
    [
        (("avr", "cortex-m3", "host"), "compiled for an AVR"),
        (("cortex-m3", "host"), "compiled for ARM Cortex-M3, as there is no AVR"),
        (("host",), "as there is no AVR"),
        ((), "not measured"),
    ],
)
def test_figure_2_of_ours_is_of_the_compiler_that_is_there_and_says_so(monkeypatch, there, words):
    monkeypatch.setattr(storage, "_available", lambda: ({name: made(664) for name in there}, []))
    assert figure_2.ours("mixed", 6) == (49 if there else None)
    assert words in figure_2.tables({})[0].note
    assert words in next(check.claim for check in figure_2.checks({}) if check.id == "figure-2-ours")
    assert words in storage._figure().caption and str(storage._figure().drawing.rows).count(", ours") == (
        3 * len(measured.SUBSCRIBERS) if there else 0
    )
    assert ("AVR, whose compiler is not here" in storage._opening()) == ("avr" not in there)


def test_the_compiler_s_bytes_of_the_combination():
    """Seven bytes a frame, three words a place, one a value; a frame more where a place forwards."""
    needs.a_program("avr-gcc")
    wanted = [
        measured.Setting("mixed", 8, 6),
        measured.Setting("mixed", 8, 6, 4),
        measured.Setting("mixed", 4, 7),
    ]
    found = measured._compile(measured.EVERY[0], wanted)
    assert [found[setting].total for setting in wanted] == [
        8 * (7 + 72 + 4),
        8 * (7 + 72 + 16),
        4 * (2 * (7 + 72) + 4),
    ]
    assert "blackboard_deadlines" in found[wanted[0]].apart


def test_this_machine_s_compiler_measures_the_settings_that_are_asked_for_and_no_others():
    """A fourfold value takes three words of four bytes more in each of eight events, on any machine."""
    needs.a_compiler()
    wanted = [measured.Setting(*one) for one in (("static", 8, 6), ("mixed", 8, 6), ("mixed", 8, 6, 4))]
    found = measured._compile(measured.HOST, wanted)
    assert sorted(found) == sorted(wanted)
    static, one, four = (found[setting].total for setting in wanted)
    assert four - one == 8 * 3 * 4 and static > 8 * 6 and "blackboard_deadlines" in found[wanted[1]].apart


def test_our_tables_of_fixed_size_are_read_from_the_middlewares_headers():
    for told, words in (
        (contradictions._thread_table({}), "by default, including the blackboard's thread"),
        (contradictions._queue({}), "requests wait by default"),
    ):
        assert re.match(rf"\d+ {words}", told), told


def test_a_name_that_a_header_does_not_define_is_not_measured():
    assert contradictions._configured("threads/threads-conf.h", "NO_SUCH_NAME", "x") == "not measured"


def test_a_compiler_that_fails_is_no_pointer_s_size():
    class Failing:
        def compiler(self):
            return SimpleNamespace(command=("false",))

    with pytest.raises(subprocess.CalledProcessError):
        measured.pointer_size(Failing())
