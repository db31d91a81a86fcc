# SPDX-License-Identifier: Apache-2.0
"""The event service thesis: "An Event Service for sensor networks", after CORBA's.

Its tables are run in virtual time, motes and gateways together: without random loss, and in a variant whose
loss was fitted to the thesis's level. What section 7.1 concludes is tested, the anomaly of configuration 2 is
looked for by changing one thing at a time, and its contradictions are run in each reading. A part of Table
6-2 is run in real time too, on a virtual testbed.
"""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.features.event_service.paper import conclusions, frequency, real_time, variants
from orchestrator.features.event_service.paper.received import data
from orchestrator.papers.check import MISSING, Check, checks_table
from orchestrator.papers.result import Found, Result
from orchestrator.report.model import Section

_HEADING = "What the thesis says of it"
_CALIBRATED = f"{_HEADING}, tested on the calibrated variant, which was fitted to the level of Table 6-2"


def _checked(sections: list[Section], checks: list[Check], calibrated: list[Check]) -> list[Section]:
    """Return the sections with tables of checks at the end of the first.

    Those of the calibrated variant are no part of a result's checks: a number was fitted to the thesis.
    """
    tables = [checks_table(checks, _HEADING)] if checks else []
    if any(check.verdict != MISSING for check in calibrated):
        tables.append(checks_table(calibrated, _CALIBRATED))
    first = sections[0]
    return [Section(first.id, first.title, (*first.blocks, *tables), first.short), *sections[1:]]


def _of_table(
    table: frequency.FrequencyTable,
    files: tuple[str, ...],
    checks: Callable[[Found], list[Check]] | None = None,
    calibrated: Callable[[Found], list[Check]] = lambda results: [],
) -> Result:
    def sections(results: Found) -> list[Section]:
        return _checked(table.sections(results), checks(results) if checks else [], calibrated(results))

    return Result(
        table.name,
        table.title,
        data.texts(*files),
        tables=table.tables,
        **({"checks": checks} if checks else {}),
        sections=sections,
        heading=_HEADING,
    )


def _single_board(results: Found) -> list[Section]:
    tables = variants.single_board(results)
    sections = variants.sections("single-board", "More of a single board", variants.SINGLE_BOARD, tables)
    calibrated = conclusions.single_board(results, variants.SINGLE_BOARD_CALIBRATED)
    return _checked(sections, conclusions.single_board(results), calibrated)


def results() -> tuple[Result, ...]:
    """Return the paper's results."""
    single, remote, both = (
        table.calibrated for table in (frequency.SINGLE, frequency.REMOTE, frequency.BOTH)
    )
    beside = ("table-6-2.yaml", "table-6-2-calibrated.yaml")
    return (
        _of_table(
            frequency.SINGLE,
            ("table-6-1.yaml", "table-6-1-calibrated.yaml"),
            conclusions.single,
            lambda results: conclusions.single(results, single),
        ),
        _of_table(frequency.SINGLE_OF_100, ("table-6-1-of-100.yaml",)),
        _of_table(
            frequency.REMOTE,
            beside,
            conclusions.remote,
            lambda results: conclusions.remote(results, remote),
        ),
        _of_table(
            frequency.BOTH,
            ("table-6-3.yaml", "table-6-3-calibrated.yaml", *beside),
            conclusions.both,
            lambda results: conclusions.both(results, both, remote),
        ),
        Result(
            "single-board",
            "section 6.1: tables on the base station, and two motes that are each other's consumer",
            data.texts("single-board.yaml", "single-board-calibrated.yaml"),
            tables=variants.single_board,
            checks=conclusions.single_board,
            sections=_single_board,
            heading=_HEADING,
        ),
        Result(
            "anomaly",
            "section 6.2.2: what a local consumer costs, one thing changed at a time",
            data.texts("ablation.yaml"),
            tables=variants.ablation,
            sections=lambda results: variants.sections(
                "anomaly", "The anomaly of configuration 2", variants.ABLATION, variants.ablation(results)
            ),
        ),
        Result(
            "readings",
            "where the thesis can be read in two ways, each reading run",
            data.texts("readings.yaml"),
            tables=variants.readings,
            sections=lambda results: variants.sections(
                "readings", "Two readings", variants.READINGS, variants.readings(results)
            ),
        ),
        Result.of(
            real_time,
            "real-time",
            "a part of Table 6-2 on a virtual testbed: gateways are real processes, time is the wall clock's",
            data.texts("virtual-time.yaml", "real-time.yaml"),
            asked=False,
        ),
    )
