# SPDX-License-Identifier: Apache-2.0
"""The call of make for firmware on Contiki-NG: its compiler on the command line for Cooja's motes alone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.build import host
from orchestrator.build.recipe import COOJA


@pytest.mark.parametrize(("target", "named"), [(COOJA, ["CC=our-cc -m32"]), ("sky", [])])
def test_only_cooja_s_motes_are_compiled_by_the_chosen_compiler(monkeypatch, target, named):
    """A platform has a compiler of its own, which its Makefiles name."""
    called = []
    monkeypatch.setattr(host, "call", lambda *given: called.append(given))
    recipe = SimpleNamespace(
        tree=SimpleNamespace(folder=Path("/tree")),
        folder=lambda work, tree: f"{work}/app",
        arguments=lambda work, tree, cores: [f"TARGET={target}", "product"],
        environment=lambda work, tree: {"TREE": tree},
        name="mine",
        on_contiki_ng=True,
        target=target,
        is_fast=False,
    )
    host._make(recipe, Path("/there"), "make", SimpleNamespace(shell="our-cc -m32"))
    ((words, folder, environment, what),) = called
    assert words == ["make", f"TARGET={target}", *named, "product"] and folder == Path("/there/app")
    assert environment["TREE"] == "/tree"
    assert what == f"firmware mine for {target} on Contiki-NG"
