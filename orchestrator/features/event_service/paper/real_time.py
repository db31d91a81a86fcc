# SPDX-License-Identifier: Apache-2.0
"""A part of Table 6-2 in real time on a virtual testbed, beside the same in virtual time."""

from __future__ import annotations

from orchestrator.features.event_service.paper.received import Mean, intervals, published, received
from orchestrator.papers.result import Found, without_runs
from orchestrator.report.model import Entry, Section, Table
from orchestrator.report.statistics import number

REAL, VIRTUAL = "event-service-real-time", "event-service-virtual-time"
CASE = "N1"
TITLE = "Table 6-2 in real time, on a virtual testbed"
_NOTE = (
    "Events received by the remote consumer, of 100 pushes. In virtual time serial lines, the forwarder and "
    "TCP take what the application's parameters say. In real time gateways are processes with their daemon, "
    "serial lines pseudo-terminals at 115,200 bit/s, and the delays are those of this machine, which depend "
    "on what else it does."
)


def _entry(mean: Mean | None) -> Entry:
    return Entry("–" if mean is None else number(mean.of_all, 1), number=True)


def _started_within(results: Found, interval: int) -> Entry:
    """Return how far apart the motes started, the most of the readings; a run that failed has none."""
    spreads = [
        manifest.testbed.boot_spread_us
        for manifest in results[REAL].manifests
        if manifest.cell == f"{CASE}-{interval}" and manifest.testbed.lab
    ]
    return Entry(number(max(spreads) / 1e6, 1) if spreads else "–", number=True)


def tables(results: Found) -> list[Table]:
    """Return the table, if there were runs on the testbed."""
    real, virtual = received(results.get(REAL)), received(results.get(VIRTUAL))
    if real is None:
        return []
    theirs = dict(zip(intervals(), published("table-6-2")[CASE], strict=True))
    rows = [
        (
            Entry(str(interval), number=True),
            Entry(str(theirs[interval]), number=True),
            _entry(virtual.mean(CASE, interval) if virtual else None),
            _entry(real.mean(CASE, interval)),
            _started_within(results, interval),
        )
        for interval in intervals()
        if real.mean(CASE, interval) or (virtual and virtual.mean(CASE, interval))
    ]
    columns = ("Interval, ms", "Thesis", "Virtual time", "Real time", "Motes started within, s")
    return [Table(TITLE, columns, tuple(rows), _NOTE, cards=False)]


def sections(results: Found) -> list[Section]:
    """Return the section of the page."""
    tables_ = tables(results)
    if not tables_:
        return without_runs("real-time", TITLE, REAL, TITLE)
    return [Section("real-time", TITLE, tuple(tables_), "Real time")]
