# SPDX-License-Identifier: Apache-2.0
"""Calls a build's tools with a clean environment, and shows their errors if they fail."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from orchestrator.build import calls
from orchestrator.errors import BuildFailed

_SHOWN_ERRORS = 5


def clean_environment() -> dict[str, str]:
    """Return a build's environment, without MAKEFLAGS, a language and variables that choose flags."""
    passed = ("PATH", "HOME", "TMPDIR", "CCACHE_DIR", "LD_LIBRARY_PATH")
    return {name: os.environ[name] for name in passed if name in os.environ} | {"LC_ALL": "C"}


def call(
    command: list[str],
    folder: Path,
    environment: dict[str, str],
    what: str,
    run: Callable[..., Any] = calls.run,
) -> None:
    """Run a command of a build. Raises BuildFailed with the first errors that it printed."""
    try:
        code, output = run(command, folder, environment)
    except FileNotFoundError as error:
        raise BuildFailed(f"{what}: {error.strerror}: {error.filename}") from None
    if code != 0:
        raise BuildFailed(f"{what}: {shlex.join(command[:4])} ... failed\n{first_errors(output)}", output)


def first_errors(output: str) -> str:
    """Return the lines of a compiler's or make's output that say what is wrong, indented."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    errors = [
        line for line in lines if "error:" in line or "undefined reference" in line or "No rule" in line
    ]
    return "\n".join(f"    {line}" for line in (errors[:_SHOWN_ERRORS] or lines[-10:]))
