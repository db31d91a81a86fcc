# SPDX-License-Identifier: Apache-2.0
"""Beside the tables: section 6.1's single board, the anomaly of configuration 2, and the readings."""

from __future__ import annotations

from orchestrator.features.event_service.paper.frequency import LOCAL, REMOTE_CONSUMERS
from orchestrator.features.event_service.paper.received import Mean, Received, received
from orchestrator.papers.result import Found, without_runs
from orchestrator.report.model import Entry, Section, Table
from orchestrator.report.statistics import number

SINGLE_BOARD, ABLATION, READINGS = (
    "event-service-single-board",
    "event-service-ablation",
    "event-service-readings",
)
SINGLE_BOARD_CALIBRATED = f"{SINGLE_BOARD}-calibrated"


def _entry(mean: Mean | None) -> Entry:
    return Entry("–" if mean is None else number(mean.trimmed, 1), number=True)


def _again(ours: Received, case: str, interval: int) -> Entry:
    """How often an event came that had come before, for each consumer."""
    first, all_of_them = (ours.mean(case, interval, column=column) for column in ("events", "arrivals"))
    if first is None or all_of_them is None:
        return Entry("–", number=True)
    return Entry(number(all_of_them.of_all - first.of_all, 1), number=True)


def single_board(results: Found) -> list[Table]:
    """Return section 6.1's table (tables on the base station, crossed pairs), and the calibrated one."""
    title = "Section 6.1: more of a single board"
    return [
        *_of_single_board(results, SINGLE_BOARD, title),
        *(
            _of_single_board(results, SINGLE_BOARD_CALIBRATED, f"{title}, calibrated")
            if SINGLE_BOARD_CALIBRATED in results
            else []
        ),
    ]


def _of_single_board(results: Found, experiment: str, title: str) -> list[Table]:
    ours = received(results.get(experiment))
    if ours is None:
        return []
    cases = {
        "gateway": "1 supplier, 1 consumer, tables on the gateway",
        "base-station": "the same, tables on the base station",
        "uncrossed": "2 events, each its own supplier and consumer",
        "crossed": "2 motes, each the other's consumer",
    }
    rows = [
        (
            Entry(words),
            Entry(str(interval), number=True),
            _entry(ours.mean(case, interval)),
            _entry(ours.total(case, interval)),
            Entry(str(300 * _suppliers(case)), number=True),
        )
        for case, words in cases.items()
        for interval in ours.intervals(case)
    ]
    note = (
        "In the thesis a consumer received close to 275 of 300 events with the tables on the base station. "
        "Where two motes are each other's consumer, a total of 165 to 180 came. The thesis doesn't say "
        "whether that is one consumer's total, of 300 pushes, or that of both, of 600; the table has both. "
        "Each number is the mean of the readings without the two extremes."
    )
    columns = ("Case", "Interval, ms", "A consumer, of 300", "All consumers", "All pushes")
    return [Table(title, columns, tuple(rows), note, cards=False)]


def _suppliers(case: str) -> int:
    return 2 if case in ("uncrossed", "crossed") else 1


CHANGES = {
    "as-it-is": "as it is",
    "no-local-consumer": "no local consumer (configuration 1)",
    "sender-included": "an event may go back to the gateway it came from",
    "sender-included-buffer-8": "the same, and room for 8 frames in a mote's send buffer",
    "buffer-8": "room for 8 frames in a mote's send buffer",
    "a-delivery-each": "a delivery for each consumer",
    "all-hear-all": "all motes of a board hear each other (40 % power)",
    "no-back-off": "a MAC that sends at once, without CSMA's back-offs",
    "no-nagle": "sockets without Nagle's algorithm",
    "no-latency-timer": "USB chips without a latency timer",
}
ALTERNATIVES = {
    "as-it-is": "our defaults",
    "formation-as-written": "5.1 as written: the controller instructs one gateway after the other",
    "flag": "5.3.2's text: an event is propagated once",
    "subscribe-table": "5.3.2's pseudo-code, the entry made after the search",
    "subscribe-table-after": "5.3.2's pseudo-code after 5.3.1: the entry made before the search",
    "relay-deliver-only": "5.4.1's pseudo-code: what comes from other gateways goes no further",
    "sender-included": "5.4.2's pseudo-code: to every gateway that requested it, the sender too",
    "delivery-each": "a delivery for each consumer",
    "start-at-once": "3.2: suppliers push as soon as they have advertised",
}


def _configuration_2(
    results: Found, experiment: str, title: str, words: dict[str, str], note: str
) -> list[Table]:
    ours = received(results.get(experiment))
    if ours is None:
        return []
    rows = [
        (
            Entry(text),
            Entry(str(interval), number=True),
            _entry(ours.mean(case, interval, (LOCAL,))),
            _entry(ours.mean(case, interval, REMOTE_CONSUMERS)),
            _again(ours, case, interval),
        )
        for case, text in words.items()
        for interval in ours.intervals(case)
    ]
    columns = ("What is changed", "Interval, ms", "Local", "Remote", "Repeats")
    return [Table(title, columns, tuple(rows), note, cards=False)]


def ablation(results: Found) -> list[Table]:
    """Return the table of configuration 2 with one thing changed at a time."""
    note = (
        "Events received of 100 pushes, one remote consumer; repeats: how often a consumer got an event that "
        "it had got before. Mean of the readings without the two extremes."
    )
    return _configuration_2(results, ABLATION, "Configuration 2, one thing changed at a time", CHANGES, note)


def readings(results: Found) -> list[Table]:
    """Return the table of the thesis's contradictions."""
    note = (
        "Events received of 100 pushes at an interval of 200 ms, in configuration 2 with one remote consumer."
    )
    return _configuration_2(results, READINGS, "Where the thesis can be read in two ways", ALTERNATIVES, note)


def sections(name: str, title: str, experiment: str, tables: list[Table]) -> list[Section]:
    """Return a section of an experiment's tables."""
    if not tables:
        return without_runs(name, title, experiment, title)
    return [Section(name, title, tuple(tables), title)]
