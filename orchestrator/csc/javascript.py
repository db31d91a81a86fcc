# SPDX-License-Identifier: Apache-2.0
"""Reads a test script that is not one of our templates, and names the parts that no run of it could execute.

The interpreter has the objects of Cooja in engines/embedded/kernel/script/prelude.js; their names are here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from orchestrator.csc import macros, nashorn
from orchestrator.csc.model import JavaScript

# Methods of Cooja's and Java's objects that are there, whatever the object.
METHODS = frozenset(
    """
    getMotes getMotesCount getMote getMoteWithID getMoteTypes addMote removeMote getRandomSeed
    getSimulationTime getSimulationTimeMillis getTitle setSpeedLimit generateMote getIdentifier
    getDescription getID getInterfaces getType getSimulation getPosition getMoteID getLog getSerialPort
    getButton setCoordinates getXCoordinate getYCoordinate getZCoordinate getDistanceTo setMoteID
    getCooja getPlugin radioStatistics getMoteTrackerOf reset
    writeString clickButton pressButton releaseButton isPressed getPIR triggerChange log append writeFile
    generateMsg write put get containsKey getOrDefault putIfAbsent remove isEmpty size clear setSeed
    nextInt nextLong nextBoolean nextFloat nextDouble nextGaussian contains equals equalsIgnoreCase
    contentEquals matches replaceAll replaceFirst compareTo compareToIgnoreCase hashCode isBlank strip
    stripLeading stripTrailing intern subSequence regionMatches length intValue shortValue byteValue
    longValue floatValue doubleValue getMessage getLocalizedMessage Random getInterfaceOfType getLED
    isAnyOn isRedOn isGreenOn isYellowOn isLedOn getLeds getLedsCount
    """.split()
)
# Of an emulated Tmote Sky's memory.
MEMORY_METHODS = frozenset(
    ["getMemory", "getMemorySegment", "setMemorySegment", "getTotalSize", "getStartAddr", "VarMemory"]
    + ["variableExists", "getVariableAddress", "getVariableSize", "getByteArray", "setByteArray"]
    + [
        f"{access}{kind}ValueOf"
        for access in ("get", "set")
        for kind in ("Int8", "Int16", "Int32", "Int64", "Byte", "Short", "Int", "Long", "Addr")
    ]
)
# JavaScript's own names, of strings, arrays, numbers, regular expressions, functions, dates, JSON and Math.
# Nashorn lacks some of them; a call of these fails here as it does there.
_BUILT_IN = frozenset(
    """
    at charAt charCodeAt codePointAt concat endsWith includes indexOf lastIndexOf localeCompare match
    matchAll normalize padEnd padStart repeat replace search slice split startsWith substr substring
    toLowerCase toUpperCase trim trimEnd trimStart valueOf toString copyWithin entries every fill filter
    find findIndex findLast flat flatMap forEach join keys map pop push reduce reduceRight reverse shift
    some sort splice unshift values toFixed toPrecision toExponential exec test call apply bind parse
    stringify abs ceil floor max min pow random round sqrt log2 log10 exp sin cos tan atan atan2 sign
    trunc hasOwnProperty isArray from of assign create defineProperty freeze getPrototypeOf setPrototypeOf
    isInteger isNaN isFinite isSafeInteger fromCharCode parseInt parseFloat add delete has set getTime now
    toISOString toLocaleString asin acos cbrt hypot imul findLastIndex toLocaleDateString
    toLocaleTimeString toDateString toTimeString toUTCString getFullYear getUTCFullYear getMonth
    getUTCMonth getDate getUTCDate getDay getUTCDay getHours getUTCHours getMinutes getUTCMinutes
    getSeconds getUTCSeconds getMilliseconds getUTCMilliseconds getTimezoneOffset UTC toJSON next
    fromCodePoint raw fromEntries is trimLeft trimRight toLocaleLowerCase toLocaleUpperCase compile keyFor
    for isPrototypeOf propertyIsEnumerable getOwnPropertyNames getOwnPropertyDescriptor defineProperties
    seal isSealed isFrozen isExtensible preventExtensions
    """.split()
)
# Names that scripts for newer JavaScript call and that Nashorn lacks.
_LACKING = frozenset(
    """
    at includes find findIndex findLast findLastIndex fill flat flatMap copyWithin padStart padEnd
    matchAll normalize trimStart trimEnd toSorted toReversed
    """.split()
)
_LACKING_OF = {
    "Object": "entries values assign is fromEntries hasOwn",
    "Array": "from of",
    "Number": "isInteger isNaN isFinite isSafeInteger parseInt parseFloat",
    "Math": "trunc sign log2 log10 cbrt hypot imul sinh cosh tanh fround clz32 expm1 log1p",
    "String": "raw fromCodePoint",
}
_LACKING_NAMES = frozenset(
    "Promise Proxy Reflect BigInt Intl globalThis console setTimeout setInterval require "
    "structuredClone".split()
)
_MOZILLA_NAMES = frozenset({"importPackage", "importClass"})  # of Java's older interpreter, Rhino
# Functions of Nashorn and of Cooja's window that a headless run of ours doesn't have.
_CLASSES = r"contikios\.cooja\.(?:mote\.memory\.VarMemory|(?:contikimote\.|mspmote\.)?interfaces\.\w+)\b"
_NAMED_CLASS = re.compile(
    rf"Java\s*\.\s*(?P<type>type)\s*\(\s*(?P<quote>['\"])org\.{_CLASSES}(?P=quote)\s*\)"
)
_FOREIGN = re.compile(
    r"(?<![\w$.])(?:(?P<call>load|loadWithNewGlobal|importPackage|importClass|JavaImporter|quit|exit|readFully|"
    r"readLine|eval|Function)\s*\(|(?P<name>Java\.\w+|JavaAdapter|Packages(?!\.org\."
    + _CLASSES
    + r")(?:\.\w+)*|"
    r"gui\b(?:\.\w+)*|(?:java|javax|org|com)\.(?!util\.Random\b|" + _CLASSES + r")\w+(?:\.\w+)*))"
)
_METHOD = re.compile(r"\.\s*([A-Za-z_$][\w$]*)\s*\(")
_OWN = re.compile(
    r"([A-Za-z_$][\w$]*)\s*(?:=(?!=)|:)|\bfunction\s+([A-Za-z_$][\w$]*)|([A-Za-z_$][\w$]*)\s*\([^()]*\)\s*\{"
)
_STRING = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""")
_ADDS = re.compile(r"\bgenerateMote\b")
_QUALIFIED = re.compile(r"(?<![\w$.])([A-Za-z]\w*)\s*\.\s*([A-Za-z]\w*)")
_NAME = re.compile(r"(?<![\w$.])[A-Za-z]\w*(?!\s*:)")


@dataclass(frozen=True)
class Part:
    """One <script> or <scriptfile>: its text, and the file and line (1-based) at which it begins."""

    text: str
    file: str
    line: int


@dataclass(frozen=True)
class Missing:
    """A name in a script that the embedded engine doesn't have; `nowhere`: nor has Cooja's interpreter."""

    what: str
    file: str
    line: int
    nowhere: bool = False


class Refused(Exception):
    """Nashorn would not read the script: `found` says what and where."""

    def __init__(self, missing: list[Missing]):
        self.found = missing
        super().__init__(missing)


def read(parts: list[Part]) -> tuple[JavaScript | None, list[Missing]]:
    """Return the script, or everything in its text that can't be run. Raises macros.Misread and Refused."""
    script, expanded, beyond = _adapted(parts)
    place = _places(parts)
    absent = _absent(expanded)
    missing = [
        Missing(what, *place(line), nowhere=what in absent) for line, what in sorted(_missing(expanded))
    ]
    return (None if missing or beyond else script), missing + beyond


def odd(parts: list[Part]) -> bool:
    """Whether there may be an error of syntax in the script; the interpreter knows."""
    return nashorn.read(macros.expand(_text(parts)).code).odd


def _absent(expanded: macros.Expanded) -> frozenset[str]:
    """Return the calls that Nashorn has only after load("nashorn:mozilla_compat.js")."""
    if "mozilla_compat" in expanded.code:
        return frozenset()
    return frozenset(f"the call {name}()" for name in _MOZILLA_NAMES)


def spelled(parts: list[Part]) -> JavaScript:
    """Return the script, whatever it calls: to see whether it is JavaScript.

    Raises macros.Misread and Refused.
    """
    return _adapted(parts)[0]


def lacking(parts: list[Part]) -> list[Missing]:
    """Return the functions that the script calls and Nashorn doesn't have: the script fails there.

    Raises macros.Misread.
    """
    expanded = macros.expand(_text(parts))
    code, own = _named(expanded)
    calls = {
        (_line(expanded, code, match.start(1)), f"{match[1]}()")
        for match in _METHOD.finditer(code)
        if match[1] in _LACKING - own
    }
    calls |= {
        (_line(expanded, code, match.start()), f"{match[1]}.{match[2]}")
        for match in _QUALIFIED.finditer(code)
        if match[2] in _LACKING_OF.get(match[1], "").split() and match[2] not in own
    }
    names = _LACKING_NAMES if "mozilla_compat" in expanded.code else _LACKING_NAMES | _MOZILLA_NAMES
    calls |= {
        (_line(expanded, code, match.start()), match[0])
        for match in _NAME.finditer(code)
        if match[0] in names - own
    }
    place = _places(parts)
    return [Missing(what, *place(line)) for line, what in sorted(calls)]


def _adapted(parts: list[Part]) -> tuple[JavaScript, macros.Expanded, list[Missing]]:
    """Return the script in the form that our interpreter runs, and the parts that can't be imitated."""
    expanded = macros.expand(_text(parts))
    place = _places(parts)
    lines = tuple(":".join(map(str, place(line))) for line in expanded.lines)
    code, last = nashorn.read(expanded.code), nashorn.read(expanded.timeout_code)

    def placed(region: str) -> list[Missing]:
        seen = [(expanded.lines[min(line, len(lines) - 1)], what) for line, what in getattr(code, region)]
        seen += [(expanded.lines[-1], what) for _, what in getattr(last, region)]
        return [Missing(what, *place(line)) for line, what in sorted(set(seen))]

    if code.refused or last.refused:
        raise Refused(
            [
                replace(region, what=f"{region.what} is nothing that Cooja's interpreter, Nashorn, reads")
                for region in placed("refused")
            ]
        )
    script = JavaScript(
        _text(parts),
        code.code,
        expanded.timeout_ms * 1000,
        last.code,
        lines,
        bool(_ADDS.search(code.code)),
        tuple(code.calls.items()),
    )
    return script, expanded, placed("beyond")


def _text(parts: list[Part]) -> str:
    return "\n".join(part.text for part in parts)


def _places(parts: list[Part]) -> Callable[[int], tuple[str, int]]:
    """Of a line of the joined text: its file, and its line there."""
    places = [
        (part.file, part.line + number) for part in parts for number in range(part.text.count("\n") + 1)
    ]
    return lambda line: places[min(max(line, 1), len(places)) - 1]


def _missing(expanded: macros.Expanded) -> set[tuple[int, str]]:
    """(line in the script, what): calls of methods that JavaScript, our Cooja and the script all lack."""
    code, own = _named(expanded)
    missing = set()
    written = expanded.code + "\n" + expanded.timeout_code
    named = {at for match in _NAMED_CLASS.finditer(written) for at in (match.start(), match.start("type"))}
    for match in _METHOD.finditer(code):
        if match[1] not in METHODS | MEMORY_METHODS | _BUILT_IN | own and match.start(1) not in named:
            missing.add((_line(expanded, code, match.start(1)), f"the call {match[1]}()"))
    for match in _FOREIGN.finditer(code):
        if match.start() in named:
            continue
        what = f"the call {match['call']}()" if match["call"] else match["name"]
        if (match["call"] or match["name"]) not in own:
            missing.add((_line(expanded, code, match.start()), what))
    return missing


def _named(expanded: macros.Expanded) -> tuple[str, set[str]]:
    """Return the code without what its strings say, and the names that it gives."""
    code = _STRING.sub(
        lambda match: '"' + " " * (len(match[0]) - 2) + '"', expanded.code + "\n" + expanded.timeout_code
    )
    return code, {name for match in _OWN.finditer(code) for name in match.groups() if name}


def _line(expanded: macros.Expanded, code: str, at: int) -> int:
    return expanded.lines[min(code.count("\n", 0, at), len(expanded.lines) - 1)]
