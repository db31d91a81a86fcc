# SPDX-License-Identifier: Apache-2.0
"""What a reader opens: the size of the report of 1,000 runs, and how soon a browser shows the replay of a
large one.

The campaign is of 100 cells with ten seeds, which has far more figures than one of few cells with many seeds.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from orchestrator.execution import pipeline
from orchestrator.report import replay
from orchestrator.scenario.load import loads
from tools.bench.row import Row

REPORT = Path(__file__).resolve().parents[2] / "tests" / "report"
WIDE = """
experiment: wide
topology: {shape: chain, publishers: 5, spacing: 5 m}
radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 95 %}
application: {name: aggregation, rate: high, aggregate: true}
duration: 1 min
seeds: 1..10
matrix:
  topology.publishers: [2, 3, 4, 5, 6, 7, 8, 9, 10, 12]
  radio.rx: [80 %, 85 %, 90 %, 95 %, 100 %]
  application.aggregate:
    - {label: "N", value: false}
    - {label: A, value: true}
"""


def rows(folder: Path, seeds: str) -> Iterator[Row]:
    scenario = loads(WIDE, "wide.yaml")
    result = pipeline.run(scenario, folder)
    runs = len(scenario.cells) * len(scenario.seeds)
    yield Row(
        f"report of {runs} runs, {len(scenario.cells)} cells", result.report.stat().st_size / 1e6, "MB", 5.0
    )
    yield Row("  made in", result.seconds["report"], "s")
    yield opening(folder / "replay")


def opening(folder: Path) -> Row:
    """The best of three, each with a new profile."""
    sys.path.insert(0, str(REPORT))
    import traced_run
    from devtools import Browser
    from test_browser import CHROMIUM

    if not CHROMIUM:
        return Row("replay of 900 motes, 15 min: no Chromium, not measured", math.nan, "s")
    store, run = traced_run.store(folder, side=30, rounds=29)
    page = replay.write(store, "traced", run)
    seconds = []
    for attempt in range(3):
        with Browser(folder / f"profile-{attempt}") as browser:
            started = time.monotonic()
            browser.page("Page.navigate", url=page.absolute().as_uri())
            shown = browser.until("document.documentElement?.dataset.ready")
            seconds.append(time.monotonic() - started if shown != "failed" else math.inf)
    return Row("replay of 900 motes, 15 min, opens in Chromium", min(seconds), "s", 3.0)
