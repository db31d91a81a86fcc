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
    """What the shown threads of a mote did between two times."""

    def __init__(self, execution: Execution, start: int, end: int, lanes: tuple[str, ...]):
        self.mote, self.start, self.end, self.lanes = execution.mote, start, end, lanes
        self.spans = [
            span
            for span in execution.spans
            if span.thread in lanes and span.begin_us <= end and span.end_us >= start
        ]
        self.written = [one for one in execution.publications if start <= one.time_us <= end]
        self.published = [time_us for time_us in execution.published_us if start <= time_us <= end]
        shown = [one for one in execution.notifications if one.thread in lanes]
        self.notifications = [one for one in shown if start <= one.time_us <= end]
        self.due = [one for one in shown if one.due_us is not None and start <= one.due_us <= end]

    def rows(self) -> list[tuple]:
        """Return everything in the window by time, with COLUMNS."""
        mote, nothing = self.mote, (None,) * 3
        found = [
            (mote, "run", one.thread, max(one.begin_us, self.start), min(one.end_us, self.end), one.why)
            + (None, None, *nothing)
            for one in self.spans
        ]
        found += [
            (mote, "published", None, time_us, None, None, None, None, *nothing) for time_us in self.published
        ]
        found += [
            (mote, "written", one.thread, one.time_us, None, None, one.event, one.value, *nothing)
            for one in self.written
        ]
        found += [
            (mote, "missed" if one.missed else "notified", one.thread, one.time_us, None, None, one.event)
            + (None, one.subscriber, one.delay_us, one.deadline_us or None)
            for one in self.notifications
        ]
        return sorted(found, key=lambda row: row[3])

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
                {(self._ms(one.begin_us), self._ms(one.end_us)) for one in self.spans if one.thread == name}
            ):
                plot.bar(begin, y - 0.3, finish, y + 0.3, Look(colour, edge=colour, wide=0.8))

    def _paint_publications(self, plot: Plot) -> None:
        for times, name, face in (
            (self.published, "published", "#ffffff"),
            ([one.time_us for one in self.written], "on the board", style.INK),
        ):
            for time_us in times:
                plot.upright(self._ms(time_us), style.INK, 0.9, "1 2")
                plot.mark(self._ms(time_us), -0.62, Mark("v", 6, face, style.INK))
            if times:
                plot.keys.append(Key(name, marker="v", fill=face, edge=style.INK))

    def _paint_notifications(self, plot: Plot, place: dict[str, int]) -> None:
        for one in self.due:
            at, y = self._ms(one.due_us), place[one.thread]
            plot.line([(at, y - 0.42), (at, y + 0.42)], style.VERMILLION, 1.4, z=3)
        for missed, name, mark in (
            (False, "notified", Mark("o", 5, "#ffffff", style.INK, 0.8)),
            (True, "notified too late", Mark("X", 8, style.VERMILLION, style.INK, 0.8)),
        ):
            found = [one for one in self.notifications if one.missed is missed]
            for one in found:
                plot.mark(self._ms(one.time_us), place[one.thread], mark)
            if found:
                plot.keys.append(Key(name, marker=mark.form, fill=mark.fill, edge=mark.edge, size=mark.size))
        if self.due:
            plot.keys.append(Key("deadline", marker="|", fill=style.VERMILLION, size=10))


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
