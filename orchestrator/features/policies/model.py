# SPDX-License-Identifier: Apache-2.0
"""The syntax tree of policies: plain values with their places in the text. meaning.py has the meaning."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

DIRECTIONS = ("C-B", "B-C", "B-extB", "extB-B")
OPERATIONS = ("notify", "advertise", "subscribe", "unadvertise", "unsubscribe")
MOST_ARGUMENTS = 4  # of an event: POLICY_ARGUMENTS of middleware/policies/policy-conf.h
MOST_STATES = 256  # a state is one byte on a mote


class Position(NamedTuple):
    """A place in a file; lines and columns count from 1."""

    line: int
    column: int


NOWHERE = Position(0, 0)


@dataclass(frozen=True)
class Node:
    """A node of the syntax tree, with its place. Nodes compare equal regardless of their places."""

    at: Position = field(default=NOWHERE, compare=False, kw_only=True)


@dataclass(frozen=True)
class Literal(Node):
    """A constant as it is written: `0x1F`, `2.5`, `'a'`, `true`. `kind`: integer, real, character or bool."""

    kind: str
    text: str


@dataclass(frozen=True)
class Name(Node):
    """A variable, parameter or constant."""

    name: str


@dataclass(frozen=True)
class Member(Node):
    """A field of a record, or a function of an extension: `EC.encrypt`."""

    of: Expression
    name: str


@dataclass(frozen=True)
class Index(Node):
    """An element of a vector."""

    of: Expression
    index: Expression


@dataclass(frozen=True)
class Call(Node):
    """A call of a library's or an extension's function; its name may hold a dot."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Unary(Node):
    """An operator before its operand: - + ! ~."""

    operator: str
    operand: Expression


@dataclass(frozen=True)
class Binary(Node):
    """An operator between two operands."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Conditional(Node):
    """`condition ? then : otherwise`."""

    condition: Expression
    then: Expression
    otherwise: Expression


Expression = Literal | Name | Member | Index | Call | Unary | Binary | Conditional


@dataclass(frozen=True)
class Assignment(Node):
    """`place operator value`; the operator is =, +=, -= and so on."""

    place: Expression
    operator: str
    value: Expression


@dataclass(frozen=True)
class Calling(Node):
    """A call as a statement."""

    call: Call


@dataclass(frozen=True)
class Operate(Node):
    """A publish/subscribe operation. `arguments`: None if it is written without parentheses."""

    operation: str
    topic: str
    arguments: tuple[Expression, ...] | None
    extensions: tuple[str, ...]


@dataclass(frozen=True)
class Outcome(Node):
    """`accept` or `discard`: it ends the action."""

    accepts: bool
    arguments: tuple[Expression, ...] | None
    extensions: tuple[str, ...]


@dataclass(frozen=True)
class If(Node):
    """`if (condition) then else otherwise`."""

    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class While(Node):
    """`while (condition) body`."""

    condition: Expression
    body: tuple[Statement, ...]


Statement = Assignment | Calling | Operate | Outcome | If | While


@dataclass(frozen=True)
class WrittenType(Node):
    """A type: a scalar (`name` has its words), a record (`record` is its name), or a new record."""

    name: str
    record: str | None = None
    fields: tuple[tuple[WrittenType, str, int | None], ...] = ()


@dataclass(frozen=True)
class Variable(Node):
    """A policy's variable.

    `shared_with`: the policies that a `global` names. `size`: that of a vector, else None. `first`: its first
    values as they are written, or None.
    """

    name: str
    type: WrittenType
    size: int | None
    first: tuple[Expression, ...] | None
    shared: bool
    shared_with: tuple[str, ...]


@dataclass(frozen=True)
class Point(Node):
    """The place where an operation on a topic is seen."""

    direction: str
    operation: str
    topic: str

    def __str__(self) -> str:
        return f"{self.direction} {self.operation} {self.topic}"


@dataclass(frozen=True)
class Formal(Node):
    """A parameter of an event. `type`: None if none is written."""

    name: str
    type: WrittenType | None


@dataclass(frozen=True)
class Timeout(Node):
    """A time-out.

    `timeout(t)`: no publish/subscribe event for t ms. `timer(t)`: t ms in the same state (`in_state`).
    `period`: None if none is written.
    """

    period: int | None
    in_state: bool

    def __str__(self) -> str:
        return f"{'timer' if self.in_state else 'timeout'}({'' if self.period is None else self.period})"


@dataclass(frozen=True)
class Rule(Node):
    """One state-condition-action rule. `number`: its place in the policy, from 0."""

    state: str
    new_state: str
    condition: Expression
    action: tuple[Statement, ...]
    number: int
    new_state_at: Position = field(default=NOWHERE, compare=False, kw_only=True)


@dataclass(frozen=True)
class Event(Node):
    """An event: what follows one `on`. `formals`: None if the topic is written without parentheses."""

    trigger: Point | Timeout
    formals: tuple[Formal, ...] | None
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Policy(Node):
    """A policy.

    `damaged`: whether part of its text could not be read, so that nothing can be concluded from what it
    lacks.
    """

    name: str
    variables: tuple[Variable, ...]
    events: tuple[Event, ...]
    file: str
    damaged: bool = False

    @property
    def rules(self) -> list[Rule]:
        return [rule for event in self.events for rule in event.rules]

    @property
    def initial(self) -> str:
        """The state in which it starts: the one that its first rule leaves."""
        return next((rule.state for rule in self.rules), "0")

    @property
    def states(self) -> list[str]:
        """The states in the order in which the text names them, the initial one first."""
        return list(dict.fromkeys(state for rule in self.rules for state in (rule.state, rule.new_state)))


@dataclass(frozen=True)
class Conflict(Node):
    """An (event, strategy) pair. `strategy`: accept, discard, tolerate or battery, with `percent`."""

    point: Point
    strategy: str
    percent: int = 0


@dataclass(frozen=True)
class Silence:
    """A comment `// allow NAME: reason`.

    It covers the lines `first` to `last`. If something stands before it these are its own line, else the next
    line that is not only a comment; if a policy's name stands there, the whole policy.
    """

    name: str
    reason: str
    first: int
    last: int
    at: Position = NOWHERE


@dataclass(frozen=True)
class Source:
    """The content of a file."""

    file: str
    policies: tuple[Policy, ...]
    conflicts: tuple[Conflict, ...]
    silences: tuple[Silence, ...]
