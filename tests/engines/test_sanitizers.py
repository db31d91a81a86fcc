# SPDX-License-Identifier: Apache-2.0
"""Firmware compiled with sanitizers: what is found, how it is told, and that nothing else changes."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

import pytest
from engine_firmware import HEAD, simulation

from orchestrator.build import sanitizers
from orchestrator.cli.app import main
from orchestrator.errors import Unsupported, WrongUsage
from orchestrator.runs.model import Outcome
from orchestrator.runs.store import Store
from tests.stand_in_tree import stand_in_tree

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the compiler's flags are for x86-64")

# Mote 2 does it at its time 20 ms.
BODY = """
int table[5]; char name[10]; struct { char a, b, c; } small;
volatile int zero, seven = 7, big = 0x7fffffff;
char *volatile kept;
__attribute__((noinline)) static int sum(int n) { int local[4] = {1, 2, 3, 4}; kept = (char *)local; return local[n] + kept[0]; }
__attribute__((noinline)) static void faulty(void) {
  FAULT
}
void cooja_tick(void) {
  if(first()) { etimer(20); SAY("up %d\\n", sum(zero)); return; }
  if(due()) { SAY("now\\n"); if(simMoteID == 2) faulty(); SAY("done\\n"); }
}
"""  # noqa: E501
FAULTS = {  # what it does -> (kind, what is said)
    "table[seven - 2] = 1;": ("address", "write of 4 bytes at byte 20 of table, which has 20"),
    "zero = table[-seven];": (
        "address",
        r"read of 4 bytes (at byte \d+ of \w+, which has \d+|outside of any variable)",
    ),
    "zero = ((volatile char *)&small)[3];": ("address", "read of 1 byte at byte 3 of small, which has 3"),
    "zero = sum(seven - 3);": ("address", "read of 4 bytes outside of the local variables"),
    "{ char block[9]; kept = block; kept[seven] = 1; } kept[1] = 2;": (
        "address",
        "write of 1 byte of a local variable whose block has ended",
    ),
    "sum(0); zero = kept[1];": ("address", "read of 1 byte of a local variable whose function has returned"),
    "memset(name, 0, seven + 4);": ("address", "write of 11 bytes at byte 10 of name, which has 10"),
    "memcpy(name, table, seven * 3);": ("address", "read of 21 bytes at byte 20 of table, which has 20"),
    "zero = strlen(memset(name, 'x', 10));": (
        "address",
        "read of 1[1-9] bytes at byte 10 of name, which has 10",
    ),
    "*(volatile short *)(name + seven + 2) = 1;": (
        "address",
        "write of 2 bytes at byte 10 of name, which has 10",
    ),
    "zero = big + seven;": ("undefined", r"overflow of 'int': 2147483647 \+ 7"),
    "zero = -big - seven;": ("undefined", "overflow of 'int': -2147483647 - 7"),
    "zero = seven << (seven * 5);": ("undefined", "shift that 'int' has no room for: 7 by 35 bits"),
    "zero = big / (seven - 7);": ("undefined", "overflow of 'int': 2147483647 / 0"),
    "zero = table[seven];": ("undefined", r"index 7 is outside 'int \[5\]'"),
    "zero = *(volatile int *)(intptr_t)(seven - 7);": ("undefined", "null pointer to 'volatile int'"),
    "zero = *(volatile int *)(name + (4 - (uintptr_t)name % 4) + 1);": (
        "undefined",
        "pointer that isn't aligned to 'volatile int'",
    ),
    "zero = *(_Bool *)&seven;": ("undefined", "7 is no value of '_Bool'"),
}


def compiled(folder, fault: str, kinds: str):
    """In two steps: a linker that knew of the sanitizers would add a library."""
    source, made, library = folder / "faulty.c", folder / "faulty.o", folder / f"faulty{len(kinds)}.cooja"
    source.write_text(HEAD + BODY.replace("FAULT", fault))
    subprocess.run(
        [
            "gcc",
            "-O1",
            "-fPIC",
            "-fno-common",
            "-w",
            *sanitizers.flags(kinds, "gcc").split(),
            "-c",
            str(source),
            "-o",
            str(made),
        ],
        check=True,
    )
    subprocess.run(["gcc", "-shared", str(made), "-o", str(library)], check=True)
    return library


@pytest.mark.parametrize("fault", FAULTS)
def test_a_finding_names_mote_time_function_and_line(fault, run, tmp_path):
    kind, said = FAULTS[fault]
    ended = run(simulation([(0, 0), (10, 0), (20, 0)], 0.1), compiled(tmp_path, fault, kind))
    assert ended.result.outcome is Outcome.SANITIZER
    first, where, *rest = ended.result.evidence
    assert re.fullmatch(
        rf"mote 2: {said}(?: at address 0x[0-9a-f]+|, \d+ bytes [a-z ']+)?, simulated time 20000 us", first
    ), first
    line = (HEAD + BODY).splitlines().index("  FAULT") + 1
    assert re.fullmatch(r"in (?:(?:faulty|sum) \(\S*faulty\.c:\d+\)(?:, inlined in )?)+", where), where
    assert "sum(" in fault or where == f"in faulty ({where.split('(')[1].split(':')[0]}:{line})"
    assert "last printed: 0\tID:2\tup 2" in rest and "printed since: now" in rest
    assert [text for _, mote, text in ended.lines] == ["up 2", "up 2", "up 2", "now", "done"], (
        "mote 1 went on, 3 didn't get there"
    )


@pytest.mark.parametrize("kinds", ["address", "undefined", "address,undefined"])
def test_without_a_fault_the_log_is_the_same(kinds, run, tmp_path):
    fault = (
        "{ char block[9]; kept = block; kept[8] = 1; } memcpy(name, table, 10); zero = table[4] + small.c; "
        'strcpy(name, "123456789");'
    )
    of = simulation([(0, 0), (10, 0)], 0.1)
    plain = run(of, compiled(tmp_path, fault, ""))
    checked = run(of, compiled(tmp_path, fault, kinds))
    assert plain.result.outcome is Outcome.OK and checked.result.outcome is Outcome.OK
    assert checked.log == plain.log


def test_an_application_is_built_with_them_by_one_option(tmp_path, capsys):
    """Its own Makefile, the run's log as without; the findings of a run are its own outcome."""
    csc = tmp_path / "grid.csc"
    assert (
        main(
            [
                "topology",
                "grid",
                "--rows",
                "2",
                "--columns",
                "2",
                "--application",
                "hello-nullnet",
                "--csc",
                str(csc),
                "--duration",
                "20 s",
            ]
        )
        == 0
    )
    for folder, options in (("plain", []), ("checked", ["--sanitize", "address,undefined"])):
        assert main(["simulate", str(csc), "--logdir", str(tmp_path / folder), *options]) == 0
    assert (tmp_path / "checked" / "COOJA.testlog").read_bytes() == (
        tmp_path / "plain" / "COOJA.testlog"
    ).read_bytes()
    assert main(["simulate", str(csc), "--logdir", str(tmp_path), "--sanitize", "thread"]) == 2
    assert "no kind 'thread'; there are: address, undefined" in capsys.readouterr().err


SCENARIO = """\
experiment: checked
topology: {shape: chain, publishers: 2, spacing: 5 m}
application: {name: aggregation}
duration: 5 s
seeds: 1
"""
TREE = os.environ.get("CONTIKI_NG", "")


@pytest.mark.parametrize(
    "real",
    [
        pytest.param(
            False,
            marks=pytest.mark.full(instead="the same option without a tree, above"),
        ),
        pytest.param(
            True,
            marks=[
                pytest.mark.contiki_ng,
                pytest.mark.skipif(
                    not Path(TREE or "-").is_dir(), reason="CONTIKI_NG names no Contiki-NG tree"
                ),
            ],
        ),
    ],
)
def test_on_a_contiki_ng_tree_it_is_the_same_option(real, tmp_path):
    """Its Makefiles link; the sanitizers' library must neither be brought nor be missed. The run's log is
    that without.
    """
    tree = Path(TREE) if real else stand_in_tree(tmp_path / "ng").folder
    (tmp_path / "checked.yaml").write_text(SCENARIO)
    for options in ([], ["--sanitize", "address"]):
        assert (
            main(
                [
                    "run",
                    str(tmp_path / "checked.yaml"),
                    "--no-report",
                    "--store",
                    str(tmp_path / "store"),
                    "--contiki-ng",
                    str(tree),
                    *options,
                ]
            )
            == 0
        )
    plain, checked = Store(tmp_path / "store").runs("checked")
    assert plain.log_sha256 == checked.log_sha256 and plain.firmware != checked.firmware


def test_only_the_engine_s_motes_can_check_themselves(tmp_path, capsys):
    tree = stand_in_tree(tmp_path / "ng").folder
    (tree / "arch/platform/zoul").mkdir()
    (tree / "arch/platform/zoul/Makefile.zoul").write_text("")
    assert (
        main(
            ["build", "hello-nullnet", "--contiki-ng", str(tree), "--target", "zoul", "--sanitize", "address"]
        )
        == 4
    )
    assert "firmware for zoul can't check itself" in capsys.readouterr().err


def test_kinds_and_compilers_that_aren_t_there(monkeypatch):
    assert sanitizers.flags("") == ""
    with pytest.raises(WrongUsage, match="no kind 'thread'; there are: address, undefined"):
        sanitizers.flags("address,thread")
    from orchestrator.build import compiler

    monkeypatch.setattr(compiler, "find", lambda _: compiler.Compiler(("cc",), "gcc 12", "aarch64-linux-gnu"))
    with pytest.raises(Unsupported, match="needs gcc for x86-64 Linux"):
        sanitizers.flags("undefined")
