# SPDX-License-Identifier: Apache-2.0
"""The blackboard against a plain model: any steps, on all three storage concepts, with sanitizers."""

from __future__ import annotations

import os

import blackboard_builds
import pytest

# BLACKBOARD_STEPS=1000000 for the long run.
STEPS = int(os.environ.get("BLACKBOARD_STEPS", "20000"))
ALL = (*blackboard_builds.CONCEPTS, blackboard_builds.SIX)


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("blackboard")
    return {concept: blackboard_builds.build(folder, concept) for concept in ALL}


@pytest.mark.parametrize("concept", ALL)
def test_random_steps(programs, concept):
    for seed in range(0, STEPS, 20000):
        blackboard_builds.play(
            programs[concept], blackboard_builds.random_steps(seed, min(STEPS - seed, 20000))
        )
