# SPDX-License-Identifier: Apache-2.0
"""Radio media of a .csc: read from <radiomedium> and written into it."""

from __future__ import annotations

from lxml import etree

from orchestrator.csc import classes
from orchestrator.csc.faults import Faults
from orchestrator.csc.model import DirectedGraph, Edge, Medium, Mote, Udgm, UdgmConstantLoss
from orchestrator.csc.values import INT_MAX, INT_MIN, decimal, integer, own_text

LONGEST_DELAY_US = 2**53  # the engine's longest time
_UDGM_FIELDS = {
    "transmitting_range": "transmitting_range",
    "interference_range": "interference_range",
    "success_ratio_tx": "success_ratio_tx",
    "success_ratio": "success_ratio_tx",  # its name before 2010; Cooja reads it so
    "success_ratio_rx": "success_ratio_rx",
}
_UNIT_DISKS = {classes.UDGM: Udgm, classes.UDGM_CONSTANT_LOSS: UdgmConstantLoss}
_UNREADABLE = Edge(0, 0)  # stands for an edge whose fault is noted
_KNOWN = f"{classes.UDGM}, {classes.UDGM_CONSTANT_LOSS} or {classes.DIRECTED_GRAPH}"


def read(element, faults: Faults) -> Medium:
    """The medium. Whether the motes of its edges exist is for check_edges()."""
    name = classes.today(own_text(element))
    if name in _UNIT_DISKS:
        return _unit_disk(element, _UNIT_DISKS[name], faults)
    if name == classes.DIRECTED_GRAPH:
        return _directed_graph(element, faults)
    if name in classes.OTHER_MEDIA:
        faults.unsupported(element, f"radio medium {name}", f"use {_KNOWN}")
    else:
        faults.faulty(element, f"unknown radio medium {name[:80]!r}", f"use {_KNOWN}")
    return Udgm()


def check_edges(element, medium: Medium, motes: tuple[Mote, ...], faults: Faults) -> None:
    """Notes edges of motes that are not there, to themselves, and second ones between the same motes."""
    if not isinstance(medium, DirectedGraph):
        return
    known = {mote.id for mote in motes}
    seen: set[tuple[int, int]] = set()
    for child, edge in zip(element.iter("edge"), medium.edges):
        if edge is _UNREADABLE:
            continue
        pair = (edge.source, edge.destination)
        for end in pair:
            if end not in known:
                faults.faulty(child, f"an edge of mote {end}, which is not in the simulation", "correct or remove the edge")
        if edge.source == edge.destination:
            faults.unsupported(child, f"an edge from mote {edge.source} to itself",
                               "remove it: no radio receives its own frames")
        elif pair in seen:
            faults.unsupported(child, f"a second edge from mote {edge.source} to mote {edge.destination}", "keep one of them")
        seen.add(pair)


def _unit_disk(element, kind: type[Udgm], faults: Faults) -> Udgm:
    values = {}
    for child in element:
        field = _UDGM_FIELDS.get(child.tag)
        if field is None:
            _unknown(child, faults)
            continue
        value = decimal(child, child.text or "", faults, child.tag)
        if field.startswith("success") and not 0 <= value <= 1 or value < 0:
            faults.faulty(child, f"{child.tag}: {value} is out of range",
                          "write a ratio from 0 to 1" if field.startswith("success") else "write metres, 0 or more")
            continue
        values[field] = value
    return kind(**values)


def _unknown(child, faults: Faults) -> None:
    if child.tag in ("BaseRSSIConfig", "SendRSSIConfig"):
        faults.unsupported(child, f"<{child.tag}>, a mote's own signal strength", "remove it")
    else:
        faults.faulty(child, f"unknown element <{child.tag}> of the radio medium", "remove it")


def _directed_graph(element, faults: Faults) -> DirectedGraph:
    edges = []
    for child in element:
        if child.tag == "edge":
            edges.append(_edge(child, faults))
        else:
            _unknown(child, faults)
    return DirectedGraph(tuple(edges))


def _edge(element, faults: Faults) -> Edge:
    """An edge, or _UNREADABLE."""
    source = destination = None
    for child in element:
        if child.tag == "source" and source is None:
            source = integer(child, child.text or "", faults, "source", INT_MIN, INT_MAX)
        elif child.tag == "dest" and destination is None:
            destination = child
        elif child.tag == "src":
            faults.unsupported(child, "an edge in the form of before 2009 (<src>)", "save the file with today's Cooja")
            return _UNREADABLE
        else:
            faults.faulty(child, f"unknown or second element <{child.tag}> of an edge", "remove it")
    if source is None or destination is None:
        faults.faulty(element, "an edge without <source> or <dest>", "save the file from Cooja again, or remove the edge")
        return _UNREADABLE
    name = classes.today(own_text(destination))
    if name != classes.DIRECTED_GRAPH_DESTINATION:
        faults.unsupported(destination, f"an edge of the class {name[:80]!r}", f"use {classes.DIRECTED_GRAPH_DESTINATION}")
    return _destination(destination, source, faults)


def _destination(element, source: int, faults: Faults) -> Edge:
    values: dict = {}
    for child in element:
        text = child.text or ""
        if child.tag == "radio":
            values["destination"] = integer(child, text, faults, "radio", INT_MIN, INT_MAX)
        elif child.tag == "ratio":
            values["ratio"] = decimal(child, text, faults, "ratio", 1.0)
            if not 0 <= values["ratio"] <= 1:
                faults.faulty(child, f"ratio: {values['ratio']} is out of range", "write a ratio from 0 to 1")
        elif child.tag == "signal":
            values["signal_dbm"] = decimal(child, text, faults, "signal")
        elif child.tag in ("lqi", "channel"):
            values[child.tag] = integer(child, text, faults, child.tag, INT_MIN, INT_MAX)
        elif child.tag == "delay":
            values["delay_us"] = integer(child, text, faults, "delay", 0, LONGEST_DELAY_US)
        else:
            faults.faulty(child, f"unknown element <{child.tag}> of an edge", "remove it")
    if "destination" not in values:
        faults.faulty(element, "an edge without <radio>", "name the mote that it leads to")
        return _UNREADABLE
    return Edge(source, **values)


def write(element, medium: Medium, number) -> None:
    """Fills the template's <radiomedium>; `number` writes a decimal."""
    name = next((name for name, kind in _UNIT_DISKS.items() if kind is type(medium)), classes.DIRECTED_GRAPH)
    if isinstance(medium, Udgm):
        for field in ("transmitting_range", "interference_range", "success_ratio_tx", "success_ratio_rx"):
            element.find(field).text = number(getattr(medium, field))
    else:
        for child in list(element):
            element.remove(child)
        for edge in medium.edges:
            element.append(_edge_element(edge, number))
    element.text = name


def _edge_element(edge: Edge, number) -> etree._Element:
    element = etree.Element("edge")
    etree.SubElement(element, "source").text = str(edge.source)
    destination = etree.SubElement(element, "dest")
    destination.text = classes.DIRECTED_GRAPH_DESTINATION
    for tag, text in (("radio", str(edge.destination)), ("ratio", number(edge.ratio)), ("signal", number(edge.signal_dbm)),
                      ("lqi", str(edge.lqi)), ("delay", str(edge.delay_us)), ("channel", str(edge.channel))):
        etree.SubElement(destination, tag).text = text
    return element
