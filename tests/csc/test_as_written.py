# SPDX-License-Identifier: Apache-2.0
"""What only real Cooja runs of a .csc gets to it as written, with the firmware that is there or is built."""

import os
from pathlib import Path

import pytest

from orchestrator.csc import as_written
from orchestrator.csc.mote_type import MspType
from orchestrator.csc.write import write
from orchestrator.engines.cooja.engine import CoojaEngine
from orchestrator.engines.cooja.stage import SIMULATION, Stage
from orchestrator.errors import MissingTool
from orchestrator.execution.library import library
from orchestrator.scenario.model import EngineOptions

SKY = """
    <motetype>
      org.contikios.cooja.mspmote.SkyMoteType
      <description>Sky</description>
      <firmware>[CONFIG_DIR]/ready.sky</firmware>
      <mote>
        <interface_config>org.contikios.cooja.mspmote.interfaces.MspMoteID<id>9</id></interface_config>
      </mote>
    </motetype>
  </simulation>"""
MIXED = MspType("mtype2", "[CONFIG_DIR]/app.c", "make app.sky TARGET=sky", "", "sky", "msp430-gcc")


@pytest.fixture
def file(small, tmp_path) -> Path:
    """A file with Cooja motes, and a Sky mote whose firmware is there."""
    (tmp_path / "ready.sky").write_bytes(b"firmware")
    (tmp_path / "a.csc").write_text(write(small).decode().replace("\n  </simulation>", SKY))
    return tmp_path / "a.csc"


def test_sky_motes_pass_through_with_their_firmware(file, tmp_path):
    found = CoojaEngine(EngineOptions()).read(file)
    assert [one.identifier for one in found.mote_types] == ["mtype1", "mtype2"]
    firmware = {"mtype1": tmp_path / "ready.sky", "mtype2": library(found.mote_types[1], tmp_path)}
    stage = Stage(tmp_path, found, 5, firmware)
    staged = (stage.folder / SIMULATION).read_text()
    assert "SkyMoteType" in staged and "<randomseed>5</randomseed>" in staged
    assert "<firmware>[CONFIG_DIR]/type2/firmware.sky</firmware>" in staged
    assert "<source>[CONFIG_DIR]/type1/type1.c</source>" in staged and "node.c" not in staged
    assert (stage.folder / "type2" / "firmware.sky").read_bytes() == b"firmware"
    stage.remove()


def test_files_that_the_csc_names_are_named_from_the_run_s_folder(file, tmp_path):
    (tmp_path / "s.js").write_text("log.testOK();")
    text = file.read_text()
    start, end = text.index("<script>"), text.index("</script>") + len("</script>")
    file.write_text(f"{text[:start]}<scriptfile>[CONFIG_DIR]/s.js</scriptfile>{text[end:]}")
    staged = as_written.read(file).staged(1, {}, {}).decode()
    assert f"<scriptfile>{tmp_path / 's.js'}</scriptfile>" in staged


def test_a_compiler_that_is_here_builds_and_one_that_is_not_is_named(tmp_path, monkeypatch):
    (tmp_path / "app.c").write_text("")
    (tmp_path / "Makefile").write_text("app.sky:\n\tmkdir -p build/sky && echo built > build/sky/app.sky\n")
    with pytest.raises(MissingTool, match=r"build/z1/app\.z1, and msp430-gcc"):
        library(MIXED._replace(target="z1"), tmp_path)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "msp430-gcc").write_text('#!/bin/sh\nexec cc "$@"\n')
    (tools / "msp430-gcc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    assert library(MIXED, tmp_path).read_text() == "built\n"
    assert not (tmp_path / "build").exists(), "it was built in a copy"


def test_without_any_compiler_for_a_tmote_sky_the_ones_to_install_are_named(tmp_path, monkeypatch):
    (tmp_path / "app.c").write_text("")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingTool, match=r"(?s)build/sky/app\.sky.*msp430-gcc.*clang-19"):
        library(MIXED, tmp_path)
