# SPDX-License-Identifier: Apache-2.0
"""The events of the case study's runs, read from their tables."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from orchestrator.features.policies.application import subject
from orchestrator.papers.once import once
from orchestrator.report.data import Results
from orchestrator.runs.model import Outcome

EXPERIMENT = "policies-case-study"
CIPHER = (
    "Sealed values are AES-128 in CCM* with replay protection. The paper encrypts with the Skipjack of "
    "TinyOS 2 (section 3.3), which is broken and doesn't run here, so no bytes or times of the cipher are "
    "the paper's."
)


@dataclass(frozen=True)
class Cell:
    """The runs of a cell that ended well; each number below is one for each seed, in their order."""

    runs: tuple[str, ...]
    text: pd.DataFrame
    counters: pd.DataFrame
    events: pd.DataFrame
    policy_events: pd.DataFrame
    nodes: pd.DataFrame

    def motes_that_did(self, line: str) -> list[int]:
        """Return how many motes printed a line."""
        lines = self.text[self.text["text"] == line]
        return [lines.loc[lines["run_id"] == run, "mote"].nunique() for run in self.runs]

    def first_s(self, line: str) -> list[float]:
        """Return when a line was first printed, in s of simulated time, of the runs that have it."""
        lines = self.text[self.text["text"] == line]
        return [float(time) / 1e6 for time in lines.groupby("run_id")["time_us"].min()]

    def counted(self, name: str) -> list[int]:
        """Return a counter, summed over all motes."""
        rows = self.counters[self.counters["name"] == name]
        return [int(rows.loc[rows["run_id"] == run, "value"].sum()) for run in self.runs]

    def events_of(self, kind: str, topic: str) -> list[int]:
        """Return the records of a kind (`pub`, `snd`, ...) about a topic."""
        rows = self.events[(self.events["kind"] == kind) & (self.events["subject"] == _name(topic))]
        return [int((rows["run_id"] == run).sum()) for run in self.runs]

    def asked_policies(self, point: str, operation: str, topic: str) -> list[int]:
        """Return how often policies were asked about an operation on a topic at a point of enforcement."""
        rows = self.policy_events
        rows = rows[(rows["point"] == point) & (rows["operation"] == operation) & (rows["topic"] == topic)]
        return [int((rows["run_id"] == run).sum()) for run in self.runs]

    def motes(self) -> list[int]:
        """Return how many motes there are."""
        return [int((self.nodes["run_id"] == run).sum()) for run in self.runs]

    def subscribers(self, topic: str) -> list[int]:
        """Return how many motes had an event of a topic come to their component, or to a policy before it."""
        given = self.events[(self.events["kind"] == "dlv") & (self.events["subject"] == _name(topic))]
        asked = self.policy_events
        asked = asked[
            (asked["point"] == "B-C") & (asked["operation"] == "notify") & (asked["topic"] == topic)
        ]
        both = {run: set[int]() for run in self.runs}
        for rows in (given, asked):
            for run, motes in rows.groupby("run_id")["mote"]:
                both[str(run)].update(motes)
        return [len(both[run]) for run in self.runs]


def _name(topic: str) -> str:
    """Return a topic as logs have it: the characters of its subject."""
    return subject(topic).to_bytes(8, "big").rstrip(b"\0").decode()


class Measured:
    """The cells of the case study by name."""

    def __init__(self, results: Results):
        self._runs: dict[str, list[str]] = {}
        for manifest in results.manifests:
            if manifest.outcome is Outcome.OK:
                self._runs.setdefault(manifest.cell, []).append(manifest.run_id)
        self._text = results.table("text", ["run_id", "time_us", "mote", "text"])
        self._counters = results.table("counters", ["run_id", "mote", "name", "value"])
        self._events = results.table("events", ["run_id", "mote", "kind", "subject"])
        asked = ["run_id", "mote", "point", "operation", "topic"]
        self._policy_events = results.table("policy_events", asked)
        self._nodes = results.table("nodes", ["run_id", "mote"])

    def cell(self, name: str) -> Cell | None:
        """Return a cell; None if none of its runs ended well."""
        runs = self._runs.get(name)
        if not runs:
            return None
        several = (self._text, self._counters, self._events, self._policy_events, self._nodes)
        return Cell(tuple(runs), *(frame[frame["run_id"].isin(runs)] for frame in several))


measured = once(Measured)
