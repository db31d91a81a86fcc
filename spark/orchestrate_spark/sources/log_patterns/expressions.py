# SPDX-License-Identifier: Apache-2.0
"""Arithmetic over the groups of a pattern, such as `100 * (tx + rx) / total`: read, checked and computed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

MOST_LENGTH = 400
_OPERATORS = {ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__", ast.Div: "__truediv__"}


def names(text: str) -> list[str]:
    """Return the names in an expression, in their order. Raises ValueError with what is wrong with it."""
    return list(dict.fromkeys(node.id for node in ast.walk(_parsed(text)) if isinstance(node, ast.Name)))


def column(text: str) -> pl.Expr:
    """Return the expression over columns of these names, as doubles; what can't be divided is null."""
    import polars as pl

    def of(node: ast.expr) -> pl.Expr:
        if isinstance(node, ast.Constant):
            return pl.lit(float(node.value))
        if isinstance(node, ast.Name):
            return pl.col(node.id).cast(pl.Float64)
        if isinstance(node, ast.UnaryOp):
            return -of(node.operand)
        return getattr(of(node.left), _OPERATORS[type(node.op)])(of(node.right))

    made = of(_parsed(text))
    return pl.when(made.is_finite()).then(made)


def _parsed(text: str) -> ast.expr:
    if len(text) > MOST_LENGTH:
        raise ValueError(f"it has more than {MOST_LENGTH} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError("it is no arithmetic expression") from None
    for node in ast.walk(tree):
        fits = (
            isinstance(node, ast.Name | ast.Load | ast.operator | ast.unaryop)
            or (isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS)
            or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub))
            or (isinstance(node, ast.Constant) and type(node.value) in (int, float))
        )
        if not fits:
            raise ValueError("it has more than names, numbers, + - * / and parentheses")
    return tree
