# SPDX-License-Identifier: Apache-2.0
"""Definitions 1 to 3, what follows from them, and that our bytes are the compiler's."""

import subprocess
from math import ceil
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.features.blackboard.paper import contradictions, definitions, figure_2, measured
from orchestrator.features.blackboard.paper.definitions import (
    CONCEPTS,
    bits,
    data,
    frames,
    frames_with_forwarding,
    mixed,
)
from orchestrator.papers.check import FAILS

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


def test_a_compiler_that_fails_is_no_pointer_s_size():
    class Failing:
        def compiler(self):
            return SimpleNamespace(command=("false",))

    with pytest.raises(subprocess.CalledProcessError):
        measured.pointer_size(Failing())


def test_the_combination_is_said_to_hold_fewer_events_than_the_wasteful_concept():
    """Section 2.4 combines the concepts to save space; by the definitions it costs space in most settings."""
    (check,) = [check for check in figure_2.checks({}) if check.id == "combined-paper"]
    assert check.verdict == FAILS
    assert "fewer events with 1 to 4, 7, 8, 13, 16 and 17, and more with 5, 6 and 12" in check.evidence
