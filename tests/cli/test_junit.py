# SPDX-License-Identifier: Apache-2.0
"""JUnit's XML of simulations: what is a failure, an error, skipped; and text that XML can't hold."""

from pathlib import Path
from xml.etree import ElementTree

from orchestrator.cli import junit
from orchestrator.cli.simulate_results import not_run, row, worst
from orchestrator.errors import BuildFailed
from orchestrator.execution.simulations import Ended, Task
from orchestrator.runs.model import Outcome, RunResult


def task(name: str) -> Task:
    return Task(Path(f"{name}.csc"), None, Path("out"), name)


def result(outcome: Outcome, *evidence: str) -> RunResult:
    return RunResult(outcome, 2_500_000, 0.25, 3, 1 << 20, evidence)


def test_each_kind_of_end():
    rows = [
        row(Ended(task("a/b/ok"), 1, result(Outcome.OK))),
        row(Ended(task("failed"), -2, result(Outcome.FAILED, "the script says so", "1\tID:1\tno"))),
        row(Ended(task("crashed"), 3, result(Outcome.CRASH, "mote 1: \x1b[1mSIGSEGV\ud800 & <here>"))),
        row(Ended(task("unbuilt"), error=BuildFailed("make: failed\n    x.c:1: error: no"))),
        row(Ended(task("bug"), error=KeyError("x"))),
        not_run(task("left")),
    ]
    assert [one.code for one in rows] == [0, 1, 7, 6, 70, 130]
    assert [worst(rows[:end]) for end in range(6)] == [0, 0, 1, 7, 7, 70]
    suites = ElementTree.fromstring(junit.document(rows, 1.5))
    for one in (suites, suites.find("testsuite")):
        assert {key: one.get(key) for key in ("tests", "failures", "errors", "skipped", "time")} == {
            "tests": "6",
            "failures": "1",
            "errors": "3",
            "skipped": "1",
            "time": "1.500",
        }
    cases = list(suites.iter("testcase"))
    assert [
        (case.get("classname"), case.get("name"), case.get("file"), case.get("time")) for case in cases[:2]
    ] == [("a.b", "ok", "a/b/ok.csc", "0.250"), ("simulate", "failed", "failed.csc", "0.250")]
    assert [case.get("time") for case in cases[3:]] == ["0.000"] * 3  # what didn't run
    assert [[child.tag for child in case if child.tag != "properties"] for case in cases] == [
        ["system-out"],
        ["failure", "system-out"],
        ["error", "system-out"],
        ["error"],
        ["error"],
        ["skipped"],
    ]
    assert cases[1].find("failure").get("message") == "failed verdict: the script says so"
    assert cases[1].find("failure").text == "the script says so\n1\tID:1\tno"
    assert cases[2].find("error").text == "mote 1: \ufffd[1mSIGSEGV\ufffd & <here>"
    assert cases[3].find("error").get("type") == "build error"
    assert "a bug in orchestrate: KeyError" in cases[4].find("error").text
    assert cases[0].find("system-out").text == "log: out/COOJA.testlog"
    assert [(one.get("name"), one.get("value")) for one in cases[1].iter("property")] == [
        ("seed", "-2"),
        ("simulated_us", "2500000"),
    ]
