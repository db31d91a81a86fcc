# SPDX-License-Identifier: Apache-2.0
"""Reads what files beside a scenario have in common: bytes, and rows of CSV under a head line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from orchestrator.vocabulary.faults import Faults
from orchestrator.words import did_you_mean


def content(path: Path, most: int, faults: Faults) -> bytes:
    """Return a file's bytes, one more than `most` of a larger one. Raises FaultyInput if it can't be read."""
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        faults.add(0, f"cannot be read: {error.strerror}", "name a file beside the scenario")
        faults.raise_any()
        raise AssertionError from error


def rows(
    text: str, columns: Sequence[str], needed: int, what: str, remedy: str, faults: Faults
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row's line number and its fields by column.

    The first `needed` columns have to be there; `remedy` says how the head line is written. `what` the rows
    are is for the message about a file without any line.
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    head: list[str] | None = None
    try:
        for written in reader:
            fields, line = [field.strip() for field in written], reader.line_num
            if not any(fields) or fields[0].startswith("#"):
                continue
            if head is None:
                head, before = fields, len(faults)
                for word in head:
                    if word not in columns:
                        faults.add(line, f"column {word[:40]!r} is unknown", did_you_mean(word, columns))
                if missing := [word for word in columns[:needed] if word not in head]:
                    faults.add(line, f"no column {', '.join(missing)}", remedy)
                if len(set(head)) != len(head):
                    faults.add(line, "a column appears twice", "keep one of them")
                if len(faults) > before:
                    return
            elif len(fields) > len(head):
                faults.add(
                    line, f"{len(fields)} fields under {len(head)} columns", "remove the commas too many"
                )
            else:
                yield line, dict(zip(head, fields, strict=False))
    except csv.Error as error:
        faults.add(reader.line_num, f"not CSV: {error}", "look for an unclosed quote in this line")
    if head is None and not len(faults):
        faults.add(1, f"the file holds no {what}", remedy)
