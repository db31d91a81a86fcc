# SPDX-License-Identifier: Apache-2.0
"""A replay's page and columns as they were when somebody last looked at them, and what has no replay."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import traced_run

from orchestrator.errors import NoSuchThing
from orchestrator.report import replay
from orchestrator.report.replay import render
from orchestrator.report.replay.columns import Trace, read
from orchestrator.report.replay.radios import STATES, with_radios
from tests import manifests, recorded, threaded_log

RECORDED = Path(__file__).with_name("recorded_replays")


def written(trace: Trace) -> str:
    """The facts, and a line for each record."""
    rows = {
        name: column for name, column in trace.columns.items() if not name.startswith(("list_", "radio_"))
    }
    lines = [" ".join(rows), *(" ".join(map(str, row)) for row in zip(*rows.values(), strict=True))]
    rest = [f"{name} {column.tolist()}" for name, column in trace.columns.items() if name not in rows]
    types = [f"{name} {column.dtype}" for name, column in trace.columns.items()]
    return "\n".join([json.dumps(trace.facts, indent=1), *lines, *rest, *types, ""])


def stored(folder: Path, lines: list[tuple[int, int, str]], **changes) -> Path:
    """A run whose log is these lines; the changes are of its manifest."""
    run = folder / ("0" * 20)
    run.mkdir(parents=True)
    log = "".join(f"{at}\tID:{mote}\t{text}\n" for at, mote, text in lines) + "TEST OK\n"
    (run / "COOJA.testlog").write_text(log)
    if changes:
        (run / "manifest.json").write_text(json.dumps(manifests.content(**changes)))
    return run


MOTES = [
    {"mote": 7, "name": "S", "role": "subscriber", "x": 1.5, "y": -2.0, "parent": 0},
    {"mote": 2, "name": "P1", "role": "publisher", "x": 3.0, "y": 4.0, "parent": 7},
]
EVENTS = [
    (900, 7, "!run,start,1"),
    (1_000, 2, "!pub,reading,1,1,-20"),
    (1_000, 2, "!snd,reading,7,5,1.1"),
    (1_400, 7, "!rcv,reading,2,5,1.1"),
    (1_400, 7, "!dlv,reading,2,1.1"),
    (2_000, 9, "!pub,door,8,70000,1"),
    (2_100, 9, "!snd,door,2,5,8.70000"),
    (2_200, 2, "!drp,off-topology,9,5"),
    (2_300, 7, "!drp,off-topology,9,5"),
    (2_400, 9, "!drp,channel-access,9,6"),
    (3_000, 2, "!mrg,reading,1.1,1.2+8.3"),
    (3_000, 2, "!fwd,reading,full,1.1+1.2+8.3"),
    (3_100, 2, "!snd,reading,7,5,1.1+1.2+8.3"),
    (10_003_100, 7, "!rcv,reading,2,5,1.1+1.2+8.3"),
    (20_003_200, 7, "!rcv,reading,2,5,1.1"),
    (20_003_300, 7, "!run,stop,1"),
]


def test_the_columns_of_a_trace(tmp_path):
    """A mote without a position stands on a circle; one record is older than frames' numbers last."""
    trace = read(stored(tmp_path, EVENTS, motes=MOTES, cell="H5", seed=3))
    recorded.same(written(trace), RECORDED / "columns.txt")


def test_a_run_with_threads_alone_says_what_draws_it(tmp_path):
    (tmp_path / "COOJA.testlog").write_bytes(threaded_log.log({1: threaded_log.mote()}))
    with pytest.raises(NoSuchThing, match="(?s)has threads, and no events between motes.*--diagram FILE.svg"):
        read(tmp_path)
    with pytest.raises(NoSuchThing):
        read(tmp_path / "nowhere")


def test_the_states_of_radios():
    long = 2**32 - 1
    changes = [
        (0, 3, "listening"),
        (5, 9, "off"),
        (5, 4, "unknown"),
        (long, 4, "transmitting"),
        (2 * long + 7, 3, "off"),
        (2 * long + 7, 4, "receiving"),
    ]
    made = with_radios(Trace({"motes": [[4, "a"], [3, "b"]], "x": 1}, {"a": np.zeros(1)}), changes, 99)
    assert made.facts == {"motes": [[4, "a"], [3, "b"]], "x": 1, "radio_us": 99}
    places = {name: column.tolist() for name, column in made.columns.items()}
    off, listening, receiving, _, transmitting = range(len(STATES))
    assert places == {
        "a": [0.0],
        "radio_first": [0, 3, 7],
        "radio_step": [long, long, 7, 0, long, long, 7],
        "radio_state": [transmitting, transmitting, receiving, listening, listening, listening, off],
    }


def test_the_page_of_a_replay(tmp_path):
    """Without script and style, which a policy names by their digests, and without the packed columns."""
    trace = read(stored(tmp_path, EVENTS, motes=MOTES, cell="<H5>"))
    page = render.html("an <experiment>", trace, trace.facts["run"])
    for name in ("script", "style"):
        page = re.sub(rf"<{name}>.*?</{name}>", f"<{name}></{name}>", page, flags=re.DOTALL)
    page = re.sub(r"sha256-[A-Za-z0-9+/=]+", "sha256-DIGEST", page)
    page = re.sub(r'(id="data">).*?(</script>)', r"\1PACKED\2", page)
    recorded.same(page, RECORDED / "page.html")


def test_links_to_replays_are_those_of_the_present_campaign(tmp_path):
    folder = tmp_path / "report"
    folder.mkdir()
    for name, text in {
        "replay-b.html": "<title>second &amp; more</title>",
        "replay-a.html": " " * 1900 + "<title>first</title>",
        "replay-late.html": " " * 2000 + "<title>its title comes too late</title>",
        "replay-none.html": "no title",
        "replay-o d.html": "<title>an odd name</title>",
        "replay-c.txt": "<title>no page</title>",
    }.items():
        (folder / name).write_text(text)
    page = "a<!-- replays -->old\nlinks<!-- /replays -->b<!-- replays --><!-- /replays -->"
    first, second = '<a href="replay-a.html">first</a>', '<a href="replay-b.html">second &amp; more</a>'
    head, end = '\n<p class="replays">Replays of runs, beside this page: ', "</p>\n"
    after = "<!-- /replays -->NOTEb<!-- replays --><!-- /replays -->"
    made = replay.linked(page, folder.parent, folder, "NOTE")
    assert made == f"a<!-- replays -->{head}{first}, {second}{end}{after}"
    assert replay.linked(made.replace("NOTE", ""), folder.parent, folder, "NOTE") == made
    (tmp_path / "campaign.json").write_text(json.dumps({"runs": ["b"]}))
    assert (
        replay.linked(page, folder.parent, folder, "NOTE") == f"a<!-- replays -->{head}{second}{end}{after}"
    )
    (tmp_path / "campaign.json").write_text(json.dumps({"runs": []}))
    assert replay.linked(page, folder.parent, folder) == (
        "a<!-- replays --><!-- /replays -->b<!-- replays --><!-- /replays -->"
    )


def made(folder: Path, count: int) -> list:
    """A store's traced runs, each of a cell of its own but for the last, a second seed of the first."""
    found = []
    for place in range(count):
        _, run = traced_run.store(folder / f"{place}", side=2, rounds=1)
        log = (folder / f"{place}" / "traced" / "runs" / run / "COOJA.testlog").read_text()
        changes = {
            "cell": f"c{place % (count - 1)}",
            "seed": place,
            "parameters": manifests.parameters(trace=True),
        }
        run_id = f"{place}" * 20
        target = folder / "store" / "runs" / run_id
        target.mkdir(parents=True)
        (target / "COOJA.testlog").write_text(log)
        (target / "manifest.json").write_text(json.dumps(manifests.content(run_id, **changes)))
        found.append(manifests.manifest(run_id, **changes))
    return found
