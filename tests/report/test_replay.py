# SPDX-License-Identifier: Apache-2.0
"""A traced run as a page: its columns against the log, what it says without a trace, what it lets a browser
do.
"""

import base64
import hashlib
import json
import re
import zlib

import numpy as np
import pytest
import traced_run
from markup import Markup
from test_page import HOSTILE

from orchestrator.cli.app import main
from orchestrator.report import replay
from orchestrator.report.replay import columns
from orchestrator.report.replay.columns import ACCEPTED, DROPPED, KINDS, read
from orchestrator.runs.store import Store


def opened(page: str) -> tuple[dict, dict[str, np.ndarray]]:
    """(facts, columns) out of a page, as its own script takes them."""
    facts = json.loads(re.search(r'id="facts">(.*?)</script>', page, re.DOTALL)[1])
    data = zlib.decompress(base64.b64decode(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1]), -15)
    return facts, {
        name: np.frombuffer(data, dtype, count, at) for name, (dtype, at, count) in facts["columns"].items()
    }


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return traced_run.store(tmp_path_factory.mktemp("small"), side=3, rounds=4)


def test_every_trace_record_of_the_log_is_in_the_page(small):
    store, run = small
    page = replay.write(store, "traced", run[:6])
    assert page.name == f"replay-{run}.html"
    facts, table = opened(page.read_text(encoding="utf-8"))
    log = (Store(store).folder("traced", run) / "COOJA.testlog").read_text().splitlines()
    expected = [
        (int(at), int(who[3:]), text[1:].split(","))
        for at, who, text in (line.split("\t") for line in log[:-1])
        if text[1:4] in KINDS
    ]
    assert len(table["time"]) == len(expected) > 100
    times = facts["start_us"] + np.cumsum(table["time"].astype(np.int64)) * facts["unit_us"]

    def events(place: int) -> str:
        start, end = table["list_start"][place : place + 2]
        return "+".join(
            f"{table['list_publisher'][i]}.{table['list_sequence'][i]}" for i in range(start, end)
        )

    def mote(place: int) -> int:
        return facts["motes"][place][0]

    for row, (at, who, (kind, *fields)) in enumerate(expected):
        assert times[row] == at and mote(table["mote"][row]) == who and KINDS[table["kind"][row]] == kind
        held = events(table["held"][row])
        reason = facts["reasons"][table["reason"][row] - 1] if table["reason"][row] else ""
        other = mote(table["peer"][row] - 1) if table["peer"][row] else 0
        frame, stored = table["frame"][row], events(table["stored"][row])
        # what the page has of this record, beside what the log has: subject and value are not compared
        found = {
            "pub": [held],
            "snd": [other, frame, held],
            "rcv": [other, frame, held],
            "mrg": [stored, held],
            "fwd": [reason, held],
            "drp": [reason, other, frame],
            "dlv": [other, held],
        }[kind]
        said = [f"{fields[1]}.{fields[2]}"] if kind == "pub" else fields if kind == "drp" else fields[1:]
        assert [str(value) for value in found] == said


def test_a_frame_is_matched_with_what_became_of_it(tmp_path):
    store, run = traced_run.store(tmp_path, side=2, rounds=1)
    log = Store(store).folder("traced", run) / "COOJA.testlog"
    log.write_text(
        "".join(
            f"{at}\tID:{mote}\t{text}\n"
            for at, mote, text in (
                (1_000, 2, "!snd,reading,1,7,1.1"),
                (2_000, 3, "!drp,off-topology,2,7"),
                (2_000, 1, "!rcv,reading,2,7,1.1"),
                (5_000, 2, "!snd,reading,1,8,1.2"),
                (6_000, 2, "!drp,channel-access,2,8"),
                (7_000, 3, "!snd,reading,1,7,2.1"),
                (8_000, 2, "!drp,off-topology,3,7"),
                (60_000_000, 1, "!rcv,reading,3,7,2.1"),
            )
        )
        + "TEST OK\n"
    )
    trace = read(log.parent).columns
    assert trace["fate"].tolist() == [ACCEPTED, 1, 2, DROPPED, 1, 0, 1, 0]


def test_a_kind_that_nobody_planned_is_shown_as_well(small, monkeypatch):
    store, run = small
    usual = read(Store(store).folder("traced", run))
    monkeypatch.setattr(columns, "KINDS", tuple(kind for kind in KINDS if kind != "fwd"))
    other = read(Store(store).folder("traced", run))
    assert other.facts["kinds"][-1] == "fwd"
    names = [[trace.facts["kinds"][kind] for kind in trace.columns["kind"]] for trace in (usual, other)]
    assert names[0] == names[1] and "fwd" in names[0]


def test_the_same_run_gives_the_same_page(small):
    store, run = small
    page = replay.write(store, "traced", run)
    before = page.read_bytes()
    assert replay.write(store, "traced", run).read_bytes() == before


def test_the_page_may_run_its_own_script_only(small):
    store, run = small
    page = replay.write(store, "traced", run).read_text(encoding="utf-8")
    found = Markup(page)
    policy = next(
        tag["content"] for tag in found.all("meta") if tag.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy and "http" not in policy
    code = re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    for text in (code, style):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy
    assert "https:" not in page and "http:" not in page and "url(" not in style and "@import" not in style
    assert (
        not found.all("link")
        and not found.all("iframe")
        and all("src" not in tag for tag in found.all("script"))
    )
    assert not [
        name
        for _, attributes in found.tags
        for name in attributes
        if name.startswith("on") or name == "style"
    ]
    assert not re.search(r"innerHTML|eval\(|new Function|document\.write|fetch\(", code)


def test_hostile_names_stay_text(tmp_path):
    store, run = traced_run.store(tmp_path, 2, 2, name=lambda mote: f"</script>{HOSTILE}{mote}")
    page = replay.write(store, "traced", run).read_text(encoding="utf-8")
    assert len(Markup(page).all("script")) == 3
    assert opened(page)[0]["motes"][1][1] == f"</script>{HOSTILE}2"


def test_a_run_without_a_trace_says_how_to_get_one(tmp_path, capsys):
    store, run = traced_run.store(tmp_path, 2, 2, trace=False)
    assert main(["replay", "traced", run, "--store", str(store)]) == 9
    assert "trace: true" in capsys.readouterr().err
    assert main(["replay", "traced", "fffff", "--store", str(store)]) == 9
    assert main(["replay", "nothing", run, "--store", str(store)]) == 9
    elsewhere, other = traced_run.store(tmp_path / "other", 2, 2)
    assert main(["replay", str(Store(elsewhere).folder("traced", other)), "--store", str(store)]) == 9
    assert "is not a run of" in capsys.readouterr().err
    assert not list(store.glob("*/report/replay-*"))


def test_a_log_without_positions_puts_its_motes_on_a_circle(small, tmp_path):
    store, run = small
    (tmp_path / "COOJA.testlog").write_bytes(
        (Store(store).folder("traced", run) / "COOJA.testlog").read_bytes()
    )
    places = {(x, y) for *_, x, y, _ in read(tmp_path).facts["motes"]}
    assert len(places) == 9


def test_the_report_links_the_replays_that_are_beside_it(small, tmp_path, capsys):
    store, run = small
    report = store / "traced" / "report"
    report.mkdir(exist_ok=True)
    index = report / "index.html"
    index.write_text("<html><!-- replays --><!-- /replays --></html>")
    assert main(["replay", "traced", run, "--store", str(store), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"replay": str(report / f"replay-{run}.html")}
    for words in (
        ["traced/grid/1"],
        [f"traced/{run[:10]}"],
        [run[:10]],
        [str(Store(store).folder("traced", run))],
    ):
        assert main(["replay", *words, "--store", str(store)]) == 0, words
        assert capsys.readouterr().out == f"{report / f'replay-{run}.html'}\n"
    once = index.read_text()
    assert f'<a href="replay-{run}.html">grid, seed 1, {run[:12]}</a>' in once
    replay.write(store, "traced", run)
    assert index.read_text() == once
    (report / f"replay-{run}.html").unlink()
    assert replay.linked(once, report.parent, report) == "<html><!-- replays --><!-- /replays --></html>"
