# SPDX-License-Identifier: Apache-2.0
"""Scripts that run natively: the same bytes as in the interpreter and as recorded in Nashorn, and which ones
they are.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

os.environ.setdefault("TZ", "UTC")
from orchestrator.csc import javascript  # noqa: E402
from orchestrator.csc.read import read  # noqa: E402
from orchestrator.engines.embedded import description  # noqa: E402
from orchestrator.engines.embedded.script.compiler import compiled  # noqa: E402
from orchestrator.engines.model import Job  # noqa: E402
from orchestrator.engines.protocol import engine, run_one  # noqa: E402
from tests import needs  # noqa: E402
from tests.engines import program_play  # noqa: E402
from tests.engines.nashorn_play import play  # noqa: E402
from tests.engines.program_play import BEYOND, program  # noqa: E402
from tests.engines.program_scripts import EVENTS, Writer  # noqa: E402

needs.a_compiler()
from tests.waiting import HANG_S  # noqa: E402

sys.path.append(str(Path(__file__).resolve().parents[1] / "golden"))
from golden_cases import simulation  # noqa: E402
from probes import build  # noqa: E402

SCRIPTS = int(os.environ.get("ORCHESTRATE_SCRIPTS", "250"))  # random ones; by hand thousands
EXPRESSION = 'var r = ({}); log.log(r + " :: " + typeof r + "\\n");\nlog.testOK();\n'
# As users write them: natively, or not.
NATIVE = {
    "any order": 'while(true) { YIELD(); log.log(id + ":" + msg + " " + time / 1000 + "\\n"); }',
    "waits": 'for(var i = 1; i < 4; i++) {\nWAIT_UNTIL(id == i && msg.startsWith("boot"));\nlog.log(i + msg '
    '+ "\\n"); }\nlog.testOK();',
    "counts": 'var n = 0;\nwhile(n < 700) { if(msg.contains("out")) { n++; }\nYIELD(); }\nlog.log("enough " '
    '+ time + "\\n");\nlog.testOK();',
    "nothing": "",
    "the first line": "log.testFailed();",
    "the motes": "var done = 0;\nwhile(done < sim.getMotes().length) { YIELD();\nif(msg.contains('boot') == "
    "false) { continue; }\ndone++; }\nlog.testOK();",
    "a map": "last = {};\nwhile(true) { last[id] = msg.length;\nYIELD();\nfor(k in last) { log.log(k + '=' + "
    "last[k] + ' '); } }",
    "a function": "function line(at, who) { return at % 1000 + ' ' + who; }\nwhile(true) { "
    "log.log(line(time, id) + '\\n'); YIELD(); }",
    "code of the time-out": "TIMEOUT(5000, log.log(n + msg + '\\n'); if(n > 5) { log.testOK(); });\nn = "
    "0;\nwhile(true) { n++; YIELD(); }",
    "a function of the time-out": "timeout_function = function() { log.log('over ' + id + '\\n'); "
    "log.testOK(); }\nvar x = 1;",
    "speed": "sim.setSpeedLimit(1.0);\nwhile(true) { YIELD(); }",
    "parts": "while(true) { var f = msg.split(' ');\nif(f.length > 1) { log.log(parseInt(f[1]) + 1 + '\\n'); "
    "}\nYIELD(); }",
    "a variable of the script's that the time-out doesn't see": "TIMEOUT(5000, log.log(n + '\\n'));\nn = "
    "1;\nfunction f() { var n = 2; }\nf();",
}
ENDS_IN_INTERPRETER = {
    "no value yet": "TIMEOUT(5000, log.log(n + '\\n'); log.testOK());\nwhile(true) { YIELD(); if(id == 77) { "
    "n = 1; } }",
    "no string": "var s;\nwhile(true) { log.log(time + '\\n'); if(time > 900000) { s.contains('x'); "
    "}\nYIELD(); }",
    "no end": "var n = 0;\nwhile(n < 9000000) { n++; if(n == 8000000) { log.log('long\\n'); log.testOK(); } }",  # noqa: E501
}
INTERPRETED = {
    "the time-out names a variable of the script's": "TIMEOUT(5000, log.log(n + '\\n'));\nvar n = 1;",
    "a regular expression": "while(true) { if(/x/.test(msg)) { log.log(msg); }\nYIELD(); }",
    "try": "try { YIELD(); } catch(e) { }",
    "strict": "'use strict';",
    "a file": "log.append('a', msg);",
    "an error": "nothing();",
    "another function's": "TIMEOUT(100, f());\nfunction f() { }",
    "a name of Cooja's": "id = 5;",
    "before its declaration": "x = 1;\nlet x = 2;",
    "declared twice": "let x = 1;\nlet x = 2;",
    "a constant": "const x = 1;\nx = 2;",
    "a loop": "break;",
    "for each": "for each (var x in msg.split(' ')) { }",
    "half of a pair": "log.log('\\ud800');",
    "octal": "log.log('\\7');",
    "a wait inside": "var x = YIELD();",
    "new": "new Object();",
    "typeof nothing": "log.log(typeof no);",
    "a function in a block": "if(true) { function f() { } }",
    "a function as a branch": "if(true) function f() { }",
    "a declaration as a branch": "while(true) let x = 1;",
    "a wait at the time-out": "TIMEOUT(9, YIELD());",
    "two functions of the time-out": "timeout_function = function() { };\ntimeout_function = function() { };",
    "a function of the time-out in one": "function f() { timeout_function = function() { }; }\nf();",
    "a function of the time-out at the time-out": "TIMEOUT(9, timeout_function = function() { });",
    "a function of the time-out with a name": "timeout_function = function f() { };",
    "a function of the time-out with a parameter": "timeout_function = function(a) { };",
    "a function of the time-out in a block": "if(true) { timeout_function = function() { }; }",
    "a function of the time-out that waits": "timeout_function = function() { YIELD(); };",
    "another value of the time-out's function": "timeout_function = 5;",
    "a constant without a value": "const x;",
    "a declared name of Cooja's": "let msg = 1;",
    "a variable that is a name of Cooja's": "var time = 1;",
    "a variable that is a function": "var f = 1;\nfunction f() { }",
    "a declaration that is a function": "let f = 1;\nfunction f() { }",
    "a declaration that is a variable": "var x = 1;\nlet x = 2;",
    "several names at once": "let [a, b] = [1, 2];",
    "a function twice": "function f() { }\nfunction f() { }",
    "a function with a name of Cooja's": "function log() { }",
    "a function in a function": "function f() { function g() { } }",
    "a parameter twice": "function f(a, a) { }",
    "a parameter with a value": "function f(a = 1) { }",
    "a parameter that is all of them": "function f(arguments) { }",
    "for of": "for(let x of [1, 2]) { }",
    "a first value of let": "for(let x = 1 in {a: 1}) { }",
    "a first value of a name": "for(x = 1 in {a: 1}) { }",
    "for in of a part": "var m = {};\nfor(m.k in {a: 1}) { }",
    "a case that is no literal": "var x = 1;\nswitch(x) { case x: break; }",
    "a declaration in a case": "switch(1) { case 1: let x = 1; }",
    "a label": "a: while(true) { break a; }",
    "a loop to go on with": "switch(1) { case 1: continue; }",
    "a return of the script's own": "return;",
    "another throw": "throw new Error('x');",
    "a large number": "log.log(1e301);",
    "a number with an underline": "log.log(1_000);",
    "a binary number": "log.log(0b11);",
    "an escape in a template": "log.log(`a\\n`);",
    "instanceof": "log.log(msg instanceof String);",
    "delete of a name": "var x = 1;\ndelete x;",
    "void": "log.log(void 0);",
    "a power": "log.log(2 ** 3);",
    "a logical assignment": "var x = 1;\nx ||= 2;",
    "the value before ++ of a part": "var m = {k: 1};\nlog.log(m.k++);",
    "a part of a text": "msg.k = 1;",
    "a part of a number": "log.log(id[0]);",
    "a list with a gap": "var l = [1, , 2];",
    "a list with a comma at its end": "var l = [1, 2, ];",
    "a long list": f"var l = [{', '.join('1' * 201)}];",
    "a long text": f"log.log('{'x' * 7001}');",
    "a method in an object": "var m = {f() { }};",
    "a spread in an object": "var m = {}, n = {...m};",
    "a computed key": "var m = {[msg]: 1};",
    "many arguments": f"function f() {{ }}\nf({', '.join('1' * 101)});",
    "too few arguments": "log.log(Math.max(1));",
    "too many arguments": "log.log(Math.floor(1, 2));",
    "another base": "log.log(parseInt(msg, 16));",
    "a tagged template": "log.log`x`;",
    "a method with too few arguments": "log.log(msg.contains());",
    "a method with too many arguments": "log.log(msg.trim(1));",
    "a method of a number": "log.log(id.equals(1));",
    "a method of the time": "log.log(time.equals(1));",
    "a method of a literal": "log.log(5..equals(5));",
    "an unknown method": "log.log(msg.matches('x'));",
    "a key with an effect": "var m = {}, n = 0;\nlog.log(m.hasOwnProperty(n++));",
    "a function of nobody's": "log.log(f());",
    "a function that is a variable": "var f = 1;\nlog.log(f());",
    "another log": "log.log('a', 'b');",
    "a speed that is computed": "sim.setSpeedLimit(id);",
    "a global name that is computed": "global.put(msg, 1);",
    "a name that is never given a value": "log.log(x);",
    "let that the time-out's code doesn't see": "TIMEOUT(9, log.log(x));\nlet x = 1;",
}


@pytest.fixture(scope="module")
def player(tmp_path_factory):
    return program_play.harness(tmp_path_factory.mktemp("player"))


def natively(player, texts: list[str], lines) -> list[tuple[str, str | None]]:
    """Each text with its log; None where it doesn't run natively, or not to its end."""
    programs = {text: program(text) for text in dict.fromkeys(texts)}
    native = {text: one for text, one in programs.items() if one}
    logs = dict(zip(native, program_play.play(player, list(native.values()), lines), strict=True))
    return [(text, None if logs.get(text, BEYOND).startswith(BEYOND) else logs[text]) for text in texts]


def test_it_is_nashorns_recorded_log(player):
    from tests.engines.nashorn_play import LINES

    recorded = []
    for block in re.split(
        r"^=== ",
        Path(__file__).with_name("nashorn_cases.txt").read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )[1:]:
        code, _, log = block.partition("\n--- ")
        recorded.append(
            (EXPRESSION.format(code[2:]) if code.startswith("E ") else code + "\n", log.strip("\n"))
        )
    found = natively(player, [code for code, _ in recorded], LINES)
    different = [
        (code, log, ours)
        for (code, log), (_, ours) in zip(recorded, found, strict=True)
        if ours is not None and ours.strip("\n") != log
    ]
    assert not different, different[:3]
    assert sum(ours is not None for _, ours in found) > 200


def test_random_scripts_log_what_the_interpreter_logs(player):
    texts = [Writer(number).script() for number in range(SCRIPTS)]
    found = [(text, log) for text, log in natively(player, texts, EVENTS) if log is not None]
    assert len(found) > SCRIPTS // 3
    for text, log in found:
        assert log == play(text, EVENTS), text


# Each method, function and operator where it has an edge; `s` is "ab cab", `n` 5, `m` and `l` an object and a
# list.
EDGES = """
s.substr(-2)|s.substr(-9, 2)|s.substr(1, 99)|s.substr(2, -1)|s.substring(4, 1)|s.substring(-1)|s.slice(-3)|s.slice(1, -1)|s.slice(4, 2)
s.charAt(9)|s.charAt(-1)|s.charCodeAt(1)|s.charCodeAt(9)|s.indexOf("b")|s.indexOf("b", 2)|s.indexOf("b", 9)|s.indexOf("")|s.lastIndexOf("ab")
s.lastIndexOf("z")|s.split("ab").length|s.split(" ")[1]|s.split("x")[0]|s.replace("ab", "z")|s.replace("q", "z")|s.concat(1, null, time)
s.toUpperCase()|s.equals("ab cab")|s.equals(5)|s.equalsIgnoreCase("AB CAB")|s.isEmpty()|" \\t x ".trim()|s.startsWith("ab c")|s.endsWith("ab")
s.endsWith("b cabb")|s.length|s.length()|l.length|l.join()|l.join("-")|l.indexOf(2)|l.indexOf(9)|l.slice(1).join()|l.pop()|l.shift()|l.push(7)
1e21|1e20|123456789012345680000|0.000001|1e-7|-1.5e-9|0.1 + 0.2|1 / 3|100 / 3|-0|5e299 * 1e9|-1 / 0|0 / 0|1e15 + 0.5|4294967296 * 4294967296
7 % -3|-7 % 3|5.5 % 2|1 << 31|-1 >>> 0|-1 >>> 28|5 & 3|5 | 8|5 ^ 1|~5|4294967297 | 0|-4294967297 | 0|1e12 | 0|"7" * "6"|"5" - 2|"5" + 2
+"  12.50 "|+""|+"x"|+"1x"|Number("-7")|Number(".5")|Number("5.")|parseInt("42px")|parseInt("  -7")|parseInt("")|parseInt("x")|parseInt(7.9)
parseFloat("3.25abc")|parseFloat(".5")|parseFloat("-")|Math.round(-2.5)|Math.round(2.5)|Math.round(0.49999999999999994)|Math.floor(-1.5)|Math.ceil(-1.5)
Math.max(1, 0 / 0)|Math.min(2, -3)|Math.abs(-4)|isNaN("x")|isNaN("5")|String(time)|String(null)|null == undefined|null == 0|null >= 0|undefined == 0
"1" == 1|true == 1|"a" < "b"|"a" < "aa"|"10" < "9"|"10" < 9|"x" < 1|5 <= 5|5 >= 5|4 >= 5|5 < 5|5 > 5|n === 5|n !== 5|time === 2000|time == 2000|time > 1999
typeof time|typeof s|typeof m|typeof undefined|typeof null|!s|!""|!0|!m|s && n|"" || n|0 || ""|n > 4 ? s : n|m["k"]|m.k|m[3]|m.none|"k" in m|3 in m|9 in m
m.hasOwnProperty("k")|Object.keys(m).length|Object.keys(m)[0]|l[0]|l[9]|n++|++n|n--|--n|n += 2|n *= 2.5|s += 1|m.k += 1|++m.k|msg.contains("boot")|id + id|time + id|id / 4
""".split("|")  # noqa: E501
EDGES_SCRIPT = (
    'TIMEOUT(9);\nvar s = "ab cab", n = 5, l = [1, 2, "x"], m = {{k: 1, 3: "three"}};\nlog.log(({}) + " " + '
    'n + "\\n");\n'
)
EDGES_SCRIPT += 'for(k in m) {{ log.log(k + m[k] + "\\n"); }}\nlog.testOK();\n'


def test_each_operator_method_and_function_at_its_edges(player):
    texts = [EDGES_SCRIPT.format(edge) for edges in EDGES for edge in edges.strip().split("\n")]
    found = natively(player, texts, EVENTS)
    assert sum(log is None for _, log in found) < 6
    assert [
        (text, log, interpreted)
        for text, log in found
        if log is not None and log != (interpreted := play(text, EVENTS))
    ] == []


def test_blanks_that_are_not_ascii_end_in_the_interpreter(player):
    """Java and JavaScript have others than ASCII's, which only matter at a text's ends."""
    texts = [
        "\\u00a07",
        "7\\u00a0",
        " \\u00a0 7",
        "7 \\u00e9 ",
        "\\u00e9",
        "a\\u00e9b",
        " a ",
        "\\t\\r\\n\\f\\x0b",
        "",
    ]
    scripts = [f'var s = "{text}";\nlog.log("<" + s.trim() + ">\\n");\nlog.testOK();\n' for text in texts]
    logs = [log for _, log in natively(player, scripts, EVENTS)]
    assert [log is None for log in logs] == [True] * 5 + [False] * 4
    assert logs[5:] == [play(script, EVENTS) for script in scripts[5:]]


def test_lists_grow_and_change_natively(player):
    text = (
        "var l = [];\nfor(var i = 0; i < 100; i++) { l.push(i); }\n"
        "for(i = 0; i < 100; i++) { l[i] = l[i] * 2; }\n"
        "log.log(l[0] + ' ' + l[7] + ' ' + l[99] + ' ' + l.length + '\\n');\nlog.testOK();"
    )
    ((_, log),) = natively(player, [text], EVENTS)
    assert log is not None and "0 14 198 100" in log


def test_objects_grow_and_keep_their_keys_natively(player):
    """A hundred keys, of which every third is deleted and comes back at the end."""
    text = (
        "var m = {};\nfor(var i = 0; i < 100; i++) { m['k' + i] = i; }\n"
        "for(i = 0; i < 100; i += 3) { delete m['k' + i]; }\n"
        "for(i = 0; i < 100; i += 9) { m['k' + i] = -i; }\n"
        "for(i = 0; i < 101; i++) { log.log(i + ' ' + m['k' + i] + ' ' + ('k' + i in m) + '\\n'); }\n"
        "for(k in m) { log.log(k + '\\n'); }\nlog.testOK();"
    )
    ((_, log),) = natively(player, [text], EVENTS)
    assert log is not None and log == play(text, EVENTS)


@pytest.mark.parametrize("inner", ["[msg]", "time", "msg.split(' ')"])
def test_a_list_of_a_list_or_a_long_ends_in_the_interpreter(player, inner):
    """Such a list's text, and what it is equal to, are Java's."""
    text = f"while(true) {{ var l = [1, {inner}];\nlog.log(l.length + ' ' + l[0] + '\\n');\nYIELD(); }}"
    ((_, log),) = natively(player, [text], EVENTS)
    assert log is None
    assert play(text, EVENTS).startswith("2 1\n")


def test_which_scripts_run_natively():
    assert [name for name, text in (NATIVE | ENDS_IN_INTERPRETER).items() if program(text) is None] == []
    assert [name for name, text in INTERPRETED.items() if program(text) is not None] == []


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Runs a script over the probe `chain`, natively if it can, and in the interpreter."""
    folder = tmp_path_factory.mktemp("both")
    base, library = read(simulation("chain")), build("chain", folder)

    def call(text: str):
        script, missing = javascript.read([javascript.Part(text, "s.js", 1)])
        assert not missing
        found = []
        for one in (compiled, lambda _: None):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(description, "compiled", one)
                log = folder / "COOJA.testlog"
                firmware = {mote_type.identifier: library for mote_type in base.mote_types}
                result = run_one(
                    engine("embedded"),
                    Job(replace(base, script=script), 3, firmware, log, wall_limit_s=HANG_S),
                )
            found.append((log.read_bytes(), result.outcome, result.sim_us, result.evidence))
        return found

    return call


@pytest.mark.parametrize("text", (NATIVE | ENDS_IN_INTERPRETER).values(), ids=NATIVE | ENDS_IN_INTERPRETER)
def test_a_run_is_the_same_natively(both, text):
    natively_, interpreted = both(text if "TIMEOUT" in text else f"TIMEOUT(6000);\n{text}")
    assert natively_ == interpreted
    assert natively_[0].count(b"\n") > 1
