# SPDX-License-Identifier: Apache-2.0
"""A page of a size that can be mailed and opens at once: figures for which there is no room in it stay beside
it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from orchestrator.report.model import Figure, Page, figures, of_section, with_distinct_names
from orchestrator.report.render import embedded_size, html

MOST = 4_800_000  # bytes of a page; the limit is 5 MB


def fitted(page: Page, most: int = MOST, stage: Callable[..., None] = lambda *_: None) -> Page:
    """The page with the names of the figures in `outside` that have no room in it: of the fullest section,
    the last.

    Names are made distinct. `stage` hears how many figures of how many are drawn. The page's text stays as it
    is, even if that alone is more.
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
