# SPDX-License-Identifier: Apache-2.0
"""The lists of a campaign file: seeds, quarantine, retention."""

from __future__ import annotations

from collections.abc import Mapping as Cells
from datetime import date
from typing import Any

from orchestrator.features.campaigns.model import Quarantined
from orchestrator.features.campaigns.written import USUAL, Judging, Retention, Seeds
from orchestrator.scenario import seeds as seed_lists
from orchestrator.vocabulary.document import Mapping, Node, Scalar, Sequence, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter, check
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

SEED_KEYS = ("fixed", "fresh")
QUARANTINE_KEYS = ("experiment", "cell", "seed", "until", "reason")
EFFECT = Parameter("effect", "ratio", USUAL.effect, 0, 1)
FALSE_ALARMS = Parameter("false-alarms", "ratio", USUAL.false_alarms, 0.0001, 0.1)
FRESH = Parameter("fresh", "int", None, 0, 10_000)
SEED = Parameter("seed", "int", None, 0, 2**31 - 1)
ROUNDS = Parameter("rounds", "int", None, 1, 100_000)
QUOTA = Parameter("quota", "size", None, 1_000_000, 10**15)
_MOST_REASON = 500


def seeds(node: Node, faults: Faults) -> Seeds:
    """`seeds: 1..5`, or `{fixed: 1..3, fresh: 2}`."""
    if not isinstance(node, Mapping):
        return Seeds(seed_lists.read(node, faults))
    before = len(faults)
    _check_keys(node, SEED_KEYS, "seeds", faults)
    fixed, fresh = node.get("fixed"), node.get("fresh")
    seed_choice = Seeds(
        () if fixed is None else seed_lists.read(fixed, faults),
        0 if fresh is None else check(FRESH, fresh, "seeds.fresh", faults) or 0,
    )
    if not len(seed_choice) and len(faults) == before:
        faults.add(node.line, "no seeds", "write `seeds: 1..5`, or `seeds: {fixed: 1..3, fresh: 2}`")
    return seed_choice


def quarantine(
    node: Node | None, cells: Cells[str, list[str]], faults: Faults
) -> list[tuple[int, Quarantined]]:
    """Its entries, each with its line. `cells`: those of each experiment."""
    if node is None:
        return []
    if not isinstance(node, Sequence):
        wrong_kind(node, "quarantine", "write a list of entries, each with `- `", faults)
        return []
    entries = []
    for item in node.items:
        if isinstance(item, Mapping):
            entries.append((int(item.line), _quarantined(item, cells, faults)))
        else:
            wrong_kind(item, "an entry", "write `- {experiment: ..., until: ..., reason: ...}`", faults)
    return entries


def _quarantined(item: Mapping, cells: Cells[str, list[str]], faults: Faults) -> Quarantined:
    _check_keys(item, QUARANTINE_KEYS, "quarantine", faults)
    experiment, cell, until, reason = (
        _text(item, key, faults) for key in ("experiment", "cell", "until", "reason")
    )
    for key, example in (
        ("experiment", "experiment: NAME"),
        ("until", "until: 2026-12-31"),
        ("reason", "reason: what is known, and who looks into it"),
    ):
        if item.get(key) is None:
            faults.add(item.line, f"an entry of the quarantine without {key}", f"add `{example}`")
    if experiment and cells and experiment not in cells:
        faults.add(
            item.get("experiment").line,
            f"quarantine: no part is the experiment {short(experiment)}",
            did_you_mean(experiment, cells),
        )
    elif cell and experiment in cells and cell not in cells[experiment]:
        faults.add(
            item.get("cell").line,
            f"quarantine: {experiment} has no cell {short(cell)}",
            did_you_mean(cell, cells[experiment]),
        )
    if until and not _is_date(until):
        faults.add(
            item.get("until").line,
            f"until: {short(until)} is not a date",
            "write year, month and day: 2026-12-31",
        )
    seed = None if item.get("seed") is None else check(SEED, item.get("seed"), "quarantine.seed", faults)
    return Quarantined(experiment or "", cell, seed, until or "", reason or "")


def retention(node: Node | None, faults: Faults) -> Retention:
    """`retention: {rounds: 30, quota: 50 GB}`."""
    return Retention(**_values(node, "retention", (ROUNDS, QUOTA), "{rounds: 30, quota: 50 GB}", faults))


def judging(node: Node | None, faults: Faults) -> Judging:
    """`verdict: {effect: 1 %, false-alarms: 5 %}`."""
    example = "{effect: 1 %, false-alarms: 5 %}"
    return Judging(**_values(node, "verdict", (EFFECT, FALSE_ALARMS), example, faults))


def _values(
    node: Node | None, section: str, declared: tuple[Parameter, ...], example: str, faults: Faults
) -> dict[str, Any]:
    """Return a section's values by the Python names of its keys."""
    if node is None:
        return {}
    if not isinstance(node, Mapping):
        wrong_kind(node, section, f"write `{section}: {example}`", faults)
        return {}
    _check_keys(node, tuple(key.name for key in declared), section, faults)
    return {
        key.name.replace("-", "_"): check(key, node.get(key.name), f"{section}.{key.name}", faults)
        for key in declared
        if node.get(key.name) is not None
    }


def _check_keys(node: Mapping, keys: tuple[str, ...], where: str, faults: Faults) -> None:
    for key, _ in node:
        if key.text not in keys:
            faults.add(key.line, f"{where} has no {short(key.text)}", did_you_mean(key.text, keys))


def _text(item: Mapping, key: str, faults: Faults) -> str | None:
    """Return a key's value; None if it is missing or faulty (the fault is noted)."""
    node = item.get(key)
    if node is None:
        return None
    if not isinstance(node, Scalar) or not node.text or len(node.text) > _MOST_REASON:
        faults.add(node.line, f"quarantine: {key} is not one line of text", f"write it after `{key}:`")
        return None
    return node.text


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
