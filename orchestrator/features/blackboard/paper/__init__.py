# SPDX-License-Identifier: Apache-2.0
"""Stelte (2010): a real-time blackboard in a mote.

The paper is "A Real-Time-Enabled, Blackboard-Based, Publish/Subscribe Architecture for Wireless Sensor
Nodes". Its storage is computed and compiled, its test case and its Figure 7 are run, what it leaves open is
tried, and its contradictions are listed.
"""

from __future__ import annotations

from orchestrator.features.blackboard.paper import (
    adaptive,
    contradictions,
    costs,
    executed,
    figure_2,
    figure_7,
    storage,
    test_case,
)
from orchestrator.features.blackboard.paper.definitions import data
from orchestrator.papers.result import Result


def results() -> tuple[Result, ...]:
    """Return the paper's results."""
    test, series = data.texts("test-case.yaml"), data.texts("figure-7.yaml")
    heading = "What the paper says of {}"
    return (
        Result.of(
            storage,
            "storage",
            "definitions 1 to 3, Tables 1 and 2, and the bytes that our three storages take when compiled",
            heading=heading.format("them"),
        ),
        Result.of(
            figure_2,
            "figure-2",
            "Figure 2: events against subscribers in 4 KB, three concepts",
            heading=heading.format("Figure 2"),
        ),
        Result.of(
            test_case,
            "test-case",
            "Figures 5 and 6: the run-time diagram of the test case's threads",
            test,
            heading=heading.format("Figure 6"),
        ),
        Result(
            "figure-7",
            "Figure 7: time to notification against the publisher's extra work, four deadlines",
            series,
            data.texts("costs.yaml"),
            tables=lambda results_: [*figure_7.tables(results_), *costs.tables(results_)],
            checks=figure_7.checks,
            sections=lambda results_: [*figure_7.sections(results_), *costs.sections(results_)],
            heading=heading.format("Figure 7"),
        ),
        Result.of(
            adaptive,
            "adaptive",
            "the deadline that adapts itself, which the paper leaves open",
            data.texts("adaptive.yaml"),
            heading="Is it feasible, is it useful?",
        ),
        Result.of(
            executed,
            "executed",
            "the CPU times that we assume, executed on an emulated Tmote Sky",
        ),
        Result.of(
            contradictions,
            "readings",
            "where the paper can be read in two ways, both with their numbers",
            (*test, *series),
        ),
    )
