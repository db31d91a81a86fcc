# SPDX-License-Identifier: Apache-2.0
"""Replaces settings of a scenario before it is checked, so that they are checked as if the file had them."""

from __future__ import annotations

from orchestrator.scenario import settings
from orchestrator.vocabulary.document import Mapping, Node, Scalar, names
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

_OWN_KEYS = ("experiment", "seeds")  # a campaign's file has keys of its own for these


def overridden(root: Mapping, given: Mapping, faults: Faults) -> Mapping:
    """Return the scenario's root with what is `given`, by path (`radio.range`) or whole section (`matrix`).

    Faults are noted at the given lines.
    """
    matrix = given.get("matrix") or root.get("matrix")
    varied = set(names(matrix)) if matrix is not None else set()
    for key, value in given:
        section, _, name = key.text.partition(".")
        if section in _OWN_KEYS or section not in settings.sections():
            known = [one for one in settings.sections() if one not in _OWN_KEYS]
            what = (
                f"{short(key.text)} can't be set" if section in _OWN_KEYS else f"{short(key.text)} is unknown"
            )
            remedy = (
                f"say `{section}:` beside `set:`" if section in _OWN_KEYS else did_you_mean(section, known)
            )
            faults.add(key.line, what, remedy)
        elif key.text in varied or (key.text == "engine" and "engine.name" in varied):
            faults.add(
                key.line,
                f"the scenario's matrix sets {key.text} in its cells, which would hide this value",
                "set `matrix`, or name the `cells` that are to run",
            )
        elif not name:
            root = _with(root, key, value)
        else:
            inner = root.get(section)
            if section == "engine" and isinstance(inner, Scalar):
                inner = Mapping(((Scalar("name", inner.line), inner),), inner.line)
            if not isinstance(inner, Mapping):
                inner = Mapping((), key.line)
            root = _with(root, Scalar(section, key.line), _with(inner, Scalar(name, key.line), value))
    return root


def without(root: Mapping, name: str) -> Mapping:
    """Return the mapping without one of its keys."""
    return Mapping(tuple(pair for pair in root.pairs if pair[0].text != name), root.line)


def _with(root: Mapping, key: Scalar, value: Node) -> Mapping:
    """Return the mapping with another value for a key, in the key's place if it is there."""
    pairs = [(old, value if old.text == key.text else was) for old, was in root]
    if all(old.text != key.text for old, _ in root):
        pairs.append((key, value))
    return Mapping(tuple(pairs), root.line)
