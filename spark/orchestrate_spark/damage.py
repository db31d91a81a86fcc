# SPDX-License-Identifier: Apache-2.0
"""Counts what does not fit in logs, by log and reason, with a few of the lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from orchestrate_spark.log_format import DAMAGE

SAMPLES = 3  # damaged lines kept per run and reason
SAMPLE_LENGTH = 120
DAMAGE_COLUMNS = pa.schema(
    [
        ("log", pa.int32()),
        ("reason", pa.string()),
        ("count", pa.int64()),
        ("first_line", pa.int64()),
        ("samples", pa.list_(pa.string())),
        ("kept", pa.bool_()),
    ]
)
_UNPRINTED = re.compile("[\x00-\x1f\x7f]")


@dataclass
class _Of:
    count: int
    first_line: int
    samples: list[str]


class Damage:
    """What does not fit in the logs of a batch."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, str], _Of] = {}

    def add(self, log: int, reason: str, count: int, told: Iterable[tuple[int, str]]) -> None:
        """Add `count` lines of a log. `told`: number and text of the first of them, at least of one."""
        for line, raw in told:
            of = self._found.setdefault((log, reason), _Of(0, line, []))
            of.first_line = min(of.first_line, line)
            if len(of.samples) < SAMPLES:
                of.samples.append(_UNPRINTED.sub("\ufffd", raw[:SAMPLE_LENGTH].replace("\t", " ")))
        self._found[log, reason].count += count

    def counts(self) -> Iterator[tuple[int, str, int]]:
        """Yield log, reason and the number of lines."""
        return ((log, reason, of.count) for (log, reason), of in self._found.items())

    def rows(self) -> pa.Table:
        """Return the rows of the table `damage` with `log`, by log and reason."""
        rows = (
            {"log": log, "reason": reason, "kept": DAMAGE[reason][0], **vars(of)}
            for (log, reason), of in sorted(self._found.items(), key=lambda one: one[0])
        )
        return pa.Table.from_pylist(list(rows), DAMAGE_COLUMNS)
