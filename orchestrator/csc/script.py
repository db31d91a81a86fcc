# SPDX-License-Identifier: Apache-2.0
"""Our own test scripts: written from templates, recognised by exact comparison.

A script is compared with each template of `csc-templates/scripts` token by token, so that white space,
comments and quotes don't matter and everything else does. Before that, comments and `TIMEOUT(...)` are taken
out by the same textual rules that Cooja applies (it replaces them by regular expressions, not by parsing), so
that a script which Cooja would misread is not recognised here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from orchestrator.csc.model import DEFAULT_TIMEOUT_MS, EndScript, JavaScript
from orchestrator.errors import Unsupported
from orchestrator.resources import csc_templates

# Template -> which of the fields it sets.
_TEMPLATES = {
    "log-only": {"verdict_at_timeout": False},
    "pass": {},
    "expect": {"success_line": True},
    "forbid": {"fail_line": True},
    "expect-and-forbid": {"success_line": True, "fail_line": True},
    "expect-at-once": {"success_line": True, "ends_at_verdict": True},
    "forbid-at-once": {"fail_line": True, "ends_at_verdict": True},
    "expect-and-forbid-at-once": {"success_line": True, "fail_line": True, "ends_at_verdict": True},
    "expect-or-timeout": {"success_line": True, "ends_at_verdict": True, "verdict_at_timeout": False},
    "expect-and-forbid-or-timeout": {
        "success_line": True,
        "fail_line": True,
        "ends_at_verdict": True,
        "verdict_at_timeout": False,
    },
}
_PLACEHOLDERS = {"SUCCESS_LINE": "success_line", "FAIL_LINE": "fail_line"}

_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_COMMENT = re.compile(r"//.*")
_TIMEOUT = re.compile(r"TIMEOUT\((\d+)\)")
_TIMEOUT_CODE = re.compile(r"TIMEOUT\((\d+)\s*,\s*(.*)\)")
_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<name>[A-Za-z_$][\w$]*)
      | (?P<number>\d[\w.]*)
      | (?P<sign>===|!==|==|!=|<=|>=|&&|\|\||\+\+|--|.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


class UnknownScript(Unsupported):
    """A script of no known form; `statement` is the first that differs, `line` its line (1-based)."""

    def __init__(self, statement: str, line: int):
        self.statement, self.line = statement, line
        super().__init__(f"script: {statement}")


@dataclass(frozen=True)
class _Token:
    kind: str
    value: str
    at: int


@dataclass(frozen=True)
class _Parsed:
    """A script after Cooja's textual replacements."""

    text: str  # without comments
    timeout_ms: int | None
    timeout_at: int
    tokens: tuple[_Token, ...]  # the script's own
    timeout_tokens: tuple[_Token, ...] | None  # the code inside TIMEOUT(ms, code)


def write(script: EndScript | JavaScript) -> str:
    """Return the JavaScript of a script; one that was read from a file as it stood there.

    Raises Unsupported for a time-out that is not in whole ms, or a verdict without a line.
    """
    if isinstance(script, JavaScript):
        return script.text
    if script.timeout_us % 1000 or script.timeout_us < 0:
        raise Unsupported(
            f"script: a time-out of {script.timeout_us} us; Cooja's TIMEOUT takes whole milliseconds, so use "
            "those"
        )
    wanted = {
        field: True
        for field, value in (("success_line", script.success_line), ("fail_line", script.fail_line))
        if value is not None
    }
    if script.ends_at_verdict:
        if not wanted:
            raise Unsupported("script: a run that ends at a line needs the success or fail line; give one")
        wanted["ends_at_verdict"] = True
    if not script.verdict_at_timeout:
        if wanted and not script.ends_at_verdict:
            raise Unsupported(
                "script: a run without a verdict of its own has no success or fail line; drop one"
            )
        if script.ends_at_verdict and script.success_line is None:
            raise Unsupported(
                "script: nothing would let this run pass; give a success line or a verdict at the time-out"
            )
        wanted["verdict_at_timeout"] = False
    name = next(name for name, sets in _TEMPLATES.items() if sets == wanted)
    values = {
        "TIMEOUT_MS": str(script.timeout_us // 1000),
        "SUCCESS_LINE": _quote(script.success_line or ""),
        "FAIL_LINE": _quote(script.fail_line or ""),
    }
    return re.sub(r"\b(TIMEOUT_MS|SUCCESS_LINE|FAIL_LINE)\b", lambda match: values[match[1]], _source(name))


def read(text: str) -> EndScript:
    """Return the script of that text. Raises UnknownScript with the first statement that no template has."""
    script = _parse(text)
    furthest: tuple[int, bool, int] | None = None
    for name, sets in _TEMPLATES.items():
        template = _template(name)
        fields = dict(sets)
        same_timeout = _same_timeout(script, template, fields)
        fault = _compare(script.tokens, template.tokens, fields)
        if same_timeout and fault is None:
            milliseconds = DEFAULT_TIMEOUT_MS if script.timeout_ms is None else script.timeout_ms
            return EndScript(timeout_us=milliseconds * 1000, **fields)
        matched, at = fault or (len(script.tokens) + 1, 0)
        result = (matched, same_timeout, at if same_timeout else script.timeout_at)
        if furthest is None or result[:2] > furthest[:2]:
            furthest = result
    raise UnknownScript(*_statement(script, furthest[2]))


@cache
def _source(name: str) -> str:
    """Return a template without its first line, the licence."""
    return (csc_templates() / "scripts" / f"{name}.js").read_text(encoding="utf-8").split("\n", 1)[1]


@cache
def _template(name: str) -> _Parsed:
    return _parse(_source(name).replace("TIMEOUT_MS", "1"))


def _quote(text: str) -> str:
    """Return a JavaScript string literal that holds nothing which Cooja's textual replacements could find."""
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H") if text else ()
    return (
        '"'
        + "".join(
            chr(unit) if unit < 128 and re.match(r"[\w ,.:;=+!?#<>-]", chr(unit)) else f"\\u{unit:04x}"
            for unit in units
        )
        + '"'
    )


def literal(quoted: str) -> str | None:
    r"""Return the text of a string literal.

    None if it has an escape whose meaning depends on its place, or that has no meaning (\7, \u12).
    """
    codes = [match[1] for match in _ESCAPE.finditer(quoted[1:-1])]
    if any(code in "123456789ux\n" for code in codes) or re.search(r"(?<!\\)(?:\\\\)*\\0[0-9]", quoted):
        return None

    def value(match: re.Match) -> str:
        code = match[1]
        if code[0] in "ux" and len(code) > 1:
            return chr(int(code[1:], 16))
        return _SIMPLE_ESCAPES.get(code, code)

    text = _ESCAPE.sub(value, quoted[1:-1])
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")  # joins pairs


def _parse(text: str) -> _Parsed:
    text = text.replace("\r\n", "\n")
    odd = re.search("[\r\x85\u2028\u2029]", text)  # ends a line to Java's expressions, not to ours
    if odd:
        raise UnknownScript(f"line end U+{ord(odd[0]):04X}", text.count("\n", 0, odd.start()) + 1)
    text = _BLOCK_COMMENT.sub(lambda match: "\n" * match[0].count("\n") or " ", text)
    text = _LINE_COMMENT.sub("", text)
    timeout_ms, timeout_at, timeout_tokens, code = None, 0, None, text
    for pattern in (_TIMEOUT, _TIMEOUT_CODE):
        match = pattern.search(code)
        if match is None:
            continue
        if timeout_ms is not None or len(match[1]) > 15:
            raise UnknownScript(_shortened(match[0]), text.count("\n", 0, match.start()) + 1)
        timeout_ms, timeout_at = int(match[1]), match.start()
        if pattern is _TIMEOUT_CODE:
            timeout_tokens = _tokens(match[2])
        blank = " " * (match.end() - match.start() - 1)
        code = code[: match.start()] + ";" + blank + code[match.end() :]
    return _Parsed(text, timeout_ms, timeout_at, _tokens(code), timeout_tokens)


def _tokens(code: str) -> tuple[_Token, ...]:
    """Tokens without white space and semicolons that change nothing (before `}`, repeated, at ends)."""
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(code):
        kind, value = match.lastgroup, match[0]
        if kind == "space":
            continue
        if kind == "string":
            text = literal(value)
            kind, value = ("string", text) if text is not None else ("odd", value)
        if value == ";" and kind == "sign" and (not tokens or tokens[-1].value in (";", "}")):
            continue
        if value == "}" and kind == "sign" and tokens and tokens[-1].value == ";":
            tokens.pop()
        tokens.append(_Token(kind, value, match.start()))
    while tokens and tokens[-1].value == ";" and tokens[-1].kind == "sign":
        tokens.pop()
    return tuple(tokens)


def _compare(tokens: Sequence[_Token], template: Sequence[_Token], fields: dict) -> tuple[int, int] | None:
    """None if equal (placeholders go to `fields`), else how many tokens match, and where the next one is."""
    for index, token in enumerate(tokens):
        expected = template[index] if index < len(template) else None
        if token.kind == "string" and expected is not None and expected.value in _PLACEHOLDERS:
            fields[_PLACEHOLDERS[expected.value]] = token.value
            continue
        if expected is None or (token.kind, token.value) != (expected.kind, expected.value):
            return index, token.at
    if len(tokens) < len(template):
        return len(tokens), tokens[-1].at if tokens else 0
    return None


def _same_timeout(script: _Parsed, template: _Parsed, fields: dict) -> bool:
    """Whether both have the same code at the time-out.

    A script that names no time-out has Cooja's own, without code.
    """
    if script.timeout_tokens is None or template.timeout_tokens is None:
        return script.timeout_tokens is template.timeout_tokens
    return _compare(script.timeout_tokens, template.timeout_tokens, fields) is None


def _statement(script: _Parsed, at: int) -> tuple[str, int]:
    start = max(script.text.rfind(sign, 0, at) for sign in ";{}") + 1
    text = script.text[start:]
    start += len(text) - len(text.lstrip(" \t\n;"))
    start = min(start, at)
    return _shortened(script.text[start:].split("\n", 1)[0]), script.text.count("\n", 0, start) + 1


def _shortened(statement: str) -> str:
    statement = statement.strip()
    return statement if len(statement) <= 80 else statement[:77] + "..."
