# SPDX-License-Identifier: Apache-2.0
"""What a test module needs of the machine; without it the module is skipped, saying why."""

from __future__ import annotations

import shutil

import pytest

from orchestrator.build import compiler
from orchestrator.errors import MissingTool


def a_compiler() -> None:
    """A C compiler and make. Called while the module is loaded."""
    try:
        compiler.find()
        compiler.make()
    except MissingTool as missing:
        pytest.skip(str(missing), allow_module_level=True)


def a_program(name: str) -> None:
    """A program on the PATH."""
    if shutil.which(name) is None:
        pytest.skip(f"no {name} here", allow_module_level=True)
