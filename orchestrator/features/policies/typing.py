# SPDX-License-Identifier: Apache-2.0
"""Makes terms of written expressions: with bound names, types and explicit conversions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from orchestrator.features.policies import arithmetic, meaning, model
from orchestrator.features.policies.extensions import Function, Library
from orchestrator.features.policies.findings import ERROR, WARNING
from orchestrator.features.policies.meaning import Fixed, Slot, Term
from orchestrator.features.policies.model import Position
from orchestrator.features.policies.types import (
    BOOL,
    FLOAT,
    INT,
    LONG,
    VOID,
    Record,
    Scalar,
    Type,
    Vector,
    common,
    is_number,
    of_constant,
    promoted,
    with_article,
)
from orchestrator.words import counted, nearest

Tell = Callable[[str, str, Position, str, str], None]  # name, severity, place, what, remedy


class Unknown(Fixed):
    """A stand-in for an expression with a fault, so that the fault is reported once."""


UNKNOWN = Unknown(INT, 0)


@dataclass
class Scope:
    """The scope of an expression. `slots` returns a slot, or makes an implicit one."""

    slots: Callable[[str, Position], Slot]
    library: Library
    tell: Tell

    def term(self, written: model.Expression) -> Term:
        """Return what an expression means."""
        return getattr(self, f"_{type(written).__name__.lower()}")(written)

    def in_order(self, parts: Iterable[Term], at: Position) -> None:
        """Fault several calls in one expression: C leaves open in which order its parts are computed."""
        if sum(map(calls, parts)) > 1:
            what = "functions are called in an order that C leaves open"
            self.tell(
                "order-of-calls", ERROR, at, what, "assign the result of the first one to a variable before"
            )

    def condition(self, written: model.Expression) -> Term:
        """Return an expression as a condition."""
        return self.converted(self.term(written), BOOL, written.at)

    def converted(self, term: Term, kind: Type, at: Position) -> Term:
        """Return a term converted to a type."""
        if term.type == kind or isinstance(term, Unknown):
            return term if not isinstance(term, Unknown) or not isinstance(kind, Scalar) else Unknown(kind, 0)
        if is_number(term.type) and is_number(kind):
            if isinstance(term, Fixed):
                value = arithmetic.convert(kind, term.type, term.value, lambda _: None)
                if kind is not BOOL and kind is not FLOAT and value != term.value:
                    self.tell(
                        "type", WARNING, at, f"{term.value} is out of type {kind}", f"it becomes {value} here"
                    )
                return Fixed(kind, value)
            return meaning.Convert(kind, term)
        what = f"{with_article(term.type)} stands where {with_article(kind)} is wanted"
        self._wrong(at, what, _type_remedy(term.type))
        return Unknown(kind, 0) if isinstance(kind, Scalar) else UNKNOWN

    def _wrong(self, at: Position, what: str, remedy: str) -> Unknown:
        """Note a type error; return a substitute for the expression."""
        self.tell("type", ERROR, at, what, remedy)
        return UNKNOWN

    def _number(self, term: Term, at: Position, whole: bool) -> Term:
        """Return a term that can be computed with; `whole`: as an integer only."""
        if isinstance(term, Unknown) or (is_number(term.type) and not (whole and term.type is FLOAT)):
            return term
        remedy = "an integer is wanted" if whole else "a number is wanted"
        return self._wrong(at, f"{with_article(term.type)} cannot be computed with here", remedy)

    def _literal(self, written: model.Literal) -> Term:
        if written.kind == "bool":
            return Fixed(BOOL, int(written.text == "true"))
        if written.kind == "real":
            value = arithmetic.single(float(written.text.rstrip("fF")))
            if math.isinf(value):
                return self._wrong(written.at, f"{written.text} is too large", "32 bits are the most")
            return Fixed(FLOAT, value)
        if written.kind == "character":
            return self._character(written)
        digits = written.text.rstrip("uUlL")
        value = int(digits, 16 if digits[:2].lower() == "0x" else 10)
        kind = of_constant(value, written.text[len(digits) :].lower(), digits[:2].lower() != "0x")
        if kind is None:
            return self._wrong(written.at, f"{written.text} is too large", "32 bits are the most")
        return Fixed(kind, value)

    def _character(self, written: model.Literal) -> Term:
        escapes = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39, '"': 34}
        inner = written.text[1:-1]
        value = escapes.get(inner[1]) if inner[0] == "\\" else ord(inner)
        if value is None or value > 127:
            return self._wrong(written.at, f"{written.text} is not a character", "use one of ASCII")
        return Fixed(INT, value)

    def _name(self, written: model.Name) -> Term:
        if written.name in self.library.constants:
            return meaning.Known(self.library.constants[written.name])
        return meaning.Read(self.slots(written.name, written.at))

    def _member(self, written: model.Member) -> Term:
        if written == model.Member(model.Name("this"), "node_id"):
            return meaning.ThisNode()
        of = self.term(written.of)
        if isinstance(of.type, Record) and of.type.field(written.name) is not None:
            return meaning.FieldOf(of, written.name)
        if isinstance(of, Unknown):
            return UNKNOWN
        fields = ", ".join(name for name, _ in of.type.fields) if isinstance(of.type, Record) else ""
        remedy = f"its fields are {fields}" if fields else "only records have fields"
        return self._wrong(written.at, f"{with_article(of.type)} has no field {written.name}", remedy)

    def _index(self, written: model.Index) -> Term:
        of = self.term(written.of)
        index = self._number(self.term(written.index), written.index.at, whole=True)
        if isinstance(of, Unknown):
            return UNKNOWN
        if not isinstance(of.type, Vector):
            return self._wrong(written.at, f"{with_article(of.type)} has no elements", "only vectors have")
        if isinstance(index, Fixed) and not 0 <= index.value < of.type.size:
            what = f"element {index.value} of a vector of {of.type.size}"
            self.tell("type", WARNING, written.at, what, "the nearest element is taken")
        return meaning.Element(of, self.converted(index, LONG, written.index.at))

    def _unary(self, written: model.Unary) -> Term:
        if written.operator == "!":
            return meaning.Not(self.condition(written.operand))
        of = self._number(self.term(written.operand), written.at, whole=written.operator == "~")
        kind = promoted(of.type)
        of = self.converted(of, kind, written.at)
        if written.operator == "+" or isinstance(of, Unknown):
            return of
        if isinstance(of, Fixed):
            return Fixed(kind, arithmetic.change(kind, written.operator, of.value))
        return meaning.Change(kind, written.operator, of)

    def _binary(self, written: model.Binary) -> Term:
        operator = written.operator
        if operator in ("&&", "||"):
            return meaning.Logic(operator, self.condition(written.left), self.condition(written.right))
        whole = operator in ("<<", ">>", "%", "&", "|", "^")
        left = self._number(self.term(written.left), written.left.at, whole)
        right = self._number(self.term(written.right), written.right.at, whole)
        if isinstance(left, Unknown) or isinstance(right, Unknown):
            return Unknown(BOOL, 0) if operator in arithmetic.COMPARE else UNKNOWN
        self.in_order((left, right), written.at)
        if operator in ("<<", ">>"):
            kind = promoted(left.type)
            by = self.converted(right, LONG, written.right.at)
            return meaning.Shift(kind, operator, self.converted(left, kind, written.at), by)
        kind = common(left.type, right.type)
        if operator in ("/", "%") and isinstance(right, Fixed) and right.value == 0:
            remedy = "its result is 0, and a fault is counted"
            self.tell("type", WARNING, written.right.at, "a division by 0", remedy)
        pair = (self._silently(left, kind), self._silently(right, kind))
        if operator in arithmetic.COMPARE:
            self._mixed_signs(left, right, kind, written)
            return meaning.Compare(operator, *pair)
        if all(isinstance(kind, Fixed) for kind in pair):
            values = [kind.value for kind in pair]
            value = arithmetic.compute(kind, operator, *values, lambda _: None)
            if math.isfinite(value) and (operator not in "/%" or values[1]):
                return Fixed(kind, value)
        return meaning.Compute(kind, operator, *pair)

    def _silently(self, term: Term, kind: Scalar) -> Term:
        """Do the same as converted, where C converts without a warning."""
        if term.type == kind:
            return term
        if isinstance(term, Fixed):
            return Fixed(kind, arithmetic.convert(kind, term.type, term.value, lambda _: None))
        return meaning.Convert(kind, term)

    def _mixed_signs(self, left: Term, right: Term, kind: Scalar, written: model.Binary) -> None:
        for term in (left, right):
            loses = kind is not FLOAT and not kind.is_signed and term.type.is_signed
            if loses and not (isinstance(term, Fixed) and term.value >= 0):
                both = f"{with_article(left.type)} and {with_article(right.type)}"
                what = f"{both} are compared as {kind}: a negative number is a large one"
                self.tell("sign", WARNING, written.at, what, "give both the same sign")

    def _conditional(self, written: model.Conditional) -> Term:
        condition = self.condition(written.condition)
        then, otherwise = self.term(written.then), self.term(written.otherwise)
        kind = then.type
        if isinstance(kind, Record | Vector) or kind is VOID:
            return self._wrong(written.at, f"{with_article(kind)} cannot be chosen", "choose with `if`")
        if is_number(kind) and is_number(otherwise.type):
            kind = common(kind, otherwise.type)
            return meaning.Choice(
                kind, condition, self._silently(then, kind), self._silently(otherwise, kind)
            )
        return meaning.Choice(kind, condition, then, self.converted(otherwise, kind, written.otherwise.at))

    def _call(self, written: model.Call) -> Term:
        candidates = self.library.functions.get(written.function)
        arguments = [self.term(argument) for argument in written.arguments]
        if not candidates:
            meant = nearest(written.function, self.library.functions)
            what = f"no extension declares the function {written.function}"
            remedy = (
                f"did you mean {meant}?"
                if meant
                else "declare it in a policy-extension.yaml (docs/policies.md)"
            )
            self.tell("function", ERROR, written.at, what, remedy)
            return UNKNOWN
        self.in_order(arguments, written.at)
        fitting = [candidate for candidate in candidates if len(candidate.arguments) == len(arguments)]
        if not fitting:
            wanted = " or ".join(sorted({str(len(candidate.arguments)) for candidate in candidates}))
            what = f"{written.function} is called with {counted(len(arguments), 'argument')}"
            self.tell("argument", ERROR, written.at, what, f"it takes {wanted}")
            return UNKNOWN
        function = next((candidate for candidate in fitting if _holds(candidate, arguments)), fitting[-1])
        pairs = zip(arguments, function.arguments, written.arguments, strict=True)
        return meaning.Invoke(
            function, tuple(self.converted(term, kind, name.at) for term, kind, name in pairs)
        )


def calls(term: Term) -> bool:
    """Return whether a term calls an extension, which may do more than return a value."""
    return any(
        isinstance(called, meaning.Invoke) and called.function.header for called in meaning.terms(term)
    )


def _holds(function: Function, arguments: list[Term]) -> bool:
    """Return whether no argument loses anything when it is converted to a parameter's type."""
    return all(
        not is_number(term.type) or not kind.is_integer or common(term.type, kind) == promoted(kind)
        for term, kind in zip(arguments, function.arguments, strict=True)
    )


def _type_remedy(kind: Type) -> str:
    if kind is VOID:
        return "the function has no result"
    if getattr(kind, "name", "") == "sealed":
        return "decrypt it first, or pass it on as it is"
    return (
        "use one field or element of it" if isinstance(kind, Vector | Record) else "give it the type it needs"
    )
