# SPDX-License-Identifier: Apache-2.0
"""Programs for the machine of native scripts, by instruction: which are refused, and what they do."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from orchestrator.build.kernel import KERNEL
from tests import needs
from tests.engines import program_play
from tests.waiting import HANG_S

needs.a_compiler()
# Name, values from the stack, and kinds of arguments, as the kernel's header has them.
INSTRUCTIONS = re.findall(r'DO\((\w+), (\d), "(\w*)"\)', (KERNEL / "script/instructions.h").read_text())
GIVEN = {"n": "1", "t": "61", "v": "0", "l": "0", "j": "0", "c": "0", "k": "0"}
DEEPEST_STACK, MOST_VARIABLES, MOST_INSTRUCTIONS, MOST_ARGUMENTS = 1 << 14, 1 << 16, 1 << 20, 255


@pytest.fixture(scope="module")
def player(tmp_path_factory):
    return program_play.harness(tmp_path_factory.mktemp("player"))


@pytest.fixture(scope="module")
def play(player):
    """play([program, ...], lines) -> what each logs, or the message of its report."""

    def play(programs, lines=((1, 2000, "said"),)):
        logs = program_play.play(player, programs, lines)
        return [json.loads(log)["message"] if log.startswith("{") else log for log in logs]

    return play


@pytest.fixture(scope="module")
def refused(player):
    """refused(program) -> why it is no program, or what it logs."""

    def refused(lines: list[str]) -> str:
        described, spoken = player.parent / "refused", player.parent / "spoken"
        described.write_text("\n".join([*lines, "end"]) + "\n", encoding="ascii")
        spoken.write_text("1 2000 said\n")
        done = subprocess.run([player, described, spoken], capture_output=True, check=False, timeout=HANG_S)
        assert b"Sanitizer" not in done.stderr and b"runtime error" not in done.stderr, done.stderr
        said = done.stdout.decode()
        return (
            json.loads(said.split("\n\1\n")[0])["message"]
            if said.startswith("{")
            else said.split("\n\1\n")[0]
        )

    return refused


def code(*instructions: str, variables: str = "1 0 1", timeout: int | None = None) -> list[str]:
    """The program; at the time-out it has failed."""
    last = len(instructions)
    return [
        f"program {variables} {last if timeout is None else timeout}",
        *(f"do {one}" for one in instructions),
        "do failed",
    ]


FAILED = "TEST FAILED\n"
NO_END = "line 4 of the program: the script before it has no end"
FIRST_OUT, OUT = (f"line {number} of the program: a number out of its range" for number in (1, 2))


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (code(), FAILED),
        (code("undefined", timeout=1), FAILED),
        (code("undefined", timeout=2), NO_END),
        (code("undefined", timeout=MOST_INSTRUCTIONS), NO_END),
        (code("undefined", timeout=MOST_INSTRUCTIONS + 1), FIRST_OUT),
        (code("undefined", timeout=-1), FIRST_OUT),
        (code("wait", timeout=1)[:-1] + ["do wait"], NO_END),
        (code(variables=f"{MOST_VARIABLES} 0 {MOST_VARIABLES}"), FAILED),
        (code(variables=f"{MOST_VARIABLES + 1} 0 0"), FIRST_OUT),
        (code(variables="-1 0 0"), FIRST_OUT),
        (code(variables="3 3 0"), FAILED),
        (code(variables="3 4 0"), FIRST_OUT),
        (code(variables="3 -1 0"), FIRST_OUT),
        (code(variables="3 1 2"), FAILED),
        (code(variables="3 1 3"), FIRST_OUT),
        (code(variables="3 0 -1"), FIRST_OUT),
        (code(variables="3 0"), "line 1 of the program: a word is missing"),
        (code(variables="3 0 0 0"), "line 1 of the program: something follows that doesn't belong there"),
        (code("load 0", "drop", variables="0 0 0"), OUT),
        (code("load 2", "drop", variables="3 1 2"), FAILED),
        (code("load 3", "drop", variables="3 1 2"), OUT),
        (code("store 3", variables="3 1 2"), OUT),
        (code("load -1", variables="3 1 2"), OUT),
        (code("number 1e308", "drop", "number -1e308", "drop"), FAILED),
        (code("number 1.1e308"), OUT),
        (code("number -1.1e308"), OUT),
        (code("number x"), "line 2 of the program: not a decimal number"),
        (code("text 616"), "line 2 of the program: bytes in hexadecimal have two digits each"),
        (code("method nothing 0"), "line 2 of the program: no function of this name"),
        (code("undefined", "method Math.floor 0"), "line 3 of the program: no function of this name"),
        (code("function nothing 1"), "line 2 of the program: no function of this name"),
        (code("function trim 1"), "line 2 of the program: no function of this name"),
        (code("nothing"), "line 2 of the program: an unknown instruction of the script"),
        (code("undefine"), "line 2 of the program: an unknown instruction of the script"),
        (code("undefinedd"), "line 2 of the program: an unknown instruction of the script"),
        (code("wait", "CODES"), "line 3 of the program: an unknown instruction of the script"),
        (["program 0 0 0 0", "done", "do failed"], "line 2 of the program: the script before it has no end"),
        (["program 0 0 0 0", "do"], "line 2 of the program: a word is missing"),
    ],
)  # fmt: skip
def test_which_programs_are_refused(refused, program, said):
    assert refused(program) == said


@pytest.mark.parametrize(("name", "takes", "kinds"), [one for one in INSTRUCTIONS if one[2]])
def test_arguments_are_counted_and_in_their_range(refused, name, takes, kinds):
    named = {"method": "trim", "function": "String"}.get(name)
    given = [named or GIVEN[kinds[0]], *(GIVEN[kind] for kind in kinds[1:])]
    bad = "line 2 of the program: "
    assert (
        refused(code(f"{name} {' '.join([*given, '0'])}"))
        == f"{bad}something follows that doesn't belong there"
    )
    assert refused(code(f"{name}{''.join(' ' + one for one in given[:-1])}")) == f"{bad}a word is missing"
    for place, kind in enumerate(kinds):
        most = {"j": MOST_INSTRUCTIONS, "c": MOST_ARGUMENTS, "k": MOST_ARGUMENTS, "l": MOST_ARGUMENTS}.get(
            kind
        )
        for number in (-1, most, most + 1) if most else ():
            said = refused(code(f"{name} {' '.join([*given[:place], str(number), *given[place + 1 :]])}"))
            assert ("range" in said) == (number != most), said
    if kinds[0] == "j":
        jump = f"{name} {{}} {' '.join(given[1:])}".strip()
        assert "jumps" in refused(code(jump.format(2))) and "jumps" not in refused(code(jump.format(1)))


def taking() -> list[tuple[str, int]]:
    """(an instruction, how many values it takes from the stack)"""
    found = [
        (f"method {name} {count}", 1 + count)
        for name, count in (("trim", 0), ("contains", 1), ("replace", 2))
    ]
    found += [
        ("function String 1", 1),
        ("function Math.max 2", 2),
        ("list 1", 1),
        ("list 3", 3),
        ("call 0 1", 1),
        ("call 0 5", 5),
    ]
    for name, takes, kinds in INSTRUCTIONS:
        if int(takes) and name not in ("method",):
            found.append((" ".join([name, *(GIVEN[kind] for kind in kinds)]), int(takes)))
    return found


def test_no_instruction_takes_a_value_that_is_not_there(play):
    cases = [(one, takes, there) for one, takes in taking() for there in (0, takes - 1, takes)]
    said = play([code(*["text 61"] * there, one) for one, _, there in cases])
    missing = "the script's program takes a value that isn't there"
    assert [
        (case, log) for case, log in zip(cases, said, strict=True) if (log == missing) != (case[2] < case[1])
    ] == []


def test_what_is_of_a_function_is_only_in_one(play):
    nowhere, not_there = (
        "the script's program is in no function",
        "the script's program names a value that isn't there",
    )
    inside = ("text 61", "call 3 1", "failed")
    found = play(
        [
            code("local 0"),
            code("enter 0 0"),
            code("text 61", "give_back"),
            code("text 61", "set_local 0"),
            code("text 61", "call 3 1", "failed", "enter 1 1", "local 1", "log"),
            code(*inside, "enter 1 1", "local 2", "log"),
            code(*inside, "enter 1 0", "local 0", "log"),
            code(*inside, "enter 0 0", "local 0", "log"),
            code(*inside, "enter 3 0", "local 0", "log", "local 2", "log", "failed"),
            code(*inside, "enter 0 2", "local 1", "log", "local 2", "log"),
            code("text 7a", "text 61", "text 62", "call 7 2", "log", "log", "failed",
                 "enter 2 1", "text 63", "local 1", "give_back"),
            code("text 61", "text 62", "text 63", "call 7 1", "log", "log", "failed",
                 "enter 1 1", "local 0", "set_local 1", "text 64", "text 65", "local 1", "give_back"),
        ]
    )  # fmt: skip
    assert found == [
        *([nowhere] * 4),
        f"undefined{FAILED}",
        not_there,
        f"a{FAILED}",
        not_there,
        f"aundefined{FAILED}",
        not_there,
        f"bz{FAILED}",
        f"cb{FAILED}",
    ]


def test_values_before_any_is_stored_and_after(play):
    load = [f"load {number}" for number in range(3)]
    assert play(
        [
            code(load[0], "say", load[1], "say", variables="3 1 1"),
            code(load[2], "say", variables="3 1 1"),
            code(load[1], "say", variables="3 1 0"),
            code(load[0], "say", load[1], "say", load[2], "say", variables="3 0 3"),
            code(load[0], "say", load[1], "say", load[2], "say", variables="3 2 1"),
            code("text 61", "copy", "store 2", "log", load[2], "log", "text 62", "store 2", load[2], "log",
                 variables="3 0 0"),
        ]
    ) == [
        f"nullundefined{FAILED}",
        "a variable that has no value yet",
        "a variable that has no value yet",
        f"undefinedundefinedundefined{FAILED}",
        f"nullnullundefined{FAILED}",
        f"aab{FAILED}",
    ]  # fmt: skip


def test_the_stack_has_its_bound(play):
    full = ["text 61"] * DEEPEST_STACK
    assert play([code(*full, "log"), code(*full, "text 62", "log")]) == [
        f"a{FAILED}",
        "functions that call each other so deep",
    ]


def test_a_line_s_values_and_those_before_the_first_line(play):
    said = code(
        "msg",
        "say",
        "id",
        "say",
        "time",
        "say",
        "wait",
        "msg",
        "log",
        "wait",
        "msg",
        "say",
        "id",
        "say",
        timeout=10,
    )
    at_once = code("wait", "msg", "log", "text 21", "log", timeout=1)
    lines = ((7, 2000, "first"), (9, 3000, "second"), (11, 4000, "third"))
    assert play([said, at_once], lines) == [f"first72000secondthird11{FAILED}", f"second!{FAILED}"]
    assert play([code(one, "say", timeout=0) for one in ("id", "time", "motes", "msg")], ()) == [
        *["the time or the id before the first line"] * 2,
        f"0{FAILED}",
        FAILED,
    ]


def test_no_script_waits_when_its_time_is_over(play):
    assert play([code("wait", "wait", timeout=0)]) == ["a wait when the time is over"]
    assert play([code("wait", "ok", timeout=0)[:-1] + ["do failed"]], ()) == ["a wait when the time is over"]
    assert play([code("wait", "ok", timeout=1)], ()) == ["TEST OK\n"]


def test_a_time_of_0_is_no_condition(play):
    """Whether Nashorn takes a java.lang.Long of 0 as false depends on more than its value."""
    conditions = [code("time", "not"), code("time", "jump_if 2"), code("time", "and 2"), code("time", "or 2")]
    assert play(conditions, ((1, 0, "at once"),)) == ["a Java long of 0 as a condition"] * 4
    assert play(conditions, ((1, 1, "later"),)) == [FAILED] * 4


def test_a_log_may_be_as_long_as_its_limit(play):
    """That of the player has 1 MB; the verdict follows in any case."""
    full = [f"text {'78' * 1024}", "log"] * 1024
    fits, is_longer = play([code(*full), code(*full, "text 78", "log")])
    assert fits == "x" * (1 << 20) + FAILED
    assert FAILED not in is_longer
