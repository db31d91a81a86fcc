# SPDX-License-Identifier: Apache-2.0
"""What came of simulations as JUnit's XML, which servers of continuous integration show.

A failed verdict is a failure; what kept a file from running, and a run that crashed or hung, is an error;
what an interruption came before is skipped. A test's class is its folder, as in a.b of a/b/test.csc.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from orchestrator.cli.simulate_results import NOT_RUN, Row
from orchestrator.execution.simulations import LOG

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, 2.2


def document(rows: Sequence[Row], seconds: float) -> bytes:
    """`seconds`: of all together, which ran side by side."""
    counts = {
        "tests": len(rows),
        "failures": sum(one.failed for one in rows),
        "errors": sum(one.code != 0 and not one.failed and one.what != NOT_RUN for one in rows),
        "skipped": sum(one.what == NOT_RUN for one in rows),
    }
    said = {name: str(count) for name, count in counts.items()} | {"time": f"{seconds:.3f}"}
    suites = ElementTree.Element("testsuites", {"name": "orchestrate simulate"} | said)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "orchestrate simulate"} | said)
    for one in rows:
        _case(suite, one)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def _case(suite: ElementTree.Element, one: Row) -> None:
    folder, _, name = one.task.name.rpartition("/")
    wall_s = 0.0 if one.result is None else one.result.wall_s
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {
            "classname": _plain(folder.replace("/", ".") or "simulate"),
            "name": _plain(name),
            "file": _plain(str(one.task.file)),
            "time": f"{wall_s:.3f}",
        },
    )
    values = {"seed": one.seed, "simulated_us": None if one.result is None else one.result.sim_us}
    if any(value is not None for value in values.values()):
        properties = ElementTree.SubElement(case, "properties")
        for key, value in values.items():
            if value is not None:
                ElementTree.SubElement(properties, "property", name=key, value=str(value))
    if one.what == NOT_RUN:
        ElementTree.SubElement(case, "skipped", message="interrupted before it ended")
    elif one.code:
        first = one.evidence[0].strip() if one.evidence else ""
        wrong = ElementTree.SubElement(
            case,
            "failure" if one.failed else "error",
            type=one.what,
            message=_plain(f"{one.what}: {first}" if first else one.what),
        )
        wrong.text = _plain("\n".join(one.evidence))
    if one.result is not None:
        ElementTree.SubElement(case, "system-out").text = _plain(f"log: {one.task.logdir / LOG}")


def _plain(text: str) -> str:
    return _NOT_IN_XML.sub("�", text)
