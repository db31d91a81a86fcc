# SPDX-License-Identifier: Apache-2.0
"""Policies by chance: all forms of the language, every type, deep expressions; without errors."""

from __future__ import annotations

import random

TYPES = ("bool", "int8", "uint8", "int", "uint16", "long", "uint32", "float")
INTEGERS = TYPES[:-1]
FUNCTIONS = {
    "draw": ((), "int"),
    "drawLong": ((), "long"),
    "drawUnsigned": (("uint32",), "uint32"),
    "drawFloat": (("float",), "float"),
    "drawBool": (("int8", "uint16"), "bool"),
}
LIBRARY = """
- {name: PushDPC, with: 0x01}
- {name: ReliableCPC, with: 0x04}
- {name: Own, with: 0x40}
- name: test
  header: drawn.h
  functions:
    draw: {c: drawn_int, arguments: [], result: int}
    drawLong: {c: drawn_long, arguments: [], result: long}
    drawUnsigned: {c: drawn_unsigned, arguments: [uint32], result: uint32}
    drawFloat: {c: drawn_float, arguments: [float], result: float}
    drawBool: {c: drawn_bool, arguments: [int8, uint16], result: bool}
    seal: {c: drawn_sealed, arguments: [int], result: sealed}
    unseal: {c: drawn_unsealed, arguments: [sealed], result: int}
"""
EDGES = (0, 1, 2, 5, 50, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2147483647, 2147483648, 4294967295)


class Maker:
    """Makes one policy's text. `whole`: of whole numbers only, as bytecode has them."""

    def __init__(self, chance: random.Random, name: str, shared: dict[str, str], whole: bool = False):
        self.chance, self.name, self.whole_numbers = chance, name, whole
        self.shared = shared
        self.kinds = INTEGERS if whole else TYPES
        self.own = {
            f"{kind}_v{n}": kind for n, kind in enumerate(chance.choices(self.kinds, k=chance.randint(1, 6)))
        }
        self.parameters: dict[str, str] = {}
        self.called = False

    def text(self) -> str:
        chance = self.chance
        lines = [self.name]
        for name, kind in self.own.items():
            first = f" = {self.literal(kind)}" if chance.random() < 0.5 else ""
            lines.append(f"  {kind} {name}{first};")
        lines.append("  record pair { int a; uint8 b[3]; } both, pairs[2];")
        sealed = "" if self.whole_numbers else " sealed closed;"
        lines.append("  int many[5] = {1, 2, 3};" + sealed)
        topics = chance.sample(["Heat", "Smoke", "Light", "Door"], k=chance.randint(1, 4))
        states = [str(n) for n in range(chance.randint(1, 4))]
        if chance.random() < 0.3:
            states = ["idle", "armed", '"going off"', "over"][: len(states)]
        for topic in topics:
            direction = chance.choice(["C-B", "B-C", "B-extB", "extB-B"])
            operation = chance.choice(["notify", "notify", "advertise", "subscribe", "unsubscribe"])
            more = () if self.whole_numbers else ("sealed",)
            kinds = chance.choices((*self.kinds, None, *more), k=chance.randint(0, 4))
            self.parameters = {f"p{n}": kind or "int" for n, kind in enumerate(kinds)}
            formals = ", ".join(f"{kind or ''} p{n}" for n, kind in enumerate(kinds))
            lines.append(f"  on {direction} {operation} {topic}" + (f"({formals})" if kinds else ""))
            lines += self.rules(states)
        self.parameters = {}
        if chance.random() < 0.4:
            lines.append(f"  on {chance.choice(['timeout', 'timer'])}({chance.randint(1, 9999)})")
            lines += self.rules(states)
        return "\n".join(lines) + "\n"

    def rules(self, states: list[str]) -> list[str]:
        lines = []
        for _ in range(self.chance.randint(1, 4)):
            old, new = self.chance.choice(states), self.chance.choice(states)
            condition = "true" if self.chance.random() < 0.2 else self.whole(3)
            lines.append(f"    {old}-{new}: {condition} ->")
            lines += [f"      {line}" for line in self.block(2)]
            lines.append(f"      {self.outcome()}")
        return lines

    def outcome(self) -> str:
        if self.chance.random() < 0.4:
            return "discard;"
        self.called = False
        values = self.values() if self.chance.random() < 0.4 else ""
        return f"accept {values}{self.extensions()};"

    def values(self) -> str:
        self.called = False
        return "(" + ", ".join(self.sendable() for _ in range(self.chance.randint(1, 4))) + ")"

    def sendable(self) -> str:
        sealed = self.chance.random() < 0.1 and not self.whole_numbers
        return "closed" if sealed else self.number(2)

    def extensions(self) -> str:
        names = self.chance.sample(["PushDPC", "ReliableCPC", "Own"], k=self.chance.choice([0, 0, 1, 2]))
        return f" with {', '.join(names)}" if names else ""

    def block(self, depth: int) -> list[str]:
        return [line for _ in range(self.chance.randint(0, 3)) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        self.called = False
        kind = self.chance.randrange(8 if depth else 6)
        if kind < 3:
            place = self.place()
            operator = "=" if self.called else self.chance.choice(["=", "=", "+=", "-=", "*=", "/="])
            return [f"{place} {operator} {self.number(3)};"]
        if kind == 3:
            operation = self.chance.choice(["notify", "advertise", "subscribe"])
            values = self.values() if operation == "notify" and self.chance.random() < 0.7 else ""
            return [f"{operation} {self.chance.choice(['Heat', 'Alarm'])}{values}{self.extensions()};"]
        if kind in (4, 5) and self.whole_numbers:
            return [self.chance.choice(["many[2]++;", "draw();", ";", "pairs[1].b[2] -= 3;"])]
        if kind == 4:
            return [
                self.chance.choice(["closed = seal(7);", "many[2]++;", "both = pairs[1];", "draw();", ";"])
            ]
        if kind == 5:
            inner = self.chance.choice(["closed", *[p for p, k in self.parameters.items() if k == "sealed"]])
            return [f"many[0] = unseal({inner});"]
        if kind == 6:
            lines = [f"if ({self.whole(2)}) {{", *self.block(depth - 1)]
            if self.chance.random() < 0.3:
                lines.append(self.outcome())
            if self.chance.random() < 0.5:
                lines += ["} else {", *self.block(depth - 1)]
            return [*lines, "}"]
        if self.chance.random() < 0.7:
            step = "many[1] = 0; while (many[1] < 4) { many[1] += 1;"
            return [step, *self.block(0), "}"]
        return [f"while ({self.whole(1)}) {{", *self.block(0), "}"]

    def place(self) -> str:
        names = [
            name for name, kind in (self.own | self.shared | self.parameters).items() if kind != "sealed"
        ]
        more = [f"many[{self.whole(1)}]", "both.a", f"both.b[{self.whole(1)}]", "pairs[1].a", "pairs[0].b[2]"]
        return self.chance.choice([*names, *names, *more])

    def literal(self, kind: str) -> str:
        if kind == "float":
            return self.chance.choice(["0.5", "-1.25", "3e9", "1e-3", "100000.0", "-3e38"])
        if kind == "bool":
            return self.chance.choice(["true", "false"])
        bits = int("".join(filter(str.isdigit, kind)) or {"int": 16, "long": 32}[kind])
        least = 0 if kind.startswith("u") else -(1 << bits - 1)
        most = (1 << bits - kind.startswith("u") * 0 - (0 if kind.startswith("u") else 1)) - 1
        return str(self.chance.choice([least, most, 0, 1, self.chance.randint(least, most)]))

    def number(self, depth: int) -> str:
        """A number of any type."""
        chance = self.chance
        if depth == 0 or chance.random() < 0.2:
            return chance.choice([self.leaf, self.leaf, self.leaf, self.call])()
        kind = chance.randrange(6)
        if kind < 2:
            return f"({self.number(depth - 1)} {chance.choice('+-*/')} {self.number(depth - 1)})"
        if kind == 2:
            return f"({self.whole(depth - 1)} ? {self.number(depth - 1)} : {self.number(depth - 1)})"
        if kind == 3:
            return f"-({self.number(depth - 1)})"
        if kind == 4:
            return f"abs({self.number(depth - 1)}, {self.number(depth - 1)})"
        return self.whole(depth)

    def whole(self, depth: int) -> str:
        """A number of an integer type: no float stands where an integer is wanted."""
        chance = self.chance
        if depth == 0 or chance.random() < 0.2:
            names = [
                name for name, kind in (self.own | self.shared | self.parameters).items() if kind in INTEGERS
            ]
            return chance.choice(
                [*names, str(chance.choice(EDGES)), "both.a", "many[3]", "this.node_id", "0x7fff"]
            )
        left, right = self.whole(depth - 1), self.whole(depth - 1)
        kind = chance.randrange(7)
        if kind == 0:
            return f"({left} {chance.choice(['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>'])} {right})"
        if kind == 1:
            return f"(~({left}))"
        if kind == 2:
            return f"(!({self.number(depth - 1)}))"
        if kind == 3:
            return f"({left} {chance.choice(['&&', '||'])} {right})"
        if kind == 4:
            return f"abs({left})"
        compare = chance.choice(["==", "!=", "<", "<=", ">", ">="])
        return f"({self.number(depth - 1)} {compare} {self.number(depth - 1)})"

    def leaf(self) -> str:
        names = [
            name for name, kind in (self.own | self.shared | self.parameters).items() if kind != "sealed"
        ]
        literals = [str(self.chance.choice(EDGES)), "'x'", "true"]
        if not self.whole_numbers:
            literals.append(self.literal("float"))
        return self.chance.choice([*names, *names, *literals, "many[1]"])

    def call(self) -> str:
        """At most one in a statement: C leaves open which of two is called first."""
        if self.called:
            return self.leaf()
        self.called = True
        known = [one for one in FUNCTIONS.items() if not self.whole_numbers or one[0] != "drawFloat"]
        name, (kinds, _) = self.chance.choice(known)
        return f"{name}({', '.join(self.leaf() for _ in kinds)})"


def every_operator() -> str:
    """A policy for each type, whose actions compute with all operators on the arguments of its event."""
    text = ""
    for kind in INTEGERS:
        text += f"""All{kind}
  on C-B notify {kind}({kind} a, {kind} b)
    0-0: a >= 0 ->
      notify R(a + b, a - b, a * b, a / b);
      notify R(a % b, a << b, a >> b, -a);
      notify R(~a, a & b, a | b, a ^ b);
      notify R(abs(a), abs(a, b), a < b, a == b);
      notify R(a << 3, a >> 3, a / 7, a % -1);
      accept (a <= b, a != b, !a, a && b);
    0-0: a < 0 ->
      notify R(a + b, a - b, a * b, a / b);
      notify R(a % b, a << b, a >> b, -a);
      discard;
"""
    return (
        text
        + """AllFloat
  int8 i8; uint8 u8; int i16; uint16 u16; long i32; uint32 u32;
  on C-B notify Float(float a, float b)
    0-0: true ->
      notify R(a + b, a - b, a * b, a / b);
      i8 = a; u8 = a; i16 = a; u16 = a; i32 = a; u32 = a;
      notify R(i8, u8, i16, u16);
      accept (i32, u32, -a, a < b);
AllVectors
  int many[3] = {5, 6, 7}; record pair { uint8 b[2]; } pairs[2];
  on C-B notify Vector(int a, int b)
    0-0: true ->
      many[7] = a; many[a] = b; many[-2] += 1; pairs[b].b[a] = a; pairs[1].b[-1]++;
      notify R(many[0], many[1], many[2], many[b]);
      accept (pairs[0].b[0], pairs[1].b[0], pairs[9].b[1], pairs[a].b[b]);
"""
    )


def policies(seed: int, count: int = 3) -> str:
    """The text of some policies."""
    chance = random.Random(seed)
    shared = {"level": "int", "share": "float"}
    head = "first\n  global int level = 7; global float share;\n  on timeout(1) 0-0: true -> discard;\n"
    return head + "".join(Maker(chance, f"Policy{number}", shared).text() for number in range(count))
