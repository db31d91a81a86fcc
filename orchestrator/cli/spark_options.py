# SPDX-License-Identifier: Apache-2.0
"""The options that say whose cores do the work of Spark, for all commands with Spark jobs.

Its session is started as a stage.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orchestrator.execution.cluster import Cluster
    from orchestrator.execution.spread import Spread


def add_spark_options(parser: argparse.ArgumentParser, runs: bool = False) -> None:
    """Add --master, which says whose cores do the work of Spark; with `runs`, those that make runs there."""
    parser.add_argument(
        "--master",
        metavar="URL",
        help="let this Spark master's cluster do the work, such as spark://HOST:7077 (default: this machine)",
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
        raise WrongUsage("--master and --on are of one cluster; leave out --master")
    return Cluster(args.on, args.through)


def session_before(then: str, stage: Callable[[str], None], master: str | None) -> Callable[[], Any]:
    """Return a function that gives a job its Spark session, started as a stage before the stage `then`."""

    def made():
        from orchestrate_spark.session import running, session

        if not running():
            stage("starting Spark")
        found = session(master=master)
        stage(then)
        return found

    return made


def spread(then: str, stage: Callable[[str], None], master: str | None) -> Spread:
    """Return where work that needs no Spark is done: on a cluster's executors, or in this process.

    The cluster is that of `master`, or of spark-submit. For `then` and `stage` see `session_before`.
    """
    from orchestrate_spark.session import submitted

    from orchestrator.execution.spread import here, on_session

    if master is None and not submitted():
        return here
    return on_session(session_before(then, stage, master))
