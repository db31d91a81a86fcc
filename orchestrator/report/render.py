# SPDX-License-Identifier: Apache-2.0
"""A page of a report as one HTML file with inline CSS and data URIs for pictures: no script, no request."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.report import folds, notes, style
from orchestrator.report.model import Beside, Block, Figure, Gallery, Section, of_section
from orchestrator.report.theme import themed

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).resolve().parent / "templates"


@dataclass(frozen=True)
class Page:
    """A whole report.

    `facts`: pairs of label and value under the title. `linked`: formats of the figures' files beside the
    page. `outside`: names of figures that are only files beside it.
    """

    title: str
    subtitle: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    footer: str = ""
    linked: tuple[str, ...] = ()
    outside: frozenset[str] = frozenset()

    @cached_property
    def html(self) -> str:
        """The page itself. It is kept, because its length decides whether it fits."""
        return html(self)


def figures(page: Page) -> list[Figure]:
    """Return the figures of a page, in reading order."""
    return [figure for section in page.sections for figure in of_section(section)]


def with_distinct_names(page: Page) -> Page:
    """Give figures of one name (those of cells a+b and a-b, say) numbers, because their files must differ."""
    seen: dict[str, int] = {}

    def renamed(figure: Figure) -> Figure:
        seen[figure.name] = seen.get(figure.name, 0) + 1
        if seen[figure.name] == 1:
            return figure
        return renamed(replace(figure, name=f"{figure.name}-{seen[figure.name]}"))

    def block(one: Block) -> Block:
        if isinstance(one, Figure):
            return renamed(one)
        if isinstance(one, Beside):
            return replace(one, figure=renamed(one.figure))
        return replace(one, figures=tuple(map(renamed, one.figures))) if isinstance(one, Gallery) else one

    return replace(
        page,
        sections=tuple(
            replace(section, blocks=tuple(map(block, section.blocks))) for section in page.sections
        ),
    )


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["data_uri"] = data_uri
    environment.filters["csv_uri"] = csv_uri
    environment.filters["kind"] = lambda block: type(block).__name__
    environment.filters |= {
        "noted": notes.noted,
        "note_anchors": notes.anchors,
        "folded": folds.section,
        "fold_title": folds.block,
        "contents": folds.contents,
        "wide": lambda figure: figure.wide or figure.drawing.width > style.WIDTH,
    }
    return environment


def data_uri(svg: bytes) -> str:
    """Return an SVG as the source of an <img>, light or dark as the reader prefers.

    In an <img> its ids can't clash with another picture's, and no script in it can run.
    """
    return _data("image/svg+xml", themed(svg))


def csv_uri(csv: bytes) -> str:
    """Return a figure's numbers as a link that downloads them without another file."""
    return _data("text/csv", csv)


def _data(kind: str, content: bytes) -> str:
    return f"data:{kind};base64," + base64.b64encode(content).decode()


def embedded_size(figure: Figure) -> int:
    """Return how many bytes a figure's picture and numbers take in the page."""
    return len(data_uri(figure.svg)) + len(csv_uri(figure.drawing.file("csv")))


def html(page: Page) -> str:
    """Render a page."""
    css = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    return _environment().get_template("report.html").render(page=page, css=css)
