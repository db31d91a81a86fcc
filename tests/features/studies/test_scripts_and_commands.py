# SPDX-License-Identifier: Apache-2.0
"""What an experiment changes in a .csc's script and build commands."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from orchestrator.build.commands import split
from orchestrator.csc import read
from orchestrator.csc.faults import Faults
from orchestrator.csc.model import EndScript, JavaScript
from orchestrator.features.studies import commands, scripts

LOOP = (
    "/* TIMEOUT(1); */\n{}\nvar limit = 3;\nname = 'a';\nwhile(true) {{ log.log(msg + limit); YIELD(); }}\n"
)


def script(first: str, text: str = LOOP) -> EndScript | JavaScript:
    faults = Faults("x.csc")
    made = read.script_of([(text.format(first), "x.csc", 10)], faults)
    faults.raise_any()
    return made


@pytest.mark.parametrize("first", ["TIMEOUT(5000);", "TIMEOUT(5000, log.log('over'));", ""])
def test_a_script_without_a_verdict_has_run_to_its_end_when_its_time_is_over(first):
    made = scripts.changed(script(first), None, {}, "x.csc")
    assert "TestOK" in made.timeout_code
    assert made.timeout_us == (5_000_000 if first else 1_200_000_000)
    assert ("over" in made.timeout_code) == ("over" in first), "what it does at its end stays"


def test_a_script_with_a_verdict_keeps_it():
    text = LOOP.replace("YIELD();", "YIELD(); if(limit) log.testOK();")
    before = script("TIMEOUT(5000);", text)
    assert scripts.changed(before, None, {}, "x.csc") is before
    assert scripts.changed(before, 9_000_000, {}, "x.csc").timeout_us == 9_000_000
    assert scripts.changed(before, 9_000_000, {}, "x.csc").timeout_code == ""


def test_the_plain_script_of_cooja_runs_to_its_end():
    text = (
        'TIMEOUT(60000);\nwhile (true) {{\n  log.log(time + "\\t" + "ID:" + id + "\\t" + msg + "\\n");\n'
        "  YIELD();\n}}\n"
    )
    made = scripts.changed(script("", text), 30_000_000, {}, "x.csc")
    if isinstance(made, EndScript):
        assert made == EndScript(30_000_000)
    else:
        assert "TestOK" in made.timeout_code
        assert made.timeout_us == 30_000_000


def test_variables_of_a_script():
    before = script("TIMEOUT(5000);")
    assert scripts.variables(before) == {"limit": "3", "name": "'a'"}
    made = scripts.changed(before, None, {"limit": "7", "name": "b c"}, "x.csc")
    assert "var limit = 7;" in made.text
    assert 'name = "b c";' in made.text
    assert [line.rpartition(":")[2] for line in made.lines] == [
        line.rpartition(":")[2] for line in before.lines
    ], "faults of the script keep their lines"


def test_macros_reach_the_compiler_through_cooja_make_and_a_shell(tmp_path):
    """The Makefile does with DEFINES what Contiki's does."""
    (tmp_path / "Makefile").write_text(
        "COMMA := ,\nCFLAGS += $(addprefix -D,$(subst $(COMMA), ,$(DEFINES)))\n"
        "all:\n\t@printf '%s\\n' $(CFLAGS)\n"
    )
    macros = {"A": "1", "INTERVAL": "(5 * CLOCK_SECOND)", "FLAG": "", "M": "a<<2|b", "MODE": "MODE_X"}
    text = commands.changed("$(MAKE) --no-print-directory all", macros, {})
    (words,) = split(text, [])
    printed = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    assert printed[:-1] == ["-DA=1", "-DINTERVAL=(5*CLOCK_SECOND)", "-DFLAG", "-DM=a<<2|b", "-DMODE=MODE_X"]


def test_macros_and_variables_replace_those_of_the_file():
    before = "$(MAKE) clean\n$(MAKE) -j$(CPUS) x.cooja TARGET=cooja DEFINES=A=1,B=2 MAC=csma"
    made = commands.changed(before, {"B": "3"}, {"MAC": "tsch"})
    assert made.split("\n")[0] == "$(MAKE) clean"
    words = shlex.split(made.split("\n")[1])
    assert words.count("DEFINES=A=1,B=3") == 1
    assert "MAC=csma" not in words
    assert words[-1] == "MAC=tsch"
    assert commands.changed(before, {}, {}) == before


@pytest.mark.parametrize("value", ['"text"', "a,b", "a b", "$(shell x)", "`x`", "a\\b", "it's"])
def test_what_commands_cannot_hold_is_refused(value):
    with pytest.raises(commands.Unfit):
        commands.define("A", value)
