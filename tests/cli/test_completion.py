# SPDX-License-Identifier: Apache-2.0
"""What a shell is answered at Tab, and that the shells themselves take the script."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.applications import descriptor
from orchestrator.cli import app
from orchestrator.cli.app import every_command
from orchestrator.cli.completion import SHELLS
from orchestrator.papers.table import papers
from orchestrator.runs.store import FILE, Store
from orchestrator.topology.shapes import known_shapes
from tests.waiting import HANG_S

COMMAND = Path(sys.executable).parent / "orchestrate"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """A store with two runs, and files of every kind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORCHESTRATE_STORE", raising=False)
    for run in ("aa11", "ab22"):
        place = tmp_path / "orchestrate-store" / "chain" / "runs" / run
        place.mkdir(parents=True)
        (place / FILE).touch()
    (tmp_path / "elsewhere" / "other" / "runs").mkdir(parents=True)
    for name in ("first.yaml", "second.yml", "some.csc", "some.txt"):
        (tmp_path / name).touch()
    return tmp_path


def protocol(line: str, answer: Path) -> dict[str, str]:
    """What a bash tells the command, whose line is `line`, the cursor at its end (argcomplete's protocol, by
    a file).
    """
    answer.touch()
    return {
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "_ARGCOMPLETE_SHELL": "bash",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
    }


def asked(line: str) -> list[str]:
    """What the command answers, in a fork: argcomplete ends the process that it answers in."""
    answer = Path("answer-of-completion")
    child = os.fork()
    if child == 0:
        try:
            nothing = os.open(os.devnull, os.O_RDWR)
            for file in (0, 1, 2):
                os.dup2(nothing, file)
            os.environ |= protocol(line, answer)
            app.main([])
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    return answer.read_text().split("\n")


def test_a_process_of_its_own_answers(folder):
    environment = os.environ | protocol("orchestrate ru", folder / "answer")
    subprocess.run([COMMAND], check=True, timeout=HANG_S, capture_output=True, env=environment)
    assert (folder / "answer").read_text().split("\n") == ["run", "runs"]


def test_commands():
    assert asked("orchestrate ") == list(every_command())
    assert asked("orchestrate ru") == ["run", "runs"]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("orchestrate topology ", list(known_shapes())),
        ("orchestrate topology chain --application ", descriptor.names()),
        ("orchestrate init --application pub", ["pubsub-hello"]),
        ("orchestrate build agg", ["aggregation"]),
        ("orchestrate paper ", ["list", *papers()]),
        ("orchestrate paper blackboard --only figure-", ["figure-2", "figure-7"]),
        ("orchestrate runs ", ["list", "show", "verify", "remove"]),
        ("orchestrate runs list ", ["chain"]),
        ("orchestrate runs --store elsewhere list ", ["other"]),
        ("orchestrate runs show chain ", ["aa11", "ab22"]),
        ("orchestrate runs show chain aa11 ab", ["ab22"]),
        ("orchestrate runs show ../../x ", [""]),
        ("orchestrate ingest ", ["chain"]),
        ("orchestrate report c", ["chain"]),
        ("orchestrate metrics f", ["first.yaml"]),
        ("orchestrate compare c", ["chain"]),
        ("orchestrate compare chain s", ["second.yml"]),
        ("orchestrate show ", ["chain/"]),
        ("orchestrate show chain a", ["aa11", "ab22"]),
        ("orchestrate trace nosuch a", [""]),
        ("orchestrate replay chain ab", ["ab22"]),
        ("orchestrate run f", ["first.yaml"]),
        ("orchestrate validate s", ["second.yml"]),
        ("orchestrate simulate s", ["some.csc"]),
        ("orchestrate run --store e", ["elsewhere/"]),
        ("orchestrate run --se", ["--seeds"]),
        ("orchestrate run --seeds ", [""]),
        ("orchestrate run --rules ", ["5.0", "2026.07"]),
        ("orchestrate simulate --engine ", ["embedded", "cooja"]),
        ("orchestrate run --engine ", ["embedded", "cooja", "testbed"]),
        ("orchestrate completion ", list(SHELLS)),
        ("orchestrate csc ", ["check", "fix", "show", "diff", "open"]),
        ("orchestrate csc fix s", ["some.csc"]),
        ("orchestrate csc check --rules ", ["5.0", "2026.07"]),
    ],
)
def test_arguments(line, answer):
    assert asked(line) == answer


def test_cells_and_seeds_of_an_experiment(folder):
    """Read from the manifests; one that can't be read (those of `folder`) hides no other."""
    from tests.runs.conftest import make_cell, make_spec, put

    store = Store(folder / "orchestrate-store")
    for seed in (1, 2):
        put(store, make_spec(make_cell("H5"), seed))
    (folder / "orchestrate-store" / "trial" / "runs" / "ffff").mkdir()
    (folder / "orchestrate-store" / "trial" / "runs" / "ffff" / FILE).touch()
    assert asked("orchestrate show trial/") == ["trial/H5/"]
    assert (
        asked("orchestrate show trial/H5/")
        == asked("orchestrate runs show trial/H5/")
        == ["trial/H5/1", "trial/H5/2"]
    )
    assert asked("orchestrate compare trial/") == ["trial/H5"]
    assert asked("orchestrate show ../../trial/") == [""]


@pytest.mark.parametrize("command", every_command())
def test_the_options_of_every_command_are_offered(command, capsys):
    options = asked(f"orchestrate {command} --")
    assert options[0].strip() == "--help"
    with pytest.raises(SystemExit):
        app.main([command, "--help"])
    told = capsys.readouterr().out
    assert all(option.strip() in told for option in options)


def script(shell: str) -> str:
    return subprocess.run([COMMAND, "completion", shell], capture_output=True, text=True, check=True).stdout


def shell(name: str, *arguments: str) -> list[str]:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not here")
    done = subprocess.run(
        [name, *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_S,
        env=os.environ | {"PATH": f"{COMMAND.parent}:{os.environ['PATH']}", "TERM": "dumb"},
    )
    return done.stdout.splitlines()


def test_bash_completes():
    line = "orchestrate topology chain --application hello"
    got = shell(
        "bash",
        "--norc",
        "-c",
        f"""{script("bash")}
        COMP_LINE='{line}'; COMP_POINT={len(line)}; COMP_TYPE=9
        _python_argcomplete orchestrate; printf '%s\\n' "${{COMPREPLY[@]}}"; complete -p orchestrate""",
    )
    assert got[0].strip() == "hello-nullnet"
    assert got[1].endswith("-F _python_argcomplete orchestrate")


def test_fish_completes(folder):
    (folder / "script.fish").write_text(script("fish"))
    assert shell(
        "fish", "--no-config", "-c", "source script.fish; complete -C 'orchestrate runs show chain aa'"
    ) == ["aa11"]


def test_zsh_completes(folder):
    """In a terminal, as zsh completes nowhere else: a Tab is typed, the completed line is echoed by a
    command.
    """
    (folder / "script.zsh").write_text(script("zsh"))
    (folder / "drive.zsh").write_text("""
        zmodload zsh/zpty
        zpty z 'zsh -f -i'
        zpty -w z 'autoload -U compinit; compinit -u -D; source ./script.zsh; print REA""DY'
        zpty -r z line '*READY*'
        zpty -n -w z $'orchestrate runs show chain aa\\t'
        zpty -r z line '*aa11*' && print completed
        zpty -d z
    """)
    assert shell("zsh", "-f", "drive.zsh") == ["completed"]


def test_help_loads_no_command_and_no_library():
    """What makes it quick: 0.03 s were measured with this list."""
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", COMMAND, "--help"], capture_output=True, text=True, check=True
    )
    names = {line.rpartition("|")[2].strip() for line in loaded.stderr.splitlines()}
    ours = {name for name in names if name.startswith("orchestrator.")}
    features = {name for name in ours if name.startswith("orchestrator.features") and name.count(".") < 3}
    assert ours - features <= {
        "orchestrator.cli",
        "orchestrator.cli.app",
        "orchestrator.cli.guard",
        "orchestrator.cli.usage",
        "orchestrator.core",
        "orchestrator.errors",
        "orchestrator.feature",
    }
    assert not {"argcomplete", "yaml", "pyspark", "rich", "numpy", "pandas"} & {
        name.partition(".")[0] for name in names
    }
