# SPDX-License-Identifier: Apache-2.0
"""What a bisection keeps of the commits that it tried: a later call goes on with it."""

from __future__ import annotations

import json

import pytest

from orchestrator.features.campaigns.bisection.state import FILE, Question, State, Trial
from orchestrator.features.campaigns.judging.blame import Red

QUESTION = Question(
    "nights", "theirs", "a" * 40, "b" * 40, Red("trial", "plain", "delay_ms"), "c3ll", (1, 2), ()
)
TRIALS = (
    Trial("d" * 40, {1: 2.5, 2: 3.0}, {1: "0a", 2: "0b"}, 2),
    Trial("e" * 40, skipped="it has no build"),
)


def kept(store) -> State:
    state = State(store, QUESTION)
    for one in TRIALS:
        state.add(one)
    return state


def test_trials_are_read_again_by_the_same_question_alone(tmp_path):
    kept(tmp_path)
    assert State(tmp_path, QUESTION).trials == {one.commit: one for one in TRIALS}
    other = Question(**{**vars(QUESTION), "seeds": (1, 2, 3)})
    assert State(tmp_path, other).trials == {}


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ({"format": 1}, 2),  # what every bisection so far has written
        ({"format": 2}, 0),
        ({"trials": []}, 0),
        ({"trials": [{"commit": "d"}]}, 0),
        ({"trials": None}, 0),
    ],
)
def test_what_another_format_or_a_damaged_file_says_is_tried_again(tmp_path, change, read):
    path = kept(tmp_path).folder / FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert len(State(tmp_path, QUESTION).trials) == read
    path.write_text("{")
    assert State(tmp_path, QUESTION).trials == {}
