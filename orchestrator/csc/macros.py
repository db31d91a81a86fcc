# SPDX-License-Identifier: Apache-2.0
"""Cooja's textual replacements in a test script: comments, TIMEOUT, WAIT_UNTIL, verdicts.

They know nothing of JavaScript.

So text that Cooja misreads is misread here, too: `//` inside a string begins a comment, a WAIT_UNTIL reaches
to the last bracket of its line, and in its replacement a backslash disappears and a dollar sign names a
group, as in Java.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from orchestrator.csc.model import DEFAULT_TIMEOUT_MS

_ANY = "[^\n\r\u0085\u2028\u2029]"  # Java's dot
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENT = re.compile(f"//{_ANY}*\n")
_TIMEOUT = re.compile(r"TIMEOUT\(([0-9]+)\)")
_TIMEOUT_CODE = re.compile(rf"TIMEOUT\(([0-9]+)\s*,\s*({_ANY}*)\)")
_YIELD_THEN_WAIT = re.compile(rf"YIELD_THEN_WAIT_UNTIL\(({_ANY}*)\)")
_WAIT = re.compile(rf"WAIT_UNTIL\(({_ANY}*)\)")
_STRING = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""")
_LONGEST = 15  # digits of a time-out; simulated time ends before


class Misread(Exception):
    """Cooja would refuse the script: `what`, its line in the script (1-based), and a remedy."""

    def __init__(self, what: str, line: int, remedy: str = "Cooja itself would refuse it; correct it"):
        self.what, self.line, self.remedy = what, line, remedy
        super().__init__(what)


@dataclass(frozen=True)
class Expanded:
    """`lines`: for each line of `code` its line in the script, and behind them that of `timeout_code`."""

    code: str
    timeout_ms: int
    timeout_code: str
    lines: tuple[int, ...]


def expand(text: str) -> Expanded:
    """Return the code after all replacements. Raises Misread."""
    code, lines = _without_comments("\n" + text.replace("\r\n", "\n") + "\n")
    code, lines, timeout_ms, timeout_code, timeout_line = _without_timeout(code, lines)
    for pattern, before, after in (
        (_YIELD_THEN_WAIT, "YIELD(); WAIT_UNTIL(", ")"),
        (_WAIT, "while (!(", ")) {  YIELD(); }"),
    ):
        while match := pattern.search(code):
            line = lines[code.count("\n", 0, match.start())]
            _check_reach(match[1], line, "WAIT_UNTIL")
            code = code[: match.start()] + before + _as_replacement(match, line) + after + code[match.end() :]
    code = _verdicts(code).replace("log.generateMessage(", "log.generateMsg(mote, ")
    return Expanded(code, timeout_ms, timeout_code, (*lines, timeout_line))


def _without_comments(code: str) -> tuple[str, list[int]]:
    """Replace each block comment by as many line ends as it has lines, one more than its own."""
    parts: list[str] = []
    lines = [0]  # the first line end is Cooja's own
    at = 0
    for match in _BLOCK_COMMENT.finditer(code):
        parts += [code[at : match.start()], "\n" * (match[0].count("\n") + 1)]
        _count(parts[-2], lines)
        _count(match[0], lines)
        lines.append(lines[-1])
        at = match.end()
    parts.append(code[at:])
    _count(parts[-1], lines)
    return _LINE_COMMENT.sub("\n", "".join(parts)), lines


def _count(text: str, lines: list[int]) -> None:
    for _ in range(text.count("\n")):
        lines.append(lines[-1] + 1)


def _without_timeout(code: str, lines: list[int]):
    timeout_ms, timeout_code, line = DEFAULT_TIMEOUT_MS, "", 1
    has_timeout = False
    for pattern in (_TIMEOUT, _TIMEOUT_CODE):
        match = pattern.search(code)
        if match is None:
            continue
        first = code.count("\n", 0, match.start())
        line = lines[first]
        if has_timeout and timeout_ms > 0:
            raise Misread("a second TIMEOUT", line)
        if len(match[1]) > _LONGEST:
            raise Misread(f"TIMEOUT of {match[1][:40]} ms", line)
        has_timeout, timeout_ms = True, int(match[1])
        if pattern is _TIMEOUT_CODE:
            _check_reach(match[2], line, "TIMEOUT")
        timeout_code = _verdicts(match[2]) if pattern is _TIMEOUT_CODE else ""
        lines = lines[: first + 1] + lines[first + 1 + match[0].count("\n") :]
        code = code[: match.start()] + ";" + code[match.end() :]
        again = pattern.search(code)
        if again is not None:
            raise Misread("a second TIMEOUT", lines[code.count("\n", 0, again.start())])
    return code, lines, timeout_ms, timeout_code, line


def _check_reach(text: str, line: int, macro: str) -> None:
    """Raise Misread if a statement follows what a macro is to take: it reaches too far."""
    depth = 0
    plain = _STRING.sub(lambda match: " " * len(match[0]), text)
    for at, sign in enumerate(plain):
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            if plain[at + 1 :].lstrip().startswith(";"):
                raise Misread(
                    f"`{text[at + 1 :].strip(' ;')[:60]}` follows {macro}(...): Cooja's macro takes "
                    "its line up to the last bracket",
                    line,
                    f"put what follows {macro}(...) on a line of its own",
                )
            return


def _verdicts(code: str) -> str:
    return code.replace("log.testOK()", "throw new TestOK()").replace(
        "log.testFailed()", "throw new TestFailed()"
    )


def _as_replacement(match: re.Match, line: int) -> str:
    """Return a group's text as Java's Matcher.replaceFirst takes it when it stands in the replacement."""

    def value(name: re.Match) -> str:
        if name[0].startswith("\\"):
            return name[1]
        if name[0] in ("$0", "$1"):
            return match[int(name[0][1])]
        raise Misread(
            f"`{name[0]}` in {match[0][:60]}, which Cooja takes for a group of a regular expression", line
        )

    return re.sub(r"\\(.)|\$.?", value, match[1])
