# SPDX-License-Identifier: Apache-2.0
"""What emulated Tmote Skys don't take part in is refused by name before they run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from orchestrator.build import kernel
from orchestrator.csc.read import read
from orchestrator.engines.embedded.description import describe

FOLDER = Path(__file__).parents[1] / "golden" / "sky"


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        (["--air", "air"], "the record of radios"),
        (["--radio", "."], "the record of radios"),
        (["--outside", "9"], "outside of the simulation"),
    ],
)
def test_it_is_refused_with_what_to_do_instead(asked, what, tmp_path):
    run = read(FOLDER / "constant-loss" / "simulation.csc")
    text = describe(run, run.seed, {"mtype1": FOLDER / "probe.sky"}, "2026.07")
    command = [kernel.executable(), "--log", "log", *asked]
    done = subprocess.run(command, input=text, capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode != 0
    message = json.loads(done.stdout)["message"]
    assert what in message
    assert "--engine cooja" in message
    assert not (tmp_path / "log").exists()
