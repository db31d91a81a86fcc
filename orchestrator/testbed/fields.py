# SPDX-License-Identifier: Apache-2.0
"""Reading the sections of an inventory: named entries, their declared keys, and texts of a certain form."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

from orchestrator.testbed import settings
from orchestrator.vocabulary import units
from orchestrator.vocabulary.document import KINDS, Mapping, Node, Scalar, Sequence
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter, check
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

NAME_REMEDY = "a name is a letter, then letters, digits, `_` and `-`, at most 32"


class Fields:
    """The values of one entry, with the lines that they stand in; what is wrong goes to `faults`."""

    def __init__(
        self,
        what: str,
        node: Mapping,
        defaults: Mapping | None,
        declared: dict[str, Parameter],
        commands: dict[str, str],
        faults: Faults,
    ):
        self.what, self.line, self.faults = what, node.line, faults
        known = [*declared, *commands, *([settings.OPTIONS] if commands else [])]
        for key, _ in node:
            if key.text not in known:
                faults.add(key.line, f"{what}: {short(key.text)} is unknown", did_you_mean(key.text, known))
        self._nodes: dict[str, Node] = {}
        for source in (defaults, node):
            self._nodes.update({key.text: value for key, value in source or () if key.text in known})
        self._values: dict[str, Any] = {}
        for name, parameter in declared.items():
            self._values[name] = self._value(name, parameter)
        for name in commands:
            self._values[name] = self._command(name)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def at(self, name: str) -> int:
        """The line of that key, or of the entry."""
        return self._nodes[name].line if name in self._nodes else self.line

    def given(self, name: str) -> bool:
        """Whether the file has that key."""
        return name in self._nodes

    def formed(self, name: str, form: re.Pattern[str], remedy: str) -> re.Match[str] | None:
        """The match of a text with its form; None if it is empty or, which is noted, of another form."""
        text = self._values[name]
        if not text:
            return None
        matched = form.fullmatch(text)
        if matched is None:
            self.fault(name, f"{name} {short(text)} is not valid", remedy)
        return matched

    def options(self) -> tuple[tuple[str, str], ...]:
        """The texts by name of the key `options`."""
        node = self._nodes.get(settings.OPTIONS)
        if node is None:
            return ()
        if not isinstance(node, Mapping):
            self.fault(settings.OPTIONS, f"options is {KINDS[type(node)]}", "write `options: {NAME: VALUE}`")
            return ()
        found = []
        for key, value in node:
            if isinstance(value, Scalar) and value.text.isprintable() and len(value.text) <= 256:
                found.append((key.text, value.text))
            else:
                self.faults.add(value.line, f"{self.what}: option {short(key.text)}", "write one value")
        return tuple(found)

    def fault(self, name: str, what: str, remedy: str) -> None:
        """Note a fault in the line of a key."""
        self.faults.add(self.at(name), f"{self.what}: {what}", remedy)

    def _value(self, name: str, parameter: Parameter) -> Any:
        if name not in self._nodes:
            if parameter.default is None:
                self.faults.add(self.line, f"{self.what} has no {name}", f"add `{name}:` - {parameter.help}")
            return parameter.default
        return check(parameter, self._nodes[name], f"{self.what}: {name}", self.faults)

    def _command(self, name: str) -> tuple[str, ...]:
        node = self._nodes.get(name)
        if node is None:
            return ()
        if isinstance(node, Sequence):
            words = [item.text if isinstance(item, Scalar) else "" for item in node.items]
        elif isinstance(node, Scalar):
            try:
                words = shlex.split(node.text)
            except ValueError as error:
                self.fault(name, f"{name} {short(node.text)}: {error}", "close the quotes")
                return ()
        else:
            words = []
        if not words or not all(word and word.isprintable() and len(word) <= 256 for word in words):
            self.fault(
                name, f"{name} is no command", f"write its words, such as `{name}: tool -p {{device}}`"
            )
            return ()
        return tuple(words)


def entries(root: Mapping, section: str, most: int, faults: Faults) -> Iterator[tuple[str, Mapping]]:
    """The named entries of a section; those whose name or form is wrong are noted and left out."""
    node = root.get(section)
    if node is None:
        return
    if not isinstance(node, Mapping):
        faults.add(
            node.line, f"{section} is {KINDS[type(node)]}", f"write `{section}:`, then `NAME: {{...}}`"
        )
        return
    if len(node.pairs) > most:
        faults.add(node.line, f"{section} has {len(node.pairs):,} entries", f"at most {most:,} are possible")
        return
    for key, value in node:
        if not settings.NAME.fullmatch(key.text):
            faults.add(key.line, f"{section}: {short(key.text)} is not a valid name", NAME_REMEDY)
        elif not isinstance(value, Mapping):
            faults.add(value.line, f"{key.text} is {KINDS[type(value)]}", f"write `{key.text}: {{...}}`")
        else:
            yield key.text, value


def known_keys(node: Mapping, what: str, known: dict[str, str], faults: Faults) -> None:
    """Note the keys that nobody knows."""
    for key, _ in node:
        if key.text not in known:
            faults.add(key.line, f"{what}{short(key.text)} is unknown", did_you_mean(key.text, known))


def lengths(text: str, node_line: int, what: str, separator: re.Pattern[str], faults: Faults) -> list[float]:
    """Lengths with a separator between them, in m; empty after noting what is wrong."""
    made = []
    for part in separator.split(text.strip()):
        try:
            made.append(float(units.parse(part, units.LENGTH)))
        except units.NotAQuantity as wrong:
            faults.add(node_line, f"{what}: {wrong.what}", wrong.remedy)
            return []
    return made


def named(node: Node, what: str, faults: Faults) -> list[Scalar]:
    """A list of names, or names with spaces between them."""
    if isinstance(node, Scalar):
        return [Scalar(name, node.line) for name in node.text.split()]
    if isinstance(node, Sequence):
        found = []
        for item in node.items:
            if isinstance(item, Scalar):
                found.append(item)
            else:
                faults.add(item.line, f"{what}: {KINDS[type(item)]}", "write names")
        return found
    faults.add(node.line, f"{what} is {KINDS[type(node)]}", "write a list of names")
    return []
