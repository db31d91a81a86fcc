# SPDX-License-Identifier: Apache-2.0
"""Changes in an XML tree that leave the text around them as its author laid it out, and a list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element


class Edits:
    """Collects what was changed in a document and what was left, each at its line.

    Lines are those of the original file: elements made here have none and are reported where they were put.
    With `remove_unknown`, elements that Cooja doesn't know go.
    """

    def __init__(self, remove_unknown: bool = False) -> None:
        self.remove_unknown = remove_unknown
        self._found: dict[tuple[str, bool], tuple[int, int]] = {}

    def done(self, at: _Element | int, what: str) -> None:
        self._add(at, what, True)

    def left(self, at: _Element | int, what: str) -> None:
        self._add(at, what, False)

    def _add(self, at: _Element | int, what: str, done: bool) -> None:
        line = at if isinstance(at, int) else at.sourceline or 0
        first, count = self._found.get((what, done), (line, 0))
        self._found[what, done] = (first, count + 1)

    def all(self) -> list[tuple[int, str, bool]]:
        """All edits as (line, what, done), by line; equal ones are listed once."""
        return sorted(
            (
                (line, what + (f" ({count} times)" if count > 1 else ""), done)
                for (what, done), (line, count) in self._found.items()
            ),
            key=lambda edit: (not edit[2], edit[0]),
        )

    def own_text(self, element: _Element, old: str, new: str, what: str) -> bool:
        """Replace a class name among an element's own text, which may stand before or between its children.

        False if it could not be replaced: a comment stands in the middle of it.
        """
        if old in (element.text or ""):
            element.text = element.text.replace(old, new, 1)
        elif (child := next((child for child in element if old in (child.tail or "")), None)) is not None:
            child.tail = child.tail.replace(old, new, 1)
        else:
            self.left(element, f"the name {old[:80]} has a comment in its middle")
            return False
        self.done(element, what)
        return True

    def unknown(self, element: _Element, what: str, remedy: str = "") -> None:
        """Remove an element that Cooja doesn't know, if that is wanted; else leave it, with its remedy."""
        if self.remove_unknown:
            self.remove(element, f"{what}: removed")
        else:
            self.left(element, f"{what}: {remedy}" if remedy else what)

    def remove(self, element: _Element, what: str = "") -> None:
        """Take an element and the line break before it out; text of its parent that follows it stays.

        `what`: what is done by that, if it counts by itself.
        """
        if what:
            self.done(element, what)
        parent, before = element.getparent(), element.getprevious()
        tail = element.tail or ""
        tail_text = before.tail if before is not None else parent.text
        if tail.strip() or not (tail_text or "").strip():
            # What follows stays; the white space in front of the element goes with it.
            tail_text = (tail_text or "").rstrip() + tail if not tail.strip() else (tail_text or "") + tail
        if before is not None:
            before.tail = tail_text
        else:
            parent.text = tail_text
        parent.remove(element)

    def insert(self, parent: _Element, at: int, element: _Element, new: bool = True) -> None:
        """Put an element in at that place, indented as its neighbours are (else by two blanks a level).

        `made`: it was made here and gets line breaks within; else its own stay.
        """
        indent = _indent(parent)
        if new:
            self._lay_out(element, indent)
        if len(parent) == 0:
            own = (parent.text or "").strip()
            outer = _indent(parent.getparent()) if parent.getparent() is not None else "\n"
            parent.text = (indent + own if own else "") + indent
            element.tail = outer
        elif at >= len(parent):
            last = parent[-1]
            element.tail = last.tail
            last.tail = indent
        else:
            element.tail = indent
        parent.insert(at, element)

    def _lay_out(self, element: _Element, indent: str) -> None:
        """Break the lines of an element made here."""
        if len(element) == 0:
            return
        inner = indent + "  "
        own = (element.text or "").strip()
        element.text = (inner + own if own else "") + inner
        for child in element:
            self._lay_out(child, inner)
            child.tail = inner
        element[-1].tail = indent


def _indent(parent: _Element) -> str:
    """Return the line break and blanks in front of a parent's children."""
    for text in [parent.text, *(child.tail for child in parent[:-1])]:
        if text and "\n" in text:
            return "\n" + text.rsplit("\n", 1)[1]
    return "\n" + "  " * (sum(1 for _ in parent.iterancestors()) + 1)
