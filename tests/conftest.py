# SPDX-License-Identifier: Apache-2.0
"""What all tests share: how Hypothesis searches."""

from __future__ import annotations

import os

from hypothesis import settings

# No deadline: a busy machine is no fault of the code. In CI the examples are always the same, so that a change that
# breaks nothing never fails; everywhere else they are new at every run, and what they find becomes a test.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
