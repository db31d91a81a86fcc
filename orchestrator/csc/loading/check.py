# SPDX-License-Identifier: Apache-2.0
"""Says whether a stock Cooja would load a .csc headless.

The answer has every reason why not, and what Cooja would do differently from its window.

The file is checked in Cooja's own order, with Cooja's own strictness: parts that Cooja ignores are notes
here, not faults. Nothing is built or run, so it is not known whether a firmware compiles.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.csc import classes
from orchestrator.csc.document import Document
from orchestrator.csc.faults import Faults, Finding
from orchestrator.csc.javascript import Part
from orchestrator.csc.loading import media
from orchestrator.csc.loading.motes import Motes
from orchestrator.csc.loading.places import Places, check_tree
from orchestrator.csc.loading.plugins import Plugins
from orchestrator.csc.loading.report import Report
from orchestrator.csc.values import LONG, check_integer, decimal_fault, integer_fault, java_integer
from orchestrator.errors import Fault, FaultyInput

if TYPE_CHECKING:
    from lxml.etree import _Element

_KNOWN = frozenset(
    {
        "title",
        "randomseed",
        "motedelay",
        "motedelay_us",
        "radiomedium",
        "events",
        "speedlimit",
        "motetype",
        "mote",
    }
)
_MANDATORY = {
    "title": "<title>My simulation</title>",
    "randomseed": "<randomseed>1</randomseed>",
    "radiomedium": "a <radiomedium>, for example by saving the file from Cooja again",
}


Syntax = Callable[[list[Part]], list[Fault]]


def misread(faulty: FaultyInput, file: str, rules: str) -> Report:
    """Return the report on a file that isn't XML."""
    return Report(
        file, rules, tuple(Finding(fault.line, True, fault.what, fault.remedy) for fault in faulty.faults)
    )


def judge(
    written: Document,
    rules: str,
    contiki: Path | None = None,
    cooja: Path | None = None,
    syntax: Syntax = lambda _: [],
    files: bool = True,
    ends: bool = False,
) -> Report:
    """Judge a document that has been read.

    `files`: look for what it names. `ends`: something else ends a run of a file that has no script.
    """
    faults = Faults(written.file)
    _judge(written, rules, Places(written.folder, contiki, cooja, files), syntax, faults, ends)
    return Report(written.file, rules, faults.findings())


def _judge(written: Document, rules: str, where: Places, syntax: Syntax, faults: Faults, ends: bool) -> None:
    root, part = written.root, written.part
    if root.tag != "simconf":
        faults.faulty(
            root, f"the outermost element is <{root.tag}>, not <simconf>", "this is not a Cooja simulation"
        )
        return
    _version(root, faults)
    if where.look:
        check_tree(where.contiki, faults)
    for project in root.findall("project"):
        if (project.text or "") not in classes.BUILT_IN_PROJECTS:
            faults.note(
                project,
                f"project {(project.text or '').strip()[:80]!r}: an extension that Cooja warns of if it is "
                "not set up",
                "remove it if no class of the file belongs to it",
            )
    if part is None:
        faults.faulty(root, "no <simulation> element", "save the simulation from Cooja again")
        return
    _header(part, faults)
    motes = Motes(written, rules, where, faults)
    if not motes.interfaces:
        faults.note(part, "no motes: nothing happens in this simulation")
    medium = part.find("radiomedium")
    if medium is not None:
        media.check(medium, motes, faults)
    Plugins(where, faults, motes.interfaces, syntax, ends).check(written)


def _version(root: _Element, faults: Faults) -> None:
    version = root.get("version")
    if version is None:
        faults.note(
            root,
            "no version: the form of before 2022; Cooja does not check it",
            "`orchestrate csc fix` brings the file up to date",
        )
    elif version != classes.VERSION:
        how = "older" if classes.is_older(version) else "other"
        faults.note(
            root,
            f"version {version[:40]}, {how} than {classes.VERSION}; Cooja does not look at it",
            "`orchestrate csc fix` brings the file up to date",
        )


def _header(part: _Element, faults: Faults) -> None:
    for tag, example in _MANDATORY.items():
        if part.find(tag) is None:
            faults.faulty(part, f"no <{tag}> in <simulation>", f"add {example}")
    seed = part.find("randomseed")
    if seed is not None and seed.text == "generated":
        faults.note(
            seed,
            "the random seed is generated, so each run is different",
            "write a number, or give one with --random-seed",
        )
    elif seed is not None:
        check_integer(seed, "randomseed", faults, LONG)
    old = part.find("motedelay")
    delay = part.find("motedelay_us") if old is None else old  # the one in ms counts, as in Cooja
    if delay is None:
        faults.faulty(part, "no <motedelay_us> in <simulation>", "add <motedelay_us>1000000</motedelay_us>")
    else:
        check_integer(delay, delay.tag, faults)
        if integer_fault(delay.text or "") is None and java_integer(delay.text) < 0:
            faults.note(delay, f"a negative start delay, {delay.text}: all motes start at once", "write 0")
    if old is not None:
        faults.note(
            old,
            "<motedelay> in milliseconds, the form of before 2010; Cooja still reads it",
            "`orchestrate csc fix` rewrites it",
        )
    for child in part:
        if child.tag not in _KNOWN:
            faults.note(child, f"<{child.tag}> in <simulation> is unknown to Cooja and ignored")
    limit = part.find("speedlimit")
    if limit is not None and limit.text != "null" and (fault := decimal_fault(limit.text or "")):
        faults.faulty(limit, f"speedlimit: {fault}", "remove it: a run without a window has none")
    for lines in part.iterfind("events/logoutput"):
        check_integer(lines, "logoutput", faults)
