# SPDX-License-Identifier: Apache-2.0
"""Scripts that an interpreter runs: what they see and say, and how they end, whatever they do."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.csc import javascript
from orchestrator.csc.read import read
from orchestrator.engines.embedded import description
from orchestrator.engines.embedded.script import host
from orchestrator.engines.embedded.script.process import stands_aside
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.errors import FaultyInput, StorageFailed, Unsupported
from orchestrator.runs.model import Outcome
from tests import needs
from tests.waiting import HANG_S

needs.a_compiler()
sys.path.append(str(Path(__file__).resolve().parents[1] / "golden"))
from golden_cases import simulation  # noqa: E402
from probes import build  # noqa: E402

GAUSSIANS = ["1.1419053154730547", "0.9194079489827879", "-0.9498666368908959", "1.1419053154730547"]


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    """Also what could run natively."""
    of = description.of
    monkeypatch.setattr(description, "of", lambda simulation, native=True: of(simulation, native=False))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Runs a script over the probe `chain`; gives the log's lines and the result."""
    folder = tmp_path_factory.mktemp("scripts")
    base, library = read(simulation("chain")), build("chain", folder)

    def call(text: str, log: Path | None = None, wall_limit_s=HANG_S, **changes):
        script, missing = javascript.read([javascript.Part(text, "s.js", 1)])
        assert not missing, missing
        log = log or folder / "COOJA.testlog"
        firmware = {mote_type.identifier: library for mote_type in base.mote_types}
        embedded = engine("embedded")
        embedded.prepare()
        result = run_one(
            embedded,
            Job(replace(base, script=script, **changes), 3, firmware, log, wall_limit_s=wall_limit_s),
        )
        return log.read_text(encoding="utf-8").splitlines(), result

    return call


def said(lines):
    """Between the seed and the verdict."""
    assert lines[0] == "Random seed: 3" and lines[-1].startswith("Test ended at simulation time: ")
    return lines[1:-2]


def test_every_line_as_the_native_script_writes_it(run, tmp_path):
    base = read(simulation("chain"))
    lines, result = run(f"""TIMEOUT({base.script.timeout_us // 1000}, log.testOK());
while (true) {{
  if(true) log.log(time + "\\tID:" + id + "\\t" + msg + "\\n");
  YIELD();
}}""")
    native = tmp_path / "native.testlog"
    library = build("chain", tmp_path)
    run_one(
        engine("embedded"),
        Job(base, 3, {mote_type.identifier: library for mote_type in base.mote_types}, native),
    )
    assert result.outcome is Outcome.OK
    assert lines == native.read_text(encoding="utf-8").splitlines()


ASIDE = {
    "logs otherwise": 'while(true) { log.log(id + ";" + msg.length + " " + time + "\\n"); YIELD(); }',
    "counts": 'TIMEOUT(9000, log.log(n + "\\n"));\nvar n = 0;\nwhile(true) { if(msg.contains("out")) { n++; '
    "} YIELD(); }",
    "says nothing": "TIMEOUT(6000, log.testOK());",
    "decides": 'var n = 0;\nwhile(n < 700) { n = n + 1; YIELD(); }\nlog.log("enough " + time + '
    '"\\n");\nlog.testOK();',
    "decides at the first line": "log.testFailed();",
    "decides long before another line": "WAIT_UNTIL(time > 5900000);\nlog.testOK();",
    "waits in turn": "for(var i = 1; i < 4; i++) { WAIT_UNTIL(id == i && "
    "!msg.startsWith('boot'));\nlog.log(i + msg + '\\n'); }",
    "what only Nashorn does": "var o = {}, n = 0;\nwhile(true) { o[id] = time; for each (var t in o) { n += "
    "t % 7; }\n"
    "try { msg.x.y; } catch(e) { n++; }\nswitch(time) { case 5: n++; }\nlog.log(n + msg.length() + '\\n'); "
    "YIELD(); }",
    "an error": "var n = 0;\nwhile(true) { log.log(n + '\\n');\nif(++n == 900) { nothing(); }\nYIELD(); }",
    "an array, letters that are not ASCII": "var a = ['ä'];\nwhile(true) { a.push(id); log.log(a.length + "
    "a[0] + '\\n'); YIELD(); }",
}


@pytest.mark.parametrize("text", ASIDE.values(), ids=ASIDE)
def test_a_script_that_only_logs_and_decides_gets_its_lines_together_with_the_same_result(run, text):
    """The word in the second text alone makes the simulation stand still at every line."""
    found, text = [], text if "TIMEOUT" in text else f"TIMEOUT(6000);\n{text}"
    for script in (text, text + '\nvar unused = "sim";'):
        assert stands_aside(javascript.read([javascript.Part(script, "s.js", 1)])[0]) == (script == text)
        lines, result = run(script)
        found.append((lines, result.outcome, result.sim_us, result.evidence))
    assert found[0] == found[1]
    assert len(found[0][0]) > 2


def test_a_script_whose_text_hides_what_it_does_runs_line_by_line(run, tmp_path):
    text = "WAIT_UNTIL(id == 2);\nlog['app' + 'end']('file', msg);\nlog.log(time + '\\n');\nlog.testOK();"
    assert stands_aside(javascript.read([javascript.Part(text, "s.js", 1)])[0])
    lines, result = run(text, tmp_path / "log")
    assert result.outcome is Outcome.OK and len(said(lines)) == 1
    assert next(tmp_path.rglob("file")).read_text()


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
def test_time_outs(run, script, verdict):
    lines, result = run(script)
    end = 9_000_000 if "function" in script else 100_000
    assert lines[1:] == [*verdict, f"Test ended at simulation time: {end}"]
    assert (result.outcome is Outcome.OK) == (verdict[-1] == "TEST OK")


def test_a_line_decides_and_nothing_follows_it(run):
    lines, result = run(
        "WAIT_UNTIL(id == 2);\nlog.log(id + ' ' + time + '\\n');\nlog.testOK();\nlog.log('never');"
    )
    assert result.outcome is Outcome.OK and len(said(lines)) == 1
    assert lines[-1].endswith(" " + said(lines)[0].split()[1])


def test_strings_are_javas_and_javascripts(run):
    lines, _ = run(r"""
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


def test_random_numbers_are_javas(run):
    """The first of java.util.Random(42), as its documentation's algorithm gives them."""
    lines, _ = run(
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


def test_gaussian_numbers_are_javas_to_the_last_bit(run):
    """Recorded from Cooja's java.util.Random(42); the third needs Java's own logarithm. 60,000 were
    compared."""
    lines, _ = run(
        "var r = new java.util.Random(42);\nfor(i = 0; i < 3; i++) { log.log(r.nextGaussian() + '\\n'); "
        "}\nr.nextGaussian();\n"
        "r.nextGaussian();\nr.setSeed(42);\nlog.log(r.nextGaussian() + '\\n');\nlog.testOK();"
    )
    assert said(lines) == GAUSSIANS


def test_files_are_written_in_a_folder_of_their_own(run, tmp_path):
    log = tmp_path / "COOJA.testlog"
    for _ in range(2):  # a second run begins them anew
        _, result = run(
            "log.append('a.csv', 'x,');\nlog.append('a.csv', '\\u20ac\\n');\nlog.writeFile('b', "
            "'old');\nlog.writeFile('b', 5);\n"
            "log.testOK();",
            log=log,
        )
        assert result.outcome is Outcome.OK
        assert {
            path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "script-files").iterdir()
        } == {"a.csv": "x,\u20ac\n", "b": "5"}


@pytest.mark.parametrize("name", ["../a", "/tmp/a", ".", "..", ".bashrc", "a/b", "", "a\\0b"])
def test_files_stay_in_their_folder(run, tmp_path, name):
    with pytest.raises(Unsupported, match=r"s.js:2: log.append\(\) to .* which is not a plain file name"):
        run(f"YIELD();\nlog.append('{name}', 'x');", log=tmp_path / "COOJA.testlog")
    assert not list(tmp_path.glob("*/*"))


def test_a_link_in_the_folder_is_not_followed(run, tmp_path):
    (tmp_path / "script-files").mkdir()
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "script-files" / "a").symlink_to(tmp_path / "mine")
    with pytest.raises(StorageFailed):
        run("log.append('a', 'x');\nlog.testOK();", log=tmp_path / "COOJA.testlog")
    assert (tmp_path / "mine").read_text() == "mine"


def test_more_files_than_a_log_may_be_long_end_the_run(run, tmp_path, monkeypatch):
    monkeypatch.setenv("ORCHESTRATE_LOG_LIMIT", "100000")
    _, result = run(
        "text = 'x'.repeat(60000);\nlog.append('a', text);\nlog.append('b', text);\nYIELD();",
        log=tmp_path / "COOJA.testlog",
    )
    assert result.outcome is Outcome.TRUNCATED


def test_what_a_script_prints_is_shown_of_a_run_that_crashes(run):
    lines, result = run("print('here', 1);\nYIELD();\nlog.testOK();")
    assert result.outcome is Outcome.OK and "here 1" not in lines
    _, result = run(
        "print('here', 1);\nYIELD();\nmote.getInterfaces().getButton().pressButton();\n"
        "mote.getInterfaces().getButton().pressButton();\nYIELD();"
    )
    assert result.outcome is Outcome.CRASH and "here 1" in result.evidence


def test_generated_messages_come_in_order_of_time_then_of_asking(run):
    lines, _ = run("""
GENERATE_MSG(20, "c"); GENERATE_MSG(10, "a"); GENERATE_MSG(10, "b");
while(true) { YIELD(); if(msg.length == 1) { log.log(msg + time + " " + id + "\\n"); if(msg == "c") { log.testOK(); } } }""")  # noqa: E501
    start = int(said(lines)[0].split()[0][1:]) - 10_000
    mote = said(lines)[0].split()[1]
    assert said(lines) == [
        f"a{start + 10_000} {mote}",
        f"b{start + 10_000} {mote}",
        f"c{start + 20_000} {mote}",
    ]


def test_an_error_fails_the_run_and_is_named_with_its_line(run):
    lines, result = run("YIELD();\n/* two\n lines */\nsim.getMoteWithID(99).getID();")
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


def test_a_mote_that_is_there_already_is_named_with_the_line_that_adds_one(run):
    with pytest.raises(
        Unsupported, match="^s.js:2: not supported: the script adds a mote that is there already"
    ):
        run("YIELD();\nsim.addMote(mote);")


def test_what_hides_from_the_text_is_named_at_the_call(run):
    with pytest.raises(Unsupported, match=r"s.js:2: sim.stopSimulation: the embedded"):
        run("YIELD();\nsim['stop' + 'Simulation']();")


def test_a_script_that_is_no_javascript(run):
    with pytest.raises(FaultyInput, match="s.js:2: script: SyntaxError"):
        run("YIELD();\nif(msg { }\n")


def test_a_script_that_never_waits_is_ended(run, monkeypatch, tmp_path):
    quick = tmp_path / "host.py"
    text = Path(host.__file__).read_text(encoding="utf-8")
    quick.write_text(text.replace("STEP_LIMIT_S = 10.0", "STEP_LIMIT_S = 0.3"), encoding="utf-8")
    monkeypatch.setattr("orchestrator.engines.embedded.script.process._HOST", quick)
    lines, result = run("YIELD();\nlog.log('here ' + id + '\\n');\nwhile(true) {}")
    assert result.outcome is Outcome.WALL_LIMIT and "without waiting for a line" in result.evidence[0]
    assert lines == ["Random seed: 3", "here 8"]


def test_a_run_whose_limit_passes_while_the_script_computes_says_so_and_keeps_its_log(run):
    # A busy machine may not come to the script within 1 s; the script itself has 10 s of processor time.
    for limit_s in (1, 4, 9, 9, 9):
        lines, result = run("YIELD();\nlog.log('sim ' + id + '\\n');\nwhile(true) {}", wall_limit_s=limit_s)
        assert result.outcome is Outcome.WALL_LIMIT
        if len(lines) == 2:
            break
    assert result.evidence == ("wall-clock limit; the script computes, and waits for no line",)
    assert lines == ["Random seed: 3", "sim 8"]


def test_what_is_written_beyond_the_serial_buffer_ends_the_run(run):
    """The probe's has Cooja's own limit: what is more is dropped in Cooja, too."""
    lines, result = run(
        "TIMEOUT(3000, log.testOK());\nvar s = 'x';\nwhile(s.length() < 20000) { s += s; "
        "}\nYIELD();\nwrite(mote, s);"
    )
    assert result.outcome is Outcome.OK


def test_a_nul_and_what_is_no_string_in_the_log(run):
    lines, _ = run(
        "log.log('a\\0b\\ufdd0\\n'); log.log(5); log.log({}); log.log([1, null]); log.log(time); "
        "log.log('\\n'); log.testOK();"
    )
    assert said(lines)[:1] == ["a\0b\ufdd0"] and said(lines)[1].startswith("5[object Object]1,")
    lines, result = run("log.log('a\\n');\nlog.log(null);\nlog.testOK();")
    assert said(lines) == ["a"] and result.outcome is Outcome.FAILED


def test_motes_are_in_an_array_of_javas(run):
    """As both real Coojas say: its places are numbers in `for in`, and it has none of JavaScript's
    methods."""
    lines, _ = run("""var n = 0;
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


def test_half_of_a_surrogate_pair_is_named_before_it_is_logged(run):
    with pytest.raises(Unsupported, match="s.js:2: half of a pair of surrogates"):
        run("YIELD();\nlog.log('\\ud800');")


@pytest.mark.parametrize(
    "greedy",
    [
        "var a = []; while(true) { a.push('xxxxxxxxxxxxxxxx' + a.length); }",
        "(function f() { f(); })();",
        "'x'.repeat(1 << 29) + 'y'.repeat(1 << 29);",
    ],
)
def test_a_script_that_wants_all_memory_fails(run, greedy):
    lines, result = run("YIELD();\n" + greedy)
    assert lines[1] == "TEST FAILED" and result.outcome is Outcome.FAILED
    assert "s.js:2" in result.evidence[-1]


def test_there_is_no_way_out(run):
    lines, _ = run(
        "log.log([typeof std, typeof os, typeof require, typeof fetch, typeof process].join() + '\\n');"
        "\nlog.testOK();"
    )
    assert said(lines) == [",".join(["undefined"] * 5)]
