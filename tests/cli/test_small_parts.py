# SPDX-License-Identifier: Apache-2.0
"""Small parts of the command line: numbers of options, starter scenarios, what a run and doctor say."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator import doctor, resources
from orchestrator.applications import descriptor, eeprom_header
from orchestrator.cli import build, options, run, spark_options
from orchestrator.cli.app import main
from orchestrator.cli.numbers import measured
from orchestrator.errors import WrongUsage
from orchestrator.runs.model import Outcome


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (options.whole, "0", 0),
        (options.whole, "12", 12),
        (options.positive, "1", 1),
        (options.seconds, "0.5", 0.5),
        (options.seconds, "999999999", 999999999.0),
        (options.size, "1 B", 1),
        (options.heap, "64 MB", 64_000_000),
        (options.size, "4GB", 4_000_000_000),
        (build.mebibytes, "6", 6 << 20),
        (build.mebibytes, str((1 << 24) - 1), ((1 << 24) - 1) << 20),
        (options.seed, "-5", -5),
        (options.seed, "+5", 5),
        (options.seed, "0x10", 16),
        (options.seed, "-0x10", -16),
        (options.seed, "#f", 15),
        (options.seed, "9223372036854775807", 2**63 - 1),
        (options.seed, "-9223372036854775808", -(2**63)),
    ],
)
def test_numbers_that_options_take(kind, text, value):
    assert kind(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (float("nan"), "–"), (469.4871, "469.487"), (1001.03, "1,001.03"), (2.5e-7, "2.5e-07"),
     (1234567.0, "1,234,567"), (1e15, "1e+15"), (-0.0, "-0"), (-1234.5, "-1,234.5"), (float("inf"), "inf"),
     (999999.5, "1,000,000"), (0.1234567, "0.123457")],
)  # fmt: skip
def test_measured_numbers_have_six_digits(value, text):
    assert measured(value) == text


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


def summary(failures: int) -> SimpleNamespace:
    failed = [
        SimpleNamespace(cell="A", seed=seed, outcome=SimpleNamespace(value="no end"), run_id="0123456789",
                        evidence=["one line", "another"])
        for seed in range(failures)
    ]  # fmt: skip
    return SimpleNamespace(run_ids=["r"] * 30, made=20, sim_us=90_000_000_000, seconds=12.0, failures=failed)


def test_build_prints_what_it_makes_of_an_applications_files_and_builds_nothing(monkeypatch, capsys):
    monkeypatch.setattr("orchestrator.build.firmware.builder", None)
    assert main(["build", "--sources"]) == 0
    assert Path(capsys.readouterr().out.strip()) == resources.contiki_apps()
    assert main(["build", "aggregation", "--eeprom-fields"]) == 0
    assert capsys.readouterr().out == eeprom_header.header(descriptor.load("aggregation"))
    assert main(["build", "event-service", "--event-types"]) == 0
    assert "#define" in capsys.readouterr().out
    assert main(["build", "aggregation", "--event-types"]) == 9
    assert main(["build"]) == 9
    assert "only --sources needs none" in capsys.readouterr().err


@pytest.mark.parametrize(("state", "code"), [("ok", 0), ("missing", 5), ("unused", 0)])
def test_doctor_fails_if_something_is_missing(state, code, monkeypatch, capsys):
    told = {"name": "gcc", "state": state, "found": "14.2", "remedy": "none"}
    monkeypatch.setattr(doctor, "checks", lambda *_: [doctor.Check(**told)])
    assert main(["doctor", "--json"]) == code
    out = capsys.readouterr().out
    assert json.loads(out) == [told] and out == json.dumps([told], indent=2) + "\n"


def test_doctor_asks_the_compiler_that_builds_take(monkeypatch):
    monkeypatch.setenv("CC", "env cc")
    told = next(one for one in doctor.checks(Path(), Path()) if one.name == "C compiler")
    assert told.state == "ok" and told.found.startswith(("cc", "gcc", "clang", "Debian clang"))
    monkeypatch.setenv("CC", "no-such-cc --fast")
    told = next(one for one in doctor.checks(Path(), Path()) if one.name == "C compiler")
    assert told.state == "missing" and "no-such-cc --fast" in told.found
    assert told.remedy == "apt-get install build-essential, or set CC to one"


def test_a_run_as_json():
    of = summary(1)
    result = SimpleNamespace(
        experiment="e", summary=of, damaged=("r1",), metric_faults=(SimpleNamespace(name="own", what="odd"),),
        report=Path("page.html"), seconds=12.5,
    )  # fmt: skip
    told = run.described(result, Path("store"))
    assert told == {
        "experiment": "e",
        "store": "store",
        "runs": 30,
        "made": 20,
        "simulated_min": 1500.0,
        "failures": [
            {
                "cell": "A",
                "seed": 0,
                "run_id": "0123456789",
                "outcome": "no end",
                "evidence": ["one line", "another"],
            }
        ],
        "damaged": ["r1"],
        "metric_faults": [{"name": "own", "what": "odd"}],
        "report": "page.html",
        "seconds": 12.5,
    }
    of.sim_us, result.report = 1_234_567, None
    assert run.described(result, Path("store"))["simulated_min"] == 0.021
    assert run.described(result, Path("store"))["report"] is None


@pytest.mark.parametrize(
    ("worst", "code"), [(Outcome.OK, 0), (Outcome.FAILED, 1), (Outcome.NO_VERDICT, 7), (Outcome.CRASH, 7)]
)
def test_the_exit_code_of_runs(worst, code):
    assert run.exit_code(SimpleNamespace(worst=lambda: worst)) == code
