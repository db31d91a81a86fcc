# SPDX-License-Identifier: Apache-2.0
"""Finds recursive events (4.3): chains of notifications that raise themselves, within and across policies.

A rule that notifies a topic can raise `C-B notify`, `B-C notify` and, across the network, `B-extB` and
`extB-B notify` of it. A chain can go on for ever if it comes back to its first rule with every policy in the
state in which it was. Whether conditions allow that is undecidable in general. They are assumed to hold
unless they are constant, so that a warning can be false. Chains have at most MOST_CHAIN rules.
"""

from __future__ import annotations

from orchestrator.features.policies import meaning
from orchestrator.features.policies.findings import WARNING, Findings
from orchestrator.features.policies.meaning import Application, Meant, MeantRule, Perform
from orchestrator.features.policies.model import Point

MOST_CHAIN = 16

Node = tuple[int, int]  # number of the policy, of the rule


def check(application: Application, findings: Findings) -> None:
    """Report circles among rules that raise each other's events."""
    listening: dict[str, list[Node]] = {}
    rules: dict[Node, tuple[Meant, Point, MeantRule]] = {}
    for number, policy in enumerate(application.policies):
        for handler in policy.handlers:
            if not isinstance(handler.trigger, Point):
                continue
            for rule in handler.rules:
                if rule.never:
                    continue
                rules[number, rule.number] = policy, handler.trigger, rule
                if handler.trigger.operation == "notify":
                    listening.setdefault(handler.trigger.topic, []).append((number, rule.number))
    reported: set[frozenset[Node]] = set()
    for start in rules:
        chain = _circle(start, rules, listening)
        if chain is None or frozenset(chain) in reported:
            continue
        reported.add(frozenset(chain))
        policy, place, rule = rules[start]
        names = " -> ".join(f"{rules[node][0].name} on {rules[node][1]}" for node in (*chain, start))
        single = len(chain) == 1
        what = f"{'a rule raises its own event' if single else 'events raise each other'}: {names}"
        remedy = (
            "a condition that ends it cannot be seen here; leave the state, or stop notifying"
            if _stay(chain, rules)
            else "the states that the rules enter may end it; check that they do"
        )
        findings.add("livelock", WARNING, policy.written.file, rule.at, what, remedy)


def _raised(rule: MeantRule) -> list[str]:
    return [
        step.topic
        for step in meaning.steps(rule.action)
        if isinstance(step, Perform) and step.operation == "notify"
    ]


def _circle(start: Node, rules: dict, listening: dict[str, list[Node]]) -> list[Node] | None:
    """Return the shortest chain of rules back to its first in which policies can take them in turn."""
    chains, seen = [[start]], {start}
    for _ in range(MOST_CHAIN):
        longer = []
        for chain in chains:
            for topic in _raised(rules[chain[-1]][2]):
                for other in listening.get(topic, ()):
                    if other == start:
                        if _possible(chain, rules):
                            return chain
                    elif other not in seen:
                        seen.add(other)
                        longer.append([*chain, other])
        chains = longer
    return None


def _possible(chain: list[Node], rules: dict) -> bool:
    """Whether each policy is back in the state in which it began the chain."""
    state: dict[int, int] = {}
    first: dict[int, int] = {}
    for node in chain:
        rule = rules[node][2]
        first.setdefault(node[0], rule.state)
        if state.get(node[0], rule.state) != rule.state:
            return False
        state[node[0]] = rule.new_state
    return state == first


def _stay(chain: list[Node], rules: dict) -> bool:
    return all(rules[node][2].state == rules[node][2].new_state for node in chain)
