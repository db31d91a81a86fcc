# SPDX-License-Identifier: Apache-2.0
"""orchestrate campaign verdict: one verdict on a round."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.spark_options import add_spark_options, spread
from orchestrator.features.campaigns.commands.campaign import opened

if TYPE_CHECKING:
    from orchestrator.execution.progress import Stage
    from orchestrator.features.campaigns.judging.model import Verdict
    from orchestrator.features.campaigns.record import Round
    from orchestrator.features.campaigns.written import Campaign

DESCRIPTION = """Give one verdict on a round, the latest if none is named.

green: every planned run ended ok, and every cell was compared with the
baseline and changed by no more than the stated effect. red: a run failed, or
a metric changed by more than that. incomplete: something was not run, or
not compared.

A cell whose firmware, medium and engine are the baseline's, byte for byte,
needs no test. Every metric of the others is tested, corrected for all
metrics, cells and nights. docs/nightly.md says how.

The verdict, its page with the trends, junit.xml and summary.md are kept in
STORE/campaigns/NAME/verdicts/ROUND. Nothing is simulated, and no engine
starts unless the metrics of the round are not computed yet, or --master names
a cluster, which then does the tests and the trends as well.

exit code: 0 green; 1 red; 7 incomplete; 9 no such campaign or round; for
others see `orchestrate --help`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `orchestrate campaign verdict`."""
    parser.add_argument("--round", metavar="N", help="the round (default: the latest)")
    add_outputs(parser)
    add_spark_options(parser)


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where else the verdict is written."""
    parser.add_argument("--junit", metavar="FILE", type=Path, help="write JUnit XML to this file, too")
    parser.add_argument(
        "--summary", metavar="FILE", type=Path, help="append the Markdown summary to this file, too"
    )
    parser.add_argument("--open", action="store_true", help="show the page in the web browser")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate campaign verdict`; return the exit code."""
    campaign, store = opened(args)
    return give(campaign, store, args)


def give(campaign: Campaign, store: Path, args: argparse.Namespace) -> int:
    """Give the verdict, write and print it; return its exit code."""
    from orchestrator.cli.report import show
    from orchestrator.console import stages
    from orchestrator.features.campaigns import record
    from orchestrator.features.campaigns.judging import files as verdict_files
    from orchestrator.features.campaigns.judging import verdict as verdicts

    round_ = record.named(store, campaign.name, getattr(args, "round", None))
    with stages(campaign.name) as stage:
        _renew(store, round_, stage, args.master)
        comparing = "comparing with the baseline"
        stage(comparing)
        spreading = spread(comparing, stage, args.master)
        judgement = verdicts.give(store, campaign.name, campaign.judging, round_.id, spreading)
        stage("writing the page")
        page = verdict_files.write(store, judgement).absolute()
    for option, file in ((args.junit, verdict_files.JUNIT), (args.summary, verdict_files.SUMMARY)):
        if option is not None:
            _also(page.parent / file, option, append=option is args.summary)
    if args.json:
        print(json.dumps(verdict_files.plain(judgement) | {"page": str(page)}, indent=2, allow_nan=False))
    else:
        _print(judgement)
        print(f"page: {page}")
    if args.open:
        show(page)
    return judgement.colour.exit_code


def _renew(store: Path, round_: Round, stage: Stage, master: str | None) -> None:
    """Bring the tables of the round's experiments up to date, if they are the round's."""
    from orchestrator.cli.ingest import CHECKING, renewed
    from orchestrator.features.campaigns import samples
    from orchestrator.runs.model import Outcome
    from orchestrator.runs.store import Store

    stage(CHECKING)
    wanted = {run.run_id for run in round_.runs() if run.outcome is Outcome.OK}
    stored_samples = samples.kept(samples.folder(store, round_.plan.campaign, round_.id) / samples.FILE)
    if stored_samples is not None and wanted <= set(stored_samples["run_id"]):
        return
    for part in round_.plan.parts:
        folder = Store(store).experiment(part.experiment)
        if folder.is_dir():
            renewed(folder, stage, master)


def _also(path: Path, wanted: Path, append: bool) -> None:
    from orchestrator.errors import NoSuchThing

    try:
        if append:
            with wanted.open("ab") as stream:
                stream.write(path.read_bytes())
        else:
            shutil.copyfile(path, wanted)
    except OSError as error:
        raise NoSuchThing(
            f"{wanted} can't be written: {error.strerror or error}\n    name a file in a folder that exists"
        ) from error


_SHOWN = 12


def _print(verdict: Verdict) -> None:
    from orchestrator.features.campaigns.judging.blame_words import sentences
    from orchestrator.features.campaigns.judging.summary import headline, how

    print(f"{verdict.campaign}, round {int(verdict.round.id)}: {verdict.colour.value}")
    print(f"  {headline(verdict)}")
    for reason in verdict.reasons[:_SHOWN]:
        first, *rest = reason.text.splitlines()
        print(f"  {reason.colour.value}: " + (f"{reason.place}: " if reason.place else "") + first)
        for line in rest:
            print(f"  {line}")
    if len(verdict.reasons) > _SHOWN:
        print(f"  and {len(verdict.reasons) - _SHOWN} more, on the page")
    for line in sentences(verdict.blame) if verdict.blame is not None else []:
        print(f"  {line}")
    for cell in verdict.cells:
        if cell.quarantine:
            print(f"  in quarantine: {cell.place}: {cell.quarantine}")
    for note in verdict.notes:
        print(f"  note: {note}")
    print(f"  {how(verdict)}")
