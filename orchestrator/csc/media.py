# SPDX-License-Identifier: Apache-2.0
"""Radio media of a .csc: read from <radiomedium> and written into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lxml import etree

from orchestrator.csc import classes
from orchestrator.csc.faults import Faults
from orchestrator.csc.model import (
    DeclaredMedium,
    DirectedGraph,
    Edge,
    LogisticLoss,
    Medium,
    Mote,
    OwnSignal,
    Silent,
    Udgm,
    UdgmConstantLoss,
)
from orchestrator.csc.values import INT_MAX, INT_MIN, decimal, integer, own_text
from orchestrator.media import of_class

if TYPE_CHECKING:
    from lxml.etree import _Element

LONGEST_DELAY_US = 2**53  # the engine's longest time
UDGM_FIELDS = ("transmitting_range", "interference_range", "success_ratio_tx", "success_ratio_rx")
OLD_NAMES = {"success_ratio": "success_ratio_tx"}  # its name before 2010; Cooja reads it so
LOGISTIC_FIELDS = (
    "transmitting_range",
    "success_ratio_tx",
    "rx_sensitivity",
    "rssi_inflection_point",
    "path_loss_exponent",
    "awgn_sigma",
    "time_variation_min_pl_db",
    "time_variation_max_pl_db",
)
_LEFT_OVER = frozenset(
    {"interference_range", "success_ratio_rx", "success_ratio"}
)  # of another medium: nothing in logistic loss
_OWN_SIGNALS = {"BaseRSSIConfig": False, "SendRSSIConfig": True}
_UNIT_DISKS = {classes.UDGM: Udgm, classes.UDGM_CONSTANT_LOSS: UdgmConstantLoss}
_CLASSES = {
    **{kind: name for name, kind in _UNIT_DISKS.items()},
    DirectedGraph: classes.DIRECTED_GRAPH,
    LogisticLoss: classes.LOGISTIC_LOSS,
    Silent: classes.SILENT,
}
_UNREADABLE = Edge(0, 0)  # stands for an edge whose fault is noted
_UNKNOWN_SIGNAL = OwnSignal(0, 0.0)
_KNOWN = (
    ", ".join((classes.UDGM, classes.UDGM_CONSTANT_LOSS, classes.LOGISTIC_LOSS, classes.DIRECTED_GRAPH))
    + f" or {classes.SILENT}"
)


def read(element: _Element, faults: Faults) -> Medium:
    """Return the medium. Whether the motes that it names exist is for check_motes()."""
    name = classes.today(own_text(element))
    if name in _UNIT_DISKS:
        return _unit_disk(element, _UNIT_DISKS[name], faults)
    if name == classes.DIRECTED_GRAPH:
        return _directed_graph(element, faults)
    if name == classes.LOGISTIC_LOSS:
        return _logistic_loss(element, faults)
    if (declared := of_class(name)) is not None:
        return _declared(element, declared, faults)
    if name == classes.SILENT:
        return Silent()  # Cooja reads nothing of it
    if name in classes.OTHER_MEDIA:
        faults.unsupported(element, f"radio medium {name}", f"use {_KNOWN}")
    else:
        faults.faulty(element, f"unknown radio medium {name[:80]!r}", f"use {_KNOWN}")
    return Udgm()


def check_motes(
    element: _Element, medium: Medium, motes: tuple[Mote, ...], radios: frozenset[str], faults: Faults
) -> None:
    """Note edges and signal strengths of motes that are not there, or have no radio.

    `radios`: mote types that have one.
    """
    by_id: dict[int, Mote] = {}
    for mote in motes:
        by_id.setdefault(mote.id, mote)  # the first of that id, as Cooja finds it

    def check(child: _Element, number: int, what: str) -> None:
        if number not in by_id:
            faults.faulty(
                child, f"{what} of mote {number}, which is not in the simulation", "correct or remove it"
            )
        elif by_id[number].type_identifier not in radios:
            faults.faulty(
                child,
                f"{what} of mote {number}, which has no radio",
                "remove it, or add the interface ContikiRadio to the mote's type",
            )

    for child, edge in zip(element.iter("edge"), getattr(medium, "edges", ())):
        if edge is not _UNREADABLE:
            for end in dict.fromkeys((edge.source, edge.destination)):
                check(child, end, "an edge")
    for child, signal in zip(element.iter(*_OWN_SIGNALS), getattr(medium, "own_signals", ())):
        if signal is not _UNKNOWN_SIGNAL:
            check(child, signal.mote, "a signal strength")


def _unit_disk(element: _Element, kind: type[Udgm], faults: Faults) -> Udgm:
    values: dict = {"own_signals": _own_signals(element, faults)}
    for child in element:
        field = OLD_NAMES.get(child.tag, child.tag)
        if field in UDGM_FIELDS:
            _number(child, field, values, faults)
        elif child.tag not in _OWN_SIGNALS:
            faults.ignored(child, "<radiomedium>")
    return kind(**values)


def _logistic_loss(element: _Element, faults: Faults) -> LogisticLoss:
    values: dict = {"own_signals": _own_signals(element, faults)}
    for child in element:
        if child.tag in LOGISTIC_FIELDS:
            _number(child, child.tag, values, faults)
        elif child.tag == "enable_time_variation":
            values[child.tag] = (child.text or "").lower() == "true"  # as Java's parseBoolean
            values["varies_at"] = f"{faults.file}:{child.sourceline}"
        elif child.tag not in _OWN_SIGNALS and child.tag not in _LEFT_OVER:
            faults.ignored(child, "<radiomedium>")
    return LogisticLoss(**values)


def _declared(element: _Element, medium: type[DeclaredMedium], faults: Faults) -> DeclaredMedium:
    values: dict = {"own_signals": _own_signals(element, faults)}
    for child in element:
        if child.tag in medium.numbers():
            _number(child, child.tag, values, faults)
            if not child.tag.endswith("_dbm") and values.get(child.tag, 0.0) < 0:
                faults.faulty(child, f"{child.tag}: {values.pop(child.tag)} is negative", "write 0 or more")
        elif child.tag not in _OWN_SIGNALS:  # no Cooja reads past it, as none has this medium
            faults.faulty(child, f"unknown element <{child.tag}> of the radio medium", "remove it")
    return medium(**values)


def _number(child: _Element, field: str, values: dict, faults: Faults) -> None:
    value = decimal(child, child.text or "", faults, child.tag)
    ratio = field.startswith("success")
    if (ratio and not 0 <= value <= 1) or (field.endswith("_range") and value < 0):
        faults.faulty(
            child,
            f"{child.tag}: {value} is out of range",
            "write a ratio from 0 to 1" if ratio else "write metres, 0 or more",
        )
    else:
        values[field] = value


def _own_signals(element: _Element, faults: Faults) -> tuple[OwnSignal, ...]:
    made = []
    for child in element.iter(*_OWN_SIGNALS):
        mote = child.get("Mote")
        if mote is None:
            faults.faulty(
                child, f"<{child.tag}> without the attribute Mote", 'write the mote\'s id, as in Mote="1"'
            )
            made.append(_UNKNOWN_SIGNAL)
        else:
            number = integer(child, mote, faults, "Mote", INT_MIN, INT_MAX)
            strength = decimal(child, child.text or "", faults, child.tag)
            made.append(OwnSignal(number, strength, _OWN_SIGNALS[child.tag]))
    return tuple(made)


def _directed_graph(element: _Element, faults: Faults) -> DirectedGraph:
    edges = []
    for child in element:
        if child.tag == "edge":
            edges.append(_edge(child, faults))
        elif child.tag not in _OWN_SIGNALS:
            faults.ignored(child, "<radiomedium>")
    return DirectedGraph(tuple(edges), _own_signals(element, faults))


def _edge(element: _Element, faults: Faults) -> Edge:
    """Return an edge, or _UNREADABLE."""
    source = destination = None
    for child in element:
        if child.tag == "source" and source is None:
            source = integer(child, child.text or "", faults, "source", INT_MIN, INT_MAX)
        elif child.tag == "dest" and destination is None:
            destination = child
        elif child.tag == "src":
            faults.unsupported(
                child, "an edge in the form of before 2009 (<src>)", "save the file with today's Cooja"
            )
            return _UNREADABLE
        else:
            faults.faulty(child, f"unknown or second element <{child.tag}> of an edge", "remove it")
    if source is None or destination is None:
        faults.faulty(
            element,
            "an edge without <source> or <dest>",
            "save the file from Cooja again, or remove the edge",
        )
        return _UNREADABLE
    name = classes.today(own_text(destination))
    if name != classes.DIRECTED_GRAPH_DESTINATION:
        faults.unsupported(
            destination, f"an edge of the class {name[:80]!r}", f"use {classes.DIRECTED_GRAPH_DESTINATION}"
        )
    return _destination(destination, source, faults)


def _destination(element: _Element, source: int, faults: Faults) -> Edge:
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
            faults.ignored(child, "<edge>")
    if "destination" not in values:
        faults.faulty(element, "an edge without <radio>", "name the mote that it leads to")
        return _UNREADABLE
    return Edge(source, **values)


def write(element: _Element, medium: Medium, number: Callable[[float], str]) -> None:
    """Fill the template's <radiomedium>; `number` writes a decimal."""
    if isinstance(medium, Udgm):
        for field in UDGM_FIELDS:
            element.find(field).text = number(getattr(medium, field))
    else:
        for child in list(element):
            element.remove(child)
    for edge in getattr(medium, "edges", ()):
        element.append(_edge_element(edge, number))
    declared = isinstance(medium, DeclaredMedium)
    written = LOGISTIC_FIELDS if isinstance(medium, LogisticLoss) else medium.numbers() if declared else ()
    for field in written:
        etree.SubElement(element, field).text = number(getattr(medium, field))
    if isinstance(medium, LogisticLoss):
        etree.SubElement(element, "enable_time_variation").text = str(medium.enable_time_variation).lower()
    for signal in getattr(medium, "own_signals", ()):
        tag = next(tag for tag, sending in _OWN_SIGNALS.items() if sending == signal.sending)
        etree.SubElement(element, tag, Mote=str(signal.mote)).text = number(signal.dbm)
    element.text = medium.csc_class if declared else _CLASSES[type(medium)]


def _edge_element(edge: Edge, number: Callable[[float], str]) -> etree._Element:
    element = etree.Element("edge")
    etree.SubElement(element, "source").text = str(edge.source)
    destination = etree.SubElement(element, "dest")
    destination.text = classes.DIRECTED_GRAPH_DESTINATION
    for tag, text in (
        ("radio", str(edge.destination)),
        ("ratio", number(edge.ratio)),
        ("signal", number(edge.signal_dbm)),
        ("lqi", str(edge.lqi)),
        ("delay", str(edge.delay_us)),
        ("channel", str(edge.channel)),
    ):
        etree.SubElement(destination, tag).text = text
    return element
