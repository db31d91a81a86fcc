# SPDX-License-Identifier: Apache-2.0
"""The event service thesis: "An Event Service for sensor networks", after CORBA's.

Its tables are run in virtual time, motes and gateways together; what section 7.1 concludes is tested, the
anomaly of configuration 2 is looked for by changing one thing at a time, and its contradictions are run in
each reading. A part of Table 6-2 is run in real time too, on a virtual testbed.
"""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.features.event_service.paper import conclusions, frequency, real_time, variants
from orchestrator.features.event_service.paper.received import data
from orchestrator.papers.check import Check, checks_table
from orchestrator.papers.result import Found, Result
from orchestrator.report.model import Section

_HEADING = "What the thesis says of it"


def _checked(sections: list[Section], checks: list[Check]) -> list[Section]:
    """Return the sections with a table of checks at the end of the first."""
    if not checks:
        return sections
    first, tested = sections[0], checks_table(checks, _HEADING)
    return [Section(first.id, first.title, (*first.blocks, tested), first.short), *sections[1:]]


def _of_table(
    table: frequency.FrequencyTable,
    file: str,
    checks: Callable[[Found], list[Check]] | None = None,
    others: tuple[str, ...] = (),
) -> Result:
    def sections(found: Found) -> list[Section]:
        return _checked(table.sections(found), checks(found) if checks else [])

    return Result(
        table.name,
        table.title,
        data.texts(file, *others),
        tables=table.tables,
        **({"checks": checks} if checks else {}),
        sections=sections,
        heading=_HEADING,
    )


def results() -> tuple[Result, ...]:
    """Return the paper's results."""
    return (
        _of_table(frequency.SINGLE, "table-6-1.yaml", conclusions.single),
        _of_table(frequency.SINGLE_OF_100, "table-6-1-of-100.yaml"),
        _of_table(frequency.REMOTE, "table-6-2.yaml", conclusions.remote),
        _of_table(frequency.BOTH, "table-6-3.yaml", conclusions.both, ("table-6-2.yaml",)),
        Result(
            "single-board",
            "section 6.1: tables on the base station, and two motes that are each other's consumer",
            data.texts("single-board.yaml"),
            tables=variants.single_board,
            checks=conclusions.single_board,
            sections=lambda found: _checked(
                variants.sections(
                    "single-board",
                    "More of a single board",
                    variants.SINGLE_BOARD,
                    variants.single_board(found),
                ),
                conclusions.single_board(found),
            ),
            heading=_HEADING,
        ),
        Result(
            "anomaly",
            "section 6.2.2: what a local consumer costs, one thing changed at a time",
            data.texts("ablation.yaml"),
            tables=variants.ablation,
            sections=lambda found: variants.sections(
                "anomaly", "The anomaly of configuration 2", variants.ABLATION, variants.ablation(found)
            ),
        ),
        Result(
            "readings",
            "where the thesis can be read in two ways, each reading run",
            data.texts("readings.yaml"),
            tables=variants.readings,
            sections=lambda found: variants.sections(
                "readings", "Two readings", variants.READINGS, variants.readings(found)
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
