# SPDX-License-Identifier: Apache-2.0
"""What a short command loads: a run of some ms must not wait for modules that it does not use."""

from __future__ import annotations

import subprocess
import sys

import pytest

from orchestrator.cli.app import every_command
from tests import needs

LOADED = "\nimport sys; print(*sorted(sys.modules), file=sys.stderr)"
MAIN = "from orchestrator.cli.app import main\ntry: main(sys.argv[1:])\nexcept SystemExit: pass"
HEAVY = {"rich", "docker", "pyspark", "numpy", "pandas", "logging", "concurrent.futures", "difflib", "socket"}


def loaded(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{MAIN}{LOADED}", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())


# What a command's help itself tells of, beside the command line's own modules.
TOLD = {
    "new": {"scaffold", "resources"},
    "distribution": {"distribution"},  # the names of its readings
    "topology": {
        "topology",
        "papers",
        "scenario",
        "resources",
    },  # its shapes, those that papers draw included
    "sizes": {"build", "durable"},
}


@pytest.mark.parametrize("command", ["", *every_command()])
def test_help_loads_no_library(command):
    found = loaded(*filter(None, [command, "--help"]))
    assert not found & (HEAVY | {"lxml"})
    parts = {name.split(".")[1] for name in found if name.startswith("orchestrator.")}
    assert parts <= {"cli", "core", "errors", "feature", "features", "words", "vocabulary"} | TOLD.get(
        command, set()
    )


def test_a_run_loads_what_it_needs(tmp_path):
    needs.a_compiler()
    from tests.cli.test_simulate_several import csc

    (tmp_path / "a.csc").write_bytes(csc())
    loaded("simulate", str(tmp_path / "a.csc"), f"--logdir={tmp_path}")
    found = loaded("simulate", str(tmp_path / "a.csc"), f"--logdir={tmp_path}")
    assert (tmp_path / "COOJA.testlog").exists()
    assert not found & HEAVY
    assert not found & {
        "lxml",  # the file is remembered
        "orchestrator.csc.model",
        "orchestrator.scenario.model",
        "orchestrator.build.docker_build",
        "orchestrator.csc.javascript",
        "orchestrator.engines.embedded.interpreter",
    }
