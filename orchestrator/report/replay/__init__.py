# SPDX-License-Identifier: Apache-2.0
"""Replays of traced runs: `write` makes report/replay-RUN.html, `linked` adds links to the report's page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from orchestrator.durable import rewrite
from orchestrator.runs import run_list as run_lists
from orchestrator.runs.store import Store

_PLACE = re.compile(r"<!-- replays -->.*?<!-- /replays -->", re.DOTALL)
_TITLE = re.compile(r"<title>([^<]*)</title>")


def write(
    store_folder: Path,
    experiment: str,
    run: str,
    radios: tuple[Iterable[tuple[int, int, str]], int] | None = None,
    repetition: Path | None = None,
    out: Path | None = None,
) -> Path:
    """Write the replay of a traced run and return its path; link it from the report if there is one.

    `run`: its id or the beginning of it. `radios`: the arguments of radios.with_radios, to show the radios.
    `repetition`: the folder of the run's traced repetition, whose trace is shown instead of its own.
    `out`: the folder of the page and of the report, by default STORE/EXPERIMENT/report.
    Raises NoSuchThing if there is no such run, Untraced if it has no trace.
    """
    from orchestrator.report.replay.columns import read
    from orchestrator.report.replay.radios import with_radios
    from orchestrator.report.replay.render import html

    store = Store(store_folder)
    run_id = store.find(experiment, run)
    trace = read(repetition or store.folder(experiment, run_id))
    if radios is not None:
        trace = with_radios(trace, *radios)
    home = store.experiment(experiment)
    folder = out or home / "report"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / file_of(run_id)
    rewrite(target, html(experiment, trace, run_id).encode())
    index = folder / "index.html"
    if index.is_file():
        rewrite(index, linked(index.read_text(encoding="utf-8"), home, folder).encode())
    return target


def file_of(run_id: str) -> str:
    """Return the name of a replay in the report's folder."""
    return f"replay-{run_id}.html"


def linked(page: str, home: Path, folder: Path, note: str = "") -> str:
    """Return a page for `folder` with links to the replays in it, and with `note` (HTML) after them.

    `home`: the experiment's folder in the store.
    Replays of earlier campaigns' runs are not linked.
    """
    runs = run_lists.runs(home)
    found = []
    for file in sorted(folder.glob("replay-*.html")):
        if runs is not None and file.stem.removeprefix("replay-") not in runs:
            continue
        with file.open(encoding="utf-8", errors="replace") as content:
            title = _TITLE.search(content.read(2000))
        if re.fullmatch(r"replay-[0-9A-Za-z._-]+\.html", file.name) and title:
            found.append(f'<a href="{file.name}">{title[1]}</a>')
    links = (
        f'\n<p class="replays">Replays of runs, beside this page: {", ".join(found)}</p>\n' if found else ""
    )
    return _PLACE.sub(lambda _: f"<!-- replays -->{links}<!-- /replays -->{note}", page, count=1)
