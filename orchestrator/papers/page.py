# SPDX-License-Identifier: Apache-2.0
"""Writes a paper's own page: the sections of the chosen results, which may come from several experiments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from orchestrator import __version__
from orchestrator.errors import AGAIN, writing
from orchestrator.papers import lead
from orchestrator.papers.result import Found, Result
from orchestrator.report.model import Section
from orchestrator.report.page import write_page
from orchestrator.report.provenance import section as provenance
from orchestrator.report.render import Page


def write(
    store: Path,
    paper: str,
    title: str,
    wanted: Sequence[Result],
    by_experiment: Found,
    only: Sequence[str] | None,
    stage: Callable[..., None] = lambda *_: None,
) -> Path | None:
    """Write the page and its figures; return its path, or None if the results have no sections.

    The page is STORE/paper-PAPER/index.html or, for some results `only`,
    STORE/paper-PAPER/RESULT+RESULT/index.html. Raises StorageFailed.
    """
    stage("arranging the page")
    visible = [result for result in wanted if result.sections]
    sections = [section for result in visible for section in result.sections(by_experiment)]
    if not sections:
        return None
    sections = [
        *lead.sections([check for result in visible for check in result.checks(by_experiment)]),
        *sections,
    ]
    for experiment, results in by_experiment.items():
        origin = provenance(results)
        sections.append(Section(f"provenance-{experiment}", f"Provenance of {experiment}", origin.blocks))
    folder = Path(store) / f"paper-{paper}"
    if only:
        folder /= "+".join(result.name for result in wanted)
    subtitle = "Results: " + ", ".join(result.name for result in wanted)
    page = Page(title, subtitle, (), tuple(sections), f"orchestrate {__version__}")
    with writing(folder, AGAIN):
        return write_page(folder, page, stage=stage)
