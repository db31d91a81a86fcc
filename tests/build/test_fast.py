# SPDX-License-Identifier: Apache-2.0
"""Firmware compiled our way (contiki-apps/Makefile.fast) prints the same as when its tree compiles it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.build import commands, fast, firmware, recipe
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.errors import BuildFailed
from orchestrator.execution.library import BuildOptions, library
from orchestrator.runs.model import Outcome
from orchestrator.scenario.model import AS_IS, CONTIKI_NG, FAST, FirmwareOptions
from tests import needs
from tests.stand_in_tree import stand_in_tree

needs.a_compiler()
pytestmark = pytest.mark.xdist_group("engine")
TREE = os.environ.get("CONTIKI_NG", "")
EXAMPLES = {  # the first mote runs the first program, the others the last one
    "examples/nullnet": ("nullnet-broadcast",),
    "examples/rpl-udp": ("udp-server", "udp-client"),
    "examples/6tisch/simple-node": ("node",),
}
PRINTS = """\
#include "contiki.h"
#include <stdio.h>
PROCESS(p, "p");
AUTOSTART_PROCESSES(&p);
PROCESS_THREAD(p, ev, data)
{
  PROCESS_BEGIN();
  %s
  PROCESS_END();
}
"""
MAKEFILE = "CONTIKI_PROJECT = own\nall: own\ninclude $(CONTIKI)/Makefile.include\n"


def on_contiki_ng(test):
    """A mark is no fixture's, so each test bears both."""
    skipped = pytest.mark.skipif(not Path(TREE or "-").is_dir(), reason="CONTIKI_NG names no Contiki-NG tree")
    return pytest.mark.contiki_ng(skipped(test))


def gcc_for_x86_64() -> bool:
    return platform.machine() == "x86_64" and shutil.which("gcc") is not None


def simulation(*sources: Path, motes: int = 9, seconds: int = 60) -> Simulation:
    types = tuple(
        MoteType(
            f"t{number}",
            source.stem,
            str(source),
            f"$(MAKE) {source.stem}.cooja TARGET=cooja",
            STANDARD_INTERFACES,
        )
        for number, source in enumerate(sources)
    )
    places = tuple(
        Mote(types[0 if i == 0 else -1].identifier, i + 1, i % 3 * 40.0, i // 3 * 40.0) for i in range(motes)
    )
    return Simulation(
        "fast",
        7,
        1_000_000,
        Udgm(50.0, 100.0, 0.95, 0.9),
        types,
        places,
        EndScript(seconds * 1_000_000, None, None, True),
    )


def run(made: Simulation, libraries: dict[str, Path], log: Path) -> bytes:
    result = run_one(engine("embedded"), Job(made, made.seed, libraries, log))
    assert result.outcome is Outcome.OK, result.evidence
    return log.read_bytes()


def symbols(built: Path) -> str:
    return subprocess.run(["nm", "-D", built], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """own(statements, fast): the log of a program of these, built by a .csc's commands on the tree."""
    made = tmp_path_factory.mktemp("own")

    def logged(statements: str, our_way: bool) -> bytes:
        tree = made / "tree"
        if not tree.exists():
            shutil.copytree(
                TREE, tree, symlinks=True, ignore=shutil.ignore_patterns(".git", "build", "doc", "tests")
            )
        folder = tree / "examples" / "own"
        folder.mkdir(exist_ok=True)
        (folder / "Makefile").write_text(MAKEFILE.replace("$(CONTIKI)", "../.."))
        (folder / "own.c").write_text(PRINTS % statements)
        simulated = simulation(folder / "own.c", motes=1, seconds=2)
        built = commands.build(
            folder / "own.c", "t0", simulated.mote_types[0].commands, [], commands.Compilation(fast=our_way)
        )
        return run(simulated, {"t0": built}, made / "log")

    return logged


@on_contiki_ng
@pytest.mark.parametrize("folder", EXAMPLES)
def test_the_tree_s_examples_write_the_same_bytes(folder, tmp_path):
    made = simulation(*(Path(TREE, folder, f"{name}.c") for name in EXAMPLES[folder]))
    logs, built = {}, {}
    for our_way in (False, True):
        options = BuildOptions(fast=our_way)
        built[our_way] = {one.identifier: library(one, made.config_dir, options) for one in made.mote_types}
        logs[our_way] = run(made, built[our_way], tmp_path / "log")
    assert logs[True] == logs[False] and logs[True].count(b"\n") > 50
    assert not any("mote_leaves_rbx" in symbols(path) for path in built[False].values())
    for path in built[True].values():
        assert ("mote_leaves_rbx" in symbols(path)) == gcc_for_x86_64()
        code = subprocess.run(["objdump", "-d", path], capture_output=True, text=True, check=True).stdout
        assert not gcc_for_x86_64() or not re.search(r"%(rbx|ebx|bx|bl)\b", code)


@on_contiki_ng
def test_what_the_c_library_would_print_by_itself_is_in_the_log(own):
    statements = (
        'putchar(\'a\'); putchar(\'0\' + simple()); puts("b"); printf("c\\n"); printf("%s\\n", "d"); '
        'printf("%c", 10);'
    )
    statements = statements.replace("simple()", "(int)(process_is_running(&p) != 0)")
    logs = [own(statements, our_way) for our_way in (False, True)]
    assert logs[0] == logs[1] and b"a1b" in logs[0] and b"\td\n" in logs[0]


@on_contiki_ng
def test_code_is_held_to_what_it_means_unoptimised(own):
    statements = (
        "static volatile int big = 0x7fffffff; int last = big, next = last + 1; "
        'printf("%d\\n", next < last); '
        'static float one = 1; *(volatile unsigned *)&one |= 1u << 31; printf("%d\\n", one < 0);'
    )
    logs = [own(statements, our_way) for our_way in (False, True)]
    assert logs[0] == logs[1] and logs[0].count(b"\t1\n") == 2


@on_contiki_ng
@pytest.mark.skipif(not gcc_for_x86_64(), reason="clang makes no such warnings")
def test_a_warning_that_only_optimisation_makes_is_no_error(own, monkeypatch):
    statements = (
        "static volatile int many = 3; int value; for(int i = 0; i < many; i++) { value = i; } "
        'printf("%d\\n", value);'
    )
    assert own(statements, True) == own(statements, False)
    monkeypatch.setenv("EXTRA_CC_ARGS", "-O2")
    with pytest.raises(BuildFailed, match="maybe-uninitialized"):
        own(statements, False)


@on_contiki_ng
@pytest.mark.skipif(not gcc_for_x86_64(), reason="gcc for x86-64 leaves rbx alone")
def test_assembly_that_wants_the_register_has_a_remedy(own):
    statements = (
        'unsigned a = 0, b, c, d; __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d)); '
        'printf("%d\\n", b != 0);'
    )
    assert b"\t1\n" in own(statements, False)
    with pytest.raises(BuildFailed, match="--compile as-is"):
        own(statements, True)


@on_contiki_ng
@pytest.mark.skipif(shutil.which("clang") is None, reason="no clang here")
def test_clang_only_optimises(tmp_path):
    made = {}
    for how in (AS_IS, FAST):
        chosen = firmware.builder(FirmwareOptions(CONTIKI_NG, tree=TREE, compile=how))
        made[how] = chosen.firmware("hello-nullnet", cc="clang")
        assert "mote_leaves_rbx" not in symbols(made[how].path)
    assert made[AS_IS].sha256 != made[FAST].sha256
    simulated = replace(simulation(tmp_path / "hello-nullnet.c"), medium=Udgm(50.0, 100.0, 1.0, 1.0))
    logs = [run(simulated, {"t0": one.path}, tmp_path / "log") for one in made.values()]
    assert logs[0] == logs[1] and logs[0].count(b"\n") > 50


@on_contiki_ng
def test_applications_of_ours_too_and_what_was_built_stands_in_the_manifest(tmp_path):
    made = {
        how: firmware.builder(FirmwareOptions(CONTIKI_NG, tree=TREE, compile=how)) for how in (FAST, AS_IS)
    }
    assert made[FAST].described()["compile"] == FAST and "compile" not in made[AS_IS].described()
    built = {how: one.firmware("hello-nullnet") for how, one in made.items()}
    assert built[FAST].key != built[AS_IS].key
    logs = [run(simulation(tmp_path / "x.c"), {"t0": one.path}, tmp_path / "log") for one in built.values()]
    assert logs[0] == logs[1]


def test_only_a_tree_s_firmware_for_cooja_and_not_what_checks_itself(tmp_path):
    tree = stand_in_tree(tmp_path)
    made = recipe.recipe("hello-nullnet", tree=tree, cflags="-DX")
    asked = made.environment("/w", "/t")
    assert made.is_fast and asked["MAKEFILES"] == "/w/Makefile.fast" and asked["LDFLAGS"] == fast.LDFLAGS
    assert asked["CFLAGS"].startswith(f"{fast.CFLAGS} ") and asked["CFLAGS"].endswith(" -DX"), (
        "the user's flags have the last word"
    )
    plain = replace(made, fast=False)
    assert plain.environment("/w", "/t") == {
        name: value.removeprefix(f"{fast.CFLAGS} ")
        for name, value in asked.items()
        if name not in ("MAKEFILES", "LDFLAGS")
    }
    assert plain.key() != made.key()
    for other in (
        recipe.recipe("hello-nullnet"),
        recipe.recipe("hello-nullnet", tree=tree, cflags="-fsanitize=undefined"),
        recipe.recipe("hello-nullnet", target="zoul", from_image="a@sha256:0"),
    ):
        assert (
            not other.is_fast
            and "MAKEFILES" not in other.environment("/w", "/t")
            and "fast" not in other.key()
        )
    assert recipe.recipe("hello-nullnet", from_image="a@sha256:0").is_fast


def flags(*given: str) -> tuple[str, str]:
    made = subprocess.run(
        ["make", "-s", "-f", fast.file(), "-f", "-", *given],
        check=True,
        capture_output=True,
        text=True,
        input="show: ; @echo '$(FAST_CFLAGS)/$(FAST_LDFLAGS)'\n",
    ).stdout.strip()
    return tuple(part.strip() for part in made.split("/"))


def test_what_the_compiler_does_not_know_is_left_out(tmp_path):
    ignorant = tmp_path / "ignorant-cc"
    ignorant.write_text('#!/bin/sh\ncase "$*" in *-ffixed-rbx*) exit 1;; esac\nexec cc "$@"\n')
    ignorant.chmod(0o755)
    compiler, linker = flags("TARGET=cooja", "CONTIKI=x", f"CC={ignorant}", "show")
    assert "-O2" in compiler and "rbx" not in compiler and linker == ""
    if gcc_for_x86_64():
        compiler, linker = flags("TARGET=cooja", "CONTIKI=x", "CC=gcc", "show")
        assert "-ffixed-rbx" in compiler and "mote_leaves_rbx" in linker
    for elsewhere in (
        ("TARGET=zoul", "CONTIKI=x"),
        ("TARGET=cooja",),
        ("TARGET=cooja", "CONTIKI=x", "CLANG=1"),
    ):
        assert flags(*elsewhere, "CC=gcc", "show") == ("", "")
