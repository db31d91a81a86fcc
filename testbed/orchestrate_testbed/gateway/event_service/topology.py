# SPDX-License-Identifier: Apache-2.0
"""The controller's topology file: the number of gateways, and the parent of each.

    4           the number of gateways
    1 2         gateway 1 is the parent of gateway 2
    1 3
    2 4

Gateways are numbered from 1 in the order in which they connect to the controller. `#` begins a comment.
"""

from __future__ import annotations

from collections.abc import Sequence

LARGEST = 65533  # gateways


class FaultyTopology(ValueError):
    """`faults`: what is wrong, each with its line (0: the whole file)."""

    def __init__(self, faults: Sequence[tuple[int, str]]):
        self.faults = tuple(faults)
        super().__init__("; ".join(f"line {line}: {what}" if line else what for line, what in self.faults))


class Tree:
    """Parents by gateway. Raises FaultyTopology if they are no tree over 1 to `size`."""

    def __init__(self, size: int, parents: dict[int, int], lines: dict[int, int] | None = None):
        self.size = size
        self._parents = dict(parents)
        faults = self._faults(lines or {})
        if faults:
            raise FaultyTopology(faults)
        self.root = next(node for node in self.nodes if node not in self._parents)

    @property
    def nodes(self) -> range:
        """All gateways."""
        return range(1, self.size + 1)

    def parent(self, node: int) -> int | None:
        """Return the parent; None for the root."""
        return self._parents.get(node)

    def children(self, node: int) -> tuple[int, ...]:
        """Return the children, in the order of the file."""
        return tuple(child for child, parent in self._parents.items() if parent == node)

    def neighbours(self, node: int) -> tuple[int, ...]:
        """Return the parent, if there is one, and the children."""
        parent = self.parent(node)
        return (() if parent is None else (parent,)) + self.children(node)

    def from_root(self) -> list[int]:
        """All gateways, each after its parent."""
        order = [self.root]
        for node in order:
            order.extend(self.children(node))
        return order

    def without(self, lost: set[int]) -> dict[int, int | None]:
        """Rebuild the tree of the remaining gateways: return the parent of each, None for the root.

        A gateway that has lost its parent gets the nearest of that one's ancestors or, if none is left, the
        new root, which is the first remaining one of `from_root`. In every such tree a parent comes before
        its children in that order, so that no mixture of two trees has a cycle.
        """
        parents: dict[int, int | None] = {}
        root: int | None = None
        for node in self.from_root():
            if node in lost:
                continue
            parent = self.parent(node)
            while parent in lost:
                parent = self.parent(parent)
            parents[node] = root if parent is None else parent
            root = node if root is None else root
        return parents

    def _faults(self, lines: dict[int, int]) -> list[tuple[int, str]]:
        roots = [node for node in self.nodes if node not in self._parents]
        faults = [(min(lines.get(node, 0) for node in cycle), _cycle(cycle)) for cycle in self._cycles()]
        if len(roots) > 1:
            named = ", ".join(map(str, roots))
            faults.append(
                (0, f"gateways {named} have no parent: one is the root, give each other one a line")
            )
        return faults

    def _cycles(self) -> list[list[int]]:
        cycles: list[list[int]] = []
        seen: set[int] = set()
        for start in self.nodes:
            path: list[int] = []
            node: int | None = start
            while node is not None and node not in seen:
                seen.add(node)
                path.append(node)
                node = self._parents.get(node)
            if node in path:
                cycles.append(path[path.index(node) :])
        return cycles


def _cycle(nodes: list[int]) -> str:
    way = " -> ".join(map(str, nodes + nodes[:1]))
    return f"a cycle, each gateway with its parent: {way}: one of them needs another parent, or none"


def parse(text: str) -> Tree:
    """Return the tree that a text describes. Raises FaultyTopology with all faults."""
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#")[0].split()
        if words:
            rows.append((number, words))
    if not rows:
        raise FaultyTopology([(0, "the file is empty: its first line is the number of gateways")])
    first, words = rows[0]
    size = _number(words[0]) if len(words) == 1 else None
    if size is None or not 1 <= size <= LARGEST:
        said = f"the first line is the number of gateways, 1 to {LARGEST}"
        raise FaultyTopology([(first, said)])
    faults: list[tuple[int, str]] = []
    parents: dict[int, int] = {}
    lines: dict[int, int] = {}
    for number, words in rows[1:]:
        fault = _edge(words, size, parents, lines, number)
        if fault:
            faults.append((number, fault))
    try:
        tree = Tree(size, parents, lines)
    except FaultyTopology as error:
        # A gateway whose line is faulty seems to have no parent; this follows from the fault that was
        # reported.
        more = [fault for fault in error.faults if fault[0] or not faults]
        raise FaultyTopology(sorted(faults + more)) from None
    if faults:
        raise FaultyTopology(faults)
    return tree


def text(tree: Tree) -> str:
    """Return the file that `parse` makes the tree of."""
    edges = [f"{parent} {child}" for parent in tree.from_root() for child in tree.children(parent)]
    return "\n".join([str(tree.size)] + edges) + "\n"


def _number(word: str) -> int | None:
    return int(word) if word.isdigit() and word.isascii() and len(word) < 10 else None


def _edge(
    words: list[str], size: int, parents: dict[int, int], lines: dict[int, int], number: int
) -> str | None:
    """Note the line's edge; what is wrong with it, if anything is."""
    if len(words) != 2:
        return "a line is a parent and its child, two numbers"
    parent, child = _number(words[0]), _number(words[1])
    for word, node in zip(words, (parent, child)):
        if node is None or not 1 <= node <= size:
            return f"{_shown(word)} is no gateway: they are numbered from 1 to {size}"
    assert parent is not None and child is not None
    if parent == child:
        return f"gateway {child} can't be its own parent"
    if child in parents:
        return f"gateway {child} has a parent already, {parents[child]} in line {lines[child]}"
    parents[child], lines[child] = parent, number
    return None


def _shown(word: str) -> str:
    return ascii(word if len(word) <= 20 else word[:20] + "...")
