# SPDX-License-Identifier: Apache-2.0
"""The run-time diagram: a lane a thread, the intervals in which it runs, publications, notifications and
deadlines.
"""

from __future__ import annotations

from orchestrator.report import style
from orchestrator.report.charts import rows_down
from orchestrator.report.drawing import Drawing
from orchestrator.report.pen import Look
from orchestrator.report.plot import Key, Plot
from orchestrator.report.threads.execution import IDLE, Execution

COLUMNS = (
    "mote",
    "what",
    "thread",
    "begin_us",
    "end_us",
    "why",
    "event",
    "value",
    "subscriber",
    "delay_us",
    "deadline_us",
)
MOST_LANES = 24
_LONGEST = 18  # characters of a lane's name


def diagram(
    execution: Execution,
    start_us: int | None = None,
    length_us: int | None = None,
    threads: tuple[str, ...] = (),
    width: float = style.WIDE,
) -> Drawing:
    """`start_us` and `length_us`: of the window, simulated time (default: execution.window()). `threads`: the
    lanes, top to bottom (default: all, the idle one last). `width`: inches. Times on the axis count from the
    window's start, ms.

    The rows (the CSV) are what lies in the window: runs, publications (as notifications tell of them), values
    written to the board, notifications.
    """
    from_us, long = execution.window()
    start = from_us if start_us is None else start_us
    end = start + (long if length_us is None else length_us)
    if end <= start:
        raise ValueError(f"a window of {end - start} us")
    lanes = (threads or execution.threads)[:MOST_LANES]
    spans = [
        span
        for span in execution.spans
        if span.thread in lanes and span.begin_us <= end and span.end_us >= start
    ]
    written = [one for one in execution.publications if start <= one.time_us <= end]
    published = [time_us for time_us in execution.published_us if start <= time_us <= end]
    notifications = [
        one for one in execution.notifications if one.thread in lanes and start <= one.time_us <= end
    ]
    due = [
        one
        for one in execution.notifications
        if one.thread in lanes and one.due_us is not None and start <= one.due_us <= end
    ]

    def ms(time_us: int) -> float:
        return (min(max(time_us, start), end) - start) / 1000

    def paint(plot: Plot) -> None:
        place = {name: y for y, name in enumerate(lanes)}
        for name, y in place.items():
            colour = style.FAINT if name == IDLE else style.SERIES[y % len(style.SERIES)]
            # The edge keeps a run of no time (or less than a pixel's) in sight.
            for begin, finish in sorted(
                {(ms(span.begin_us), ms(span.end_us)) for span in spans if span.thread == name}
            ):
                plot.bar(begin, y - 0.3, finish, y + 0.3, Look(colour, edge=colour, wide=0.8))
        for times, name, face in (
            (published, "published", "#ffffff"),
            ([one.time_us for one in written], "on the board", style.INK),
        ):
            for time_us in times:
                plot.upright(ms(time_us), style.INK, 0.9, "1 2")
                plot.mark(ms(time_us), -0.62, "v", 6, face, style.INK)
            if times:
                plot.keys.append(Key(name, marker="v", fill=face, edge=style.INK))
        for one in due:
            plot.line(
                [(ms(one.due_us), place[one.thread] - 0.42), (ms(one.due_us), place[one.thread] + 0.42)],
                style.VERMILLION,
                1.4,
                z=3,
            )
        for missed, marker, colour, size in ((False, "o", "#ffffff", 5), (True, "X", style.VERMILLION, 8)):
            found = [one for one in notifications if one.missed is missed]
            for one in found:
                plot.mark(ms(one.time_us), place[one.thread], marker, size, colour, style.INK, 0.8)
            if found:
                plot.keys.append(
                    Key(
                        "notified too late" if missed else "notified",
                        marker=marker,
                        fill=colour,
                        edge=style.INK,
                        size=size,
                    )
                )
        if due:
            plot.keys.append(Key("deadline", marker="|", fill=style.VERMILLION, size=10))
        rows_down(
            plot,
            [_short(name) for name in lanes],
            f"simulated time after {f'{start / 1e6:.6f}'.rstrip('0').rstrip('.')} s, ms",
        )
        plot.y.low, plot.y.high, plot.x.at_end = len(lanes) - 0.4, -0.7, False
        plot.x.low, plot.x.high = 0, (end - start) / 1000
        plot.columns = 5

    rows = [
        (
            execution.mote,
            "run",
            span.thread,
            max(span.begin_us, start),
            min(span.end_us, end),
            span.why,
            *[None] * 5,
        )
        for span in spans
    ]
    rows += [(execution.mote, "published", None, time_us, *[None] * 7) for time_us in published]
    rows += [
        (
            execution.mote,
            "written",
            one.thread,
            one.time_us,
            None,
            None,
            one.event,
            one.value,
            None,
            None,
            None,
        )
        for one in written
    ]
    rows += [
        (
            execution.mote,
            "missed" if one.missed else "notified",
            one.thread,
            one.time_us,
            None,
            None,
            one.event,
            None,
            one.subscriber,
            one.delay_us,
            one.deadline_us or None,
        )
        for one in notifications
    ]
    rows.sort(key=lambda row: row[3])
    return Drawing(paint, width, 1.25 + 0.42 * len(lanes), rows, COLUMNS)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
