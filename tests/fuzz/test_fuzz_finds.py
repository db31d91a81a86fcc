# SPDX-License-Identifier: Apache-2.0
"""Every input that a fuzzing session once found, and the good ones that sessions start from, has an
answer."""

from __future__ import annotations

import pytest

from tools.fuzz import targets

INPUTS = [(name, path) for name in targets.TARGETS for path in (*targets.seeds(name), *targets.finds(name))]


@pytest.mark.parametrize(
    ("name", "path"), INPUTS, ids=[f"{name}-{path.parent.name}-{path.name}" for name, path in INPUTS]
)
def test_an_input_has_an_answer(name, path):
    targets.TARGETS[name](path.read_bytes())


@pytest.mark.parametrize("name", ["scenario", "csc", "policy"])
def test_a_good_input_cut_anywhere_has_an_answer(name):
    data = min(targets.seeds(name), key=lambda path: path.stat().st_size).read_bytes()
    for end in range(0, len(data), 1 + len(data) // 60):
        targets.TARGETS[name](data[:end])


def test_a_target_notices_what_is_wrong(monkeypatch):
    """The fuzzer would see nothing if a target could not fail."""
    monkeypatch.setattr(targets, "loads", lambda *_: (_ for _ in ()).throw(KeyError("a bug")))
    with pytest.raises(KeyError):
        targets.scenario(b"experiment: x\n")
