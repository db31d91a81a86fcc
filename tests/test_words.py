# SPDX-License-Identifier: Apache-2.0
"""Numbers with their nouns, and that no text has `1 runs` again where it can be one."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.words import counted, enumerated, first_of, spans

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs"), (1234, "1,234 runs")]
)
def test_a_number_and_its_noun(number, text):
    assert counted(number, "run") == text


@pytest.mark.parametrize(
    ("parts", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_an_enumeration(parts, text):
    assert enumerated(parts) == text


def test_the_first_of_many_names():
    assert first_of(list("abcde"), 5) == "a, b, c, d, e"
    assert first_of(list("abcdefg"), 5) == "a, b, c, d, e and 2 more"
    assert first_of([1, 2, 3, 4, 5, 6]) == "1, 2, 3, 4, 5, 6" and first_of(range(7)).endswith("5 and 1 more")


@pytest.mark.parametrize(
    ("numbers", "runs"),
    [([], []), ([7], [(7, 7)]), ([3, 1, 2, 2, 9], [(1, 3), (9, 9)]), ([1, 3, 5], [(1, 1), (3, 3), (5, 5)])],
)
def test_runs_of_consecutive_numbers(numbers, runs):
    assert spans(numbers) == runs
