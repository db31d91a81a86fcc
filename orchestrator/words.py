# SPDX-License-Identifier: Apache-2.0
"""Numbers with their nouns, enumerations, and suggestions for unknown words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def counted(number: int, noun: str) -> str:
    """`1 run`, `2 runs`, `1,234 runs`. The noun is one whose plural only has an s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def enumerated(parts: Sequence[str]) -> str:
    """Return the words as in `a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(parts[:-1]), *parts[-1:]]) if len(parts) > 1 else "".join(parts)


def first_of(names: Sequence[object], most: int = 6) -> str:
    """Return the first of many names, and how many more there are."""
    shown = ", ".join(str(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def spans(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and the last of each run of consecutive numbers."""
    found: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        following = found and number == found[-1][1] + 1
        first = found.pop()[0] if following else number
        found.append((first, number))
    return found


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` was probably meant to be, or None."""
    import difflib

    by_lower = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(word[:64].lower(), by_lower, n=1, cutoff=0.6)
    if not found:  # the beginning of one of them
        found = [candidate for candidate in by_lower if len(word) > 1 and candidate.startswith(word.lower())]
        found = found if len(found) == 1 else []
    return by_lower[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a remedy for an unknown word: the nearest known one, then all of them (the first twenty)."""
    known = list(known)
    meant = nearest(word, known)
    listed = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
    return (f"did you mean {meant}? " if meant else "") + (
        f"there are: {listed}" if known else "there are none"
    )


def natural(text: str) -> tuple:
    """Return a sort key under which P2 comes before P10 and H5 before H10."""
    return tuple(
        (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", text) if part
    )
