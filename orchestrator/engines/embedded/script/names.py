# SPDX-License-Identifier: Apache-2.0
"""The names of a script that runs natively, and the variables of its program."""

from __future__ import annotations

from dataclasses import dataclass, field

# What a script can't have as a variable of its own here: Cooja's and JavaScript's names, and words that ES6
# reserves.
RESERVED = frozenset(
    """
    id time msg mote node sim log global TIMEOUT SHUTDOWN timeout_function YIELD WAIT_UNTIL GENERATE_MSG
    write print TestOK TestFailed Shutdown undefined NaN Infinity Math Object Array String Number Boolean
    JSON Date RegExp Error parseInt parseFloat isNaN isFinite eval arguments java javax org com Java
    Packages this new await yield enum static let implements interface package private protected public of
    async get set
    """.split()
)


class NotNative(Exception):
    """The script has something that is not in the subset."""


@dataclass
class Function:
    label: int
    node: object


@dataclass
class Scope:
    """Names that are declared. `local`: a function's own, on the stack; else variables of the program.
    `block`: of let and const only.
    """

    outer: Scope | None = None
    variables: Slots | None = None
    local: bool = False
    block: bool = False
    names: dict[str, tuple] = field(default_factory=dict)
    later: set[str] = field(default_factory=set)  # let and const that are declared further down
    locals: int = 0

    def owner(self) -> Scope:
        return self.outer.owner() if self.block else self

    def declare(self, name: str, constant: bool = False, unassigned: bool = False) -> None:
        if name not in self.names:
            self.names[name] = (*self._place(name, unassigned), constant)

    def hidden(self) -> tuple:
        """A place without a name."""
        return self._place("", False)

    def _place(self, name: str, unassigned: bool) -> tuple:
        owner = self.owner()
        if owner.local:
            owner.locals += 1
            return ("local", owner.locals - 1)
        return (
            ("variable", owner.variables.new("unassigned" if unassigned else "undefined"))
            if owner.variables
            else ("variable", 0)
        )

    def find(self, name: str) -> tuple | None:
        scope = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if name in scope.later:
                raise NotNative("a name before its declaration")
            scope = scope.outer
        return None


class Slots:
    """The program's variables, by what they hold at first."""

    def __init__(self) -> None:
        self.kinds: list[str] = []

    def new(self, kind: str) -> int:
        self.kinds.append(kind)
        return len(self.kinds) - 1

    def order(self) -> list[int]:
        """Where each stands: null, undefined, without a value."""
        ranked = sorted(
            range(len(self.kinds)),
            key=lambda slot: ("null", "undefined", "unassigned").index(self.kinds[slot]),
        )
        places = [0] * len(ranked)
        for place, slot in enumerate(ranked):
            places[slot] = place
        return places
