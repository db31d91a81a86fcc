# SPDX-License-Identifier: Apache-2.0
"""A log as motes with link-survey leave it."""

from __future__ import annotations

from collections.abc import Iterator

NAMES = {1: "M1", 2: "M2", 3: "M3"}


def log(heard_by_two: set[int], heard_by_one: set[int]) -> Iterator[str]:
    """Motes 1 and 2 count to 8 within 80 s in two rounds; 3 says and hears nothing of them."""
    yield "Random seed: 1\n"
    for mote in NAMES:
        eui64 = "unknown" if mote == 1 else f"00127400000000{mote:02x}"
        who = f"who link-survey address 0{mote}00000000000000 eui64 {eui64} platform cooja"
        yield f"{mote}\tID:{mote}\t{who}\n"
    yield "5\tID:1\tnoise 26 low -99 median -96 high -90\n"
    yield "6\tID:1\tnoise 26 low -98 median -95 high -60\n"
    for frame in range(1, 9):
        time, number = frame * 10_000_000, (frame + 3) // 4
        yield f"{time}\tID:1\tsay {frame} round {number} power 0\n"
        if frame in heard_by_two:
            yield (
                f"{time + 900}\tID:2\theard {frame} from 0100000000000000 power 0 rssi {-70 - frame} "
                f"lqi {100 + frame}\n"
            )
        yield f"{time + 1000}\tID:2\tsay {frame} round {number} power 0\n"
        if frame in heard_by_one:
            yield f"{time + 1900}\tID:1\theard {frame} from 0200000000000000 power 0 rssi -70 lqi 100\n"
    yield "90000000\tID:1\tsay 9 round 3 power 0\n"  # who heard that is not known yet
    yield "TEST OK\n"
