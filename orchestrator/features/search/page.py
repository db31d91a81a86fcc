# SPDX-License-Identifier: Apache-2.0
"""The page of a search, in the look of reports: trials, the confirmed best, and how to run it."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from orchestrator import __version__
from orchestrator.durable import rewrite
from orchestrator.features.search import judge
from orchestrator.features.search.model import Measure, Parameter, Search, Trial
from orchestrator.features.search.run import FOLDER, Found
from orchestrator.features.search.scenarios import Scenarios
from orchestrator.report import style
from orchestrator.report.axis import LOGARITHMIC
from orchestrator.report.drawing import Drawing
from orchestrator.report.model import Block, Entry, Figure, Gallery, Listing, Section, Table, Text
from orchestrator.report.plot import Key, Mark, Plot, Whisker
from orchestrator.report.render import Page
from orchestrator.statistics.estimates import Estimate

INDEX = "index.html"
_COLUMNS = ("trial", "settings", "state", "x", "y", "low", "high", "n")
# The state of a trial -> its mark, distinct by form as well as by colour.
_KEPT, _MISSED, _STOPPED, _CONFIRMED = "constraints kept", "constraint missed", "given up early", "confirmed"
_MARKS = {
    _KEPT: Mark("o", 6.5, style.BLUE, style.INK),
    _MISSED: Mark("s", 6.0, style.ORANGE, style.INK),
    _STOPPED: Mark("v", 6.0, style.FAINT, style.SOFT),
    _CONFIRMED: Mark("D", 9.0, style.GREEN, style.INK),
}


def write(folder: Path, result: Found, scenarios: Scenarios) -> Path:
    """Write the page and the winners' scenarios into the experiment's folder; return the page's path."""
    home = folder / FOLDER
    for winner in result.winners:
        scenario = scenarios.of([winner.trial.settings], (*result.search.seeds, *result.search.fresh))
        rewrite(home / f"{winner.trial.label}.yaml", scenario.source.encode())
    rewrite(home / INDEX, build(result, home).html.encode())
    return home / INDEX


def described(result: Found, index: Path) -> dict:
    """Return the result as plain values."""
    search = result.search
    return {
        "experiment": search.experiment,
        "page": str(index),
        "found": result.sentences,
        "winners": [_described(result, winner.fresh) for winner in result.winners],
        "confirmed": [
            _described(result, candidate.fresh) | {"kept": candidate.kept} for candidate in result.confirmed
        ],
        "trials": [_described(result, trial) for trial in result.trials],
        "importance": [dict(row) for row in result.importance],
    }


def _described(result: Found, trial: Trial) -> dict:
    measured = {}
    for measure in result.search.measures:
        estimate = trial.of(measure)
        content = {"n": estimate.n, "mean": estimate.mean, "ci_low": estimate.low, "ci_high": estimate.high}
        measured[measure.name] = {
            name: None if math.isnan(value) else value for name, value in content.items()
        }
    return {
        "trial": trial.number,
        "settings": dict(trial.settings),
        "measured": measured,
        "stopped": trial.stopped,
        "failed": trial.failed,
    }


def build(result: Found, home: Path) -> Page:
    """Return the page as values."""
    search = result.search
    wanted = [goal.told for goal in search.goals]
    bounds = [constraint.written for constraint in search.constraints]
    first: list[Block] = [Text(tuple(result.sentences), "lead")]
    if result.confirmed:
        first.append(_confirmed(result))
    commands = [
        f"orchestrate run {shlex.quote(str(home / (winner.trial.label + '.yaml')))}"
        for winner in result.winners
    ]
    if commands:
        first.append(Listing("Run it", "\n".join(commands)))
    sections = [Section("found", "What was found", tuple(first))]
    figures = _figures(result)
    if figures:
        sections.append(Section("tried", "What was tried", (Gallery(tuple(figures)),)))
    if any(result.importance):
        sections.append(Section("importance", "Which parameters matter", (_importance(result),)))
    sections.append(Section("trials", "All trials", (_trials(result),)))
    return Page(
        search.experiment,
        "; ".join([" and ".join(wanted), *bounds]),
        (
            ("Trials", str(len(result.trials))),
            ("Given up early", str(sum(bool(trial.stopped) for trial in result.trials))),
            ("Without a result", str(sum(bool(trial.failed) for trial in result.trials))),
            ("Seeds of a trial", str(len(search.seeds))),
            ("Fresh seeds", str(len(search.fresh))),
        ),
        tuple(sections),
        f"orchestrate {__version__}",
    )


def _state(result: Found, trial: Trial) -> str:
    if trial.stopped:
        return _STOPPED
    if trial.number in {winner.trial.number for winner in result.winners}:
        return _CONFIRMED
    return _KEPT if judge.kept(result.search, trial) else _MISSED


def _figures(result: Found) -> list[Figure]:
    search = result.search
    trials = [trial for trial in result.trials if not trial.failed]
    if not trials:
        return []
    figures = []
    goal = search.goals[0].measure
    others = dict.fromkeys(measure for measure in search.measures if measure != goal)
    for number, other in enumerate(others):
        figures.append(
            _figure(
                result,
                f"trade-off-{number + 1}",
                f"{_title(goal)} and {_title(other)}",
                [(trial, trial.of(other).mean * other.scale) for trial in trials],
                f"Each mark is a trial: the means of {goal.name} and {other.name} over its seeds, with the "
                f"95 % interval of {goal.name}.",
                partial(_over_measure, search, other),
                front=len(search.goals) == 2 and other == search.goals[1].measure,
            )
        )
    for parameter in search.parameters:
        figures.append(
            _figure(
                result,
                f"over-{parameter.path}",
                f"{_title(goal)} over {parameter.path}",
                [(trial, _place(parameter, trial)) for trial in trials],
                f"Each mark is a trial: the mean of {goal.name} over its seeds with its 95 % interval."
                + (" The other parameters vary as well." if len(search.parameters) > 1 else ""),
                partial(_over_parameter, parameter),
            )
        )
    return figures


def _place(parameter: Parameter, trial: Trial) -> float:
    text = trial.settings[parameter.path]
    return float(parameter.choices.index(text)) if parameter.choices else float(text.split()[0])


def _over_measure(search: Search, other: Measure, plot: Plot) -> None:
    plot.x.label = _label(other)
    bound = next((each.bound * other.scale for each in search.constraints if each.measure == other), None)
    if bound is not None:
        plot.upright(bound, style.VERMILLION, 1.2, "4 3")
        plot.keys.append(Key("bound", stroke=style.VERMILLION, dash="4 3"))


def _over_parameter(parameter: Parameter, plot: Plot) -> None:
    plot.x.label = f"{parameter.path}{', ' + parameter.unit if parameter.unit else ''}"
    if parameter.choices:
        plot.x.ticks = [(float(place), text) for place, text in enumerate(parameter.choices)]
        plot.x.low, plot.x.high = -0.5, len(parameter.choices) - 0.5
    if parameter.log:
        plot.x.kind = LOGARITHMIC


def _mark(plot: Plot, x: float, value: Estimate, goal: Measure, mark: Mark) -> None:
    if not math.isnan(value.low):
        low, high = value.low * goal.scale, value.high * goal.scale
        plot.interval(x, value.mean * goal.scale, low, high, Whisker(style.SOFT, 0.9))
    plot.mark(x, value.mean * goal.scale, mark)


def _figure(
    result: Found,
    name: str,
    title: str,
    points: Sequence[tuple[Trial, float]],
    caption: str,
    guide: Callable[[Plot], None],
    *,
    front: bool = False,
) -> Figure:
    """Return the figure of trials over an axis that `guide` sets up; `front`: with the front's line."""
    goal = result.search.goals[0].measure
    states = {trial.number: _state(result, trial) for trial, _ in points}

    def paint(plot: Plot) -> None:
        plot.y.label, plot.y.grid = _label(goal), True
        guide(plot)
        if front:
            best = [
                (x, trial.of(goal).mean * goal.scale)
                for trial, x in points
                if states[trial.number] == _CONFIRMED
            ]
            plot.line(sorted(best), style.GREEN, 1.2)
        for state, mark in _MARKS.items():
            if state in states.values():
                plot.keys.append(Key(state, marker=mark.form, fill=mark.fill, edge=mark.edge, size=mark.size))
        for trial, x in points:
            _mark(plot, x, trial.of(goal), goal, _MARKS[states[trial.number]])

    rows = []
    for trial, x in points:
        value = trial.of(goal)
        ends = (value.mean * goal.scale, value.low * goal.scale, value.high * goal.scale)
        rows.append((trial.number, trial.told, states[trial.number], x, *ends, value.n))
    return Figure(
        name,
        title,
        Drawing(paint, style.WIDTH, style.HEIGHT, rows, _COLUMNS),
        caption,
        f"{len(points)} trials: {title}",
    )


def _title(measure: Measure) -> str:
    return measure.title or measure.name


def _label(measure: Measure) -> str:
    return f"{_title(measure)}{', ' + measure.unit if measure.unit else ''}"


def _measured(
    title: str, search: Search, trials: Sequence[tuple[Trial, Trial, Entry]], note: str = ""
) -> Table:
    """Return a table of trials, each with its values and its state."""
    rows = [
        (
            Entry(str(trial.number), number=True),
            Entry(trial.told),
            *(_entry(measure, measured) for measure in search.measures),
            state,
        )
        for trial, measured, state in trials
    ]
    columns = ("Trial", "Settings", *(_title(measure) for measure in search.measures), "")
    return Table(title, columns, tuple(rows), note)


def _confirmed(result: Found) -> Table:
    best = {winner.trial.number for winner in result.winners}
    trials = []
    for candidate in result.confirmed:
        state = ("confirmed", "good") if candidate.trial.number in best else ("worse with these seeds", "")
        state = state if candidate.kept else ("constraint missed", "bad")
        trials.append((candidate.trial, candidate.fresh, Entry(state[0], tone=state[1])))
    return _measured(
        "Candidates, measured again with fresh seeds",
        result.search,
        trials,
        "No trial had these seeds, so these numbers are not chosen for being good. A constraint counts as "
        "kept if the worse end of the 95 % interval keeps it.",
    )


def _entry(measure: Measure, trial: Trial) -> Entry:
    if not trial.of(measure).known:
        return Entry("–")
    mean, _, rest = judge.with_interval(measure, trial.of(measure)).partition(" (")
    return Entry(mean.removeprefix(f"{measure.name} "), rest.removesuffix(")"))


def _importance(result: Found) -> Table:
    paths = [parameter.path for parameter in result.search.parameters]
    return Table(
        "Share of each parameter in how good the best trials are",
        ("Parameter", *(goal.told for goal in result.search.goals)),
        tuple(
            (
                Entry(path),
                *(
                    Entry(f"{100 * row[path]:.0f} %" if path in row else "–", number=True)
                    for row in result.importance
                ),
            )
            for path in paths
        ),
        "PED-ANOVA (Watanabe, Bansal and Hutter, 2023) over the trials that were measured. It describes "
        "these trials, which the optimiser chose, and is no test.",
    )


def _trials(result: Found) -> Table:
    tone = {_CONFIRMED: "good", _MISSED: "bad", _STOPPED: "quiet"}
    trials = []
    for trial in result.trials:
        state = "no result" if trial.failed else _state(result, trial)
        trials.append((trial, trial, Entry(state, trial.failed or trial.stopped, tone.get(state, ""))))
    return _measured("In the order in which they were proposed", result.search, trials)
