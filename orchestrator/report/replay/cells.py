# SPDX-License-Identifier: Apache-2.0
"""Writes the replays that come with a report: of each traced cell's first seed, within a limit of size."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

from orchestrator.durable import rewrite
from orchestrator.errors import NoSuchThing, Unsupported
from orchestrator.report.budget import MOST
from orchestrator.report.replay import file_of
from orchestrator.runs.manifest import LOG_FILE, Manifest

MOST_CELLS = 12
MOST_LOG = 64_000_000  # bytes; to read a longer log takes too long, and its replay would exceed the limit
_NAMED = 5  # cells that the page lists by name


def write(home: Path, folder: Path, manifests: Iterable[Manifest]) -> list[Manifest]:
    """Write the replays of the experiment in `home`; return the manifests of those without room in `folder`.

    Together they are no larger than a page may be (budget.MOST bytes). A replay that is there already is
    kept, because a run's id stands for its content. Runs without trace records or with damaged logs have no
    replay.
    """
    from orchestrate_spark.jobs.ingest import damaged_in

    from orchestrator.report.replay.columns import read
    from orchestrator.report.replay.render import html

    firsts: dict[str, Manifest] = {}
    damaged = set(damaged_in(home))
    for manifest in manifests:
        if manifest.run_id not in damaged and manifest.resolved.trace:
            firsts.setdefault(manifest.cell, manifest)
    left, count, without = MOST, 0, []
    for manifest in firsts.values():
        run = home / "runs" / manifest.run_id
        target = folder / file_of(manifest.run_id)
        if target.is_file():
            left, count = left - target.stat().st_size, count + 1
            continue
        try:
            if count == MOST_CELLS or left <= 0 or (run / LOG_FILE).stat().st_size > MOST_LOG:
                without.append(manifest)
                continue
            page = html(home.name, read(run), manifest.run_id).encode()
        except (NoSuchThing, Unsupported, FileNotFoundError):
            continue
        if len(page) > left:
            without.append(manifest)
            continue
        rewrite(target, page)
        left, count = left - len(page), count + 1
    return without


def note(experiment: str, without: list[Manifest]) -> str:
    """Return HTML that says how to get the replays for which there was no room; "" if there are none."""
    if not without:
        return ""
    named = ", ".join(
        f"{escape(run.cell)} (<code>orchestrate replay {escape(experiment)} {escape(run.run_id[:12])}</code>)"
        for run in without[:_NAMED]
    )
    more = f" and {len(without) - _NAMED} more" if len(without) > _NAMED else ""
    return f'\n<p class="replays">Further traced runs, whose replays are made on request: {named}{more}.</p>'
