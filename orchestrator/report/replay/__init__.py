# SPDX-License-Identifier: Apache-2.0
"""Replays: `write` makes report/replay-RUN.html of a traced run, `linked` puts links to them into a report's
page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from orchestrator.runs.store import Store

_PLACE = re.compile(r"<!-- replays -->.*?<!-- /replays -->", re.DOTALL)
_TITLE = re.compile(r"<title>([^<]*)</title>")


def write(
    store_folder: Path,
    experiment: str,
    run: str,
    radios: tuple[Iterable[tuple[int, int, str]], int] | None = None,
) -> Path:
    """The replay of a traced run (its id or the start of it), and its link in the report if that is there
    already.

    `radios`: what radios.with_radios takes, to show that, too.

    Raises NoSuchThing for no such run or one without a trace.
    """
    from orchestrator.report.replay.columns import read
    from orchestrator.report.replay.radios import with_radios
    from orchestrator.report.replay.render import html
    from orchestrator.report.whole import replace

    store = Store(store_folder)
    run_id = store.find(experiment, run)
    trace = read(store.folder(experiment, run_id))
    if radios is not None:
        trace = with_radios(trace, *radios)
    folder = store.experiment(experiment) / "report"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / file_of(run_id)
    replace(target, html(experiment, trace).encode())
    index = folder / "index.html"
    if index.is_file():
        replace(index, linked(index.read_text(encoding="utf-8"), folder).encode())
    return target


def file_of(run_id: str) -> str:
    """A replay's name in the report's folder."""
    return f"replay-{run_id}.html"


def linked(page: str, folder: Path, note: str = "") -> str:
    """A report's page with links to the replays that lie beside it, by name, and with `note`, HTML, after
    them. Those of earlier campaigns' runs stay where they are and are not linked."""
    from orchestrator.runs import campaign as campaigns

    runs = campaigns.runs(folder.parent)
    found = []
    for file in sorted(folder.glob("replay-*.html")):
        if runs is not None and file.stem.removeprefix("replay-") not in runs:
            continue
        with file.open(encoding="utf-8", errors="replace") as content:
            title = _TITLE.search(content.read(2000))
        if re.fullmatch(r"replay-[0-9A-Za-z._-]+\.html", file.name) and title:
            found.append(f'<a href="{file.name}">{title[1]}</a>')
    links = (
        f'\n<p class="replays">Replays of traced runs, beside this page: {", ".join(found)}</p>\n'
        if found
        else ""
    )
    return _PLACE.sub(lambda _: f"<!-- replays -->{links}<!-- /replays -->{note}", page, count=1)
