# SPDX-License-Identifier: Apache-2.0
"""The paper's names of configurations (section 6): H or L, 5 or 10, A (aggregation), D (id-based delay)."""

from __future__ import annotations

import re
from dataclasses import dataclass

CELLS = ("H5", "H5A", "H10", "H10A", "L5", "L5A", "L5D", "L5AD", "L10", "L10A", "L10D", "L10AD")
# The configurations without aggregation whose savings the paper publishes (6.3).
SAVINGS = ("H5", "H10", "L5", "L10")
_NAME = re.compile(r"([HL])(\d+)(A?)(D?)")
# A cell of sensitivity.yaml: its configuration without the A, what is varied, and -A.
_VARIANT = re.compile(r"(?P<base>[HL]\d+D?)(?P<varied>(?:-[a-z0-9.]+)*)(?P<aggregate>-A)?")


@dataclass(frozen=True)
class Configuration:
    """One of the paper's twelve configurations. `plain`: the cell that differs only in not aggregating."""

    name: str
    high: bool
    publishers: int
    aggregate: bool
    delay: bool
    plain: str


def configuration(name: str) -> Configuration:
    """Read a name such as "L10AD", or a sensitivity cell's, "L10D-0.6-A". Raises ValueError for others."""
    if match := _NAME.fullmatch(name):
        load, publishers, aggregate, delay = match.groups()
        plain = f"{load}{publishers}{delay}"
    elif match := _VARIANT.fullmatch(name):
        base = configuration(match["base"])
        load, publishers, aggregate, delay = name[0], base.publishers, match["aggregate"], base.delay
        plain = match["base"] + match["varied"]
    else:
        raise ValueError(f"{name!r} is not a configuration such as H10A or L5D")
    return Configuration(name, load == "H", int(publishers), bool(aggregate), bool(delay), plain)
