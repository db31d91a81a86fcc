# SPDX-License-Identifier: Apache-2.0
"""Reads a test script that the embedded engine can't run natively, and names in its text what no run of it could do.

What the interpreter has of Cooja's objects is in engines/embedded/script/prelude.js; the names are those here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.csc import macros
from orchestrator.csc.model import JavaScript

# Methods of Cooja's and Java's objects that are there, whatever the object.
METHODS = frozenset("""
    getMotes getMotesCount getMote getMoteWithID getMoteTypes addMote removeMote getRandomSeed getSimulationTime
    getSimulationTimeMillis getTitle setSpeedLimit generateMote getIdentifier getDescription getID getInterfaces getType
    getSimulation getPosition getMoteID getLog getSerialPort getButton setCoordinates getXCoordinate getYCoordinate
    getZCoordinate getDistanceTo setMoteID writeString clickButton pressButton releaseButton isPressed getPIR triggerChange log append writeFile generateMsg write put get
    containsKey remove isEmpty size clear setSeed nextInt nextLong nextBoolean nextFloat nextDouble nextGaussian contains equals
    equalsIgnoreCase matches replaceAll replaceFirst compareTo hashCode Random
""".split())
# JavaScript's own, of strings, arrays, numbers, regular expressions, functions, dates, JSON and Math.
_BUILT_IN = frozenset("""
    at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf localeCompare match matchAll normalize
    padEnd padStart repeat replace search slice split startsWith substr substring toLowerCase toUpperCase trim trimEnd
    trimStart valueOf toString copyWithin entries every fill filter find findIndex findLast flat flatMap forEach join keys
    map pop push reduce reduceRight reverse shift some sort splice unshift values toFixed toPrecision toExponential exec
    test call apply bind parse stringify abs ceil floor max min pow random round sqrt log2 log10 exp sin cos tan atan
    atan2 sign trunc hasOwnProperty isArray from of assign create defineProperty freeze getPrototypeOf setPrototypeOf
    isInteger isNaN isFinite isSafeInteger fromCharCode parseInt parseFloat add delete has set getTime now toISOString
    toLocaleString asin acos cbrt hypot imul
""".split())
# Functions of Nashorn and of Cooja's window that a headless run of ours doesn't have.
_FOREIGN = re.compile(
    r"(?<![\w$.])(?:(?P<call>load|loadWithNewGlobal|importPackage|importClass|JavaImporter|quit|exit|readFully|"
    r"readLine|eval|Function)\s*\(|(?P<name>Java\.\w+|JavaAdapter|Packages(?:\.\w+)*|gui\b(?:\.\w+)*|"
    r"(?:java|javax|org|com)\.(?!util\.Random\b)\w+(?:\.\w+)*))")
_METHOD = re.compile(r"\.\s*([A-Za-z_$][\w$]*)\s*\(")
_OWN = re.compile(r"([A-Za-z_$][\w$]*)\s*(?:=(?!=)|:)|\bfunction\s+([A-Za-z_$][\w$]*)")
_STRING = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""")
_FOR_EACH = re.compile(r"\bfor\s+each\s*\(\s*((?:var\s+|let\s+)?[\w$]+)\s+in\b")
_ADDS = re.compile(r"\bgenerateMote\b")


@dataclass(frozen=True)
class Part:
    """One <script> or <scriptfile>: its text, and the file and line (1-based) at which it begins."""

    text: str
    file: str
    line: int


@dataclass(frozen=True)
class Missing:
    """Something that stands in a script and that the embedded engine doesn't have."""

    what: str
    file: str
    line: int


def read(parts: list[Part]) -> tuple[JavaScript | None, list[Missing]]:
    """The script, or everything in its text that can't be run. Raises macros.Misread."""
    expanded = macros.expand(_text(parts))
    place = _places(parts)
    missing = [Missing(what, *place(line)) for line, what in sorted(_missing(expanded))]
    return (None, missing) if missing else (_script(parts, expanded), [])


def spelled(parts: list[Part]) -> JavaScript:
    """The script, whatever it calls: to see whether it is JavaScript. Raises macros.Misread."""
    return _script(parts, macros.expand(_text(parts)))


def _script(parts: list[Part], expanded: macros.Expanded) -> JavaScript:
    code = _FOR_EACH.sub(r"for (\1 of", expanded.code)
    place = _places(parts)
    lines = tuple(":".join(map(str, place(line))) for line in expanded.lines)
    return JavaScript(_text(parts), code, expanded.timeout_ms * 1000, expanded.timeout_code, lines, bool(_ADDS.search(code)))


def _text(parts: list[Part]) -> str:
    return "\n".join(part.text for part in parts)


def _places(parts: list[Part]) -> Callable[[int], tuple[str, int]]:
    """Of a line of the joined text: its file, and its line there."""
    places = [(part.file, part.line + number) for part in parts for number in range(part.text.count("\n") + 1)]
    return lambda line: places[min(max(line, 1), len(places)) - 1]


def _missing(expanded: macros.Expanded) -> set[tuple[int, str]]:
    """(line in the script, what): calls of methods that neither JavaScript, nor Cooja as we have it, nor the script has."""
    code = expanded.code + "\n" + expanded.timeout_code
    code = _STRING.sub(lambda match: '"' + " " * (len(match[0]) - 2) + '"', code)
    own = {name for match in _OWN.finditer(code) for name in match.groups() if name}
    found = set()
    for match in _METHOD.finditer(code):
        if match[1] not in METHODS | _BUILT_IN | own:
            found.add((_line(expanded, code, match.start(1)), f"the call {match[1]}()"))
    for match in _FOREIGN.finditer(code):
        what = f"the call {match['call']}()" if match["call"] else match["name"]
        if (match["call"] or match["name"]) not in own:
            found.add((_line(expanded, code, match.start()), what))
    return found


def _line(expanded: macros.Expanded, code: str, at: int) -> int:
    return expanded.lines[min(code.count("\n", 0, at), len(expanded.lines) - 1)]
