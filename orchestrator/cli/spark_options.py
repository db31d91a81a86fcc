# SPDX-License-Identifier: Apache-2.0
"""The options that choose the engine of tables, metrics and queries, for all commands that compute some.

The engine is started as a stage.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrate_spark.engines import Sessions

    from orchestrator.execution.cluster import Cluster
    from orchestrator.execution.spread import Spread


def add_spark_options(parser: argparse.ArgumentParser, runs: bool = False) -> None:
    """Add --master, which chooses the engine; with `runs`, also the options that make runs on a cluster."""
    parser.add_argument(
        "--master",
        metavar="URL",
        help="what computes tables and metrics: embedded (needs no Java), local[*] (Apache Spark on this "
        "machine), spark://HOST:7077 (a cluster) or sc://HOST (Spark Connect); by default what "
        "ORCHESTRATE_MASTER or the file says, else the quickest here",
    )
    if runs:
        parser.add_argument(
            "--on",
            metavar="URL",
            help="make the runs on this Spark master's cluster, and do the work of Spark there",
        )
        parser.add_argument(
            "--through",
            metavar="URL",
            help="with --on: hand results over in this object store, such as s3://BUCKET/PREFIX, because the "
            "cluster's machines don't see the store (the work of Spark is then done here)",
        )


def cluster(args: argparse.Namespace) -> Cluster | None:
    """Return the cluster that makes the runs, if one is to. Raises WrongUsage."""
    from orchestrator.errors import WrongUsage
    from orchestrator.execution.cluster import Cluster

    if args.on is None:
        if args.through is not None:
            raise WrongUsage("--through goes with --on, which says where the runs are made")
        return None
    if args.master is not None and args.master != args.on:
        raise WrongUsage("--master and --on both name the cluster; leave out --master")
    return Cluster(args.on, args.through)


def session_before(
    then: str, stage: Callable[[str], None], master: str | None, file: str | None = None
) -> Sessions:
    """Return what gives a job its session: an engine that starts is a stage before the stage `then`.

    `master`: of the command line. `file`: of a scenario or campaign.
    """
    from orchestrate_spark.engines import Sessions

    def starting(engine: str) -> None:
        stage(f"starting {engine}")

    return Sessions(master, starting, file=file, ready=lambda: stage(then))


def spread(then: str, stage: Callable[[str], None], master: str | None) -> Spread:
    """Return where work that needs no engine is done: on a cluster's executors, or in this process.

    The cluster is that of `master`, or of spark-submit. For `then` and `stage` see `session_before`.
    """
    from orchestrator.execution.spread import here, on_session

    sessions = session_before(then, stage, master)
    return on_session(sessions) if sessions.spreads else here
