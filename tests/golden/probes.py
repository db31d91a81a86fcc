# SPDX-License-Identifier: Apache-2.0
"""Builds the probes outside their folder."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from orchestrator.csc.model import Simulation

NAMES = ("chain", "lossy-grid", "collisions", "radios-off", "two-channels", "devices")
PROBES = Path(__file__).resolve().parents[2] / "contiki-apps" / "probes"


# What gcc needs for firmware whose motes share one copy of the code, on x86-64.
SHARING = "-ffixed-rbx -DMOTE_LEAVES_RBX"


def build(probe: str, folder: Path, compiler: str = "gcc", flags: str = "-O2") -> Path:
    """The library of a probe in `folder`, by the probes' own Makefile, called as Cooja calls it; once."""
    library = folder / f"{probe}-{compiler}{flags.replace(' ', '')}.cooja"
    if library.exists():
        return library
    subprocess.run(
        [
            "make",
            "-s",
            "-C",
            str(PROBES),
            f"{probe}.cooja",
            f"LIBNAME={library}",
            f"CC={compiler}",
            f"CFLAGS={flags} -fsigned-char",  # as where the golden logs were recorded; ARM's is not
        ],
        check=True,
        capture_output=True,
    )
    return library


def firmware(
    simulation: Simulation, folder: Path, compiler: str = "gcc", flags: str = "-O2"
) -> dict[str, Path]:
    """The libraries of a simulation's mote types, by identifier; each source is a probe's."""
    return {
        mote_type.identifier: build(Path(mote_type.source).stem, folder, compiler, flags)
        for mote_type in simulation.mote_types
    }


def compilers() -> list[str]:
    """Those of gcc and clang that are here."""
    return [name for name in ("gcc", "clang") if shutil.which(name)]
