# SPDX-License-Identifier: Apache-2.0
"""orchestrate campaign seeds: how many seeds a campaign needs."""

from __future__ import annotations

import argparse
import json
import math
from typing import TYPE_CHECKING

from orchestrator.cli.options import names, share
from orchestrator.features.campaigns.commands.campaign import opened

if TYPE_CHECKING:
    from orchestrator.features.campaigns.seeds import Need

DESCRIPTION = """Say how many seeds a campaign needs, from the spread of its last round.

seeds: with so many in the baseline and so many in a night, a change of the
size --change is found in the first night with the probability --power,
corrected for all metrics and cells of the round.

half and stop are for whoever adds seeds until an interval is narrow enough:
half is half the width now of an interval that holds the mean in 95 of 100
campaigns however often one looks, stop the seeds after which it will be no
wider than --half. Sizes are shares of the mean, and points of a share.

exit code: 0 every interval is narrow enough, so that one may stop; 1 some
are not; 9 no round with metrics yet; for others see `orchestrate --help`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `orchestrate campaign seeds`."""
    parser.add_argument(
        "--change", type=share, default=0.05, metavar="SHARE", help="the change to be found (default: 5%%)"
    )
    parser.add_argument(
        "--power", type=share, default=0.8, metavar="SHARE", help="how surely (default: 80%%)"
    )
    parser.add_argument(
        "--half", type=share, default=0.02, metavar="SHARE", help="half the width (default: 2%%)"
    )
    parser.add_argument(
        "--metrics",
        type=names,
        default=(),
        metavar="LIST",
        help="only these (default: all that have a better direction)",
    )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate campaign seeds`; return the exit code."""
    from orchestrator.errors import NoSuchThing
    from orchestrator.features.campaigns import record, samples, seeds

    campaign, store = opened(args)
    round_ = record.named(store, campaign.name)
    frame = samples.kept(samples.folder(store, campaign.name, round_.id) / samples.FILE)
    if frame is None:
        frame = samples.measured(store, round_)
    groups = [
        (str(experiment), samples.of_rows(str(experiment), str(cell), own))
        for (experiment, cell), own in frame.groupby(["experiment", "cell"], sort=False)
    ]
    rows = seeds.needs(groups, campaign.judging, args.change, args.power, args.half, args.metrics)
    if not rows:
        raise NoSuchThing(
            f"round {int(round_.id)} of {campaign.name} has no metric of two seeds, whose spread is known\n"
            "    run it with a few seeds first (`orchestrate campaign run FILE`)"
        )
    if args.json:
        print(json.dumps([_plain(row) for row in rows], indent=2, allow_nan=False))
    else:
        _show(rows, args)
    return 0 if all(row.enough for row in rows) else 1


def _plain(row: Need) -> dict:
    return {
        "experiment": row.experiment,
        "cell": row.cell,
        "metric": row.metric,
        "key": row.key,
        "n": row.value.n,
        "mean": row.value.mean,
        "sd": row.value.sd,
        "change": row.apart,
        "seeds": row.seeds,
        "half": None if math.isinf(row.half) else row.half,
        "wanted": row.wanted,
        "stop": row.stop,
        "enough": row.enough,
    }


def _show(rows: list, args: argparse.Namespace) -> None:
    from orchestrator.cli.numbers import count
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import show
    from orchestrator.features.campaigns.seeds import most
    from orchestrator.words import counted

    lines = [
        (
            f"{row.experiment}/{row.cell}",
            row.metric if row.key == "total" else f"{row.metric}/{row.key}",
            str(row.value.n),
            f"{row.value.mean:.4g}",
            f"{row.value.sd:.3g}",
            f"{row.apart:.3g}",
            count(row.seeds),
            None if math.isinf(row.half) else f"{row.half:.3g}",
            count(row.stop),
        )
        for row in rows
    ]
    keys = [Column("cell", key=True), Column("metric", key=True)]
    columns = [*keys, *numbers("n", "mean", "sd", "change", "seeds", "half", "stop")]
    show(Table("", columns, lines))
    needed = most(rows)
    print(
        f"every change of {100 * args.change:g} % is found with {100 * args.power:g} % by "
        + (f"{counted(needed, 'seed')} in the baseline and in a night" if needed else "no number of seeds")
    )
