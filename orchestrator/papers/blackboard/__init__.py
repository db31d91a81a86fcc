# SPDX-License-Identifier: Apache-2.0
"""Stelte (2010): a real-time blackboard in a mote.

The paper is "A Real-Time-Enabled, Blackboard-Based, Publish/Subscribe Architecture for Wireless Sensor
Nodes". Its storage is computed and compiled, its test case and its Figure 7 are run, what it leaves open is
tried, and its contradictions are listed.
"""

from __future__ import annotations

from orchestrator.papers.blackboard import (
    adaptive,
    contradictions,
    costs,
    figure_2,
    figure_7,
    storage,
    test_case,
)
from orchestrator.papers.blackboard.definitions import data
from orchestrator.papers.result import Result, Scenarios


def _scenarios(*names: str) -> Scenarios:
    return tuple((name, data.text(name)) for name in names)


def results() -> tuple[Result, ...]:
    """Return the paper's results."""
    test, series, growing = (
        _scenarios(name) for name in ("test-case.yaml", "figure-7.yaml", "adaptive.yaml")
    )
    heading = "What the paper says of {}"
    return (
        Result(
            "storage",
            "definitions 1 to 3, Tables 1 and 2, and the bytes that our three storages take when compiled",
            tables=storage.tables,
            checks=storage.checks,
            sections=storage.sections,
            heading=heading.format("them"),
        ),
        Result(
            "figure-2",
            "Figure 2: events against subscribers in 4 KB, three concepts",
            tables=figure_2.tables,
            checks=figure_2.checks,
            sections=figure_2.sections,
            heading=heading.format("Figure 2"),
        ),
        Result(
            "test-case",
            "Figures 5 and 6: the run-time diagram of the test case's threads",
            test,
            tables=test_case.tables,
            checks=test_case.checks,
            sections=test_case.sections,
            heading=heading.format("Figure 6"),
        ),
        Result(
            "figure-7",
            "Figure 7: time to notification against the publisher's extra work, five series",
            series,
            _scenarios("costs.yaml"),
            tables=lambda found: [*figure_7.tables(found), *costs.tables(found)],
            checks=figure_7.checks,
            sections=lambda found: [*figure_7.sections(found), *costs.sections(found)],
            heading=heading.format("Figure 7"),
        ),
        Result(
            "adaptive",
            "the deadline that adapts itself, which the paper leaves open",
            growing,
            tables=adaptive.tables,
            checks=adaptive.checks,
            sections=adaptive.sections,
            heading="Is it feasible, is it useful?",
        ),
        Result(
            "readings",
            "where the paper can be read in two ways, both with their numbers",
            (*test, *series),
            tables=contradictions.tables,
            sections=contradictions.sections,
        ),
    )
