# SPDX-License-Identifier: Apache-2.0
"""Reading the fields of a mote's EEPROM image, the `eeprom:` of application.yaml."""

from __future__ import annotations

import re

from orchestrator.applications import eeprom
from orchestrator.applications.model import Application, EepromField
from orchestrator.vocabulary import document, units
from orchestrator.vocabulary.document import Mapping, Node, Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean, nearest


class FieldReader:
    """Reads one field after the other; their faults are added to `faults`."""

    def __init__(self, faults: Faults):
        self.faults = faults

    def field(self, node: Node, application: Application) -> EepromField | None:
        before = len(self.faults)
        if not isinstance(node, Mapping):
            self.faults.add(
                node.line, "not an EEPROM field", "write `- {field: role, type: u8, source: role}`"
            )
            return None
        texts = {key.text: value.text for key, value in node if isinstance(value, Scalar)}
        for key, value in node:
            if key.text not in (allowed := ("field", "type", "value", "source", "map", "unit", "max")):
                self.faults.add(
                    key.line, f"EEPROM field: {short(key.text)} is unknown", did_you_mean(key.text, allowed)
                )
            elif (key.text == "map") != isinstance(value, Mapping):
                self.faults.add(
                    key.line,
                    f"EEPROM field: {key.text} is {document.KINDS[type(value)]}",
                    "see the other fields",
                )
        name, kind = texts.get("field", ""), texts.get("type", "")
        array = kind.endswith("[]")
        base = kind.removesuffix("[]")
        if not name:
            self.faults.add(node.line, "an EEPROM field without a name", "add `field:`")
        if base not in eeprom.RANGES:
            self.faults.add(
                node.line, f"field {name}: type {short(kind)} is unknown", did_you_mean(base, eeprom.RANGES)
            )
        if ("value" in texts) == ("source" in texts):
            self.faults.add(node.line, f"field {name} needs either a value or a source", "write one of them")
        if len(self.faults) > before:
            return None
        mapped = {key.text: self.integer(value, f"field {name}: map") for key, value in node.get("map") or ()}
        value = self.integer(node.get("value"), f"field {name}") if "value" in texts else None
        most = self.integer(node.get("max"), f"field {name}: max") if "max" in texts else None
        eeprom_field = EepromField(
            name, base, array, value, texts.get("source", ""), mapped, texts.get("unit", ""), node.line, most
        )
        self.agree(eeprom_field, application)
        return eeprom_field if len(self.faults) == before else None

    def integer(self, node: Node, path: str) -> int:
        text = node.text if isinstance(node, Scalar) else ""
        if re.fullmatch(r"[+-]?(0[xX][0-9a-fA-F]{1,8}|[0-9]{1,10})", text, re.ASCII):
            return int(text, 16 if "x" in text.lower() else 10)
        self.faults.add(
            node.line, f"{path}: {short(text)} is not a whole number", "write digits, or 0x and hex digits"
        )
        return 0

    def agree(self, field: EepromField, application: Application) -> None:
        """Check that value, source, map, unit and type of a field fit each other."""
        add, what = self.faults.add, f"field {field.name}"
        if field.value is not None:
            low, high = eeprom.RANGES[field.type]
            if field.array or not low <= field.value <= high:
                add(
                    field.line,
                    f"{what}: {field.value} does not fit {field.type}",
                    f"a {field.type} holds {low} to {high}",
                )
            return
        highest = 255 if field.array else eeprom.RANGES[field.type][1]  # an array's count is a u8
        if field.most is not None and not 0 <= field.most <= highest:
            add(field.line, f"{what}: max {field.most} does not fit", f"write 0 to {highest}")
        sources = eeprom.sources(application)
        if field.source not in sources:
            add(
                field.line,
                f"{what}: source {short(field.source)} is unknown",
                did_you_mean(field.source, sources),
            )
            return
        needs = sources[field.source].needs
        if needs and not application.keys.get(needs):
            add(field.line, f"{what}: {field.source} needs `{needs}:`", f"add `{needs}:` to the file")
        if field.array != sources[field.source].is_list:
            add(field.line, f"{what}: {field.source} is {'a list' if not field.array else 'one value'}",
                f"use type {field.type}{'[]' if not field.array else ''}")  # fmt: skip
        of = eeprom.dimension(application, field.source)
        if of and field.unit not in units.UNITS[of]:
            add(
                field.line,
                f"{what}: a {of} needs its unit",
                f"add `unit:`, one of {', '.join(units.UNITS[of])}",
            )
        elif field.unit and not of:
            add(field.line, f"{what}: {field.source} has no unit", "remove `unit:`")
        self.words(field, application)

    def words(self, field: EepromField, application: Application) -> None:
        """Fault a word (role, choice) without a map that has a number for each."""
        declared = (
            application.parameters.get(field.source.removeprefix("parameter."))
            if "." in field.source
            else None
        )
        needed = application.roles if field.source == "role" else declared.choices if declared else ()
        if needed or (declared and declared.type == "bool" and field.map):
            missing = [word for word in needed or ("true", "false") if word not in field.map]
            if missing:
                self.faults.add(
                    field.line,
                    f"field {field.name}: no number for {', '.join(missing)}",
                    "add it to its `map:`",
                )
            for word in field.map:
                if word not in (needed or ("true", "false")) and (meant := nearest(word, needed)):
                    self.faults.add(
                        field.line,
                        f"field {field.name}: {short(word)} in its map is unknown",
                        f"did you mean {meant}?",
                    )
