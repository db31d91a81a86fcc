# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from engine_firmware import compile_firmware

from orchestrator.csc import javascript
from orchestrator.csc.read import read
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from tests.waiting import HANG_S


@pytest.fixture(scope="session")
def embedded():
    found = engine("embedded")
    found.prepare()
    return found


@pytest.fixture(scope="session")
def firmware(tmp_path_factory):
    """compile(body, ...) -> library, each compiled once a session."""
    folder = tmp_path_factory.mktemp("firmware")
    built = {}

    def compile(body: str, flags: tuple[str, ...] = (), **options):
        key = (body, flags, tuple(options.items()))
        if key not in built:
            built[key] = compile_firmware(folder, f"f{len(built)}", body, flags, **options)
        return built[key]

    return compile


@pytest.fixture
def run(embedded, tmp_path):
    """run(simulation, library) -> its result, the log's lines as (time, mote, text), and the whole log."""

    def run(simulation, library, seed: int = 1, **options):
        log = tmp_path / "COOJA.testlog"
        result = run_one(embedded, Job(simulation, seed, {"t": library}, log, **options))
        content = log.read_bytes() if log.exists() else b""
        lines = [line.split("\t", 2) for line in content.decode("utf-8").split("\n") if "\tID:" in line]
        parsed = [(int(time), int(mote[3:]), text) for time, mote, text in lines]
        return SimpleNamespace(result=result, lines=parsed, log=content, path=log)

    return run


@pytest.fixture(scope="module")
def run_script(tmp_path_factory):
    """run_script(text) runs a script over the probe `chain`; gives the log's lines and the result."""
    sys.path.append(str(Path(__file__).resolve().parents[1] / "golden"))
    from golden_cases import simulation
    from probes import build

    folder = tmp_path_factory.mktemp("scripts")
    base, library = read(simulation("chain")), build("chain", folder)
    embedded = engine("embedded")
    embedded.prepare()

    def call(text: str, log: Path | None = None, wall_limit_s=HANG_S, **changes):
        script, missing = javascript.read([javascript.Part(text, "s.js", 1)])
        assert not missing, missing
        log = log or folder / "COOJA.testlog"
        firmware = {mote_type.identifier: library for mote_type in base.mote_types}
        changed = replace(base, script=script, **changes)
        result = run_one(embedded, Job(changed, 3, firmware, log, wall_limit_s=wall_limit_s))
        return log.read_text(encoding="utf-8").splitlines(), result

    return call
