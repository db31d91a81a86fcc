# SPDX-License-Identifier: Apache-2.0
"""The golden cases: where their files are and which log belongs to which rule set."""

from __future__ import annotations

import csv
from pathlib import Path

from orchestrator.vocabulary.simulators import RULES

FOLDER = Path(__file__).resolve().parent / "cooja"
CASES = (
    "chain",
    "lossy-grid",
    "collisions",
    "radios-off",
    "two-channels",
    "constant-loss-grid",
    "constant-loss-radios",
    "graph-channels",
    "graph-delays",
    "graph-radios",
    "devices",
    "several-types",
    "delays-none",
    "delays-longest",
    "bit-rates",
    "sender-off",
    "full-frames",
    "full-frames-delays",
)
# Operated by a script of their own or by the Mobility plugin while they run.
OPERATED = (
    "buttons",
    "serial-input",
    "mote-removal",
    "moved-and-renamed",
    "mobility",
    "same-ids",
    "sensors",
    "two-mobilities",
    "logistic-operated",
    "logistic-time-operated",
    "serial-overrun",
    "motes-return",
    "graph-operated",
    "removed-radios",
)
# The media that came after those, and what Cooja takes beside what its window writes.
OTHER_MEDIA = (
    "logistic-radios",
    "logistic-channels",
    "logistic-time",
    "logistic-time-pairs",
    "silent",
    "graph-repeated-edges",
    "graph-many-edges",
    "own-signals",
    "no-motes",
)
ALL = CASES + OPERATED + OTHER_MEDIA
# Where real Cooja's radios and medium were asked, too.
TRACKED = CASES + OTHER_MEDIA
_FRAMES = FOLDER / "frames.csv"


def simulation(case: str) -> Path:
    """The case's .csc, which names the probe firmware relative to itself."""
    return FOLDER / case / "simulation.csc"


def log_for(case: str, rules: str) -> Path:
    """The log real Cooja wrote under these rules; one file where both rule sets wrote the same bytes."""
    own = FOLDER / case / f"COOJA-{rules}.testlog"
    return own if own.exists() else FOLDER / case / "COOJA.testlog"


def radios_for(case: str, rules: str) -> Path:
    """What real Cooja's PowerTracker said of the radios under these rules."""
    return FOLDER / case / f"radios-{rules}.csv"


def frames(rules: str) -> dict[str, tuple[int, int, int]]:
    """How many transmissions, receptions and interferences real Cooja's medium counted in each case."""
    found = {}
    with _FRAMES.open(newline="") as stream:
        for case, of, *numbers in csv.reader(stream):
            if of == rules:
                transmissions, receptions, interferences = map(int, numbers)
                found[case] = transmissions, receptions, interferences
    return found


def store_frames(rules: str, counted: dict[str, tuple[int, int, int]]) -> None:
    """Keep newly recorded numbers of one rule set beside those of the other."""
    both = {of: counted if of == rules else frames(of) for of in RULES}
    rows = [(case, of, *both[of][case]) for case in TRACKED for of in RULES if case in both[of]]
    with _FRAMES.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(("case", "rules", "transmissions", "receptions", "interferences"))
        writer.writerows(rows)


def store(case: str, rules: str, log: bytes) -> None:
    """Keep a newly recorded log, as one file if the other rule set's bytes are the same."""
    logs = {r: log_for(case, r).read_bytes() for r in RULES if log_for(case, r).exists()}
    logs[rules] = log
    for old in (FOLDER / case).glob("COOJA*.testlog"):
        old.unlink()
    if len(set(logs.values())) == 1:
        (FOLDER / case / "COOJA.testlog").write_bytes(log)
    else:
        for r, content in logs.items():
            (FOLDER / case / f"COOJA-{r}.testlog").write_bytes(content)


def first_difference(golden: bytes, other: bytes) -> str:
    """The first line in which two logs differ, from both."""
    theirs, ours = golden.split(b"\n"), other.split(b"\n")
    for number, (x, y) in enumerate(zip(theirs, ours), 1):
        if x != y:
            return f"line {number}\n  golden {x[:200]!r}\n  here   {y[:200]!r}"
    return f"{len(theirs)} lines and {len(ours)}, equal as far as the shorter goes"
