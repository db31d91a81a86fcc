# SPDX-License-Identifier: Apache-2.0
"""Renders a Page as one HTML file with inline CSS and data URIs for pictures: no script and no request."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.report import folds, notes, style
from orchestrator.report.model import Figure, Page
from orchestrator.report.theme import themed

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).resolve().parent / "templates"


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
