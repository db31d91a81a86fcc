# SPDX-License-Identifier: Apache-2.0
"""The names of a script that runs natively, and the variables of its program."""

from __future__ import annotations

from dataclasses import dataclass, field

# Names that a native script can't have as variables: those of Cooja and JavaScript, and words reserved in
# ES6.
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
    """The script has something that does not run natively."""


@dataclass
class Function:
    """A function of the script: the label of its first instruction, and its syntax."""

    label: int
    node: object


@dataclass
class Scope:
    """The names that are declared in a part of the script.

    `local`: variables are a function's, on the stack, and else the program's. `block`: only let and const
    are.
    """

    outer: Scope | None = None
    variables: Slots | None = None
    local: bool = False
    block: bool = False
    names: dict[str, tuple] = field(default_factory=dict)
    later: set[str] = field(default_factory=set)  # let and const that are declared below
    locals: int = 0

    def owner(self) -> Scope:
        """Return the scope that has the variables of this one."""
        return self.outer.owner() if self.block else self

    def declare(self, name: str, constant: bool = False, unassigned: bool = False) -> None:
        """Declare a name, unless it is declared already."""
        if name not in self.names:
            self.names[name] = (*self._place(name, unassigned), constant)

    def hidden(self) -> tuple:
        """Return a place for a value without a name."""
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
        """Return the place of a name and whether it is constant; None if it is not declared."""
        scope = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if name in scope.later:
                raise NotNative("a name before its declaration")
            scope = scope.outer
        return None


class Slots:
    """The program's variables, with their initial values."""

    def __init__(self) -> None:
        self.kinds: list[str] = []

    def new(self, kind: str) -> int:
        """Add a variable that is null, undefined or unassigned; return its number."""
        self.kinds.append(kind)
        return len(self.kinds) - 1

    def order(self) -> list[int]:
        """Return the place of each variable: those that are null first, then undefined, then unassigned."""
        ranked = sorted(
            range(len(self.kinds)),
            key=lambda slot: ("null", "undefined", "unassigned").index(self.kinds[slot]),
        )
        places = [0] * len(ranked)
        for place, slot in enumerate(ranked):
            places[slot] = place
        return places
