# SPDX-License-Identifier: Apache-2.0
"""Finds values for which conditions hold together.

If the SMT solver Z3 is installed, it finds them in exact bit vectors; otherwise at most MOST_TRIED
combinations of values are tried that the constants suggest. Parts that neither computes (floats, elements of
vectors, calls) are unknowns: the same text is the same unknown, so that a warning can be about values that
never meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product

from orchestrator.features.policies import arithmetic, meaning
from orchestrator.features.policies.checks.unknowns import Example, unknowns
from orchestrator.features.policies.interpreter import Node, Running
from orchestrator.features.policies.meaning import Fixed, Term
from orchestrator.features.policies.types import BOOL, Scalar

FIRST_TRIED, MOST_TRIED = 100, 5_000


def example(conditions: Sequence[Term]) -> Example:
    """Return values with which all of the conditions hold."""
    if any(isinstance(condition, Fixed) and not condition.value for condition in conditions):
        return Example(None, never=True)
    open_ = [condition for condition in conditions if not isinstance(condition, Fixed)]
    if any(
        isinstance(condition, meaning.Not) and isinstance(condition.of, Fixed) and condition.of.value
        for condition in open_
    ):
        return Example(None, never=True)
    if not open_:
        return Example({}, never=False)
    sample = tried(
        open_, FIRST_TRIED
    )  # most questions have an example near a constant, so that no solver is needed
    if sample.values is not None or sample.never:
        return sample
    try:
        from orchestrator.features.policies.checks import smt
    except ImportError:
        return tried(open_, MOST_TRIED)
    return smt.example(open_)


class _Trying(Running):
    """Computes conditions with values that are tried."""

    def __init__(self) -> None:
        self.node, self.values = Node(), {}

    def value(self, term: Term) -> object:
        return self.values[term] if term in self.values else super().value(term)


def tried(conditions: Sequence[Term], most: int = MOST_TRIED) -> Example:
    """Try at most `most` combinations of values that the constants suggest."""
    names = unknowns(conditions)
    near = {
        value + by
        for condition in conditions
        for term in meaning.terms(condition)
        if isinstance(term, Fixed) and not isinstance(term.value, float)
        for value in (int(term.value), -int(term.value))
        for by in (-1, 0, 1)
    } | {0, 1, -1}
    choices = [_choices(term.type, near) for term in names]
    running, count = _Trying(), 0
    for values in islice(product(*choices), most):
        count += 1
        running.values = dict(zip(names, values, strict=True))
        if all(running.value(condition) for condition in conditions):
            example_values = {names[term]: value for term, value in running.values.items()}
            return Example(example_values, never=False, tried=count)
    if all(term.type is BOOL for term in names) and count < most:
        return Example(None, never=True, tried=count)
    return Example(None, never=False, tried=count)


def _choices(kind: object, near: set[int]) -> list:
    if kind is BOOL:
        return [0, 1]
    if isinstance(kind, Scalar) and kind.is_integer:
        inside = {value for value in near if kind.least <= value <= kind.most}
        return sorted(inside | {kind.least, kind.most}, key=lambda value: (abs(value), value))
    if isinstance(kind, Scalar) and kind.name == "float":
        return [float(value) for value in sorted(near, key=lambda value: (abs(value), value))]
    return [bytes(arithmetic.SEALED_SIZE)]
