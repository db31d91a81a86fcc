# SPDX-License-Identifier: Apache-2.0
"""A file of 2009, brought up to date, runs in a real Cooja (set COOJA to one)."""

import os
import subprocess

import pytest
from test_fix import old

from orchestrator.applications import descriptor
from orchestrator.build import host
from orchestrator.csc.fixing import fix
from orchestrator.engines.cooja import classes, find, java
from orchestrator.engines.cooja.command import HEAP, command
from tests import needs
from tests.waiting import HANG_S

if not os.environ.get("COOJA"):
    pytest.skip(
        "set COOJA to a Cooja: its folder, its jar or a program that starts it", allow_module_level=True
    )
needs.a_compiler()


def test_the_result_runs(tmp_path):
    library = host.firmware(descriptor.folder() / "aggregation", {}).path
    (tmp_path / "firmware.cooja").write_bytes(library.read_bytes())
    (tmp_path / "place.sh").write_text(
        'mkdir -p build/cooja && cp firmware.cooja "build/cooja/${LIBNAME##*/}"\n'
    )
    (tmp_path / "old.csc").write_text(old())
    (tmp_path / "new.csc").write_bytes(fix(tmp_path / "old.csc", seconds=2).data)
    place = find.find()
    said = None if place.jar is None else classes.read(place.jar)
    runtime = "" if said is None else str(java.find(said).executable)
    for name, loads in (("old.csc", False), ("new.csc", True)):
        done = subprocess.run(
            command(place, runtime, said, HEAP, [name]),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )
        assert (done.returncode == 0) is loads, done.stdout + done.stderr
    assert "TEST OK" in (tmp_path / "COOJA.testlog").read_text()
