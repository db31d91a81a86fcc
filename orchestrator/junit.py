# SPDX-License-Identifier: Apache-2.0
"""JUnit's XML, which servers of continuous integration show: from plain cases to the document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree

FAILURE, ERROR, SKIPPED = "failure", "error", "skipped"
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, 2.2


@dataclass(frozen=True)
class Case:
    """A test case.

    `ended`: FAILURE, ERROR, SKIPPED, or "" if it passed; `kind`, `message` and `text` say why. `output`: what
    its standard output is for the reader.
    """

    classname: str
    name: str
    seconds: float = 0.0
    file: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)
    ended: str = ""
    kind: str = ""
    message: str = ""
    text: str = ""
    output: str = ""


def document(suite: str, cases: Sequence[Case], seconds: float) -> bytes:
    """One suite of this name. `seconds`: of all cases together, which may have run side by side."""
    counts = {
        "tests": len(cases),
        "failures": sum(case.ended == FAILURE for case in cases),
        "errors": sum(case.ended == ERROR for case in cases),
        "skipped": sum(case.ended == SKIPPED for case in cases),
    }
    attributes = {name: str(count) for name, count in counts.items()} | {"time": f"{seconds:.3f}"}
    suites = ElementTree.Element("testsuites", {"name": suite} | attributes)
    within = ElementTree.SubElement(suites, "testsuite", {"name": suite} | attributes)
    for case in cases:
        _case(within, case)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def _case(suite: ElementTree.Element, test: Case) -> None:
    file = {"file": _plain(test.file)} if test.file else {}
    attributes = {"classname": _plain(test.classname), "name": _plain(test.name)} | file
    case = ElementTree.SubElement(suite, "testcase", attributes | {"time": f"{test.seconds:.3f}"})
    if test.properties:
        properties = ElementTree.SubElement(case, "properties")
        for key, value in test.properties.items():
            ElementTree.SubElement(properties, "property", name=key, value=_plain(value))
    if test.ended == SKIPPED:
        ElementTree.SubElement(case, SKIPPED, message=_plain(test.message))
    elif test.ended:
        wrong = ElementTree.SubElement(case, test.ended, type=_plain(test.kind), message=_plain(test.message))
        wrong.text = _plain(test.text)
    if test.output:
        ElementTree.SubElement(case, "system-out").text = _plain(test.output)


def _plain(text: str) -> str:
    return _NOT_IN_XML.sub("�", text)
