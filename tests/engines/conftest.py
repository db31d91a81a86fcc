# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from types import SimpleNamespace

import pytest
from engine_firmware import compile_firmware

from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one


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
