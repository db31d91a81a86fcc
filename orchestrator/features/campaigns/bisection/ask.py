# SPDX-License-Identifier: Apache-2.0
"""Derives a bisection's question from rounds and their verdicts, or from the command's options."""

from __future__ import annotations

from pathlib import Path

from orchestrator import git
from orchestrator.errors import NoSuchThing, Unsupported, WrongUsage
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.bisection.bisect import Asked
from orchestrator.features.campaigns.judging import blame_words
from orchestrator.features.campaigns.judging.blame import FAILURES, OUTCOME, Red, blame
from orchestrator.features.campaigns.record import Round
from orchestrator.features.campaigns.written import Campaign
from orchestrator.words import did_you_mean, enumerated

_FEWEST = 2  # common seeds, so that the seeds of one night alone aren't needed


def asked(
    campaign: Campaign,
    store: Path,
    good: str,
    bad: str,
    repository: Path | None = None,
    metric: str | None = None,
    cell: str | None = None,
) -> Asked:
    """Return the question of the bisection.

    Raises NoSuchThing, WrongUsage and Unsupported, which say what to name.
    """
    rounds = {round_.id.lstrip("0"): round_ for round_ in record.readable(store, campaign.name)[0]}
    ends = [rounds.get(text.lstrip("0")) if text.isdecimal() else None for text in (good, bad)]
    top = _repository(repository, ends)
    notes: list[str] = []
    commits = [_commit(top, text, round_, notes) for text, round_ in zip((good, bad), ends, strict=True)]
    if commits[0] == commits[1]:
        raise Unsupported(
            f"good and bad are the same commit of {top}: {commits[0][:12]}\n"
            "    `orchestrate campaign blame FILE` says what else changed"
        )
    red = _red(campaign, store, ends, metric, cell)
    part = next((part for part in campaign.parts if part.experiment == red.experiment), None)
    cells = [cell.name for cell in part.scenario.cells] if part is not None else []
    if part is None or red.cell not in cells:
        places = [f"{part.experiment}/{cell.name}" for part in campaign.parts for cell in part.scenario.cells]
        raise NoSuchThing(f"{campaign.name} has no cell {red.place}; {did_you_mean(red.place, places)}")
    seeds = _seeds(red, ends) or part.seeds.fixed
    if not seeds:
        raise WrongUsage(
            f"{red.place} has no seeds of its own\n"
            "    name rounds with --good and --bad: their seeds are used"
        )
    return Asked(campaign, part, red, seeds, top, *commits, _expected(store, red, ends[1]), tuple(notes))


def _repository(named: Path | None, ends: list[Round | None]) -> Path:
    if named is not None:
        result = git.git(named, "rev-parse", "--show-toplevel") if named.is_dir() else None
        if result is None or result.returncode:
            raise NoSuchThing(f"{named} is in no git checkout\n    name the folder of one with --repository")
        return Path(result.stdout.rstrip("\n"))
    good, bad = ({checkout.top: checkout for checkout in end.plan.checkouts} if end else {} for end in ends)
    apart = [top for top in bad if top in good and good[top].commit != bad[top].commit]
    if len(apart) == 1 and Path(apart[0]).is_dir():
        return Path(apart[0])
    if len(apart) > 1:
        raise WrongUsage(
            f"{enumerated(apart)} changed between the two rounds\n    name one of them with --repository"
        )
    raise WrongUsage(
        "no checkout is known to have changed between the two\n    name the one to search with --repository"
    )


def _commit(top: Path, text: str, round_: Round | None, notes: list[str]) -> str:
    """Return the hash of the good or bad end: a commit, or a round's commit of this repository."""
    if round_ is None:
        commit = git.commit(top, text)
        if commit is None:
            raise NoSuchThing(
                f"{text} is neither a round of the campaign nor a commit of {top}\n"
                "    `orchestrate campaign status FILE` lists the rounds, `git log` the commits"
            )
        return commit
    checkouts = sorted(round_.plan.checkouts, key=lambda item: item.top != str(top))
    for checkout in checkouts:
        if (commit := git.commit(top, checkout.commit)) is not None:
            if checkout.changed:
                notes.append(
                    f"round {round_.plan.number} was made with uncommitted changes in {checkout.top}, which "
                    "no commit has"
                )
            return commit
    raise NoSuchThing(
        f"round {round_.plan.number} does not say of which commit of {top} it is\n"
        "    name the commit itself with --good or --bad"
    )


def _red(
    campaign: Campaign, store: Path, ends: list[Round | None], metric: str | None, cell: str | None
) -> Red:
    """Return the metric to look for: as named, else the one that is surest to be red.

    Its cell is the cheapest that shows it.
    """
    good, bad = ends
    name, _, key = (metric or "").partition("/")
    experiment, _, cell_name = (cell or "").partition("/")
    if metric is not None and cell is not None:
        return Red(experiment, cell_name, name, key or "total")
    reds = [] if bad is None else blame_words.reds(bad, blame_words.verdict(store, bad))
    reds = [
        red
        for red in reds
        if (metric is None or (red.metric, red.key) == (name, key or "total"))
        and (cell is None or red.place == cell)
    ]
    if not reds:
        what = (
            "the named metric or outcome is not red in"
            if metric or cell
            else "no failed run and no verdict says what is red in"
        )
        raise WrongUsage(
            f"{what} {'the bad commit' if bad is None else f'round {bad.plan.number}'}\n"
            "    give the verdict (`orchestrate campaign verdict FILE`), or name both --metric and --cell"
        )
    same = [red for red in reds if (red.metric, red.key) == (reds[0].metric, reds[0].key)]
    if good is None or len(same) == 1:
        return same[0]
    shows = {show.place: show.seconds for show in blame(store, good, bad, same).shows}
    return min(same, key=lambda red: shows.get(red.place, float("inf")))


def _seeds(red: Red, ends: list[Round | None]) -> tuple[int, ...]:
    """Return seeds: the failed runs', or for a metric those of both nights, otherwise of either night."""
    bad = ends[1]
    if red.metric == OUTCOME and bad is not None:
        failed = {
            run.seed
            for run in bad.runs()
            if (run.experiment, run.cell) == (red.experiment, red.cell) and run.outcome in FAILURES
        }
        if failed:
            return tuple(sorted(failed))
    plans = [end.plan.cells.get((red.experiment, red.cell)) for end in ends if end is not None]
    theirs = [set(plan.seeds) for plan in plans if plan is not None]
    if not theirs:
        return ()
    common = set.intersection(*theirs)
    return tuple(sorted(common if len(common) >= _FEWEST else set.union(*theirs)))


def _expected(store: Path, red: Red, bad: Round | None) -> float:
    """By how much the verdict on the bad round found the metric changed, 0 if it says nothing of it."""
    judgement = None if bad is None else blame_words.verdict(store, bad)
    for item in (judgement or {}).get("findings", ()):
        if Red(item["experiment"], item["cell"], item["metric"], item["key"]) == red:
            return float(item["change"] or 0.0)
    return 0.0
