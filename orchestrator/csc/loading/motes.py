# SPDX-License-Identifier: Apache-2.0
"""Would Cooja load the mote types and motes of a .csc?"""

from __future__ import annotations

import base64
import binascii

from orchestrator.csc import classes
from orchestrator.csc.loading import names, places
from orchestrator.csc.loading.names import MoteKind
from orchestrator.csc.loading.numbers import decimal_fault, integer_fault
from orchestrator.csc.loading.report import Findings
from orchestrator.csc.values import EEPROM_BYTES, own_text

_ANCIENT = frozenset({"contikibasedir", "contikicoredir", "projectdir", "compilefile", "process", "sensor", "coreinterface"})
_CURRENT_TAGS = {"contikiapp": "source", "command": "commands", "elf": "firmware"}
_KNOWN_TAGS = frozenset({"description", "source", "commands", "firmware", "moteinterface", "mote", "identifier", "netstack",
                         "commstack", *_ANCIENT, *_CURRENT_TAGS})
_POSITION = "org.contikios.cooja.interfaces.Position"


class Motes:
    """Reads <motetype> and <mote> in the file's order, as Cooja does. `ids`: of all motes that have a number for an id."""

    def __init__(self, rules: str, where: places.Places, findings: Findings):
        self.findings, self.places = findings, where
        self.kinds = names.mote_types(rules)
        self.rules = rules
        self.ids: dict[int, int] = {}  # id -> line
        self.count = 0
        self.certain = True  # every mote's id was read
        self._types: dict[str, tuple[MoteKind | None, frozenset[str]]] = {}
        self._seen_types = 0

    def mote_type(self, element) -> None:
        self._seen_types += 1
        written = own_text(element)
        name = classes.today(written)
        old_name(element, written, self.findings)
        kind = self.kinds.get(name)
        listed: frozenset[str] = frozenset()
        if name in names.JAVA_MOTE_TYPES:
            self._java(element, name)
        elif kind is None:
            self._unknown(element, name)
        else:
            listed = self._contents(element, kind)
        for mote in element.findall("mote"):
            self._mote(mote, kind, listed)
        identifier = element.find("identifier")
        if identifier is not None:
            self._types[identifier.text or ""] = (kind, listed)

    def outside(self, element) -> None:
        """A mote beside the mote types, the form of before 2022."""
        identifier = element.find("motetype_identifier")
        if identifier is None:
            self.findings.fault(element, "a <mote> outside of a mote type without <motetype_identifier>", "add it")
            return
        found = self._types.get(identifier.text or "")
        if found is None:
            self.findings.fault(identifier, f"a mote of type {(identifier.text or '')[:60]!r}, which no mote type before it has",
                                "correct its <motetype_identifier>")
            self.certain = False
            return
        self.findings.note(element, "motes stand beside their mote type, the form of before 2022; Cooja still reads it",
                           "`orchestrate csc fix` moves them inside")
        self._mote(element, *found)

    def _unknown(self, element, name: str) -> None:
        if name in names.REMOVED_MOTE_TYPES:
            self.findings.fault(element, f"mote type {name}", names.REMOVED_MOTE_TYPES[name])
        elif name in names.mote_types("2026.07"):
            self.findings.fault(element, f"mote type {name}, which Cooja {self.rules} does not have", "use a newer Cooja")
        else:
            self.findings.fault(element, f"mote type {name[:80] or '(no class name)'!r} is unknown to Cooja",
                                f"use one of {', '.join(sorted(one.rsplit('.')[-1] for one in self.kinds))}")

    def _java(self, element, name: str) -> None:
        if not name.endswith("ImportAppMoteType"):
            return
        wanted = element.findtext("moteclass")
        if not wanted:
            self.findings.fault(element, "an imported mote type without <moteclass>", "name its Java class")
            return
        path = element.find("motepath")
        if path is not None:
            self.places.find(path, "motepath", self.findings)
        self.findings.note(element, f"the Java class {wanted[:80]} must be compiled already: this is not looked at")

    def _contents(self, element, kind: MoteKind) -> frozenset[str]:
        """The interfaces that the mote type has."""
        texts: dict[str, object] = {}
        listed: list[str] = []
        for child in element:
            if not isinstance(child.tag, str):
                continue
            tag = _CURRENT_TAGS.get(child.tag, child.tag)
            if child.tag in _ANCIENT:
                self.findings.fault(child, f"<{child.tag}>: a mote type from before 2010, which no Cooja of today reads",
                                    "make the mote type again in Cooja")
            elif child.tag == "moteinterface":
                self._interface(child, kind, listed)
            elif child.tag not in _KNOWN_TAGS:
                self.findings.note(child, f"<{child.tag}> in <motetype> is unknown to Cooja and passed over")
            elif child.tag in _CURRENT_TAGS:
                self.findings.note(child, f"<{child.tag}> is called <{tag}> today; Cooja still reads it",
                                   "`orchestrate csc fix` renames it")
            elif child.tag == "netstack" and (child.text or "").startswith("MANUAL") and ":" not in (child.text or ""):
                self.findings.fault(child, "netstack MANUAL without its header", "write DEFAULT, or remove <netstack>")
            elif child.tag == "netstack" and (child.text or "") != "DEFAULT":
                self.findings.note(child, f"netstack {(child.text or '')[:40]!r}: Cooja takes the default stack",
                                   "choose the stack in the application's make variables")
            if tag in ("source", "commands", "firmware"):
                texts[tag] = child  # the last one counts
        self._firmware(element, kind, texts)
        if not listed:
            return kind.interfaces
        for needed, lack in ((kind.identity, "its motes have no id"), (kind.clock, "its motes stop the run at once"),
                             (_POSITION, "its motes are nowhere")):
            if needed not in listed:
                self.findings.fault(element, f"a mote type without the interface {_short(needed)}: {lack}",
                                    f"add <moteinterface>{needed}</moteinterface> (`orchestrate csc fix` does)")
        return frozenset(listed)

    def _interface(self, element, kind: MoteKind, listed: list[str]) -> None:
        written = (element.text or "").strip()
        name = classes.today(written)
        old_name(element, written, self.findings)
        if name == names.DROPPED_INTERFACE:
            self.findings.note(element, "mote interface RimeAddress is gone; Cooja passes over it", "`orchestrate csc fix` removes it")
            return
        current = names.RENAMED_INTERFACES.get(name, name)
        if current not in kind.interfaces:
            self.findings.fault(element, f"mote interface {name[:80]!r} is none of a {kind.target} mote's", "remove it, or correct its name")
            return
        if current != name:
            self.findings.note(element, f"mote interface {_short(name)} is called {_short(current)} today; Cooja translates it",
                               "`orchestrate csc fix` renames it")
        if current in listed:
            self.findings.note(element, f"mote interface {_short(current)} twice: each mote has two of it", "keep one of them")
        listed.append(current)

    def _firmware(self, element, kind: MoteKind, texts: dict) -> None:
        source, commands, firmware = texts.get("source"), texts.get("commands"), texts.get("firmware")
        if source is None:
            if not kind.firmware_alone:
                self.findings.fault(element, "a mote type without <source>", "name the C file of the application")
            elif firmware is None:
                self.findings.fault(element, "a mote type with neither <source> nor <firmware>", "name one of them")
            else:
                self.places.find(firmware, "firmware", self.findings)
            return
        if commands is None:
            self.findings.fault(element, "a mote type without <commands>", f"add the command that makes its {kind.target} firmware")
        path = self.places.source(source, None if commands is None else commands.text, self.findings)
        if commands is not None and not (commands.text or "").strip() and not kind.firmware_alone:
            self.findings.fault(commands, "no build command: Cooja gives the library a new name at each load",
                                "write the command that makes it")
        places.check_build(commands if commands is not None else element, kind, path, None if commands is None else commands.text,
                           self.findings)

    def _mote(self, element, kind: MoteKind | None, listed: frozenset[str]) -> None:
        self.count += 1
        mote_id = None
        for config in element:
            if config.tag == "interface_config":
                text = self._config(config, kind, listed)
                mote_id = text if text is not None else mote_id
            elif isinstance(config.tag, str) and config.tag not in ("motetype_identifier", "breakpoints"):
                self.findings.note(config, f"<{config.tag}> in <mote> is unknown to Cooja and passed over")
        if mote_id is None:
            if kind is not None:
                self.findings.note(element, "a mote without an id: Cooja gives it 0 or none", "add an <interface_config> with its <id>")
            self.certain = False
            return
        fault = integer_fault(mote_id.text or "")
        if fault:
            self.findings.fault(mote_id, f"mote id: {fault}", "write digits only")
            self.certain = False
            return
        number = int(mote_id.text)
        if number in self.ids:
            self.findings.note(element, f"two motes with id {number} (the first in line {self.ids[number]}): the log can't tell them apart",
                               "give each mote its own id")
        self.ids.setdefault(number, element.sourceline or 0)

    def _config(self, element, kind: MoteKind | None, listed: frozenset[str]):
        """Checks one <interface_config>; the element of the mote's id, if it is the one."""
        written = own_text(element)
        name = classes.today(written)
        old_name(element, written, self.findings)
        identity = name.endswith(names.MOTE_ID_SUFFIX)
        if name in names.ABSTRACT_INTERFACES:
            return None
        if kind is not None and name not in listed and not identity:
            current = names.RENAMED_INTERFACES.get(name)
            if name == names.DROPPED_INTERFACE or current in listed:
                self.findings.fault(element, f"a mote's configuration of {_short(name)}, which Cooja does not know under that name",
                                    "`orchestrate csc fix` corrects it")
            else:
                self.findings.fault(element, f"a mote's configuration of {name[:80] or '(no class name)'!r}, which its mote type does not have",
                                    "remove this <interface_config>, or add the interface to the mote type")
            return None
        if name == _POSITION:
            self._position(element)
        elif name.endswith(".ContikiEEPROM"):
            self._eeprom(element)
        else:
            for child in element:
                if child.tag in ("bitrate", "deviation") and name.endswith(("Radio", "Clock")):
                    self._decimal(child, child.text or "", child.tag)
        return element.find("id") if identity else None

    def _position(self, element) -> None:
        for child in element:
            if child.tag == "pos":
                for axis in ("x", "y", "z"):
                    if axis in child.attrib:
                        self._decimal(child, child.get(axis), axis)
            elif child.tag in ("x", "y", "z"):
                self._decimal(child, child.text or "", child.tag)
                self.findings.note(child.getparent(), "positions as <x>, <y>, <z>, the form of before 2022; Cooja still reads it",
                                   "`orchestrate csc fix` rewrites them")

    def _decimal(self, element, text: str, what: str) -> None:
        fault = decimal_fault(text)
        if fault:
            self.findings.fault(element, f"{what}: {fault}", "write it like 12.5")

    def _eeprom(self, element) -> None:
        image = element.find("eeprom")
        if image is None:
            return
        text = image.text or ""
        if len(text) % 4 > 1 and "=" not in text:
            text += "=" * (-len(text) % 4)  # Java does without
        try:
            data = base64.b64decode(text.encode("ascii"), validate=True)
        except (binascii.Error, ValueError):
            self.findings.fault(image, "eeprom: not base64 in one line",
                                "write the image's bytes in base64 without white space (`orchestrate csc fix` joins lines)")
            return
        if len(data) > EEPROM_BYTES:
            self.findings.note(image, f"eeprom: {len(data)} bytes, of which a mote holds {EEPROM_BYTES}: Cooja runs the mote without it",
                               "shorten the image")


def old_name(element, written: str, findings: Findings) -> None:
    if written.startswith("se.sics"):
        findings.note(element, "class names of before 2013 (se.sics...); Cooja translates them", "`orchestrate csc fix` rewrites them")


def _short(name: str) -> str:
    return name.rsplit(".")[-1]
