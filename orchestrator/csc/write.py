# SPDX-License-Identifier: Apache-2.0
"""A Simulation as a .csc for Cooja with or without a window: templates filled with lxml.

Today's form has motes inside their mote type, and Cooja creates them in that order. Where the motes of
several types are interleaved, that form would change the order (and with it every start delay), so motes are
written beside the types, which Cooja still reads. A mote type's identifier is written only if it is not the
one a reader would give it.
"""

from __future__ import annotations

import base64
import math
from copy import deepcopy
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from lxml import etree

from orchestrator.csc import interfaces, media, script, sky
from orchestrator.csc.classes import POWER_TRACKER, SOCKET_CLIENT, SOCKET_SERVER
from orchestrator.csc.model import BIT_RATE, DirectedGraph, Medium, Mote, MoteType, SerialSocket, Simulation
from orchestrator.csc.mote_type import MspType
from orchestrator.csc.values import EEPROM_BYTES
from orchestrator.errors import Unsupported
from orchestrator.resources import csc_templates

if TYPE_CHECKING:
    from lxml.etree import _Element


def write(simulation: Simulation, positions: tuple[str, ...] = ()) -> bytes:
    """Return the .csc, UTF-8; the same bytes for the same simulation.

    Raises Unsupported for what the form can't hold.

    `positions`: how it names the file (mobility.write) of each Mobility plugin's moves: as
    `[CONFIG_DIR]/positions.dat`.
    """
    if len(simulation.mobility) != len(positions):
        raise Unsupported(
            "moving motes stand in a file of their own, which only the .csc that was read names; use that one"
        )
    root = _template("simulation.csc")
    part = root.find("simulation")
    for path, value in (
        ("title", simulation.title),
        ("randomseed", "generated" if simulation.seed is None else str(simulation.seed)),
        ("motedelay_us", str(simulation.motedelay_us)),
    ):
        _set(part.find(path), value)
    media.write(part.find("radiomedium"), simulation.medium, _number)
    _skin(root, simulation.medium)
    _set(root.find("plugin/plugin_config/script"), script.write(simulation.script))
    if simulation.speed_limit is not None:
        limit = etree.Element("speedlimit")
        limit.text = _number(simulation.speed_limit)
        part.find("title").addnext(limit)
    for one in simulation.serial_sockets:
        root.append(_serial_socket(one))
    if simulation.power_tracker:
        etree.SubElement(root, "plugin").text = POWER_TRACKER
    for name in positions:
        plugin = _template("mobility.xml")
        _set(plugin.find("plugin_config/positions"), name)
        root.append(plugin)
    _motes(part, simulation)
    etree.indent(root, "  ")
    _class_names(root)
    return etree.tostring(root.getroottree(), xml_declaration=True, encoding="UTF-8") + b"\n"


def _serial_socket(one: SerialSocket) -> _Element:
    plugin = etree.Element("plugin")
    plugin.text = SOCKET_CLIENT if one.host else SOCKET_SERVER
    etree.SubElement(plugin, "mote_arg").text = str(one.mote)
    config = etree.SubElement(plugin, "plugin_config")
    facts = {"host": one.host, "port": str(one.port), "bound": "true", "commands": "\n".join(one.commands)}
    for tag, text in facts.items():
        if text:
            _set(etree.SubElement(config, tag), text)
    return plugin


def _motes(part: _Element, simulation: Simulation) -> None:
    """Write mote types and motes. Raises Unsupported for two types of one name, and motes without a type."""
    nested = _grouped(simulation)
    emulated = {one.identifier for one in simulation.mote_types if isinstance(one, MspType)}
    elements = {}
    for number, mote_type in enumerate(simulation.mote_types, 1):
        named = not nested or mote_type.identifier != default_identifier(number)
        element = _mote_type(mote_type, named)
        if mote_type.identifier in elements:
            raise Unsupported(
                f"mote type: two are called {mote_type.identifier!r}; give each a name of its own"
            )
        elements[mote_type.identifier] = element
        part.append(element)
    for mote in simulation.motes:
        if mote.type_identifier not in elements:
            raise Unsupported(
                f"mote {mote.id}: its mote type {mote.type_identifier!r} is not in the simulation"
            )
        made = _mote(mote, nested, mote.type_identifier in emulated)
        (elements[mote.type_identifier] if nested else part).append(made)


def _class_names(root: _Element) -> None:
    """Put class names, the text before an element's children, on lines of their own, as Cooja does."""
    for named_by_text in root.iter("radiomedium", "motetype", "plugin", "interface_config", "dest"):
        level = len(list(named_by_text.iterancestors()))
        named_by_text.text = f"\n{'  ' * (level + 1)}{named_by_text.text.strip()}\n{'  ' * (level + 1)}"


def _skin(root: _Element, medium: Medium) -> None:
    """Write the medium's settings for Cooja's window."""
    if isinstance(medium, DirectedGraph):
        for skin in root.iter("skin"):
            skin.text = skin.text.replace("UDGMVisualizerSkin", "DGRMVisualizerSkin")


def default_identifier(number: int) -> str:
    """Return the identifier of the file's mote type of that number (from 1) where the file gives none."""
    return f"mtype{number}"


def _grouped(simulation: Simulation) -> bool:
    order = {mote_type.identifier: index for index, mote_type in enumerate(simulation.mote_types)}
    ranks = [order.get(mote.type_identifier, -1) for mote in simulation.motes]
    return all(before <= after for before, after in pairwise(ranks))


@cache
def _parsed_template(name: str) -> etree._Element:
    parser = etree.XMLParser(
        remove_comments=True, remove_blank_text=True, resolve_entities=False, no_network=True
    )
    return etree.parse(str(csc_templates() / name), parser).getroot()


def _template(name: str) -> etree._Element:
    return deepcopy(_parsed_template(name))


def _mote_type(mote_type: MoteType | MspType, named: bool) -> etree._Element:
    emulated = isinstance(mote_type, MspType)
    element = _template("sky-motetype.xml" if emulated else "motetype.xml")
    if named:
        _set(element.find("identifier"), mote_type.identifier)
    else:
        element.remove(element.find("identifier"))
    for tag in ("description", "source", "commands", *(["firmware"] if emulated else [])):
        _set(element.find(tag), getattr(mote_type, tag))
        if emulated and not getattr(mote_type, tag):
            element.remove(element.find(tag))
    names = sky.INTERFACES if emulated else interfaces.INTERFACES
    for name in mote_type.interfaces:
        full = names.get(name)
        if full is None:
            raise Unsupported(f"mote type {mote_type.identifier!r}: no mote interface is called {name!r}")
        etree.SubElement(element, "moteinterface").text = full
    return element


def _mote(mote: Mote, nested: bool, emulated: bool) -> etree._Element:
    element = _template("sky-mote.xml" if emulated else "mote.xml")
    position = element.find("interface_config/pos")
    position.set("x", _number(mote.x))
    position.set("y", _number(mote.y))
    if mote.z:
        position.set("z", _number(mote.z))
    element.find("interface_config/id").text = str(mote.id)
    identifier = element.find("motetype_identifier")
    if nested:
        element.remove(identifier)
    else:
        _set(identifier, mote.type_identifier)
    if emulated:
        deviation = element.find("interface_config/deviation")
        if mote.deviation == 1.0:
            element.remove(deviation.getparent())
        else:
            deviation.text = _number(mote.deviation)
        return element
    eeprom = element.find("interface_config/eeprom")
    if mote.eeprom is None:
        element.remove(eeprom.getparent())
    elif len(mote.eeprom) > EEPROM_BYTES:
        raise Unsupported(
            f"mote {mote.id}: an EEPROM image of {len(mote.eeprom)} bytes; it holds {EEPROM_BYTES}"
        )
    else:
        eeprom.text = base64.b64encode(mote.eeprom).decode("ascii")
    rate = element.find("interface_config/bitrate")
    if mote.bit_rate == BIT_RATE:
        element.remove(rate.getparent())
    else:
        rate.text = _number(mote.bit_rate)
    return element


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise Unsupported(f"{value} is not a number that a .csc can hold; use a finite one")
    return repr(float(value))


def _set(element: etree._Element, text: str) -> None:
    try:
        element.text = text
    except ValueError:
        raise Unsupported(
            f"{element.tag}: {text[:60]!r} has a control character, which XML cannot hold; remove it"
        ) from None
