# SPDX-License-Identifier: Apache-2.0
"""Whose cores do the work of Spark: the options of all commands with Spark jobs; its session as a stage."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any


def add_spark_options(parser: argparse.ArgumentParser) -> None:
    """Add --master, which says whose cores do the work of Spark."""
    parser.add_argument(
        "--master",
        metavar="URL",
        help="let this Spark master's cluster do the work, such as spark://HOST:7077 (default: this machine)",
    )


def session_before(then: str, stage: Callable[[str], None], master: str | None) -> Callable[[], Any]:
    """Return a function that gives a job its Spark session, and shows its start as a stage before the stage
    `then`.
    """

    def made():
        from orchestrate_spark.session import running, session

        if not running():
            stage("starting Spark")
        found = session(master=master)
        stage(then)
        return found

    return made
