# SPDX-License-Identifier: Apache-2.0
"""Assembles the program of a script that runs natively (see compiler.py): instructions, labels, variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from orchestrator.csc import syntax
from orchestrator.engines.embedded.script.names import RESERVED, Function, NotNative, Scope, Slots

if TYPE_CHECKING:
    from tree_sitter import Node


class Assembler:
    """Collects a program's instructions; knows the script's text, and which variable a name means."""

    def __init__(self) -> None:
        self.slots = Slots()
        self.functions: dict[str, Function] = {}
        self.function: Function | None = None  # the one whose body is compiled now
        self.timeout_function: Function | None = None
        self.in_timeout = False
        self.loops: list[tuple] = []
        self.scope = Scope()
        self._instructions: list[tuple] = []
        self._labels: list[int] = []
        self._globals: dict[str, int] = {}
        self._nulls: dict[str, int] = {}
        self._read: set[str] = set()
        self._assigned: set[str] = set()

    # The syntax tree

    def tree(self, code: str) -> Node:
        """Parse a script's code."""
        root = syntax.tree(code.encode("utf-8", "surrogatepass"))
        if root.has_error:
            raise NotNative("no JavaScript")
        return root

    def said(self, node: Node | None) -> str:
        """Return the text of a part of the script."""
        return "" if node is None else node.text.decode("utf-8", "surrogatepass")

    def said_of(self, node: Node, field: str) -> str:
        """Return the text of a field of a node; "" if it has none."""
        return self.said(node.child_by_field_name(field))

    def walk(self, node: Node, into_functions: bool = True) -> Iterator[Node]:
        """Give a part of the tree and all parts in it, in the order of the text."""
        waiting = [node]
        while waiting:
            one = waiting.pop()
            yield one
            waiting.extend(
                reversed(
                    [
                        child
                        for child in one.named_children
                        if into_functions
                        or child.type not in ("function_declaration", "function_expression", "arrow_function")
                    ]
                )
            )

    def bare(self, node: Node) -> Node:
        """Return an expression without the parentheses around it."""
        while node.type == "parenthesized_expression":
            inner = [one for one in node.named_children if one.type != "comment"]
            node = inner[0]
        return node

    # Instructions

    def emit(self, *instruction: object) -> int:
        """Add an instruction; return its number."""
        self._instructions.append(instruction)
        return len(self._instructions) - 1

    def amend(self, at: int, *instruction: object) -> None:
        """Replace an instruction."""
        self._instructions[at] = instruction

    def new_label(self) -> int:
        """Return a label whose place comes later."""
        self._labels.append(-1)
        return len(self._labels) - 1

    def emit_label(self, label: int) -> None:
        """Place a label here."""
        self._labels[label] = len(self._instructions)

    def label(self) -> int:
        """Place a new label here."""
        self.emit_label(label := self.new_label())
        return label

    def lines(self, timeout: int) -> list[str]:
        """Return the program as the kernel reads it; the code for the time-out begins at that label."""
        if self._read - self._assigned:
            raise NotNative("a name that is never given a value")
        places = self.slots.order()
        kinds = self.slots.kinds
        lines = [
            f"program {len(kinds)} {kinds.count('null')} {kinds.count('undefined')} {self._labels[timeout]}"
        ]
        for name, *arguments in self._instructions:
            words = []
            for place, argument in enumerate(arguments):
                if name in ("jump", "jump_if", "jump_unless", "and", "or", "call") and place == 0:
                    words.append(str(self._labels[argument]))
                elif name in ("load", "store"):
                    words.append(str(places[argument]))
                elif name == "text":
                    words.append(argument.encode("utf-8").hex() or "-")
                else:
                    words.append(repr(argument) if isinstance(argument, float) else str(argument))
            lines.append(" ".join(["do", name, *words]))
        return lines

    # Names

    def null(self, name: str) -> int:
        """Return the variable with this name that is null at first."""
        if name not in self._nulls:
            self._nulls[name] = self.slots.new("null")
        return self._nulls[name]

    def _place(self, name: str) -> tuple:
        found = self.scope.find(name)
        if found is not None:
            return found
        if name in RESERVED or name in self.functions:
            raise NotNative(name)
        if name not in self._globals:
            self._globals[name] = self.slots.new("unassigned")
        return ("variable", self._globals[name], False)

    def load(self, name: str, _node: Node | None = None) -> None:
        """Push the value of a name."""
        if self.scope.find(name) is None:
            self._read.add(name)
        self.load_at(self._place(name))

    def store(self, name: str, node: Node, first: bool = False) -> None:
        """Give a variable the value on the stack. `first`: by its declaration."""
        if node.type != "identifier":
            raise NotNative("a name")
        found = self._place(name)
        if found[2] and not first:
            raise NotNative("a constant that is given a value")
        if self.scope.find(name) is None:
            self._assigned.add(name)
        elif (
            self.function is not None
            and found[0] == "variable"
            and self.slots.kinds[found[1]] == "unassigned"
        ):
            self.load_at(found)  # `let`, before it was declared: an error
            self.emit("drop")
        self.store_at(found)

    def load_at(self, place: tuple) -> None:
        """Push the value of a place."""
        self.emit("load" if place[0] == "variable" else "local", place[1])

    def store_at(self, place: tuple) -> None:
        """Give a place the value on the stack."""
        self.emit("store" if place[0] == "variable" else "set_local", place[1])
