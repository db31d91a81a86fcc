# SPDX-License-Identifier: Apache-2.0
"""Expressions as bytecode: a term leaves its value on the machine's stack, in 32 bits."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.features.policies import meaning
from orchestrator.features.policies.arithmetic import wrapped
from orchestrator.features.policies.bytecode import instructions
from orchestrator.features.policies.bytecode.firmware import Firmware, can_be_offered
from orchestrator.features.policies.bytecode.instructions import Code, Label
from orchestrator.features.policies.types import BOOL, INT, LONG, ULONG, Scalar, Type, Vector

_NUMBERS = "bytecode has whole numbers only"
_PLAIN = {"+": "add", "-": "subtract", "*": "multiply", "&": "and", "|": "or", "^": "xor"}
_SIGNS = {"/": "divide", "%": "modulo", "<<": "left", ">>": "right"}
_UNSIGNED = {"/": "unsigned_divide", "%": "unsigned_modulo", "<<": "left", ">>": "unsigned_right"}
# The instruction, and whether its result is turned round.
_COMPARE = {
    "==": ("equal", False),
    "!=": ("equal", True),
    "<": ("less", False),
    ">=": ("less", True),
    "<=": ("at_most", False),
    ">": ("at_most", True),
}


class Refused(Exception):  # noqa: N818 - the policy is right, bytecode has no room for it
    """Bytecode can't hold it."""

    def __init__(self, what: str, remedy: str):
        super().__init__(what)
        self.what, self.remedy = what, remedy


class Terms:
    """Writes terms. `place`: the first cell of each variable and parameter."""

    def __init__(self, code: Code, place: Mapping[meaning.Slot, int], firmware: Firmware):
        self.code, self.place, self.firmware = code, place, firmware

    def value(self, term: meaning.Term) -> None:
        """Leave its value on the stack. Raises Refused."""
        _require_number(term.type)
        self._TERMS[type(term)](self, term)

    def store(self, place: meaning.Term) -> None:
        """Put what is on the stack there."""
        cell, index, size = self._held(place)
        if index is None:
            self.code.emit("store", cell)
        else:
            self.value(index)
            self.code.emit("store_at", cell, size)

    def _held(self, term: meaning.Term) -> tuple[int, meaning.Term | None, int]:
        """Its first cell; and, if only a run knows which of a vector it is, the index and the size."""
        if isinstance(term, meaning.FieldOf):
            cell, index, _ = self._held(term.of)
            if index is not None:
                _refuse_vector()
            for name, kind in term.of.type.fields:
                if name == term.name:
                    break
                cell += instructions.cells(kind)
            return cell, None, 0
        if isinstance(term, meaning.Element):
            cell, index, _ = self._held(term.of)
            each, size = instructions.cells(term.type), term.of.type.size
            if index is not None:
                _refuse_vector()
            if isinstance(term.index, meaning.Fixed) and 0 <= term.index.value < size:
                return cell + term.index.value * each, None, 0
            if each > 1:
                _refuse_vector()
            return cell, term.index, size
        if term.slot.kind == "shared":
            raise Refused(
                f"{term.slot.name} is global", "a policy in bytecode reads and sets its own variables only"
            )
        return self.place[term.slot], None, 0

    def _read(self, term: meaning.Term) -> None:
        cell, index, size = self._held(term)
        if index is None:
            self.code.emit("load", cell)
        else:
            self.value(index)
            self.code.emit("load_at", cell, size)

    def _fixed(self, term: meaning.Fixed) -> None:
        self.code.push(wrapped(LONG, int(term.value)))

    def _known(self, term: meaning.Known) -> None:
        self._call(term.constant)

    def _call(self, wanted: object) -> None:
        number = self.firmware.number(wanted)
        if number is None:
            if not can_be_offered(wanted):
                raise Refused(f"{wanted.name} has values that are not whole numbers", _NUMBERS)
            remedy = f"compile the firmware with --offer {wanted.name}"
            raise Refused(f"the firmware doesn't offer {wanted.name} to bytecode", remedy)
        self.code.emit("call", number)

    def _wrap(self, kind: Scalar) -> None:
        """Convert a result of 32 bits to a number of a narrower type."""
        if kind is BOOL:
            self.code.emit("truth")
        elif kind.bits < 32:
            self.code.emit(f"{'' if kind.is_signed else 'u'}int{kind.bits}")

    def _convert(self, term: meaning.Convert) -> None:
        self.value(term.of)
        inner = term.of.type
        if term.type is BOOL or not (term.type.least <= inner.least and inner.most <= term.type.most):
            self._wrap(term.type)

    def _compute(self, term: meaning.Compute) -> None:
        self.value(term.left)
        self.value(term.right)
        if term.operator in "/%":
            self.code.emit((_UNSIGNED if term.type is ULONG else _SIGNS)[term.operator])
        else:
            self.code.emit(_PLAIN[term.operator])
        if term.operator in "+-*/":
            self._wrap(term.type)

    def _shift(self, term: meaning.Shift) -> None:
        self.value(term.left)
        self.value(term.by)
        self.code.emit((_UNSIGNED if term.type is ULONG else _SIGNS)[term.operator])
        if term.operator == "<<":
            self._wrap(term.type)

    def _change(self, term: meaning.Change) -> None:
        self.value(term.of)
        self.code.emit("negate" if term.operator == "-" else "complement")
        self._wrap(term.type)

    def _compare(self, term: meaning.Compare) -> None:
        self.value(term.left)
        self.value(term.right)
        name, turned = _COMPARE[term.operator]
        unsigned = term.left.type is ULONG and name != "equal"
        self.code.emit(f"unsigned_{name}" if unsigned else name)
        if turned:
            self.code.emit("not")

    def _logic(self, term: meaning.Logic) -> None:
        end = Label()
        self.value(term.left)
        self.code.forward("both" if term.operator == "&&" else "either", end)
        self.value(term.right)
        self.code.here(end)

    def _not(self, term: meaning.Not) -> None:
        self.value(term.of)
        self.code.emit("not")

    def _choice(self, term: meaning.Choice) -> None:
        otherwise, end = Label(), Label()
        self.value(term.condition)
        self.code.forward("unless", otherwise)
        self.value(term.then)
        self.code.forward("jump", end)
        self.code.here(otherwise)
        self.value(term.otherwise)
        self.code.here(end)

    def _invoke(self, term: meaning.Invoke) -> None:
        for argument in term.arguments:
            self.value(argument)
        if term.function.name == "abs":
            if len(term.arguments) == 1:
                self.code.push(0)
            self.code.emit("distance16" if term.type is INT else "distance32")
        else:
            self._call(term.function)

    _TERMS = {
        meaning.Fixed: _fixed,
        meaning.Read: _read,
        meaning.Known: _known,
        meaning.ThisNode: lambda self, _: self.code.emit("node"),
        meaning.Element: _read,
        meaning.FieldOf: _read,
        meaning.Convert: _convert,
        meaning.Compute: _compute,
        meaning.Shift: _shift,
        meaning.Change: _change,
        meaning.Compare: _compare,
        meaning.Logic: _logic,
        meaning.Not: _not,
        meaning.Choice: _choice,
        meaning.Invoke: _invoke,
    }


def _require_number(kind: Type) -> None:
    if not isinstance(kind, Scalar):
        what = "a whole vector" if isinstance(kind, Vector) else "a whole record"
        raise Refused(f"{what} is copied", "copy its numbers one by one")
    if not kind.is_integer and kind.name != "void":
        raise Refused(f"it computes with a {kind}", _NUMBERS)


def _refuse_vector() -> None:
    raise Refused(
        "only a run knows which element of a vector of vectors or records it is",
        "bytecode computes the index of vectors of numbers only",
    )
