# SPDX-License-Identifier: Apache-2.0
"""Compiles the expressions of a script that runs natively (see compiler.py)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.csc.script import literal
from orchestrator.engines.embedded.script.assembler import Assembler
from orchestrator.engines.embedded.script.names import NotNative

if TYPE_CHECKING:
    from tree_sitter import Node

_OPERATORS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "%": "remainder",
    "&": "bits_and",
    "|": "bits_or",
    "^": "bits_xor",
    "<<": "shift_left",
    ">>": "shift_right",
    ">>>": "shift_unsigned",
    "==": "equal",
    "===": "identical",
    "<": "less",
    "<=": "less_or_same",
    ">": "more",
    ">=": "more_or_same",
    "in": "has",
}
_NEGATED = {"!=": "equal", "!==": "identical"}
_UNARY = {"!": "not", "-": "negate", "+": "to_number", "~": "bits_not", "typeof": "kind_of"}
_CONSTANTS = {"true": "true", "false": "false", "null": "null", "undefined": "undefined"}
_NUMBER = re.compile(r"(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+|0[xX][0-9a-fA-F]{1,13}|0[0-7]{1,15}")
_LONGEST_TEXT = 7000  # bytes; a line of the description must hold its digits
SIDE_EFFECTS = re.compile(r"[(=]|\+\+|--")


class Expressions(Assembler):
    """Makes instructions that leave an expression's value on the stack, or only have its effect."""

    def effect(self, node: Node) -> None:
        """Compile an expression for its effect only."""
        node = self.bare(node)
        if node.type == "update_expression":
            self._update(node, wanted=False)
        elif node.type == "sequence_expression":
            for one in node.named_children:
                self.effect(one)
        elif not (node.type == "call_expression" and self._statement_call(node)):
            self.value(node)
            self.emit("drop")

    def value(self, node: Node) -> None:
        handler = getattr(self, f"_of_{node.type}", None)
        if handler is None:
            raise NotNative(node.type)
        handler(node)

    def _of_parenthesized_expression(self, node: Node) -> None:
        self.value(self.bare(node))

    def _of_sequence_expression(self, node: Node) -> None:
        *first, last = node.named_children
        for one in first:
            self.effect(one)
        self.value(last)

    def _of_number(self, node: Node) -> None:
        said = self.said(node)
        if not _NUMBER.fullmatch(said):
            raise NotNative(said)
        if said[:2] in ("0x", "0X"):
            self.emit("number", float(int(said, 16)))
        elif len(said) > 1 and said[0] == "0" and said.isdigit():
            self.emit("number", float(int(said, 8)))
        else:
            number = float(said)
            if number > 1e300:
                raise NotNative(said)
            self.emit("number", number)

    def _of_string(self, node: Node) -> None:
        self._say(literal(self.said(node)))

    def _say(self, text: str | None) -> None:
        if (
            text is None
            or any("\ud800" <= letter <= "\udfff" for letter in text)
            or len(text.encode()) > _LONGEST_TEXT
        ):
            raise NotNative("a text")
        self.emit("text", text)

    def _of_template_string(self, node: Node) -> None:
        self._say("")
        for one in node.named_children:
            if one.type == "template_substitution":
                self.value(one.named_children[0])
            elif one.type == "string_fragment":
                self._say(self.said(one))
            else:
                raise NotNative("an escape in a template")
            self.emit("add")

    def _constant(self, node: Node) -> None:
        self.emit(_CONSTANTS[node.type])

    _of_true = _of_false = _of_null = _of_undefined = _constant

    def _of_identifier(self, node: Node) -> None:
        name = self.said(node)
        if self.scope.find(name) is None and name in ("id", "time", "msg"):
            self.emit(name)
        elif self.scope.find(name) is None and name == "undefined":
            self.emit(name)
        else:
            self.load(name)

    def _of_binary_expression(self, node: Node) -> None:
        operator = self.said_of(node, "operator")
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if operator in ("&&", "||"):
            self.value(left)
            self.emit("and" if operator == "&&" else "or", end := self.new_label())
            self.value(right)
            self.emit_label(end)
            return
        instruction = _OPERATORS.get(operator) or _NEGATED.get(operator)
        if instruction is None:
            raise NotNative(operator)
        self.value(left)
        self.value(right)
        self.emit(instruction)
        if operator in _NEGATED:
            self.emit("not")

    def _of_unary_expression(self, node: Node) -> None:
        operator, operand = (
            self.said_of(node, "operator"),
            self.bare(node.child_by_field_name("argument")),
        )
        if operator == "delete" and operand.type in ("subscript_expression", "member_expression"):
            self._part(operand)
            self.emit("delete")
            return
        if operator not in _UNARY:
            raise NotNative(operator)
        self.value(operand)
        self.emit(_UNARY[operator])

    def _of_ternary_expression(self, node: Node) -> None:
        self.value(node.child_by_field_name("condition"))
        self.emit("jump_unless", otherwise := self.new_label())
        self.value(node.child_by_field_name("consequence"))
        self.emit("jump", end := self.new_label())
        self.emit_label(otherwise)
        self.value(node.child_by_field_name("alternative"))
        self.emit_label(end)

    def _of_assignment_expression(self, node: Node) -> None:
        left, right = self.bare(node.child_by_field_name("left")), node.child_by_field_name("right")
        if left.type == "identifier":
            self.value(right)
            self.emit("copy")
            self.store(self.said(left), left)
        else:
            self._part(left)
            self.value(right)
            self.emit("set", self._is_kept(left, right))

    def _is_kept(self, left: Node, right: Node) -> int:
        """Treat a long that is stored in a numbered place as csc/nashorn.py does."""
        from orchestrator.csc import nashorn

        if left.type != "subscript_expression" or not nashorn.STORED.search(self.said(right)):
            return 0
        return int(not SIDE_EFFECTS.search(self.said_of(left, "object") + self.said_of(left, "index")))

    def _of_augmented_assignment_expression(self, node: Node) -> None:
        left, right = self.bare(node.child_by_field_name("left")), node.child_by_field_name("right")
        instruction = _OPERATORS.get(self.said_of(node, "operator")[:-1])
        if instruction is None:
            raise NotNative("an assignment")
        if left.type == "identifier":
            self.value(left)
        else:
            self._part(left)
            self.emit("copy_two")
            self.emit("get")
        self.value(right)
        self.emit(instruction)
        if left.type == "identifier":
            self.emit("copy")
            self.store(self.said(left), left)
        else:
            self.emit("set", 0)

    def _of_update_expression(self, node: Node) -> None:
        self._update(node, wanted=True)

    def _update(self, node: Node, wanted: bool) -> None:
        operand = self.bare(node.child_by_field_name("argument"))
        operator = self.said_of(node, "operator")
        before = node.child_by_field_name("operator").start_byte < operand.start_byte
        if operand.type != "identifier":
            if wanted and not before:
                raise NotNative("the value before ++ of a part")
            self._part(operand)
            self.emit("copy_two")
            self.emit("get")
        else:
            self.value(operand)
        self.emit("to_number")
        if wanted and not before:
            self.emit("copy")
        self.emit("number", 1.0)
        self.emit("add" if operator == "++" else "subtract")
        if operand.type != "identifier":
            self.emit("set", 0)
            if not wanted:
                self.emit("drop")
            return
        if wanted and before:
            self.emit("copy")
        self.store(self.said(operand), operand)

    def _part(self, node: Node) -> None:
        """Push the object and the key of a part."""
        if self.said_of(node, "object") in ("id", "time", "msg"):
            raise NotNative("a part of a text or a number")
        self.value(node.child_by_field_name("object"))
        if node.type == "subscript_expression":
            self.value(node.child_by_field_name("index"))
        elif node.type == "member_expression":
            self._say(self.said_of(node, "property"))
        else:
            raise NotNative(node.type)

    def _of_subscript_expression(self, node: Node) -> None:
        self._part(node)
        self.emit("get")

    def _of_member_expression(self, node: Node) -> None:
        said = "".join(self.said(node).split())
        if said in ("sim.getMotes().length", "sim.motes.length"):
            self.emit("motes")
        elif self.said_of(node, "property") == "length":
            self.value(node.child_by_field_name("object"))
            self.emit("length")
        else:
            self._part(node)
            self.emit("get")

    def _of_array(self, node: Node) -> None:
        values = [one for one in node.named_children if one.type != "comment"]
        commas = sum(one.type == "," for one in node.children)
        if commas != max(0, len(values) - 1) or len(values) > 200:
            raise NotNative("a list with a gap")
        for one in values:
            self.value(one)
        self.emit("list", len(values))

    def _of_object(self, node: Node) -> None:
        self.emit("map")
        for one in node.named_children:
            key = one.child_by_field_name("key") if one.type == "pair" else None
            if key is None or key.type not in ("property_identifier", "string", "number"):
                raise NotNative("an object")
            self.emit("copy")
            if key.type == "property_identifier":
                self._say(self.said(key))
            else:
                self.value(key)
            self.value(one.child_by_field_name("value"))
            self.emit("set", 0)
            self.emit("drop")
