# SPDX-License-Identifier: Apache-2.0
"""Which scripts are read as an EndScript: exactly those that do what it says, in Cooja's own reading."""

import pytest

from orchestrator.csc import script
from orchestrator.csc.model import EndScript
from orchestrator.errors import Unsupported

LOOP = r'while (true) { log.log(time + "\tID:" + id + "\t" + msg + "\n"); YIELD(); }'


@pytest.mark.parametrize(
    "text",
    [
        f"TIMEOUT(1000);\n{LOOP}",
        f"/* a\n comment */ TIMEOUT(1000); // more\n{LOOP}\n\n",
        f"TIMEOUT(1000);\r\n{LOOP}\r\n",
        "TIMEOUT(1000);\nwhile(true){log.log(time+'\\tID:'+id+'\\t'+msg+'\\n');YIELD();}",
        f";;TIMEOUT(1000);;\n{LOOP};",
    ],
)
def test_the_plain_loop_has_no_verdict(text):
    assert script.read(text) == EndScript(1_000_000, verdict_at_timeout=False)


def test_without_a_timeout_it_is_twenty_minutes():
    assert script.read(LOOP) == EndScript(1_200_000_000, verdict_at_timeout=False)


def test_passing_at_the_timeout():
    assert script.read(f"TIMEOUT(250, log.testOK());\n{LOOP}") == EndScript(250_000)
    assert script.read(f"TIMEOUT(250,\nlog.testOK());\n{LOOP}") == EndScript(250_000)
    assert script.read(f"{LOOP}\nTIMEOUT(250 ,  log.testOK() );") == EndScript(250_000)


AT_ONCE = r"""while (true) {
  log.log(time + "\tID:" + id + "\t" + msg + "\n");
  if (msg.contains("bad")) { log.testFailed(); }
  if (msg.contains("good")) { log.testOK(); }
  YIELD();
}"""
EXPECT_AT_ONCE = AT_ONCE.replace('  if (msg.contains("bad")) { log.testFailed(); }\n', "")
FORBID_AT_ONCE = AT_ONCE.replace('  if (msg.contains("good")) { log.testOK(); }\n', "")


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (f"TIMEOUT(9, log.testFailed());\n{AT_ONCE}", EndScript(9000, "good", "bad", ends_at_verdict=True)),
        (f"TIMEOUT(9, log.testFailed());\n{EXPECT_AT_ONCE}", EndScript(9000, "good", ends_at_verdict=True)),
        (f"TIMEOUT(9, log.testOK());\n{FORBID_AT_ONCE}", EndScript(9000, None, "bad", ends_at_verdict=True)),
        (f"TIMEOUT(9);\n{AT_ONCE}", EndScript(9000, "good", "bad", False, True)),
        (f"TIMEOUT(9);\n{EXPECT_AT_ONCE}", EndScript(9000, "good", None, False, True)),
        (EXPECT_AT_ONCE, EndScript(1_200_000_000, "good", None, False, True)),
    ],
)
def test_ending_with_the_line_that_decides(text, end):
    assert script.read(text) == end
    assert script.read(script.write(end)) == end


REFUSED = {
    "TIMEOUT(9, log.testOK());": f"TIMEOUT(9, log.testOK());\n{AT_ONCE}",
    "TIMEOUT(9)": f"TIMEOUT(9);\n{FORBID_AT_ONCE}",  # it could never pass
    "log.log('hello');": f"TIMEOUT(1000);\nlog.log('hello');\n{LOOP}",
    "TIMEOUT(1000, log.testFailed());": f"TIMEOUT(1000, log.testFailed());\n{LOOP}",
    "WAIT_UNTIL(id == 1);": f"TIMEOUT(1000);\nWAIT_UNTIL(id == 1);\n{LOOP}",
    # Cooja's own replacement of TIMEOUT takes no space after the bracket, and code of one line only.
    "TIMEOUT( 1000);": f"TIMEOUT( 1000);\n{LOOP}",
    "TIMEOUT(1000, log": f"TIMEOUT(1000, log\n.testOK());\n{LOOP}",
    "line end U+2028": f"TIMEOUT(1000);\u2028{LOOP}",
    "TIMEOUT(2000)": f"TIMEOUT(1000);\nTIMEOUT(2000, log.testOK());\n{LOOP}",
    "while (true)": f"TIMEOUT(1000, log.testOK()); {LOOP}",  # the greedy replacement swallows the loop
    "YIELD();": LOOP.replace("{ log", "{ YIELD(); log"),
    # `//` in a string is a comment to Cooja
    'log.log(time + "': LOOP.replace("ID:", "ID://"),
    "timeout_function": f"timeout_function = function() {{ log.testOK(); }}\n{LOOP}",
}


@pytest.mark.parametrize("statement", REFUSED)
def test_anything_else_is_refused_with_its_first_statement(statement):
    with pytest.raises(script.UnknownScript) as raised:
        script.read(REFUSED[statement])
    if statement != "while (true)":
        assert raised.value.statement.startswith(statement[:12])
    assert raised.value.line >= 1


def test_the_line_is_that_of_the_statement():
    with pytest.raises(script.UnknownScript) as raised:
        script.read(f"/*\n\n*/\nTIMEOUT(5);\n// note\nvar a = 1;\n{LOOP}")
    assert (raised.value.statement, raised.value.line) == ("var a = 1;", 6)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "!run,end",
        'a "quoted" \\ line',
        "http://example/*x*/",
        "log.testOK()",
        "TIMEOUT(5)",
        "WAIT_UNTIL(x)",
        "é \U0001f600",
        "tab\tand\nline end",
        "</script>",
        "SUCCESS_LINE",
    ],
)
def test_lines_survive_cooja_s_textual_replacements(line):
    for end in (
        EndScript(1000, line),
        EndScript(1000, None, line),
        EndScript(1000, line, line),
        EndScript(1000, line, line, False, True),
    ):
        text = script.write(end)
        assert script.read(text) == end
        code = text.split("\n", 1)[1]
        assert code.count("TIMEOUT(") == 1
        assert "//" not in code
        assert "/*" not in code
        assert "WAIT_UNTIL" not in code or "WAIT_UNTIL(" not in code


def test_what_cooja_cannot_say_is_refused():
    with pytest.raises(Unsupported, match="whole milliseconds"):
        script.write(EndScript(1500))
    with pytest.raises(Unsupported, match="no success or fail line"):
        script.write(EndScript(1000, "x", verdict_at_timeout=False))
    with pytest.raises(Unsupported, match="needs the success or fail line"):
        script.write(EndScript(1000, ends_at_verdict=True))
    with pytest.raises(Unsupported, match="nothing would let this run pass"):
        script.write(EndScript(1000, None, "x", verdict_at_timeout=False, ends_at_verdict=True))
