# SPDX-License-Identifier: Apache-2.0
"""The terminal: the configuration of rich, and a progress display that prints plain lines without a terminal.

rich itself obeys NO_COLOR, TERM=dumb and FORCE_COLOR.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.text import Text


_PLAIN_EVERY_S = 5.0  # a line of plain progress
_TOLD_S = 1.0  # a stage that took less is not worth a line afterwards
_BAR = 16  # columns; with the longest stage's name and a count it leaves room for the time left in 80
SIMULATING, FOUND = "simulating", "runs"  # stages whose end is reported, however short they were
_NO_WRAP = 1 << 20  # columns of output that isn't in a terminal


@cache
def console() -> Console:
    """Return the console for results, on standard output.

    A reader that went away (`| head`) raises BrokenPipeError, as it does for print().
    """
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704 - the one it is called for; rich would end the process with 1, a failed verdict

    return Piped(highlight=False)


def width() -> int | None:
    """Columns of the terminal for results, or those in $COLUMNS; None in a pipe, where nothing wraps."""
    if (columns := os.environ.get("COLUMNS", "")).isdecimal() and int(columns):
        return int(columns)
    return console().width if sys.stdout.isatty() else None


def show(*parts: object) -> None:
    """Print results. Texts wrap between words, tables as in cli/tables.py; nothing is cut."""
    from rich.text import Text

    columns = width()
    for part in parts:
        if isinstance(part, str):
            part = part.replace("\u2212", "-")  # what is copied from a terminal is a number elsewhere
        if columns is not None and isinstance(part, str | Text):
            part = _wrapped(Text(part) if isinstance(part, str) else part, columns)
        console().print(part, markup=False, overflow="ignore", crop=False, width=columns or _NO_WRAP)


def _wrapped(text: Text, columns: int) -> Text:
    """With line breaks instead of the spaces where lines would be too long; what was indented stays so."""
    from rich.text import Text

    whole = Text("\n").join(
        line for part in text.split("\n", allow_blank=True) for line in _lines(part, columns)
    )
    whole.no_wrap = True
    return whole


def _lines(text: Text, columns: int) -> Iterator[Text]:
    indent = len(text.plain) - len(text.plain.lstrip(" "))
    while len(text) > columns:
        at = text.plain.rfind(" ", indent + 1, columns + 1)
        at = at if at > 0 else text.plain.find(" ", columns)
        if at < 0:
            break
        line, _, text = text.divide((at, at + 1))
        line.rstrip()
        yield line
        if indent:
            text = text.blank_copy(" " * indent).append_text(text)
    yield text


@cache
def errors() -> Console:
    """For progress and messages: standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, width=None if sys.stderr.isatty() else _NO_WRAP)


def visible(text: str) -> str:
    """Return a text from elsewhere without what would command a terminal: such characters as escapes.

    Line breaks and tabs stay.
    """
    return "".join(
        character
        if character.isprintable() or character in "\n\t\u202f\u2009\xa0"
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def say(text: str) -> None:
    """Print a line for the person at the terminal, on standard error and without markup.

    It does not load rich unless something else has: loading it takes longer than most simulations.
    """
    text = visible(text)
    if errors.cache_info().currsize:
        errors().print(text, markup=False, soft_wrap=True)
    else:
        print(f"{text}\n", end="", file=sys.stderr, flush=True)  # one piece: several threads may speak


class RunProgress(Protocol):
    """The progress of a batch of runs, as execution.progress.Progress counts it.

    Times are in s, `speed` in simulated minutes per s, `logged_us` and `to_log_us` in simulated us.
    """

    done: int
    total: int
    found: int
    made: int
    failed: int
    elapsed_s: float
    logged_us: int
    to_log_us: int

    @property
    def speed(self) -> float: ...

    @property
    def left_s(self) -> float | None: ...


class Display:
    """Shows a command's progress: call it with the current stage and, if known, how much of how much is done.

    There is one stage at a time: a call with another name ends the one before. `runs` takes
    execution.progress.Progress, `line` a line that a build prints. Threads may call it.
    """

    def __init__(self, label: str):
        self._label = label
        self._lock = threading.RLock()
        self._what = ""
        self._begun = 0.0

    def __call__(self, what: str, done: int | None = None, total: int | None = None, rest: str = "") -> None:
        with self._lock:
            if what != self._what:
                self.end()
                self._what, self._begun = what, time.monotonic()
                self._enter()
            self._show(done, total, rest)

    def runs(self, state: RunProgress) -> None:
        found_all = state.found == state.total  # then nothing is simulated
        self(
            FOUND if found_all else SIMULATING,
            state.done,
            state.total,
            "all already in the store" if found_all else _rest(state),
        )

    def line(self, text: str) -> None:
        """Ignore a build's output: without a terminal its thousands of lines are not shown."""

    def end(self) -> None:
        """End the current stage, if there is one."""
        with self._lock:
            if self._what:
                self._leave()
                self._what = ""

    def _enter(self) -> None: ...

    def _show(self, done: int | None, total: int | None, rest: str) -> None: ...

    def _leave(self) -> None: ...


@contextmanager
def stages(label: str) -> Iterator[Display]:
    """Show the stages of a command: live in a terminal, else as lines, a few during long ones."""
    live = errors().is_terminal and not errors().is_dumb_terminal
    display = _Live(label) if live else _Plain(label)
    try:
        yield display
    finally:
        display.end()


class _Live(Display):
    """A line with a spinner, a bar, a count and the stage's time; as text it stays at the end."""

    def __init__(self, label: str):
        super().__init__(label)
        self._progress: Progress | None = None
        self._last = ""

    def _enter(self) -> None:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        rest = Column(ratio=1, no_wrap=True, overflow="ellipsis")
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.fields[what]}", markup=False),
            BarColumn(bar_width=_BAR),
            TextColumn("{task.fields[count]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[rest]}", markup=False, table_column=rest),
            console=errors(),
            transient=True,
            expand=True,
        )
        self._progress.add_task("", total=None, what=self._what, count="", rest="")
        self._progress.start()

    def _show(self, done: int | None, total: int | None, rest: str) -> None:
        count = _counted(done, total)
        self._last = ", ".join(filter(None, (count, rest)))
        self._update(total=total, completed=done or 0, count=count, rest=rest)

    def line(self, text: str) -> None:
        with self._lock:
            if not self._what:
                self("compiling")
            self._update(rest=text.strip())

    def _update(self, **values: object) -> None:
        for task in self._progress.task_ids:
            self._progress.update(task, **values)

    def _leave(self) -> None:
        self._progress.stop()
        seconds = time.monotonic() - self._begun
        if self._what in (SIMULATING, FOUND):
            say(f"{self._label}: {self._what} {self._last}")
        elif seconds >= _TOLD_S:
            say(f"{self._label}: {self._what}, {duration(seconds)}")


def _counted(done: int | None, total: int | None) -> str:
    return "" if total is None else f"{done:,}/{total:,}"


class _Plain(Display):
    def _enter(self) -> None:
        self._told, self._last = time.monotonic(), ""
        if self._what not in (SIMULATING, FOUND):  # their lines say more
            say(f"{self._label}: {self._what}")

    def _show(self, done: int | None, total: int | None, rest: str) -> None:
        self._last = "" if total is None else ", ".join(filter(None, (_counted(done, total), rest)))
        if self._last and time.monotonic() - self._told >= _PLAIN_EVERY_S:
            self._told = time.monotonic()
            say(f"{self._label}: {self._what} {self._last}, after {duration(self._told - self._begun)}")
            self._last = ""

    def _leave(self) -> None:
        seconds = time.monotonic() - self._begun
        if self._what in (SIMULATING, FOUND):
            if self._last:
                say(f"{self._label}: {self._what} {self._last}")
        elif seconds >= _PLAIN_EVERY_S:
            say(f"{self._label}: {self._what}, {duration(seconds)}")


def _rest(state: RunProgress) -> str:
    """Return what went wrong, time left and speed, in this order: a narrow terminal shows the first."""
    parts = []
    if state.failed:
        parts.append(f"{state.failed:,} not ok")
    if state.done < state.total:
        parts.append("time left unknown" if state.left_s is None else f"{duration(state.left_s)} left")
    else:
        parts.append(f"took {duration(state.elapsed_s)}")
    if state.found:
        parts.append(f"{state.found:,} already in the store")
    if state.made:
        parts.append(f"{state.speed:,.1f} simulated min/s")
    if state.logged_us:
        parts.append(
            f"logs of those under way at {state.logged_us / 60e6:,.1f} of {state.to_log_us / 60e6:,.1f} "
            "simulated min"
        )
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """12.3 s, 4 min 5 s, 2 h 3 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
