# SPDX-License-Identifier: Apache-2.0
"""A script's syntax tree. It isn't part of nashorn.py, so that our own scripts don't load that module."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from orchestrator.errors import MissingTool

if TYPE_CHECKING:
    from tree_sitter import Node


@cache
def _parser():
    try:
        import tree_sitter_javascript
        from tree_sitter import Language, Parser
    except ImportError as error:
        raise MissingTool(
            "scripts need a parser of JavaScript: pip install tree-sitter tree-sitter-javascript"
        ) from error

    return Parser(Language(tree_sitter_javascript.language()))


def tree(code: bytes) -> Node:
    """Return the root of a script's syntax tree. Raises MissingTool."""
    return _parser().parse(code).root_node


def walk(node: Node) -> Iterator[Node]:
    """Give a node and all nodes in it, in the order of the text."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.children))
