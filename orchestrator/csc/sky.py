# SPDX-License-Identifier: Apache-2.0
"""What a .csc says of emulated Tmote Sky motes, for the embedded engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.csc import classes
from orchestrator.csc.document import MoteType as WrittenType
from orchestrator.csc.faults import Faults
from orchestrator.csc.model import Mote
from orchestrator.csc.mote_type import MspType
from orchestrator.csc.values import INT_MAX, decimal, integer, own_text, position
from orchestrator.vocabulary.simulators import RULES

if TYPE_CHECKING:
    from lxml.etree import _Element

KIND = classes.mote_types(RULES[-1])[classes.SKY_MOTE_TYPE]
RADIO, _ID, _CLOCK, _POSITION = "Msp802154Radio", "MspMoteID", "MspClock", "Position"
RADIOS = frozenset({RADIO, "Msp802154BitErrorRadio"})
INTERFACES = {classes.short(full): full for full in sorted(KIND.interfaces)}
# Cooja's, in its order, of a mote type that lists none.
USUAL = (
    *(_POSITION, "IPAddress", "Mote2MoteRelations", "MoteAttributes", _CLOCK, _ID, "SkyButton", "SkyFlash"),
    *("SkyCoffeeFilesystem", RADIO, "MspSerial", "MspLED", "MspDebugOutput", "SkyTemperature"),
)


def mote_type(written: WrittenType, faults: Faults) -> MspType | None:
    """Return a mote type of Tmote Skys; None after a fault. Whether it has firmware, loading/ judges."""
    texts: dict[str, str] = {}
    listed: list[str] = []
    sound = True
    for tag, child in written.children:
        if tag == "moteinterface":
            sound = _interface(child, listed, faults) and sound
        else:
            texts[tag] = child.text or ""
    interfaces = tuple(listed) or USUAL
    if not sound or not {_ID, _CLOCK} <= set(interfaces):  # without them Cooja doesn't load it (loading/)
        return None
    return MspType(
        texts.get("identifier", f"mtype{written.number}"),
        texts.get("source", ""),
        texts.get("commands", ""),
        texts.get("firmware", ""),
        KIND.target,
        KIND.compiler or "",
        texts.get("description", ""),
        interfaces,
    )


def usual_type(identifier: str, description: str, source: str, commands: str) -> MspType:
    """Return a mote type with the usual interfaces, whose firmware is built."""
    return MspType(identifier, source, commands, "", KIND.target, KIND.compiler or "", description, USUAL)


def _simple(name: str) -> str | None:
    """Return an interface's simple name; "" for one that is gone, None if a Tmote Sky has none such."""
    current = classes.interface_today(name)
    if current is None:
        return ""
    return classes.short(current) if current in KIND.interfaces else None


def _interface(element: _Element, listed: list[str], faults: Faults) -> bool:
    simple = _simple(own_text(element))
    if simple is None:
        return False  # which loading/ says
    if simple in RADIOS and RADIOS & {*listed} - {simple}:
        faults.unsupported(element, "a second radio of a mote", "keep one of them")
        return False
    if simple in listed:
        faults.unsupported(element, f"mote interface {simple} twice", "keep one of them")
        return False
    if simple:
        listed.append(simple)
    return True


def mote(element: _Element, of_type: MspType, faults: Faults) -> Mote | None:
    """Return the mote that <mote> describes; None after a fault."""
    place, mote_id, deviation = (0.0, 0.0, 0.0), None, 1.0
    for config in element:
        if config.tag == "breakpoints":
            _breakpoints(config, faults)
        elif config.tag == "interface_config":
            name = own_text(config)
            simple = _simple(name)
            if classes.today(name).endswith(classes.MOTE_ID_SUFFIX):
                text = config.findtext("id")
                mote_id = (
                    mote_id
                    if text is None
                    else integer(config, text, faults, "mote id", 0, INT_MAX, default=-1)
                )
            elif simple == _POSITION:
                place = position(config, faults)
            elif simple == _CLOCK:
                deviation = _deviation(config, faults, deviation)
        elif config.tag != "motetype_identifier":
            faults.ignored(config, "<mote>")
    if mote_id is None:
        faults.faulty(element, "a mote without an id", f"add an <interface_config> {_ID} with <id>")
        return None
    return Mote(of_type.identifier, mote_id, *place, deviation=deviation)


def _breakpoints(element: _Element, faults: Faults) -> None:
    """Refuse those at which a simulation stops; others are only shown in Cooja's window."""
    for one in element.iterfind("breakpoint"):
        stops = ["true", *(child.text or "" for child in one.iterfind("stops"))][-1]
        if stops.lower() != "true":
            faults.note(one, "a breakpoint that doesn't stop the simulation changes nothing")
            continue
        faults.unsupported(
            one,
            "a breakpoint that stops the simulation: without a window, Cooja waits there for ever",
            "remove it; a program stops a simulation where it wants to (docs/live.md)",
        )


def _deviation(config: _Element, faults: Faults, before: float) -> float:
    """Return the first one, as in Cooja."""
    child = config.find("deviation")
    if child is None:
        return before
    value = decimal(child, child.text or "", faults, "deviation", 1.0)
    if not 0 < value <= 1:
        faults.unsupported(
            child, f"deviation {child.text}", "use a number above 0 and up to 1, as Cooja asserts"
        )
        return before
    return value
