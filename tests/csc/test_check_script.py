# SPDX-License-Identifier: Apache-2.0
"""A script that isn't JavaScript is a reason why a .csc does not run; the check compiles it and never runs
it."""

from __future__ import annotations

import gzip
import json
from xml.sax.saxutils import escape

import pytest

from orchestrator.cli.app import main
from orchestrator.csc import script
from orchestrator.csc.loading.report import Loading
from orchestrator.csc.write import write
from orchestrator.engines.embedded.interpreter import faults
from tests.csc.test_check import check


@pytest.fixture
def checked(small, tmp_path):
    """checked(script) -> the report of a .csc with that script, and the line at which the script begins."""
    (tmp_path / "node.c").write_text("/* a mote */")
    (tmp_path / "Makefile").write_text("all:")
    text = write(small).decode()

    def checked(code: str):
        made = text.replace(escape(script.write(small.script)), escape(code), 1)
        assert escape(code) in made
        (tmp_path / "a.csc").write_text(made)
        return check(tmp_path / "a.csc", syntax=faults), made[: made.index("<script>")].count("\n") + 1

    return checked


@pytest.mark.parametrize(
    ("code", "line", "said"),
    [
        ("TIMEOUT(1000);\nvar x = ;\n", 2, "SyntaxError"),
        ("TIMEOUT(1000, log.testOK();\nwhile(true) { YIELD(); }\n", 1, "SyntaxError"),
        ("TIMEOUT(1000);\n/* long\n comment */\nif(true { YIELD(); }\n", 4, "SyntaxError"),
        (
            "TIMEOUT(1000);\nWAIT_UNTIL(a); log.testOK();\n",
            2,
            "last bracket",
        ),  # one line too many for Cooja's replacement
        ("TIMEOUT(1000, log.log('x);\n", 1, "SyntaxError"),
    ],
)
def test_the_fault_has_its_line(checked, code, line, said):
    report, begins = checked(code)
    assert report.loading is Loading.FAILS
    (fault,) = (one for one in report.findings if one.fatal)
    assert fault.line == begins + line - 1 and said in fault.what, fault


@pytest.mark.parametrize(
    "code",
    [
        "TIMEOUT(1000);\nfor each (var m in sim.getMotes()) { m.getInterfaces(); }\n",
        "TIMEOUT(1000);\nvar T = Java.type('java.lang.Thread'); "
        "T.sleep(1);\nnoSuchFunction();\n",  # Cooja's own business when it runs
        "TIMEOUT(1000, log.log('last: ' + msg)); // function of a comment() is no function\nwhile(true) { "
        "YIELD(); }\n",
    ],
)
def test_what_is_javascript_has_no_fault_whatever_it_calls(checked, code):
    assert checked(code)[0].loading is Loading.NOTES


@pytest.mark.parametrize(
    ("code", "line", "what"),
    [
        ("TIMEOUT(1000);\nvar a = [1];\nlog.log([...a]);", 3, "spread"),
        ("TIMEOUT(1000);\nvar {b} = {b: 1};", 2, "destructuring"),
        ("TIMEOUT(1000);\n/* x\n*/ var c = 2 ** 3;", 3, "**"),
        ("TIMEOUT(1000);\n\nlog.log(msg?.length);", 3, "?."),
        ("class A { }\nTIMEOUT(1000);", 1, "class"),
        ("TIMEOUT(1000, log.log(msg ?? 1));", 1, "??"),
    ],
)
def test_what_nashorn_does_not_read_is_a_fault_with_its_line(checked, code, line, what):
    report, begins = checked(code)
    assert report.loading is Loading.FAILS
    (fault,) = (one for one in report.findings if one.fatal)
    assert fault.line == begins + line - 1 and what in fault.what, fault


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("log.log(msg.includes('a'));", "includes()"),
        ("[1].find(isNaN);", "find()"),
        ("Object.entries({});", "Object.entries"),
        ("'1'.padStart(2);", "padStart()"),
        ("Math.trunc(1.5);", "Math.trunc"),
        ("new Promise(isNaN);", "Promise"),
    ],
)
def test_what_nashorn_lacks_is_noted_with_its_line(checked, code, what):
    report, begins = checked(f"TIMEOUT(1000);\nYIELD();\n{code}")
    assert report.loading is Loading.NOTES
    (note,) = (one for one in report.findings if "Nashorn, has no" in one.what)
    assert note.line == begins + 2 and what in note.what
    own = {
        "includes()": "String.prototype.includes = function() { };",
        "Promise": "function Promise() { }",
    }.get(what)
    if own:
        assert not [
            one for one in checked(f"TIMEOUT(1000);\n{own}\n{code}")[0].findings if "has no" in one.what
        ]


@pytest.mark.parametrize(
    "own",
    [
        "try { YIELD(); } catch(e if e instanceof Error) { log.testFailed(); }",
        "var t = new java.lang.Runnable() { run: function() { } };",
        "var f = function(x) x * x;",
    ],
)
def test_what_only_nashorn_knows_is_a_note(checked, own):
    report, _ = checked(f"TIMEOUT(1000);\n{own}\n")
    assert report.loading is Loading.NOTES
    assert any("only Nashorn knows" in one.what for one in report.findings)


def test_nothing_of_it_is_run(checked, tmp_path):
    assert checked("TIMEOUT(1000);\nwhile(true) { }\n")[0].loading is Loading.NOTES


def test_a_script_file_s_fault_names_the_file(small, tmp_path, capsys):
    (tmp_path / "node.c").write_text("/* a mote */")
    (tmp_path / "Makefile").write_text("all:")
    (tmp_path / "test.js").write_text("TIMEOUT(1000);\n\nvar = 1;\n")
    text = write(small).decode()
    begin, end = text.index("<script>"), text.index("</script>") + len("</script>")
    (tmp_path / "a.csc.gz").write_bytes(
        gzip.compress((text[:begin] + "<scriptfile>[CONFIG_DIR]/test.js</scriptfile>" + text[end:]).encode())
    )
    assert main(["csc", "check", str(tmp_path / "a.csc.gz"), "--json"]) == 3
    (found,) = (one for one in json.loads(capsys.readouterr().out)[0]["findings"] if one["fatal"])
    assert found["what"].startswith(f"{tmp_path / 'test.js'}, line 3: script: SyntaxError")
