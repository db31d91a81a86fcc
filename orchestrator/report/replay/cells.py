# SPDX-License-Identifier: Apache-2.0
"""The replays that a report brings by itself: of each traced cell its first seed, as many as there is room
for.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

from orchestrator.errors import NoSuchThing, Unsupported
from orchestrator.report.budget import MOST
from orchestrator.report.replay import file_of
from orchestrator.runs.manifest import LOG_FILE, Manifest

MOST_CELLS = 12
MOST_LOG = 64_000_000  # bytes; a longer log takes more than seconds, and its replay has no room
_NAMED = 5  # cells that the page lists by name


def write(experiment: str, folder: Path, manifests: Iterable[Manifest]) -> list[Manifest]:
    """Write them into the report's folder and return the manifests of the cells for which there was no room.

    Together they are no larger than a page may be (budget.MOST bytes). One that is there already stays: its
    run's id stands for what it shows. Runs without a single record of a trace have none, nor those with
    damaged logs.
    """
    from orchestrate_spark.jobs.ingest import damaged_in

    from orchestrator.report.replay.columns import read
    from orchestrator.report.replay.render import html
    from orchestrator.report.whole import replace

    firsts: dict[str, Manifest] = {}
    damaged = set(damaged_in(folder.parent))
    for manifest in manifests:
        if manifest.run_id not in damaged and manifest.resolved.trace:
            firsts.setdefault(manifest.cell, manifest)
    left, made, without = MOST, 0, []
    for manifest in firsts.values():
        run = folder.parent / "runs" / manifest.run_id
        target = folder / file_of(manifest.run_id)
        if target.is_file():
            left, made = left - target.stat().st_size, made + 1
            continue
        try:
            if made == MOST_CELLS or left <= 0 or (run / LOG_FILE).stat().st_size > MOST_LOG:
                without.append(manifest)
                continue
            page = html(experiment, read(run)).encode()
        except (NoSuchThing, Unsupported, FileNotFoundError):
            continue
        if len(page) > left:
            without.append(manifest)
            continue
        replace(target, page)
        left, made = left - len(page), made + 1
    return without


def note(experiment: str, without: list[Manifest]) -> str:
    """HTML that says how to get the replays for which there was no room; nothing if there was room for
    all."""
    if not without:
        return ""
    named = ", ".join(
        f"{escape(one.cell)} (<code>orchestrate replay {escape(experiment)} {escape(one.run_id[:12])}</code>)"
        for one in without[:_NAMED]
    )
    more = f" and {len(without) - _NAMED} more" if len(without) > _NAMED else ""
    return f'\n<p class="replays">Traced as well, with replays made when asked for: {named}{more}.</p>'
