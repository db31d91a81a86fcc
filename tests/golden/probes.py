# SPDX-License-Identifier: Apache-2.0
"""Builds the probes outside their folder."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

# The first five cases have the names of their probes.
NAMES = ("chain", "lossy-grid", "collisions", "radios-off", "two-channels")
_PROBE_OF = {"constant-loss-grid": "lossy-grid", "constant-loss-radios": "radios-off", "graph-channels": "two-channels",
             "graph-delays": "collisions", "graph-radios": "radios-off"}
PROBES = Path(__file__).resolve().parents[2] / "contiki-apps" / "probes"


ONE_TEXT = "-ffixed-rbx -DMOTE_LEAVES_RBX"  # what gcc needs for firmware whose motes share one text, on x86-64


def build(case: str, folder: Path, compiler: str = "gcc", flags: str = "-O2") -> Path:
    """The library of a probe, or of a case's, in `folder`, by the probes' own Makefile, called as Cooja calls it."""
    probe = _PROBE_OF.get(case, case)
    library = folder / f"{case}-{compiler}{flags.replace(' ', '')}.cooja"
    subprocess.run(["make", "-s", "-C", str(PROBES), f"{probe}.cooja", f"LIBNAME={library}", f"CC={compiler}",
                    f"CFLAGS={flags}"], check=True, capture_output=True)
    return library


def compilers() -> list[str]:
    """Those of gcc and clang that are here."""
    return [name for name in ("gcc", "clang") if shutil.which(name)]
