# SPDX-License-Identifier: Apache-2.0
"""`orchestrate show` of a log with threads, and what trace and replay say of one that has nothing else."""

from __future__ import annotations

import json
import re

import pytest

from orchestrator.cli.app import main
from tests import threaded_log

MOTES = {1: threaded_log.mote(20), 2: threaded_log.mote(8, shift=1)}


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "threads.testlog"
    path.write_bytes(threaded_log.log(MOTES))
    return path


def test_it_adds_up_with_the_log(log, capsys):
    assert main(["show", str(log), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    mine = {row["thread"]: row for row in shown["threads"] if row["mote"] == "mote 2"}
    assert {name: row["cpu_us"] for name, row in mine.items()} == MOTES[2].cpu_us
    assert sum(row["share"] for row in mine.values()) == pytest.approx(1)
    assert mine["idle"]["switches"] == 9 and mine["idle"]["stack_size"] == 128
    (first, second) = (row for row in shown["notifications"] if row["mote"] == "mote 1")
    assert (first["thread"], first["notified"], first["missed"], first["deadline_us"]) == (
        "subscriber1",
        20,
        8,
        10_000,
    )
    assert second["mean_us"] == sum(MOTES[1].delays_us[1]) / 20 and second["max_us"] == max(
        MOTES[1].delays_us[1]
    )
    assert shown["run"]["trace"] is True


def test_its_tables_and_one_motes(log, capsys):
    assert main(["show", str(log)]) == 0
    text = capsys.readouterr().out
    assert "Threads" in text and "Notifications of the blackboard" in text and text.count("modelled") == 3
    assert main(["show", str(log), "--mote", "2"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^mote 2 +publisher", text, re.MULTILINE) and not re.search(
        r"^mote 1 +publisher", text, re.MULTILINE
    )
    assert "Trace records: 8 bpb, 16 ntf" in text


def test_a_diagram_of_any_window_is_a_file(log, tmp_path, capsys):
    target = tmp_path / "d.csv"
    assert (
        main(["show", str(log), "--mote", "2", "--diagram", str(target), "--at", "1.03 s", "--for", "30 ms"])
        == 0
    )
    assert capsys.readouterr().out.strip() == str(target)
    rows = target.read_text().splitlines()
    assert (
        rows[0].startswith("mote,what,thread")
        and len(rows) > 8
        and all(row.startswith("mote 2") for row in rows[1:])
    )
    for form in ("svg", "pdf", "pgf"):
        assert main(["show", str(log), "--diagram", str(tmp_path / f"d.{form}")]) == 0
        assert (tmp_path / f"d.{form}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--diagram", "d.txt"], 2, ".svg"),
        (["--diagram", "d.svg", "--for", "0"], 2, "no length"),
        (["--at", "3"], 2, "--diagram"),
        (["--diagram", "d.svg", "--at", "900"], 9, "1.000000 to 1.657500 s"),
        (["--diagram", "d.svg", "--mote", "9"], 9, "mote 1, mote 2"),
    ],
)
def test_what_is_no_diagram_is_said(log, tmp_path, monkeypatch, capsys, words, code, said):
    monkeypatch.chdir(tmp_path)
    assert main(["show", str(log), *words]) == code
    assert said in capsys.readouterr().err and not (tmp_path / "d.svg").exists()


def test_trace_of_an_event_points_at_the_diagram(log, capsys):
    assert main(["trace", str(log), "--event", "P1/3"]) == 9
    assert "--diagram" in capsys.readouterr().err
