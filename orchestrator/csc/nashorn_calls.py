# SPDX-License-Identifier: Apache-2.0
"""The names of called functions in Nashorn's errors; our interpreter gives only the place of a call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orchestrator.csc.syntax import tree, walk

if TYPE_CHECKING:
    from tree_sitter import Node


def calls(code: str) -> dict[str, str]:
    """Return what calls name, by the `line:column` at which our interpreter places an error of the call."""
    source = code.encode("utf-8", "surrogatepass")
    names: dict[str, str] = {}
    for node in walk(tree(source)):
        if node.type not in ("call_expression", "new_expression"):
            continue
        called = node.child_by_field_name("function" if node.type == "call_expression" else "constructor")
        name = _name(called, source) if called is not None else None
        if name is None and called is not None and called.type == "member_expression":
            property = called.child_by_field_name("property")
            # of something without a name
            name = f"?.{source[property.start_byte : property.end_byte].decode('utf-8', 'replace')}"
        if name is None:
            continue
        at = called
        if node.type == "new_expression":
            at = node.child_by_field_name("arguments") or called
        elif called.type == "member_expression":
            at = called.child_by_field_name("property")
        elif called.type == "subscript_expression":
            at = next((child for child in called.children if child.type == "["), called)
        row, column = at.start_point
        line = source.split(b"\n")[row][:column].decode("utf-8", "replace")
        names[f"{row + 1}:{len(line) + 1}"] = name
    return names


def _name(node: Node, source: bytes) -> str | None:
    """Return a simple expression as Nashorn writes it; None for any other."""
    text = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
    if node.type in ("identifier", "this") or (
        node.type == "number" and re.fullmatch(r"0|[1-9]\d{0,8}", text)
    ):
        return text
    if node.type == "string" and re.fullmatch(r"""'[\w .]*'|"[\w .]*\"""", text):
        return f'"{text[1:-1]}"'
    if node.type == "member_expression":
        name = _name(node.child_by_field_name("object"), source)
        own = source[node.child_by_field_name("property").start_byte : node.end_byte]
        return name and f"{name}.{own.decode('utf-8', 'replace')}"
    if node.type == "subscript_expression":
        name, index = (_name(node.child_by_field_name(field), source) for field in ("object", "index"))
        if name and index and re.fullmatch(r'"[A-Za-z_]\w*"', index):
            return f"{name}.{index[1:-1]}"
        return name and index and f"{name}[{index}]"
    return None
