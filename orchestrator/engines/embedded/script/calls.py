# SPDX-License-Identifier: Apache-2.0
"""Compiles the calls of a script that runs natively, its logging among them (see compiler.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.csc.script import literal
from orchestrator.engines.embedded.script.expressions import SIDE_EFFECTS, Expressions
from orchestrator.engines.embedded.script.names import NotNative

if TYPE_CHECKING:
    from tree_sitter import Node

# Methods, and the least and most arguments that they take.
_METHODS = {
    "contains": (1, 1),
    "startsWith": (1, 1),
    "endsWith": (1, 1),
    "equals": (1, 1),
    "equalsIgnoreCase": (1, 1),
    "isEmpty": (0, 0),
    "indexOf": (1, 2),
    "lastIndexOf": (1, 1),
    "trim": (0, 0),
    "substring": (1, 2),
    "substr": (1, 2),
    "slice": (0, 2),
    "charAt": (1, 1),
    "charCodeAt": (1, 1),
    "toLowerCase": (0, 0),
    "toUpperCase": (0, 0),
    "concat": (1, 20),
    "split": (1, 1),
    "replace": (2, 2),
    "push": (1, 20),
    "pop": (0, 0),
    "shift": (0, 0),
    "join": (0, 1),
    "length": (0, 0),
}
# Methods whose result is a text, whatever their arguments are.
_OF_TEXT = frozenset("trim substring substr charAt toLowerCase toUpperCase replace join".split())
_FUNCTIONS = {
    "Math.floor": 1,
    "Math.ceil": 1,
    "Math.abs": 1,
    "Math.round": 1,
    "Math.max": 2,
    "Math.min": 2,
    "parseInt": 1,
    "parseFloat": 1,
    "Number": 1,
    "isNaN": 1,
    "String": 1,
}


class Calls(Expressions):
    """Calls, as expressions and as statements."""

    def is_call(self, node: Node, name: str, count: int) -> bool:
        return (
            node.type == "call_expression"
            and self.said_of(node, "function") == name
            and len(self._arguments(node)) == count
        )

    def _arguments(self, node: Node) -> list:
        given = node.child_by_field_name("arguments")
        if given.type != "arguments":
            raise NotNative("a call")
        return [one for one in given.named_children if one.type != "comment"]

    def _statement_call(self, node: Node) -> bool:
        """Compile a call that is a statement; return False if it needs no special treatment."""
        called, given = (
            "".join(self.said_of(node, "function").split()),
            self._arguments(node),
        )
        if called == "log.log" and len(given) == 1:
            self._log(given[0])
        elif called == "sim.setSpeedLimit" and len(given) == 1 and given[0].type == "number":
            pass  # it counts only in paced runs, whose scripts are interpreted
        elif called == "global.put" and len(given) == 2 and given[0].type == "string":
            self.value(given[1])
            self.emit("store", self.null(f"global {literal(self.said(given[0]))}"))
        else:
            return False
        return True

    def _log(self, node: Node) -> None:
        parts = self._parts(node) if self._is_text(node) else [node]
        if any(
            one.type == "call_expression" and self.said_of(one, "function") in self.functions
            for part in parts
            for one in self.walk(part)
        ):
            parts = [node]  # the script's functions may log or wait
        for one in parts:
            self.value(one)
            self.emit("log" if len(parts) == 1 else "say")

    def _is_text(self, node: Node) -> bool:
        """Say whether an expression is a text, whatever the values of its parts are."""
        node = self.bare(node)
        if node.type in ("string", "template_string"):
            return True
        if node.type == "binary_expression" and self.said_of(node, "operator") == "+":
            return self._is_text(node.child_by_field_name("left")) or self._is_text(
                node.child_by_field_name("right")
            )
        if node.type == "call_expression":
            called = node.child_by_field_name("function")
            return called.type == "member_expression" and self.said_of(called, "property") in _OF_TEXT
        return node.type == "identifier" and self.said(node) == "msg" and self.scope.find("msg") is None

    def _parts(self, node: Node) -> list:
        """Return the operands of a text's concatenation, in their order."""
        node = self.bare(node)
        if node.type != "binary_expression" or self.said_of(node, "operator") != "+":
            return [node]
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        return (self._parts(left) if self._is_text(left) else [left]) + (
            self._parts(right) if self._is_text(right) else [right]
        )

    def _of_call_expression(self, node: Node) -> None:
        called, given = node.child_by_field_name("function"), self._arguments(node)
        name = "".join(self.said(called).split())
        if called.type == "identifier" and self.scope.find(name) is None and name in self.functions:
            for one in given:
                self.value(one)
            if len(given) > 100:
                raise NotNative("so many arguments")
            self.emit("call", self.functions[name].label, len(given))
        elif name in ("sim.getMotesCount",) and not given:
            self.emit("motes")
        elif name == "global.get" and len(given) == 1 and given[0].type == "string":
            self.emit("load", self.null(f"global {literal(self.said(given[0]))}"))
        elif name == "Object.keys" and len(given) == 1:
            self.value(given[0])
            self.emit("keys")
        elif name in _FUNCTIONS and self.scope.find(name) is None:
            if name == "parseInt" and len(given) == 2 and self.said(given[1]) == "10":
                given = given[:1]
            if len(given) != _FUNCTIONS[name]:
                raise NotNative(name)
            for one in given:
                self.value(one)
            self.emit("function", name, len(given))
        elif called.type == "member_expression":
            self._method(called, given)
        else:
            raise NotNative(name)

    def _method(self, called: Node, given: list) -> None:
        of, name = called.child_by_field_name("object"), self.said_of(called, "property")
        if name == "hasOwnProperty" and len(given) == 1:
            if SIDE_EFFECTS.search(self.said(given[0]) + self.said(of)):
                raise NotNative("what may be evaluated in another order")
            self.value(given[0])
            self.value(of)
            self.emit("has")
            return
        least, most = _METHODS.get(name, (1, 0))
        if not least <= len(given) <= most or self.said(of) in ("id", "time") or of.type == "number":
            raise NotNative(name)
        self.value(of)
        for one in given:
            self.value(one)
        self.emit("method", name, len(given))
