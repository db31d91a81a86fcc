# SPDX-License-Identifier: Apache-2.0
"""Keeps a page small enough to be mailed and to open at once; figures beyond that are files beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from orchestrator.report.model import Figure, of_section
from orchestrator.report.render import Page, embedded_size, figures, html, with_distinct_names

MOST = 4_800_000  # bytes of a page; the limit is 5 MB


def fitted(page: Page, most: int = MOST, stage: Callable[..., None] = lambda *_: None) -> Page:
    """Return the page with distinct names of figures and, in `outside`, the figures that have no room in it.

    Figures are taken out one by one: the last of the section whose figures are largest. The text stays, even
    if it alone exceeds the limit. `stage` gets the progress of drawing.
    """
    page = with_distinct_names(page)
    sizes: dict[str, int] = {}
    all_figures = list(figures(page))
    for figure in all_figures:
        stage("drawing figures", len(sizes), len(all_figures))
        sizes[figure.name] = embedded_size(figure)
    if len(page.html.encode()) <= most:
        return page
    whole = sum(sizes.values())
    text = len(html(replace(page, outside=frozenset(sizes))).encode())
    inside: list[list[Figure]] = [of_section(section) for section in page.sections]
    outside: set[str] = set()
    while text + whole > most and any(inside):
        fullest = max(inside, key=lambda section: sum(sizes[figure.name] for figure in section))
        name = fullest.pop().name
        outside.add(name)
        whole -= sizes[name]
    return replace(page, outside=frozenset(outside))
