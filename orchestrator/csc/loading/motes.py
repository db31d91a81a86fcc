# SPDX-License-Identifier: Apache-2.0
"""Check whether Cooja loads the mote types and motes of a .csc."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.csc import classes, values
from orchestrator.csc.classes import MoteKind
from orchestrator.csc.document import ANCIENT, RENAMED, Document, Mote, MoteType, Named, named
from orchestrator.csc.faults import Faults
from orchestrator.csc.loading import places
from orchestrator.csc.values import check_decimal, integer_fault, java_integer
from orchestrator.vocabulary.simulators import RULES

if TYPE_CHECKING:
    from lxml.etree import _Element

_KNOWN_TAGS = frozenset(
    {"description", "source", "commands", "firmware", "moteinterface", "identifier", "netstack", "commstack"}
)


class Motes:
    """Goes through <motetype> and <mote> in the file's order, as Cooja does.

    `ids`: of all motes that have a number for an id.
    """

    def __init__(self, written: Document, rules: str, where: places.Places, faults: Faults):
        self.faults, self.places = faults, where
        self.kinds = classes.mote_types(rules)
        self.rules = rules
        self.ids: dict[int, int] = {}  # id -> line
        self.interfaces: list[frozenset[str]] = []  # of each mote, in the order in which Cooja makes them
        self.certain = True  # every mote's id was read
        kinds: dict[int, tuple[MoteKind | None, frozenset[str]]] = {}  # by the mote type's number
        for element in written.population():
            if isinstance(element, MoteType):
                kinds[element.number] = self._mote_type(element)
            elif not element.beside or self._named(element):
                self._mote(element.element, *kinds[element.type.number])

    def _mote_type(self, written: MoteType) -> tuple[MoteKind | None, frozenset[str]]:
        """Return a mote type's kind and its interfaces."""
        element, _, name = written.named
        old_name(written.named, self.faults)
        kind = self.kinds.get(name)
        if kind is not None:
            return kind, self._contents(written, kind)
        if name in classes.JAVA_MOTE_TYPES:
            self._java(element, name)
        else:
            self._unknown(element, name)
        return None, frozenset()

    def _named(self, mote: Mote) -> bool:
        """Whether a mote beside the mote types, the form of before 2022, names one."""
        identifier = mote.element.find("motetype_identifier")
        if identifier is None:
            self.faults.faulty(
                mote.element, "a <mote> outside of a mote type without <motetype_identifier>", "add it"
            )
        elif mote.type is None:
            self.faults.faulty(
                identifier,
                f"a mote of type {(identifier.text or '')[:60]!r}, which no mote type before it has",
                "correct its <motetype_identifier>",
            )
            self.certain = False
        else:
            self.faults.note(
                mote.element,
                "motes stand beside their mote type, the form of before 2022; Cooja still reads it",
                "`orchestrate csc fix` moves them inside",
            )
            return True
        return False

    def _unknown(self, element: _Element, name: str) -> None:
        if name in classes.REMOVED_MOTE_TYPES:
            self.faults.faulty(element, f"mote type {name}", classes.REMOVED_MOTE_TYPES[name])
        elif name in classes.mote_types(RULES[-1]):
            self.faults.faulty(
                element, f"mote type {name}, which Cooja {self.rules} does not have", "use a newer Cooja"
            )
        else:
            self.faults.faulty(
                element,
                f"mote type {name[:80] or '(no class name)'!r} is unknown to Cooja",
                f"use one of {', '.join(sorted(map(classes.short, self.kinds)))}",
            )

    def _java(self, element: _Element, name: str) -> None:
        if not name.endswith("ImportAppMoteType"):
            return
        wanted = element.findtext("moteclass")
        if not wanted:
            self.faults.faulty(element, "an imported mote type without <moteclass>", "name its Java class")
            return
        path = element.find("motepath")
        if path is not None:
            self.places.find(path, "motepath", self.faults)
        self.faults.note(
            element, f"the Java class {wanted[:80]} must be compiled already; this is not checked"
        )

    def _contents(self, written: MoteType, kind: MoteKind) -> frozenset[str]:
        """Return the interfaces that the mote type has."""
        element = written.named.element
        texts: dict[str, object] = {}
        listed: list[str] = []
        for tag, child in written.children:
            if tag == "moteinterface":
                self._interface(child, kind, listed)
            else:
                self._setting(child, tag)
            if tag in ("source", "commands", "firmware"):
                texts[tag] = child  # the last one counts
        self._firmware(element, kind, texts)
        if not listed:
            return kind.interfaces
        for needed, lack in (
            (kind.identity, "its motes have no id"),
            (kind.clock, "its motes stop the run at once"),
            (classes.POSITION, "its motes are nowhere"),
        ):
            if needed not in listed:
                self.faults.faulty(
                    element,
                    f"a mote type without the interface {classes.short(needed)}: {lack}",
                    f"add <moteinterface>{needed}</moteinterface> (`orchestrate csc fix` does)",
                )
        return frozenset(listed)

    def _setting(self, child: _Element, tag: str) -> None:
        """Judge an element of a mote type that is no interface; `tag` is its name today."""
        stack = (child.text or "") if child.tag == "netstack" else "DEFAULT"
        if tag in ANCIENT:
            self.faults.faulty(
                child,
                f"<{child.tag}>: a mote type from before 2010, which no Cooja of today reads",
                "make the mote type again in Cooja",
            )
        elif tag not in _KNOWN_TAGS:
            self.faults.note(child, f"<{child.tag}> in <motetype> is unknown to Cooja and ignored")
        elif child.tag in RENAMED:
            self.faults.note(
                child,
                f"<{child.tag}> is called <{tag}> today; Cooja still reads it",
                "`orchestrate csc fix` renames it",
            )
        elif stack.startswith("MANUAL") and ":" not in stack:
            self.faults.faulty(
                child, "netstack MANUAL without its header", "write DEFAULT, or remove <netstack>"
            )
        elif stack != "DEFAULT":
            self.faults.note(
                child,
                f"netstack {stack[:40]!r}: Cooja takes the default stack",
                "choose the stack in the application's make variables",
            )

    def _interface(self, element: _Element, kind: MoteKind, listed: list[str]) -> None:
        interface = named(element)
        name = interface.name
        old_name(interface, self.faults)
        if name == classes.DROPPED_INTERFACE:
            self.faults.note(
                element,
                "mote interface RimeAddress is gone; Cooja ignores it",
                "`orchestrate csc fix` removes it",
            )
            return
        current = classes.RENAMED_INTERFACES.get(name, name)
        if current not in kind.interfaces:
            self.faults.faulty(
                element,
                f"mote interface {name[:80]!r} is not an interface of {kind.target} motes",
                "remove it, or correct its name",
            )
            return
        if current != name:
            self.faults.note(
                element,
                f"mote interface {classes.short(name)} is called {classes.short(current)} today; Cooja "
                "translates it",
                "`orchestrate csc fix` renames it",
            )
        if current in listed:
            self.faults.note(
                element,
                f"mote interface {classes.short(current)} twice: each mote has two of it",
                "keep one of them",
            )
        listed.append(current)

    def _firmware(self, element: _Element, kind: MoteKind, texts: dict) -> None:
        source, commands, firmware = texts.get("source"), texts.get("commands"), texts.get("firmware")
        if source is None:
            if not kind.firmware_alone:
                self.faults.faulty(
                    element, "a mote type without <source>", "name the C file of the application"
                )
            elif firmware is None:
                self.faults.faulty(
                    element, "a mote type with neither <source> nor <firmware>", "name one of them"
                )
            else:
                self.places.find(firmware, "firmware", self.faults)
            return
        if commands is None:
            self.faults.faulty(
                element,
                "a mote type without <commands>",
                f"add the command that makes its {kind.target} firmware",
            )
        if commands is not None:
            places.check_shell(commands, self.faults)
        path = self.places.source(source, None if commands is None else commands.text, self.faults)
        unmade = self.places.look and not kind.firmware_alone
        if unmade and commands is not None and not (commands.text or "").strip():
            self.faults.faulty(
                commands,
                "no build command: Cooja gives the library a new name at each load",
                "write the command that makes it",
            )
        if self.places.look:
            places.check_build(
                commands if commands is not None else element,
                kind,
                path,
                None if commands is None else commands.text,
                self.faults,
            )

    def _mote(self, element: _Element, kind: MoteKind | None, listed: frozenset[str]) -> None:
        self.interfaces.append(listed)
        mote_id = None
        for config in element:
            if config.tag == "interface_config":
                text = self._config(config, kind, listed)
                mote_id = text if text is not None else mote_id
            elif config.tag not in ("motetype_identifier", "breakpoints"):
                self.faults.note(config, f"<{config.tag}> in <mote> is unknown to Cooja and ignored")
        if mote_id is None:
            if kind is not None:
                self.faults.note(
                    element,
                    "a mote without an id: Cooja gives it 0 or none",
                    "add an <interface_config> with its <id>",
                )
            self.certain = False
            return
        fault = integer_fault(mote_id.text or "")
        if fault:
            self.faults.faulty(mote_id, f"mote id: {fault}", "write digits only")
            self.certain = False
            return
        number = java_integer(mote_id.text)
        if number in self.ids:
            self.faults.note(
                element,
                f"two motes with id {number} (the first in line {self.ids[number]}): the log can't tell "
                "them apart",
                "give each mote its own id",
            )
        self.ids.setdefault(number, element.sourceline or 0)

    def _config(self, element: _Element, kind: MoteKind | None, listed: frozenset[str]):
        """Check one <interface_config>; return the element of the mote's id, if it is the one."""
        config = named(element)
        name = config.name
        old_name(config, self.faults)
        identity = name.endswith(classes.MOTE_ID_SUFFIX)
        if name in classes.ABSTRACT_INTERFACES:
            return None
        if kind is not None and name not in listed and not identity:
            current = classes.RENAMED_INTERFACES.get(name)
            if name == classes.DROPPED_INTERFACE or current in listed:
                self.faults.faulty(
                    element,
                    f"a mote's configuration of {classes.short(name)}, which Cooja does not know under that "
                    "name",
                    "`orchestrate csc fix` corrects it",
                )
            else:
                self.faults.faulty(
                    element,
                    f"a mote's configuration of {name[:80] or '(no class name)'!r}, which its mote type "
                    "does not have",
                    "remove this <interface_config>, or add the interface to the mote type",
                )
            return None
        if name == classes.POSITION:
            self._position(element)
        elif name.endswith(".ContikiEEPROM"):
            self._eeprom(element)
        else:
            for child in element:
                if child.tag in ("bitrate", "deviation") and name.endswith(("Radio", "Clock")):
                    check_decimal(child, child.text or "", child.tag, self.faults)
        return element.find("id") if identity else None

    def _position(self, element: _Element) -> None:
        for child in element:
            if child.tag == "pos":
                for axis in ("x", "y", "z"):
                    if axis in child.attrib:
                        check_decimal(child, child.get(axis), axis, self.faults)
            elif child.tag in ("x", "y", "z"):
                check_decimal(child, child.text or "", child.tag, self.faults)
                self.faults.note(
                    child.getparent(),
                    "positions as <x>, <y>, <z>, the form of before 2022; Cooja still reads it",
                    "`orchestrate csc fix` rewrites them",
                )

    def _eeprom(self, element: _Element) -> None:
        image = element.find("eeprom")
        if image is not None:
            values.image(image, image.text or "", self.faults)


def old_name(name: Named, faults: Faults) -> None:
    """Note a class name from before 2013, which Cooja translates."""
    if name.written.startswith("se.sics"):
        faults.note(
            name.element,
            "class names of before 2013 (se.sics...); Cooja translates them",
            "`orchestrate csc fix` rewrites them",
        )
