# SPDX-License-Identifier: Apache-2.0
"""The paper's names of configurations (section 6): H or L, 5 or 10, A (aggregation), D (id-based delay)."""

from __future__ import annotations

import re
from dataclasses import dataclass

CELLS = ("H5", "H5A", "H10", "H10A", "L5", "L5A", "L5D", "L5AD", "L10", "L10A", "L10D", "L10AD")
_NAME = re.compile(r"([HL])(\d+)(A?)(D?)")


@dataclass(frozen=True)
class Configuration:
    """One of the paper's twelve configurations."""

    name: str
    high: bool
    publishers: int
    aggregate: bool
    delay: bool

    @property
    def plain(self) -> str:
        """The configuration that differs only in having no aggregation."""
        return f"{'H' if self.high else 'L'}{self.publishers}{'D' if self.delay else ''}"


def configuration(name: str) -> Configuration:
    """Read a name such as "L10AD". Raises ValueError for others."""
    match = _NAME.fullmatch(name)
    if not match:
        raise ValueError(f"{name!r} is not a configuration such as H10A or L5D")
    load, publishers, aggregate, delay = match.groups()
    return Configuration(name, load == "H", int(publishers), bool(aggregate), bool(delay))
