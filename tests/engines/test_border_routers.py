# SPDX-License-Identifier: Apache-2.0
"""Contiki-NG's own border-router tests, which ping a mote through a TUN device: set CONTIKI_NG to its tree.

Each runs in a network namespace of its own, for a minute or two of real time and little of a processor's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.csc import needs
from orchestrator.csc.read import read
from orchestrator.engines.embedded import machine
from orchestrator.errors import MissingTool

TREE = os.environ.get("CONTIKI_NG", "")
FOLDER = Path(TREE or "-", "tests", "17-tun-rpl-br")
TESTS = sorted(path.name for path in FOLDER.glob("*.csc"))

pytestmark = [
    pytest.mark.skipif(not TESTS, reason="CONTIKI_NG names no Contiki-NG tree with border-router tests"),
    pytest.mark.skipif(not shutil.which("unshare"), reason="no unshare here"),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy: the tests build in it."""
    copy = tmp_path_factory.mktemp("tree") / "contiki-ng"
    shutil.copytree(TREE, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    return copy


@pytest.mark.parametrize("name", TESTS)
def test_a_mote_behind_the_border_router_answers(tree, tmp_path, name):
    file = tree / "tests" / "17-tun-rpl-br" / name
    commands = [line for one in read(file, tree).serial_sockets for line in one.commands]
    if "sky" in name and not any((tree / "arch/cpu/arm/CMSIS").glob("*/*")):
        pytest.skip("its command makes a target for which the tree lacks the submodule CMSIS")
    try:
        machine.check(
            needs.of_commands(commands, lambda text: Path(text.replace("[CONFIG_DIR]", str(file.parent)))), ""
        )
    except MissingTool as missing:
        pytest.skip(str(missing))
    ours = ["-m", "orchestrator.cli.app", "simulate", str(file), f"--contiki={tree}", f"--logdir={tmp_path}"]
    inside = 'ip link set lo up && exec "$@"'
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", inside, "sh", sys.executable, *ours],
        capture_output=True,
        text=True,
        check=False,
    )
    output = tmp_path / "commands.log"
    assert done.returncode == 0, done.stderr + (output.read_text() if output.exists() else "")
