# SPDX-License-Identifier: Apache-2.0
"""orchestrate run, build and runs, as a user and a script call them."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.build import contiki_ng
from orchestrator.cli.app import main
from tests import needs
from tests.stand_in_tree import stand_in_tree

needs.a_compiler()

SCENARIO = """\
experiment: trial
topology: {shape: chain, publishers: 3, spacing: 5 m}
radio: {medium: udgm, range: 50 m, interference: 100 m}
application: {name: aggregation, rate: high, aggregate: true}
duration: 20 s
drain: 10 s
seeds: 1..2
"""


@pytest.fixture
def scenario(tmp_path) -> Path:
    path = tmp_path / "trial.yaml"
    path.write_text(SCENARIO)
    return path


@pytest.fixture
def stored(scenario, tmp_path, capsys) -> Path:
    assert main(["run", str(scenario), "--store", str(tmp_path / "store"), "--no-report"]) == 0
    capsys.readouterr()
    return tmp_path / "store"


def test_run_and_again(scenario, tmp_path, capsys):
    command = ["run", str(scenario), "--store", str(tmp_path / "store"), "--no-report", "--json"]
    assert main(command) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["experiment"], result["runs"], result["made"], result["failures"]) == ("trial", 2, 2, [])
    assert result["report"] is None
    assert set(result["seconds"]) == {"plan", "simulate"}
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["made"] == 0
    assert main([*command, "--seeds", "2, 5..6"]) == 0
    assert json.loads(capsys.readouterr().out)["made"] == 2
    listed = json.loads((tmp_path / "store" / "trial" / "campaign.json").read_text())["runs"]
    assert len(listed) == 3
    assert main([*command, "--rules", "2026.07", "--workers", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["made"] == 2


def test_seeds_that_are_none(scenario, tmp_path, capsys):
    assert main(["run", str(scenario), "--store", str(tmp_path), "--seeds", "5..1"]) == 2
    assert "orchestrate: seeds: 5..1 runs backwards" in capsys.readouterr().err


def test_progress_is_plain_lines_in_a_pipe(scenario, tmp_path):
    environment = dict(os.environ) | {"TERM": "xterm-256color"}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "orchestrator.cli.app",
            "run",
            str(scenario),
            "--store",
            str(tmp_path),
            "--no-report",
        ],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert "\x1b" not in done.stdout + done.stderr
    assert "trial: simulating 2/2, " in done.stderr
    assert "simulated min/s" in done.stderr
    assert done.stdout.startswith("trial: 2 runs, ")


@pytest.mark.parametrize("colour", [True, False])
def test_progress_in_a_terminal(scenario, tmp_path, colour):
    pty = pytest.importorskip("pty")
    controller, terminal = pty.openpty()
    environment = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "CI")
    }
    environment |= {"TERM": "xterm-256color"} | ({} if colour else {"NO_COLOR": "1"})
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "orchestrator.cli.app",
            "run",
            str(scenario),
            "--store",
            str(tmp_path),
            "--no-report",
        ],
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env=environment,
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            part = os.read(controller, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(controller)
    assert process.wait() == 0
    assert b"2/2" in shown
    assert b"simulated min/s" in shown
    assert (b"\x1b[38;5" in shown or b"\x1b[32m" in shown or b"\x1b[36m" in shown) == colour


def test_build_tells_where_and_how_big(capsys):
    assert main(["build", "aggregation", "--variant", "MAC=nullmac", "--json"]) == 0
    built = json.loads(capsys.readouterr().out)
    assert Path(built["path"]).is_file()
    assert built["variant"] == {"MAC": "nullmac"}
    assert built["sizes"]["text"] > 1000
    assert main(["build", "aggregation"]) == 0
    lines = capsys.readouterr().out.split("\n")
    assert lines[0].endswith("aggregation.cooja")
    assert re.fullmatch(r"text [\d,]+, data [\d,]+, bss [\d,]+ bytes", lines[1])
    assert built["key"] not in "".join(lines)


def test_build_of_what_is_not_there(capsys):
    assert main(["build", "nothing"]) == 9
    assert "there are: aggregation" in capsys.readouterr().err
    assert main(["build", "aggregation", "--cc", "no-such-compiler"]) == 5
    capsys.readouterr()
    assert main(["build", "aggregation", "--variant", "A=$(shell ls)"]) == 2
    assert "is not NAME=VALUE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("target", "program", "remedy"),
    [
        ("sky", "msp430-gcc", "tools/docker/Dockerfile"),
        ("gecko", "arm-none-eabi-gcc", "apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi"),
        ("native", "gcc", "apt-get install gcc"),
    ],
)
def test_build_without_the_targets_compiler_says_which_and_how_to_get_it(
    target, program, remedy, tmp_path, monkeypatch, capsys
):
    tree = stand_in_tree(tmp_path / "tree").folder
    platform = tree / "arch" / "platform" / target / f"Makefile.{target}"
    platform.parent.mkdir()
    platform.write_text("# stand-in\n")
    for submodule in contiki_ng._NEEDED.get(target, ()):
        (tree / submodule / "fetched").mkdir(parents=True)
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "make").symlink_to(shutil.which("make"))
    monkeypatch.setenv("PATH", str(tools))
    command = ["build", "hello-nullnet", "--target", target, "--contiki-ng", str(tree)]
    assert main(command) == 5
    said = capsys.readouterr().err
    assert (
        f"no {program}, so no firmware for {target}\n" in said
        and remedy in said
        and "--builder docker" in said
    )
    # One that is there and has no C library is no better.
    (tools / program).write_text(
        '#!/bin/sh\ncase "$1" in --version|-dumpmachine) echo 1 ;; *) exit 1 ;; esac\n'
    )
    (tools / program).chmod(0o755)
    assert main(command) == 5
    said = capsys.readouterr().err
    assert f"{program} has no C library, so no firmware for {target}\n" in said and remedy in said


def test_runs_list_and_show(stored, capsys):
    store = ["--store", str(stored)]
    assert main(["runs", "list", *store]) == 0
    assert "trial          2" in capsys.readouterr().out
    assert main(["runs", "list", "trial", *store, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [run["seed"] for run in listed] == [1, 2]
    assert main(["runs", "list", "trial", *store]) == 0
    assert len(capsys.readouterr().out.strip().split("\n")) == 5  # the engine's, a head, a rule and the runs'
    assert main(["runs", "show", "trial", listed[0]["run_id"][:8], *store, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)[0]
    assert shown["parameters"]["application"]["name"] == "aggregation"
    assert Path(shown["folder"], "COOJA.testlog").is_file()
    assert main(["runs", "show", "trial", listed[0]["run_id"], *store]) == 0
    assert "S=1 P1=2 P2=3 P3=4 C=5" in capsys.readouterr().out


def test_runs_are_named_by_cell_and_seed_too(stored, capsys):
    store = ["--store", str(stored)]
    assert main(["runs", "list", "trial", *store, "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    cell = f"trial/{first['cell']}"

    def ids(*words: str) -> list[str]:
        assert main(["runs", *words, *store, "--json"]) == 0
        return [run["run_id"] for run in json.loads(capsys.readouterr().out)]

    assert ids("show", f"{cell}/2") == [second["run_id"]]
    assert ids("show", f"{cell}/2", f"{cell}/1", f"trial/{second['run_id'][:9]}") == [
        second["run_id"],
        first["run_id"],
    ]
    assert ids("list", cell) == [first["run_id"], second["run_id"]] and ids("list", f"{cell}/1") == [
        first["run_id"]
    ]
    for words, code, said in (
        (["show", f"{cell}/7"], 9, "there are: 1, 2"),
        (["list", "trial/zz"], 9, "no cell 'zz' in trial"),
        (["show", f"{cell}/1", "other/A/1"], 2, "to 2 experiments, trial, other"),
    ):
        assert main(["runs", *words, *store]) == code and said in capsys.readouterr().err
    assert main(["runs", "verify", f"{cell}/1", *store]) == 0 and "1 run checked" in capsys.readouterr().out
    assert (
        main(["runs", "remove", f"{cell}/1", "--yes", *store]) == 0 and "1 removed" in capsys.readouterr().out
    )
    assert ids("list", "trial") == [second["run_id"]]


def test_runs_show_has_a_value_a_line(stored, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["runs", "list", "trial", "--store", str(stored), "--json"]) == 0
    run = json.loads(capsys.readouterr().out)[0]
    assert main(["runs", "show", f"trial/{run['cell']}/1", "--store", str(stored)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        "cell         " + run["cell"] in lines
        and "seed         1" in lines
        and f"  sim_us       {run['statistics']['sim_us']}" in lines
    )
    assert "    name  aggregation" in lines and all(len(line) <= 80 for line in lines if " " in line.strip())
    assert "evidence     none" in lines and not any("{" in line or "}" in line for line in lines)


def test_runs_verify(stored, capsys):
    assert main(["runs", "verify", "--store", str(stored)]) == 0
    assert "2 runs checked, 0 damaged" in capsys.readouterr().out
    log = next(stored.glob("trial/runs/*/COOJA.testlog"))
    log.write_bytes(log.read_bytes()[:-1])
    assert main(["runs", "verify", "trial", "--store", str(stored)]) == 8
    assert f"trial/{log.parent.name}: COOJA.testlog is not what the run wrote" in capsys.readouterr().out
    assert main(["runs", "verify", "trial", "--store", str(stored), "--json"]) == 8
    assert json.loads(capsys.readouterr().out)["damaged"][0]["run_id"] == log.parent.name


def test_an_unreadable_manifest_hides_no_other_run(stored, capsys):
    bad, good = sorted(stored.glob("trial/runs/*/manifest.json"))
    bad.write_text("{")
    store = ["--store", str(stored)]
    assert main(["runs", "list", "trial", *store]) == 8
    said = capsys.readouterr()
    assert good.parent.name[:12] in said.out and bad.parent.name[:12] not in said.out
    assert (
        f"{bad}: not a readable manifest" in said.err and f"runs remove trial {bad.parent.name}" in said.err
    )
    assert main(["runs", "list", "trial", "--json", *store]) == 8
    assert [run["run_id"] for run in json.loads(capsys.readouterr().out)] == [good.parent.name]
    assert main(["runs", "list", "trial", good.parent.name, *store]) == 0
    capsys.readouterr()
    assert (
        main(
            [
                "show",
                f"trial/{json.loads(good.read_text())['cell']}/{json.loads(good.read_text())['seed']}",
                *store,
            ]
        )
        == 0
    )
    assert main(["runs", "remove", "trial", bad.parent.name, "--yes", *store]) == 0
    assert main(["runs", "list", "trial", *store]) == 0


def test_runs_remove_asks_first(stored, capsys, monkeypatch):
    store = ["--store", str(stored)]
    assert main(["runs", "remove", "trial", *store]) == 2
    assert "say --yes" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", type("Terminal", (), {"isatty": lambda self: True})())
    monkeypatch.setattr("builtins.input", lambda question: "n")
    assert main(["runs", "remove", "trial", *store]) == 130
    assert len(list(stored.glob("trial/runs/*"))) == 2
    one = next(stored.glob("trial/runs/*")).name
    assert main(["runs", "remove", "trial", one[:6], "--yes", *store]) == 0
    assert len(list(stored.glob("trial/runs/*"))) == 1
    monkeypatch.setattr("builtins.input", lambda question: "yes")
    assert main(["runs", "remove", "trial", *store]) == 0
    assert not list(stored.glob("trial/runs/*"))


def test_runs_of_what_is_not_there(stored, capsys):
    for arguments, code, said in (
        (["list", "other"], 9, "no experiment 'other'"),
        (["list", "../store"], 2, "can't be called"),
        (["show"], 2, "name an experiment; there are: trial"),
        (["show", "trial"], 2, "name a run"),
        (["show", "trial", "zzz"], 9, "no run of trial starts with 'zzz'"),
        (["remove", "trial", ""], 9, "2 runs of trial start with"),
    ):
        assert main(["runs", *arguments, "--store", str(stored)]) == code, arguments
        assert said in capsys.readouterr().err
    assert main(["runs", "list", "--store", str(stored / "nothing")]) == 9
    assert "no store " in capsys.readouterr().err
    assert main(["runs", "list", "--store", str(stored / "trial")]) == 0
    assert "no experiments in" in capsys.readouterr().err
