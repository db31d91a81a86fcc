# SPDX-License-Identifier: Apache-2.0
"""Finds the global variables of an application, and which policies share them (4.1.1)."""

from __future__ import annotations

from orchestrator.features.policies import model
from orchestrator.features.policies.findings import ERROR, WARNING, Findings
from orchestrator.features.policies.meaning import Slot
from orchestrator.features.policies.types import Type, with_article
from orchestrator.words import nearest


class Shared:
    """The global variables; there is one for each name.

    A variable is shared by the policies that declare it and by those that a declaration names. A `global`
    that names none is shared by all policies of the node.
    """

    def __init__(self, policies: list[model.Policy], findings: Findings):
        self.names, self.findings = {policy.name for policy in policies}, findings
        self.slots: dict[str, Slot] = {}
        self.sharers: dict[str, set[str] | None] = {}  # None: all

    def declare(
        self, policy: model.Policy, variable: model.Variable, kind: Type, first: tuple[int | float, ...]
    ) -> None:
        """Add a declaration."""

        def tell(name: str, severity: str, what: str, remedy: str) -> None:
            self.findings.add(name, severity, policy.file, variable.at, what, remedy)

        name = variable.name
        if not variable.shared_with:
            what = f"global {name} names no policy"
            tell(
                "share", WARNING, what, f"all policies of the node share it; or write global(A, B) ... {name}"
            )
        for other in variable.shared_with:
            if other not in self.names:
                meant = nearest(other, self.names)
                remedy = f"did you mean {meant}?" if meant else "give its file too, or take it out"
                tell("share", WARNING, f"global {name} names {other}, which is not there", remedy)
        before = self.slots.get(name)
        if before and before.type != kind:
            tell(
                "names", ERROR, f"global {name} is {with_article(before.type)} elsewhere", "give it one type"
            )
        elif before and before.first and first and before.first != first:
            tell(
                "names", ERROR, f"global {name} has another first value elsewhere", "give it one first value"
            )
        if not before or (first and not before.first):
            self.slots[name] = Slot(name, kind, "shared", "", first=first)
        sharers = self.sharers.setdefault(name, set())
        if not variable.shared_with or sharers is None:
            self.sharers[name] = None
        else:
            sharers.update(variable.shared_with, {policy.name})

    def find(self, policy: str, name: str) -> Slot | None:
        """Return the global variable to which a name refers in a policy."""
        if name not in self.slots:
            return None
        sharers = self.sharers[name]
        return self.slots[name] if sharers is None or policy in sharers else None
