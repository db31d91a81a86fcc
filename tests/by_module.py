# SPDX-License-Identifier: Apache-2.0
"""Which tests run on one worker: those of a module, so that what its fixtures build is built once.

pytest-xdist's groups by mark do nothing under pytest 9.2 (xdist 3.8 writes a name that pytest no longer
reads), and would leave the tests of a module without a mark on any worker.
"""

from __future__ import annotations

# Whose modules share what a session builds, or its Spark: folders with one name are one piece of work.
SHARING = {
    "tests/report/": "spark",
    "tests/spark/": "spark",
    "tests/contiki_os/": "contiki_os",
    "tests/packaging/": "packaging",
}
# What takes longest comes first, so that no worker is left alone with it at the end.
FIRST = (
    "tests/report/",
    "tests/spark/",
    "tests/features/testbed/lab/",  # which waits most of its time
    "tests/contiki_os/",
    "tests/badinput/test_faulty_disk.py",
    "tests/execution/",
    "tests/build/",
    "tests/docs/test_tutorials.py",
    "tests/apps/",
    "tests/features/policies/lorry/",
    "tests/features/distribution/apps/",
    "tests/test_same_bytes.py",
    "tests/engines/",
    "tests/golden/",
)
# What `make quick` leaves out beside Spark: these compile, build wheels, run tutorials or draw every figure
# in every format.
LONG = (
    "tests/middleware/",
    "tests/contiki_os/",
    "tests/engines/",
    "tests/golden/",
    "tests/apps/",
    "tests/features/policies/lorry/",
    "tests/features/distribution/apps/",
    "tests/badinput/",
    "tests/build/",
    "tests/packaging/",
    "tests/docs/",
    "tests/features/scaffold/",
    "tests/mutants/",
    "tests/features/testbed/lab/",
    "tests/features/testbed/virtual/",
    "tests/features/testbed/test_failures.py",
    "tests/report/test_figure_files.py",
    "tests/report/test_budget.py",
    "tests/compare/test_make_targets.py",
    "tests/test_same_bytes.py",
    "tests/test_by_module.py",
)


def piece(nodeid: str) -> str:
    """The name of what a test is run with: its module, or what that shares in."""
    return next(
        (name for folder, name in SHARING.items() if nodeid.startswith(folder)), nodeid.partition("::")[0]
    )


def turn(nodeid: str) -> int:
    """When it comes: a sort key."""
    return next((number for number, begin in enumerate(FIRST) if nodeid.startswith(begin)), len(FIRST))


def scheduler(config, log):
    """Of pytest-xdist."""
    from xdist.scheduler import LoadScopeScheduling

    class ByModule(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return piece(nodeid)

        def _reschedule(self, node) -> None:
            # When a worker is lost, the others get its work, among them one that takes the place of a worker
            # lost before and has not collected yet: xdist 3.8 ends all with a KeyError of it. It gets work
            # when it has collected.
            if node in self.registered_collections:
                super()._reschedule(node)

    config.option.loadscopereorder = False  # which would put what has most tests first
    return ByModule(config, log)
