# SPDX-License-Identifier: Apache-2.0
"""A replay's page and columns as they were when somebody last looked at them, and what has no replay."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import traced_run

from orchestrator.errors import NoSuchThing, Unsupported
from orchestrator.report import replay
from orchestrator.report.replay import cells, columns, render
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


def test_a_trace_without_a_manifest(tmp_path):
    recorded.same(written(read(stored(tmp_path, EVENTS))), RECORDED / "columns-of-a-log.txt")


@pytest.mark.parametrize(("gap", "unit"), [(2**32 - 1, 1), (2**32, 1000)])
def test_times_are_in_milliseconds_if_a_pause_has_too_many_microseconds(gap, unit, tmp_path):
    trace = read(stored(tmp_path, [(5_500, 1, "!pub,a,1,1,1"), (5_500 + gap, 1, "!pub,a,1,2,1")]))
    assert trace.facts["start_us"] == 5_500 and trace.facts["unit_us"] == unit
    assert trace.columns["time"].tolist() == [0, (5_500 + gap) // unit - 5_500 // unit]


def test_a_single_record_is_a_trace(tmp_path):
    trace = read(stored(tmp_path, [(5, 3, "!pub,a,3,1,1")]))
    assert trace.columns["time"].tolist() == [0] and trace.facts["motes"] == [[3, "mote 3", "", 50.0, 0.0, 0]]


def test_a_run_with_threads_alone_says_what_draws_it(tmp_path):
    (tmp_path / "COOJA.testlog").write_bytes(threaded_log.log({1: threaded_log.mote()}))
    with pytest.raises(NoSuchThing, match="(?s)has threads, and no events between motes.*--diagram FILE.svg"):
        read(tmp_path)
    with pytest.raises(NoSuchThing):
        read(tmp_path / "nowhere")


def test_more_different_words_than_a_column_can_number_are_refused(tmp_path):
    """A byte numbers them, and 0 is none."""
    for count in (250, 251):
        run = stored(tmp_path / str(count), [(at, 1, f"!pub,s{at},1,{at},1") for at in range(1, count + 1)])
        if count == 250:
            assert len(read(run).facts["subjects"]) == count
        else:
            with pytest.raises(Unsupported, match="^a replay of a run with 251 different values of subject"):
                read(run)


def test_more_motes_than_a_column_can_number_are_refused(monkeypatch):
    monkeypatch.setattr(columns, "MOST_MOTES", 2)
    placed = [{"mote": 1, "x": 0.0, "y": 0.0}]
    assert [one["mote"] for one in columns._all_motes(placed, np.array([1, 5, 5]))] == [1, 5]
    with pytest.raises(Unsupported, match="^a replay of more than 2 motes$"):
        columns._all_motes(placed, np.array([1, 5, 6]))


def test_lists_are_numbered_across_the_parts_of_a_column():
    kind = pa.list_(pa.struct([("publisher", pa.int64()), ("sequence", pa.int64())]))
    parts = [[[{"publisher": 1, "sequence": 2}], []], [[{"publisher": 1, "sequence": 2}] * 2]]
    table = pa.table({"events": pa.chunked_array([pa.array(part, kind) for part in parts])})
    lists = columns._Lists()
    assert lists.column(table, "events").tolist() == [1, 0, 2]
    assert [part.tolist() for part in lists.done()] == [[0, 0, 1, 3], [1, 2] * 3]


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
    head, end = '\n<p class="replays">Replays of traced runs, beside this page: ', "</p>\n"
    after = "<!-- /replays -->NOTEb<!-- replays --><!-- /replays -->"
    made = replay.linked(page, folder, "NOTE")
    assert made == f"a<!-- replays -->{head}{first}, {second}{end}{after}"
    assert replay.linked(made.replace("NOTE", ""), folder, "NOTE") == made
    (tmp_path / "campaign.json").write_text(json.dumps({"runs": ["b"]}))
    assert replay.linked(page, folder, "NOTE") == f"a<!-- replays -->{head}{second}{end}{after}"
    (tmp_path / "campaign.json").write_text(json.dumps({"runs": []}))
    assert replay.linked(page, folder) == (
        "a<!-- replays --><!-- /replays -->b<!-- replays --><!-- /replays -->"
    )


@pytest.mark.parametrize(("count", "more"), [(1, ""), (5, ""), (6, " and 1 more"), (8, " and 3 more")])
def test_five_replays_without_room_are_named(count, more):
    runs = [manifests.manifest(f"{place}" * 20, cell=f"<{place}>") for place in range(count)]
    named = ", ".join(
        f"&lt;{place}&gt; (<code>orchestrate replay a&amp;b {f'{place}' * 12}</code>)"
        for place in range(min(count, 5))
    )
    assert cells.note("a&b", runs) == (
        f'\n<p class="replays">Further traced runs, whose replays are made on request: {named}{more}.</p>'
    )
    assert cells.note("a&b", []) == ""


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


def test_replays_are_written_as_long_as_there_is_room(tmp_path, monkeypatch):
    runs = made(tmp_path, 5)
    report = tmp_path / "store" / "report"
    report.mkdir()

    def there() -> list[str]:
        return sorted(file.name[7] for file in report.glob("replay-*.html"))

    assert cells.write("e", report, runs) == [] and there() == ["0", "1", "2", "3"]
    size = (report / replay.file_of(runs[0].run_id)).stat().st_size
    for limit, value, left in (
        ("MOST", 2 * size, runs[2:4]),
        ("MOST", 2 * size - 1, runs[1:4]),
        ("MOST_CELLS", 3, runs[3:4]),
    ):
        for file in report.glob("replay-*"):
            file.unlink()
        with monkeypatch.context() as patched:
            patched.setattr(cells, limit, value)
            assert cells.write("e", report, runs) == left, (limit, value)
            assert there() == [f"{place}" for place in range(4 - len(left))]
            assert cells.write("e", report, runs) == left, "those that are there take room as well"
    (tmp_path / "store" / "runs" / runs[3].run_id / "COOJA.testlog").unlink()
    assert cells.write("e", report, runs) == [] and there() == ["0", "1", "2"]
