# SPDX-License-Identifier: Apache-2.0
"""The run-time diagram: a lane a thread, the intervals in which it runs, publications, notifications and deadlines."""

from __future__ import annotations

from orchestrator.report import style
from orchestrator.report.drawing import Drawing
from orchestrator.report.style import pt
from orchestrator.report.threads.execution import IDLE, Execution

COLUMNS = ("mote", "what", "thread", "begin_us", "end_us", "why", "event", "value", "subscriber", "delay_us", "deadline_us")
MOST_LANES = 24
_LONGEST = 18  # characters of a lane's name


def diagram(execution: Execution, start_us: int | None = None, length_us: int | None = None, threads: tuple[str, ...] = (),
            width: float = style.WIDE) -> Drawing:
    """`start_us` and `length_us`: of the window, simulated time (default: execution.window()). `threads`: the lanes, top to
    bottom (default: all, the idle one last). `width`: inches. Times on the axis count from the window's start, ms.

    The rows (the CSV) are what lies in the window: runs, publications (as notifications tell of them), values written to
    the board, notifications.
    """
    from_us, long = execution.window()
    start = from_us if start_us is None else start_us
    end = start + (long if length_us is None else length_us)
    if end <= start:
        raise ValueError(f"a window of {end - start} us")
    lanes = (threads or execution.threads)[:MOST_LANES]
    spans = [span for span in execution.spans if span.thread in lanes and span.begin_us <= end and span.end_us >= start]
    written = [one for one in execution.publications if start <= one.time_us <= end]
    published = [time_us for time_us in execution.published_us if start <= time_us <= end]
    notifications = [one for one in execution.notifications if one.thread in lanes and start <= one.time_us <= end]
    due = [one for one in execution.notifications
           if one.thread in lanes and one.due_us is not None and start <= one.due_us <= end]

    def ms(time_us: int) -> float:
        return (min(max(time_us, start), end) - start) / 1000

    def paint(figure, axes) -> None:
        from matplotlib.lines import Line2D

        place = {name: y for y, name in enumerate(lanes)}
        handles = []
        for name, y in place.items():
            colour = style.FAINT if name == IDLE else style.SERIES[y % len(style.SERIES)]
            runs = sorted({(ms(span.begin_us), ms(span.end_us) - ms(span.begin_us)) for span in spans if span.thread == name})
            # The edge keeps a run of no time (or less than a pixel's) in sight.
            axes.broken_barh(runs, (y - 0.3, 0.6), facecolor=colour, edgecolor=colour, linewidth=pt(0.8))
        for times, name, face in ((published, "published", "white"), ([one.time_us for one in written], "on the board", style.INK)):
            for time_us in times:
                axes.axvline(ms(time_us), color=style.INK, linestyle=(0, (1, 2)), linewidth=pt(0.9), zorder=1)
            axes.plot([ms(time_us) for time_us in times], [-0.62] * len(times), "v", color=face, markeredgecolor=style.INK,
                      markersize=pt(6), clip_on=False)
            if times:
                handles.append(Line2D([], [], linestyle="none", marker="v", color=face, markeredgecolor=style.INK,
                                      markersize=pt(6), label=name))
        axes.vlines([ms(one.due_us) for one in due], [place[one.thread] - 0.42 for one in due],
                    [place[one.thread] + 0.42 for one in due], color=style.VERMILLION, linewidth=pt(1.4), zorder=4)
        for missed, marker, colour, size in ((False, "o", "white", 5), (True, "X", style.VERMILLION, 8)):
            found = [one for one in notifications if one.missed is missed]
            axes.plot([ms(one.time_us) for one in found], [place[one.thread] for one in found], marker, color=colour,
                      markeredgecolor=style.INK, markeredgewidth=pt(0.8), markersize=pt(size), zorder=5, clip_on=False)
            if found:
                handles.append(Line2D([], [], linestyle="none", marker=marker, color=colour, markeredgecolor=style.INK,
                                      markersize=pt(size), label="notified too late" if missed else "notified"))
        if due:
            handles.append(Line2D([], [], linestyle="none", marker="|", color=style.VERMILLION, markersize=pt(10),
                                  markeredgewidth=pt(1.4), label="deadline"))
        axes.grid(True, axis="x")
        axes.grid(False, axis="y")
        axes.set_yticks(range(len(lanes)), [_short(name) for name in lanes])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(lanes) - 0.4, -0.7)
        axes.set_xlim(0, (end - start) / 1000)
        axes.set_xlabel(f"simulated time after {f'{start / 1e6:.6f}'.rstrip('0').rstrip('.')} s, ms")
        if handles:
            figure.legend(handles=handles, loc="outside upper center", ncols=5 if width > 6 else 3, handlelength=1.0,
                          columnspacing=1.0)

    rows = [(execution.mote, "run", span.thread, max(span.begin_us, start), min(span.end_us, end), span.why, *[None] * 5)
            for span in spans]
    rows += [(execution.mote, "published", None, time_us, *[None] * 7) for time_us in published]
    rows += [(execution.mote, "written", one.thread, one.time_us, None, None, one.event, one.value, None, None, None)
             for one in written]
    rows += [(execution.mote, "missed" if one.missed else "notified", one.thread, one.time_us, None, None, one.event, None,
              one.subscriber, one.delay_us, one.deadline_us or None) for one in notifications]
    rows.sort(key=lambda row: row[3])
    return Drawing(paint, width, 1.25 + 0.42 * len(lanes), rows, COLUMNS)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[:_LONGEST - 1] + "…"
