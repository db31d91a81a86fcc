# SPDX-License-Identifier: Apache-2.0
"""The records of what a real Cooja said, and an engine on a program that plays them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from orchestrator.engines.cooja.engine import CoojaEngine
from orchestrator.scenario.model import EngineOptions

HERE = Path(__file__).resolve().parent


def record(rules: str, case: str) -> dict:
    return json.loads((HERE / "recorded" / rules / f"{case}.json").read_text(encoding="utf-8"))


def alive(folder: Path) -> list[str]:
    """Processes of this machine whose command line or working folder names the test's folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().decode("utf-8", "replace")
            place = os.readlink(process / "cwd")
        except OSError:
            continue
        if int(process.name) != os.getpid() and (str(folder) in command or str(folder) in place):
            found.append(f"{process.name}: {command}")
    return found


class Fake:
    """An engine on a program that plays records, and what that program was called with."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.program = folder / "cooja"
        self.program.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE / "fake_cooja.py"} "$@"\n')
        self.program.chmod(0o755)
        self.plan = folder / "plan.json"
        self.library = folder / "firmware"
        self.library.write_bytes(b"any bytes: this Cooja does not look")
        self.engine = CoojaEngine(EngineOptions(path=str(self.program)))

    def will(self, *steps: dict) -> None:
        self.plan.write_text(json.dumps(steps), encoding="utf-8")

    def starts(self) -> list[str]:
        return (self.folder / "starts").read_text().splitlines()
