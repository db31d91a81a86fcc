# SPDX-License-Identifier: Apache-2.0
"""The section "Policies", for experiments whose motes have policies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import add

from orchestrate_spark.log_format import COUNTERS

from orchestrator.report.data import Results
from orchestrator.report.generic import seeds_phrase
from orchestrator.report.model import Block, Entry, Section, Table, paragraph
from orchestrator.report.statistics import with_interval
from orchestrator.statistics.estimates import estimate
from orchestrator.words import counted

_SAID = ("policy_accepted", "policy_discarded", "policy_no_rule")
_COLUMNS = ("Asked", "Accepted", "Discarded", "No rule")
MOST_ROWS = 48
_OUTCOMES = (
    "Asked: an event came for which the policy has rules. No rule: none of them was for the policy's state "
    "with a condition that held; the operation then goes on."
)


def section(results: Results) -> Section | None:
    """Return the section; None if no mote has policies."""
    cells = results.cells_with("policy_accepted")
    if not cells:
        return None
    blocks: list[Block] = [paragraph(_OUTCOMES), _by_policy(results, cells), *_by_mote(results, cells)]
    if counters := _counted(results, cells):
        blocks.append(counters)
    return Section("policies", "Policies", tuple(blocks), "Policies")


def _pairs(results: Results, cell: str) -> list[tuple[str, str]]:
    """Return the node and the policy of each key."""
    keys = results.keys("policy_accepted", cell)
    return [(node, policy) for node, _, policy in (key.rpartition("/") for key in keys)]


def _numbers(results: Results, cell: str, keys: list[str]) -> tuple[Entry, ...]:
    """Return what policies were asked and said, of these keys together."""
    counts = [reduce(add, (results.counts(cell, metric, key).to_numpy() for key in keys)) for metric in _SAID]
    return tuple(_entry(values.tolist()) for values in (sum(counts), *counts))


def _entry(values: list[float]) -> Entry:
    return Entry(*with_interval(estimate(values, (0.0, float("inf"))), 0), number=True)


def _by_policy(results: Results, cells: list[str]) -> Table:
    rows = []
    for cell in cells:
        pairs = _pairs(results, cell)
        for policy in dict.fromkeys(policy for _, policy in pairs):
            keys = [f"{node}/{policy}" for node, other in pairs if other == policy]
            has = reduce(add, (results.counts(cell, "policy_loaded", key).to_numpy() for key in keys))
            rows.append((Entry(cell), Entry(policy), _entry(has.tolist()), *_numbers(results, cell, keys)))
    return Table(
        "What policies said",
        ("Cell", "Policy", "Motes", *_COLUMNS),
        tuple(rows),
        cards=False,
        note=f"All motes together, means over {seeds_phrase(results, cells)}. Motes: those that had the "
        "policy loaded at the run's end.",
    )


def _by_mote(results: Results, cells: list[str]) -> Iterator[Table]:
    places = [(cell, node, policy) for cell in cells for node, policy in _pairs(results, cell)]
    listed = places[:MOST_ROWS]
    rest = len(places) - len(listed)
    yield Table(
        "What policies said, by mote",
        ("Cell", "Mote", "Policy", *_COLUMNS),
        tuple(
            (Entry(cell), Entry(node), Entry(policy), *_numbers(results, cell, [f"{node}/{policy}"]))
            for cell, node, policy in listed
        ),
        cards=False,
        note=f"Means over {seeds_phrase(results, cells)}."
        + (f" The table metrics/summary has {counted(rest, 'more row')}." if rest else ""),
    )


def _counted(results: Results, cells: list[str]) -> Table | None:
    names = [name for name in results.keys("policy_counters") if name != "total"]
    held = [name for name in names if any(_total(results, cell, name) for cell in cells)]
    if not held:
        return None

    return Table(
        "What the policy manager and its extensions counted",
        ("Counter", *cells, "What it counts"),
        tuple(
            (
                Entry(name),
                *(_entry(results.values(cell, "policy_counters", name).tolist()) for cell in cells),
                Entry(COUNTERS[name]),
            )
            for name in held
        ),
        cards=False,
        note=f"All motes together, means over {seeds_phrase(results, cells)}. Counters that are 0 in all "
        "cells are left out.",
    )


def _total(results: Results, cell: str, name: str) -> float:
    return float(results.values(cell, "policy_counters", name).sum())
