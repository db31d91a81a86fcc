# SPDX-License-Identifier: Apache-2.0
"""Scripts that an interpreter runs: what they see and say, and how they end, whatever they do."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest

from orchestrator.csc import javascript
from orchestrator.csc.read import read
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.errors import FaultyInput, Unsupported
from orchestrator.runs.model import Outcome
from tests import needs

needs.a_compiler()
sys.path.append(str(Path(__file__).resolve().parents[1] / "golden"))
from golden_cases import simulation  # noqa: E402
from probes import build  # noqa: E402

GAUSSIANS = ["1.1419053154730547", "0.9194079489827879", "-0.9498666368908959", "1.1419053154730547"]


def said(lines):
    """Between the seed and the verdict."""
    assert lines[0] == "Random seed: 3" and lines[-1].startswith("Test ended at simulation time: ")
    return lines[1:-2]


def test_every_line_as_a_script_of_ours_writes_it(run_script, tmp_path):
    base = read(simulation("chain"))
    lines, result = run_script(f"""TIMEOUT({base.script.timeout_us // 1000}, log.testOK());
while (true) {{
  if(true) log.log(time + "\\tID:" + id + "\\t" + msg + "\\n");
  YIELD();
}}""")
    ours = tmp_path / "ours.testlog"
    library = build("chain", tmp_path)
    run_one(
        engine("embedded"),
        Job(base, 3, {mote_type.identifier: library for mote_type in base.mote_types}, ours),
    )
    assert result.outcome is Outcome.OK
    assert lines == ours.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("script", "verdict"),
    [
        ("TIMEOUT(100);", ["TEST TIMEOUT", "TEST FAILED"]),
        ("TIMEOUT(100, log.testOK());", ["TEST OK"]),
        ("TIMEOUT(100, log.testFailed());", ["TEST FAILED"]),
        (
            "timeout_function = function() { log.log('over\\n'); log.testOK(); }\nTIMEOUT(9000);",
            ["over", "TEST OK"],
        ),
        ("TIMEOUT(100, nothing.log());", ["TEST FAILED"]),
    ],
)
def test_time_outs(run_script, script, verdict):
    lines, result = run_script(script)
    end = 9_000_000 if "function" in script else 100_000
    assert lines[1:] == [*verdict, f"Test ended at simulation time: {end}"]
    assert (result.outcome is Outcome.OK) == (verdict[-1] == "TEST OK")


def test_a_line_decides_and_nothing_follows_it(run_script):
    lines, result = run_script(
        "WAIT_UNTIL(id == 2);\nlog.log(id + ' ' + time + '\\n');\nlog.testOK();\nlog.log('never');"
    )
    assert result.outcome is Outcome.OK and len(said(lines)) == 1
    assert lines[-1].endswith(" " + said(lines)[0].split()[1])


def test_strings_are_javas_and_javascripts(run_script):
    lines, _ = run_script(r"""
var s = "a1-b22", out = [s.contains("1-"), s.equals("a1-b22"), s.startsWith("a1"), s.endsWith("3"), s.isEmpty(),
  s.split(/[0-9]+/), s.matches("[a-z0-9-]+"), s.matches("[a-z]+"), s.replaceAll("[0-9]", "#"), s.hashCode(), "b".compareTo("a"),
  s.substr(0, 2).concat("!"), 010, parseInt(s.split("b")[1])];
log.log(out.join(" ") + "\n");
for each (var x in [5, 6]) { log.log(x + "\n"); }
log.testOK();""")  # noqa: E501
    number = sum(ord(letter) * 31**power for power, letter in enumerate(reversed("a1-b22")))
    number = (number + (1 << 31)) % (1 << 32) - (1 << 31)
    assert said(lines) == [
        f"true true true false false a,-b, true false a#-b## {number} 1 a1! 8 22",
        "5",
        "6",
    ]


def test_random_numbers_are_javas(run_script):
    """The first of java.util.Random(42), as its documentation's algorithm gives them."""
    lines, _ = run_script(
        "var r = new java.util.Random(42);\nlog.log([r.nextInt(), r.nextInt(10), r.nextFloat(), "
        "r.nextDouble(), "
        "r.nextBoolean(), r.nextLong()].join(' ') + '\\n');\nlog.testOK();"
    )
    state = (42 ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def bits(count):
        nonlocal state
        state = (state * 0x5DEECE66D + 11) & ((1 << 48) - 1)
        return state >> (48 - count)

    def signed(value):
        return value - (1 << 32) if value >> 31 else value

    wanted = [
        signed(bits(32)),
        bits(31) % 10,
        bits(24) / (1 << 24),
        ((bits(26) << 27) + bits(27)) / (1 << 53),
        bits(1) != 0,
    ]
    words = said(lines)[0].split()
    assert [int(words[0]), int(words[1]), float(words[2]), float(words[3]), words[4] == "true"] == wanted
    assert wanted[0] == -1170105035  # known of seed 42


def test_gaussian_numbers_are_javas_to_the_last_bit(run_script):
    """Recorded from Cooja's java.util.Random(42); the third needs Java's own logarithm. 60,000 were
    compared."""
    lines, _ = run_script(
        "var r = new java.util.Random(42);\nfor(i = 0; i < 3; i++) { log.log(r.nextGaussian() + '\\n'); "
        "}\nr.nextGaussian();\n"
        "r.nextGaussian();\nr.setSeed(42);\nlog.log(r.nextGaussian() + '\\n');\nlog.testOK();"
    )
    assert said(lines) == GAUSSIANS


def test_what_a_script_prints_is_shown_of_a_run_that_crashes(run_script):
    lines, result = run_script("print('here', 1);\nYIELD();\nlog.testOK();")
    assert result.outcome is Outcome.OK and "here 1" not in lines
    _, result = run_script(
        "print('here', 1);\nYIELD();\nmote.getInterfaces().getButton().pressButton();\n"
        "mote.getInterfaces().getButton().pressButton();\nYIELD();"
    )
    assert result.outcome is Outcome.CRASH and "here 1" in result.evidence


def test_generated_messages_come_in_order_of_time_then_of_asking(run_script):
    lines, _ = run_script("""
GENERATE_MSG(20, "c"); GENERATE_MSG(10, "a"); GENERATE_MSG(10, "b");
while(true) { YIELD(); if(msg.length == 1) { log.log(msg + time + " " + id + "\\n"); if(msg == "c") { log.testOK(); } } }""")  # noqa: E501
    start = int(said(lines)[0].split()[0][1:]) - 10_000
    mote = said(lines)[0].split()[1]
    assert said(lines) == [
        f"a{start + 10_000} {mote}",
        f"b{start + 10_000} {mote}",
        f"c{start + 20_000} {mote}",
    ]


def test_an_error_fails_the_run_and_is_named_with_its_line(run_script):
    lines, result = run_script("YIELD();\n/* two\n lines */\nsim.getMoteWithID(99).getID();")
    assert lines[1] == "TEST FAILED" and result.outcome is Outcome.FAILED
    assert result.evidence[-1].startswith("script error: s.js:4: TypeError")


def test_what_is_not_there_is_named_before_the_run():
    _, missing = javascript.read(
        [
            javascript.Part("YIELD();\nsim.getRadioMedium();\nlog.close('f', 'x');", "a.csc", 10),
            javascript.Part("\nJava.type('java.io.File');\nload('x.js');\n'gui.x().y()'", "b.js", 1),
        ]
    )
    assert [(found.file, found.line, found.what) for found in missing] == [
        ("a.csc", 11, "the call getRadioMedium()"),
        ("a.csc", 12, "the call close()"),
        ("b.js", 2, "Java.type"),
        ("b.js", 2, "the call type()"),
        ("b.js", 3, "the call load()"),
    ]


def test_a_mote_that_is_there_already_is_named_with_the_line_that_adds_one(run_script):
    with pytest.raises(
        Unsupported, match="^s.js:2: not supported: the script adds a mote that is there already"
    ):
        run_script("YIELD();\nsim.addMote(mote);")


def test_what_hides_from_the_text_is_named_at_the_call(run_script):
    with pytest.raises(Unsupported, match=r"s.js:2: sim.stopSimulation: the embedded"):
        run_script("YIELD();\nsim['stop' + 'Simulation']();")


def test_a_script_that_is_no_javascript(run_script):
    with pytest.raises(FaultyInput, match="s.js:2: script: SyntaxError"):
        run_script("YIELD();\nif(msg { }\n")


@pytest.mark.full(instead="test_a_run_whose_limit_passes_while_the_script_computes_says_so_and_keeps_its_log")
def test_a_script_that_never_waits_is_ended(run_script):
    """After 10 s of processor time."""
    lines, result = run_script("YIELD();\nlog.log('here ' + id + '\\n');\nwhile(true) {}")
    assert result.outcome is Outcome.WALL_LIMIT and "without waiting for a line" in result.evidence[0]
    assert lines == ["Random seed: 3", "here 8"]


def test_a_run_whose_limit_passes_while_the_script_computes_says_so_and_keeps_its_log(run_script):
    # A busy machine may not come to the script within 1 s; the script itself has 10 s of processor time.
    endless = "YIELD();\nlog.log('sim ' + id + '\\n');\nwhile(true) {}"
    for limit_s in (1, 4, 9, 30, 60):  # the later ones only where the earlier were too short
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines, result = run_script(endless, wall_limit_s=limit_s)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert result.outcome is Outcome.WALL_LIMIT
        took_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        assert limit_s > 1 or took_s < 8, "the script went on for its 10 s after the run's limit"
        if len(lines) == 2:
            break
    assert result.evidence == ("wall-clock limit; the script computes, and waits for no line",)
    assert lines == ["Random seed: 3", "sim 8"]


def test_what_is_written_beyond_the_serial_buffer_ends_the_run(run_script):
    """The probe's has Cooja's own limit: what is more is dropped in Cooja, too."""
    lines, result = run_script(
        "TIMEOUT(3000, log.testOK());\nvar s = 'x';\nwhile(s.length() < 20000) { s += s; "
        "}\nYIELD();\nwrite(mote, s);"
    )
    assert result.outcome is Outcome.OK


def test_a_nul_and_what_is_no_string_in_the_log(run_script):
    lines, _ = run_script(
        "log.log('a\\0b\\ufdd0\\n'); log.log(5); log.log({}); log.log([1, null]); log.log(time); "
        "log.log('\\n'); log.testOK();"
    )
    assert said(lines)[:1] == ["a\0b\ufdd0"] and said(lines)[1].startswith("5[object Object]1,")
    lines, result = run_script("log.log('a\\n');\nlog.log(null);\nlog.testOK();")
    assert said(lines) == ["a"] and result.outcome is Outcome.FAILED


def test_motes_are_in_an_array_of_javas(run_script):
    """As both real Coojas say: its places are numbers in `for in`, and it has none of JavaScript's
    methods."""
    lines, _ = run_script("""var n = 0;
for(var i in sim.getMotes()) { n += i; }
for each (var m in sim.getMotes()) { n += m.getID(); }
for(var m of sim.getMotes()) { n += m.getID(); }
log.log(n + " " + sim.getMotes().length + " " + typeof sim.getMotes().map + "\\n");
try { sim.getMoteWithID(99).getID(); } catch(e) { log.log(e + "\\n"); }
try { sim.getMoteWithID(99).x; } catch(e) { log.log(e + "\\n"); }
log.log(typeof sim.getSimulationTime() + typeof sim.getRandomSeed() + (sim.getSimulationTime() == time) + "\\n");
log.testOK();""")  # noqa: E501
    count = len(read(simulation("chain")).motes)
    assert said(lines) == [
        f"{count * (count - 1) // 2 + count * (count + 1)} {count} undefined",
        'TypeError: null has no such function "getID"',
        'TypeError: Cannot get property "x" of null',
        "objectobjectfalse",
    ]


def test_half_of_a_surrogate_pair_is_named_before_it_is_logged(run_script):
    with pytest.raises(Unsupported, match="s.js:2: half of a pair of surrogates"):
        run_script("YIELD();\nlog.log('\\ud800');")


@pytest.mark.parametrize(
    "greedy",
    [
        "var a = []; while(true) { a.push('xxxxxxxxxxxxxxxx' + a.length); }",
        "(function f() { f(); })();",
        "'x'.repeat(1 << 29) + 'y'.repeat(1 << 29);",
    ],
)
def test_a_script_that_wants_all_memory_fails(run_script, greedy):
    lines, result = run_script("YIELD();\n" + greedy)
    assert lines[1] == "TEST FAILED" and result.outcome is Outcome.FAILED
    assert "s.js:2" in result.evidence[-1]


def test_there_is_no_way_out(run_script):
    lines, _ = run_script(
        "log.log([typeof std, typeof os, typeof require, typeof fetch, typeof process].join() + '\\n');"
        "\nlog.testOK();"
    )
    assert said(lines) == [",".join(["undefined"] * 5)]
