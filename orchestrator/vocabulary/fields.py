# SPDX-License-Identifier: Apache-2.0
"""Reads the sections of a user's file: named entries, and the declared keys of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from orchestrator.vocabulary.document import KINDS, Mapping, Node, Scalar, Sequence, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter, check
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean


class Fields:
    """The values of one entry, with their lines; faults are added to `faults`.

    `others`: keys that are known beside the declared ones; the caller reads them with `node`.
    """

    def __init__(
        self,
        what: str,
        node: Mapping,
        defaults: Mapping | None,
        declared: dict[str, Parameter],
        faults: Faults,
        others: Iterable[str] = (),
    ):
        self.what, self.line, self.faults = what, node.line, faults
        known = [*declared, *others]
        known_keys(node, f"{what}: ", known, faults)
        self._nodes: dict[str, Node] = {}
        for source in (defaults, node):
            self._nodes.update({key.text: value for key, value in source or () if key.text in known})
        self._values: dict[str, Any] = {}
        for name, parameter in declared.items():
            self._values[name] = self._value(name, parameter)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def node(self, name: str) -> Node | None:
        """Return the node that the file has for that key; None if it has none."""
        return self._nodes.get(name)

    def at(self, name: str) -> int:
        """Return the line of that key, or of the entry."""
        return self._nodes[name].line if name in self._nodes else self.line

    def given(self, name: str) -> bool:
        """Whether the file has that key."""
        return name in self._nodes

    def formed(self, name: str, form: re.Pattern[str], remedy: str) -> re.Match[str] | None:
        """Return the match of a text with its form; None if it is empty or, which is noted, has another."""
        text = self._values[name]
        if not text:
            return None
        matched = form.fullmatch(text)
        if matched is None:
            self.fault(name, f"{name} {short(text)} is not valid", remedy)
        return matched

    def fault(self, name: str, what: str, remedy: str) -> None:
        """Note a fault in the line of a key."""
        self.faults.add(self.at(name), f"{self.what}: {what}", remedy)

    def _value(self, name: str, parameter: Parameter) -> Any:
        if name not in self._nodes:
            if parameter.default is None:
                self.faults.add(self.line, f"{self.what} has no {name}", f"add `{name}:` - {parameter.help}")
            return parameter.default
        return check(parameter, self._nodes[name], f"{self.what}: {name}", self.faults)


def entries(
    root: Mapping, section: str, most: int, form: re.Pattern[str], remedy: str, faults: Faults
) -> Iterator[tuple[str, Mapping]]:
    """Yield the named entries of a section, without those whose name or value is wrong, which are noted."""
    node = root.get(section)
    if node is None:
        return
    if not isinstance(node, Mapping):
        wrong_kind(node, section, f"write `{section}:`, then `NAME: {{...}}`", faults)
        return
    if len(node.pairs) > most:
        faults.add(node.line, f"{section} has {len(node.pairs):,} entries", f"at most {most:,} are possible")
        return
    for key, value in node:
        if not form.fullmatch(key.text):
            faults.add(key.line, f"{section}: {short(key.text)} is not a valid name", remedy)
        elif not isinstance(value, Mapping):
            wrong_kind(value, key.text, f"write `{key.text}: {{...}}`", faults)
        else:
            yield key.text, value


def own_name(
    root: Mapping, key: str, form: re.Pattern[str] | str, remedy: str, faults: Faults, use: str = ""
) -> str:
    """Return the name that a file gives itself, "" after noting why it has none; `use`: what it is for."""
    node = root.get(key)
    if node is None:
        faults.add(root.line, f"no {key}", f"add `{key}: a-name`" + (f"; {use}" if use else ""))
        return ""
    if not isinstance(node, Scalar) or not re.fullmatch(form, node.text):
        text = short(node.text) if isinstance(node, Scalar) else KINDS[type(node)]
        faults.add(node.line, f"{key}: {text} is not a valid name", remedy)
        return ""
    return node.text


def known_keys(node: Mapping, what: str, known: Iterable[str], faults: Faults) -> None:
    """Note the keys that nobody knows."""
    known = list(known)
    for key, _ in node:
        if key.text not in known:
            faults.add(key.line, f"{what}{short(key.text)} is unknown", did_you_mean(key.text, known))


def named(node: Node, what: str, faults: Faults) -> list[Scalar]:
    """Return the names in a list, or in a text with spaces between them."""
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
    wrong_kind(node, what, "write a list of names", faults)
    return []
