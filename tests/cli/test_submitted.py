# SPDX-License-Identifier: Apache-2.0
"""The command as an application of spark-submit: the same command, in whose folder no module of Python's is
looked for.
"""

import subprocess
import sys

import pytest

from orchestrator import __version__
from orchestrator.cli import submitted
from tests.waiting import HANG_S


@pytest.mark.parametrize(
    ("words", "code", "printed"),
    [
        (["--version"], 0, f"orchestrate {__version__}\n"),
        (["nonsense"], 2, ""),
        (["query", "--tables", "runs", "--json"], 0, '{\n  "runs": {\n'),  # its libraries import `numbers`
    ],
)
def test_the_command_as_a_file(words, code, printed):
    done = subprocess.run(
        [sys.executable, submitted.__file__, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )
    assert done.returncode == code, done.stderr
    assert done.stdout.startswith(printed) and "Traceback" not in done.stderr
