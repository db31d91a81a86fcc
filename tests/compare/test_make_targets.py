# SPDX-License-Identifier: Apache-2.0
"""`make compare`, `make contiki-ng-tests`, `make contract`: what the Makefile says is what their commands
take.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests import needs

ROOT = Path(__file__).resolve().parents[2]
needs.a_program("make")


def command(target: str, *given: str) -> list[str]:
    """What make would run for it last."""
    outside = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "STORE")
    }
    said = subprocess.run(
        ["make", "-n", "-o", ".venv/.ready", target, *given],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env=outside,
    ).stdout  # as if no make ran these tests, which would say more
    return shlex.split(said.splitlines()[-1])


@pytest.mark.parametrize(("target", "own"), [("demo", "orchestrate-store"), ("contract", "contract-store")])
def test_each_has_a_store_of_its_own_unless_one_is_named(target, own):
    for given, store in (((), own), (("STORE=kept",), "kept")):
        words = command(target, *given)
        assert words[words.index("--store") + 1] == store


@pytest.mark.parametrize("target", ["compare", "contiki-ng-tests", "contract"])
@pytest.mark.parametrize(
    "given", [(), ("COOJA=5.0=/a /b", "CONTIKI_NG=/tree", "STORE=kept", "ONLY=two words"), ("WRITE=1",)]
)
def test_the_command_takes_what_make_gives_it(target, given):
    words = command(target, *given)[1:]
    done = subprocess.run(
        [sys.executable, "-c", KNOWN, *words[1:]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


# Parsers of both modules, with an error for what they don't know; their own demands (a tree, a Cooja) are not
# asked here.
KNOWN = """
import argparse, runpy, sys
def known(self, args=None, namespace=None):
    found, left = self.parse_known_args(args, namespace)
    sys.exit(f"unknown: {left}" if left else 0)
argparse.ArgumentParser.parse_args = known
module, sys.argv = sys.argv[1], sys.argv[1:]
runpy.run_module(module, run_name="__main__")
"""
