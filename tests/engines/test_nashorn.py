# SPDX-License-Identifier: Apache-2.0
"""Scripts do here what they do in Nashorn, Cooja's interpreter: its own recorded logs, one by one.

A script whose behaviour can't be imitated is named (UNLIKE), never run with another result. Which those are
is counted, so that none becomes one unnoticed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

os.environ.setdefault("TZ", "UTC")
from orchestrator.csc.syntax import tree  # noqa: E402
from tests import tier  # noqa: E402
from tests.engines.nashorn_play import play  # noqa: E402

EXPRESSION = """try {{ var r = ({}); log.log(r + " :: " + typeof r + "\\n"); }} catch(e) {{ log.log("caught " + e + "\\n"); }}
log.testOK();
"""  # noqa: E501
# Read here as what they are in Nashorn only.
NASHORN_ONLY = re.compile(r"^function \(\)|catch\(e\) \{ let e")
_APART = re.compile(rb"[\w$][\w$]|\+\+|--|/")
UNLIKE = 210  # of the cases: refused by name, exit code 4


def cases() -> list[tuple[str, str]]:
    text = (Path(__file__).with_name("nashorn_cases.txt")).read_text(encoding="utf-8")
    found = []
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        code, _, log = block.partition("\n--- ")
        found.append((EXPRESSION.format(code[2:]) if code.startswith("E ") else code + "\n", log.strip("\n")))
    return found


@pytest.fixture(scope="module")
def played():
    return [(code, log, play(code).strip("\n")) for code, log in cases()]


def test_the_log_is_nashorns(played):
    different = [
        (code, log, ours)
        for code, log, ours in played
        if ours != log and "UNLIKE" not in ours and not ours.startswith("REFUSED")
    ]
    assert not different, different[:3]
    assert len(played) > 900


def without_blanks(code: str) -> str:
    """The script with no blank that it can do without, and every line where it was."""
    text, said, last = code.encode("utf-8", "surrogatepass"), b"", 0
    for node in leaves(tree(text)):
        between, token = text[last : node.start_byte], text[node.start_byte : node.end_byte]
        apart = b" " if between and _APART.search(said[-1:] + token[:1]) else b""
        said += (b"\n" * between.count(b"\n") or apart) + token
        last = node.end_byte
    return (said + text[last:]).decode("utf-8", "surrogatepass")


def leaves(node):
    if node.type in ("string", "template_string", "regex") or not node.children:
        yield node
    for child in () if node.type in ("string", "template_string", "regex") else node.children:
        yield from leaves(child)


@pytest.fixture(scope="module")
def some(played):
    """Of the cases that run here, as (script, log): all in CI, else every third one, in turn."""
    runs = [
        (code, ours) for code, _, ours in played if "UNLIKE" not in ours and not ours.startswith("REFUSED")
    ]
    return runs if tier.ALL else runs[::3]


def test_a_script_does_the_same_without_its_blanks(some):
    """What is put into a script between two of its words stands in the right order, too, if they touch."""
    different = []
    for code, ours in some:
        if "{ return" not in ours:  # a function that is printed, with its blanks
            dense = without_blanks(code)
            different += [(dense, ours, again)] if (again := play(dense).strip("\n")) != ours else []
    assert not different, different[:3]


def test_a_script_does_the_same_if_it_names_java_s_longs_and_arrays(some):
    """Its additions are then done by a function of ours, which knows longs, and its loops by another."""
    different = []
    for code, ours in some:
        again = play("if(false) { java_.nextLong(); sim.getMotes(); } " + code).strip("\n")
        different += [(code, ours, again)] if again != ours and "UNLIKE" not in again else []
    assert not different, different[:3]


def test_what_nashorn_refuses_is_refused_and_nothing_else(played):
    wrong = [
        (code, log, ours)
        for code, log, ours in played
        if ours.startswith("REFUSED") != (log == "REFUSED")
        and not NASHORN_ONLY.search(code)
        and "UNLIKE" not in ours
    ]
    assert not wrong, wrong[:3]


def test_what_cannot_be_imitated_is_named(played):
    unlike = [ours.split("UNLIKE ")[1] for _, _, ours in played if "UNLIKE" in ours]
    assert all(unlike)
    assert len(unlike) <= UNLIKE
