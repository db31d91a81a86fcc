# SPDX-License-Identifier: Apache-2.0
"""Translates conditions for Z3: integers are bit vectors, so that what wraps on a mote wraps here."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from orchestrator.features.policies import arithmetic, meaning
from orchestrator.features.policies.checks.unknowns import Example, unknown, unknowns
from orchestrator.features.policies.meaning import Fixed, Term
from orchestrator.features.policies.types import BOOL, Scalar

EFFORT = 500_000  # of one question, in Z3's deterministic units of work: some tenths of a second
_UNSIGNED = {"<": z3.ULT, "<=": z3.ULE, ">": z3.UGT, ">=": z3.UGE}


def example(conditions: Sequence[Term]) -> Example:
    """Return values with which all of the conditions hold, or the proof that there are none."""
    solver = z3.Solver()
    solver.set("rlimit", EFFORT)
    asked = _Asked()
    for condition in conditions:
        solver.add(asked.truth(condition))
    answer = solver.check()
    if answer == z3.sat:
        solution = solver.model()
        names = unknowns(conditions)
        values = {
            names[term]: _as_number(solution.eval(symbol, model_completion=True), term.type)
            for term, symbol in asked.symbols.items()
            if term in names
        }
        return Example(values, never=False)
    return Example(None, never=answer == z3.unsat)


def _as_number(value: z3.ExprRef, kind: Scalar) -> int:
    if z3.is_bool(value):
        return int(z3.is_true(value))
    return value.as_signed_long() if kind.is_signed else value.as_long()


class _Asked:
    """Makes Z3 terms. A term that Z3 doesn't compute becomes a symbol of its type."""

    def __init__(self) -> None:
        self.symbols: dict[Term, z3.ExprRef] = {}

    def truth(self, term: Term) -> z3.BoolRef:
        """Return a term of type bool."""
        match term:
            case Fixed():
                return z3.BoolVal(bool(term.value))
            case meaning.Not():
                return z3.Not(self.truth(term.of))
            case meaning.Logic():
                join = z3.And if term.operator == "&&" else z3.Or
                return join(self.truth(term.left), self.truth(term.right))
            case meaning.Compare() if _integer(term.left.type):
                return self._compare(term)
            case meaning.Convert() if term.of.type is BOOL:
                return self.truth(term.of)
            case meaning.Convert() if _integer(term.of.type):
                return self.number(term.of) != 0
            case meaning.Choice():
                return z3.If(self.truth(term.condition), self.truth(term.then), self.truth(term.otherwise))
        return self._symbol(term)

    def _symbol(self, term: Term) -> z3.ExprRef:
        if term not in self.symbols:
            name = f"u{len(self.symbols)}"
            integer = _integer(term.type) and term.type is not BOOL
            self.symbols[term] = z3.BitVec(name, term.type.bits) if integer else z3.Bool(name)
        return self.symbols[term]

    def _compare(self, term: meaning.Compare) -> z3.BoolRef:
        if term.left.type is BOOL:
            same = self.truth(term.left) == self.truth(term.right)
            return same if term.operator == "==" else z3.Not(same)
        compare = arithmetic.COMPARE | ({} if term.left.type.is_signed else _UNSIGNED)
        return compare[term.operator](self.number(term.left), self.number(term.right))

    def number(self, term: Term) -> z3.BitVecRef:
        """Return a term of an integer type."""
        bits = term.type.bits
        if isinstance(term, Fixed):
            return z3.BitVecVal(term.value, bits)
        if term.type is BOOL:
            return z3.If(self.truth(term), z3.BitVecVal(1, 16), z3.BitVecVal(0, 16))
        if unknown(term):
            return self._symbol(term)
        match term:
            case meaning.Convert() if term.of.type is BOOL:
                return z3.If(self.truth(term.of), z3.BitVecVal(1, bits), z3.BitVecVal(0, bits))
            case meaning.Convert() if _integer(term.of.type):
                return self._resized(self.number(term.of), term.of.type, bits)
            case meaning.Compute() if term.operator in "+-*&|^":
                return arithmetic.PLAIN[term.operator](self.number(term.left), self.number(term.right))
            case meaning.Change():
                inner = self.number(term.of)
                return -inner if term.operator == "-" else ~inner
            case meaning.Choice():
                return z3.If(self.truth(term.condition), self.number(term.then), self.number(term.otherwise))
            case meaning.Invoke():
                return self._distance(term, bits)
        return self._symbol(term)

    @staticmethod
    def _resized(value: z3.BitVecRef, source: Scalar, bits: int) -> z3.BitVecRef:
        if bits <= source.bits:
            return z3.Extract(bits - 1, 0, value)
        return (z3.SignExt if source.is_signed else z3.ZeroExt)(bits - source.bits, value)

    def _distance(self, term: meaning.Invoke, bits: int) -> z3.BitVecRef:
        """Return the distance of two integers (abs), at most the largest number."""
        argument = self.number(term.arguments[0])
        other = self.number(term.arguments[1]) if term.arguments[1:] else z3.BitVecVal(0, bits)
        wide = z3.SignExt(1, argument) - z3.SignExt(1, other)
        wide = z3.If(wide < 0, -wide, wide)
        most = z3.BitVecVal((1 << bits - 1) - 1, bits + 1)
        return z3.Extract(bits - 1, 0, z3.If(wide > most, most, wide))


def _integer(kind: object) -> bool:
    return isinstance(kind, Scalar) and kind.is_integer
