# SPDX-License-Identifier: Apache-2.0
"""What all tests share: how Hypothesis searches, and in what order and on which worker they run."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

from tests import by_module, tier

# No deadline: a busy machine is no fault of the code. In CI the examples are always the same, so that a
# change that breaks nothing never fails; everywhere else they are new at every run, and what they find
# becomes a test.
settings.register_profile("here", deadline=None, max_examples=tier.examples(100))
settings.register_profile("ci", deadline=None, max_examples=tier.examples(100), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


# pytest-xdist tells its workers how wide the terminal is; what commands print here must not depend on that.
os.environ.pop("COLUMNS", None)

# Tests interrupt what they start, which inherits it if a shell's background made us ignore that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def few_metrics():
    """Has this process compute three families of metrics instead of all: for a module whose matter is what
    becomes of metrics, not their values.
    """
    from orchestrate_spark.jobs import metrics

    few = [one for one in metrics.families() if one.name in ("events", "packets", "transmitted")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metrics, "families", lambda: few)
        yield


def pytest_ignore_collect(collection_path, config):
    """`make quick`, the tests for every save."""
    if os.environ.get("ORCHESTRATE_QUICK"):
        name = collection_path.relative_to(config.rootpath).as_posix()
        return True if f"{name}/".startswith(by_module.LONG) or name in by_module.LONG else None


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: by_module.turn(item.nodeid))
    if not tier.ALL:
        for item in items:
            if mark := item.get_closest_marker("full"):
                reason = f"ORCHESTRATE_TESTS=all runs it, as CI does; here {mark.kwargs['instead']}"
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist nobody asks
def pytest_xdist_make_scheduler(config, log):
    return by_module.scheduler(config, log)
