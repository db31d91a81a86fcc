# SPDX-License-Identifier: Apache-2.0
"""The terminal: one configuration of rich, and a progress display that becomes plain lines where there is no terminal.

rich itself obeys NO_COLOR, TERM=dumb and FORCE_COLOR.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from orchestrator.words import counted

if TYPE_CHECKING:
    from rich.console import Console

_PLAIN_EVERY_S = 5.0  # a line of plain progress
_SHOWN_OF_LINE = 100  # characters of a build's line
_PIPE_WIDTH = 160  # columns where there is no terminal to ask


@cache
def console() -> Console:
    """For results: standard output. A reader that went away (`| head`) is a BrokenPipeError, as it is for print()."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704 - the one it is called for; rich would end the process with 1, a failed verdict

    return Piped(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


@cache
def errors() -> Console:
    """For progress and messages: standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, width=None if sys.stderr.isatty() else _PIPE_WIDTH)


def say(text: str) -> None:
    """A line for the person at the terminal, on standard error; no markup.

    Without rich if nothing else needed it: to load it takes longer than most simulations."""
    if errors.cache_info().currsize:
        errors().print(text, markup=False, soft_wrap=True)
    else:
        print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class RunsDisplay:
    """Called with campaign.progress.Progress it shows that; `building` shows a line of a build, until runs begin."""

    show: Callable
    building: Callable[[str], None] = lambda _: None

    def __call__(self, state) -> None:
        self.show(state)


@contextmanager
def runs_progress(label: str) -> Iterator[RunsDisplay]:
    """Gives what shows a campaign's progress: live in a terminal, else a line now and then, and nothing of builds."""
    if errors().is_terminal and not errors().is_dumb_terminal:
        with _live(label) as show:
            yield show
    else:
        with _plain(label) as show:
            yield RunsDisplay(show)


@contextmanager
def build_progress(label: str) -> Iterator:
    """Gives a function that takes each line of a build: the last one stands in a terminal; elsewhere none is shown."""
    if errors().is_terminal and not errors().is_dumb_terminal:
        from rich.markup import escape

        with errors().status(escape(label)) as status:
            yield lambda line: status.update(escape(f"{label}: {line.strip()[:_SHOWN_OF_LINE]}"))
    else:
        yield lambda line: None


@contextmanager
def _live(label: str) -> Iterator:
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    display = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rest]}"),
        console=errors(), transient=False,
    )
    with display:
        task = display.add_task(label, total=None, rest="")
        yield RunsDisplay(
            lambda state: display.update(task, total=state.total, completed=state.done, rest=_rest(state)),
            lambda line: display.update(task, rest=escape(line.strip()[:_SHOWN_OF_LINE])),
        )


@contextmanager
def _plain(label: str) -> Iterator:
    last = time.monotonic()
    shown = final = None

    def show(state) -> None:
        nonlocal last, shown, final
        final = state
        now = time.monotonic()
        if now - last >= _PLAIN_EVERY_S:
            last, shown = now, state
            _line(label, state)

    try:
        yield show
    finally:
        if final is not None and final is not shown:
            _line(label, final)


def _line(label: str, state) -> None:
    print(f"{label}: {state.done}/{counted(state.total, 'run')}, {_rest(state)}", file=sys.stderr, flush=True)


def _rest(state) -> str:
    """Speed, time left and what went wrong."""
    parts = []
    if state.logged_us:
        parts.append(f"logs of those under way at {state.logged_us / 60e6:.1f} of {state.to_log_us / 60e6:.1f} simulated min")
    if state.made:
        parts.append(f"{state.speed:.1f} simulated min/s")
    if state.done < state.total:
        parts.append("time left unknown" if state.left_s is None else f"{duration(state.left_s)} left")
    else:
        parts.append(f"took {duration(state.elapsed_s)}")
    if state.found:
        parts.append(f"{state.found} were there")
    if state.failed:
        parts.append(f"{state.failed} not ok")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """12.3 s, 4 min 5 s, 2 h 3 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
