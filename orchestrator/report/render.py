# SPDX-License-Identifier: Apache-2.0
"""A Page as one self-contained HTML file: CSS inline, pictures as data URIs, no script, no request."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path

from orchestrator.report.model import Page

_TEMPLATES = Path(__file__).resolve().parent / "templates"


@cache
def _environment():
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined,
                              trim_blocks=True, lstrip_blocks=True)
    environment.filters["data_uri"] = data_uri
    environment.filters["kind"] = lambda block: type(block).__name__
    return environment


def data_uri(svg: bytes) -> str:
    """An SVG for an <img>: there its ids can't meet another picture's, and no script of it can run."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode()


def html(page: Page) -> str:
    css = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    return _environment().get_template("report.html").render(page=page, css=css)
