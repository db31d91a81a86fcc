# SPDX-License-Identifier: Apache-2.0
"""Compiles a script of common forms to the program that the kernel runs natively (kernel/script/program.h).

A script with any form that is not handled here runs in an interpreter. Faults that depend on values (a name
without a value, a method of something that is no string) are noticed by the kernel during the run; then the
run is made again with the interpreter. So a native program never gives another result.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from orchestrator.csc import macros
from orchestrator.csc import script as end_script
from orchestrator.csc.model import EndScript, JavaScript
from orchestrator.engines.embedded.script.names import RESERVED, Function, NotNative, Scope
from orchestrator.engines.embedded.script.statements import Statements

if TYPE_CHECKING:
    from tree_sitter import Node


def compiled(script: EndScript | JavaScript) -> list[str] | None:
    """Return the program's lines; None if the script needs an interpreter, which our own scripts never do."""
    return _compiled(end_script.write(script) if isinstance(script, EndScript) else script.text)


@lru_cache(maxsize=64)
def _compiled(text: str) -> list[str] | None:
    """Compile a script once for all runs that share it."""
    try:
        return _Script().program(macros.expand(text))
    except NotNative:
        return None


class _Script(Statements):
    """Compiles a script to a program: its code, its functions, the code for the time-out."""

    def program(self, expanded: macros.Expanded) -> list[str]:
        """Compile all of it; return the lines."""
        main, timeout = self.tree(expanded.code), self.tree(expanded.timeout_code)
        self.scope = Scope(variables=self.slots)
        self._functions_of(main)
        self._declare(main)
        self.statements(main)
        waits = self.label()
        self.emit("wait")
        self.emit("jump", waits)
        for function in list(self.functions.values()):
            self._function(function)
        # The code for the time-out does not see the script's names and functions.
        script, functions, self.functions = self.scope, self.functions, {}
        self.emit_label(at := self.label())
        self.scope = Scope(variables=self.slots)
        self.in_timeout = True
        self._declare(timeout)
        self.statements(timeout)
        if self.timeout_function is not None:
            self.emit("load", self.null("timeout_function"))
            self.emit("jump_unless", without := self.new_label())
            self.emit("call", self.timeout_function.label, 0)
            self.emit("drop")
            self.emit_label(without)
        self.emit("text", "TEST TIMEOUT\n")
        self.emit("log")
        self.emit("failed")
        if self.timeout_function is not None:
            self.functions, self.scope = functions, script
            self._function(self.timeout_function)
            self.emit("failed")  # never reached: a program ends with a verdict
        return self.lines(at)

    # Declarations

    def _functions_of(self, root: Node) -> None:
        for node in root.named_children:
            if node.type == "function_declaration":
                name = self.said_of(node, "name")
                if name in self.functions or name in RESERVED:
                    raise NotNative(name)
                self.functions[name] = Function(self.new_label(), node)

    def _declare(self, root: Node) -> None:
        """Declare the `var`s of the code or of a function's body, which are undefined at first."""
        for node in self.walk(root, into_functions=False):
            if node.type == "variable_declaration":
                for one in node.named_children:
                    self._declare_name(self.said_of(one, "name"))
            elif node.type == "for_in_statement":
                kind = node.child_by_field_name("kind")
                if kind is not None and self.said(kind) == "var":
                    self._declare_name(self.said_of(node, "left"))

    def _declare_name(self, name: str) -> None:
        self._vars.add(name)
        if name in RESERVED or name in self.functions:
            raise NotNative(f"a variable {name}")
        self.scope.declare(name)

    def _function(self, function: Function) -> None:
        node = function.node
        outer, self.function = self.scope, function
        self.scope = Scope(outer=outer, local=True)
        parameters = node.child_by_field_name("parameters").named_children
        for one in parameters:
            if (
                one.type != "identifier"
                or self.said(one) in self.scope.names
                or self.said(one) == "arguments"
            ):
                raise NotNative("a parameter")
            self.scope.declare(self.said(one))
        body = node.child_by_field_name("body")
        for one in body.named_children:
            if one.type == "function_declaration":
                raise NotNative("a function in a function")
        for name in self._own_names(body):
            if name not in self.scope.names:
                self._declare_name(name)
        self.emit_label(function.label)
        enter = self.emit("enter", len(parameters), 0)
        self.statements(body)
        self.emit("undefined")
        self.emit("give_back")
        self.amend(enter, "enter", len(parameters), self.scope.locals - len(parameters))
        self.scope, self.function = outer, None

    def _own_names(self, body: Node) -> list[str]:
        inner, self.scope = self.scope, Scope(local=True)
        self._declare(body)
        names, self.scope = list(self.scope.names), inner
        return names
