# SPDX-License-Identifier: Apache-2.0
"""Keeps an experiment's patterns in its folder, where ingestion finds them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from orchestrate_spark.experiment import write_atomic
from orchestrate_spark.sources.log_patterns import FILE, MARKS, stored

from orchestrator.errors import AGAIN, writing
from orchestrator.features.patterns.load import Patterns

BY, SCENARIO, COMMAND = "by", "scenario", "command"  # in the marks: who chose the patterns
NAMES, PROFILE = "names", "profile"


def keep(patterns: Patterns | None, folder: Path, by: str) -> None:
    """Make these the patterns of an experiment; None removes those that were chosen in the same way.

    Raises StorageFailed.
    """
    file = folder / FILE
    with writing(file, AGAIN):
        if patterns is None:
            before = of(folder)
            if before is not None and before[MARKS].get(BY, by) == by:
                file.unlink(missing_ok=True)
            return
        marks = {**patterns.spec[MARKS], BY: by, NAMES: patterns.names, PROFILE: patterns.profile}
        content = (json.dumps({**patterns.spec, MARKS: marks}, indent=1) + "\n").encode()
        if not file.is_file() or file.read_bytes() != content:
            folder.mkdir(parents=True, exist_ok=True)
            write_atomic(file, content)


def of(folder: Path) -> dict[str, Any] | None:
    """Return an experiment's patterns; None if it has none. Raises StorageFailed."""
    return stored(folder)
