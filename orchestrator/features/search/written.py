# SPDX-License-Identifier: Apache-2.0
"""Reads what the user writes of a search: `loss <= 2 %`, `application.delay=0..10 s`; every fault at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from orchestrate_spark.metrics import built_in
from orchestrate_spark.metrics.model import SHARE, Metric

from orchestrator.errors import WrongUsage
from orchestrator.features.search.model import TOTAL, Constraint, Goal, Measure, Parameter
from orchestrator.report.metrics import shown
from orchestrator.words import did_you_mean

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_UNIT = r"((?!step\b|log\b)[a-zA-Zµ%]*)"
_RANGE = re.compile(
    rf"({_NUMBER})\s*{_UNIT}\s*\.\.\s*({_NUMBER})\s*{_UNIT}(?:\s*step\s+({_NUMBER})\s*{_UNIT})?(\s*log)?"
)
_BOUND = re.compile(rf"\s*([A-Za-z0-9_./-]+)\s*(<=|>=)\s*({_NUMBER})\s*(%?)\s*")
_WHOLE = re.compile(r"[+-]?[0-9]+")


class Written:
    """Collects the faults of all that is written. `more`: metrics that the scenario brings, by name."""

    def __init__(self, more: Mapping[str, Metric] | None = None) -> None:
        self.faults: list[str] = []
        self._more = more or {}

    def raise_any(self) -> None:
        """Raise WrongUsage with every fault."""
        if self.faults:
            raise WrongUsage("\n    ".join(["the search can't be begun:", *self.faults]))

    def goals(self, smallest: Sequence[str], largest: Sequence[str]) -> tuple[Goal, ...]:
        """Read the goals."""
        if not smallest and not largest:
            self.faults.append("no goal: --minimise METRIC or --maximise METRIC")
        found = [
            (self.measure(one), least)
            for several, least in ((smallest, True), (largest, False))
            for one in several
        ]
        goals = [Goal(measure, least) for measure, least in found if measure is not None]
        if len({goal.measure for goal in goals}) < len(goals):
            self.faults.append("a metric is a goal twice; name it once")
        return tuple(goals)

    def constraints(self, given: Sequence[str]) -> tuple[Constraint, ...]:
        """Read the constraints."""
        found = []
        for one in given:
            parts = _BOUND.fullmatch(one)
            if parts is None:
                self.faults.append(
                    f'{one!r} is not a constraint: write "METRIC <= NUMBER", such as "loss <= 2 %"'
                )
                continue
            measure = self.measure(parts[1])
            if measure is None:
                continue
            if parts[4] and measure.unit != "%":
                self.faults.append(f"{one!r}: {measure.name} is in {measure.unit or 'no unit'}, not in %")
                continue
            bound = float(parts[3]) / (100 if parts[4] else 1)
            found.append(Constraint(measure, parts[2] == "<=", bound, " ".join(one.split())))
        return tuple(found)

    def measure(self, written: str) -> Measure | None:
        """Read METRIC or METRIC/KEY."""
        name, _, key = written.partition("/")
        known = {**built_in(), **self._more}
        if name not in known:
            self.faults.append(f"no metric {name!r}; {did_you_mean(name, known)}")
            return None
        seen = shown(name, [TOTAL], self._more)
        unit, scale = ("%", 100.0) if known[name].unit == SHARE else (seen.unit, 1.0)
        return Measure(name, key or TOTAL, seen.title, unit, scale, seen.bounds)

    def parameters(self, given: Sequence[str]) -> tuple[Parameter, ...]:
        """Read what is varied."""
        if not given:
            self.faults.append('nothing to vary: --over "application.delay=0..10 s"')
        found: dict[str, Parameter] = {}
        for one in given:
            path, equals, rest = (part.strip() for part in one.partition("="))
            if not equals or not path or not rest:
                self.faults.append(f"{one!r} is not PATH=RANGE, such as application.delay=0..10 s")
                continue
            if path in found:
                self.faults.append(f"{path} is varied twice; keep one")
            parameter = self._range(path, rest) if ".." in rest else self._choices(path, rest)
            if parameter is not None:
                found[path] = parameter
        return tuple(found.values())

    def _choices(self, path: str, rest: str) -> Parameter | None:
        choices = tuple(dict.fromkeys(word.strip() for word in rest.split(",") if word.strip()))
        if len(choices) < 2:
            self.faults.append(
                f"{path}: one choice leaves nothing to vary; write {path}=one,another or a range"
            )
            return None
        return Parameter(path, choices)

    def _range(self, path: str, rest: str) -> Parameter | None:
        parts = _RANGE.fullmatch(rest)
        if parts is None:
            self.faults.append(
                f"{path}: {rest!r} is not a range with two ends, such as 0..10 s step 1 s or 1..100 log"
            )
            return None
        low, first, high, last, step, third, log = parts.groups()
        units = {unit for unit in (first, last, third) if unit}
        if len(units) > 1:
            self.faults.append(f"{path}: {rest!r} has several units; write one: 0..10 s")
            return None
        if not float(low) < float(high):
            self.faults.append(f"{path}: {rest!r} ends before it begins")
            return None
        if (log and (float(low) <= 0 or step)) or (step is not None and float(step) <= 0):
            self.faults.append(
                f"{path}: {rest!r}: a logarithmic range begins above 0 and has no step; a step is above 0"
            )
            return None
        whole = not units and all(_WHOLE.fullmatch(one) for one in (low, high, step or "1"))
        return Parameter(
            path,
            (),
            float(low),
            float(high),
            next(iter(units), ""),
            None if step is None else float(step),
            bool(log),
            whole,
        )
