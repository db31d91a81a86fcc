# SPDX-License-Identifier: Apache-2.0
"""The papers that `orchestrate paper` knows. A new one is a package beside this file, with a function
`results()`, and one line here.
"""

from __future__ import annotations

from importlib import import_module

from orchestrator.errors import NoSuchThing
from orchestrator.papers.result import Result
from orchestrator.words import did_you_mean

# the command's name of a paper -> its package, and one line about it
PAPERS = {
    "aggregation": (
        "orchestrator.papers.aggregation",
        "Schiefer, Steup and Kaiser 2013: aggregation in publish/subscribe systems, twelve chain experiments",
    ),
    "blackboard": (
        "orchestrator.papers.blackboard",
        "Stelte 2010: a real-time blackboard inside a mote, its bytes, its threads, its deadlines",
    ),
}


def results(paper: str) -> tuple[Result, ...]:
    """A paper's results, in its order. Raises NoSuchThing with the list of papers."""
    if paper not in PAPERS:
        raise NoSuchThing(f"no paper named {paper!r}; {did_you_mean(paper, sorted(PAPERS))}")
    return import_module(PAPERS[paper][0]).results()


def chosen(paper: str, names: list[str] | None) -> list[Result]:
    """Those of a paper with these names, or all that its name alone asks for. Raises NoSuchThing with the
    list of names.
    """
    there = {result.name: result for result in results(paper)}
    unknown = [name for name in names or () if name not in there]
    if unknown:
        raise NoSuchThing(
            f"the paper {paper} has no result {', '.join(map(repr, unknown))}; "
            f"{did_you_mean(unknown[0], there)}"
        )
    return [result for result in there.values() if (result.name in names if names else result.asked)]
