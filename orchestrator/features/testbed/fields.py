# SPDX-License-Identifier: Apache-2.0
"""Reads the sections of an inventory: entries with commands and options, and lengths."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from orchestrator.features.testbed import settings
from orchestrator.vocabulary import fields, units
from orchestrator.vocabulary.document import KINDS, Mapping, Scalar, Sequence
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter
from orchestrator.vocabulary.units import short

NAME_REMEDY = "a name is a letter, then letters, digits, `_` and `-`, at most 32"


class Fields(fields.Fields):
    """The values of one entry, some of which are commands."""

    def __init__(
        self,
        what: str,
        node: Mapping,
        defaults: Mapping | None,
        declared: dict[str, Parameter],
        commands: dict[str, str],
        faults: Faults,
    ):
        others = [*commands, *([settings.OPTIONS] if commands else [])]
        super().__init__(what, node, defaults, declared, faults, others)
        for name in commands:
            self._values[name] = self._command(name)

    def options(self) -> tuple[tuple[str, str], ...]:
        """Return the texts of the key `options`, by name."""
        node = self.node(settings.OPTIONS)
        if node is None:
            return ()
        if not isinstance(node, Mapping):
            self.fault(settings.OPTIONS, f"options is {KINDS[type(node)]}", "write `options: {NAME: VALUE}`")
            return ()
        options_ = []
        for key, value in node:
            if isinstance(value, Scalar) and value.text.isprintable() and len(value.text) <= 256:
                options_.append((key.text, value.text))
            else:
                self.faults.add(value.line, f"{self.what}: option {short(key.text)}", "write one value")
        return tuple(options_)

    def _command(self, name: str) -> tuple[str, ...]:
        node = self.node(name)
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
                name, f"{name} is not a command", f"write its words, such as `{name}: tool -p {{device}}`"
            )
            return ()
        return tuple(words)


def entries(root: Mapping, section: str, most: int, faults: Faults) -> Iterator[tuple[str, Mapping]]:
    """Return the named entries of a section of an inventory."""
    return fields.entries(root, section, most, settings.NAME, NAME_REMEDY, faults)


def lengths(text: str, node_line: int, what: str, separator: re.Pattern[str], faults: Faults) -> list[float]:
    """Return lengths in m that a separator divides; none after noting a fault."""
    lengths_ = []
    for part in separator.split(text.strip()):
        try:
            lengths_.append(float(units.parse(part, units.LENGTH)))
        except units.NotAQuantity as wrong:
            faults.add(node_line, f"{what}: {wrong.what}", wrong.remedy)
            return []
    return lengths_
