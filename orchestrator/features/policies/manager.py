# SPDX-License-Identifier: Apache-2.0
"""The reference's policy manager: Figure 8's procedure, conflicts (4.2), time, and actions' operations.

contiki-apps/middleware/policies/ has the one for motes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestrator.features.policies import arithmetic
from orchestrator.features.policies.interpreter import (
    Event,
    Node,
    Operation,
    Outcome,
    Running,
    Value,
    first_value,
)
from orchestrator.features.policies.meaning import Application
from orchestrator.features.policies.model import Point, Timeout

MOST_OPERATIONS = 8  # POLICY_MOST_OPERATIONS, which actions may ask for before the first operation goes on


@dataclass(frozen=True)
class Told:
    """One thing that the manager did. `what`: rule, no rule, accept, discard, operation or conflict."""

    what: str
    where: str
    arguments: tuple[Value, ...] = ()
    policy: str = ""
    extensions: tuple[str, ...] = ()


class Manager:
    """The policies of one node."""

    def __init__(
        self, application: Application, names: Sequence[str] | None = None, node: Node | None = None
    ):
        self.node = node or Node()
        self.node.shared.update({slot.name: first_value(slot) for slot in application.shared})
        self.policies = [
            Running(policy, self.node)
            for policy in application.policies
            if names is None or policy.name in names
        ]
        self.strategies = {conflict.point: conflict for conflict in application.conflicts}
        self.told: list[Told] = []
        self.now = 0
        self.last_event = 0
        self.entered = {id(policy): 0 for policy in self.policies}
        self.fired: dict[tuple[int, Timeout], int] = {}
        self._queue: deque[Operation] = deque()
        self._draining = False

    def event(self, event: Event, raised_by: str = "") -> bool:
        """Decide whether an operation at an enforcement point may go on.

        `raised_by`: the policy that asked for it, which is not asked about it.
        """
        self.last_event = self.now
        outcomes = self._ask(event, raised_by)
        decision = self._decision(event, outcomes)
        where = str(event.trigger)
        verdict = "accept" if decision else "discard"
        self.told.append(Told(verdict, where, tuple(event.arguments), extensions=event.extensions))
        self._drain()
        return decision

    def _ask(self, event: Event, raised_by: str) -> list[Outcome]:
        outcomes = []
        for policy in self.policies:
            if event.trigger not in policy.handlers or policy.policy.name == raised_by:
                continue
            before = policy.state
            outcome = policy.on(event)
            self._queue.extend(self.node.operations)
            self.node.operations.clear()
            if policy.state != before:
                self.entered[id(policy)] = self.now
            what = "no rule" if outcome is Outcome.NO_RULE else "rule"
            states = policy.policy.states
            where = f"{event.trigger}, {states[before]}-{states[policy.state]}: {outcome.value}"
            self.told.append(Told(what, where, policy=policy.policy.name))
            if outcome is not Outcome.NO_RULE:
                outcomes.append(outcome)
        return outcomes

    def _decision(self, event: Event, outcomes: list[Outcome]) -> bool:
        """Return the decision.

        It is to accept if no policy has a rule for the event, what all policies say if they agree, and
        otherwise what the strategy says.
        """
        discards = outcomes.count(Outcome.DISCARD)
        if discards in (0, len(outcomes)):
            return discards == 0
        strategy = self.strategies.get(event.trigger)
        self.told.append(Told("conflict", f"{event.trigger}: {strategy.strategy if strategy else 'default'}"))
        if strategy is None:
            return False
        if strategy.strategy == "tolerate":
            return discards * 100 < strategy.percent * len(outcomes)
        return (
            strategy.strategy == "accept"
        )  # `battery` gives the default here, which the charge can't change to accept

    def _drain(self) -> None:
        """Carry out the operations that actions asked for.

        Operations that these cause are queued behind them.
        """
        if self._draining:
            return
        self._draining = True
        done = 0
        while self._queue:
            call = self._queue.popleft()
            done += 1
            if done > MOST_OPERATIONS:
                self.node.fault(arithmetic.QUEUE)
                continue
            place = Point("C-B", call.operation, call.topic)
            self.told.append(Told("operation", str(place), call.arguments, call.by, call.extensions))
            self.event(Event(place, list(call.arguments), call.extensions), call.by)
        self._draining = False

    def advance(self, to: int) -> None:
        """Let time pass to `to`, ms; time-outs fire on the way."""
        while (due := min(self._due(), default=(to + 1,)))[0] <= to:
            self.now, place, clock = due[0], due[1], due[2]
            policy = self.policies[place]
            trigger = [handler for handler in policy.handlers if isinstance(handler, Timeout)][clock]
            self.fired[place, trigger] = self.now
            self._ask_one(policy, trigger)
            self._drain()
        self.now = to

    def _ask_one(self, policy: Running, trigger: Timeout) -> None:
        others, self.policies = self.policies, [policy]
        self._ask(Event(trigger), "")
        self.policies = others

    def _due(self) -> Iterator[tuple[int, int, int]]:
        """Return when each time-out fires next: once after each silence, and once in each stay in a state."""
        for place, policy in enumerate(self.policies):
            clocks = [handler for handler in policy.handlers if isinstance(handler, Timeout)]
            for clock, trigger in enumerate(clocks):
                since = self.entered[id(policy)] if trigger.in_state else self.last_event
                due = since + trigger.period
                if self.fired.get((place, trigger), -1) < due:
                    yield max(due, self.now), place, clock
