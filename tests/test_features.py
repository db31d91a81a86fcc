# SPDX-License-Identifier: Apache-2.0
"""Features plug in: foreign packages bring them, and the core runs without any of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILT_IN = sorted(path.parent.name for path in (ROOT / "orchestrator" / "features").glob("*/__init__.py"))
MODULE = """
from orchestrator.feature import Command, Feature

FEATURE = Feature("{name}", "a test", {more})
DESCRIPTION = "Say hello."

def add_arguments(parser):
    pass

def run(args):
    print("hello from {name}")
    return 0
"""


def orchestrate(*words: str, path: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command in a process whose first import path is `path`."""
    done = subprocess.run(
        [sys.executable, "-m", "orchestrator.cli.app", *words],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (path, ROOT, ROOT / "spark", ROOT / "testbed"))),
        },
        cwd=path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done


def install(folder: Path, name: str, text: str) -> None:
    """Install a distribution with one module, whose FEATURE is an entry point."""
    (folder / f"{name}.py").write_text(text)
    described = folder / f"{name}-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text(f"[orchestrate.features]\n{name} = {name}:FEATURE\n")


def test_a_foreign_feature_brings_a_command_and_a_faulty_one_is_named(tmp_path):
    command = 'commands={{"{word}": Command("begin", "greet", "{name}")}}'
    install(
        tmp_path,
        "greeting",
        MODULE.format(name="greeting", more=command.format(word="greet", name="greeting")),
    )
    install(tmp_path, "late", MODULE.format(name="late", more="api=99"))
    install(
        tmp_path, "taken", MODULE.format(name="taken", more=command.format(word="validate", name="taken"))
    )
    install(tmp_path, "twice", MODULE.format(name="twice", more='subjects={"motes": "twice"}'))
    install(tmp_path, "torn", "import no_such_module_anywhere\n")
    done = orchestrate("greet", path=tmp_path)
    assert done.stdout == "hello from greeting\n"
    for name, reason in (
        ("late", "version 99"),
        ("taken", "'validate'"),
        ("twice", "'motes'"),
        ("torn", "no_such_module_anywhere"),
    ):
        (line,) = (line for line in done.stderr.splitlines() if f" {name} " in line)
        assert reason in line


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_core_runs_without_a_feature(name, tmp_path):
    """Without its folder, a scenario becomes a .csc and the .csc runs; its commands are unknown."""
    shutil.copytree(
        ROOT / "orchestrator",
        tmp_path / "orchestrator",
        ignore=lambda folder, names: [name] if Path(folder).name == "features" else ["__pycache__"],
        copy_function=os.link,
    )
    (tmp_path / "contiki-apps").symlink_to(ROOT / "contiki-apps")
    (tmp_path / "csc-templates").symlink_to(ROOT / "csc-templates")
    orchestrate("init", "plain", path=tmp_path)
    orchestrate("validate", "plain.yaml", path=tmp_path)
    drawn = ("topology", "chain", "--publishers", "2", "--application", "hello-nullnet", "--csc", "plain.csc")
    orchestrate(*drawn, path=tmp_path)
    assert "ok" in orchestrate("simulate", "plain.csc", "--logdir", "out", path=tmp_path).stderr
    declared = (ROOT / "orchestrator" / "features" / name / "__init__.py").read_text()
    for command in ("campaign", "distribution", "export", "new", "policy", "search", "testbed"):
        if f'"{command}": Command(' in declared:
            assert f"no command {command!r}" in orchestrate(command, path=tmp_path, code=2).stderr


def test_a_missing_library_is_named_with_the_extra_that_brings_it(tmp_path):
    (tmp_path / "lark.py").write_text("raise ModuleNotFoundError(\"No module named 'lark'\", name='lark')\n")
    (tmp_path / "p.escape").write_text("policy Empty {}\n")
    done = orchestrate("policy", "check", "p.escape", path=tmp_path, code=5)
    assert "cooja-orchestrate[policies]" in done.stderr
