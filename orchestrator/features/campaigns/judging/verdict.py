# SPDX-License-Identifier: Apache-2.0
"""The verdict on a round: green, red, or incomplete, with every reason.

Red is a run whose own verdict failed, or a metric that changed beyond the stated effect. Green needs every
planned run to have ended ok, and every cell to have been compared with the baseline; what was left out on
purpose (quarantine) is named. Anything else is incomplete. A cell whose code, medium and engine are those of
the baseline, byte for byte, can't have changed and isn't tested: with the same seed it gives the same bytes,
and with another one it is another draw from the same runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.execution.spread import Spread, here
from orchestrator.features.campaigns import baseline as baselines
from orchestrator.features.campaigns import record, samples
from orchestrator.features.campaigns.baseline import BaseCell, Baseline
from orchestrator.features.campaigns.judging import trend
from orchestrator.features.campaigns.judging.blame import Blame, Red, blame, failed
from orchestrator.features.campaigns.judging.cells import Cells
from orchestrator.features.campaigns.judging.files import tested_before
from orchestrator.features.campaigns.judging.judge import Compared, Finding, Kind, judge, missing
from orchestrator.features.campaigns.judging.model import (
    RED_KINDS,
    CellState,
    Colour,
    Reason,
    Standing,
    Verdict,
    said,
)
from orchestrator.features.campaigns.judging.trend import Night
from orchestrator.features.campaigns.model import CellPlan, State, Why
from orchestrator.features.campaigns.record import Round
from orchestrator.features.campaigns.written import USUAL, Judging
from orchestrator.runs.model import Outcome
from orchestrator.statistics import nights as spending
from orchestrator.words import counted


def give(
    store: Path, name: str, judging: Judging = USUAL, round_id: str | None = None, spread: Spread = here
) -> Verdict:
    """Return the verdict on a round, the latest if none is named.

    The metrics of its runs are taken from the tables and kept. `spread` says where tests and trends are
    computed. Raises NoSuchThing and StorageFailed.
    """
    return _Giver(Path(store), name, record.named(store, name, round_id), judging, spread).verdict()


class _Giver:
    """Collects reasons while it looks at one thing after the other."""

    def __init__(self, store: Path, name: str, round_: Round, judging: Judging, spread: Spread):
        self.store, self.name, self.round, self.judging = store, name, round_, judging
        self.spread = spread
        self.reasons: list[Reason] = []
        self.notes: list[str] = list(round_.plan.notes)

    def verdict(self) -> Verdict:
        self._round_is_whole()
        runs = tuple(self.round.runs())
        nights = self._nights()
        frame = nights[-1].frame
        measured = set(frame["run_id"]) if len(frame) else set()
        cells = Cells(self.store, self.round, measured, self._say).states(runs)
        base = self._baseline()
        base_frame = None if base is None else self._base_frame(base)
        standing, compared = self._beside(base, base_frame, nights, cells)
        promotion = 0 if base is None else base.number
        night = tested_before(self.store, self.name, self.round, promotion) + 1
        level = spending.level(self.judging.false_alarms, night)
        findings = tuple(judge(compared, self.judging, level, self.spread))
        self._changes(findings)
        colour = self._colour()
        blamed = self._blamed(base, findings) if colour is Colour.RED else None
        return Verdict(
            self.name,
            self.round,
            colour,
            tuple(self.reasons),
            self.judging,
            base,
            night if findings else 0,
            level,
            tuple(standing),
            findings,
            tuple(trend.trends(nights, level, self.spread)),
            tuple(self.notes),
            runs,
            blamed,
        )

    def _blamed(self, base: Baseline | None, findings: Sequence[Finding]) -> Blame | None:
        """Return what changed since the baseline's round, if there is one."""
        if base is None:
            return None
        red = sorted(
            (finding for finding in findings if finding.kind in RED_KINDS), key=lambda finding: finding.p
        )
        try:
            before = record.named(self.store, self.name, base.round)
            return blame(
                self.store,
                before,
                self.round,
                [
                    *failed(self.round),
                    *(Red(place.experiment, place.cell, place.metric, place.key) for place in red),
                ],
            )
        except (NoSuchThing, StorageFailed) as error:
            self.notes.append(f"what changed can't be told: {str(error).splitlines()[0]}")
            return None

    def _say(self, colour: Colour, text: str, place: str = "") -> None:
        self.reasons.append(Reason(colour, text, place))

    def _lacks(self, text: str, place: str = "") -> None:
        self._say(Colour.INCOMPLETE, text, place)

    def _round_is_whole(self) -> None:
        state, round_ = self.round.runs_state, self.round
        causes = {
            State.RUNNING: "it is still running",
            State.INTERRUPTED: "it was interrupted; `orchestrate campaign run FILE` goes on with it",
            State.INCOMPLETE: "not all of its shards came: "
            + ", ".join(str(shard) for shard in round_.shards if shard not in round_.came),
            State.BUDGET: "its time was over before its runs were",
        }
        if state in causes:
            self._lacks(f"round {round_.id} is not complete: {causes[state]}")

    def _nights(self) -> list[Night]:
        """Return the nights up to this round, which is the last one. Its metrics are kept."""
        path = samples.folder(self.store, self.name, self.round.id) / samples.FILE
        frame = samples.pooled([samples.measured(self.store, self.round)])
        before = samples.kept(path)
        wanted = {run.run_id for run in self.round.runs() if run.outcome is Outcome.OK}
        if before is not None:
            frame = samples.pooled([frame, before])
        frame = frame[frame["run_id"].isin(wanted)].reset_index(drop=True)
        if len(frame) and (before is None or len(frame) != len(before)):
            samples.keep(path, frame)
        rounds, unreadable = record.readable(self.store, self.name)
        for error in unreadable:
            self.notes.append(f"a round is not in the trends: {str(error).splitlines()[0]}")
        nights = []
        for other in rounds:
            if other.plan.number >= self.round.plan.number:
                continue
            try:
                theirs = samples.kept(samples.folder(self.store, self.name, other.id) / samples.FILE)
            except StorageFailed as error:
                self.notes.append(f"round {other.id} is not in the trends: {str(error).splitlines()[0]}")
                continue
            if theirs is not None and len(theirs):
                nights.append(Night(other, theirs))
        return [*nights, Night(self.round, frame)]

    def _baseline(self) -> Baseline | None:
        try:
            baseline = baselines.present(self.store, self.name)
        except StorageFailed as error:
            self._lacks(str(error))
            return None
        if baseline is None:
            self._lacks(
                "nothing to compare with: no round was promoted yet (`orchestrate campaign promote FILE`)"
            )
        return baseline

    def _base_frame(self, base: Baseline) -> pd.DataFrame | None:
        try:
            return baselines.metrics(self.store, self.name, base)
        except StorageFailed as error:
            self._lacks(str(error))
            return None

    def _beside(
        self,
        base: Baseline | None,
        base_frame: pd.DataFrame | None,
        nights: Sequence[Night],
        cells: Sequence[CellState],
    ) -> tuple[list[CellState], list[Compared]]:
        """Return the cells with their standing, and the pairs of samples to be tested."""
        plans = self.round.plan.cells
        standing, compared = [], []
        for cell in cells:
            plan = plans[cell.experiment, cell.cell]
            theirs = None if base is None else base.cell(cell.experiment, cell.cell)
            state, pool = self._standing(cell, plan, theirs, base is None or base_frame is None), ()
            if state is Standing.COMPARED:
                pair, pool = self._pair(cell, plan, theirs, base, base_frame, nights)
                compared.append(pair)
                for metric in missing(pair):
                    self._lacks(f"{metric} is no longer measured", cell.place)
            standing.append(replace(cell, standing=state, pooled=pool))
        if base is not None:
            for standard in base.cells:
                if (standard.experiment, standard.cell) not in plans:
                    self._lacks(
                        "it is in the baseline and not in this round: the campaign was edited; promote a "
                        "round of the campaign as it is now",
                        f"{standard.experiment}/{standard.cell}",
                    )
            if base.file_sha256 != self.round.plan.file_sha256:
                self.notes.append("the campaign's file was edited since the baseline")
        return standing, compared

    def _standing(self, cell: CellState, plan: CellPlan, theirs: BaseCell | None, nothing: bool) -> Standing:
        if not cell.ok:
            left_out = cell.planned == cell.left.get(Why.QUARANTINE.value, 0)
            return Standing.QUARANTINED if left_out else Standing.NOT_MEASURED
        if nothing:
            return Standing.NO_BASELINE
        if theirs is None:
            self._lacks(
                "it is not in the baseline, so there is nothing to compare it with; promote a round that has "
                "it",
                cell.place,
            )
            return Standing.NO_BASELINE
        if theirs.digest != plan.digest:
            self._lacks(
                "its scenario is another one than in the baseline, so its numbers can't be compared; promote "
                "a round of the scenario as it is now",
                cell.place,
            )
            return Standing.EDITED
        return Standing.SAME_CODE if theirs.made_of == plan.made_of else Standing.COMPARED

    def _pair(
        self,
        cell: CellState,
        plan: CellPlan,
        theirs: BaseCell,
        base: Baseline,
        base_frame: pd.DataFrame,
        nights: Sequence[Night],
    ) -> tuple[Compared, tuple[str, ...]]:
        """Return a cell's two samples, the baseline's runs and this night's, and the rounds of the latter.

        Nights just before this one with the same code count as this night's.
        """
        frames = {night.round.id: night.by_cell.get((cell.experiment, cell.cell)) for night in nights}
        rounds = {night.round.id: night.round for night in nights}
        promoted = int(base.round)
        ids = baselines.same_code(
            list(rounds.values()), cell.experiment, plan, lambda row: row.plan.number > promoted
        )
        pooled = [round_id for round_id in ids if frames[round_id] is not None]
        ours = samples.pooled(frames[round_id] for round_id in pooled)
        now = samples.of_rows(cell.experiment, cell.cell, ours)
        before = samples.results(base_frame, cell.experiment, cell.cell, set(theirs.runs))
        pair = Compared(
            cell.experiment,
            cell.cell,
            before,
            now,
            samples.measures(before, cell.cell),
            samples.measures(now, cell.cell),
        )
        return pair, tuple(pooled)

    def _changes(self, findings: Sequence[Finding]) -> None:
        for finding in findings:
            place = f"{finding.experiment}/{finding.cell}"
            if finding.kind in RED_KINDS:
                self._say(Colour.RED, said(finding), place)
            elif finding.kind is Kind.UNKNOWN:
                self._lacks(f"{finding.title}: fewer than two seeds, nothing can be tested", place)
        blind: dict[str, Finding] = {}
        for finding in findings:
            if finding.kind is Kind.BLIND:
                place = f"{finding.experiment}/{finding.cell}"
                blind[place] = max(blind.get(place, finding), finding, key=lambda blind: blind.needs)
        for place, finding in blind.items():
            self._lacks(
                f"{counted(finding.difference.b.n, 'run')} beside the baseline's {finding.difference.a.n} "
                "are too few: no change, however large, could be shown among tonight's "
                f"{counted(len(findings), 'test')}; {finding.needs} can show one (`seeds:` in the campaign "
                "file)",
                place,
            )
        if better := sum(finding.kind is Kind.BETTER for finding in findings):
            text = f"{counted(better, 'metric')} got better"
            if self._colour() is Colour.RED:
                text += "; in a red round that may be the other side of what turned it red"
            elif self._colour() is Colour.GREEN:
                text += ": promote the round, if that is meant to stay"
            self.notes.append(text)

    def _colour(self) -> Colour:
        colours = {reason.colour for reason in self.reasons}
        return next((colour for colour in (Colour.RED, Colour.INCOMPLETE) if colour in colours), Colour.GREEN)
