# SPDX-License-Identifier: Apache-2.0
"""Compiles the statements of a script that runs natively (see compiler.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.engines.embedded.script.calls import Calls
from orchestrator.engines.embedded.script.names import RESERVED, Function, NotNative, Scope

if TYPE_CHECKING:
    from tree_sitter import Node


class Statements(Calls):
    """Statements, each compiled by the method with the name of its node in the syntax tree."""

    def __init__(self) -> None:
        super().__init__()
        # The `var`s of all functions. A script that has a `let` of the same name runs in an interpreter.
        self._vars: set[str] = set()

    def statements(self, block: Node) -> None:
        """Compile the statements of a block, of a function's body or of the script."""
        for node in block.named_children:
            if node.type == "lexical_declaration":
                self.scope.later |= {self.said_of(one, "name") for one in node.named_children}
        for node in block.named_children:
            self._statement(node)

    def _statement(self, node: Node) -> None:
        handler = getattr(self, f"_do_{node.type}", None)
        if handler is None:
            raise NotNative(node.type)
        handler(node)

    def _do_comment(self, node: Node) -> None:
        pass

    _do_empty_statement = _do_comment

    def _do_function_declaration(self, node: Node) -> None:
        function = self.functions.get(self.said_of(node, "name"))
        if function is None or function.node != node:
            raise NotNative("a function in a block")

    def _do_statement_block(self, node: Node) -> None:
        self.scope = Scope(outer=self.scope, block=True)
        self.statements(node)
        self.scope = self.scope.outer

    def _do_expression_statement(self, node: Node) -> None:
        expression = self.bare(node.named_children[0])
        if expression.type == "string":
            raise NotNative("use strict")
        if self.is_call(expression, "YIELD", 0):
            if self.in_timeout:
                raise NotNative("a wait at the time-out")
            self.emit("wait")
        elif not self._sets_timeout_function(expression):
            self.effect(expression)

    def _sets_timeout_function(self, node: Node) -> bool:
        if node.type != "assignment_expression" or self.said_of(node, "left") != "timeout_function":
            return False
        value = node.child_by_field_name("right")
        if (
            value.type != "function_expression"
            or self.timeout_function is not None
            or self.function is not None
            or self.in_timeout
        ):
            raise NotNative("timeout_function")
        if (
            value.child_by_field_name("name") is not None
            or value.child_by_field_name("parameters").named_child_count
        ):
            raise NotNative("timeout_function with a name or parameters")
        if self.scope.block or any(self.said(one) == "YIELD" for one in self.walk(value)):
            raise NotNative("timeout_function in a block, or one that waits")
        self.timeout_function = Function(self.new_label(), value)
        self.emit("true")
        self.emit("store", self.null("timeout_function"))
        return True

    def _do_variable_declaration(self, node: Node) -> None:
        for one in node.named_children:
            name, value = one.child_by_field_name("name"), one.child_by_field_name("value")
            if value is not None:
                self.value(value)
                self.store(self.said(name), name)

    def _do_lexical_declaration(self, node: Node) -> None:
        for one in node.named_children:
            name, value = one.child_by_field_name("name"), one.child_by_field_name("value")
            constant = node.children[0].type == "const"
            if name.type != "identifier" or self.said(name) in RESERVED or (constant and value is None):
                raise NotNative("a declaration")
            if (
                self.said(name) in self.scope.names
                or self.said(name) in self.functions
                or self.said(name) in self._vars
            ):
                raise NotNative("a name declared twice")
            if value is None:
                self.emit("undefined")
            else:
                self.value(value)
            self.scope.declare(self.said(name), constant=constant, unassigned=True)
            self.store(self.said(name), name, first=True)

    def _do_if_statement(self, node: Node) -> None:
        self.value(node.child_by_field_name("condition"))
        self.emit("jump_unless", otherwise := self.new_label())
        self._branch(node.child_by_field_name("consequence"))
        alternative = node.child_by_field_name("alternative")
        if alternative is not None:
            self.emit("jump", end := self.new_label())
            self.emit_label(otherwise)
            self._branch(alternative.named_children[-1])
            self.emit_label(end)
        else:
            self.emit_label(otherwise)

    def _branch(self, node: Node) -> None:
        if node.type in ("lexical_declaration", "function_declaration"):
            raise NotNative("a declaration as a branch")
        self._statement(node)

    def _loop(self, body: Node, again: int, end: int) -> None:
        self.loops.append((again, end))
        self._branch(body)
        self.loops.pop()

    def _do_while_statement(self, node: Node) -> None:
        begin, end = self.label(), self.new_label()
        self._unless(node.child_by_field_name("condition"), end)
        self._loop(node.child_by_field_name("body"), begin, end)
        self.emit("jump", begin)
        self.emit_label(end)

    def _unless(self, condition: Node, end: int) -> None:
        inner = self.bare(condition)
        if self.said(inner) not in ("true", "1"):
            self.value(inner)
            self.emit("jump_unless", end)

    def _do_do_statement(self, node: Node) -> None:
        begin, again, end = self.label(), self.new_label(), self.new_label()
        self._loop(node.child_by_field_name("body"), again, end)
        self.emit_label(again)
        self.value(node.child_by_field_name("condition"))
        self.emit("jump_if", begin)
        self.emit_label(end)

    def _do_for_statement(self, node: Node) -> None:
        initializer, condition, increment = (
            node.child_by_field_name(field) for field in ("initializer", "condition", "increment")
        )
        self.scope = Scope(outer=self.scope, block=True)
        if initializer is not None and initializer.type in (
            "variable_declaration",
            "lexical_declaration",
            "empty_statement",
            "expression_statement",
        ):
            self._statement(initializer)
        elif initializer is not None:
            self.effect(initializer)
        begin, again, end = self.label(), self.new_label(), self.new_label()
        if condition is not None and condition.type != "empty_statement":
            self._unless(
                condition.named_children[0] if condition.type == "expression_statement" else condition, end
            )
        self._loop(node.child_by_field_name("body"), again, end)
        self.emit_label(again)
        if increment is not None:
            self.effect(increment)
        self.emit("jump", begin)
        self.emit_label(end)
        self.scope = self.scope.outer

    def _do_for_in_statement(self, node: Node) -> None:
        """Compile a loop over the keys that an object has at first and that are not deleted meanwhile."""
        left, kind = node.child_by_field_name("left"), node.child_by_field_name("kind")
        if self.said_of(node, "operator") != "in" or left.type != "identifier":
            raise NotNative("for ... of")
        first = node.child_by_field_name("value")
        if first is not None:
            if self.said(kind) != "var":
                raise NotNative("a first value that is no var's")
            self.value(first)
            self.store(self.said(left), left)
        self.scope = Scope(outer=self.scope, block=True)
        of, keys, place = (self.scope.hidden() for _ in range(3))
        self.value(node.child_by_field_name("right"))
        self.emit("copy")
        self.store_at(of)
        self.emit("keys")
        self.store_at(keys)
        self.emit("number", 0.0)
        self.store_at(place)
        if kind is not None and self.said(kind) != "var":
            self.scope.declare(self.said(left), constant=self.said(kind) == "const", unassigned=True)
        begin, end = self.label(), self.new_label()
        self.load_at(place)
        self.load_at(keys)
        self.emit("length")
        self.emit("less")
        self.emit("jump_unless", end)
        self.load_at(keys)
        self.load_at(place)
        self.emit("get")
        self.store(self.said(left), left, first=True)
        self.load_at(place)
        self.emit("number", 1.0)
        self.emit("add")
        self.store_at(place)
        self.load(self.said(left), left)
        self.load_at(of)
        self.emit("has")
        self.emit("jump_unless", begin)
        self._loop(node.child_by_field_name("body"), begin, end)
        self.emit("jump", begin)
        self.emit_label(end)
        self.scope = self.scope.outer

    def _do_switch_statement(self, node: Node) -> None:
        """Compile a switch whose cases are literals, which have no effect but the comparison."""
        self.scope = Scope(outer=self.scope, block=True)
        value, end = self.scope.hidden(), self.new_label()
        self.value(node.child_by_field_name("value"))
        self.store_at(value)
        cases = [one for one in node.child_by_field_name("body").named_children if one.type != "comment"]
        labels, default = [self.new_label() for _ in cases], end
        for one, label in zip(cases, labels, strict=True):
            if one.type == "switch_default":
                default = label
                continue
            literal = one.child_by_field_name("value")
            if literal.type not in ("number", "string"):
                raise NotNative("a case that is no literal")
            self.load_at(value)
            if literal.type == "number":
                self.emit("no_long")
            self.value(literal)
            self.emit("identical")
            self.emit("jump_if", label)
        self.emit("jump", default)
        for one, label in zip(cases, labels, strict=True):
            self.emit_label(label)
            for inner in one.children_by_field_name("body"):
                if inner.type == "lexical_declaration":
                    raise NotNative("a declaration in a case")
                self.loops.append((self.loops[-1][0] if self.loops else None, end))
                self._statement(inner)
                self.loops.pop()
        self.emit_label(end)
        self.scope = self.scope.outer

    def _do_break_statement(self, node: Node) -> None:
        self._leave(node, 1)

    def _do_continue_statement(self, node: Node) -> None:
        self._leave(node, 0)

    def _leave(self, node: Node, which: int) -> None:
        if node.named_child_count or not self.loops or self.loops[-1][which] is None:
            raise NotNative("a label, or no loop")
        self.emit("jump", self.loops[-1][which])

    def _do_return_statement(self, node: Node) -> None:
        if self.function is None:
            raise NotNative("a return of the script's own")
        if node.named_child_count:
            self.value(node.named_children[0])
        else:
            self.emit("undefined")
        self.emit("give_back")

    def _do_throw_statement(self, node: Node) -> None:
        said = "".join(self.said(node).split()).removesuffix(";")
        if said not in ("thrownewTestOK()", "thrownewTestFailed()"):
            raise NotNative("throw")
        self.emit("ok" if said == "thrownewTestOK()" else "failed")
