# SPDX-License-Identifier: Apache-2.0
"""A script that Cooja would refuse is a faulty file, with the line and the reason."""

import pytest

from orchestrator.csc.read import read_bytes
from orchestrator.csc.write import write
from orchestrator.engines.embedded import remembered
from orchestrator.errors import FaultyInput, Unsupported


def with_script(small, script: str) -> bytes:
    text = write(small).decode()
    start, end = text.index("<script>"), text.index("</script>")
    return f"{text[:start]}<script><![CDATA[\n{script}\n]]>{text[end:]}".encode()


def fault(small, script: str):
    with pytest.raises(FaultyInput) as raised:
        read_bytes(with_script(small, script))
    return raised.value.faults[0]


def test_a_syntax_error_beside_a_name_of_the_api_is_a_fault(small, tmp_path):
    (tmp_path / "a.csc").write_bytes(with_script(small, 'YIELD();\nlog.log("x" + ; sim.stopAll();'))
    with pytest.raises(FaultyInput, match="SyntaxError"):
        remembered.read(tmp_path / "a.csc")


def test_importpackage_is_nothing_that_cooja_has(small):
    with pytest.raises(FaultyInput, match=r"importPackage.*has no such function\n.*log\.append"):
        read_bytes(with_script(small, "importPackage(java.io);\nYIELD();"))
    with pytest.raises(Unsupported, match="importPackage"):
        read_bytes(with_script(small, 'load("nashorn:mozilla_compat.js"); importPackage(java.io);'))


@pytest.mark.parametrize("more", ['log.log("more\\n");', "if(x) y();", "sim.removeMote(m); x = 1"])
def test_what_follows_wait_until_on_its_line_is_named(small, more):
    found = fault(small, f"YIELD();\nWAIT_UNTIL(id == (7)); {more}")
    assert more[:8] in found.what and "last bracket" in found.what
    assert "a line of its own" in found.remedy


def test_what_follows_timeout_on_its_line_is_named_too(small):
    found = fault(small, "YIELD();\nTIMEOUT(5000, log.testOK()); while(true) { YIELD(); }")
    assert "while(true)" in found.what and "a line of its own" in found.remedy


@pytest.mark.parametrize(
    "fine", ["WAIT_UNTIL(a(')') && b); x = 1;", "WAIT_UNTIL(a) || (b);", "WAIT_UNTIL(a);"]
)
def test_what_the_macro_takes_rightly_is_no_fault(small, fine):
    assert read_bytes(with_script(small, f"YIELD();\n{fine}"))


def test_a_typographic_quote_is_named_with_its_line(small):
    found = fault(small, 'YIELD();\nlog.log("fine “here”" + “bad”);')
    assert "“ (U+201C)" in found.what
    text = with_script(small, 'YIELD();\nlog.log("fine “here”" + “bad”);').decode().split("\n")
    assert "bad" in text[found.line - 1]
    assert read_bytes(with_script(small, 'YIELD(); log.log("fine “here”"); // “a”'))
