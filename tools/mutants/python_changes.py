# SPDX-License-Identifier: Apache-2.0
"""Changes of a Python file: Cosmic Ray's operators, and a statement left out, which it lacks.

Of its operators those are left out that mostly make what no test could tell (a number in a decorator, `==`
into `is`) or what every test does (a decorator gone).
"""

from __future__ import annotations

from collections.abc import Iterator

from tools.mutants.change import Change, between

_ORDER = ("Lt", "LtE", "Gt", "GtE")
_COMPARISONS = [f"{one}_{other}" for one in _ORDER for other in _ORDER if one != other] + [
    "Eq_NotEq",
    "NotEq_Eq",
    "Is_IsNot",
    "IsNot_Is",
]
_ARITHMETIC = ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul", "Mod_Mul")
KINDS = {  # what it is called -> Cosmic Ray's operators
    "comparison": [f"ReplaceComparisonOperator_{name}" for name in _COMPARISONS],
    "condition": ["AddNot", "ReplaceUnaryOperator_Delete_Not"],
    "and-or": ["ReplaceAndWithOr", "ReplaceOrWithAnd"],
    "arithmetic": [f"ReplaceBinaryOperator_{name}" for name in _ARITHMETIC],
    "number": ["NumberReplacer"],
    "truth": ["ReplaceTrueWithFalse", "ReplaceFalseWithTrue"],
    "loop": ["ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ZeroIterationForLoop"],
    "statement": [],
}
_DECLARED = ("decorator", "annassign", "tfpdef", "import_from", "import_name")
_FOR_TYPES = "if TYPE_CHECKING:"
# `zip(strict=True)` says of sequences that they are equally long by construction, and is no check of input;
# `timeout=300` is for what hangs, and any number of its order serves: a test would have to wait as long.
_ASSURANCES = ("strict", "timeout")


def changes(file: str, text: str) -> dict[str, list]:
    """For each kind, what makes a Change when it is called."""
    found: dict[str, list] = {}
    for kind, places in _places(text):
        found.setdefault(kind, []).extend(places)
    return {
        kind: [lambda place=place, kind=kind: _change(file, kind, text, place) for place in places]
        for kind, places in found.items()
    }


def _places(text: str) -> Iterator[tuple[str, list]]:
    """The kinds with (operator, occurrence) of each place: an operator's occurrences are counted over the
    whole file.
    """
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.operators.provider import OperatorProvider

    known = OperatorProvider()
    nodes = [(node, _is_declared(node)) for node in ast_nodes(get_ast(text))]
    operators = [(kind, known[name]()) for kind, names in KINDS.items() for name in names] + [
        ("statement", _leaves_out()())
    ]
    for kind, operator in operators:
        counted, places = 0, []
        for node, declared in nodes:
            for _ in operator.mutation_positions(node):
                if not declared:
                    places.append((operator, counted))
                counted += 1
        yield kind, places


def _is_declared(node) -> bool:
    """Whether it is part of a decorator, an annotation or an import, the `*` in front of keywords, or an
    assurance.
    """
    if node.type == "if_stmt" and node.get_code(include_prefix=False).startswith(_FOR_TYPES):
        return True
    if node.type == "operator" and node.parent.type in ("parameters", "lambdef"):
        return True
    if node.parent is not None and node.parent.type == "argument":
        name = node.parent.children[0]
        if name is not node and name.type == "name" and name.value in _ASSURANCES:
            return True
    while node is not None:
        if node.type in _DECLARED and not (
            node.type in ("annassign", "tfpdef")
            and "=" in [leaf.get_code().strip() for leaf in node.children]
        ):
            return True
        node = node.parent
    return False


def _change(file: str, kind: str, text: str, place) -> Change | None:
    from cosmic_ray.mutating import mutate_code

    made = mutate_code(text, *place)
    try:
        compile(made, file, "exec")
    except (SyntaxError, ValueError):
        return None  # not counted: it isn't Python
    change = between(file, kind, text, made)
    return None if change.before == change.after else change


def _leaves_out():
    from cosmic_ray.operators.operator import Operator
    from parso.python.tree import Keyword

    class LeavesOut(Operator):
        """A statement of a function becomes `pass`."""

        def mutation_positions(self, node):
            if node.type == "simple_stmt" and _is_work(node):
                yield node.start_pos, node.end_pos

        def mutate(self, node, index):
            first = node.get_first_leaf()
            node.children = [Keyword("pass", first.start_pos, prefix=first.prefix), node.children[-1]]
            return node

        @classmethod
        def examples(cls):
            return ()

    return LeavesOut


def _is_work(node) -> bool:
    """Whether it does anything: no documentation, nothing that is imported, and inside of a function."""
    if node.children[0].type in (
        "string",
        "strings",
        "import_name",
        "import_from",
        "global_stmt",
        "nonlocal_stmt",
        "assert_stmt",
    ):
        return False
    if node.children[0].get_code().strip() in ("pass", "...", "return None"):
        return False
    while node is not None and node.type != "funcdef":
        node = node.parent
    return node is not None
