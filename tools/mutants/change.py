# SPDX-License-Identifier: Apache-2.0
"""One change of one file, how it is printed and how it is recognised."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """`text` is the whole file after it. What it did is in the lines that differ: `before` became `after`,
    from `line` on.
    """

    file: str
    kind: str
    line: int
    before: str
    after: str
    text: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is known by while lines above it come and go."""
        return self.file, squeezed(self.before), squeezed(self.after)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {squeezed(self.before)}  ->  {squeezed(self.after) or 'left out'}"


def between(file: str, kind: str, old: str, new: str) -> Change:
    """The change that makes `new` of `old`."""
    one, other = old.splitlines(), new.splitlines()
    first = 0
    while first < min(len(one), len(other)) and one[first] == other[first]:
        first += 1
    last = 0
    while last < min(len(one), len(other)) - first and one[-1 - last] == other[-1 - last]:
        last += 1
    return Change(
        file,
        kind,
        first + 1,
        "\n".join(one[first : len(one) - last]),
        "\n".join(other[first : len(other) - last]),
        new,
    )


def squeezed(text: str) -> str:
    """On one line, whatever its indentation."""
    return " ".join(text.split())
