# SPDX-License-Identifier: Apache-2.0
"""Compiles a Contiki-NG tree's firmware for Cooja's motes our way.

This is contiki-apps/Makefile.fast, that file for make, and the variables by which its flags reach a build.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator import resources
from orchestrator.durable import sha256
from orchestrator.errors import BuildFailed

NAME = "Makefile.fast"
CFLAGS, LDFLAGS = "$(FAST_CFLAGS)", "$(FAST_LDFLAGS)"


def file() -> Path:
    """Return the makefile that compiles a tree's firmware with optimisation."""
    return resources.contiki_apps() / NAME


def digest() -> str:
    """Return the makefile's SHA-256, which is part of the firmware's key."""
    return sha256(file())


def variables(makefile: str) -> dict[str, str]:
    """Return the variables of make's environment; `makefile`: where make finds our file.

    CFLAGS goes in front of the other flags of a compiler's.
    """
    return {"MAKEFILES": makefile, "LDFLAGS": LDFLAGS}


def explained(failed: BuildFailed) -> BuildFailed:
    """Return the failure, with a remedy if assembly code wants the register that our way reserves."""
    if "'asm'" not in failed.output and "‘asm’" not in failed.output:
        return failed
    return BuildFailed(
        f"{failed}\n    assembly may not use rbx here: --compile as-is (in a scenario `firmware: {{compile: "
        "as-is}`) leaves "
        "it to it",
        failed.output,
    )
