# SPDX-License-Identifier: Apache-2.0
"""Compiled policies do what the reference does, value by value, and nothing that C leaves undefined.

`python -m tests.features.policies.test_compiled` does it for a million events.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest
from both_ways import application, events, executable, executed, interpreted
from random_policies import LIBRARY, every_operator, policies

from orchestrator.features.policies.extensions import Library, load


def library(folder: Path) -> Library:
    """The functions of compiled.c."""
    path = folder / "policy-extension.yaml"
    path.write_text(LIBRARY)
    return load([path])


def compare(seed: int, folder: Path, count: int, size: int) -> None:
    """Policies by chance, events by chance."""
    same(policies(seed, size), seed, folder, count)


def same(text: str, seed: int, folder: Path, count: int) -> None:
    """Policies both ways, on events by chance."""
    known = library(folder)
    bound = application(text, known)
    given = events(bound, seed, count)
    program = executable(bound, known, folder, switched=bool(seed % 2))
    wanted, got = interpreted(bound, known, given), executed(program, given)
    for number, (one, other) in enumerate(zip(wanted, got, strict=True)):
        assert other == one, f"seed {seed}, event {number} {given[number]}"


@pytest.mark.parametrize("seed", [1, 2])
def test_the_compiled_policies_do_what_the_reference_does(seed, tmp_path):
    compare(seed, tmp_path, 2000, 8)


def test_every_operator_gives_the_same_for_every_type(tmp_path):
    same(every_operator(), 4, tmp_path, 4000)


# A parameter hides what has its name in C: a function that its handler calls, the policy's own variables, one
# that policies share (`turns` is a name of ours, so that C has `turns_`).
HIDING = """tank
  int level = 3;
  global(other) long turns = 7;
  on C-B notify Heat(drawn_int, tank, turns_, drawn_int_)
    0-1: drawn_int > draw() + drawn_int_ ->
      level = level + tank; turns = turns + turns_; accept (drawn_int, tank, turns);
    1-0: true -> turns_ = turns; accept (level, turns_);
other
  on C-B notify Heat(x)
    0-0: x > turns -> accept;
"""
# Names of ours get a `_` in C, and those that have one already another.
ALIKE = """tank
  record kind { int main; uint8 main_; } both;
  int turns = 3; int turns_ = 4;
  on C-B notify Heat(abs, abs_, event, event_)
    0-0: abs < abs_ ->
      turns = abs; turns_ = event; both.main = event_; both.main_ = 5;
      accept (turns, turns_, both.main, both.main_);
    0-0: abs >= abs_ -> discard (event, event_);
"""


@pytest.mark.parametrize("text", [HIDING, ALIKE])
def test_a_name_in_c_means_one_thing(text, tmp_path):
    same(text, 2, tmp_path, 500)


if __name__ == "__main__":
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        with tempfile.TemporaryDirectory() as folder:
            compare(seed, Path(folder), int(sys.argv[3]), 8)
            print("seed", seed, "agrees", flush=True)
