# SPDX-License-Identifier: Apache-2.0
"""The parts of the repository, and which changes of one are tried: drawn by a seed, spread over its files and
kinds of change.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from tools.mutants import c_changes, python_changes
from tools.mutants.change import Change

_LISTED = Path(__file__).with_name("areas.yaml")
_LANGUAGES = {".py": python_changes.changes, ".c": c_changes.changes}


@dataclass(frozen=True)
class Area:
    name: str
    sources: tuple[str, ...]  # globs from the repository's root
    tests: tuple[str, ...]
    without: tuple[str, ...] = ()  # globs: sources that are another area's

    def files(self, root: Path) -> list[str]:
        """Its sources that are there, by name."""
        return sorted(
            {
                path.relative_to(root).as_posix()
                for glob in self.sources
                for path in root.glob(glob)
                if path.suffix in _LANGUAGES
                and not any(path.relative_to(root).match(other) for other in self.without)
            }
        )

    def test_files(self, root: Path, first: str) -> list[str]:
        """Its test files, each once: those first that are named as the changed file is, as they notice
        soonest, then as they are listed.
        """
        files = dict.fromkeys(
            path.relative_to(root).as_posix()
            for test in self.tests
            for path in (
                sorted((root / test).rglob("test_*.py")) if (root / test).is_dir() else [root / test]
            )
        )
        stem = Path(first).stem.replace("-", "_")
        return sorted(files, key=lambda name: stem not in name)


def areas() -> dict[str, Area]:
    listed = yaml.safe_load(_LISTED.read_text(encoding="utf-8"))
    return {
        name: Area(name, *(tuple(area.get(key, ())) for key in ("sources", "tests", "without")))
        for name, area in listed.items()
    }


def drawn(files: list[str], root: Path, seed: int) -> Iterator[Change]:
    """All changes of these files, each once, always in the same order of one seed: a file with four times the
    places has two turns for one.
    """
    chance = random.Random(seed)
    turns = []
    for file in files:
        text = (root / file).read_text(encoding="utf-8")
        kinds = {kind: places for kind, places in _LANGUAGES[Path(file).suffix](file, text).items() if places}
        if kinds:
            every = 1 / math.sqrt(sum(map(len, kinds.values())))
            turns.append((chance.random() * every, file, every, kinds))
    heapq.heapify(turns)
    seen = set()
    while turns:
        now, file, every, kinds = heapq.heappop(turns)
        change = _one(kinds, chance)
        if kinds:
            heapq.heappush(turns, (now + every, file, every, kinds))
        if change is not None and (file, change.text) not in seen:
            seen.add((file, change.text))
            yield change


def _one(kinds: dict[str, list], chance: random.Random) -> Change | None:
    """Takes one from a kind of its own: what a file has most of isn't all that is tried."""
    kind = chance.choice(sorted(kinds))
    place = kinds[kind].pop(chance.randrange(len(kinds[kind])))
    if not kinds[kind]:
        del kinds[kind]
    return place()
