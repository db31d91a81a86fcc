# SPDX-License-Identifier: Apache-2.0
"""Which tests run on one worker: those of a module, so that what its fixtures build is built once.

pytest-xdist's groups by mark do nothing under pytest 9.2 (xdist 3.8 writes a name that pytest no longer reads), and would
leave the tests of a module without a mark on any worker.
"""

from __future__ import annotations

# Whose modules share what a session builds: a folder of these is one piece of work.
SHARING = ("tests/contiki_os/", "tests/packaging/", "tests/report/")
# What takes longest comes first, so that no worker is left alone with it at the end.
FIRST = ("tests/report/", "tests/docs/test_tutorials.py", "tests/badinput/test_faulty_disk.py", "tests/cli/test_metrics_command.py",
         "tests/packaging/", "tests/contiki_os/", "tests/campaign/", "tests/golden/", "tests/engines/", "tests/spark/")


def piece(nodeid: str) -> str:
    """The folder or module that a test is run with."""
    return next((folder for folder in SHARING if nodeid.startswith(folder)), nodeid.partition("::")[0])


def turn(nodeid: str) -> int:
    """When it comes: a sort key."""
    return next((number for number, begin in enumerate(FIRST) if nodeid.startswith(begin)), len(FIRST))


def scheduler(config, log):
    """Of pytest-xdist."""
    from xdist.scheduler import LoadScopeScheduling

    class ByModule(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return piece(nodeid)

    config.option.loadscopereorder = False  # which would put what has most tests first
    return ByModule(config, log)
