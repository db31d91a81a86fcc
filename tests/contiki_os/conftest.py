# SPDX-License-Identifier: Apache-2.0
"""Builds test firmware with the embedded Contiki, and runs it in driver.c."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from os_builds import DEFAULT, HERE, Line, compile_host, make

from tests.waiting import HANG_S


@pytest.fixture(scope="session")
def work(tmp_path_factory) -> Path:
    if shutil.which("cc") is None or shutil.which("make") is None:
        pytest.skip("no C compiler, or no make")
    return tmp_path_factory.mktemp("contiki-os")


@pytest.fixture(scope="session")
def firmware(work):
    """firmware(name, compiler, flags, mac, clock, phase, cca) -> library of firmware/NAME.c, built once."""

    @cache
    def build(
        name: str,
        compiler: str = DEFAULT,
        flags: str = "-O0",
        mac: str = "csma",
        clock: int = 1000,
        phase: str = "in-step",
        cca: int = -95,
    ) -> Path:
        if shutil.which(compiler) is None:
            pytest.skip(f"no {compiler}")
        folder = work / f"{mac}{compiler}{flags}{clock}{phase}{cca}".replace(
            " ", ""
        )  # one for all firmware: they share the system's objects
        made = make(
            HERE / "firmware",
            f"CONTIKI_PROJECT={name}",
            f"MAC={mac}",
            f"CLOCK={clock}",
            f"PHASE={phase}",
            f"CCA={cca}",
            f"CC={compiler}",
            f"CFLAGS={flags}",
            f"BUILD_DIR={folder}",
            "EXTRA_CC_ARGS=-Werror",
            "-j2",
            f"{name}.cooja",
        )
        assert made.returncode == 0, made.stdout
        return folder / "cooja" / f"{name}.cooja"

    return build


@pytest.fixture(scope="session")
def driver(work) -> Path:
    return compile_host(HERE / "driver.c", work / "driver", "-ldl")


@pytest.fixture(scope="session")
def run(driver):
    """run(library, *options) -> list[Line], from the mote's own time (it boots at 10 ms)."""

    def _run(library: Path, *options: str) -> list[Line]:
        ran = subprocess.run(
            [str(driver), str(library), *options], check=False, capture_output=True, text=True, timeout=HANG_S
        )
        assert ran.returncode == 0, f"driver: {ran.returncode} {ran.stderr}"
        lines = []
        for line in ran.stdout.splitlines():
            time, origin, *text = line.split("\t")
            if text:
                lines.append(Line(int(time), int(origin.removeprefix("ID:")), text[0]))
            else:
                lines.append(Line(int(time), 0, origin))
        return lines

    return _run
