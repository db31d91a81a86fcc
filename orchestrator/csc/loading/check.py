# SPDX-License-Identifier: Apache-2.0
"""Would a stock Cooja load this .csc headless? Every reason why not, and what it would do differently from the window.

The file is gone through in Cooja's own order, with Cooja's own strictness: what it passes over is a note here, not a
fault. Nothing is built or run: whether a firmware compiles is for the compiler to say.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.csc import classes, parse
from orchestrator.csc.loading import names
from orchestrator.csc.loading.motes import Motes, old_name
from orchestrator.csc.loading.numbers import LONG, decimal_fault, integer_fault
from orchestrator.csc.loading.places import Places, check_tree
from orchestrator.csc.loading.plugins import Plugins
from orchestrator.csc.loading.report import Finding, Findings, Report
from orchestrator.csc.values import own_text
from orchestrator.errors import FaultyInput

_DECIMALS = frozenset({
    "transmitting_range", "interference_range", "success_ratio", "success_ratio_tx", "success_ratio_rx", "rx_sensitivity",
    "rssi_inflection_point", "path_loss_exponent", "awgn_sigma", "time_variation_min_pl_db", "time_variation_max_pl_db",
})
_RATIOS = frozenset({"success_ratio", "success_ratio_tx", "success_ratio_rx", "ratio"})
_KNOWN = frozenset({"title", "randomseed", "motedelay", "motedelay_us", "radiomedium", "events", "speedlimit", "motetype", "mote"})
_MANDATORY = {
    "title": "<title>My simulation</title>",
    "randomseed": "<randomseed>1</randomseed>",
    "radiomedium": "a <radiomedium>, for example by saving the file from Cooja again",
}


def check(path: Path, rules: str = "5.0", contiki: Path | None = None, cooja: Path | None = None) -> Report:
    """What was found about a .csc or .csc.gz. Raises NoSuchThing if there is no such file."""
    path = Path(path)
    where = Places(path.resolve().parent, contiki, cooja)
    try:
        root = parse.parse(path)
    except FaultyInput as faulty:
        return Report(str(path), rules, tuple(Finding(one.line, True, one.what, one.remedy) for one in faulty.faults))
    return check_root(root, str(path), rules, where)


def check_root(root, name: str, rules: str, where: Places) -> Report:
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
        _medium(medium, motes, findings)
    Plugins(where, findings, motes.count).check(root)
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
        _whole(seed, "randomseed", findings, LONG)
    old = part.find("motedelay")
    delay = part.find("motedelay_us") if old is None else old  # the one in ms counts, as in Cooja
    if delay is None:
        findings.fault(part, "no <motedelay_us> in <simulation>", "add <motedelay_us>1000000</motedelay_us>")
    else:
        _whole(delay, delay.tag, findings)
        if integer_fault(delay.text or "") is None and int(delay.text) < 0:
            findings.note(delay, f"a negative start delay, {delay.text}: all motes start at once", "write 0")
    if old is not None:
        findings.note(old, "<motedelay> in milliseconds, the form of before 2010; Cooja still reads it",
                      "`orchestrate csc fix` rewrites it")
    limit = part.find("speedlimit")
    if limit is not None and limit.text != "null" and (fault := decimal_fault(limit.text or "")):
        findings.fault(limit, f"speedlimit: {fault}", "remove it: a headless run has none")
    for lines in part.iterfind("events/logoutput"):
        _whole(lines, "logoutput", findings)


def _medium(element, motes: Motes, findings: Findings) -> None:
    written = own_text(element)
    name = classes.today(written)
    old_name(element, written, findings)
    if name not in names.MEDIA:
        successor = names.REMOVED_MEDIA.get(name)
        findings.fault(element, f"radio medium {name[:80] or '(no class name)'!r} is unknown to Cooja",
                       f"use {successor or classes.UDGM}")
        return
    for child in element:
        if child.tag in _DECIMALS:
            _decimal(child, findings)
        elif child.tag in ("BaseRSSIConfig", "SendRSSIConfig"):
            _known_mote(child, child.get("Mote") or "", motes, findings)
            _decimal(child, findings)
        elif child.tag == "edge" and name == classes.DIRECTED_GRAPH:
            _edge(child, motes, findings)


def _edge(element, motes: Motes, findings: Findings) -> None:
    if element.find("src") is not None:
        findings.note(element, "an edge in the form of before 2009 (<src>): Cooja looks its motes up by what they are called",
                      "save the file with today's Cooja")
        return
    source, destination = element.find("source"), element.find("dest")
    if source is None or destination is None:
        findings.fault(element, "an edge without <source> or <dest>", "add it, or remove the edge")
        return
    _known_mote(source, source.text or "", motes, findings)
    written = own_text(destination)
    old_name(destination, written, findings)
    if classes.today(written) != classes.DIRECTED_GRAPH_DESTINATION:
        findings.fault(destination, f"an edge of the class {written[:80]!r}", f"use {classes.DIRECTED_GRAPH_DESTINATION}")
    radio = destination.find("radio")
    if radio is None:
        findings.fault(destination, "an edge without <radio>", "name the mote that it leads to")
    else:
        _known_mote(radio, (radio.text or "").strip(), motes, findings)
    for child in destination:
        if child.tag in ("ratio", "signal"):
            _decimal(child, findings)
        elif child.tag in ("lqi", "channel"):
            _whole(child, child.tag, findings)
        elif child.tag == "delay":
            _whole(child, "delay", findings, LONG)


def _known_mote(element, text: str, motes: Motes, findings: Findings) -> None:
    fault = integer_fault(text)
    if fault:
        findings.fault(element, f"mote: {fault}", "write the mote's id")
    elif motes.certain and int(text) not in motes.ids:
        findings.fault(element, f"mote {text} is not in the simulation", "correct or remove it")


def _whole(element, what: str, findings: Findings, bounds: tuple[int, int] | None = None) -> None:
    fault = integer_fault(element.text or "", *([] if bounds is None else [bounds]))
    if fault:
        findings.fault(element, f"{what}: {fault}", "write digits only")


def _decimal(element, findings: Findings) -> None:
    text = element.text or ""
    fault = decimal_fault(text)
    if fault:
        findings.fault(element, f"{element.tag}: {fault}", "write it like 12.5")
    elif element.tag in _RATIOS:
        try:
            if not 0 <= float(text) <= 1:
                findings.note(element, f"{element.tag} {text.strip()} is no probability", "write a ratio from 0 to 1")
        except ValueError:
            pass  # a form of number that only Java has
