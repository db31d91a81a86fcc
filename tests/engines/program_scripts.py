# SPDX-License-Identifier: Apache-2.0
"""Random scripts of the forms that run natively: the same number gives the same script."""

from __future__ import annotations

import random

WORDS = [
    "a",
    "boot",
    "=",
    " ",
    "22",
    "Hello, World",
    "",
    "-7",
    "1.5",
    "é€",
    "LATE",
    "x1F",
    "end",
    "b\\tc",
    "\\u20ac",
    "0",
]
NUMBERS = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "0.5",
    "1000",
    "1e21",
    "123456789.125",
    "0x1F",
    "1e-7",
    "4294967296",
    "017",
]
EVENTS = [
    (1, 2000, "boot 1"),
    (2, 3500, "boot 2"),
    (1, 1000123, "a=1 b=22 c"),
    (3, 2000000, "Hello, World"),
    (2, 3000001, "xé€ 7"),
    (1, 3000001, ""),
    (1, 4000000000, "late 0x1F"),
    (4, 5000000000, "end"),
    (2, 5000000001, "-7"),
    (1, 5000000002, "a=1 b=22 c"),
]


class Writer:
    """Writes one script."""

    def __init__(self, number: int):
        self._random = random.Random(number)
        self._depth = 0
        self._counters = 0

    def _one(self, *what):
        return self._random.choice(what)

    def script(self) -> str:
        self._functions = self._random.random() < 0.4
        timeout = self._one(
            "TIMEOUT(9000);",
            "TIMEOUT(9000, log.testOK());",
            "TIMEOUT(9000, log.log(n + s + '\\n'); if(n > 2) { log.testOK(); });",
            "TIMEOUT(9000, log.log(msg + id + time + '\\n'); log.testFailed());",
            "TIMEOUT(9000, for(k in m) { log.log(k + m[k] + '\\n'); });",
            "TIMEOUT(9000, if(global.get('seen')) { log.testOK(); });\ntimeout_function = function() { "
            "log.log('over ' + v + '\\n'); };",
        )
        head = [
            timeout,
            "n = 0; s = ''; m = {};",
            f"var v = {self.number()}, w = {self.text()}, f = false;",
            "var c = {}, l = [];",
            "let q = 1;" if self._random.random() < 0.3 else "var q;",
        ]
        if self._functions:
            head.append(
                f"function g(a, b) {{ var t = {self._one('a', 'a + b', 'b')}; "
                f"if({self._one('a > 1', 'b', 't == 2')}) {{ return {self._one('t', 'b', 'v')}; }} "
                f"n += 1; {self._one('YIELD();', '', 'v = t;')} return t + {self._one('1', 's', 'id')}; }}"
            )
        body = "\n".join(self.statement() for _ in range(self._random.randint(2, 6)))
        end = self._one(
            "YIELD();",
            "YIELD();",
            f"YIELD();\nWAIT_UNTIL({self.condition()});",
            f"YIELD_THEN_WAIT_UNTIL({self.condition()});",
        )
        return "\n".join(
            [
                *head,
                f"while({self._one('true', 'true', 'n < 6', '1')}) {{",
                body,
                end,
                "}",
                f"log.log({self.parts()});",
                "",
            ]
        )

    # Statements

    def statement(self) -> str:
        self._depth += 1
        text = self._statement() if self._depth < 4 else f"log.log({self.parts()});"
        self._depth -= 1
        return text

    def _block(self) -> str:
        return "{ " + " ".join(self.statement() for _ in range(self._random.randint(1, 3))) + " }"

    def _statement(self) -> str:
        return self._one(
            lambda: f"log.log({self.parts()});",
            lambda: f"log.log({self.parts()});",
            lambda: f"n {self._one('=', '+=', '-=', '*=', '|=', '>>=')} {self.number()};",
            lambda: f"{self._one('n', 'v', 'q', 'c[id]', 'm[msg]')}{self._one('++', '--')};",
            lambda: f"s = {self.text()};",
            lambda: f"s += {self.value()};",
            lambda: f"w = ({self.text()});",
            lambda: f"f = {self.condition()};",
            lambda: f"{self._one('m', 'c')}[{self.key()}] = {self.value()};",
            lambda: f"c[id] = (c[id] || 0) + {self.number()};",
            lambda: f"delete {self._one('m', 'c')}[{self.key()}];",
            lambda: (
                f"if({self.condition()}) {self._block()}"
                + self._one("", f" else {self._block()}", f" else if({self.condition()}) {self._block()}")
            ),
            self._count,
            lambda: (
                f"for(k in {self._one('m', 'c')}) {{ {self._inner()} log.log(k + '\\n'); "
                f"{self._one('n++;', 'delete c[k];', '')} }}"
            ),
            lambda: f"l.push({self._one(self.number(), self.text())});",
            lambda: f"l = {self.text()}.split({self._one(repr(' '), repr('='), repr(', '))});",
            lambda: f"global.put('seen', {self.condition()});",
            lambda: (
                f"if({self._one('n > 20', 'id == 4', 'false', self.condition())}) {{ "
                f"log.test{self._one('OK', 'Failed')}(); }}"
            ),
            lambda: (
                f"switch({self._one('id', 'n', 'v', 'msg')}) {{ case 1: {self.statement()} break; case 2: "
                f"case 3: {self.statement()} default: {self.statement()} }}"
            ),
            lambda: (
                f"\nWAIT_UNTIL({self._one('id == 1', 'msg.contains(String(1))', 'time > 3000', self.condition())});\n"  # noqa: E501
            ),
            lambda: "YIELD();",
            lambda: f"{{ let q = {self.value()}; log.log(q + '\\n'); }}",
            lambda: f"g({self.value()}, {self.value()});" if self._functions else ";",
        )()

    def _count(self) -> str:
        self._counters += 1
        name, most = f"i{self._counters}", self._one("2", "3", "id")
        if self._one(True, False):
            return (
                f"for({self._one('var ', 'let ', '')}{name} = 0; {name} < {most}; {name}++) {{ "
                f"{self._inner()} {self.statement()} }}"
            )
        return f"{name} = 0; do {{ {self._inner()} {self.statement()} }} while(++{name} < {most});"

    def _inner(self) -> str:
        return self._one("", "", f"if({self.condition()}) {{ {self._one('break', 'continue')}; }}")

    # Expressions

    def value(self) -> str:
        return self._one(
            self.number,
            self.text,
            self.condition,
            lambda: self._one("m", "c") + f"[{self.key()}]",
            lambda: self._one("null", "undefined", "q", "time"),
            lambda: f"({self.condition()} ? {self._leaf()} : {self._leaf()})",
            lambda: f"g({self._leaf()}, {self._leaf()})" if self._functions else "v",
        )()

    def _leaf(self) -> str:
        return self._one(
            "id", "time", "n", "v", "s", "w", "msg", self._one(*NUMBERS), repr_(self._one(*WORDS))
        )

    def key(self) -> str:
        return self._one("id", "msg", "n", "s", "'k'", "time", "7", "'a' + id")

    def number(self) -> str:
        self._depth += 1
        simple = self._depth > 4
        text = (
            self._one(*NUMBERS, "id", "n", "v", "time")
            if simple
            else self._one(
                lambda: self._one(*NUMBERS, "id", "n", "v", "time", "q"),
                lambda: (
                    f"({self.number()} "
                    f"{self._one('+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>', '>>>')} {self.number()})"
                ),
                lambda: f"{self.text()}.length",
                lambda: f"{self.text()}.indexOf({repr_(self._one(*WORDS))})",
                lambda: f"parse{self._one('Int', 'Float')}({self.text()})",
                lambda: f"Math.{self._one('floor', 'ceil', 'round', 'abs')}({self.number()})",
                lambda: f"Math.{self._one('max', 'min')}({self.number()}, {self.number()})",
                lambda: f"{self._one('-', '+', '~')}({self.number()})",
                lambda: "Object.keys(m).length",
                lambda: "l.length",
                lambda: f"Number({self._leaf()})",
                lambda: self._one("v++", "--v", "++n"),
                lambda: f"({self._one('n', 'v')} = {self.number()})",
                lambda: "msg.lastIndexOf('b')",
            )()
        )
        self._depth -= 1
        return text

    def text(self) -> str:
        self._depth += 1
        simple = self._depth > 4
        text = (
            self._one("msg", "s", "w", repr_(self._one(*WORDS)))
            if simple
            else self._one(
                lambda: self._one("msg", "msg", "s", "w"),
                lambda: repr_(self._one(*WORDS)),
                lambda: f"({self.text()} + {self.value()})",
                lambda: f"({self._leaf()} + {self.text()})",
                lambda: f"msg.substr({self._one('0', '1', '-2', 'n')}{self._one('', ', 3', ', id')})",
                lambda: (
                    f"{self._one('msg', 's')}.substring({self._one('0', '2', 'id')}{self._one('', ', 4')})"
                ),
                lambda: (
                    f"w.{self._one('trim()', 'toUpperCase()', 'toLowerCase()', 'charAt(1)', 'slice(-3)', 'concat(id, s)')}"  # noqa: E501
                ),
                lambda: f"String({self._leaf()})",
                lambda: "`${time}:${id} ${msg}`",
                lambda: f"msg.replace({repr_(self._one('a', 'b', ' '))}, {repr_(self._one('', 'XY'))})",
                lambda: "typeof " + self._one("n", "time", "m", "q"),
                lambda: "l.join('+')",
            )()
        )
        self._depth -= 1
        return text

    def condition(self) -> str:
        self._depth += 1
        simple = self._depth > 4
        text = (
            self._one("id == 1", "n > 2", "f", "true")
            if simple
            else self._one(
                lambda: (
                    f"msg.{self._one('contains', 'startsWith', 'endsWith', 'equals', 'equalsIgnoreCase')}({repr_(self._one(*WORDS))})"  # noqa: E501
                ),
                lambda: (
                    f"{self._one('id', 'time', 'n', 'v')} {self._one('<', '>', '<=', '>=', '==', '!=')} "
                    f"{self.number()}"
                ),
                lambda: (
                    f"{self._one('id', 'n', 'v')} {self._one('===', '!==')} {self._one('1', '2', 'n', 'msg')}"
                ),
                lambda: f"{self._leaf()} {self._one('==', '!=', '<', '>=')} {self._leaf()}",
                lambda: f"(!({self.condition()}))",
                lambda: f"({self.condition()} {self._one('&&', '||')} {self.condition()})",
                lambda: f"{self.key()} in {self._one('m', 'c')}",
                lambda: (
                    f"m[{self.key()}] {self._one('==', '!=', '===', '!==')} "
                    f"{self._one('undefined', 'null', 'msg', '1')}"
                ),
                lambda: "msg.isEmpty()",
                lambda: f"isNaN({self.number()})",
                lambda: f"c.hasOwnProperty({self._one('id', 'msg')})",
            )()
        )
        self._depth -= 1
        return text

    def parts(self) -> str:
        return " + ".join(
            [self._one("time", "id", "msg", "n", repr_(self._one(*WORDS)))]
            + [self._one(self.value, self.text, self.number)() for _ in range(self._random.randint(0, 3))]
            + ["'\\n'"]
        )


def repr_(word: str) -> str:
    return '"' + word + '"'
