# SPDX-License-Identifier: Apache-2.0
"""Finds, in preprocessed C, the functions that a program calls and that nothing in it declares.

Only `lacks.py` uses this. It is a scanner and not a parser, because the text may lack headers and therefore
types. It errs towards silence: calls that it misses are reported later by the compiler or the linker.

The compiler's own `-Werror=implicit-function-declaration` would not give messages as good. A compiler names
each function once in a file, so the other places where it is called are lost (31 functions at 48 places in
ten examples of Contiki-NG 5.0). gcc 12 drops a function's body if a parameter has an unknown type, as
callbacks of missing modules do, with all calls in it (3 of those 31; clang 14 names them all). Neither
names a macro of a missing header at file level (`LIST(things);`).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<mark>^[ \t]*\#.*$)"""
    r"""|(?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*(?:"|$)|[uUL]?'(?:[^'\\\n]|\\.)*(?:'|$))"""
    r"""|(?P<name>[A-Za-z_$][\w$]*)|(?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)|(?P<sign>->|\.\.\.|\S)|(?P<line>\n)""",
    re.MULTILINE | re.ASCII,
)
_MARK = re.compile(r'#\s*(?:line\s+)?([0-9]{1,9})\s+"((?:[^"\\]|\\.)*)"')
_TYPES = frozenset(
    """
    void char short int long float double signed unsigned const volatile restrict static extern inline
    register struct union enum auto typedef _Bool _Complex _Noreturn _Thread_local _Atomic __extension__
    __inline __inline__ __const __restrict __signed__ __volatile__ __int128 __thread __restrict__
    __const__ __signed _Float128 _Float64 _Float32 _Float64x _Float32x __builtin_va_list
    """.split()
)
_STATEMENTS = frozenset(
    """if else while for do switch case default return goto break continue sizeof typeof __typeof__
    __typeof _Alignof __alignof__ _Generic _Static_assert static_assert offsetof __label__ __real__ __imag__
    __extension__ alignof""".split()
)
_WITH_ARGUMENTS = frozenset("__attribute__ __attribute asm __asm__ __asm _Alignas __declspec".split())
_MOST_PREFIX = 12  # tokens of a type in front of a declared name


@dataclass(frozen=True)
class Token:
    """One token of C text, with the place where it stands."""

    kind: str  # name, number, text, sign
    text: str
    file: str
    line: int


@dataclass(frozen=True)
class Call:
    """A name in front of a parenthesis that is declared nowhere before."""

    name: str
    file: str
    line: int


def tokens(text: str) -> Iterator[Token]:
    """Give tokens with the file and line that the preprocessor's line markers say. Any text has tokens."""
    line, file = 1, ""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "line":
            line += 1
        elif kind == "mark":
            if marker := _MARK.match(match[0].lstrip()):
                line, file = int(marker[1]) - 1, re.sub(r"\\(.)", r"\1", marker[2])
        else:
            yield Token(kind, match[0], file, line)


def undeclared_calls(text: str, ours: Callable[[str], bool]) -> list[Call]:
    """Return calls, in files that are `ours`, of functions that nothing in the text declares, in its order.

    Every name in a file that is not `ours` (a system's header) counts as declared.
    """
    names: set[str] = set()
    calls: list[Call] = []
    own: list[Token] = []
    are_ours = functools.cache(ours)  # asked of each file once, not of each of some ten thousand tokens
    for token in tokens(text):
        if are_ours(token.file):
            own.append(token)
        elif token.kind == "name":
            names.add(token.text)
    for at, token in _names(own):
        after = own[at + 1].text if at + 1 < len(own) else ""
        before = own[at - 1].text if at else ""
        typed = _after_a_type(own, at)
        if after == "(" and not typed and before not in (".", "->") and not _pointer(own, at):
            calls.append(Call(token.text, token.file, token.line))
        elif typed or before == "*":
            names.add(token.text)
    return [call for call in calls if call.name not in names and not call.name.startswith("__")]


def _names(own: list[Token]) -> Iterator[tuple[int, Token]]:
    """Give the names that are not keywords, without those in attributes and assembler."""
    skipped_to = 0
    for at, token in enumerate(own):
        if at < skipped_to or token.kind != "name":
            continue
        if token.text in _WITH_ARGUMENTS:
            skipped_to = _behind_parentheses(own, at + 1)
        elif token.text not in _TYPES and token.text not in _STATEMENTS:
            yield at, token


def _behind_parentheses(own: list[Token], at: int) -> int:
    while at < len(own) and own[at].text in ("volatile", "__volatile__", "goto"):
        at += 1
    if at >= len(own) or own[at].text != "(":
        return at
    depth = 0
    for place in range(at, len(own)):
        depth += {"(": 1, ")": -1}.get(own[place].text, 0)
        if depth == 0:
            return place + 1
    return len(own)


def _after_a_type(own: list[Token], at: int) -> bool:
    """Whether a type precedes: after the last `( , ; { }` come only names and stars, and first a name."""
    start = at
    while start > 0 and at - start < _MOST_PREFIX and own[start - 1].text not in ("(", ",", ";", "{", "}"):
        start -= 1
        token = own[start]
        if token.text != "*" and (token.kind != "name" or token.text in _STATEMENTS):
            # This is the end of an attribute, an array's size or the like; only attributes matter.
            return token.text == ")" and _is_attribute(own, start) and start + 1 < at
    return start < at and own[start].kind == "name"


def _is_attribute(own: list[Token], end: int) -> bool:
    depth = 0
    for place in range(end, max(-1, end - 200), -1):
        depth += {")": 1, "(": -1}.get(own[place].text, 0)
        if depth == 0:
            return place > 0 and own[place - 1].text in _WITH_ARGUMENTS
    return False


def _pointer(own: list[Token], at: int) -> bool:
    """`(*name)(...)`: the name of a pointer to a function."""
    return (
        at > 1
        and own[at - 1].text == "*"
        and own[at - 2].text == "("
        and at + 1 < len(own)
        and own[at + 1].text == ")"
    )
