# SPDX-License-Identifier: Apache-2.0
"""Complex conditions, from text to the code that gateways and motes evaluate.

    temperature > 50 and < 60 and humidity > 40 %

A comparison without a field is of the field before it. "and" binds before "or"; "not" and parentheses are
there. A number may have its field's unit; it is exact, whatever the field's scale.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

from orchestrate_testbed.gateway.event_service.condition import (
    AND,
    COMPARISON,
    COMPARISONS,
    LONGEST,
    NOT,
    OR,
    TYPES,
    NotACondition,
    read,
)

from orchestrator.features.event_service.event_types.description import EventField, EventType
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[+-]?\d{1,18}(?:\.\d{1,18})?)|(?P<comparison><=|>=|==|!=|<|>|=)|(?P<bracket>[()])"
    r"|(?P<word>[^\W\d][\w]*)|(?P<unit>[^\s\w<>=!()]+\w*))"
)
_WORDS = ("and", "or", "not")
_DEEPEST = 20  # brackets and "not" inside each other


class Unclear(ValueError):
    """The text is no condition on events of the type; `remedy` says what to write."""

    def __init__(self, what: str, remedy: str):
        super().__init__(what)
        self.remedy = remedy


def compile_condition(text: str, of: EventType) -> bytes:
    """Return the code of a condition on events of that type. Raises Unclear."""
    code = _Parser(text, of).whole()
    try:
        read(code)
    except NotACondition as wrong:
        raise Unclear(f"{short(text)}: {wrong}", f"use fewer comparisons: {LONGEST} bytes fit") from None
    return code


class _Parser:
    def __init__(self, text: str, of: EventType):
        self._of, self._fields = of, {field.name: field for field in of.fields}
        self._tokens: list[tuple[str, str]] = []
        self._at = self._depth = 0
        self._last: EventField | None = None
        at = 0
        while text[at:].strip():
            token = _TOKEN.match(text, at)
            if not token:
                raise Unclear(f"{short(text[at:].strip())} can't be read", _EXAMPLE)
            kind = token.lastgroup or ""
            word = token[kind]
            self._tokens.append((word if kind == "word" and word in _WORDS else kind, word))
            at = token.end()

    def whole(self) -> bytes:
        code = self._either()
        if self._kind:
            raise Unclear(f"{short(self._word)} is too much", "join comparisons by and, or")
        return code

    @property
    def _kind(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    @property
    def _word(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else "its end"

    @property
    def _next_token(self) -> str:
        return short(self._word) if self._kind else self._word

    def _take(self) -> str:
        word = self._word
        self._at += 1
        return word

    def _either(self) -> bytes:
        return self._joined("or", lambda: self._joined("and", self._one, AND), OR)

    def _joined(self, word: str, part: Callable[[], bytes], operation: int) -> bytes:
        code = part()
        while self._kind == word:
            self._take()
            code += part() + bytes([operation])
        return code

    def _one(self) -> bytes:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Unclear("too many brackets inside each other", f"use {_DEEPEST} at most")
        if self._kind == "not":
            self._take()
            code = self._one() + bytes([NOT])
        elif self._word == "(":
            self._take()
            code = self._either()
            if self._word != ")":
                raise Unclear(f"a bracket is open at {self._next_token}", "close it")
            self._take()
        else:
            code = self._comparison()
        self._depth -= 1
        return code

    def _comparison(self) -> bytes:
        if self._kind == "word":
            name = self._take()
            if name not in self._fields:
                remedy = did_you_mean(name, tuple(self._fields))
                raise Unclear(f"events of type {self._of.name} have no field {short(name)}", remedy)
            self._last = self._fields[name]
        if self._last is None:
            raise Unclear(f"{self._next_token} found where a field's name is expected", _EXAMPLE)
        if self._kind != "comparison":
            raise Unclear(f"{self._next_token} found where a comparison is expected", _EXAMPLE)
        comparison = self._take().replace("==", "=").replace("=", "==", 1)
        comparison = {"<==": "<=", ">==": ">=", "!==": "!="}.get(comparison, comparison)
        if self._kind != "number":
            raise Unclear(f"{self._next_token} found where a number is expected", _EXAMPLE)
        number = Fraction(self._take())
        field = self._last
        if self._kind == "unit" or (self._kind == "word" and self._word not in _WORDS):
            unit = self._take()
            if unit != field.unit:
                has = f"its unit is {field.unit}" if field.unit else "it has no unit"
                raise Unclear(f"{field.name} in {short(unit)}: {has}", "leave the unit out, or convert")
        return _compare(field, comparison, number / field.scale)


_EXAMPLE = "write for example `temperature > 50 and < 60 and humidity > 40 %`"


def _compare(field: EventField, comparison: str, number: Fraction) -> bytes:
    """Return the comparison of the field's whole number with one that may lie between two."""
    if comparison in (">", "<="):
        whole = math.floor(number)
    elif comparison in (">=", "<"):
        whole = math.ceil(number)
    else:
        whole = math.floor(number)
        if whole != number:
            holds = "never" if comparison == "==" else "always"
            raise Unclear(
                f"{field.name} {comparison} that number is {holds} true: its steps are "
                f"{float(field.scale):g} {field.unit}".rstrip(),
                "compare by < or >",
            )
    low, high = field.range
    if not low <= whole <= high:
        raise Unclear(
            f"{field.name} never has that value: it goes from {float(low * field.scale):g} to "
            f"{float(high * field.scale):g} {field.unit}".rstrip(),
            "use a number within",
        )
    operation = COMPARISON | TYPES.index(field.type) << 3 | COMPARISONS.index(comparison)
    size = int(field.type[1:]) // 8
    return bytes([operation, field.offset]) + whole.to_bytes(size, "little", signed=low < 0)
