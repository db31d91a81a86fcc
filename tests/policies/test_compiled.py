# SPDX-License-Identifier: Apache-2.0
"""Compiled policies do what the reference does, value by value, and nothing that C leaves undefined.

`python -m tests.policies.test_compiled` does it for a million events.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest
from both_ways import application, events, executable, executed, interpreted
from random_policies import LIBRARY, every_operator, policies

from orchestrator.policies.extensions import Library, load


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


if __name__ == "__main__":
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        with tempfile.TemporaryDirectory() as folder:
            compare(seed, Path(folder), int(sys.argv[3]), 8)
            print("seed", seed, "agrees", flush=True)
