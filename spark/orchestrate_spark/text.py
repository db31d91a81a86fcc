# SPDX-License-Identifier: Apache-2.0
"""Columns of numbers and strings from slices of a text, all slices at once: NumPy finds them, Arrow has them.

A slice is a start and an end (exclusive), places in the text's bytes. No function copies the text.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa

LARGEST = (1 << 63) - 1
MANY = 4096  # digits of a number; the longest line has no more
_SURE = 18  # so many decimal digits always fit 64 bits
_TEN = 10 ** np.arange(_SURE, dtype=np.int64)


class Text:
    """The bytes of a text, and where its separators are."""

    def __init__(self, content: bytes):
        self.bytes = np.frombuffer(content, np.uint8)
        self.content = content
        self._buffer = pa.py_buffer(content)
        self._places: dict[int, np.ndarray] = {}

    def places(self, sign: str) -> np.ndarray:
        """Return the places of an ASCII character, in order."""
        code = ord(sign)
        if code not in self._places:
            self._places[code] = np.flatnonzero(self.bytes == code).astype(np.int32)
        return self._places[code]

    @cached_property
    def unprinted(self) -> np.ndarray:
        """The places of what is not printable ASCII."""
        return np.flatnonzero((self.bytes < ord(" ")) | (self.bytes > ord("~")))

    def numbers(
        self, start: np.ndarray, end: np.ndarray, signed: bool = True, most: int = LARGEST
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the decimal numbers in slices, and which slices hold one of at most `most`.

        Only digits count, after a `-` if `signed`. What holds none is 0.
        """
        length = end - start
        value, fits = np.zeros(len(start), np.int64), length > 0
        if not len(start):
            return value, fits
        if signed:
            below = fits & (self.bytes[np.minimum(start, len(self.bytes) - 1)] == ord("-"))
            length = length - below
            fits &= length > 0
        shortest = length.min()
        for place in range(min(int(length.max()), _SURE)):
            digit = self.bytes[end - (1 + place)] - np.uint8(ord("0"))
            if place >= shortest:
                digit[length <= place] = 0
            fits &= digit < 10
            value += digit * _TEN[place]
        if signed and below.any():
            value = np.where(below, -value, value)
        for at in np.flatnonzero(length > _SURE).tolist():
            text = self.content[start[at] : end[at]]
            digits = text.removeprefix(b"-") if signed else text
            number = int(text) if len(digits) < MANY and digits.isdigit() else LARGEST + 1
            fits[at] = -LARGEST - 1 <= number <= LARGEST
            value[at] = number if fits[at] else 0
        if most < LARGEST:
            fits &= value <= most
        return value, fits

    def strings(self, start: np.ndarray, end: np.ndarray, null: np.ndarray | None = None) -> pa.Array:
        """Return slices, of which none begins before the one before it ends, as strings."""
        if not len(start):
            return pa.array([], pa.string())
        # Each slice is followed by what is between it and the next one; every other string is a slice.
        offsets = np.empty(2 * len(start), np.int32)
        offsets[::2], offsets[1::2] = start, end
        every = pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), self._buffer)
        return every.take(pa.array(np.arange(0, len(offsets), 2, dtype=np.int32), mask=null))

    def one(self, start: int, end: int) -> str:
        """Return one slice."""
        return self.content[start:end].decode()

    def split(
        self, start: np.ndarray, end: np.ndarray, sign: str
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the parts of slices between a character: how many each slice has, their starts and ends."""
        places = self.places(sign)
        first, last = places.searchsorted(start), places.searchsorted(end)
        counts = (last - first + 1).astype(np.int32)
        begins = np.cumsum(counts) - counts
        total = int(counts.sum())
        starts, ends = np.empty(total, np.int32), np.empty(total, np.int32)
        inner = np.ones(total, bool)
        inner[begins] = False
        at = places[_ranges(first, last)]
        starts[begins], starts[inner] = start, at + 1
        inner[:] = True
        inner[begins + counts - 1] = False
        ends[begins + counts - 1], ends[inner] = end, at
        return counts, starts, ends


def _ranges(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return first[0], first[0] + 1 ... last[0] - 1, first[1] ..., one after the other."""
    counts = last - first
    starts = np.repeat(first - (np.cumsum(counts) - counts), counts)
    return starts + np.arange(int(counts.sum()))


def lists(counts: np.ndarray, items: pa.Array, null: np.ndarray | None = None) -> pa.Array:
    """Return lists of so many of the items, one after the other; `null` where there is no list."""
    offsets = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    mask = None if null is None or not null.any() else pa.array(null)
    return pa.ListArray.from_arrays(pa.array(offsets), items, mask=mask)
