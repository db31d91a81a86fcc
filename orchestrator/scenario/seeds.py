# SPDX-License-Identifier: Apache-2.0
"""Reads seeds: one number, a range `1..30` (both ends included), or a list of both."""

from __future__ import annotations

import re

from orchestrator.scenario.settings import MOST_RUNS, MOST_SEED
from orchestrator.vocabulary.document import Mapping, Node, Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.units import short

RANGE = re.compile(r"([0-9]{1,10})(?:\s*\.\.\s*([0-9]{1,10}))?", re.ASCII)


def read(node: Node, faults: Faults) -> tuple[int, ...]:
    """Return the seeds in the order written; () only after noting a fault."""
    if isinstance(node, Mapping):
        faults.add(node.line, "seeds is a mapping", "write `seeds: 1..30`, a list, or one number")
        return ()
    items = [node] if isinstance(node, Scalar) else node.items
    seeds: dict[int, None] = {}
    for item in items:
        matched = RANGE.fullmatch(item.text) if isinstance(item, Scalar) else None
        if matched is None:
            text = short(item.text) if isinstance(item, Scalar) else "this"
            faults.add(item.line, f"seeds: {text} is not a seed", "write a number, or a range such as 1..30")
            continue
        first = int(matched[1])
        last = int(matched[2] or first)
        if last < first:
            faults.add(item.line, f"seeds: {item.text} runs backwards", f"write {last}..{first}")
        elif last > MOST_SEED:
            faults.add(
                item.line, f"seeds: {last} is out of range", f"the range is 0 to {MOST_SEED} (Cooja's int)"
            )
        elif last - first >= MOST_RUNS:
            faults.add(
                item.line, f"seeds: {item.text} are {last - first + 1} seeds", f"at most {MOST_RUNS} runs"
            )
        else:
            new = range(first, last + 1)
            twice = [seed for seed in new if seed in seeds]
            if twice:
                faults.add(item.line, f"seed {twice[0]} appears twice", "name each seed once")
            seeds.update(dict.fromkeys(new))
    if not items:
        faults.add(node.line, "no seeds", "write `seeds: 1..30`")
    return tuple(seeds)
