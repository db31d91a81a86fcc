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
        "failures": sum(one.ended == FAILURE for one in cases),
        "errors": sum(one.ended == ERROR for one in cases),
        "skipped": sum(one.ended == SKIPPED for one in cases),
    }
    said = {name: str(count) for name, count in counts.items()} | {"time": f"{seconds:.3f}"}
    suites = ElementTree.Element("testsuites", {"name": suite} | said)
    within = ElementTree.SubElement(suites, "testsuite", {"name": suite} | said)
    for one in cases:
        _case(within, one)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def _case(suite: ElementTree.Element, one: Case) -> None:
    file = {"file": _plain(one.file)} if one.file else {}
    said = {"classname": _plain(one.classname), "name": _plain(one.name)} | file
    case = ElementTree.SubElement(suite, "testcase", said | {"time": f"{one.seconds:.3f}"})
    if one.properties:
        properties = ElementTree.SubElement(case, "properties")
        for key, value in one.properties.items():
            ElementTree.SubElement(properties, "property", name=key, value=_plain(value))
    if one.ended == SKIPPED:
        ElementTree.SubElement(case, SKIPPED, message=_plain(one.message))
    elif one.ended:
        wrong = ElementTree.SubElement(case, one.ended, type=_plain(one.kind), message=_plain(one.message))
        wrong.text = _plain(one.text)
    if one.output:
        ElementTree.SubElement(case, "system-out").text = _plain(one.output)


def _plain(text: str) -> str:
    return _NOT_IN_XML.sub("�", text)
