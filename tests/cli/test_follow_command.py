# SPDX-License-Identifier: Apache-2.0
"""`orchestrate ingest --follow`: how it ends."""

from __future__ import annotations

import os
import signal

import pytest
from orchestrate_spark import experiment
from orchestrate_spark.engines import Sessions
from orchestrate_spark.jobs import stream
from orchestrate_spark.jobs.ingest import Ingested

from orchestrator.cli import ingest
from orchestrator.cli.app import main


@pytest.fixture
def store(tmp_path, monkeypatch):
    (tmp_path / "exp" / "runs").mkdir(parents=True)
    monkeypatch.setattr(ingest, "session_before", lambda *told: Sessions("embedded"))
    return tmp_path


def test_ctrl_c_ends_it_when_what_it_does_is_done(store, monkeypatch, capsys):
    def followed(folder, session, told, *, over):
        os.kill(os.getpid(), signal.SIGINT)
        assert over.is_set()
        told(Ingested(3, ("a", "b"), (), (), 1, torn=("runs/x.parquet",)))

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(stream, "follow", followed)
    assert main(["ingest", "exp", "--store", str(store), "--follow"]) == 0
    told = capsys.readouterr()
    assert "exp: 3 runs, 2 new" in told.out and told.out.endswith("exp: what has come is in the tables\n")
    assert "runs/x.parquet: " in told.err
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_ends_it_at_once(store, monkeypatch):
    def followed(folder, session, told, *, over):
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(stream, "follow", followed)
    assert main(["ingest", "exp", "--store", str(store), "--follow"]) == 130


def test_a_report_goes_with_following(store, capsys, monkeypatch):
    monkeypatch.setattr(experiment, "add_logs", lambda *log: pytest.fail("a log came into the store"))
    assert main(["ingest", "exp", "--store", str(store), "--report", "--log", __file__]) == 2
    assert "--report goes with --follow" in capsys.readouterr().err
