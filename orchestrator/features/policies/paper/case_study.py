# SPDX-License-Identifier: Apache-2.0
"""The case study's applications (section 5): figures as printed and as completed, attacks, size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import methodcaller

from orchestrator.features.policies.paper.measured import CIPHER, EXPERIMENT, Cell, Measured, measured
from orchestrator.papers.result import Found, without_runs
from orchestrator.report.model import Entry, Section, Table
from orchestrator.report.statistics import number

TITLE = "The lorry's applications"
Column = Callable[[Cell], Sequence[float]]


def _mean(cell: Cell, column: Column, decimals: int) -> Entry:
    values = list(column(cell))
    text = number(sum(values) / len(values), decimals) if values else "–"
    return Entry(text, number=True)


def _table(
    runs: Measured, title: str, cases: dict[str, str], columns: dict[str, tuple[Column, int]], note: str
) -> list[Table]:
    rows = [
        (Entry(words), *(_mean(cell, column, decimals) for column, decimals in columns.values()))
        for name, words in cases.items()
        if (cell := runs.cell(name)) is not None
    ]
    note = f"Means over the runs of a cell. {note}"
    return [Table(title, ("Case", *columns), tuple(rows), note, cards=False)] if rows else []


# Title, cases in words, columns with their decimals, note.
TABLES = (
    (
        "Fire alarm (5.1)",
        {
            "fire-5": "fire, 5 sensors",
            "fire": "fire, 8 sensors",
            "fire-118": "fire, 118 sensors",
            "fire-printed": "fire, 8 sensors, Figure 15 as printed",
            "fire-118-printed": "fire, 118 sensors, Figure 15 as printed",
            "calm": "nothing happens",
            "sun": "the lorry stands in the sun: heat without smoke",
        },
        {
            "Sprinklers opened": (methodcaller("motes_that_did", "sprinkler opened"), 1),
            "First at, s": (methodcaller("first_s", "sprinkler opened"), 1),
            "Frames sent": (methodcaller("counted", "packets_sent"), 0),
        },
        "Of two sprinklers. The fire begins 10 s after the measured time does, and every mote boots within "
        "the first second; there are 50 degrees 5 s later. In Figure 15 as printed one smoke detector that "
        "sees no smoke ends the pre-alarm, whatever others saw.",
    ),
    (
        "Package tampering (5.3)",
        {
            "opened": "a package is opened",
            "opened-printed": "the same, Figure 19 as printed",
            "warm": "it gets warm in all packages",
            "warm-timer-only": "the same, Figure 19 with a timer",
        },
        {
            "Package alarms": (methodcaller("motes_that_did", "alarm sent: package"), 1),
            "Readings sent in clear": (methodcaller("counted", "overheard_in_clear"), 0),
        },
        "Alarm units that sent an alarm, of one. Figure 19's timeout() is that of section 4.1.1, which comes "
        "when there is no publish/subscribe event at the mote; a component that reads every 400 ms leaves no "
        "such silence. With a timer the last package that registers the warm air hears no other behind it.",
    ),
    (
        "Secure zoning (5.4)",
        {
            "opened": "a package is opened, an attacker listens",
            "opened-injected": "it injects readings",
            "opened-injected-without-20": "the same, without Figure 20",
            "opened-replayed": "it replays a reading",
            "opened-replayed-without-20": "the same, without Figure 20",
            "opened-wrong-key": "the opened package has another key",
            "sun-flooded": "it floods pull messages",
            "sun": "the same without the attacker's flood",
        },
        {
            "Package alarms": (methodcaller("motes_that_did", "alarm sent: package"), 1),
            "Overheard in clear": (methodcaller("counted", "overheard_in_clear"), 0),
            "Overheard sealed": (methodcaller("counted", "overheard_sealed"), 0),
            "Refused, not sealed by the key": (methodcaller("counted", "group_not_ours"), 0),
            "Refused, replayed": (methodcaller("counted", "group_replayed"), 0),
            "Pulls refused": (methodcaller("counted", "pulls_refused"), 0),
            "Readings delivered": (methodcaller("counted", "events_delivered"), 0),
        },
        f"Refusals are counted at each asking, at every package. {CIPHER}",
    ),
)


def tables(results: Found) -> list[Table]:
    """Return the tables of the case study, if there are runs."""
    runs = measured(results.get(EXPERIMENT))
    return [] if runs is None else [table for which in TABLES for table in _table(runs, *which)]


def sections(results: Found) -> list[Section]:
    """Return the section of the page."""
    tables_ = tables(results)
    if not tables_:
        return without_runs("case-study", TITLE, EXPERIMENT)
    return [Section("case-study", TITLE, tuple(tables_))]
