# SPDX-License-Identifier: Apache-2.0
"""Would a stock Cooja load this .csc headless? Every reason why not, and what it would do differently from the window.

The file is gone through in Cooja's own order, with Cooja's own strictness: what it passes over is a note here, not a
fault. Nothing is built or run: whether a firmware compiles is for the compiler to say.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from orchestrator.csc import classes, parse
from orchestrator.csc.javascript import Part
from orchestrator.csc.loading import media, names
from orchestrator.csc.loading.motes import Motes
from orchestrator.csc.loading.numbers import LONG, decimal_fault, integer_fault, whole
from orchestrator.csc.loading.places import Places, check_tree
from orchestrator.csc.loading.plugins import Plugins
from orchestrator.csc.loading.report import Finding, Findings, Report
from orchestrator.engines.model import DEFAULT_RULES
from orchestrator.errors import Fault, FaultyInput

_KNOWN = frozenset({"title", "randomseed", "motedelay", "motedelay_us", "radiomedium", "events", "speedlimit", "motetype", "mote"})
_MANDATORY = {
    "title": "<title>My simulation</title>",
    "randomseed": "<randomseed>1</randomseed>",
    "radiomedium": "a <radiomedium>, for example by saving the file from Cooja again",
}


Syntax = Callable[[list[Part]], list[Fault]]


def check(path: Path, rules: str = DEFAULT_RULES, contiki: Path | None = None, cooja: Path | None = None,
          syntax: Syntax = lambda _: []) -> Report:
    """What was found about a .csc or .csc.gz; `syntax` says what is wrong with its script as JavaScript.

    Raises NoSuchThing if there is no such file.
    """
    path = Path(path)
    where = Places(path.resolve().parent, contiki, cooja)
    try:
        root = parse.parse(path)
    except FaultyInput as faulty:
        return Report(str(path), rules, tuple(Finding(one.line, True, one.what, one.remedy) for one in faulty.faults))
    return check_root(root, str(path), rules, where, syntax)


def check_root(root, name: str, rules: str, where: Places, syntax: Syntax = lambda _: []) -> Report:
    """The same, of an XML tree."""
    findings = Findings()
    if root.tag != "simconf":
        findings.fault(root, f"the outermost element is <{root.tag}>, not <simconf>", "this is not a Cooja simulation")
        return Report(name, rules, findings.all())
    _version(root, findings)
    check_tree(where.contiki, findings)
    for project in root.findall("project"):
        if (project.text or "") not in classes.BUILT_IN_PROJECTS:
            findings.note(project, f"project {(project.text or '').strip()[:80]!r}: an extension that Cooja warns of if it is not set up",
                          "remove it if no class of the file is of it")
    part = root.find("simulation")
    if part is None:
        findings.fault(root, "no <simulation> element", "save the simulation from Cooja again")
        return Report(name, rules, findings.all())
    _header(part, findings)
    motes = Motes(rules, where, findings)
    for child in part:
        if child.tag == "motetype":
            motes.mote_type(child)
        elif child.tag == "mote":
            motes.outside(child)
        elif isinstance(child.tag, str) and child.tag not in _KNOWN:
            findings.note(child, f"<{child.tag}> in <simulation> is unknown to Cooja and passed over")
    if not motes.count:
        findings.note(part, "no motes: nothing happens in this simulation")
    medium = part.find("radiomedium")
    if medium is not None:
        media.check(medium, motes, findings)
    Plugins(where, findings, motes.count, name, syntax).check(root)
    return Report(name, rules, findings.all())


def _version(root, findings: Findings) -> None:
    version = root.get("version")
    if version is None:
        findings.note(root, "no version: a form of before 2022; Cooja does not look at it", "`orchestrate csc fix` brings the file up to date")
    elif version != names.VERSION:
        older = version.isdecimal() and int(version) < int(names.VERSION)
        findings.note(root, f"version {version[:40]}, {'older' if older else 'other'} than {names.VERSION}; Cooja does not look at it",
                      "`orchestrate csc fix` brings the file up to date")


def _header(part, findings: Findings) -> None:
    for tag, example in _MANDATORY.items():
        if part.find(tag) is None:
            findings.fault(part, f"no <{tag}> in <simulation>", f"add {example}")
    seed = part.find("randomseed")
    if seed is not None and seed.text == "generated":
        findings.note(seed, "the random seed is generated: each run is another", "write a number, or give one with --random-seed")
    elif seed is not None:
        whole(seed, "randomseed", findings, LONG)
    old = part.find("motedelay")
    delay = part.find("motedelay_us") if old is None else old  # the one in ms counts, as in Cooja
    if delay is None:
        findings.fault(part, "no <motedelay_us> in <simulation>", "add <motedelay_us>1000000</motedelay_us>")
    else:
        whole(delay, delay.tag, findings)
        if integer_fault(delay.text or "") is None and int(delay.text) < 0:
            findings.note(delay, f"a negative start delay, {delay.text}: all motes start at once", "write 0")
    if old is not None:
        findings.note(old, "<motedelay> in milliseconds, the form of before 2010; Cooja still reads it",
                      "`orchestrate csc fix` rewrites it")
    limit = part.find("speedlimit")
    if limit is not None and limit.text != "null" and (fault := decimal_fault(limit.text or "")):
        findings.fault(limit, f"speedlimit: {fault}", "remove it: a headless run has none")
    for lines in part.iterfind("events/logoutput"):
        whole(lines, "logoutput", findings)
