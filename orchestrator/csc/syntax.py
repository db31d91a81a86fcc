# SPDX-License-Identifier: Apache-2.0
"""A script's syntax tree. Apart from nashorn.py, whose many expressions a script of ours has no need of."""

from __future__ import annotations

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
    """The root of a script's syntax tree. Raises MissingTool."""
    return _parser().parse(code).root_node
