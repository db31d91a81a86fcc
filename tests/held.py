# SPDX-License-Identifier: Apache-2.0
"""`orchestrate` in a process whose simulations wait once so many have begun, until a file is there: for tests
that do something in the middle of a campaign, which on a busy machine would be over before they come to it.

    python -m tests.held NUMBER FILE ARGUMENTS...
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from orchestrator.cli import app
from orchestrator.engines.embedded.engine import EmbeddedEngine
from tests.waiting import wait_until


def main(number: str, file: str, *arguments: str) -> int:
    """Return the command's exit code."""
    run, begun = EmbeddedEngine._run, itertools.count(1)

    def held(engine, job):
        if next(begun) > int(number):
            wait_until(Path(file).exists)
        return run(engine, job)

    EmbeddedEngine._run = held
    return app.main(list(arguments))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
