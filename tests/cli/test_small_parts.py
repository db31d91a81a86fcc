# SPDX-License-Identifier: Apache-2.0
"""Small parts of the command line: numbers of options, starter scenarios, what a run and doctor say."""

from __future__ import annotations

import argparse
import json
from types import SimpleNamespace

import pytest

from orchestrator import doctor
from orchestrator.cli import run, spark_options
from orchestrator.cli.app import main
from orchestrator.errors import WrongUsage
from orchestrator.runs.model import Outcome


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ([], None),
        (["--master", "spark://a:7077"], None),
        (["--on", "spark://a:7077"], ("spark://a:7077", None)),
        (["--on", "spark://a:7077", "--master", "spark://a:7077"], ("spark://a:7077", None)),
        (["--on", "spark://a:7077", "--through", "s3://b/p"], ("spark://a:7077", "s3://b/p")),
        (["--on", "spark://a:7077", "--master", "spark://b:7077"], "leave out --master"),
        (["--through", "s3://b/p"], "--through goes with --on"),
        (["--through", "s3://b/p", "--master", "spark://a:7077"], "--through goes with --on"),
    ],
)
def test_which_cluster_makes_the_runs(words, made):
    parser = argparse.ArgumentParser()
    spark_options.add_spark_options(parser, runs=True)
    args = parser.parse_args(words)
    if isinstance(made, str):
        with pytest.raises(WrongUsage, match=made):
            spark_options.cluster(args)
    else:
        found = spark_options.cluster(args)
        assert (found and (found.master, found.through)) == made


@pytest.mark.parametrize(("state", "code"), [("ok", 0), ("missing", 5), ("unused", 0)])
def test_doctor_fails_if_something_is_missing(state, code, monkeypatch, capsys):
    told = {"name": "gcc", "state": state, "found": "14.2", "remedy": "none"}
    monkeypatch.setattr(doctor, "checks", lambda *_: [doctor.Check(**told)])
    assert main(["doctor", "--json"]) == code
    out = capsys.readouterr().out
    assert json.loads(out) == [told] and out == json.dumps([told], indent=2) + "\n"


@pytest.mark.parametrize(
    ("worst", "code"), [(Outcome.OK, 0), (Outcome.FAILED, 1), (Outcome.NO_VERDICT, 7), (Outcome.CRASH, 7)]
)
def test_the_exit_code_of_runs(worst, code):
    assert run.exit_code(SimpleNamespace(worst=lambda: worst)) == code
