# SPDX-License-Identifier: Apache-2.0
"""Collects the checks' findings. A finding has a name, by which the source can silence it with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from orchestrator.features.policies.model import Position, Silence

ERROR, WARNING, NOTE = "error", "warning", "note"

# name -> what the finding is about; docs/policies.md lists them. A policy with an `error` is not compiled.
NAMES = {
    "syntax": "the text is not of the language",
    "direction": "an event has none of the four directions",
    "names": "a name is used twice, or for two things",
    "type": "a value has the wrong type",
    "function": "a function is not declared by any extension",
    "order-of-calls": "functions are called in an order that C leaves open",
    "extension": "an extension is missing, or cannot be used in a `with` list",
    "argument": "a topic, an operation or a function has the wrong number of arguments",
    "limits": "more than a mote has room for",
    "undeclared": "a variable is not declared",
    "undefined": "a variable is read that has no value yet",
    "unused": "a variable gets a value that nothing reads",
    "outcome": "an action does not end in accept or discard",
    "timeout-outcome": "the action of a time-out has an outcome, or none",
    "unreachable-code": "a statement follows an outcome",
    "period": "a time-out has no period",
    "order": "an operation comes before the one that it needs",
    "state": "a state cannot be reached",
    "end": "no rule leaves a state",
    "linked": "an extension is not linked into the application's firmware",
    "topic": "neither a component nor a policy advertises a topic, or subscribes to it",
    "overlap": "two rules of a state hold at the same time",
    "dead-rule": "a rule can never be taken",
    "gap": "no rule of a state holds",
    "livelock": "a chain of events does not end",
    "share": "a global variable names no policy, or one that is not there",
    "sign": "a signed and an unsigned number are compared",
    "loop": "a loop may go round too often",
    "allow": "a silence has no reason, or silences nothing",
}


# Errors that a silence may overrule: the policy still has a clear meaning.
_OVERRULED = ("outcome", "order-of-calls", "linked")


@dataclass(frozen=True)
class Finding:
    """One finding, and what to do about it."""

    name: str
    severity: str
    file: str
    at: Position
    what: str
    remedy: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.at.line}:{self.at.column}" if self.at.line else self.file
        return f"{where}: {self.severity}: {self.what} [{self.name}]\n    {self.remedy}"


class Findings:
    """Collect findings, each once."""

    def __init__(self) -> None:
        self._found: dict[Finding, None] = {}

    def add(self, name: str, severity: str, file: str, at: Position, what: str, remedy: str) -> None:
        """Add a finding; `name` is one of NAMES."""
        assert name in NAMES, name
        self._found.setdefault(Finding(name, severity, file, at, what, remedy))

    def extend(self, findings: Iterable[Finding]) -> None:
        self._found.update(dict.fromkeys(findings))

    def __iter__(self) -> Iterator[Finding]:
        return iter(sorted(self._found, key=lambda finding: (finding.file, finding.at, finding.name)))

    def __len__(self) -> int:
        return len(self._found)


def after_silences(
    findings: Iterable[Finding],
    file: str,
    silences: tuple[Silence, ...],
    unasked: frozenset[str] = frozenset(),
) -> list[Finding]:
    """Return a file's findings that are not silenced, and faults of its silences.

    Errors that leave a policy without a meaning can't be silenced. `unasked`: names of checks that were not
    run.
    """
    left, used, vain = [], set(), set()
    for finding in findings:
        covering = [silence for silence in silences if _covers(silence, finding)]
        if finding.severity == ERROR and finding.name not in _OVERRULED:
            vain.update(covering)
            covering = []
        used.update(covering)
        if not any(silence.reason for silence in covering):
            left.append(finding)
    for silence in silences:
        comment = f"`allow {silence.name}`"
        if silence.name not in NAMES or silence.name in ("syntax", "allow"):
            what, remedy = f"{comment} names no check", f"names of checks are {', '.join(sorted(NAMES))}"
        elif not silence.reason:
            what, remedy = f"{comment} has no reason", f"write // allow {silence.name}: why this is right"
        elif silence in vain and silence not in used:
            what = f"{comment} can't silence an error without which nothing can be compiled"
            remedy = "mend the error, and remove this"
        elif silence not in used and silence.name not in unasked:
            what, remedy = f"{comment} silences nothing", "remove it, or move it above the line it covers"
        else:
            continue
        left.append(Finding("allow", WARNING, file, silence.at, what, remedy))
    return left


def _covers(silence: Silence, finding: Finding) -> bool:
    lines = range(silence.first, silence.last + 1)
    return silence.name == finding.name and finding.at.line in lines
