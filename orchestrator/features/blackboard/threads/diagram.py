# SPDX-License-Identifier: Apache-2.0
"""The run-time diagram: when each thread runs, in a lane of its own, with publications and notifications."""

from __future__ import annotations

from orchestrator.features.blackboard.threads.execution import IDLE, Execution
from orchestrator.report import style
from orchestrator.report.charts import rows_down
from orchestrator.report.drawing import Drawing
from orchestrator.report.pen import Look
from orchestrator.report.plot import Key, Mark, Plot

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
_LONGEST = 18  # characters of a lane's name that are shown


def diagram(
    execution: Execution,
    start_us: int | None = None,
    length_us: int | None = None,
    threads: tuple[str, ...] = (),
    width: float = style.WIDE,
) -> Drawing:
    """Draw the run-time diagram of a window of simulated time.

    `start_us`, `length_us`: of the window (default: execution.window()). `threads`: the lanes from top to
    bottom (default: all, the idle one last). `width`: inches. The axis has milliseconds since the window's
    start.

    The rows of the CSV are everything in the window: runs, publications (known from their notifications),
    values written to the board, notifications.
    """
    from_us, long = execution.window()
    start = from_us if start_us is None else start_us
    end = start + (long if length_us is None else length_us)
    if end <= start:
        raise ValueError(f"a window of {end - start} us")
    window = _Window(execution, start, end, (threads or execution.threads)[:MOST_LANES])
    return Drawing(window.paint, width, 1.25 + 0.42 * len(window.lanes), window.rows(), COLUMNS)


class _Window:
    """The activity of a mote's visible threads between two times."""

    def __init__(self, execution: Execution, start: int, end: int, lanes: tuple[str, ...]):
        self.mote, self.start, self.end, self.lanes = execution.mote, start, end, lanes
        self.spans = [
            span
            for span in execution.spans
            if span.thread in lanes and span.begin_us <= end and span.end_us >= start
        ]
        self.written = [
            publication for publication in execution.publications if start <= publication.time_us <= end
        ]
        self.published = [time_us for time_us in execution.published_us if start <= time_us <= end]
        visible = [notification for notification in execution.notifications if notification.thread in lanes]
        self.notifications = [
            notification for notification in visible if start <= notification.time_us <= end
        ]
        self.due = [
            notification
            for notification in visible
            if notification.due_us is not None and start <= notification.due_us <= end
        ]

    def rows(self) -> list[tuple]:
        """Return everything in the window by time, with COLUMNS."""
        mote, nothing = self.mote, (None,) * 3
        table = [
            (mote, "run", span.thread, max(span.begin_us, self.start), min(span.end_us, self.end), span.why)
            + (None, None, *nothing)
            for span in self.spans
        ]
        table += [
            (mote, "published", None, time_us, None, None, None, None, *nothing) for time_us in self.published
        ]
        table += [
            (
                mote,
                "written",
                publication.thread,
                publication.time_us,
                None,
                None,
                publication.event,
                publication.value,
                *nothing,
            )
            for publication in self.written
        ]
        table += [
            (
                mote,
                "missed" if notification.missed else "notified",
                notification.thread,
                notification.time_us,
                None,
                None,
                notification.event,
            )
            + (None, notification.subscriber, notification.delay_us, notification.deadline_us or None)
            for notification in self.notifications
        ]
        return sorted(table, key=lambda row: row[3])

    def paint(self, plot: Plot) -> None:
        """Draw the lanes with the threads' runs, and above them the publications."""
        place = {name: y for y, name in enumerate(self.lanes)}
        self._paint_runs(plot, place)
        self._paint_publications(plot)
        self._paint_notifications(plot, place)
        rows_down(
            plot,
            [_short(name) for name in self.lanes],
            f"simulated time after {f'{self.start / 1e6:.6f}'.rstrip('0').rstrip('.')} s, ms",
        )
        plot.y.low, plot.y.high, plot.x.at_end = len(self.lanes) - 0.4, -0.7, False
        plot.x.low, plot.x.high = 0, (self.end - self.start) / 1000
        plot.columns = 5

    def _ms(self, time_us: int) -> float:
        return (min(max(time_us, self.start), self.end) - self.start) / 1000

    def _paint_runs(self, plot: Plot, place: dict[str, int]) -> None:
        for name, y in place.items():
            colour = style.FAINT if name == IDLE else style.SERIES[y % len(style.SERIES)]
            # The edge makes a run visible that takes less than a pixel.
            for begin, finish in sorted(
                {
                    (self._ms(span.begin_us), self._ms(span.end_us))
                    for span in self.spans
                    if span.thread == name
                }
            ):
                plot.bar(begin, y - 0.3, finish, y + 0.3, Look(colour, edge=colour, wide=0.8))

    def _paint_publications(self, plot: Plot) -> None:
        for times, name, face in (
            (self.published, "published", "#ffffff"),
            ([publication.time_us for publication in self.written], "on the board", style.INK),
        ):
            for time_us in times:
                plot.upright(self._ms(time_us), style.INK, 0.9, "1 2")
                plot.mark(self._ms(time_us), -0.62, Mark("v", 6, face, style.INK))
            if times:
                plot.keys.append(Key(name, marker="v", fill=face, edge=style.INK))

    def _paint_notifications(self, plot: Plot, place: dict[str, int]) -> None:
        for notification in self.due:
            at, y = self._ms(notification.due_us), place[notification.thread]
            plot.line([(at, y - 0.42), (at, y + 0.42)], style.VERMILLION, 1.4, z=3)
        for missed, name, mark in (
            (False, "notified", Mark("o", 5, "#ffffff", style.INK, 0.8)),
            (True, "notified too late", Mark("X", 8, style.VERMILLION, style.INK, 0.8)),
        ):
            group = [notification for notification in self.notifications if notification.missed is missed]
            for notification in group:
                plot.mark(self._ms(notification.time_us), place[notification.thread], mark)
            if group:
                plot.keys.append(Key(name, marker=mark.form, fill=mark.fill, edge=mark.edge, size=mark.size))
        if self.due:
            plot.keys.append(Key("deadline", marker="|", fill=style.VERMILLION, size=10))


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
