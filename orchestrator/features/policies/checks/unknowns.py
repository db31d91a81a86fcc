# SPDX-License-Identifier: Apache-2.0
"""The unknowns of conditions, and the result of a question about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from orchestrator.features.policies import meaning
from orchestrator.features.policies.meaning import Term


class Example(NamedTuple):
    """The result of a question.

    `values`: of unknowns by name; None if none were found. `never`: whether it is proved that there are none.
    """

    values: dict[str, int] | None
    never: bool
    tried: int = 0


def unknown(term: Term) -> bool:
    """Return whether a term is an unknown to the solver."""
    if isinstance(term, meaning.Read | meaning.Known | meaning.ThisNode | meaning.Element | meaning.FieldOf):
        return True
    return isinstance(term, meaning.Invoke) and not (term.function.name == "abs")


def unknowns(conditions: Sequence[Term]) -> dict[Term, str]:
    """Return the unknowns of conditions, and how to call them."""
    unknowns_: dict[Term, str] = {}

    def visit(term: Term) -> None:
        if unknown(term):
            unknowns_.setdefault(term, named(term))
            return
        for part in meaning.parts(term):
            visit(part)

    for condition in conditions:
        visit(condition)
    return unknowns_


def named(term: Term) -> str:
    """Return a term as messages call it."""
    match term:
        case meaning.Read():
            return term.slot.name
        case meaning.Known():
            return term.constant.name
        case meaning.ThisNode():
            return "this.node_id"
        case meaning.Element():
            return f"{named(term.of)}[{named(term.index)}]"
        case meaning.FieldOf():
            return f"{named(term.of)}.{term.name}"
        case meaning.Fixed():
            return str(term.value)
        case meaning.Convert():
            return named(term.of)
        case meaning.Invoke():
            return f"{term.function.name}({', '.join(map(named, term.arguments))})"
    return "..."
