# SPDX-License-Identifier: Apache-2.0
"""The papers that `orchestrate paper` knows, which features bring (feature.Feature.papers)."""

from __future__ import annotations

from orchestrator import feature
from orchestrator.errors import NoSuchThing
from orchestrator.papers.result import Result
from orchestrator.words import did_you_mean


def papers() -> dict[str, feature.Paper]:
    """Return the papers by name."""
    return dict(sorted(feature.named("papers").items()))


def results(paper: str) -> tuple[Result, ...]:
    """Return a paper's results in the paper's order. Raises NoSuchThing, which suggests papers."""
    papers_ = papers()
    if paper not in papers_:
        raise NoSuchThing(f"no paper named {paper!r}; {did_you_mean(paper, papers_)}")
    return feature.resolve(papers_[paper].module).results()


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
