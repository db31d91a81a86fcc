# SPDX-License-Identifier: Apache-2.0
"""Whatever fails in a run, and whenever: what was logged before is collected after, and a mote that died is
named.

`ORCHESTRATE_SCHEDULES=300` tries hundreds of schedules; `ORCHESTRATE_FIRST_SCHEDULE=17` begins with
number 17, to try one again. How busy the machine is changes how many requests a run has, and never what has
to be true at its end.
"""

from __future__ import annotations

import os

import pytest

from tests import needs
from tests.features.testbed.lab.beds import Bed
from tests.features.testbed.lab.schedules import Story

needs.a_program("sh")
FIRST = int(os.environ.get("ORCHESTRATE_FIRST_SCHEDULE", "0"))
SCHEDULES = int(os.environ.get("ORCHESTRATE_SCHEDULES", "2"))  # hundreds by hand


@pytest.mark.parametrize("seed", range(FIRST, FIRST + SCHEDULES))
def test_a_random_schedule_of_failures_in_a_whole_run_loses_nothing_that_was_logged(seed, two_gateways):
    story = Story(two_gateways, seed)
    story.check(story.lived())


@pytest.mark.sshd
@pytest.mark.parametrize("seed", range(FIRST, FIRST + max(1, SCHEDULES // 2)))
def test_a_random_schedule_of_failures_over_real_sshd(seed, real_servers, tmp_path):
    bed = Bed(real_servers, tmp_path, apart=True)
    try:
        story = Story(bed, seed)
        story.check(story.lived())
    finally:
        bed.boards.end()
