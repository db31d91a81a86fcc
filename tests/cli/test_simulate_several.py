# SPDX-License-Identifier: Apache-2.0
"""orchestrate simulate of several files: side by side, each with its log; the table, JUnit's XML, JSON and
the exit code.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from orchestrator.cli.app import main
from orchestrator.csc import interfaces
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.csc.write import write
from orchestrator.resources import contiki_apps
from tests import built_before, needs
from tests.waiting import wait_until

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "cooja"

needs.a_compiler()
SLEEP = f"98765.{os.getpid()}"  # s; no other test's
OURS = "$(MAKE) -j$(CPUS) hello-nullnet.cooja TARGET=cooja"


def csc(motes: int = 1, success_line: str | None = None, commands: str = OURS, source: str = "") -> bytes:
    source = source or str(contiki_apps() / "apps" / "hello-nullnet" / "hello-nullnet.c")
    mote_type = MoteType("m", "", source, commands, interfaces.STANDARD_INTERFACES)
    return write(
        Simulation(
            "t",
            1,
            1000,
            Udgm(),
            (mote_type,),
            tuple(Mote("m", i + 1, i, 0) for i in range(motes)),
            EndScript(2_000_000, success_line, None, True),
        )
    )


@pytest.fixture
def suite(tmp_path, monkeypatch) -> Path:
    """A folder with a test that passes, a compressed one, one that fails, one that is not supported and one
    with a fault.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "suite" / "rpl").mkdir(parents=True)
    (tmp_path / "suite" / "01-passes.csc").write_bytes(csc())
    (tmp_path / "suite" / "rpl" / "02-compressed.csc.gz").write_bytes(gzip.compress(csc(3)))
    (tmp_path / "suite" / "rpl" / "03-fails.csc").write_bytes(csc(success_line="this is never printed"))
    return tmp_path


def refused(suite: Path) -> None:
    text = (suite / "suite" / "01-passes.csc").read_text()
    text = re.sub(
        r"<moteinterface>.*</moteinterface>|<interface_config>[^<]*Contiki(?s:.*?)</interface_config>",
        "",
        text,
    )
    (suite / "suite" / "04-z1.csc").write_text(
        text.replace(
            "org.contikios.cooja.contikimote.ContikiMoteType", "org.contikios.cooja.mspmote.Z1MoteType"
        )
    )


def test_a_folder_side_by_side_says_what_each_alone_says(suite, capsys):
    assert main(["simulate", "suite", "--logdir=out", "--junit=report.xml", "--jobs=3"]) == 1
    said = capsys.readouterr()
    for name in ("01-passes", "rpl/02-compressed", "rpl/03-fails"):
        file = next((suite / "suite").glob(f"{name}.csc*"))
        main(["simulate", str(file), "--logdir=alone"])
        assert (suite / "out" / name / "COOJA.testlog").read_bytes() == (
            suite / "alone" / "COOJA.testlog"
        ).read_bytes()
    lines = said.out.splitlines()
    assert [line.split()[:-1] or line for line in lines[2:6]] == [
        ["01-passes", "ok", "2.0"],
        "rpl/",
        ["02-compressed", "ok", "2.0"],
        ["03-fails", "failed", "verdict", "2.0"],
    ]
    assert lines[-1].startswith(
        "3 simulations with seed 1: 2 ok, 1 failed verdict; 0.1 simulated minutes in "
    )
    assert "rpl/02-compressed: ok, 2 s simulated in " in said.err
    tests = ElementTree.parse(suite / "report.xml").getroot()
    assert {name: tests.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "errors": "0",
        "skipped": "0",
    }
    cases = list(tests.iter("testcase"))
    assert [
        (case.get("classname"), case.get("name"), case.find("failure") is not None) for case in cases
    ] == [("simulate", "01-passes", False), ("rpl", "02-compressed", False), ("rpl", "03-fails", True)]
    assert cases[2].find("failure").get("type") == "failed verdict"
    assert [one.get("value") for one in cases[0].iter("property")] == ["1", "2000000"]


def test_the_same_file_with_several_seeds_has_each_seed_in_its_line(suite, capsys):
    runs = [f"suite/01-passes.csc,random-seed={seed},logdir=out{seed}" for seed in (7, 12345)]
    assert main(["simulate", *runs, "--jobs=2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1:3] for line in lines if "passes" in line] == [["7", "ok"], ["12345", "ok"]]


def test_what_can_t_run_is_a_line_and_not_the_end(suite, capsys):
    refused(suite)
    (suite / "suite" / "05-faulty.csc").write_text("<simconf>")
    (suite / "suite" / "06-unbuilt.csc").write_bytes(
        csc(commands="false", source=str(suite / "gone" / "x.c"))
    )
    assert main(["simulate", "suite", "--logdir=out", "--junit=report.xml", "--json"]) == 9
    found = {Path(one["file"]).name: one for one in json.loads(capsys.readouterr().out)}
    assert {name: (one["outcome"], one.get("exit_code")) for name, one in found.items()} == {
        "01-passes.csc": ("ok", None),
        "04-z1.csc": ("not supported", 4),
        "05-faulty.csc": ("faulty file", 3),
        "06-unbuilt.csc": ("file missing", 9),
        "02-compressed.csc.gz": ("ok", None),
        "03-fails.csc": ("failed verdict", None),
    }
    assert "Z1MoteType" in found["04-z1.csc"]["evidence"][0]
    errors = [
        case
        for case in ElementTree.parse(suite / "report.xml").getroot().iter("testcase")
        if case.find("error") is not None
    ]
    assert [case.get("name") for case in errors] == ["04-z1", "05-faulty", "06-unbuilt"]
    assert "Z1MoteType" in errors[0].find("error").text
    (suite / "suite" / "06-unbuilt.csc").unlink()
    assert main(["simulate", "suite", "--logdir=out"]) == 3
    assert "05-faulty: faulty file\n" in capsys.readouterr().out
    (suite / "suite" / "05-faulty.csc").unlink()
    assert main(["simulate", "suite", "--logdir=out"]) == 4, (
        "a file that is not supported weighs more than a failed verdict"
    )


def test_a_file_that_is_not_there_is_said_before_any_runs(suite, capsys):
    assert main(["simulate", "suite", "none.csc", "--logdir=out"]) == 9
    said = capsys.readouterr()
    assert "none.csc: no such file" in said.err and not said.out
    assert not (suite / "out").exists()


def test_the_table_fits_a_terminal_of_80_columns(suite, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    long = "27-cooja-rpl-tsch-orchestra-root-rule-storing"
    (suite / "suite" / "rpl" / "03-fails.csc").rename(suite / "suite" / "rpl" / f"{long}.csc")
    main(["simulate", "suite", "--logdir=out"])
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert any(
        line.startswith(long) and "failed verdict" in line and line.split()[-2] == "2.0" for line in lines
    ), "in one block"


def test_several_files_with_settings_of_their_own(suite, capsys):
    assert (
        main(
            [
                "simulate",
                "--no-gui",
                "--random-seed=5",
                "suite/01-passes.csc",
                "suite/01-passes.csc,random-seed=7,logdir=two",
                "--json",
            ]
        )
        == 0
    )
    assert (suite / "COOJA.testlog").read_text().startswith("Random seed: 5\n")
    assert (suite / "two" / "COOJA.testlog").read_text().startswith("Random seed: 7\n")
    results = json.loads(capsys.readouterr().out)
    assert [(one["seed"], one["outcome"], one["log"]) for one in results] == [
        (5, "ok", "COOJA.testlog"),
        (7, "ok", "two/COOJA.testlog"),
    ]


def test_files_that_build_in_one_folder_don_t_disturb_each_other(suite, monkeypatch):
    """Each first removes what the other builds, under the same name; two files of one firmware build it
    once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(built_before.seed(suite / "cache")))
    probes = suite / "both" / "probes"
    shutil.copytree(contiki_apps() / "probes", probes, ignore=shutil.ignore_patterns("build"))
    makefile = probes / "Makefile"
    makefile.write_text(
        makefile.read_text().replace(
            "\t$(CC) ", f"\techo >>{suite}/built-$(basename $@)\n\tsleep 0.1\n\t$(CC) "
        )
    )
    cases = ("chain", "collisions")
    for case in cases:
        text = (
            (GOLDEN / case / "simulation.csc")
            .read_text()
            .replace("[CONFIG_DIR]/../../../../contiki-apps/", "[CONFIG_DIR]/")
        )
        text = text.replace("<commands>", "<commands>$(MAKE) clean\n")
        for name in (case, f"{case}-again"):
            (suite / "both" / f"{name}.csc").write_text(text)
    assert main(["simulate", "both", "--logdir=out", "--jobs=4"]) == 0
    for case in cases:
        for name in (case, f"{case}-again"):
            assert (suite / "out" / name / "COOJA.testlog").read_bytes() == (
                GOLDEN / case / "COOJA.testlog"
            ).read_bytes()
        assert (suite / f"built-{case}").read_text() == "\n"
    assert not (probes / "build").exists()


def test_ctrl_c_keeps_what_has_ended_and_ends_the_rest(suite):
    (suite / "suite" / "00-builds.csc").write_bytes(
        csc(commands=f"sleep {SLEEP}", source=str(suite / "suite" / "m.c"))
    )
    (suite / "suite" / "m.c").write_text("")
    call = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from orchestrator.cli.app import main; raise SystemExit(main())",
            "simulate",
            "suite",
            "--logdir=out",
            "--junit=report.xml",
            "--jobs=2",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = []
    for line in call.stderr:
        said.append(line)
        if "03-fails" in line:  # the last one besides that which builds
            break
    call.send_signal(signal.SIGINT)
    out, err = call.communicate()
    assert call.returncode == 130
    assert "interrupted; 3 of 4 simulations have ended, their logs are kept" in err
    assert "00-builds" in out and "not run" in out
    cases = {
        case.get("name"): case for case in ElementTree.parse(suite / "report.xml").getroot().iter("testcase")
    }
    assert cases["00-builds"].find("skipped") is not None and cases["01-passes"].find("skipped") is None
    wait_until(lambda: not sleeping())


def test_ctrl_c_of_a_single_one_does_not_promise_to_go_on(suite):
    (suite / "suite" / "00-builds.csc").write_bytes(
        csc(commands=f"sleep {SLEEP}", source=str(suite / "suite" / "m.c"))
    )
    (suite / "suite" / "m.c").write_text("")
    call = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from orchestrator.cli.app import main; raise SystemExit(main())",
            "simulate",
            "suite/00-builds.csc",
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    said = next(line for line in call.stderr if "sleep" in line)
    call.send_signal(signal.SIGINT)
    _, err = call.communicate()
    assert call.returncode == 130, said + err
    assert "interrupted; suite/00-builds.csc has not ended, and the same command begins it anew" in err
    assert "goes on from there" not in err
    wait_until(lambda: not sleeping())


def sleeping() -> bool:
    """Whether the build's command still runs."""
    commands = map(_command, Path("/proc").glob("[0-9]*/cmdline"))
    return f"sleep\0{SLEEP}\0".encode() in commands


def _command(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.stat().st_uid == os.getuid() else b""
    except OSError:
        return b""


def test_junit_of_a_single_file_that_can_t_run(suite, capsys):
    refused(suite)
    assert main(["simulate", "suite/04-z1.csc", "--junit=one.xml"]) == 4
    assert ElementTree.parse(suite / "one.xml").getroot().get("errors") == "1"
    assert main(["simulate", "suite/01-passes.csc", "--junit=one.xml"]) == 0
    assert ElementTree.parse(suite / "one.xml").getroot().get("errors") == "0"
    capsys.readouterr()
    assert main(["simulate", "suite", "--junit=none/one.xml"]) == 9
    assert "the folder none does not exist" in capsys.readouterr().err
