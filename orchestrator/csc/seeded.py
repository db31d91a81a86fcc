# SPDX-License-Identifier: Apache-2.0
"""The .csc files of one simulation's seeds, of which only the seed and the motes' EEPROM images differ.

One is written as any (write.py) and kept as a form; another seed's is the form filled in. Whether that gives
what write.py gives is tried with a second seed before the form is used; where it doesn't, all are written.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Sequence

from orchestrator.csc.model import Simulation
from orchestrator.csc.write import write

_SEED = re.compile(rb"<randomseed>([^<]*)</randomseed>")
_IMAGE = re.compile(rb"<eeprom>([^<]*)</eeprom>")


class Seeded:
    """`of(seed)`: the whole simulation with that seed; `images(seed)`: its motes' images alone, in order."""

    def __init__(self, of: Callable[[int], Simulation], images: Callable[[int], Sequence[bytes]], seed: int):
        """`seed`: one to begin with."""
        self._of, self._images = of, images
        self._form = _form(write(of(seed)))
        other = seed + 1 if seed < 2**31 - 1 else seed - 1
        if self._form is not None and any(
            self._filled(candidate_seed) != write(of(candidate_seed))
            for candidate_seed in dict.fromkeys((seed, other))
        ):
            self._form = None

    def text(self, seed: int) -> bytes:
        """Return the .csc with that seed: the bytes that write.py gives."""
        return write(self._of(seed)) if self._form is None else self._filled(seed)

    def sha256(self, seed: int) -> str:
        """Return the SHA-256 of the text."""
        return hashlib.sha256(self.text(seed)).hexdigest()

    def _filled(self, seed: int) -> bytes | None:
        first, *rest = self._form
        images = [image for image in self._images(seed) if image]
        if len(images) != len(rest) - 1:
            return None
        parts = [first, b"%d" % seed, rest[0]]
        for image, after in zip(images, rest[1:], strict=True):
            parts += [base64.b64encode(image), after]
        return b"".join(parts)


def _form(text: bytes) -> list[bytes] | None:
    """Return the text around the seed and the images; None if they do not stand as expected."""
    seeds, images = list(_SEED.finditer(text)), list(_IMAGE.finditer(text))
    if len(seeds) != 1 or (images and images[0].start() < seeds[0].end()):
        return None
    pieces, at = [], 0
    for match in (*seeds, *images):
        pieces.append(text[at : match.start(1)])
        at = match.end(1)
    return [*pieces, text[at:]]
