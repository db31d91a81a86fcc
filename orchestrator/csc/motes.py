# SPDX-License-Identifier: Apache-2.0
"""Reads a .csc's mote types and motes for the embedded engine."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from orchestrator.csc import classes, interfaces, sky
from orchestrator.csc.document import ANCIENT, Document
from orchestrator.csc.document import Mote as WrittenMote
from orchestrator.csc.document import MoteType as WrittenType
from orchestrator.csc.faults import Faults
from orchestrator.csc.model import BIT_RATE, Mote, MoteType
from orchestrator.csc.mote_type import MspType
from orchestrator.csc.values import INT_MAX, decimal, image, integer, own_text, position

if TYPE_CHECKING:
    from lxml.etree import _Element

_RATES = (0.001, 1e9)  # kbit/s that the embedded engine takes


def read(document: Document, faults: Faults) -> tuple[tuple[MoteType | MspType, ...], tuple[Mote, ...]]:
    """All mote types and motes, in the order in which Cooja creates them."""
    types: dict[str, MoteType | MspType] = {}
    refused: set[str] = set()  # identifiers of mote types with a fault of their own
    motes: list[Mote] = []
    mote_type: MoteType | MspType | None = None
    for element in document.population():
        if isinstance(element, WrittenType):
            mote_type = _mote_type(element, types, faults)
            if mote_type is None:
                refused.add(element.identifier or f"mtype{element.number}")
            else:
                types[mote_type.identifier] = mote_type
        elif not element.beside:
            if mote_type is not None:
                _mote(element.element, mote_type, motes, faults)
        else:
            _beside(element, types, refused, motes, faults)
    if mote_type is None and not refused:
        faults.faulty(document.part, "no <motetype> element", "add a mote type in Cooja and save")
    return tuple(types.values()), tuple(motes)


def _beside(
    mote: WrittenMote,
    types: dict[str, MoteType | MspType],
    refused: set[str],
    motes: list[Mote],
    faults: Faults,
) -> None:
    identifier = mote.element.findtext("motetype_identifier")
    if identifier is None:
        faults.faulty(mote.element, "a <mote> outside of a mote type without <motetype_identifier>", "add it")
    elif identifier in types:
        _mote(mote.element, types[identifier], motes, faults)
    elif identifier not in refused:
        faults.faulty(
            mote.element,
            f"a mote of type {identifier[:60]!r}, which no mote type before it has",
            "correct its <motetype_identifier>",
        )


def _mote_type(
    written: WrittenType, types: dict[str, MoteType | MspType], faults: Faults
) -> MoteType | MspType | None:
    """None after a fault."""
    element, _, name = written.named
    if name in classes.OTHER_MOTE_TYPES:
        faults.unsupported(
            element,
            f"mote type {name}",
            f"use {classes.CONTIKI_MOTE_TYPE}, or run the file with --engine cooja",
        )
        return None
    if name == classes.SKY_MOTE_TYPE:
        found = sky.mote_type(written, faults)
        if found is not None and found.identifier in types:
            _twice(element, found.identifier, faults)
            return None
        return found
    if name != classes.CONTIKI_MOTE_TYPE:
        faults.faulty(element, f"unknown mote type {name[:80]!r}", f"use {classes.CONTIKI_MOTE_TYPE}")
        return None
    texts, listed = _parts(written, faults)
    sound = True
    for tag in ("source", "commands"):
        if not texts.get(tag, "").strip() and (tag == "source" or tag not in texts):
            faults.faulty(element, f"a mote type without <{tag}>", f"add <{tag}>")
            sound = False
    identifier = texts.get("identifier", f"mtype{written.number}")
    if identifier in types:
        _twice(element, identifier, faults)
        sound = False
    if not sound:
        return None
    chosen = tuple(listed) or interfaces.STANDARD_INTERFACES
    if written.motes and "ContikiClock" not in chosen:
        faults.faulty(
            element,
            "a mote type without the interface ContikiClock: Cooja ends at the first tick of such a mote",
            f"add <moteinterface>{interfaces.INTERFACES['ContikiClock']}</moteinterface>",
        )
    return MoteType(
        identifier=identifier,
        description=texts.get("description", ""),
        source=texts["source"],
        commands=texts["commands"],
        interfaces=chosen,
    )


def _twice(element: _Element, identifier: str, faults: Faults) -> None:
    faults.faulty(element, f"a second mote type {identifier[:60]!r}", "give each its own <identifier>")


def _parts(written: WrittenType, faults: Faults) -> tuple[dict[str, str], list[str]]:
    """Return a mote type's values by element, and its interfaces."""
    texts: dict[str, str] = {}
    listed: list[str] = []
    for tag, child in written.children:
        if tag == "moteinterface":
            _interface(child, listed, faults)
        elif tag in ("identifier", "description", "source", "commands"):
            if tag in texts:
                which = "first" if tag == "identifier" else "last"
                faults.note(child, f"a second <{child.tag}> of the mote type: Cooja takes the {which}")
            texts[tag] = texts[tag] if tag == "identifier" and tag in texts else child.text or ""
        elif tag == "netstack":
            if (child.text or "") != "DEFAULT":
                faults.note(
                    child,
                    f"netstack {(child.text or '')[:40]!r}: Cooja takes the default stack",
                    "choose the stack in the application's make variables",
                )
        elif tag in ("firmware", "commstack"):
            pass  # Cooja derives the library's name from the source, and takes the default stack
        elif tag in ANCIENT:
            faults.faulty(
                child,
                f"<{tag}>: a mote type from before 2010, which no Cooja of today reads",
                "make the mote type again in Cooja",
            )
        else:
            faults.ignored(child, "<motetype>")
    return texts, listed


@lru_cache(512)
def _current_name(written: str) -> tuple[str | None, str]:
    """Return the simple name of a mote interface ("" for one that is gone), and its name in messages.

    The first is None if a Cooja mote has no interface of that name.
    """
    current = classes.interface_today(written)
    simple = "" if current is None else interfaces.SIMPLE.get(current)
    return simple, current if simple else classes.today(written)


def _interface(element: _Element, listed: list[str], faults: Faults) -> None:
    simple, name = _current_name(own_text(element))
    if simple is None:
        faults.faulty(
            element, f"unknown mote interface {name[:80]!r}", "remove it; a Cooja mote has none of that name"
        )
    elif simple in listed:
        faults.faulty(element, f"mote interface {simple} twice", "keep one of them")
    elif simple:
        listed.append(simple)


def _mote(element: _Element, mote_type: MoteType | MspType, motes: list[Mote], faults: Faults) -> None:
    """Append the mote that <mote> describes."""
    if isinstance(mote_type, MspType):
        found = sky.mote(element, mote_type, faults)
        motes += [] if found is None else [found]
        return
    x = y = z = 0.0
    mote_id = None
    eeprom = None
    bit_rate = BIT_RATE
    for config in element:
        if config.tag in ("motetype_identifier", "breakpoints"):  # a Cooja mote has no breakpoints
            continue
        if config.tag != "interface_config":
            faults.ignored(config, "<mote>")
            continue
        simple, name = _current_name(own_text(config))
        if simple == "":
            continue
        if simple is None or simple not in mote_type.interfaces:
            what = "unknown mote interface" if simple is None else "not an interface of its mote type:"
            faults.faulty(config, f"{what} {name[:80]!r}", "remove this <interface_config>")
            continue
        if simple == "Position":
            x, y, z = position(config, faults)
        elif simple == "ContikiMoteID":
            text = config.findtext("id")
            if text is not None:
                mote_id = integer(config, text, faults, "mote id", 0, INT_MAX, default=-1)
        elif simple == "ContikiEEPROM":
            child = config.find("eeprom")
            if child is not None:
                eeprom = image(child, child.text or "", faults)
        elif simple == "ContikiRadio":
            bit_rate = _bit_rate(config, faults)
        else:
            _other_interface(simple, config, faults)
    if mote_id is None:
        faults.faulty(element, "a mote without an id", "add an <interface_config> ContikiMoteID with <id>")
    else:
        motes.append(Mote(mote_type.identifier, mote_id, x, y, z, eeprom, bit_rate))


def _bit_rate(config: _Element, faults: Faults) -> float:
    """Return the last one, as in Cooja."""
    rate = BIT_RATE
    for child in config:
        if child.tag == "bitrate":
            rate = decimal(child, child.text or "", faults, "bitrate", BIT_RATE)
            if not _RATES[0] <= rate <= _RATES[1]:
                faults.unsupported(
                    child, f"bitrate {child.text}", f"use {_RATES[0]:g} to {_RATES[1]:g} kbit/s"
                )
        else:
            faults.ignored(child, "ContikiRadio")
    return rate


def _other_interface(simple: str, config: _Element, faults: Faults) -> None:
    for child in config:
        if simple == "ContikiRS232" and child.tag == "history":
            pass  # what was typed into the window
        elif simple == "ContikiClock" and child.tag == "deviation":
            decimal(
                child, child.text or "", faults, "deviation", 1.0
            )  # Cooja says it can't change it, and goes on
        else:
            faults.ignored(child, simple)
