# SPDX-License-Identifier: Apache-2.0
"""Reads policies: the text, every fault of its form, and its silences.

After a fault the parser goes on at the next statement, rule or event, so that a file shows all of its faults.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import cache
from importlib import resources
from itertools import accumulate

from lark import Lark, Token, Tree, UnexpectedInput, UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser
from lark.parsers.lalr_parser_state import ParserState

from orchestrator.features.policies import model
from orchestrator.features.policies.build import Build
from orchestrator.features.policies.findings import ERROR, Finding
from orchestrator.features.policies.model import Position
from orchestrator.words import nearest

MOST_FAULTS = 200  # faults in one file; a file with more of them is no policy
MOST_NESTED = 60  # nested brackets, operators before an operand, and statements
_COMMENT = r"(?://|\\\\)[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
# Points at which reading resumes after a fault: after a semicolon, at an event, or at a rule.
_RULE = r"[ \t]*(?:\w+|\"[^\"\n]*\")\s*-\s*(?:\w+|\"[^\"\n]*\")\s*:"
_TYPE = r"(?:bool|char|short|int|long|unsigned|signed|float|double|u?int(?:8|16|32)|sealed)\b"
_AGAIN = re.compile(rf"(?P<skip>{_COMMENT}|\"[^\"\n]*\")|;|^(?=[ \t]*[\w\"])", re.M)
_BLANK = re.compile(rf"\s+|{_COMMENT}")
_BEGINNINGS = (
    (re.compile(r"on\b"), {"ON"}),
    (re.compile(_RULE), {"STATE_NAME", "ON"}),
    (re.compile(r"(?:record|struct)\b"), {"RECORD"}),
    (re.compile(_TYPE), {"TYPE"}),
    (re.compile(r"global\b"), {"GLOBAL"}),
    (re.compile(r"}"), {"RBRACE"}),
    (re.compile(r"\d"), {"STATE_NAME", "ON"}),
)
_ALLOW = re.compile(
    r"(?:(?://|\\\\)[ \t]*|/\*\s*)allow[ \t]+([\w-]+)[ \t]*(?::[ \t]*(.*?))?[ \t]*(?:\*/|$)", re.M
)
# Names of the parser's terminals in messages; the most likely ones come first.
_EXPECTED = {
    "SEMICOLON": "`;`",
    "ARROW": "`->`",
    "RPAR": "`)`",
    "RSQB": "`]`",
    "COLON": "`:`",
    "RBRACE": "`}`",
    "MINUS": "`-`",
    "NAME": "a name",
    "INTEGER": "a number",
    "LPAR": "`(`",
    "OPERATION": "an operation (notify, advertise, subscribe, unadvertise, unsubscribe)",
    "ON": "`on`",
    "POLICY_NAME": "a policy's name, with an event or a declaration after it",
}


@cache
def grammar() -> Lark:
    """Return the parser of the language."""
    text = resources.files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", propagate_positions=True, maybe_placeholders=True)


@cache
def policy_name() -> re.Pattern:
    """Return the pattern of a policy's name, with what follows it."""
    return re.compile(grammar().get_terminal("POLICY_NAME").pattern.to_regexp())


def parse(text: str, file: str) -> tuple[model.Source, list[Finding]]:
    """Return the readable part of a text, and its syntax errors."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    deep, unclosed = _too_deep(text)
    if deep is not None:
        at = _position(text, deep)
        fault = Finding(
            "syntax", ERROR, file, at, "brackets are nested too deeply", f"nest at most {MOST_NESTED} of them"
        )
        return model.Source(file, (), (), ()), [fault]
    if not text.strip():
        fault = Finding("syntax", ERROR, file, Position(1, 1), "the file is empty", "write a policy into it")
        return model.Source(file, (), (), ()), [fault]
    reading = _Reading(text, file)
    tree = reading.tree()
    if unclosed is not None:
        at = _position(text, unclosed)
        fault = Finding("syntax", ERROR, file, at, "the comment is not closed", "end it with `*/`")
        reading.faults.append(fault)
    items = Build(file).transform(tree) if tree is not None else []
    broken = [fault.at.line for fault in reading.faults]
    policies, conflicts = [], []
    for item in items:
        (policies if isinstance(item, model.Policy) else conflicts).append(item)
    ends = [*(other.at.line - 1 for other in policies[1:]), text.count("\n") + 1][: len(policies)]
    whole = []
    for policy, end in zip(policies, ends, strict=True):
        damaged = any(policy.at.line <= line <= end for line in broken)
        whole.append(replace(policy, damaged=damaged))
    silences = _silences(text, dict(zip([policy.at.line for policy in policies], ends, strict=True)))
    return model.Source(file, tuple(whole), tuple(conflicts), silences), reading.faults


def _too_deep(text: str) -> tuple[int | None, int | None]:
    """Return where brackets, or operators before an operand, are nested deeper than MOST_NESTED.

    Also where a comment begins that is not closed.
    """
    depth = chain = 0
    unclosed = None
    for match in re.finditer(rf"{_COMMENT}|\"[^\"\n]*\"|[][(){{}};]|[-+!~?]|\b(?:if|else|while)\b|\w+", text):
        char = match.group()
        if char.startswith("/*") and (len(char) < 4 or not char.endswith("*/")):
            unclosed = match.start()
        chain = chain + 1 if char in ("-", "+", "!", "~", "?", "if", "else", "while") else chain
        if char == ";":
            chain = 0
        depth += (char in ("(", "[", "{")) - (char in (")", "]", "}") and depth > 0)
        if depth > MOST_NESTED or chain > 4 * MOST_NESTED:
            return match.start(), unclosed
    return None, unclosed


def _position(text: str, offset: int) -> Position:
    before = text[:offset]
    return Position(before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


class _Reading:
    """One reading of a text. `faults`: those that were found so far."""

    def __init__(self, text: str, file: str):
        self.text, self.file = text, file
        self.faults: list[Finding] = []

    def tree(self) -> Tree | None:
        """Return the tree of everything that could be read."""
        parser = grammar().parse_interactive(self.text)
        while True:
            try:
                for token in parser.lexer_thread.lex(parser.parser_state):
                    parser.feed_token(token)
                return parser.feed_eof()
            except UnexpectedInput as error:
                offset = len(self.text) if _at_end(error) else error.pos_in_stream
                self._fault(error, offset, parser)
                if len(self.faults) >= MOST_FAULTS:
                    return None
                self._go_on(parser, offset)

    def _fault(self, error: UnexpectedInput, offset: int, parser: InteractiveParser) -> None:
        word = re.match(r"\w+|\"[^\"\n]*\"|\S", self.text[offset : offset + 80])
        what = "the file ends in the middle" if word is None else f"`{word.group()}` is not allowed here"
        if isinstance(error, UnexpectedToken):
            allowed = parser.accepts()
        else:
            allowed = error.allowed or set()
        remedy = _misspelt(self.text[:offset]) or _remedy(allowed, word.group() if word else "")
        at = _position(self.text, offset if word else len(self.text.rstrip()))
        self.faults.append(Finding("syntax", ERROR, self.file, at, what, remedy))

    def _go_on(self, parser: InteractiveParser, offset: int) -> None:
        """Set the parser and its place in the text to where it can go on."""
        stacks = parser.parser_state.state_stack, parser.parser_state.value_stack
        depths: dict[frozenset[str], int] = {}  # the most states that can be left, by what comes next
        for again in self._places(offset):
            wanted = frozenset(self._wanted(again))
            if wanted not in depths:
                every = range(len(stacks[0]), 0, -1)
                depths[wanted] = next((depth for depth in every if _takes(parser, depth, wanted)), 0)
            if depth := depths[wanted]:
                break
        for stack, least in zip(stacks, (depth, depth - 1), strict=True):
            del stack[least:]
        counter, at = parser.lexer_thread.state.line_ctr, _position(self.text, again)
        counter.char_pos, counter.line, counter.column = again, at.line, at.column
        counter.line_start_pos = again - at.column + 1
        parser.lexer_thread.state.last_token = None

    def _places(self, offset: int) -> Iterator[int]:
        """Return the places after a fault where reading may go on; the last one is the text's end."""
        start = self.text.rfind("\n", 0, offset) + 1
        for match in _AGAIN.finditer(self.text, offset if self.text[start:offset].strip() else start):
            if match["skip"] is None:
                yield match.end()
        yield len(self.text)

    def _wanted(self, offset: int) -> set[str]:
        """Return the terminals that a state must take if the text is to go on there."""
        while match := _BLANK.match(self.text, offset):
            offset = match.end()
        if offset == len(self.text):
            return {"$END"}
        for pattern, wanted in _BEGINNINGS:
            if pattern.match(self.text, offset):
                return wanted
        return {"POLICY_NAME"} if policy_name().match(self.text, offset) else {"DISCARD"}


def _takes(parser: InteractiveParser, depth: int, wanted: frozenset[str]) -> bool:
    """Whether a parser with only the lowest `depth` states of its stack would take each of these."""
    state = parser.parser_state
    rules = copy(state.parse_conf)
    rules.callbacks = {}  # nothing is built
    for name in wanted:
        left = ParserState(rules, state.lexer, state.state_stack[:depth], state.value_stack[: depth - 1])
        try:
            left.feed_token(Token(name, ""), name == "$END")
        except UnexpectedToken:
            return False
    return True


def _at_end(error: UnexpectedInput) -> bool:
    return isinstance(error, UnexpectedToken) and error.token.type == "$END"


_KEYWORDS = (*model.OPERATIONS, "accept", "discard", "timeout", "timer", "while", "global", "conflict")


def _misspelt(before: str) -> str:
    """Return a remedy if the word before a fault is nearly a keyword; else nothing."""
    match = re.search(r"(\w{4,})\s*$", before[-80:])
    if not match or match[1] in _KEYWORDS or not (meant := nearest(match[1], _KEYWORDS)):
        return ""
    return f"`{match[1]}` is not a keyword; did you mean `{meant}`?" if meant[0] == match[1][0] else ""


def _remedy(allowed: set[str], token: str) -> str:
    """Return what to write instead."""
    if "ARROW" in allowed and token == "=":
        return "compare with `==`; an assignment is a statement of its own, behind `->`"
    words = [text for name, text in _EXPECTED.items() if name in allowed]
    keywords = [name.lower() for name in sorted(allowed) if name.isalpha() and name not in _EXPECTED]
    if token and (meant := nearest(token, [word for word in keywords if len(word) > 3])):
        return f"did you mean `{meant}`?"
    if words:
        return "expected " + (
            " or ".join([", ".join(words[:2]), words[2]]) if words[2:] else " or ".join(words)
        )
    return "docs/policies.md describes the language"


def _silences(text: str, policies: dict[int, int]) -> tuple[model.Silence, ...]:
    """Return the silences of a text. `policies`: first line -> last line."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    following = [0] * (len(lines) + 1)  # by line: the next one below it that is neither empty nor a comment
    for number in range(len(lines) - 1, 0, -1):
        below = lines[number]
        code = below.strip() and not re.match(r"\s*(//|\\\\|/\*)", below)
        following[number] = number + 1 if code else following[number + 1]
    silences = []
    for match in _ALLOW.finditer(text):
        line = bisect_right(starts, match.start())
        at = Position(line, match.start() - starts[line - 1] + 1)
        first = line
        if not lines[line - 1][: at.column - 1].strip():
            first = following[line] or line
        silences.append(
            model.Silence(match[1], (match[2] or "").strip(), first, policies.get(first, first), at)
        )
    return tuple(silences)
