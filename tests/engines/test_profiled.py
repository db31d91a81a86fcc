# SPDX-License-Identifier: Apache-2.0
"""Instructions of motes by source file: callgrind's file as read, and a run counted."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from sky_firmware import job

from orchestrator.engines.embedded import profiled
from orchestrator.errors import MissingTool, Unsupported
from orchestrator.features.policies.paper import data
from orchestrator.features.policies.paper.figure_28 import FILE
from orchestrator.papers import simulated
from orchestrator.scenario.load import loads
from tests import needs


def test_a_missing_tool_is_named_with_its_package(monkeypatch):
    monkeypatch.setattr(profiled.shutil, "which", lambda tool: None if tool == "nm" else tool)
    with pytest.raises(MissingTool, match="no nm.*\n.*install binutils"):
        profiled.instructions(None)


def test_emulated_motes_are_refused_by_name(monkeypatch):
    monkeypatch.setattr(profiled.shutil, "which", lambda tool: tool)
    with pytest.raises(Unsupported, match="emulated motes"):
        profiled.instructions(job(Path("a.sky"), Path("log")))


def test_a_longer_run_executes_more_of_what_it_repeats(tmp_path):
    needs.a_compiler()
    if missing := [tool for tool in profiled._TOOLS if shutil.which(tool) is None]:
        pytest.skip(f"no {missing}")
    (cell,) = (one for one in loads(data.text(FILE), FILE).cells if one.name == "0%-5")

    def counted(duration_us: int) -> Counter[str]:
        (folder := tmp_path / str(duration_us)).mkdir(exist_ok=True)
        made = simulated.job(replace(cell, duration_us=duration_us), Path(folder), cflags="-fno-lto")
        return profiled.instructions(made)

    one, two, four = (counted(seconds * 1_000_000) for seconds in (1, 2, 4))
    assert counted(1_000_000) == one
    assert {file.split("/")[0] for file in one} == {"app", "middleware", "os", profiled.LIBC}
    # With a reading every 400 ms, two sensors of three have read by then: the components' code grows evenly.
    more = [later["app/sensing.c"] - sooner["app/sensing.c"] for sooner, later in ((one, two), (two, four))]
    assert 0 < more[0] < more[1] < 3 * more[0]
    assert one["app/configuration.c"] == four["app/configuration.c"] > 0
