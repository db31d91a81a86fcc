# SPDX-License-Identifier: Apache-2.0
"""Runs on motes with microcontrollers: firmware is built for their platform and flashed as Intel HEX."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

import pytest

from orchestrator.build import contiki_ng
from orchestrator.csc.model import EndScript
from orchestrator.engines.model import on_platform
from orchestrator.errors import NoSuchThing, Unsupported
from orchestrator.execution import plan
from orchestrator.features.testbed.engine.engine import TestbedEngine
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import CONTIKI_NG, EngineOptions, FirmwareOptions
from tests.build.elf_of_a_microcontroller import elf
from tests.build.test_intel_hex import memory

END = EndScript(3_600_000_000, "!end", ends_at_verdict=True)
SAID = {"M1": b"one\n", "M2": b"two\n!end\n"}
SCENARIO = """\
experiment: hello
topology: {shape: chain, publishers: 1}
radio: {medium: udgm, range: 50 m, interference: 100 m}
application: {name: hello-nullnet}
duration: 2 s
drain: 0 s
start-delay: 1 s
seeds: 1
"""
# The gateway's cc2538-bsl: notes what it is to flash, and says what was recorded of the real one.
BSL = """#!/bin/sh
test "$1" = --version && echo 2.1 && exit
while test $# -gt 1; do test "$1" = -p && name=${2##*/}; shift; done
cp "$1" "$HOME/$name.hex"
echo "$name hex" >> "$HOME/flashed"
echo "    Verified (match: 0x386141c5)"
"""


def engine_of(bed, platform: str) -> TestbedEngine:
    bed.inventory.write_text(bed.inventory.read_text().replace("platform: sky", f"platform: {platform}"))
    return TestbedEngine(bed.inventory)


def scenario(bed):
    made = loads(SCENARIO, "hello.yaml")
    cells = [replace(one, engine="testbed", ruleset=None) for one in made.cells]
    options = EngineOptions(inventory=str(bed.inventory))
    return replace(made, cells=tuple(cells), engine=options)


def test_linked_firmware_is_flashed_as_intel_hex(bed):
    (bed.folder / "app.hex").write_bytes(elf([(0x4000, 0x4000, b"code")]))
    result, log = bed.run(END, SAID)
    assert result.outcome is Outcome.OK, result.evidence
    assert bed.boards.flashed()[0] == "M1 :04400000636F646521" and "ID:1\tone" in log


def test_a_simulators_library_is_never_flashed(bed):
    (bed.folder / "app.hex").write_bytes(b"\x7fELF\x02\x01" + bytes(80))
    result, _ = bed.run(END, {})
    assert result.outcome is Outcome.TESTBED and bed.boards.flashed() == []
    assert "microcontroller" in result.evidence[0]


def test_firmware_of_another_platform_is_not_taken(bed):
    engine = engine_of(bed, "z1")
    results = []
    engine.run([bed.job(END)], lambda _, result: results.append(result))
    assert results[0].outcome is Outcome.TESTBED and bed.boards.flashed() == []
    assert results[0].evidence == ("there is no firmware for the platform z1: it was built without it",)


def test_what_is_built_is_what_the_layout_and_spares_need(bed):
    text = bed.inventory.read_text()
    bed.inventory.write_text(
        text.replace("M2: {", "M2: {platform: zoul, ") + "layouts: {one: {motes: [M1]}}\n"
    )
    assert TestbedEngine(bed.inventory).targets == ("sky", "zoul")
    assert TestbedEngine(bed.inventory, "one").targets == ("sky",)
    assert engine_of(bed, "virtual").targets == ("zoul",)


def test_without_a_tree_the_platform_is_refused_before_anything_runs(bed, tmp_path, monkeypatch):
    monkeypatch.delenv("CONTIKI_NG", raising=False)
    with pytest.raises(Unsupported, match="not for sky\n    name a Contiki-NG tree"):
        plan.prepare(scenario(bed), tmp_path / "store")
    assert bed.boards.flashed() == []


def test_a_scenario_runs_on_cross_compiled_firmware(bed, tmp_path):
    """Needs a Contiki-NG tree with the submodule of zoul, and its compiler."""
    try:
        tree = contiki_ng.tree(None)
        if tree is None or not shutil.which("arm-none-eabi-gcc"):
            pytest.skip("no $CONTIKI_NG, or no arm-none-eabi-gcc")
        tree.check("zoul")
    except NoSuchThing as why:
        pytest.skip(str(why).split("\n")[0])
    text = bed.inventory.read_text()
    words = f"tool: command, flash: '{bed.home / 'flash'} {{firmware}} {{device}} {{image}}'"
    assert words in text
    bed.inventory.write_text(text.replace(words, "tool: cc2538-bsl").replace("sky", "zoul"))
    program = bed.home / "bin" / "cc2538-bsl"
    program.parent.mkdir(exist_ok=True)
    bed.server.path = str(program.parent)
    program.write_text(BSL)
    program.chmod(0o755)
    made = scenario(bed)
    options = FirmwareOptions(CONTIKI_NG, tree=os.environ["CONTIKI_NG"])
    made = replace(made, firmware=options)
    spec = next(plan.prepare(made, tmp_path / "store").specs())
    name = on_platform("hello_nullnet", "zoul")
    assert spec.firmware[name].suffix == ".zoul" and name in spec.firmware_sha256
    job = bed.job(END)
    results = []
    job = replace(job, deployment=spec.deployment, firmware=spec.firmware)
    with bed.playing({"M1": b"hello\n", "M2": b"hello\n"}):
        TestbedEngine(bed.inventory).run([job], lambda _, result: results.append(result))
    assert results[0].outcome is Outcome.OK, results[0].evidence
    flashed = memory((bed.home / "M1.hex").read_text())
    assert min(flashed) >= 0x00200000 and max(flashed) < 0x00280000, "within a CC2538's flash"
    assert results[0].testbed.tools == ("cc2538-bsl 2.1",)
