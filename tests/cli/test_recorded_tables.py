# SPDX-License-Identifier: Apache-2.0
"""Tables, texts and progress in the terminal, as they were when somebody last looked at them."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from orchestrator import console
from orchestrator.cli.tables import Column, numbers
from orchestrator.execution.progress import Progress

COLUMNS = (
    Column("cell", key=True),
    *numbers("events", "a longer heading"),
    "state",
    Column("why it ended as it did", prose=True),
    Column("remarks", number=True, prose=True),
)


@pytest.fixture
def screen(monkeypatch):
    """What is shown, at a width."""

    def at(columns: int | None) -> io.StringIO:
        written = io.StringIO()
        made = Console(
            file=written,
            force_terminal=True,
            color_system="standard",
            no_color=False,
            highlight=False,
            width=1000,
        )
        monkeypatch.setattr(console, "console", lambda: made)
        monkeypatch.setattr(console, "width", lambda: columns)
        return written

    return at


@pytest.mark.parametrize(
    ("said", "terminal", "columns"),
    [
        ("", False, None),
        ("", True, 77),
        ("0", False, None),
        ("60", False, 60),
        ("60", True, 60),
        ("x", True, 77),
    ],
)
def test_the_width_is_the_terminal_s_or_the_one_that_is_said(said, terminal, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", said)
    monkeypatch.setattr("sys.stdout", SimpleNamespace(isatty=lambda: terminal))
    monkeypatch.setattr(console, "console", lambda: SimpleNamespace(width=77))
    assert console.width() == columns


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (59.94, "59.9 s"),
        (59.96, "60.0 s"),
        (60, "1 min 0 s"),
        (119.6, "2 min 0 s"),
        (3599, "59 min 59 s"),
        (3599.6, "1 h 0 min"),
        (7384, "2 h 3 min"),
    ],
)
def test_durations(seconds, text):
    assert console.duration(seconds) == text


def far(**more) -> Progress:
    given = {"total": 10, "found": 0, "made": 4, "failed": 0, "sim_us": 600_000_000, "elapsed_s": 5.0}
    return Progress(**given | more)


class Clock:
    """Time that passes when a test says so."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr(console, "time", SimpleNamespace(monotonic=lambda: self.now))


def test_a_long_stage_in_a_pipe_says_every_five_seconds_how_far_it_is(monkeypatch, capsys):
    clock = Clock(monkeypatch)
    with console.stages("chain") as stage:
        stage("reading")
        clock.now += 60
        stage("reading")
        for step, far_ in enumerate((4.9, 5.1, 7.0, 10.2, 10.3)):
            clock.now = 200 + far_ if step else 200
            stage("copying", step, 4000, f"file {step}")
        clock.now = 300
        stage.runs(far(made=3))
        clock.now = 304.9
        stage.runs(far(made=4))
        clock.now = 305
        stage.runs(far(made=5))
        stage.line("a build's line is not shown")
        stage("drawing")
        stage.runs(far(made=6))
    assert capsys.readouterr().err.splitlines() == [
        "chain: reading",
        "chain: copying",
        "chain: copying 1/4,000, file 1",
        "chain: copying 3/4,000, file 3",
        "chain: simulating 5/10, 5.0 s left, 2.0 simulated min/s",
        "chain: drawing",
        "chain: simulating 6/10, 3.3 s left, 2.0 simulated min/s",
    ]


def test_a_stage_in_a_terminal_leaves_a_line_if_it_took_a_second(monkeypatch):
    screen = Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None, _environ={})
    monkeypatch.setattr(console, "errors", lambda: screen)
    said = []
    monkeypatch.setattr(console, "say", said.append)
    clock = Clock(monkeypatch)

    def drawn(stage) -> str:
        written = Console(file=io.StringIO(), width=80, color_system=None)
        written.print(stage._progress.get_renderable())
        return " ".join(written.file.getvalue().split())

    with console.stages("chain") as stage:
        stage("short", 1, 2, "of it")
        assert "short" in drawn(stage) and "1/2" in drawn(stage) and drawn(stage).endswith("of it")
        clock.now += 0.99
        stage("long", 0, 7)
        clock.now += 1.0
        stage.line("  a build's line \n")
        assert " long " in drawn(stage) and drawn(stage).endswith("a build's line")
        stage.runs(far())
        assert "simulating" in drawn(stage) and "4/10" in drawn(stage)
        stage.runs(far(found=10, made=0))
        stage.end()
        stage.line("cc x.c")
        assert "compiling" in drawn(stage) and drawn(stage).endswith("cc x.c")
        stage("last")
        clock.now += 75
    assert said == [
        "chain: long, 1.0 s",
        "chain: simulating 4/10, 7.5 s left, 2.0 simulated min/s",
        "chain: runs 10/10, all already in the store",
        "chain: last, 1 min 15 s",
    ]


def test_a_message_is_one_line_however_it_is_written(monkeypatch, capsys):
    console.errors.cache_clear()
    console.say("[bold] a line " + "x" * 200)
    assert capsys.readouterr().err == "[bold] a line " + "x" * 200 + "\n"
    console.errors()
    try:
        console.errors().file = io.StringIO()
        console.say("[bold] a line " + "x" * 200)
        assert console.errors().file.getvalue() == "[bold] a line " + "x" * 200 + "\n"
    finally:
        console.errors.cache_clear()
