# SPDX-License-Identifier: Apache-2.0
"""orchestrate distribution: its actions on the paper's scenarios, and on bad input."""

import json
from pathlib import Path

import pytest
import yaml

from orchestrator.cli.app import main

PAPER = Path(__file__).resolve().parents[3] / "orchestrator" / "features" / "distribution" / "paper"
ONE, TWO, FOUR = (str(PAPER / f"scenario-{number}.yaml") for number in (1, 2, 4))
NEW = ["--target", "New", "--distribution", "data-1-to-targets", "--node", "node-2", "--period", "100 ms",
       "--target-release", "75 ms", "--deadline", "20 ms", "--execution", "1 ms"]  # fmt: skip


def called(capsys, *args: str) -> tuple[int, str]:
    code = main(["distribution", *args])
    return code, capsys.readouterr().out


def as_json(capsys, *args: str) -> dict:
    return json.loads(called(capsys, *args, "--json")[1])


def test_check(capsys):
    code, out = called(capsys, "check", ONE)
    assert code == 0 and "16.53 %" in out and "Target2.4" in out
    assert as_json(capsys, "check", ONE)["utilisation"]["lan"] == pytest.approx(0.012)


def test_deadlines(capsys):
    code, out = called(capsys, "deadlines", ONE, "--targets")
    assert code == 0
    assert "case 2: Target1.1's window from 80 ms to 110 ms" in out and "Where the readings differ" in out
    said = as_json(capsys, "deadlines", FOUR)
    assert [one["deadline"] for one in said["distributions"]] == [350_000, 450_000]
    assert said["steps"]["ProcessNavData"] == 350_000  # the shorter of the two
    assert said["steps"]["EC4_2"] == 450_000
    assert len(said["readings"]) == 5


def test_no_deadline_is_a_verdict(capsys):
    code, out = called(capsys, "deadlines", FOUR, "--release", "earliest-stamp")
    assert code == 1 and "no deadline keeps it valid" in " ".join(out.split())
    code, out = called(capsys, "schedule", FOUR, "--release", "earliest-stamp")
    assert code == 1 and "to-weapon-2 can't keep data valid" in out


def test_schedule(capsys, tmp_path):
    code, out = called(capsys, "schedule", FOUR, "--table", str(tmp_path / "priorities.yaml"))
    assert code == 0
    assert "schedulable if the nodes' clocks agree" in out and "The second analysis gives the same" in out
    assert yaml.safe_load((tmp_path / "priorities.yaml").read_text())["nodes"]["node-2"]["WeaponSubsystems1"]
    said = as_json(capsys, "schedule", ONE, "--periods", "10")
    assert said["schedulable"] and said["analyses_agree"] and not said["needs_clocks_that_agree"]
    assert sum(said["missed"].values()) == 0
    assert all(one["outdated"] == 0 and one["reads"] for one in said["ages"])
    by_name = {one["task"]: one for one in said["tasks"]}
    assert by_name["Target2.3"]["bound"] == 19_500 and by_name["Target2.3"]["bound_by_job"] == 11_000


def test_sensitivity(capsys, tmp_path):
    (tmp_path / "small.yaml").write_text(
        """distribution: small
nodes: [a]
objects: {o: {validity: 15 ms}}
sources: {S: {object: o, node: a, period: 7 ms, deadline: 7 ms, execution: 3 ms}}
targets: {T: {object: o, node: a, period: 12 ms, deadline: 12 ms, execution: 3 ms}}
distributions: {D: {object: o}}
loads: {L: {node: a, period: 20 ms, deadline: 20 ms, execution: 4 ms}}
"""
    )
    said = as_json(capsys, "schedule", str(tmp_path / "small.yaml"), "--sensitivity")["sensitivity"]
    assert {one["name"]: one["most"] for one in said["each"]} == {"S": 3333, "T": 3500, "L": 5000}
    code, out = called(capsys, "schedule", str(tmp_path / "small.yaml"), "--sensitivity")
    assert code == 0 and "each alone; all together may take" in out


def test_draw(capsys, tmp_path):
    code, out = called(capsys, "draw", ONE, "--out", str(tmp_path / "a" / "new"))
    assert code == 0 and "data-2-to-targets.svg written" in out
    assert (tmp_path / "a" / "new" / "data-1-to-targets.svg").read_text().startswith("<svg")
    assert main(["distribution", "draw", ONE, "--out", str(tmp_path), "--distribution", "data-3"]) == 9
    assert "data-1-to-targets" in capsys.readouterr().err


def test_admit(capsys):
    code, out = called(capsys, "admit", ONE, *NEW)
    assert code == 0 and "was 70,000 us; with New it is 65,000 us" in out and "admitted" in out
    refused = [*NEW[:-3], "31 ms", "--execution", "30 ms"]
    code, out = called(capsys, "admit", ONE, *refused)
    assert code == 1 and "New is refused" in out
    assert as_json(capsys, "admit", ONE, *refused)["admitted"] is False


def test_admit_lists_all_faults_of_the_command_line(capsys):
    wrong = ["--target", "EC1", "--distribution", "data", "--node", "node-3", "--period", "100", "--deadline",
             "20 m", "--execution", "0 us"]  # fmt: skip
    assert main(["distribution", "admit", ONE, *wrong]) == 2
    said = capsys.readouterr().err
    for fault in ("no node 'node-3'", "no distribution 'data'", "EC1 is in the file", "no unit",
                  "is a length", "out of range"):  # fmt: skip
        assert fault in said


def test_change(capsys, tmp_path):
    code, out = called(capsys, "change", ONE, TWO)
    assert code == 0 and "possible at any time" in out
    assert as_json(capsys, "change", ONE, TWO)["at_once"] is True


def test_a_faulty_file_has_its_own_exit_code(capsys, tmp_path):
    path = tmp_path / "d.yaml"
    path.write_text(Path(ONE).read_text().replace("table: table-2.txt\n", "").replace("150 ms", "90 ms"))
    assert main(["distribution", "check", str(path)]) == 3
    said = capsys.readouterr().err
    assert "source DataSource1 has no period" in said and "d.yaml:" in said
    assert main(["distribution", "deadlines", str(tmp_path / "none.yaml")]) == 9


def test_run_says_what_ran_and_what_was_late(tmp_path, capsys):
    """How much is late depends on what else the machine does; that it is counted doesn't."""
    file, log = tmp_path / "quick.yaml", tmp_path / "run.testlog"
    file.write_text(
        "distribution: quick\nnodes: [a]\nobjects: {o: {validity: 90 ms}}\n"
        "sources: {S: {object: o, node: a, period: 50 ms, deadline: 10 ms, execution: 1 ms}}\n"
        "targets:\n"
        "  T: {object: o, node: a, period: 50 ms, release: 40 ms, deadline: 10 ms, execution: 1 ms}\n"
        "distributions: {d: {object: o}}\n"
    )
    asked = ["distribution", "run", str(file), "--seconds", "1", "--no-priorities", "--log", str(log)]
    code = main([*asked, "--json"])
    said = json.loads(capsys.readouterr().out)
    assert said["jobs"] == 40 and {one["task"]: one["jobs"] for one in said["tasks"]} == {"S": 20, "T": 20}
    (target,) = said["targets"]
    assert target["values"] + said["reads_without_data"] == 20 and target["validity"] == 90_000
    late = sum(said["missed"].values()) + sum(said["missed_at_start"].values())
    assert code == (1 if late or target["outdated"] else 0)
    assert not said["real_time_priorities"] and log.read_text().count("!job,") == 40
    assert main(asked) in (0, 1)
    assert "quick ran without real-time priorities (they were not asked for)" in capsys.readouterr().out


def test_run_refuses_what_can_not_run(capsys):
    assert main(["distribution", "run", str(PAPER / "scenario-4.yaml"), "--release", "earliest-stamp"]) == 2
    assert "to-weapon-2 can't keep data valid" in capsys.readouterr().err
    assert main(["distribution", "run", str(PAPER / "scenario-1.yaml"), "--shortest", "101"]) == 2


def test_subject_judges_the_time_outs_that_the_runs_get(tmp_path, capsys):
    path = tmp_path / "subject.yaml"
    path.write_text(
        "experiment: e\ntopology: {shape: chain, publishers: 3, spacing: 30 m}\nduration: 10 s\nseeds: 1\n"
        "application: {name: aggregation, validity: 3 s, set-by-validity: if-free}\n"
    )
    assert main(["distribution", "subject", str(path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["base"]
    assert said["verdict"] == "held if the channel is free"
    assert said["set_time_out"] == said["time_out"][0] // 1000 * 1000 > 0
    path.write_text(path.read_text().replace(", set-by-validity: if-free", ""))
    assert main(["distribution", "subject", str(path)]) == 1
    assert "not held" in capsys.readouterr().out
