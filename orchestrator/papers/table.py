# SPDX-License-Identifier: Apache-2.0
"""The papers that `orchestrate paper` knows.

To add one, write a package beside this file with a function `results()`, and add a line here.
"""

from __future__ import annotations

from importlib import import_module

from orchestrator.errors import NoSuchThing
from orchestrator.papers.result import Result
from orchestrator.words import did_you_mean

# Name on the command line -> package, one line about the paper.
PAPERS = {
    "aggregation": (
        "orchestrator.papers.aggregation",
        "Schiefer, Steup and Kaiser 2013: aggregation in publish/subscribe systems, twelve chain experiments",
    ),
    "blackboard": (
        "orchestrator.papers.blackboard",
        "Stelte 2010: a real-time blackboard inside a mote, its bytes, its threads, its deadlines",
    ),
    "event-service": (
        "orchestrator.papers.event_service",
        "The event service thesis: CORBA's event service on boards of motes behind gateways",
    ),
    "jitdd": (
        "orchestrator.papers.jitdd",
        "Uvarov et al. 2004: just-in-time data distribution, deadlines that keep data valid",
    ),
    "policies": (
        "orchestrator.papers.policies",
        "Russello, Mostarda and Dulay 2011: policies for sense-and-react applications, their case study",
    ),
}


def results(paper: str) -> tuple[Result, ...]:
    """Return a paper's results in the paper's order. Raises NoSuchThing, which suggests papers."""
    if paper not in PAPERS:
        raise NoSuchThing(f"no paper named {paper!r}; {did_you_mean(paper, sorted(PAPERS))}")
    return import_module(PAPERS[paper][0]).results()


def chosen(paper: str, names: list[str] | None) -> list[Result]:
    """Return a paper's results with these names; without names, those that the paper's name alone includes.

    Raises NoSuchThing, which suggests names.
    """
    there = {result.name: result for result in results(paper)}
    unknown = [name for name in names or () if name not in there]
    if unknown:
        raise NoSuchThing(
            f"the paper {paper} has no result {', '.join(map(repr, unknown))}; "
            f"{did_you_mean(unknown[0], there)}"
        )
    return [result for result in there.values() if (result.name in names if names else result.asked)]
