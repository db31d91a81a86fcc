# SPDX-License-Identifier: Apache-2.0
"""Writes terms in C, with a cast only where C would otherwise compute something else, or warn."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.features.policies import meaning
from orchestrator.features.policies.c_code.names import variable
from orchestrator.features.policies.meaning import Fixed, Slot, Term
from orchestrator.features.policies.types import BOOL, FLOAT, INT, LONG, SEALED, UINT, ULONG, Scalar

_ARITHMETIC = {INT: "int", UINT: "uint", LONG: "long", ULONG: "ulong", FLOAT: "float"}
_HELPERS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo"}
# The precedence of operators, as in C; a call or name binds most tightly.
_CHOICE, _OR, _AND, _EQUAL, _LESS, _SUM, _PRODUCT, _UNARY, _CALL = 1, 2, 3, 7, 8, 10, 11, 12, 13


class Terms:
    """Writes the terms of a policy. `slot`: returns a variable's name in C."""

    def __init__(self, slot: Callable[[Slot], str]):
        self._slot = slot

    def text(self, term: Term, around: int = 0) -> str:
        """Return a term, in parentheses if the operator around it binds more tightly."""
        text, binds = getattr(self, f"_{type(term).__name__.lower()}")(term)
        return f"({text})" if binds < around else text

    def value(self, term: Term) -> str:
        """Return a term as a value of an event."""
        if term.type is SEALED:
            return f"policy_sealed_value({self.text(term)})"
        if term.type is FLOAT:
            return f"policy_real_value({self.text(term)})"
        cast = "(int32_t)" if term.type is ULONG else ""
        return f"policy_number_value({cast}{self.text(term, _UNARY if cast else 0)})"

    def _fixed(self, term: Fixed) -> tuple[str, int]:
        return constant(term.type, term.value), _UNARY if term.value < 0 else _CALL

    def _read(self, term: meaning.Read) -> tuple[str, int]:
        return self._slot(term.slot), _CALL

    def _known(self, term: meaning.Known) -> tuple[str, int]:
        return term.constant.c, _CALL

    def _thisnode(self, term: meaning.ThisNode) -> tuple[str, int]:
        return "(int16_t)policy_node_id()", _UNARY

    def _element(self, term: meaning.Element) -> tuple[str, int]:
        index, size = term.index, term.of.type.size
        if isinstance(index, Fixed) and 0 <= index.value < size:
            place = str(index.value)
        else:
            place = f"policy_index({self.text(index)}, {size})"
        return f"{self.text(term.of, _CALL)}[{place}]", _CALL

    def _fieldof(self, term: meaning.FieldOf) -> tuple[str, int]:
        return f"{self.text(term.of, _CALL)}.{variable(term.name)}", _CALL

    def _convert(self, term: meaning.Convert) -> tuple[str, int]:
        kind, source = term.type, term.of.type
        if kind is BOOL:
            zero = "0.0f" if source is FLOAT else "0"
            return f"{self.text(term.of, _LESS + 1)} != {zero}", _EQUAL
        if source is FLOAT:
            helper = "float_to_ulong" if kind is ULONG else "float_to_long"
            call = f"{helper}({self.text(term.of)})"
            return (call, _CALL) if kind in (LONG, ULONG) else (f"({kind.c}){call}", _UNARY)
        truth = isinstance(term.of, meaning.Compare | meaning.Logic | meaning.Not)  # an int in C
        if kind is not FLOAT and kind.least <= source.least and source.most <= kind.most and not truth:
            return getattr(self, f"_{type(term.of).__name__.lower()}")(term.of)
        return f"({kind.c}){self.text(term.of, _UNARY)}", _UNARY

    def _compute(self, term: meaning.Compute) -> tuple[str, int]:
        kind, operator, right = term.type, term.operator, term.right
        if operator in ("|", "^", "&"):
            both = f"{self.text(term.left, _UNARY)} {operator} {self.text(right, _UNARY)}"
            return f"({kind.c})({both})", _UNARY
        if kind is FLOAT and operator != "/":
            binds = _PRODUCT if operator == "*" else _SUM
            return f"{self.text(term.left, binds)} {operator} {self.text(right, binds + 1)}", binds
        if operator in "/%" and isinstance(right, Fixed) and right.value not in (0, -1):
            both = f"{self.text(term.left, _PRODUCT)} {operator} {self.text(right, _PRODUCT + 1)}"
            return (both, _PRODUCT) if kind is FLOAT else (f"({kind.c})({both})", _UNARY)
        helper = f"{_ARITHMETIC[kind]}_{_HELPERS[operator]}"
        return f"{helper}({self.text(term.left)}, {self.text(right)})", _CALL

    def _shift(self, term: meaning.Shift) -> tuple[str, int]:
        if isinstance(term.by, Fixed):
            by = str(term.by.value if 0 <= term.by.value <= 255 else 255)
        else:
            by = f"policy_shift({self.text(term.by)})"
        name = "left" if term.operator == "<<" else "right"
        return f"{_ARITHMETIC[term.type]}_{name}({self.text(term.left)}, {by})", _CALL

    def _change(self, term: meaning.Change) -> tuple[str, int]:
        if term.type is FLOAT:
            return f"-{self.text(term.of, _CALL)}", _UNARY
        name = "complement" if term.operator == "~" else "negate"
        return f"{_ARITHMETIC[term.type]}_{name}({self.text(term.of)})", _CALL

    def _compare(self, term: meaning.Compare) -> tuple[str, int]:
        binds = _EQUAL if term.operator in ("==", "!=") else _LESS
        tight = binds + 1 if binds == _LESS else _LESS + 1  # -Wparentheses wants them around comparisons
        left = self.text(term.left, _CALL if isinstance(term.left, meaning.Not) else tight)
        return f"{left} {term.operator} {self.text(term.right, tight)}", binds

    def _logic(self, term: meaning.Logic) -> tuple[str, int]:
        binds = _OR if term.operator == "||" else _AND
        return f"{self._side(term.left, binds)} {term.operator} {self._side(term.right, binds)}", binds

    def _side(self, term: Term, binds: int) -> str:
        """Return a side of && or ||; the other of the two operators is in parentheses, as compilers want."""
        other = isinstance(term, meaning.Logic) and binds == _OR and term.operator == "&&"
        return self.text(term, _CALL if other else binds)

    def _not(self, term: meaning.Not) -> tuple[str, int]:
        if isinstance(term.of, meaning.Convert):
            zero = "0.0f" if term.of.of.type is FLOAT else "0"
            return f"{self.text(term.of.of, _LESS + 1)} == {zero}", _EQUAL
        return f"!{self.text(term.of, _CALL)}", _UNARY

    def _choice(self, term: meaning.Choice) -> tuple[str, int]:
        condition = self.text(term.condition, _CHOICE + 1)
        then, otherwise = (self._of_type(part) for part in (term.then, term.otherwise))
        text = f"{condition} ? {then} : {otherwise}"
        if isinstance(term.type, Scalar) and 0 < term.type.bits < 32:  # C promotes it to an int
            return f"({term.type.c})({text})", _UNARY
        return text, _CHOICE

    def _of_type(self, term: Term) -> str:
        """Return a side of a choice, of which compilers want both sides to have one type."""
        if isinstance(term, meaning.Convert) and term.of.type is BOOL:
            return f"({term.type.c}){self.text(term.of, _UNARY)}"
        return self.text(term, _CHOICE + 1)

    def _invoke(self, term: meaning.Invoke) -> tuple[str, int]:
        return f"{term.function.c}({', '.join(self.text(argument) for argument in term.arguments)})", _CALL


def constant(kind: Scalar, value: float) -> str:
    """Return a constant as C writes it for a type."""
    if kind is BOOL:
        return "true" if value else "false"
    if kind is FLOAT:
        text = repr(float(value))
        return text + "f"
    if kind.is_signed and value == LONG.least:
        return "INT32_MIN"
    if kind in (UINT, ULONG):
        return f"{value}u"
    return str(value)
