# SPDX-License-Identifier: Apache-2.0
"""A scenario to make faults in, and the faults that a text has."""

from pathlib import Path

import pytest

from orchestrator.errors import FaultyInput
from orchestrator.scenario.load import loads

BASE = """\
experiment: trial
topology: {shape: chain, publishers: 5}
application: {name: probe-app}
duration: 15 min
seeds: 1..3
"""


def faults(text: str, folder: Path | None = None) -> list[tuple[int, str, str]]:
    """(line, what, remedy) of all faults of a text that must have some."""
    with pytest.raises(FaultyInput) as caught:
        loads(text, "x.yaml", folder)
    for fault in caught.value.faults:
        assert fault.what
        assert fault.remedy
    return [(fault.line, fault.what, fault.remedy) for fault in caught.value.faults]
