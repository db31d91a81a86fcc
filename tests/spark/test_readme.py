# SPDX-License-Identifier: Apache-2.0
"""The page says what the code does: its tables are made from the code's."""

from __future__ import annotations

import re
import runpy
import sys
import warnings
from pathlib import Path

from orchestrate_spark import document
from orchestrate_spark.log_format import COUNTERS, RECORDS

README = Path(__file__).parents[2] / "spark" / "README.md"


def test_the_page_is_in_step():
    text = README.read_text(encoding="utf-8")
    assert set(re.findall(r"<!-- begin (\w+) -->", text)) == set(document.PARTS)
    assert document.updated(text) == text, "run: python -m orchestrate_spark.document spark/README.md"


def test_the_pages_that_are_named_are_brought_into_step(tmp_path, monkeypatch):
    def page(part: str, text: str) -> str:
        return f"before\n<!-- begin {part} -->\n{text}<!-- end {part} -->\nafter\n"

    for part in ("damage", "frame"):
        (tmp_path / part).write_text(page(part, "old\n"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["document", "damage", "frame"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # it is imported here already
        runpy.run_module("orchestrate_spark.document", run_name="__main__")
    for part in ("damage", "frame"):
        assert (tmp_path / part).read_text(encoding="utf-8") == page(part, document.PARTS[part]())


def test_every_record_and_counter_is_on_it():
    text = README.read_text(encoding="utf-8")
    for name in (*(f"`!{kind}," for kind in RECORDS), *(f"`{name}`" for name in COUNTERS)):
        assert name in text
