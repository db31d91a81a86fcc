# SPDX-License-Identifier: Apache-2.0
"""Reads YAML as nodes that know their lines. Nothing is converted: a scalar is the text that was written.

The text isn't trusted. Its size, its depth and the number of nodes after alias expansion are limited.
Explicit tags (which name constructors) are refused, and only the three node classes below are ever
constructed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from orchestrator.errors import NoSuchThing
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.units import short

MOST_BYTES = 128 * 1024
MOST_DEPTH = 12
MOST_NODES = 20_000


class LineOf(int):
    """The line of a value that comes from another file than the one that is being read."""

    file: str

    def __new__(cls, line: int, file: str) -> LineOf:
        made = super().__new__(cls, line)
        made.file = file
        return made


@dataclass(frozen=True)
class Scalar:
    """`text` as written, without quotes and surrounding white space; "" for a missing value."""

    text: str
    line: int


@dataclass(frozen=True)
class Sequence:
    """A list of values in the file."""

    items: tuple[Node, ...]
    line: int


@dataclass(frozen=True)
class Mapping:
    """Pairs in the file's order, keys unique."""

    pairs: tuple[tuple[Scalar, Node], ...]
    line: int

    def __iter__(self) -> Iterator[tuple[Scalar, Node]]:
        return iter(self.pairs)

    def get(self, key: str) -> Node | None:
        return next((value for name, value in self.pairs if name.text == key), None)


Node = Scalar | Sequence | Mapping
KINDS = {Scalar: "one value", Sequence: "a list", Mapping: "a mapping"}


def wrong_kind(node: Node, what: str, remedy: str, faults: Faults) -> None:
    """Note that `what` is a node of another kind than it has to be."""
    faults.add(node.line, f"{what} is {KINDS[type(node)]}", remedy)


def written(node: Node) -> str:
    """Return the node as YAML that `parse` reads as the same values, without comments, quotes and aliases."""
    import yaml

    return yaml.safe_dump(_values(node), sort_keys=False, allow_unicode=True, width=110)


def names(node: Node) -> Iterator[str]:
    """Yield every name in a part of a file."""
    if isinstance(node, Mapping):
        for key, value in node:
            yield key.text
            yield from names(value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from names(item)


def moved(node: Node, file: str) -> Node:
    """Return the node with lines that name their file (LineOf)."""
    line = LineOf(node.line, file)
    if isinstance(node, Scalar):
        return Scalar(node.text, line)
    if isinstance(node, Sequence):
        return Sequence(tuple(moved(item, file) for item in node.items), line)
    return Mapping(
        tuple((Scalar(key.text, LineOf(key.line, file)), moved(value, file)) for key, value in node), line
    )


def mapping(
    text: str,
    faults: Faults,
    nothing: str,
    remedy: str,
    most_bytes: int = MOST_BYTES,
    most_nodes: int = MOST_NODES,
) -> Mapping:
    """Parse the text of a file whose root is a mapping; `nothing`: what is wrong if it is none.

    Raises FaultyInput.
    """
    root = parse(text, faults, most_bytes, most_nodes)
    if not isinstance(root, Mapping):
        if not len(faults):
            faults.add(1, nothing, remedy)
        faults.raise_any()
    return root  # type: ignore[return-value]


def _values(node: Node) -> Any:
    if isinstance(node, Scalar):
        return _as_written(node.text)
    if isinstance(node, Sequence):
        return [_values(item) for item in node.items]
    return {_as_written(key.text): _values(value) for key, value in node}


def _as_written(text: str) -> Any:
    """Return a bool or int for a text that YAML writes just like that, so that it gets no quotes."""
    if text in ("true", "false"):
        return text == "true"
    return (
        int(text) if len(text) < 10 and text.isascii() and text.isdigit() and str(int(text)) == text else text
    )


class _Stop(Exception):
    """The text cannot be read any further; the fault is already noted."""


def read(path: Path, what: str, remedy: str, most: int = MOST_BYTES) -> tuple[str, bytes, Faults]:
    """Return the text and the bytes of a file that a user named, and what collects its faults.

    Raises NoSuchThing, which calls the file `what`, and FaultyInput if it is too large or no text.
    """
    try:
        data = content(path, most)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise NoSuchThing(f"no {what} {str(path)!r}: {why}\n    {remedy}") from None
    faults = Faults(str(path))
    text = decode(data, faults, most)
    faults.raise_any()
    return text or "", data, faults


def content(path: Path, most: int = MOST_BYTES) -> bytes:
    """Return the bytes of a file that a user named, at most one more than `most`.

    Raises OSError, and ValueError if it is no regular file: a FIFO would wait for its other end, and a device
    may have none.
    """
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise ValueError("it is not a regular file")
        return stream.read(most + 1)


def decode(data: bytes, faults: Faults, most: int = MOST_BYTES) -> str | None:
    """Return the text of a file's bytes (UTF-8, at most `most`), or None after noting why not."""
    if len(data) > most:
        faults.add(
            0,
            f"the file has more than {most} bytes",
            "larger ones are not read; is it the right one?",
        )
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        faults.add(line, f"byte {data[error.start]:#04x} is not UTF-8 text", "save the file as UTF-8")
        return None


def parse(
    text: str, faults: Faults, most_bytes: int = MOST_BYTES, most_nodes: int = MOST_NODES
) -> Node | None:
    """Parse the text; return its root, or None if there is none or it is not YAML (noted in `faults`)."""
    import yaml

    if len(text) > most_bytes:
        faults.add(0, f"the text has {len(text)} characters", f"a settings file has at most {most_bytes}")
        return None
    try:
        return _Composer(yaml, text, faults, most_nodes).document()
    except _Stop:
        return None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        code = error.character if isinstance(error.character, int) else ord(error.character)
        faults.add(
            line, f"character U+{code:04X} is not allowed in YAML", "remove it; save the file as plain text"
        )
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if error.context_mark and "end of stream" in (error.problem or ""):
            mark = error.context_mark  # an unclosed quote: where it opens, not where the file ends
        line = mark.line + 1 if mark else 0
        at_tab = (
            mark is not None and "\t" in (text.splitlines()[mark.line :][:1] or [""])[0][: mark.column + 1]
        )
        said = " ".join(part for part in (error.context, error.problem) if part)
        if at_tab:
            faults.add(line, "a tab where YAML wants spaces", "indent with spaces")
        else:
            faults.add(
                line,
                f"not YAML: {said}",
                "look at this line and the one before: indentation, colon and space, quotes",
            )
    return None


def _loader(yaml: ModuleType, text: str) -> type:
    """Return libyaml's loader, which takes a fifth of the time, if it reads the text as PyYAML itself does.

    PyYAML's own loader words all faults, and it reads tabs, question marks and letters beyond ASCII in its
    own way.
    """
    fast = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if "\t" in text or "?" in text or not text.isascii():
        return yaml.SafeLoader
    depth = 0
    try:
        for event in yaml.parse(text, Loader=fast):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MOST_DEPTH + 1:  # such a text is refused; libyaml's time grows with the depth's square
                return yaml.SafeLoader
    except yaml.YAMLError:
        return yaml.SafeLoader
    return fast


class _Composer:
    """Makes nodes of PyYAML's events; stops early, so that no input costs more than the limits allow."""

    def __init__(self, yaml: ModuleType, text: str, faults: Faults, most: int):
        self.yaml, self.faults, self.most = yaml, faults, most
        self.events = yaml.parse(text, Loader=_loader(yaml, text))
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.count = 0

    def document(self) -> Node | None:
        yaml = self.yaml
        root = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    self.faults.add(
                        event.start_mark.line + 1, "a second document", "remove the line `---` before it"
                    )
                    raise _Stop
                root = self.node(next(self.events), 1)
        return root

    def stop(self, line: int, what: str, remedy: str):
        self.faults.add(line, what, remedy)
        raise _Stop

    def take(self, nodes: int, line: int) -> None:
        self.count += nodes
        if self.count > self.most:
            self.stop(
                line, f"more than {self.most} values (aliases counted in full)", "make the file smaller"
            )

    def node(self, event: Any, depth: int) -> Node:
        yaml, line = self.yaml, event.start_mark.line + 1
        if depth > MOST_DEPTH:
            self.stop(
                line,
                f"nested more than {MOST_DEPTH} deep",
                "close the brackets; settings are two or three deep",
            )
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event.anchor, line)
        anchor, before = event.anchor, self.count
        self.take(1, line)
        if event.tag not in (None, "!"):
            self.faults.add(
                line, f"tag {short(event.tag)}", "remove it; values are plain text, numbers and lists here"
            )
        if isinstance(event, yaml.ScalarEvent):
            text = event.value.strip()
            made: Node = Scalar("" if event.implicit[0] and text in ("~", "null") else text, line)
        elif isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
                items.append(self.node(event, depth + 1))
            made = Sequence(tuple(items), line)
        else:
            made = self.mapping(line, depth)
        if anchor:  # known only from here on: an alias inside itself names nothing
            self.anchors[anchor] = (made, self.count - before)
        return made

    def mapping(self, line: int, depth: int) -> Mapping:
        pairs: dict[str, tuple[Scalar, Node]] = {}
        while not isinstance(event := next(self.events), self.yaml.MappingEndEvent):
            key = self.node(event, depth + 1)
            value = self.node(next(self.events), depth + 1)
            if not isinstance(key, Scalar):
                self.faults.add(
                    key.line, f"{KINDS[type(key)]} as a name", "a name before a colon is one word"
                )
            elif key.text in pairs:
                first = pairs[key.text][0].line
                self.faults.add(
                    key.line, f"{short(key.text)} is set twice (first in line {first})", "keep one of them"
                )
            else:
                pairs[key.text] = (key, value)
        return Mapping(tuple(pairs.values()), line)

    def alias(self, anchor: str, line: int) -> Node:
        if anchor not in self.anchors:
            self.stop(line, f"alias {short('*' + anchor)} names nothing before it", "write the value out")
        made, size = self.anchors[anchor]
        self.take(size, line)
        return made
