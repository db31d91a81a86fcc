# SPDX-License-Identifier: Apache-2.0
"""Changes of a C file: by what the text is, without its comments, strings and preprocessor lines.

What does not compile is found out by compiling, so that nothing here has to know types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tools.mutants.change import Change, between

_DARK = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
    r"|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*",
    re.DOTALL | re.MULTILINE,
)
_OPERAND_BEFORE = r"(?<=[\w)\]])"
_COMPARISON = re.compile(r"(?<![<>=!+\-*/%&|^])\s(<=|>=|==|!=|<|>)\s")
_TURNED = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
}
_AND_OR = re.compile(r"&&|\|\|")
_SUM = re.compile(_OPERAND_BEFORE + r"\s([+-])\s(?=[\w(*&])")
_SUMMED = re.compile(r"(?<![+\-])([+-])=")
_NUMBER = re.compile(r"(?<![\w.])(\d+|0x[0-9a-fA-F]+)([uUlL]*)(?![\w.])")
_ENDLESS = re.compile(r"\bwhile\s*\((1)\)")
_CONDITION = re.compile(r"\b(?:if|while)\s*\(")
_FUNCTION = re.compile(
    r"^\{.*?^\}", re.DOTALL | re.MULTILINE
)  # in the house's C style a function's braces stand in the first column
_STATEMENT = re.compile(r"^[ \t]+([^;{}]+);[ \t]*$", re.MULTILINE)
_DECLARES = re.compile(
    r"(?:static|const|struct|union|enum|unsigned|signed|char|short|int|long|float|double|bool|void|volatile|extern|"
    r"typedef|register|goto|case|default|else|do|for|if|while|switch|PROCESS_\w+|PT_\w+|[a-z]\w*_t)\b"
    r"|return\s|[A-Za-z_]\w*\s+\**[A-Za-z_]"
)


def changes(file: str, text: str) -> dict[str, list]:
    """For each kind, what makes a Change when it is called."""
    plain = masked(text)
    found: dict[str, list[Callable[[], Change | None]]] = {}
    for body in _FUNCTION.finditer(plain):
        for kind, start, end, becomes in _places(text, plain, body.start(), body.end()):
            made = text[:start] + becomes + text[end:]
            found.setdefault(kind, []).append(lambda kind=kind, made=made: between(file, kind, text, made))
    return found


def masked(text: str) -> str:
    """With blanks for comments, strings and preprocessor lines, each character where it was."""
    return _DARK.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def _places(text: str, plain: str, begin: int, end: int) -> Iterator[tuple[str, int, int, str]]:
    """(kind, from, to, what stands there then)"""
    for match in _COMPARISON.finditer(plain, begin, end):
        for becomes in _TURNED[match[1]]:
            yield "comparison", *match.span(1), becomes
    for match in _AND_OR.finditer(plain, begin, end):
        yield "and-or", *match.span(), "||" if match.group() == "&&" else "&&"
    for pattern in (_SUM, _SUMMED):
        for match in pattern.finditer(plain, begin, end):
            yield "arithmetic", *match.span(1), "-" if match[1] == "+" else "+"
    endless = {match.start(1) for match in _ENDLESS.finditer(plain, begin, end)}  # as with any other number
    for match in _NUMBER.finditer(plain, begin, end):
        if match.start() in endless:
            continue
        number = int(match[1], 0) if match[1].startswith("0x") else int(match[1])
        for becomes in {number + 1, max(0, number - 1)} - {number}:
            yield "number", *match.span(1), str(becomes)
    for match in _CONDITION.finditer(plain, begin, end):
        if close := _closing(plain, match.end() - 1):
            yield "condition", match.end() - 1, close + 1, f"(!{text[match.end() - 1 : close + 1]})"
    for match in _STATEMENT.finditer(plain, begin, end):
        if not _DECLARES.match(match[1]) and match[1].count("(") == match[1].count(")"):
            yield "statement", match.start(1), match.end(1), ""


def _closing(plain: str, start: int) -> int | None:
    """Where the parenthesis that opens at `start` closes."""
    depth = 0
    for at in range(start, len(plain)):
        depth += {"(": 1, ")": -1}.get(plain[at], 0)
        if depth == 0:
            return at
    return None
