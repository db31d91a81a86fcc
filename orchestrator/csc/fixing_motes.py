# SPDX-License-Identifier: Apache-2.0
"""Brings a .csc's mote types and motes to today's form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from orchestrator.csc import classes
from orchestrator.csc.classes import MoteKind
from orchestrator.csc.document import RENAMED
from orchestrator.csc.edit import Edits
from orchestrator.csc.values import decimal_fault, own_text
from orchestrator.vocabulary.simulators import RULES

if TYPE_CHECKING:
    from lxml.etree import _Element

_KINDS = classes.mote_types(RULES[-1])


def fix(part: _Element, edits: Edits) -> None:
    """All mote types and motes of <simulation>."""
    for element in part.findall("motetype"):
        _mote_type(element, edits)
    _nest(part, edits)
    for element in part.findall("motetype"):
        listed = [own_text(interface) for interface in element.findall("moteinterface")]
        for mote in element.findall("mote"):
            _mote(mote, element, listed, edits)
    for mote in part.findall("mote"):  # those that could not be moved
        _mote(mote, None, [], edits)


def _mote_type(element: _Element, edits: Edits) -> None:
    name = own_text(element)
    kind = _KINDS.get(name)
    if kind is None:
        if name not in classes.JAVA_MOTE_TYPES:
            edits.left(
                element,
                f"mote type {name[:80]!r}: {classes.REMOVED_MOTE_TYPES.get(name, 'Cooja does not know it')}",
            )
        return
    for child in element.findall("*"):
        current = RENAMED.get(child.tag)
        if current is None:
            continue
        if element.find(current) is None:
            edits.done(child, f"<{current}> instead of <{child.tag}>")
            child.tag = current
        else:
            edits.left(child, f"<{child.tag}> beside <{current}>: the last one counts")
    for child in element.findall("commstack"):
        edits.remove(child, "<commstack> removed: Cooja takes the default stack")
    _interfaces(element, kind, edits)


def _interfaces(element: _Element, kind: MoteKind, edits: Edits) -> None:
    seen: set[str] = set()
    for child in element.findall("moteinterface"):
        name = own_text(child)
        if name == classes.DROPPED_INTERFACE:
            edits.remove(child, "mote interface RimeAddress removed: Cooja no longer has it")
            continue
        current = classes.RENAMED_INTERFACES.get(name, name)
        was, now = classes.short(name), classes.short(current)
        if current in seen and current in kind.interfaces:
            known_as = "" if current == name else f" as {now}"
            edits.remove(child, f"mote interface {was} removed: the mote type has it already{known_as}")
            continue
        text = f"mote interface {now} instead of {was}"
        renamed = current != name and edits.own_text(child, name, current, text)
        if not renamed and current not in kind.interfaces:
            edits.unknown(child, f"mote interface {name[:80]!r} is not an interface of {kind.target} motes")
        seen.add(current)
    if seen:
        for needed in (classes.POSITION, kind.identity, kind.clock):
            if needed not in seen:
                _add_interface(element, needed)
                edits.done(element, f"mote interface {classes.short(needed)} added: Cooja's motes need it")


def _add_interface(element: _Element, name: str) -> None:
    element_ = etree.Element("moteinterface")
    element_.text = name
    Edits().insert(element, element.index(element.findall("moteinterface")[-1]) + 1, element_)


def _nest(part: _Element, edits: Edits) -> None:
    """Move motes into their types where Cooja then makes them in the same order (its draws follow it)."""
    outside = part.findall("mote")
    if not outside:
        _drop_identifiers(part, edits)
        return
    types: dict[str, etree._Element] = {}
    order = []
    for child in part:
        if child.tag == "motetype":
            identifier = child.findtext("identifier")
            if identifier is not None:
                types[identifier] = child
        elif child.tag == "mote":
            order.append(types.get(child.findtext("motetype_identifier") or ""))
    if any(name is None for name in order):
        edits.left(outside[0], "a mote whose mote type does not come before it: no mote was moved")
        return
    places = {id(child): number for number, child in enumerate(part.findall("motetype"))}
    ranks = [places[id(name)] for name in order]
    nested = [places[id(kind)] for kind in part.findall("motetype") if kind.find("mote") is not None]
    # A type's own motes come before those outside; then the types must follow each other as the motes did.
    if ranks != sorted(ranks) or (nested and max(nested) > ranks[0]):
        edits.left(
            outside[0],
            "motes beside their mote types: their order is not that of the types, and Cooja's random draws "
            "follow it",
        )
        return
    for mote, mote_type in zip(outside, order, strict=True):
        identifier = mote.find("motetype_identifier")
        edits.remove(identifier)
        edits.remove(mote)
        mote.tail = None
        _deeper(mote)
        edits.insert(mote_type, len(mote_type), mote, new=False)
        edits.done(mote, "motes moved into their mote types")
    _drop_identifiers(part, edits)


def _deeper(element: _Element) -> None:
    """Indents moved elements one level deeper."""
    for child in element.iter("*"):
        if child.text and "\n" in child.text and (len(child) or not child.text.strip()):
            child.text = child.text.replace("\n", "\n  ")
        if child is not element and child.tail and "\n" in child.tail:
            child.tail = child.tail.replace("\n", "\n  ")


def _drop_identifiers(part: _Element, edits: Edits) -> None:
    """Remove identifiers: Cooja names Cooja mote types at each load.

    They only served motes outside of their type.
    """
    for mote_type in part.findall("motetype"):
        if own_text(mote_type) not in _KINDS:
            continue
        for identifier in mote_type.findall("identifier"):
            edits.remove(identifier, "<identifier> removed: Cooja names mote types itself")
        for identifier in mote_type.findall("mote/motetype_identifier"):
            edits.remove(identifier, "<motetype_identifier> removed from motes within their type")


def _mote(mote: _Element, mote_type: _Element, listed: list[str], edits: Edits) -> None:
    for config in mote.findall("interface_config"):
        name = own_text(config)
        if name == classes.DROPPED_INTERFACE:
            edits.remove(config, "configuration of RimeAddress removed: Cooja no longer has it")
            continue
        current = classes.RENAMED_INTERFACES.get(name, name)
        was, now = classes.short(name), classes.short(current)
        if current != name:
            edits.own_text(config, name, current, f"configuration of {now} instead of {was}")
        kind = None if mote_type is None else _KINDS.get(own_text(mote_type))
        if kind is not None and edits.remove_unknown and current not in kind.interfaces:
            edits.remove(config, f"configuration of {now} removed: {kind.target} motes don't have it")
            continue
        if kind is not None and listed and current not in listed and current in kind.interfaces:
            _add_interface(mote_type, current)
            listed.append(current)
            edits.done(mote_type, f"mote interface {now} added: its motes have a configuration of it")
        if current == classes.POSITION:
            _position(config, edits)
        elif current.endswith(".ContikiEEPROM"):
            for image in config.findall("eeprom"):
                if image.text and not len(image) and image.text != (joined := "".join(image.text.split())):
                    image.text = joined
                    edits.done(image, "an EEPROM image's base64 joined to one line")
        for identity in config.findall("id") if current.endswith(classes.MOTE_ID_SUFFIX) else ():
            if not len(identity) and (identity.text or "") != (identity.text or "").strip():
                identity.text = identity.text.strip()
                edits.done(identity, "white space round a mote's id removed")


def _position(config: _Element, edits: Edits) -> None:
    """<x>, <y>, <z> as one <pos>, which says z only where it is not 0."""
    old = [child for child in config if child.tag in ("x", "y", "z")]
    if not old or config.find("pos") is not None:
        return
    values = {child.tag: (child.text or "").strip() for child in old}
    if len(values) < len(old) or any(map(len, old)) or any(map(decimal_fault, values.values())):
        edits.left(old[0], "a position that is not a number, or appears twice")
        return
    axes = {axis: values.get(axis, "0.0") for axis in ("x", "y")}
    if "z" in values and values["z"] not in ("0.0", "0"):
        axes["z"] = values["z"]
    position = etree.Element("pos", axes)
    edits.insert(config, config.index(old[0]), position)
    for child in old:
        edits.remove(child)
    edits.done(old[0], "positions as <pos>")
