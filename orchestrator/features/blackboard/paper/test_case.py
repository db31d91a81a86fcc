# SPDX-License-Identifier: Apache-2.0
"""Figures 5 and 6: the test case's three threads over time, from the logs of traced runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.features.blackboard.paper.notifications import (
    MODELLED,
    SUBSCRIBER_1,
    SUBSCRIBER_2,
    published,
)
from orchestrator.features.blackboard.threads.diagram import diagram
from orchestrator.features.blackboard.threads.execution import IDLE, Execution, read
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.result import Found, without_runs
from orchestrator.report.data import Results
from orchestrator.report.model import Entry, Figure, Section, Table, paragraph
from orchestrator.report.statistics import number
from orchestrator.runs.model import Outcome

EXPERIMENT = "blackboard-test-case"
CELL, INTERRUPTED = "no-extra-work", "25-ms-extra-work"
PUBLISHER, BLACKBOARD = "publisher", "blackboard"
LANES = (PUBLISHER, BLACKBOARD, SUBSCRIBER_1, SUBSCRIBER_2, IDLE)
SLEEP = "sleep"  # the log's word for why a thread stopped
WINDOW_US, BEFORE_US = 100_000, 3_000  # the diagram's window, and its part before the publisher wakes up


@dataclass(frozen=True)
class Run:
    """A traced run; `execution` is without its last span, which lasts beyond the test case."""

    seed: int
    execution: Execution

    def spans(self, thread: str) -> list:
        """Return a thread's spans, without those of no length, in which it only polled."""
        return [span for span in self.execution.spans if span.thread == thread and span.us > 0]

    @property
    def us(self) -> int:
        """The traced time of the test case."""
        return self.execution.spans[-1].end_us - self.execution.spans[0].begin_us


def runs(by_experiment: Found, cell: str) -> list[Run]:
    """Read the traced runs of a cell."""
    results: Results | None = by_experiment.get(EXPERIMENT)
    if results is None:
        return []
    return [
        Run(manifest.seed, _within_the_test(read(Path(results.folder) / "runs" / manifest.run_id)))
        for manifest in results.manifests
        if manifest.cell == cell and manifest.outcome is Outcome.OK
    ]


def _within_the_test(execution: Execution) -> Execution:
    return replace(execution, spans=execution.spans[:-1])


def activations(run: Run) -> list[tuple[int, int]]:
    """Return (begin, end) of the publisher's activations in us: from waking up until it sleeps again.

    The end of a slice may come in between.
    """
    spans, begin = [], None
    for span in run.execution.spans:
        if span.thread == PUBLISHER:
            begin = span.begin_us if begin is None else begin
            if span.why == SLEEP:
                spans.append((begin, span.end_us))
                begin = None
    return spans[1:]  # before the first it starts


def periods_ms(run: Run) -> list[float]:
    """Return the ms from each wake-up of the publisher to the next."""
    begins = [begin for begin, _ in activations(run)]
    return [(after - before) / 1000 for before, after in zip(begins, begins[1:], strict=False)]


def delays_ms(of: list[Run], thread: str) -> list[float]:
    """Return the delays of a thread's notifications in ms."""
    notifications = (notification for run in of for notification in run.execution.notifications)
    return [notification.delay_us / 1000 for notification in notifications if notification.thread == thread]


def checks(results: Found) -> list[Check]:
    """Check the paper's claims."""
    of = runs(results, CELL)
    if not of:
        return [
            Check("test-case", "The run-time diagram", "6.1, Figure 6", MISSING, f"no runs of {EXPERIMENT}")
        ]
    return [_period(of), _within(of), _next(of), _order(of), _no_slice(of), _idle(of)]


def _period(of: list[Run]) -> Check:
    periods = [period for run in of for period in periods_ms(run)]
    sleep, run_ms = published("publisher-sleep-ms"), published("publisher-run-ms")
    return Check(
        "period",
        f"The publisher is activated every {sleep:g} ms (we ask for {sleep:g} to {sleep + run_ms:g}: it "
        "sleeps that long after its run)",
        "6.1",
        HOLDS if all(sleep <= period <= sleep + run_ms for period in periods) else FAILS,
        f"{len(periods)} periods of {number(min(periods), 3)} to {number(max(periods), 3)} ms, mean "
        f"{number(sum(periods) / len(periods), 3)}",
    )


def _within(of: list[Run]) -> Check:
    durations = [(end - begin) / 1000 for run in of for begin, end in activations(run)]
    limit = published("publisher-run-ms")
    return Check(
        "within",
        f"It executes within {limit:g} millisecond",
        "6.1",
        HOLDS if max(durations) <= limit else FAILS,
        f"{len(durations)} runs of {number(min(durations), 3)} to {number(max(durations), 3)} ms from "
        "wake-up to sleep (assumed: 0.5 ms of CPU; more where a slice ends meanwhile)",
    )


def _next(of: list[Run]) -> Check:
    """Check which thread runs after the publisher has published and gone to sleep."""
    after = []
    for run in of:
        spans, since = run.execution.spans, activations(run)[0][0]
        after += [
            second.thread
            for first, second in zip(spans, spans[1:], strict=False)
            if first.thread == PUBLISHER and first.why == SLEEP and first.begin_us > since
        ]
    other = sorted({thread for thread in after if thread != BLACKBOARD})
    return Check(
        "next",
        "The blackboard thread runs directly after the publisher's sleeping begins",
        "6.1",
        HOLDS if not other else FAILS,
        f"in {sum(thread == BLACKBOARD for thread in after)} of {len(after)} cases"
        + (f", else {', '.join(other)}" if other else ""),
    )


def order(of: list[Run]) -> tuple[int, int]:
    """Count the publications that subscriber 1 took before subscriber 2, and those that both took."""
    right, n = 0, 0
    for run in of:
        times = {
            thread: {
                notification.time_us - notification.delay_us: notification.time_us
                for notification in run.execution.notifications
                if notification.thread == thread
            }
            for thread in (SUBSCRIBER_1, SUBSCRIBER_2)
        }
        both = times[SUBSCRIBER_1].keys() & times[SUBSCRIBER_2].keys()
        n += len(both)
        right += sum(times[SUBSCRIBER_1][at] < times[SUBSCRIBER_2][at] for at in both)
    return right, n


def _order(of: list[Run]) -> Check:
    """Check that subscriber 1 gets the notification of a publication before subscriber 2."""
    right, n = order(of)
    return Check(
        "order",
        "Subscriber 1 is activated before subscriber 2, by its sooner deadline",
        "6.1",
        HOLDS if n and right == n else FAILS,
        f"in {right} of {n} publications that both were notified of",
    )


def _no_slice(of: list[Run]) -> Check:
    slice_us = published("slice-ms") * 1000
    longest = max((span.us, span.thread) for run in of for thread in LANES[:-1] for span in run.spans(thread))
    return Check(
        "no-slice",
        "No thread needs a complete slice",
        "6.1",
        HOLDS if longest[0] < slice_us else FAILS,
        f"the longest run: {number(longest[0] / 1000, 3)} ms, of {longest[1]}",
    )


def _idle(of: list[Run]) -> Check:
    """Check the share of the traced time; the paper says "long periods", we ask for more than half."""
    shares = [sum(span.us for span in run.spans(IDLE)) / run.us for run in of]
    return Check(
        "idle",
        "Long periods of the idle thread (we ask for more than half of the time)",
        "6.1",
        HOLDS if min(shares) > 0.5 else FAILS,
        f"{number(100 * min(shares), 1)} to {number(100 * max(shares), 1)} % of the time",
    )


def tables(results: Found) -> list[Table]:
    """Return the tables for the terminal."""
    rows = []
    for cell in (CELL, INTERRUPTED):
        of = runs(results, cell)
        for thread in LANES if of else ():
            spent = [span.us for run in of for span in run.spans(thread)]
            delays = delays_ms(of, thread)
            numbers = (
                str(len(spent)),
                number(100 * sum(spent) / sum(run.us for run in of), 2) + " %",
                number(max(spent, default=0) / 1000, 2),
                number(sum(delays) / len(delays), 2) if delays else "",
                number(max(delays), 2) if delays else "",
            )
            rows.append((Entry(cell), Entry(thread), *(Entry(text, number=True) for text in numbers)))
    columns = ("Run", "Thread", "Runs", "CPU", "Longest, ms", "Notified after, mean, ms", "at most, ms")
    title = "Figures 5 and 6: the threads"
    return [Table(title, columns, tuple(rows), MODELLED, cards=False)] if rows else []


def sections(results: Found) -> list[Section]:
    """Return the sections of the paper's page."""
    figures = []
    for cell, words in (
        (CELL, "no extra work (Figures 5 and 6)"),
        (INTERRUPTED, "25 ms of extra work after each publication"),
    ):
        of = runs(results, cell)
        if not of:
            continue
        execution = of[0].execution
        begin = activations(of[0])[0][0]
        start = max(0, (begin - BEFORE_US) // 1000 * 1000)
        figures.append(
            Figure(
                f"test-case-{cell}",
                f"Run-time diagram: {words}",
                diagram(execution, start, WINDOW_US, LANES),
                wide=True,
                alt=f"Which thread runs when, {words}",
                caption=f"From the log of seed {of[0].seed}. {MODELLED}",
            )
        )
    if not figures:
        return without_runs("test-case", "Figures 5 and 6", EXPERIMENT, "Figures 5 and 6")
    text = paragraph(
        "One thread publishes a number and sleeps 30 ms; subscriber 1 runs on notification only, subscriber "
        "2 sleeps 10 ms after each run and looks for a notification then. With extra work the publisher goes "
        "on computing after it has published, until the slice ends."
    )
    return [
        Section(
            "test-case",
            "Figures 5 and 6: the test case's threads over time",
            (
                text,
                *figures,
                checks_table(checks(results), "What the paper says of the diagram"),
                *tables(results),
            ),
            "Figures 5 and 6",
        )
    ]
