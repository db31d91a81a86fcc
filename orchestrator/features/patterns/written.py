# SPDX-License-Identifier: Apache-2.0
"""Reads single values of a pattern file: regular expressions, texts and numbers."""

from __future__ import annotations

import re

from orchestrator.vocabulary.document import Mapping, Node, Scalar, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import NUMBER
from orchestrator.vocabulary.units import short

MOST_PATTERN = 1000  # characters
MOTE = "mote"  # in a key: the mote that printed the line
RESERVED = (MOTE, "run_id", "line", "time_us", "text")  # what every line has
ENGINE = "patterns are those of RE2, whose time is linear: https://github.com/google/re2/wiki/Syntax"


def groups(pattern: str, what: str, line: int, faults: Faults) -> list[str]:
    """Return the names of a pattern's groups; what is wrong with it is noted."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(pattern) > MOST_PATTERN:
        faults.add(line, f"{what} has {len(pattern):,} characters", f"at most {MOST_PATTERN:,} are possible")
        return []
    if reason := _engine_lacks(pattern):
        faults.add(line, f"{what}: {reason}", ENGINE)
        return []
    try:
        names = [one.name for one in pc.extract_regex(pa.array([], pa.string()), pattern).type]
        empty = pc.match_substring_regex(pa.array([""]), pattern)[0].as_py()
    except pa.ArrowInvalid as error:
        said = str(error).removeprefix("Invalid regular expression: ")
        if "unnamed groups" in said:
            faults.add(
                line, f"{what} has a group without a name", "write (?P<name>...), or (?:...) for no group"
            )
        elif "repetition size" in said or "too large" in said:
            faults.add(
                line,
                f"{what} repeats too often: {said}",
                "a pattern may repeat a part 1,000 times in all",
            )
        else:
            faults.add(line, f"{what} is not a regular expression: {said}", ENGINE)
        return []
    if empty:
        what_ = f"{what} matches every line, because it matches an empty one"
        faults.add(line, what_, "write the words that only these lines have")
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            faults.add(line, f"{what} has two groups {name}", "give each its own name")
        elif name in RESERVED or not re.fullmatch("[A-Za-z][A-Za-z0-9_]{0,31}", name):
            remedy = f"use letters, digits and `_`, at most 32; every line has {', '.join(RESERVED)}"
            faults.add(line, f"{what}: a group can't be called {short(name)}", remedy)
    return list(dict.fromkeys(names))


def _engine_lacks(pattern: str) -> str:
    """Return what a pattern has that RE2 lacks because it may take exponential time; "" if nothing."""
    bare = re.sub(r"\\[^1-9k]", "_", pattern)  # what is escaped stands for itself, as in a class
    bare = re.sub(r"\[\^?\]?[^\]]*\]", "_", bare)
    if re.search(r"\(\?(?:=|!|<=|<!)", bare):
        return "it looks ahead or behind, which may take exponential time and is not possible"
    if re.search(r"\\[1-9]|\(\?P=|\\k<", bare):
        return "it refers back to a group, which may take exponential time and is not possible"
    if re.search(r"\(\?>|[*+?}]\+", bare):
        return "it has an atomic group or a possessive repetition; plain ones never backtrack here"
    return ""


def text_of(node: Mapping, key: str, what: str, faults: Faults, remedy: str = "") -> str:
    """Return the text of a key; "" if there is none. `remedy`: what to do, if there has to be one."""
    value = node.get(key)
    if isinstance(value, Scalar) and value.text:
        return value.text
    if value is not None and not isinstance(value, Scalar):
        wrong_kind(value, f"{what}: {key}", "write one value", faults)
    elif value is not None or remedy:
        faults.add((value or node).line, f"{what} has no {key}", remedy or "write one, or remove the line")
    return ""


def number_of(node: Node | None, what: str, line: int, faults: Faults) -> float:
    """Return a number of at least 0; 0 after noting that there is none."""
    text = node.text if isinstance(node, Scalar) else ""
    if NUMBER.fullmatch(text) and float(text) >= 0:
        return float(text)
    faults.add(node.line if node else line, f"{what}: no number of at least 0", "write for example 3.0")
    return 0.0
