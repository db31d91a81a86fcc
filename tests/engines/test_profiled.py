# SPDX-License-Identifier: Apache-2.0
"""Instructions of motes by source file: callgrind's file as read, and a run counted."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.engines.embedded import profiled
from orchestrator.errors import MissingTool, RunFailed
from orchestrator.features.policies.paper import data, simulated
from orchestrator.features.policies.paper.figure_28 import FILE
from orchestrator.scenario.load import loads
from tests import needs

# The kernel (object 1) enters the firmware (object 2, of no file), which calls libc (3) and the kernel.
COUNTS = """\
version: 1
positions: instr
events: Ir

ob=(1) /some/kernel
fl=(1) ???
fn=(1) tick
0x7000 3
cob=(2) ???
cfn=(2) 0x0000000004000010
calls=5 0x4000010
+4 900
* 7
cfn=(6) 0x0000000000007200
calls=1 0x7200
* 60

ob=(2)
fn=(2)
0x4000010 10
+2 20
cob=(3) /lib/libc.so.6
cfn=(3) __memcpy_avx_unaligned
calls=2 0x9000
-2 400
cob=(1)
cfn=(4) switch
calls=1 0x7100
* 8000
* 5
cfn=(5) 0x0000000004000020
calls=1 0x4000020
* 77

ob=(3)
fn=(3)
0x9000 400
totals: 9999
"""


def test_only_the_firmwares_instructions_are_counted_and_libcs_for_it():
    code = profiled._read(COUNTS.splitlines(keepends=True))
    assert code.executed == Counter({0x4000010: 10 + 400 + 5, 0x4000012: 20})
    assert code.entered == {0x4000010}


@pytest.mark.parametrize(
    ("place", "file"),
    [
        ("./app/./os/lib/list.c:12 (discriminator 3)", "os/lib/list.c"),
        ("./app/./app/world.c:7", "app/world.c"),
        ("??:0", profiled.LIBC),
        ("??:?", profiled.LIBC),
    ],
)
def test_the_file_of_a_place(place, file):
    assert profiled._file(place) == file


def test_code_that_is_not_shared_is_refused(monkeypatch, tmp_path):
    (tmp_path / "firmware").write_bytes(bytes(100))
    monkeypatch.setattr(profiled, "_symbols", lambda _: {"cooja_init": 0x10, "cooja_tick": 0x20})
    code = profiled._Code(Counter({0x4000010: 5}), {0x4000010})
    with pytest.raises(RunFailed, match="don't share it"):
        profiled._by_file(code, tmp_path / "firmware")


def test_a_missing_tool_is_named_with_its_package(monkeypatch):
    monkeypatch.setattr(profiled.shutil, "which", lambda tool: None if tool == "nm" else tool)
    with pytest.raises(MissingTool, match="no nm.*\n.*install binutils"):
        profiled.instructions(None)


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
