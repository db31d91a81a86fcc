# SPDX-License-Identifier: Apache-2.0
"""Numbers with their nouns, as people write them."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 run`, `2 runs`, `1,234 runs`. The noun is one whose plural only has an s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
